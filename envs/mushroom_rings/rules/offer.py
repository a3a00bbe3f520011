"""The pile, the offer and the players' storage (rule text: A turn 2 and 3, End)."""

import numpy as np

from envs.engine import inline, jit, merged
from envs.mushroom_rings.garden.paths import is_wildflower
from envs.mushroom_rings.state import (
    DISCARD,
    GNOMES,
    NONE,
    NOTHING,
    OFFER,
    STORAGE,
    TO_SIGNPOST,
    TRADE,
)


@jit
def refill_offer(state, rules):
    """Fills the empty slots of the offer, slot by slot from 0."""
    for slot in range(OFFER):
        if state["offer"][slot] == NONE:
            state["offer"][slot] = draw_tile(state, rules)


@inline
def draw_tile(state, rules):
    """The next tile of the bag, then of those set aside; NONE when all are gone. The bag's last one triggers the end."""
    top = state["top"]
    if top == len(state["pile"]):
        return NONE
    tile = np.int64(state["pile"][top])
    state["pile"][top] = 0
    state["unseen"][rules["type"][tile]] -= 1
    state["top"] = top + 1
    if top + 1 == rules["bag_end"]:
        state["ending"] = True
    return tile


# --- Phase take ---------------------------------------------------------------------------------------------------------


@jit
def take_options(state, rules):
    """Tiles on offer."""
    options = np.int64(0)
    for slot in range(OFFER):
        options |= np.int64(state["offer"][slot] != NONE) << slot
    return options


@merged
def take_tile(state, rules, slot):
    """Tile: one from the offer, which is replaced at once; a visit to the signpost may trade it before it is stored."""
    tile = np.int64(state["offer"][slot])
    state["offer"][slot] = draw_tile(state, rules)
    if state["turn_step"] == GNOMES and rules["has_trades"][state["hand_place"] - TO_SIGNPOST]:
        state["hand_tile"] = tile
        state["phase"] = TRADE
    else:
        store(state, rules, tile)


# --- The storage, phase discard -----------------------------------------------------------------------------------------


@jit
def store(state, rules, tile):
    """A tile goes into the storage; one too many must be discarded, a second wildflower leaves the game unasked."""
    player = state["turn_player"]
    storage, size = state["storage"][player], np.int64(state["storage_size"][player])
    state["phase"] = NOTHING
    if is_wildflower(rules, tile):
        for slot in range(size):
            if is_wildflower(rules, np.int64(storage[slot])):
                return
    storage[size] = tile
    state["storage_size"][player] = size + 1
    if size == STORAGE:
        state["phase"] = DISCARD


@jit
def take_from_storage(state, player, slot):
    """A stored tile leaves the storage, the others move up."""
    storage = state["storage"][player]
    for i in range(slot, STORAGE):
        storage[i] = storage[i + 1]
    storage[STORAGE] = NONE
    state["storage_size"][player] -= 1


@merged
def discard_options(state, rules):
    """Any of the three tiles."""
    return (1 << STORAGE + 1) - 1


@merged
def discard(state, rules, slot):
    """The discarded tile leaves the game."""
    take_from_storage(state, state["turn_player"], slot)
    state["phase"] = NOTHING
