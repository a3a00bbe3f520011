"""Games of a fresh batch moved apart. Dealt together they would also end together, most of them in the same few rollouts.

Every game is brought to a decision of its own, from the first one to where a game is over on average, by random moves that nobody
learns from. It is the same for the same seed.
"""

import numpy as np

from agents.agent import RandomAgent
from training.games import Games

_TRIALS = 64  # games whose mean length is taken for that of all
_PURPOSE = 0x73746167  # tells this use of a seed from all others
_WORDS = 2**64


def move_apart(games: Games, seed: int) -> np.ndarray:
    """Plays each of N games that have just been dealt to another decision.

    Args:
        games: Changed.
        seed: Of the moves, and of which game is played how far.

    Returns:
        ``(N,) int64``: how many decisions each game was to be played on; one that was over before is followed by the next.
    """
    rng = np.random.default_rng([_PURPOSE, seed])
    trials = Games(games.game, min(_TRIALS, games.num_envs), seed=seed, autoreset=False)
    _play(trials, np.full(trials.num_envs, np.iinfo(np.int64).max), rng)
    length = float(trials.results["length"].mean())
    decisions = (rng.permutation(games.num_envs) * length / games.num_envs).astype(np.int64)
    _play(games, decisions, rng)
    return decisions


def _play(games: Games, decisions: np.ndarray, rng: np.random.Generator) -> None:
    """Random moves, in each of N games until it is over or has had the given number of decisions, ``(N,)``."""
    player, first = RandomAgent(games.game), games.episodes.copy()
    while True:
        waits = (games.states["decisions"] < decisions) & (games.episodes == first) & (games.agent_selection >= 0)
        rows = np.flatnonzero(waits)
        if not len(rows):
            return
        shown = games.last()[0]
        words = np.zeros(len(rows), [("rng", np.uint64)])
        words["rng"] = rng.integers(_WORDS, size=len(rows), dtype=np.uint64)
        games.step_rows(rows, player.act(shown["observation"][rows], shown["action_mask"][rows], words))
