"""Making a position anew from what does not follow from anything else: the tiles as they lie, where the gnomes are, and so on.

``given`` is a record whose numbers are in range and whose pieces can be where they are; ``state`` becomes the one record of that
position. What does not follow is what a state dict has: the garden is laid again tile by tile, so paths, rings and open cells
are numbered as they were when it was laid in a game.
"""

import numpy as np

from envs.engine import inline, jit, merged
from envs.engine.fields import place_of
from envs.mushroom_rings.garden.claims import claim, first_part
from envs.mushroom_rings.garden.laying import add_tile
from envs.mushroom_rings.garden.open_cells import find_meetings, open_slot
from envs.mushroom_rings.garden.tile_codes import note_look
from envs.mushroom_rings.rules.bonuses import next_ring
from envs.mushroom_rings.rules.decisions import clear
from envs.mushroom_rings.rules.placing import clear_placement, matching_orientations
from envs.mushroom_rings.rules.turns import num_seats
from envs.mushroom_rings.state import (
    AT_PATH,
    AT_RING,
    CELL,
    DISCARD,
    GNOMES,
    LEAVE,
    NONE,
    NUM_COLORS,
    NUM_KINDS,
    OFFER,
    ORIENTATION,
    OWED,
    PLACE,
    PLACING,
    RING_DONE,
    RINGS,
    SLOT,
    STORAGE,
    TAKE,
    WILDFLOWER,
)
from envs.mushroom_rings.validity.hands import keep_options, unfit_hand
from envs.mushroom_rings.validity.pieces import misplaced
from envs.mushroom_rings.validity.ranges import out_of_range


@merged
def rebuild(given, rules, state):
    """Makes the position of a record of any bytes anew.

    Returns 0, or 1 + the place of a field of ``given`` that is impossible, and then ``state`` is of no use; but where a tile does
    not fit (``num_laid``), it holds the garden up to there.
    """
    fault = out_of_range(given, rules) or misplaced(given, rules)
    if fault != 0:
        return fault
    lay_garden(given, rules, state)
    if state["num_laid"] < given["num_laid"]:
        return place_of(given, "num_laid")
    if state["num_rings"] != given["num_rings"]:
        return place_of(given, "num_rings")
    _copy_course(given, state)
    _copy_hand(given, state)
    _copy_pieces(given, rules, state)
    fault = _copy_rings(given, state) or _copy_gnomes(given, rules, state) or unfit_hand(state, rules)
    if fault != 0:
        return fault
    _find_step(given, rules, state)
    if state["turn_step"] == GNOMES and next_ring(state) != NONE:
        return place_of(given, "ring_closed")
    return 0 if keep_options(state, rules) else place_of(given, "options")


# --- The garden ---------------------------------------------------------------------------------------------------------


@jit
def lay_garden(given, rules, state):
    """Clears a table and lays a garden again, up to the first tile that does not fit; nobody claims anything."""
    clear(state, rules)
    for index in range(given["num_laid"]):
        state["hand_tile"] = given["tile"][index]
        state["hand_cell"] = given["cell"][index]
        state["hand_orientation"] = given["orientation"][index]
        if index > 0 and not _fits(state, rules):
            break
        add_tile(state, rules)
    clear_placement(state)
    for index in range(state["num_laid"]):
        note_look(state, index)
    find_meetings(state, rules)


@inline
def _fits(state, rules):
    """Whether the tile in hand lies beside a laid one and matches."""
    slot = open_slot(state["place"][state["hand_cell"]])
    if slot < 0:
        return False
    matching = matching_orientations(rules, state["hand_tile"], state["open_code"][slot])
    return matching >> state["hand_orientation"] & 1 != 0


@jit
def _copy_rings(given, state):
    """What became of the rings; a signpost is in one ring, and a ring that is still to score has none yet."""
    for ring in range(given["num_rings"]):
        signpost = np.int64(given["ring_signpost"][ring])
        state["ring_owner"][ring] = given["ring_owner"][ring]
        state["ring_waiting"][ring] = given["ring_waiting"][ring]
        state["ring_owed"][ring] = given["ring_owed"][ring]
        state["ring_closed"][ring] = given["ring_closed"][ring]
        state["ring_signpost"][ring] = signpost
        if signpost != NONE:
            if state["signpost_ring"][signpost] != NONE or _is_to_score(state, ring):
                return place_of(given, "ring_signpost")
            state["signpost_ring"][signpost] = ring
    return 0


@inline
def _is_to_score(state, ring):
    """Whether the scoring of a ring has not come to its bonus yet."""
    if ring == state["hand_ring"] and state["phase"] in (TAKE, DISCARD):
        return False
    return state["ring_owed"][ring] or state["ring_closed"][ring]


@jit
def _copy_gnomes(given, rules, state):
    """A gnome on a path claims the path of the first part that is the gnome's."""
    for gnome in range(len(given["gnome_at"])):
        state["gnome_at"][gnome] = given["gnome_at"][gnome]
        if given["gnome_at"][gnome] == AT_RING:
            ring = np.int64(given["gnome_ring"][gnome])
            state["gnome_ring"][gnome] = ring
            state["gnome_cell"][gnome] = state["cell"][state["ring_tile"][ring]]
        elif given["gnome_at"][gnome] == AT_PATH:
            part = first_part(given, gnome)
            if part == NONE or state["path"][part] == NONE or state["gnome_of"][part] != NONE:
                return place_of(given, "gnome_of")
            claim(state, rules, gnome, np.int64(state["path"][part]))
    return 0


# --- Everything else ----------------------------------------------------------------------------------------------------


@jit
def _copy_course(given, state):
    state["rng"] = given["rng"]
    state["decisions"] = given["decisions"]
    state["current_player"] = given["current_player"]
    state["phase"] = given["phase"]
    state["turn_player"] = given["turn_player"]
    state["first_player"] = given["first_player"]
    state["round"] = given["round"]
    state["ending"] = bool(given["ending"])
    state["last_moves"] = bool(given["last_moves"])
    state["laid"] = given["laid"]
    state["refused"] = bool(given["refused"])


@jit
def _copy_hand(given, state):
    state["hand_tile"] = given["hand_tile"]
    state["hand_orientation"] = given["hand_orientation"]
    state["hand_ring"] = given["hand_ring"]
    state["hand_gnome"] = given["hand_gnome"]
    state["hand_place"] = given["hand_place"]
    state["hand_sold"] = given["hand_sold"]
    state["hand_cell"] = given["hand_cell"]
    state["num_picked"] = given["num_picked"]
    for i in range(given["num_picked"]):
        state["picked"][i] = given["picked"][i]


@jit
def _copy_pieces(given, rules, state):
    state["top"] = given["top"]
    state["pile"][:] = 0
    for i in range(given["top"], len(given["pile"])):
        state["pile"][i] = given["pile"][i]
        state["unseen"][rules["type"][given["pile"][i]]] += 1
    for slot in range(OFFER):
        state["offer"][slot] = given["offer"][slot]
    for kind in range(NUM_KINDS):
        state["flower_market"][kind] = given["flower_market"][kind]
        state["wildflowers"][kind] = given["wildflowers"][kind]
    for color in range(NUM_COLORS):
        state["blocked"][color] = given["blocked"][color]
        state["blockers"][color] = given["blockers"][color]
    for p in range(num_seats(state)):
        _copy_player(given, state, p)


@jit
def _copy_player(given, state, p):
    for color in range(NUM_COLORS):
        state["mushrooms"][p, color] = given["mushrooms"][p, color]
    state["treasure"][p] = given["treasure"][p]
    state["flowers"][p] = given["flowers"][p]
    for kind in range(NUM_KINDS):
        state["num_flowers"][p] += np.int64(given["flowers"][p]) >> kind & 1
    state["num_markers"][p] = given["num_markers"][p]
    for i in range(np.int64(given["num_markers"][p])):
        state["markers"][p, i] = given["markers"][p, i]
        state["slots"][p] |= np.int64(1) << np.int64(given["markers"][p, i])
    state["storage_size"][p] = given["storage_size"][p]
    for slot in range(np.int64(given["storage_size"][p])):
        state["storage"][p, slot] = given["storage"][p, slot]


@jit
def _find_step(given, rules, state):
    """Works out which step of the turn, and what of a ring, goes on.

    Owed rings are scored before anything is laid or refused, those of the turn after it. Who laid nothing from the offer has
    triggered the end by that, so after it nothing tells the two apart, and the turn goes on from where ``given`` says.
    """
    state["turn_step"] = GNOMES
    if state["phase"] in (PLACE, CELL, ORIENTATION, LEAVE):
        state["turn_step"] = PLACING
    elif state["hand_ring"] != NONE:
        may_have_laid = state["ending"] and not state["last_moves"] and given["turn_step"] == RINGS
        state["turn_step"] = RINGS if state["laid"] > 0 or state["refused"] or may_have_laid else OWED
        state["ring_step"] = RING_DONE if state["phase"] == SLOT or _ends_ring(state, rules) else WILDFLOWER


@inline
def _ends_ring(state, rules):
    """Whether the tile to discard for is a wildflower, which is the last bonus of a ring."""
    third = np.int64(state["storage"][state["turn_player"], STORAGE])
    return state["phase"] == DISCARD and third >= rules["first_wildflower"]
