"""What may be in hand: what the phase needs and nothing else, and only what fits the garden and the rings.

The record is one whose garden, rings and gnomes are all as they can be. Each function returns 0, or 1 + the place of a field
that is wrong.
"""

import numpy as np

from envs.engine import NO_PLAYER, inline, jit, merged
from envs.engine.fields import place_of
from envs.mushroom_rings.garden.open_cells import is_open
from envs.mushroom_rings.rules.bonuses import last_slot
from envs.mushroom_rings.rules.decisions import choices
from envs.mushroom_rings.rules.gnomes import destination_options, moving_gnome, only_place
from envs.mushroom_rings.rules.placing import has_place, only_cell, orientation_options, owners_to_ask
from envs.mushroom_rings.state import (
    AT_RING,
    CELL,
    DESTINATION,
    DISCARD,
    EDGE,
    LEAVE,
    MUSHROOM,
    MUSHROOM_BONUS,
    NONE,
    NUM_COLORS,
    NUM_MARKERS,
    OFFER,
    ORIENTATION,
    OVER,
    SALE,
    SIGNPOST,
    SLOT,
    STORED_CHOICE,
    TAKE,
    TILE_GIFT,
    TILES_PER_TURN,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    TRADE,
    WHERE,
)

HAND = ("tile", "cell", "orientation", "ring", "picked", "gnome", "place", "sold")
_TILE, _CELL, _ORIENTATION, _RING, _PICKED, _GNOME, _PLACE, _SOLD = (1 << i for i in range(len(HAND)))
_AT_PLACE = _GNOME | _PLACE
FITTING = np.zeros((OVER + 1, 2), np.int64)
"""By phase: the two choices of what is in hand together, as bits in the order of ``HAND``."""
FITTING[CELL] = _TILE
FITTING[ORIENTATION] = _TILE | _CELL
FITTING[LEAVE] = _TILE | _CELL | _ORIENTATION
FITTING[[SLOT, SIGNPOST]] = _RING
FITTING[MUSHROOM] = _RING, _RING | _PICKED
FITTING[[TAKE, DISCARD]] = _RING, _AT_PLACE
FITTING[DESTINATION] = _GNOME
FITTING[WHERE] = _AT_PLACE
FITTING[EDGE] = _AT_PLACE | _CELL
FITTING[SALE] = _AT_PLACE, _AT_PLACE | _SOLD
FITTING[TRADE] = _AT_PLACE, _AT_PLACE | _TILE


@jit
def unfit_hand(state, rules):
    """0 if what is in hand fits; sets ``hand_slot``, which follows from the tile in hand."""
    fault = _wrong_kind(state)
    if fault == 0 and state["phase"] in (CELL, ORIENTATION, LEAVE):
        fault = _tile_to_lay(state, rules)
    if fault == 0 and state["hand_ring"] != NONE:
        fault = _ring_to_score(state, rules)
    if fault == 0 and state["hand_place"] != NONE:
        fault = _destination(state, rules)
    return fault


@jit
def _wrong_kind(state):
    """Of what should be in hand and is not, or is and should not, the first field."""
    found = np.int64(state["hand_tile"] != NONE) * _TILE | np.int64(state["hand_cell"] != NONE) * _CELL
    found |= np.int64(state["hand_orientation"] != NONE) * _ORIENTATION | np.int64(state["hand_ring"] != NONE) * _RING
    found |= np.int64(state["num_picked"] != 0) * _PICKED | np.int64(state["hand_gnome"] != NONE) * _GNOME
    found |= np.int64(state["hand_place"] != NONE) * _PLACE | np.int64(state["hand_sold"] != NONE) * _SOLD
    wrong = found ^ FITTING[state["phase"], 0]
    if wrong == 0 or found == FITTING[state["phase"], 1]:
        return 0
    if wrong & _TILE:
        return place_of(state, "hand_tile")
    if wrong & _CELL:
        return place_of(state, "hand_cell")
    if wrong & _ORIENTATION:
        return place_of(state, "hand_orientation")
    if wrong & _RING:
        return place_of(state, "hand_ring")
    if wrong & _PICKED:
        return place_of(state, "num_picked")
    if wrong & _GNOME:
        return place_of(state, "hand_gnome")
    return place_of(state, "hand_place") if wrong & _PLACE else place_of(state, "hand_sold")


# --- A tile to lay ------------------------------------------------------------------------------------------------------


@jit
def _tile_to_lay(state, rules):
    """It is on offer or in the storage; its cell is empty; as it lies while leave is asked, it may lie."""
    state["hand_slot"] = _slot_of(state, state["hand_tile"])
    if state["hand_slot"] == NONE or (state["hand_slot"] < STORED_CHOICE and state["laid"] >= TILES_PER_TURN):
        return place_of(state, "hand_tile")
    if state["phase"] != CELL and not is_open(state["place"][state["hand_cell"]]):
        return place_of(state, "hand_cell")
    if state["phase"] == LEAVE:
        if not orientation_options(state, rules) >> state["hand_orientation"] & 1:
            return place_of(state, "hand_orientation")
        if state["current_player"] != NO_PLAYER and not _is_concerned(state, rules, np.int64(state["current_player"])):
            return place_of(state, "current_player")
    return 0


@inline
def _slot_of(state, tile):
    """Where a tile that is to be laid comes from, NONE if it is nowhere."""
    for slot in range(OFFER):
        if state["offer"][slot] == tile:
            return slot
    player = state["turn_player"]
    for slot in range(np.int64(state["storage_size"][player])):
        if state["storage"][player, slot] == tile:
            return STORED_CHOICE + slot
    return NONE


@inline
def _is_concerned(state, rules, player):
    return owners_to_ask(state, rules) >> player & 1


# --- A ring to score, a gnome on its way --------------------------------------------------------------------------------


@jit
def _ring_to_score(state, rules):
    """It is among those still to score; but for its slot a marker has moved for it, and for a choice of one there is one."""
    markers = state["num_markers"][state["turn_player"]]
    if not state["ring_closed"][state["hand_ring"]] or state["ring_owed"][state["hand_ring"]]:
        return place_of(state, "hand_ring")
    if markers == NUM_MARKERS if state["phase"] == SLOT else markers == 0:
        return place_of(state, "num_markers")
    return _picks(state, rules) if state["phase"] == MUSHROOM else 0


@jit
def _picks(state, rules):
    """Mushroom N: fewer than N have been picked again, each once, of a ring with more than N."""
    ring, number = state["hand_ring"], np.int64(rules["slot_mushrooms"][last_slot(state)])
    if rules["slot_bonus"][last_slot(state)] != MUSHROOM_BONUS:
        return place_of(state, "markers")
    printed = np.int64(0)
    for color in range(NUM_COLORS):
        left = np.int64(state["ring_mushrooms"][ring, color])
        printed += left
        for i in range(state["num_picked"]):
            left -= state["picked"][i] == color
        if left < 0:
            return place_of(state, "picked")
    if printed <= number:
        return place_of(state, "hand_ring")
    return place_of(state, "num_picked") if state["num_picked"] >= number else 0


@jit
def _destination(state, rules):
    """It is one that the phase is about; a gnome at a signpost is in its ring."""
    destination = state["hand_place"]
    if state["phase"] in (WHERE, EDGE):
        fits = destination in (TO_PATH, TO_RING)
        if fits and state["phase"] == EDGE and state["place"][state["hand_cell"]] < 0:
            return place_of(state, "hand_cell")
    elif state["phase"] == SALE:
        fits = destination == TO_STUMP
    else:
        fits = TO_SIGNPOST <= destination < TO_STUMP and _may_use(state, rules, destination - TO_SIGNPOST)
        if fits and state["hand_tile"] > len(state["pile"]):
            return place_of(state, "hand_tile")  # a wildflower, which is never on offer
    return 0 if fits else place_of(state, "hand_place")


@inline
def _may_use(state, rules, signpost):
    """The gnome is in its ring, and it gives tiles if there is one to take, discard or trade, or has trades."""
    gnome = moving_gnome(state)
    if state["gnome_at"][gnome] != AT_RING or state["ring_signpost"][state["gnome_ring"][gnome]] != signpost:
        return False
    if state["phase"] == TRADE and not rules["has_trades"][signpost]:
        return False
    has_no_tile = state["phase"] == TRADE and state["hand_tile"] == NONE
    return has_no_tile or rules["signpost_gives"][signpost, TILE_GIFT] > 0


# --- Choices ------------------------------------------------------------------------------------------------------------


@merged
def keep_options(state, rules):
    """Works out the choices of the phase in hand; returns whether there are two or more, or the game is over."""
    phase = state["phase"]
    state["options"] = 0
    if phase == OVER:
        return True
    if phase == CELL:
        return has_place(state, rules, state["hand_tile"]) and only_cell(state, rules) == NONE
    if phase == WHERE:
        return destination_options(state, rules) >> state["hand_place"] & 1 != 0 and only_place(state, rules) == NONE
    state["options"] = choices(state, rules)
    return state["options"] & (state["options"] - 1) != 0
