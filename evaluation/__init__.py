"""Comparing agents: games on equal deals, ratings with intervals, reports, leaderboards; from Python ``evaluation.compare``."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.comparison import Comparison, compare

__all__ = ["GAMES", "PLAYERS", "Comparison", "compare"]

PLAYERS, GAMES = 2, 1000
"""Seats of a match, and its games, unless asked otherwise."""


def __getattr__(name: str) -> Any:
    """Fetches what is used from Python alone when it is first asked for: it takes seconds to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evaluation import comparison

    return getattr(comparison, name)
