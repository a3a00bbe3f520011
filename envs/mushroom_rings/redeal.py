"""Dealing anew what a seat cannot know: one of the worlds in which it may be (a *determinization*)."""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.rules.decisions import shuffle_pile


@jit
def redeal(state, rules, seat):
    """Shuffles the bag and the tiles set aside; everything else is open.

    They are put in order first: what is dealt then follows from the random word and what the seat knows alone.
    """
    _sort_pile(state)
    shuffle_pile(state)


@inline
def _sort_pile(state):
    """Puts the tiles that are not drawn yet in the order of their ids, by a bit for each in two words."""
    first, second, half = np.int64(0), np.int64(0), np.int64(len(state["pile"])) // 2
    for i in range(state["top"], len(state["pile"])):
        tile = np.int64(state["pile"][i])
        if tile <= half:
            first |= np.int64(1) << tile
        else:
            second |= np.int64(1) << tile - half
    i = state["top"]
    for number in range(1, len(state["pile"]) + 1):
        word, bit = (first, number) if number <= half else (second, number - half)
        if word >> bit & 1:
            state["pile"][i] = number
            i += 1
