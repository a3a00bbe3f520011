"""Positions to begin with: games of every rule set, and records from all over random games of them."""

from functools import cache
from random import Random

import numpy as np
from numba.core.config import DISABLE_JIT

import envs
from envs.game import Game
from envs.vector import VectorAECEnv
from tests.comparison import random_choice
from tests.fuzz.judge import require

RULE_SETS = [
    ("dance_of_eights", 7, {"max_turns": 6}),
    ("dance_of_eights", 7, {"copies": 1}),
    ("fairy_ring", 4, {}),
    ("fairy_ring_objectives", 3, {}),
    ("mushroom_rings", 4, {}),
]
"""As other tests with the bounds check on have them, so that they are compiled once."""
GAMES_PLAYED, STEPS = (2, 80) if DISABLE_JIT else (6, 10**6)
"""Where the rules run as Python, long games are left before their end."""


@cache
def games() -> list[Game]:
    """The games."""
    return [envs.make_game(name, players, **options) for name, players, options in RULE_SETS]


@cache
def records(game: Game) -> np.ndarray:
    """Records of random games from their deals to their ends, ``(K,)``."""
    env = VectorAECEnv(game, GAMES_PLAYED, seed=3, autoreset=False)
    rng = np.random.default_rng(3)
    found = [env.states.copy()]
    while (env.agent_selection >= 0).any() and len(found) <= STEPS:
        env.step(random_choice(env.last()[0]["action_mask"], rng))
        found.append(env.states.copy())
    return np.concatenate(found)


def a_record(game: Game, rng: Random) -> np.ndarray:
    """One of them, ``(1,)``, a copy."""
    found = records(game)
    return found[rng.randrange(len(found))][None].copy()


def play_on(game: Game, start: np.ndarray, decisions: int, seed: int) -> None:
    """Plays on from ``(N,)`` records that were accepted: every seat looks, all is valid on the way, and it comes to an end."""
    env = VectorAECEnv(game, len(start), seed=seed, autoreset=False)
    env.set_records(start)
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        view, *_ = env.last()
        masks, live = view["action_mask"], env.agent_selection >= 0
        require(masks[live].any(axis=1).all(), "nothing is legal in a game that goes on")
        require(np.isfinite(view["observation"]).all(), "an observation that is no number")
        env.step(random_choice(masks, rng))
        inside = (env.state() >= game.observation_low) & (env.state() <= game.observation_high)
        require(inside.all(), "an observation out of bounds")
        words = rng.integers(2**64, size=len(start), dtype=np.uint64)
        worlds = env.worlds(words, rng.integers(game.num_players, size=len(start)))
        check_valid(game, env.states)
        check_valid(game, worlds[env.agent_selection >= 0])
    env.standings()


def check_valid(game: Game, found: np.ndarray) -> None:
    """Makes a finding of an impossible record."""
    try:
        game.check_records(found)
    except ValueError as error:
        require(False, f"{game}: an accepted position has led to an impossible one: {error}")
