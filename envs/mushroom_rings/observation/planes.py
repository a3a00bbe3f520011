"""The garden as planes: what every cell of the table shows to a seat, the numbers of a cell side by side."""

import numpy as np

from envs.engine import inline, jit
from envs.engine.one_hot import ONE, ZERO
from envs.mushroom_rings.garden.paths import part_across
from envs.mushroom_rings.garden.tile_codes import (
    CELL_BITS,
    NO_PATH,
    UNCLAIMED,
    age_of,
    cell_of,
    claim_of,
    is_used,
    look_to,
    orientation_of,
    tile_of,
)
from envs.mushroom_rings.state import EDGES, NONE, NUM_COLORS, PLANES, SEGMENTS, max_open_cells

LAID, JOINS, CLAIMS = 0, 1, 1 + EDGES
COLORS = CLAIMS + SEGMENTS
CHOSEN = COLORS + NUM_COLORS
assert PLANES == CHOSEN + 1
RECENT_TILES = 8

_AGE = np.float32(0.5 / RECENT_TILES)

# A trace tells what the planes show: how many tiles, the cell chosen, how many cells where a path meets itself; then the looks
# of the tiles, then those cells. The number of tiles is 0 as long as it is not known, for the stump is always there.
_TILES, _CHOSEN, _MEETINGS, _LOOKS = 0, 1, 2, 3


def trace_size(num_tiles: int) -> int:
    """Numbers of a trace.

    Args:
        num_tiles: Most tiles in the garden.
    """
    return _LOOKS + num_tiles + max_open_cells(num_tiles)


@inline
def planes_end(state):
    """Numbers of the planes: a table of radius R has 1 + 3 R (R + 1) cells and an axial square of side 2 R + 1."""
    side = 1
    while 3 * side * side + 1 < 4 * len(state["place"]):
        side += 2
    return side * side * PLANES


@jit
def write_planes(state, rules, seat, out):
    """Writes the planes as a whole."""
    out[: planes_end(state)] = ZERO
    for index in range(state["num_laid"]):
        _write_tile(rules, seat, _look(state, seat, index), out)
    for slot in range(state["num_open"]):
        if state["open_meets"][slot]:
            _write_meeting(state, rules, seat, slot, out)
    if state["hand_cell"] != NONE:
        out[_square(rules, state["hand_cell"]) + CHOSEN] = ONE


@jit
def rewrite_planes(state, rules, seat, out, trace):
    """Brings planes up to date of which a trace tells what they show.

    Most decisions change no tile, and to write a hundred cells that lie far apart takes longer than all other sections.
    """
    laid = state["num_laid"]
    if not _is_continued(state, trace):
        out[: planes_end(state)] = ZERO
        trace[:] = 0
    elif trace[_CHOSEN] >= 0:
        out[_square(rules, trace[_CHOSEN]) + CHOSEN] = ZERO
    meetings = _LOOKS + len(state["tile"])
    for i in range(meetings, meetings + trace[_MEETINGS]):
        _clear_cell(rules, trace[i], out)
    for index in range(laid):
        look = _look(state, seat, index)
        if trace[_LOOKS + index] != look:
            trace[_LOOKS + index] = look
            _write_tile(rules, seat, look, out)
    trace[_TILES] = laid
    trace[_MEETINGS] = _rewrite_meetings(state, rules, seat, out, trace, meetings)
    trace[_CHOSEN] = state["hand_cell"]
    if state["hand_cell"] != NONE:
        out[_square(rules, state["hand_cell"]) + CHOSEN] = ONE


@inline
def _is_continued(state, trace):
    """Whether the tiles shown lie where they lay, so that no cell shows a tile that is not there."""
    if trace[_TILES] == 0 or trace[_TILES] > state["num_laid"]:
        return False
    moved = np.int64(0)
    for index in range(trace[_TILES]):
        moved |= trace[_LOOKS + index] ^ state["look"][index]
    return moved & CELL_BITS == 0


@inline
def _rewrite_meetings(state, rules, seat, out, trace, place):
    """Writes the cells where a path meets itself and traces them; returns how many."""
    count = 0
    for slot in range(state["num_open"]):
        if state["open_meets"][slot]:
            _write_meeting(state, rules, seat, slot, out)
            trace[place + count] = state["open_cell"][slot]
            count += 1
    return count


@inline
def _square(rules, cell):
    """Where the numbers of a cell begin."""
    return np.int64(rules["square"][cell])


@inline
def _clear_cell(rules, cell, out):
    k = _square(rules, cell)
    for i in range(PLANES):
        out[k + i] = ZERO


@inline
def _look(state, seat, index):
    return look_to(state["look"][index], seat, min(state["num_laid"] - 1 - index, RECENT_TILES))


@jit
def _write_tile(rules, seat, look, out):
    """Writes the cell of a laid tile, but for the number that tells whether it is chosen."""
    k, tile, orientation = _square(rules, cell_of(look)), tile_of(look), orientation_of(look)
    out[k + LAID] = ONE - np.float32(age_of(look)) * _AGE
    for edge in range(EDGES):
        # Without a branch, for which edges are path is as good as random.
        segment = rules["edge_share"][tile, orientation, edge]
        out[k + JOINS + edge] = -segment if is_used(look, edge) else segment
    for s in range(SEGMENTS):
        out[k + CLAIMS + s] = rules["claims"][seat, claim_of(look, s)]
    for color in range(NUM_COLORS):
        number = ZERO
        for s in range(SEGMENTS):
            number += rules["segment_colors"][tile, s, color] if claim_of(look, s) != NO_PATH else ZERO
        out[k + COLORS + color] = number


@jit
def _write_meeting(state, rules, seat, slot, out):
    """Writes at which edges of an empty cell a path meets itself, so that a tile can close a ring, and whose it is."""
    meets, cell = np.int64(state["open_meets"][slot]), np.int64(state["open_cell"][slot])
    k, claimed = _square(rules, cell), meets & np.int64(state["open_claims"][slot])
    for edge in range(EDGES):
        out[k + JOINS + edge] = np.float32(meets >> edge & 1)
    out[k + CLAIMS] = _meeting_claim(state, rules, seat, cell, claimed) if claimed else rules["claims"][seat, UNCLAIMED]


@jit
def _meeting_claim(state, rules, seat, cell, edges):
    """Whose the claimed path at the lowest of some edges (bits) of a cell is."""
    edge = 0
    while not edges >> edge & 1:
        edge += 1
    return rules["claims"][seat, np.int64(state["gnome_of"][part_across(state, rules, cell, edge)]) + 2]
