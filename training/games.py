"""The games that self-play environments play: a batch, with noise for the agents at it and the leads of the seats.

The words for that noise come from the games' own generators by a function that can be turned round, other than those of a
tournament (``evaluation.keyed``): agents of a training run, ``--against module:Class`` among them, play in its process and are
trusted.
"""

import numpy as np

from envs import engine
from envs.vector import VectorAECEnv

_WORLD = np.uint64(0x576F726C64)  # tells this use of a random word from all others


@engine.kernel
def decision_words(states, words):
    """A random word for the decision that each game is about to take, made from nothing but the game."""
    for i in range(len(states)):
        words[i] = engine.mix_in(engine.mix_in(states[i]["rng"], _WORLD), states[i]["decisions"])


def leads_of(standings: np.ndarray) -> np.ndarray:
    """By how much each seat leads the mean of the others, ``(K, P) float32``, from ``(K, P)`` standings."""
    own = standings.astype(np.float32)
    return own - (own.sum(axis=1, keepdims=True) - own) / np.float32(own.shape[1] - 1)


class Games(VectorAECEnv):
    """``VectorAECEnv`` with what agents that play some of its seats need. N games, P seats."""

    def words(self, rows: np.ndarray) -> np.ndarray:
        """A random word for the next decision in the games ``rows (K,)``: ``(K,) uint64``."""
        words = np.empty(len(rows), np.uint64)
        decision_words(self.states[rows], words)
        return words

    def worlds_of(self, rows: np.ndarray) -> np.ndarray:
        """Copies of the games ``rows (K,)``, re-dealt for the seat to act; see ``worlds``."""
        worlds = np.empty(len(rows), self.states.dtype)
        seats = self.agent_selection[rows].astype(np.int64)
        self.game.kernels.redeal_batch(self.states[rows], self.game.rules, seats, self.words(rows), worlds)
        return worlds

    def leads(self) -> np.ndarray:
        """By how much each seat leads the mean of the others now, ``(N, P) float32``."""
        return leads_of(self.standings())
