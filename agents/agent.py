"""What a player of any game is, and the simplest one."""

from typing import Protocol

import numpy as np

from envs import engine
from envs.game import Game


class Agent(Protocol):
    """A player, asked for many games at a time.

    An agent is made for one game, is told nothing but what the seat to act may know, and plays every row on its own: what it
    does in a row depends on that row alone. Equal agents then do equal things, and a tournament comes out the same however
    its games are divided into batches.

    Attributes:
        name: What tables call it.
    """

    name: str

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """Chooses an action in each of K games. K, D and A as below; the arrays are the agent's to keep or change.

        Args:
            observations: ``(K, D) float32``, the view of the seat to act.
            action_masks: ``(K, A) int8``, 1 = legal; at least one is.
            worlds: ``(K,)`` records of the game, in which all that the seat cannot know has been dealt anew. The random word
                ``worlds["rng"]`` is keyed by (deal, seat, the seat's own decision number); it is the only source of noise
                an agent uses.

        Returns:
            ``(K,) int64``, legal actions.
        """
        ...


class RandomAgent:
    """Plays each legal action with the same chance."""

    name = "random"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """A random legal action for each row; see :class:`Agent`."""
        actions = np.empty(len(action_masks), np.int64)
        _pick_batch(engine.rows(np.ascontiguousarray(action_masks)), np.ascontiguousarray(worlds["rng"]), actions)
        return actions


@engine.kernel
def _pick_batch(masks, words, actions):
    """The legal action that each row's word falls on."""
    for i in range(len(actions)):
        # The word also dealt the world: hashed once more, the action does not go with the cards.
        actions[i] = engine.pick(masks[i]["row"], engine.mix(words[i]))


def first_line(error: BaseException) -> str:
    """Kind and message of an error in one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
