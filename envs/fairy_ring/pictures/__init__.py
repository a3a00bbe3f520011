"""Pictures of Fairy Ring: a state dict, whole or as one seat sees it, as text or SVG."""

from collections.abc import Mapping
from typing import Any

from envs.fairy_ring.pictures import svg as _svg
from envs.fairy_ring.pictures import terminal
from envs.game import Game


def text(game: Game, view: Mapping[str, Any]) -> str:
    """A picture of a state dict for a terminal."""
    return terminal.text(view, game.facts["cards"], fireflies=game.options["fireflies"])


def svg(game: Game, view: Mapping[str, Any]) -> str:
    """A picture of a state dict as SVG text."""
    return _svg.svg(view, game.facts["cards"], fireflies=game.options["fireflies"])
