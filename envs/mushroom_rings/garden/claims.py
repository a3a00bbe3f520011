"""Which paths gnomes claim (rule text: Ban and leave)."""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.garden.open_cells import is_open, open_slot
from envs.mushroom_rings.garden.paths import num_parts, opposite, part_across
from envs.mushroom_rings.garden.tile_codes import note_look
from envs.mushroom_rings.state import AT_RING, EDGES, NONE, SEGMENTS


@jit
def gnomes_at(state, rules, cell, edges):
    """Bits of the gnomes that claim the paths which end at some edges (bits) of a cell."""
    gnomes = np.int64(0)
    for edge in range(EDGES):
        if edges >> edge & 1:
            part = part_across(state, rules, cell, edge)
            if part != NONE and state["gnome_of"][part] != NONE:
                gnomes |= 1 << np.int64(state["gnome_of"][part])
    return gnomes


@jit
def settle_claims(state, rules, gnomes):
    """A gnome that went into a ring gives up the rest of its path; any other has all that was joined to its own."""
    for gnome in range(len(state["gnome_at"])):
        if gnomes >> gnome & 1:
            if state["gnome_at"][gnome] == AT_RING:
                unclaim(state, rules, gnome)
            else:
                claim(state, rules, gnome, np.int64(state["path"][first_part(state, gnome)]))


@jit
def first_part(state, gnome):
    """The first part of the path that a gnome claims."""
    for part in range(num_parts(state)):
        if state["gnome_of"][part] == gnome:
            return part
    return NONE


@jit
def claim(state, rules, gnome, path):
    """Makes a path a gnome's."""
    state["gnome_cell"][gnome] = state["cell"][path // SEGMENTS]
    for part in range(num_parts(state)):
        if state["path"][part] == path:
            state["gnome_of"][part] = gnome
            _show_claim(state, rules, part)


@jit
def unclaim(state, rules, gnome):
    """Gives up all that a gnome claims."""
    for part in range(num_parts(state)):
        if state["gnome_of"][part] == gnome:
            state["gnome_of"][part] = NONE
            _show_claim(state, rules, part)


@inline
def _show_claim(state, rules, part):
    """Tells the open cells at a part's ends whether it is claimed, and notes how its tile looks now."""
    claimed = state["gnome_of"][part] != NONE
    index, segment = part // SEGMENTS, part % SEGMENTS
    note_look(state, index)
    tile, orientation = np.int64(state["tile"][index]), np.int64(state["orientation"][index])
    for edge in range(EDGES):
        if rules["edge_segment"][tile, orientation, edge] == segment:
            beside = np.int64(rules["neighbor"][state["cell"][index], edge])
            if beside >= 0 and is_open(state["place"][beside]):
                slot, bit = open_slot(state["place"][beside]), 1 << opposite(edge)
                claims = np.int64(state["open_claims"][slot]) & ~bit
                state["open_claims"][slot] = claims | (bit if claimed else 0)
