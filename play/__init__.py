"""Play and watch in the browser or the terminal: people, agents and replays at one table.

``python -m play --env fairy_ring --agents greedy`` serves a page on this machine and opens it, ``python -m play watch FILE``
shows replays. The game runs with its rules uncompiled, so that the first board is there at once; agents run in a process of
their own (``worker``) that compiles meanwhile. ``table`` holds a game and says what each seat may see, ``server`` sends that and
nothing else.

``play.Replay(FILE)`` shows a recorded game in a notebook.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from play.player import Replay

__all__ = ["Replay"]


def __getattr__(name: str) -> Any:
    """Fetches what is used from Python when it is first asked for: a table says first that its rules run uncompiled."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from play.player import Replay

    return Replay
