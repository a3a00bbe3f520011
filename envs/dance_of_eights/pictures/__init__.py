"""Pictures of Dance of Eights: a state dict, whole or as one seat sees it, as text or SVG."""

from envs.dance_of_eights.pictures.svg import svg, target
from envs.dance_of_eights.pictures.terminal import text

__all__ = ["svg", "target", "text"]
