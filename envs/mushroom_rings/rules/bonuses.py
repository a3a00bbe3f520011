"""Steps 2 and 3 of a turn: a closed ring's mushrooms, its marker, and the bonuses (rule text: A turn 2 and 3)."""

import numpy as np

from envs.engine import inline, jit, merged
from envs.mushroom_rings.rules.market import gain_flower, take_flower
from envs.mushroom_rings.rules.offer import store, take_options
from envs.mushroom_rings.state import (
    BONUS,
    FLOWER_BONUS,
    FLOWER_GIFT,
    LARGEST_RING,
    MUSHROOM,
    MUSHROOM_BONUS,
    NO_RING,
    NONE,
    NOTHING,
    NUM_COLORS,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SIGNPOSTS,
    NUM_SLOTS,
    RING_DONE,
    SIGNPOST,
    SIGNPOST_BONUS,
    SLOT,
    TAKE,
    TILE_BONUS,
    TILE_GIFT,
    WILDFLOWER,
)

# --- A ring is scored ---------------------------------------------------------------------------------------------------


@inline
def next_ring(state):
    """The first ring still to score this turn, or NONE."""
    for ring in range(state["num_rings"]):
        if state["ring_closed"][ring]:
            return ring
    return NONE


@merged
def score_ring(state, rules, ring):
    """Rings: an owner takes the mushrooms, and a marker moves if there is one and a free slot for it."""
    player = state["turn_player"]
    state["hand_ring"] = ring
    state["ring_owed"][ring] = False
    if state["ring_owner"][ring] == player:
        take_mushrooms(state, ring)
    state["ring_step"] = RING_DONE
    if state["num_markers"][player] < NUM_MARKERS and slot_options(state, rules):
        state["phase"] = SLOT


@inline
def take_mushrooms(state, ring):
    """All mushrooms of a ring go to the player whose turn it is."""
    for color in range(NUM_COLORS):
        state["mushrooms"][state["turn_player"], color] += state["ring_mushrooms"][ring, color]


@merged
def go_on_scoring(state, rules):
    """What comes next for the ring being scored: its slot's bonus, the wildflower, or nothing."""
    if state["ring_step"] == BONUS:
        state["ring_step"] = WILDFLOWER
        _slot_bonus(state, rules)
    elif state["ring_step"] == WILDFLOWER:
        state["ring_step"] = RING_DONE
        if _has_wildflower_marker(state, rules):
            _wildflower_bonus(state, rules)
    else:
        _end_ring(state)


@inline
def _end_ring(state):
    state["ring_closed"][state["hand_ring"]] = False
    state["ring_step"] = NO_RING
    state["hand_ring"] = NONE


# --- Phase slot ---------------------------------------------------------------------------------------------------------


@jit
def slot_options(state, rules):
    """Free slots of the ring's column; of those with the same bonus and spaces the lowest."""
    column = min(np.int64(state["ring_size"][state["hand_ring"]]), LARGEST_RING)
    free, options = ~np.int64(state["slots"][state["turn_player"]]), 0
    for slot in range(NUM_SLOTS):
        if free >> slot & 1 and rules["slot_column"][slot] == column and not _is_repeated(rules, free, slot):
            options |= 1 << slot
    return options


@inline
def _is_repeated(rules, free, slot):
    """Whether a lower free slot of the same column has the same bonus and spaces."""
    for other in range(slot):
        if (
            free >> other & 1
            and rules["slot_column"][other] == rules["slot_column"][slot]
            and rules["slot_bonus"][other] == rules["slot_bonus"][slot]
            and rules["slot_mushrooms"][other] == rules["slot_mushrooms"][slot]
            and rules["slot_spaces"][other] == rules["slot_spaces"][slot]
        ):
            return True
    return False


@merged
def choose_slot(state, rules, slot):
    """Marker: the leftmost marker goes to the slot, two to a slot with two spaces; the last one triggers the end."""
    player = state["turn_player"]
    state["slots"][player] |= 1 << slot
    for _ in range(np.int64(rules["slot_spaces"][slot])):
        if state["num_markers"][player] < NUM_MARKERS:
            state["markers"][player, state["num_markers"][player]] = slot
            state["num_markers"][player] += 1
    if state["num_markers"][player] == NUM_MARKERS:
        state["ending"] = True
    state["ring_step"] = BONUS
    state["phase"] = NOTHING


# --- Bonuses ------------------------------------------------------------------------------------------------------------


@inline
def last_slot(state):
    """The slot of the ring being scored: that of the last marker."""
    player = state["turn_player"]
    return np.int64(state["markers"][player, state["num_markers"][player] - 1])


@merged
def _slot_bonus(state, rules):
    """Bonuses: that of the slot; one that cannot be had is lost."""
    bonus = rules["slot_bonus"][last_slot(state)]
    if bonus == SIGNPOST_BONUS:
        state["phase"] = SIGNPOST
    elif bonus == TILE_BONUS:
        offer_tile(state, rules)
    elif bonus == FLOWER_BONUS:
        take_flower(state)
    elif bonus == MUSHROOM_BONUS:
        _mushroom_bonus(state, rules)


@inline
def offer_tile(state, rules):
    """Tile: the player is asked which of those on offer, if there are any."""
    if take_options(state, rules):
        state["phase"] = TAKE


@merged
def signpost_options(state, rules):
    """Any of the seven."""
    return (1 << NUM_SIGNPOSTS) - 1


@merged
def choose_signpost(state, rules, signpost):
    """Signpost: an unused one goes into this ring and is used, one that is out is used where it is."""
    if state["signpost_ring"][signpost] == NONE:
        state["signpost_ring"][signpost] = state["hand_ring"]
        state["ring_signpost"][state["hand_ring"]] = signpost
    state["phase"] = NOTHING
    use_signpost(state, rules, signpost)


@jit
def use_signpost(state, rules, signpost):
    """What a signpost gives: mushrooms, a flower from the market, a tile from the offer."""
    gives, player = rules["signpost_gives"][signpost], state["turn_player"]
    for color in range(NUM_COLORS):
        state["mushrooms"][player, color] += gives[color]
    if gives[FLOWER_GIFT] > 0:
        take_flower(state)
    if gives[TILE_GIFT] > 0:
        offer_tile(state, rules)


@inline
def _mushroom_bonus(state, rules):
    """Mushroom N: N of the ring's mushrooms are picked again, or all it has, which needs no decision."""
    printed = 0
    for color in range(NUM_COLORS):
        printed += state["ring_mushrooms"][state["hand_ring"], color]
    if printed > rules["slot_mushrooms"][last_slot(state)]:
        state["phase"] = MUSHROOM
    else:
        take_mushrooms(state, state["hand_ring"])


@merged
def mushroom_options(state, rules):
    """Colours of the ring's mushrooms that have not been picked again, each mushroom once."""
    options = np.int64(0)
    for color in range(NUM_COLORS):
        left = np.int64(state["ring_mushrooms"][state["hand_ring"], color])
        for i in range(state["num_picked"]):
            left -= state["picked"][i] == color
        options |= np.int64(left > 0) << color
    return options


@merged
def pick_mushroom(state, rules, color):
    """Mushroom: one of the ring's is picked again."""
    state["mushrooms"][state["turn_player"], color] += 1
    state["picked"][state["num_picked"]] = color
    state["num_picked"] += 1
    if state["num_picked"] == rules["slot_mushrooms"][last_slot(state)]:
        state["num_picked"] = 0
        state["picked"][:] = NONE
        state["phase"] = NOTHING


@inline
def _has_wildflower_marker(state, rules):
    """Whether one of the markers just moved was the 2nd, 4th or 6th."""
    player = state["turn_player"]
    number, slot = np.int64(state["num_markers"][player]), last_slot(state)
    found = False
    while number > 0 and state["markers"][player, number - 1] == slot:
        found = found or rules["is_wildflower_marker"][number]
        number -= 1
    return found


@merged
def _wildflower_bonus(state, rules):
    """Wildflower: the lowest tile left, with a flower of its kind; when none is left, a flower from the market."""
    for kind in range(NUM_KINDS):
        if state["wildflowers"][kind] != NONE:
            state["flower_market"][kind] += state["wildflowers"][kind] - 1
            state["wildflowers"][kind] = NONE
            gain_flower(state, kind)
            store(state, rules, np.int64(rules["first_wildflower"]) + kind)
            return
    take_flower(state)
