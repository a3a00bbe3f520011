"""Rule-based players, one for each game: they look one decision ahead with what the seat knows."""

from importlib import import_module
from types import ModuleType
from typing import Any

from envs.game import Game


def make_greedy(game: Game) -> Any:
    """The rule-based player of a game.

    Raises:
        ValueError: The game has none.
    """
    if game.tuned.greedy is None:
        raise ValueError(f"there is no greedy agent for {game.name}")
    module, _, name = game.tuned.greedy.partition(":")
    return getattr(import_module(module), name)(game)


def deciding_module(game: Game) -> ModuleType | None:
    """The module of a game's rule-based player whose compiled ``decide`` chooses for one record; None if there is none."""
    if game.tuned.greedy is None:
        return None
    module = import_module(game.tuned.greedy.partition(":")[0])
    return module if hasattr(module, "decide") else None
