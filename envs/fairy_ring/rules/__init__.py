"""The rules of Fairy Ring over one record; ``decisions`` is the table of contents."""

from envs.fairy_ring.rules.decisions import legal, reset, score, step

__all__ = ["legal", "reset", "score", "step"]
