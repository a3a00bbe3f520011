"""Whether the pieces of a position can be where they are: no piece is in two places, no player has too many.

The record may hold anything whose numbers are in range. Each function returns 0, or 1 + the place of a field that is wrong.
"""

import numpy as np

from envs.engine import inline, jit
from envs.engine.fields import place_of
from envs.mushroom_rings.rules.turns import num_seats
from envs.mushroom_rings.state import (
    CELL,
    DISCARD,
    LEAVE,
    NONE,
    NUM_COLORS,
    NUM_KINDS,
    NUM_SIZES,
    OFFER,
    ORIENTATION,
    PLACE,
    STORAGE,
    TRADE,
)

_WORD = 64  # bits


@jit
def misplaced(state, rules):
    """0 if all pieces can be where they are, else 1 + the place of a field with one that cannot."""
    return _last_moves(state) or _tiles(state, rules) or _storage(state) or _flowers(state, rules) or _blockers(state, rules)


@jit
def _last_moves(state):
    """End: after the last round no tile is laid any more."""
    if state["last_moves"]:
        if state["phase"] in (PLACE, CELL, ORIENTATION, LEAVE):
            return place_of(state, "phase")
        if state["laid"] > 0:
            return place_of(state, "laid")
        if state["refused"]:
            return place_of(state, "refused")
    return 0


# --- Tiles --------------------------------------------------------------------------------------------------------------


@inline
def _with(low, high, tile):
    """Two words with a bit for each tile, after a tile's was set; and whether it was set before."""
    if tile < _WORD:
        bit = np.int64(1) << tile
        return low | bit, high, low & bit != 0
    bit = np.int64(1) << tile - _WORD
    return low, high | bit, high & bit != 0


@jit
def _tiles(state, rules):
    """Each tile is in one place, and a wildflower tile that has not left its flowers in none."""
    low, high = np.int64(0), np.int64(0)
    for i in range(state["top"], len(state["pile"])):
        low, high, again = _with(low, high, np.int64(state["pile"][i]))
        if again:
            return place_of(state, "pile")
    for slot in range(OFFER):
        if state["offer"][slot] != NONE:
            low, high, again = _with(low, high, np.int64(state["offer"][slot]))
            if again:
                return place_of(state, "offer")
    for index in range(state["num_laid"]):
        low, high, again = _with(low, high, np.int64(state["tile"][index]))
        if again:
            return place_of(state, "tile")
    for p in range(num_seats(state)):
        for slot in range(np.int64(state["storage_size"][p])):
            low, high, again = _with(low, high, np.int64(state["storage"][p, slot]))
            if again:
                return place_of(state, "storage")
    if state["phase"] == TRADE and state["hand_tile"] != NONE:
        low, high, again = _with(low, high, state["hand_tile"])
        if again:
            return place_of(state, "hand_tile")
    for kind in range(NUM_KINDS):
        _, _, has_left = _with(low, high, rules["first_wildflower"] + kind)
        if has_left and state["wildflowers"][kind] != NONE:
            return place_of(state, "wildflowers")
    return 0


@jit
def _storage(state):
    """A third tile is in the storage only while its owner chooses which to discard."""
    for p in range(num_seats(state)):
        discards = state["phase"] == DISCARD and p == state["turn_player"]
        if discards != (state["storage_size"][p] > STORAGE):
            return place_of(state, "storage_size")
    return 0


# --- Flowers and blockers -----------------------------------------------------------------------------------------------


@jit
def _flowers(state, rules):
    """The flowers of a kind lie on their wildflower tile, or in the market and with players, and are no more than tokens."""
    for kind in range(NUM_KINDS):
        owners = np.int64(0)
        for p in range(num_seats(state)):
            owners += np.int64(state["flowers"][p]) >> kind & 1
        is_on_tile = state["wildflowers"][kind] != NONE
        if is_on_tile and owners > 0:
            return place_of(state, "flowers")
        if owners + state["flower_market"][kind] > (0 if is_on_tile else rules["tokens"]):
            return place_of(state, "flower_market")
    return 0


@jit
def _blockers(state, rules):
    """Stump: a blocker is left or on a space, and never on that of the pair."""
    for color in range(NUM_COLORS):
        blockers, blocked = np.int64(state["blockers"][color]), np.int64(state["blocked"][color])
        for n in range(NUM_SIZES):
            if blocked >> n & 1:
                blockers += 1
                if rules["is_never_blocked"][n]:
                    return place_of(state, "blocked")
        if blockers > rules["blockers"][color]:
            return place_of(state, "blockers")
    return 0
