"""Rule-based players, one for each game: they look one decision ahead with what the seat knows."""

from importlib import import_module
from typing import Any

from envs.game import Game

PLAYERS = {
    "envs.fairy_ring": "agents.greedy.fairy_ring",
    "envs.dance_of_eights": "agents.greedy.dance_of_eights",
    "envs.mushroom_rings": "agents.greedy.mushroom_rings",
}
"""By the module of a rule set: the module with the class ``Greedy`` that plays it. A new player is one line here."""


def make_greedy(game: Game) -> Any:
    """The rule-based player of a game.

    Raises:
        ValueError: The game has none.
    """
    module = game.kernels.__name__
    if module not in PLAYERS:
        raise ValueError(f"there is no greedy agent for {game.name}")
    return import_module(PLAYERS[module]).Greedy(game)
