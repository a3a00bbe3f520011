"""Players of the games: greedy ones, trained ones, a tree search, and what they think of a position (``agents.analyse``)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.analysis import Analysis, analyse

__all__ = ["Analysis", "analyse"]


def __getattr__(name: str) -> Any:
    """Imports what only Python users need when it is first asked for; the players do without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agents import analysis

    return getattr(analysis, name)
