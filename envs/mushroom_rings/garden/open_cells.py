"""The open cells, on which a tile may lie, and what a tile on them must match (rule text: A turn 1)."""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.garden.paths import is_wildflower, opposite, path_across
from envs.mushroom_rings.state import EDGES, FIRST_OPEN


@inline
def is_open(place):
    """Whether the entry of a cell in ``place`` says that it is open."""
    return place <= FIRST_OPEN


@inline
def open_slot(place):
    """Which of the open cells a cell is, by its entry in ``place``; negative where it is none."""
    return FIRST_OPEN - np.int64(place)


@inline
def place_of_slot(slot):
    """The entry in ``place`` of an open cell."""
    return FIRST_OPEN - slot


@inline
def cover(state, cell, index):
    """Takes a cell out of the open ones; the last of these fills the gap."""
    slot = open_slot(state["place"][cell])
    state["place"][cell] = index
    if slot < 0:
        return  # the stump lies on a cell that was never open
    state["num_open"] -= 1
    last = state["num_open"]
    if slot != last:
        state["open_cell"][slot] = state["open_cell"][last]
        state["open_code"][slot] = state["open_code"][last]
        state["open_ends"][slot] = state["open_ends"][last]
        state["open_claims"][slot] = state["open_claims"][last]
        state["open_meets"][slot] = state["open_meets"][last]
        state["place"][state["open_cell"][slot]] = place_of_slot(slot)
    state["open_cell"][last] = 0
    state["open_code"][last] = 0
    state["open_ends"][last] = 0
    state["open_claims"][last] = 0
    state["open_meets"][last] = 0


@inline
def open_neighbors(state, rules, cell, index):
    """Tells the empty cells beside a new tile what a tile on them must match; a hub matches anything."""
    tile, orientation = np.int64(state["tile"][index]), np.int64(state["orientation"][index])
    hub = is_wildflower(rules, tile)
    digit = 1  # of the edge that faces the tile, in base 3
    for facing in range(EDGES):
        edge = opposite(facing)
        beside = np.int64(rules["neighbor"][cell, edge])
        if beside >= 0 and state["place"][beside] < 0:
            slot = _open(state, beside)
            green = rules["edge_segment"][tile, orientation, edge] < 0
            if not hub:
                state["open_code"][slot] += digit * (2 if green else 1)
            if not green:
                state["open_ends"][slot] |= 1 << facing
        digit *= 3


@inline
def _open(state, cell):
    """The place of an empty cell among the open ones; it becomes one if it is not."""
    slot = open_slot(state["place"][cell])
    if slot < 0:
        slot = state["num_open"]
        state["num_open"] += 1
        state["place"][cell] = place_of_slot(slot)
        state["open_cell"][slot] = cell
    return slot


@jit
def find_meetings(state, rules):
    """Marks edges of open cells that face the same path: a tile that joins them closes a ring."""
    for slot in range(state["num_open"]):
        _find_meetings_at(state, rules, slot)


@jit
def find_meetings_beside(state, rules, cell):
    """The same for the open cells beside a new tile: when no paths but its own have changed, these are all that can."""
    for edge in range(EDGES):
        beside = np.int64(rules["neighbor"][cell, edge])
        if beside >= 0 and is_open(state["place"][beside]):
            _find_meetings_at(state, rules, open_slot(state["place"][beside]))


@jit
def _find_meetings_at(state, rules, slot):
    ends = np.int64(state["open_ends"][slot])
    if ends & (ends - 1):
        state["open_meets"][slot] = _meeting_edges(state, rules, np.int64(state["open_cell"][slot]), ends)


@inline
def _meeting_edges(state, rules, cell, ends):
    meeting = 0
    for edge in range(EDGES):
        if ends >> edge & 1:
            path = path_across(state, rules, cell, edge)
            for other in range(edge):
                if ends >> other & 1 and path_across(state, rules, cell, other) == path:
                    meeting |= 1 << edge | 1 << other
    return meeting
