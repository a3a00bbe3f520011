"""What a laid tile shows, as one number: where it lies, how, which edges rings used up, whose its paths are.

The rules keep the numbers up, so that an observation finds at a glance which tiles have changed since it was last written.
"""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.state import EDGES, NONE, SEGMENTS

# From the lowest bit on: cell, tile, orientation, a bit for each edge used up, a claim for each segment; then what look_to adds.
_TILE, _ORIENTATION, _USED, _CLAIMS, _AGE, _SEAT = 10, 17, 21, 27, 39, 43
_CLAIM_BITS = 4
CELL_BITS = (1 << _TILE) - 1
NO_PATH, UNCLAIMED, FIRST_GNOME = 0, 1, 2  # a claim: nothing in play, nobody's, gnome 0's and so on
assert _AGE == _CLAIMS + SEGMENTS * _CLAIM_BITS


@jit
def note_look(state, index):
    """Notes what the tile laid as number ``index`` shows now."""
    look = np.int64(state["cell"][index]) | np.int64(state["tile"][index]) << _TILE
    look |= np.int64(state["orientation"][index]) << _ORIENTATION
    for edge in range(EDGES):
        look |= np.int64(state["edge_ring"][index, edge] != NONE) << _USED + edge
    for segment in range(SEGMENTS):
        part = SEGMENTS * index + segment
        if state["path"][part] != NONE:
            look |= np.int64(state["gnome_of"][part]) + FIRST_GNOME << _CLAIMS + _CLAIM_BITS * segment
    state["look"][index] = look


@inline
def look_to(look, seat, age):
    """A look as a seat sees it: how long ago the tile was laid, and the seat where it matters to whom a path belongs."""
    claimed = look >> _CLAIMS & 0xEEE  # any claim but NO_PATH and UNCLAIMED
    return look | age << _AGE | (seat << _SEAT if claimed else 0)


@inline
def cell_of(look):
    """The cell on which the tile lies."""
    return look & CELL_BITS


@inline
def tile_of(look):
    """Its tile id."""
    return look >> _TILE & 0x7F


@inline
def orientation_of(look):
    """How it lies: side * 6 + rotation."""
    return look >> _ORIENTATION & 0xF


@inline
def is_used(look, edge):
    """Whether a ring used an edge up."""
    return look >> _USED + edge & 1


@inline
def claim_of(look, segment):
    """Whose the path of a segment is: NO_PATH, UNCLAIMED, or FIRST_GNOME + gnome."""
    return look >> _CLAIMS + _CLAIM_BITS * segment & 0xF


@inline
def age_of(look):
    """The age given to :func:`look_to`."""
    return look >> _AGE & 0xF
