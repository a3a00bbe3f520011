"""Kernels for the words about a game: making a position anew, and trying out a tile."""

from envs import engine
from envs.mushroom_rings.garden.laying import lay
from envs.mushroom_rings.validity.rebuilding import rebuild


@engine.kernel
def rebuild_single(given, rules, states):
    """Makes the position of ``given`` anew in ``states``, one record each; see :func:`rebuild`."""
    return rebuild(given[0], rules[0], states[0])


@engine.kernel
def lay_in_hand(records, rules):
    """Lays the tile in hand and nothing more."""
    lay(records[0], rules[0])
