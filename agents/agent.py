"""What a player of any game is, and the simplest one."""

from typing import Any, Protocol

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
                ``worlds["rng"]`` is keyed by (secret, deal, seat, the seat's own decision number); it is the only source of
                noise an agent uses, and nothing else follows from it.

        Returns:
            ``(K,) int64``, legal actions.
        """
        ...


class RandomAgent:
    """Plays every legal action with the same probability."""

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
        # The word also dealt the world: hashed once more, the action does not depend on the cards.
        actions[i] = engine.pick(masks[i]["row"], engine.mix(words[i]))


MOST_LETTERS = 200
"""The most characters of an agent's error message that are shown or stored."""


class NoActionsError(ValueError):
    """An agent's answer is not a list of actions; the message says what it is."""


def first_line(error: BaseException) -> str:
    """The kind and message of an error in one clean line, even if the error itself fails when asked for them."""
    kind = str(type.__dict__["__name__"].__get__(type(error)))  # not what a class of another kind makes of it
    kind = kind if kind.isidentifier() else "an error without a proper name"
    try:
        message = clean(str(error).strip().splitlines()[0])
    except BaseException:  # it has no message, or is somebody else's error, which may raise anything
        message = ""
    return clean(f"{kind}: {message}" if message else kind)


def clean(text: str) -> str:
    """Foreign text made fit to be shown and stored: one line of at most 200 printable characters."""
    text = " ".join(text[: 4 * MOST_LETTERS].split())
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 3] + "..."


def as_actions(answer: Any, count: int) -> np.ndarray:
    """An agent's answer as actions, legal or not.

    Args:
        answer: Anything that may become an array.
        count: Games it was asked for, K.

    Returns:
        ``(K,) int64``.

    Raises:
        NoActionsError: It is no list of K integers. Other errors may come from the answer itself.
    """
    actions = np.asarray(answer)
    if actions.dtype.kind == "f" and not np.isfinite(actions).all():
        raise NoActionsError(f"actions {actions.dtype} that are not finite")
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise NoActionsError(f"actions {actions.dtype} of shape {actions.shape}, not {count} integers")
    return actions.astype(np.int64)
