"""Whether the numbers of a record are in their ranges, looked at before anything is indexed with one of them.

Only those are looked at from which the others follow, and of a list the part in use: what follows is compared with what it
must be (see ``validity``). Each function returns 0, or 1 + the place of the first field with a number out of range.
"""

import numpy as np

from envs.engine import NO_PLAYER, jit
from envs.engine.fields import place_of
from envs.mushroom_rings.rules.turns import num_seats
from envs.mushroom_rings.state import (
    AT_RING,
    AT_STUMP,
    IN_HAND,
    LEAVE,
    MAX_PICKS,
    MOST,
    NONE,
    NUM_COLORS,
    NUM_GNOMES,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SIGNPOSTS,
    NUM_SIZES,
    NUM_SLOTS,
    OFFER,
    ORIENTATIONS,
    OVER,
    PLACE,
    STORAGE,
    STUMP,
    TILES_PER_TURN,
    TO_STUMP,
)


@jit
def out_of_range(state, rules):
    """Of a record of any bytes: 0 if all is in range, else 1 + the place of the first field that is not."""
    return (
        _course(state)
        or _hand(state, rules)
        or _pile(state)
        or _garden(state, rules)
        or _rings(state)
        or _markets(state, rules)
        or _players(state, rules)
    )


@jit
def _course(state):
    last_seat = num_seats(state) - 1
    if not PLACE <= state["phase"] <= OVER:
        return place_of(state, "phase")
    if not 0 <= state["turn_player"] <= last_seat:
        return place_of(state, "turn_player")
    if not 0 <= state["first_player"] <= last_seat:
        return place_of(state, "first_player")
    if not _may_be_to_act(state, np.int64(state["current_player"])):
        return place_of(state, "current_player")
    if not 1 <= state["round"] <= MOST:
        return place_of(state, "round")
    if not 0 <= state["laid"] <= TILES_PER_TURN:
        return place_of(state, "laid")
    return 0


@jit
def _may_be_to_act(state, player):
    """The turn player; asked for leave, any other; nobody when the game is over or was forfeited."""
    if player == NO_PLAYER or state["phase"] == OVER:
        return player == NO_PLAYER
    if state["phase"] == LEAVE:
        return 0 <= player < num_seats(state)
    return player == state["turn_player"]


@jit
def _hand(state, rules):
    if state["hand_tile"] != NONE and not STUMP < state["hand_tile"] < len(rules["segments"]):
        return place_of(state, "hand_tile")
    if not NONE <= state["hand_orientation"] < ORIENTATIONS:
        return place_of(state, "hand_orientation")
    if not 0 <= state["num_rings"] <= len(state["ring_size"]):
        return place_of(state, "num_rings")
    if not NONE <= state["hand_ring"] < state["num_rings"]:
        return place_of(state, "hand_ring")
    if not NONE <= state["hand_gnome"] < NUM_GNOMES:
        return place_of(state, "hand_gnome")
    if not NONE <= state["hand_place"] <= TO_STUMP:
        return place_of(state, "hand_place")
    if not NONE <= state["hand_sold"] < NUM_COLORS:
        return place_of(state, "hand_sold")
    if not NONE <= state["hand_cell"] < len(state["place"]):
        return place_of(state, "hand_cell")
    if not 0 <= state["num_picked"] <= MAX_PICKS:
        return place_of(state, "num_picked")
    for i in range(state["num_picked"]):
        if not 0 <= state["picked"][i] < NUM_COLORS:
            return place_of(state, "picked")
    return 0


@jit
def _pile(state):
    tiles = len(state["pile"])
    if not 0 <= state["top"] <= tiles:
        return place_of(state, "top")
    for i in range(state["top"], tiles):
        if not STUMP < state["pile"][i] <= tiles:
            return place_of(state, "pile")
    for slot in range(OFFER):
        if state["offer"][slot] != NONE and not STUMP < state["offer"][slot] <= tiles:
            return place_of(state, "offer")
    return 0


@jit
def _garden(state, rules):
    if not 1 <= state["num_laid"] <= len(state["tile"]):
        return place_of(state, "num_laid")
    if state["tile"][0] != STUMP:
        return place_of(state, "tile")
    if state["orientation"][0] != 0:
        return place_of(state, "orientation")
    if state["cell"][0] != rules["origin"]:
        return place_of(state, "cell")
    for index in range(1, state["num_laid"]):
        if not STUMP < state["tile"][index] < len(rules["segments"]):
            return place_of(state, "tile")
        if not 0 <= state["orientation"][index] < ORIENTATIONS:
            return place_of(state, "orientation")
        if not 0 <= state["cell"][index] < len(state["place"]):
            return place_of(state, "cell")
    return 0


@jit
def _rings(state):
    for ring in range(state["num_rings"]):
        if not NONE <= state["ring_owner"][ring] < num_seats(state):
            return place_of(state, "ring_owner")
        if not 0 <= state["ring_waiting"][ring] <= 1:
            return place_of(state, "ring_waiting")
        if not 0 <= state["ring_owed"][ring] <= 1:
            return place_of(state, "ring_owed")
        if not 0 <= state["ring_closed"][ring] <= 1:
            return place_of(state, "ring_closed")
        if not NONE <= state["ring_signpost"][ring] < NUM_SIGNPOSTS:
            return place_of(state, "ring_signpost")
    return 0


@jit
def _markets(state, rules):
    for kind in range(NUM_KINDS):
        if not 0 <= state["flower_market"][kind] <= rules["tokens"]:
            return place_of(state, "flower_market")
        if state["wildflowers"][kind] != NONE and not 0 < state["wildflowers"][kind] <= rules["tokens"]:
            return place_of(state, "wildflowers")
    for color in range(NUM_COLORS):
        if not 0 <= state["blocked"][color] < 1 << NUM_SIZES:
            return place_of(state, "blocked")
        if state["blockers"][color] < 0:
            return place_of(state, "blockers")
    return 0


@jit
def _players(state, rules):
    for p in range(num_seats(state)):
        for color in range(NUM_COLORS):
            if not 0 <= state["mushrooms"][p, color] <= MOST:
                return place_of(state, "mushrooms")
        if not 0 <= state["flowers"][p] < 1 << NUM_KINDS:
            return place_of(state, "flowers")
        if not 0 <= state["num_markers"][p] <= NUM_MARKERS:
            return place_of(state, "num_markers")
        for i in range(np.int64(state["num_markers"][p])):
            if not 0 <= state["markers"][p, i] < NUM_SLOTS:
                return place_of(state, "markers")
        if not 0 <= state["storage_size"][p] <= STORAGE + 1:
            return place_of(state, "storage_size")
        for slot in range(np.int64(state["storage_size"][p])):
            if not STUMP < state["storage"][p, slot] < len(rules["segments"]):
                return place_of(state, "storage")
        if not 0 <= state["treasure"][p] <= MOST:
            return place_of(state, "treasure")
    return _gnomes(state)


@jit
def _gnomes(state):
    for gnome in range(len(state["gnome_at"])):
        if not IN_HAND <= state["gnome_at"][gnome] <= AT_STUMP:
            return place_of(state, "gnome_at")
        if state["gnome_at"][gnome] == AT_RING and not 0 <= state["gnome_ring"][gnome] < state["num_rings"]:
            return place_of(state, "gnome_ring")
    return 0
