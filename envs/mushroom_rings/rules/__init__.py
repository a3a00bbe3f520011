"""The rules of Mushroom Rings over one record; ``decisions`` is the table of contents."""

from envs.mushroom_rings.rules.decisions import legal, reset, score, step

__all__ = ["legal", "reset", "score", "step"]
