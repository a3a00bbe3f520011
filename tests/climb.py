"""The race of ``tests.race`` in which every step is a point: leads change with every move, also downwards.

At the end the steps count, so that whoever has made three is first, but a game that was won by a gamble may rank otherwise.
"""

from dataclasses import replace

import numpy as np

from envs import engine
from envs.game import Game
from tests import race
from tests.race import legal, observe, redeal, reset, step  # noqa: F401


@engine.jit
def score(state, rules, scores, standings):
    """A point for each step."""
    for p in range(len(standings)):
        standings[p] = state["steps"][p]
        scores[p] = np.float32(standings[p])


loops = engine.install(globals())


def make_game(name: str = "climb", num_players: int = 3, options: dict | None = None) -> Game:
    """The game for a number of players."""
    return replace(race.make_game(name, num_players, options), kernels=loops, package=__name__)
