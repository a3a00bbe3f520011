"""Kernels for the words about a game: laying a garden again, and trying out a tile."""

import numpy as np

from envs import engine
from envs.mushroom_rings.garden.claims import claim
from envs.mushroom_rings.garden.laying import lay
from envs.mushroom_rings.garden.open_cells import is_open, open_slot
from envs.mushroom_rings.garden.paths import part_at
from envs.mushroom_rings.rules.decisions import choices, clear
from envs.mushroom_rings.rules.gnomes import mark_places
from envs.mushroom_rings.rules.placing import mark_cells
from envs.mushroom_rings.state import CELL, NONE, WHERE


@engine.kernel
def lay_again(records, rules, tiles, cells, orientations):
    """Clears a table and lays tiles in order; returns how many lay beside a laid tile and matched."""
    state = records[0]
    clear(state, rules[0])
    for i in range(len(tiles)):
        if i > 0 and not _matches(state, rules[0], tiles[i], cells[i], orientations[i]):
            return i
        state["hand_tile"], state["hand_cell"], state["hand_orientation"] = tiles[i], cells[i], orientations[i]
        lay(state, rules[0])
    state["hand_tile"], state["hand_cell"], state["hand_orientation"] = NONE, NONE, NONE
    return len(tiles)


@engine.jit
def _matches(state, rules, tile, cell, orientation):
    if not is_open(state["place"][cell]):
        return False
    slot = open_slot(state["place"][cell])
    return rules["fits"][rules["mask"][tile], state["open_code"][slot]] & rules["distinct"][tile] & 1 << orientation != 0


@engine.kernel
def claim_again(records, rules, gnome, index, edge):
    """Makes the path at an edge of a laid tile a gnome's; false if there is none or it is claimed."""
    state = records[0]
    part = part_at(state, rules[0], index, edge)
    if part == NONE or state["gnome_of"][part] != NONE:
        return False
    claim(state, rules[0], gnome, np.int64(state["path"][part]))
    return True


@engine.kernel
def keep_options(records, rules, masks):
    """Works out the choices of the phase in hand; returns whether there are two or more. The mask is all zeros."""
    state, mask = records[0], masks[0]["row"]
    state["options"] = 0
    if state["phase"] == CELL:
        mark_cells(state, rules[0], mask)
        return mask.sum() > 1
    if state["phase"] == WHERE:
        mark_places(state, rules[0], mask)
        return mask.sum() > 1
    options = choices(state, rules[0])
    state["options"] = options
    return options & (options - 1) != 0


@engine.kernel
def lay_in_hand(records, rules):
    """Lays the tile in hand and nothing more."""
    lay(records[0], rules[0])
