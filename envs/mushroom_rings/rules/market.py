"""The flower market, the sales at the stump and the trade board (rule text: A turn 3 and 4, Trade board)."""

import numpy as np

from envs.engine import inline, jit, merged
from envs.mushroom_rings.rules.offer import store
from envs.mushroom_rings.state import (
    ENOUGH_CHOICE,
    NO_TRADE_CHOICE,
    NONE,
    NOTHING,
    NUM_COLORS,
    NUM_KINDS,
    NUM_SIZES,
    POINT,
    TO_SIGNPOST,
    TRADES,
)

# --- Flowers ------------------------------------------------------------------------------------------------------------


@inline
def wanted_flower(state):
    """The lowest kind in the flower market that the player whose turn it is does not own, or NONE."""
    owned = np.int64(state["flowers"][state["turn_player"]])
    for kind in range(NUM_KINDS):
        if state["flower_market"][kind] > 0 and not owned >> kind & 1:
            return kind
    return NONE


@jit
def take_flower(state):
    """Flower: one from the flower market of a kind not owned, if there is any."""
    kind = wanted_flower(state)
    if kind != NONE:
        state["flower_market"][kind] -= 1
        gain_flower(state, kind)


@inline
def gain_flower(state, kind):
    """The player whose turn it is has one more kind; the last kind triggers the end."""
    player = state["turn_player"]
    state["flowers"][player] |= 1 << kind
    state["num_flowers"][player] += 1
    if state["num_flowers"][player] == NUM_KINDS:
        state["ending"] = True


# --- Phase sale ---------------------------------------------------------------------------------------------------------


@jit
def sales(state, rules):
    """Bits of the possible sales: a free space for a colour and number that the player has, of a second colour."""
    player, options = state["turn_player"], 0
    for color in range(NUM_COLORS):
        if color == state["hand_sold"]:
            continue
        for n in range(NUM_SIZES):
            if rules["sizes"][n] <= state["mushrooms"][player, color] and _is_free(state, rules, color, n):
                options |= 1 << color * NUM_SIZES + n
    return options


@inline
def _is_free(state, rules, color, n):
    """Stump: a space is free until it is blocked; without blockers left a colour sells only as a pair."""
    if rules["is_never_blocked"][n]:
        return True
    return state["blockers"][color] > 0 and not np.int64(state["blocked"][color]) >> n & 1


@merged
def sale_options(state, rules):
    """The possible sales; the second one may be declined."""
    enough = 1 << ENOUGH_CHOICE if state["hand_sold"] != NONE else 0
    return sales(state, rules) | enough


@merged
def sell(state, rules, choice):
    """Stump: mushrooms of a colour become treasure and their space is blocked, except the pair."""
    if choice == ENOUGH_CHOICE:
        state["phase"] = NOTHING
        return
    player, color, n = state["turn_player"], choice // NUM_SIZES, choice % NUM_SIZES
    state["mushrooms"][player, color] -= rules["sizes"][n]
    state["treasure"][player] += rules["payouts"][color, n]
    if not rules["is_never_blocked"][n]:
        state["blocked"][color] |= 1 << n
        state["blockers"][color] -= 1
    if state["hand_sold"] == NONE:
        state["hand_sold"] = color
    else:
        state["phase"] = NOTHING


# --- Phase trade --------------------------------------------------------------------------------------------------------


@merged
def trade_options(state, rules):
    """Trades of the signpost visited that the player can pay, and none."""
    player, signpost = state["turn_player"], state["hand_place"] - TO_SIGNPOST
    options = np.int64(1) << NO_TRADE_CHOICE
    for choice in range(TRADES):
        payable = True
        for color in range(NUM_COLORS):
            payable &= state["mushrooms"][player, color] >= rules["trade_pays"][signpost, choice, color]
        options |= np.int64(payable) << choice
    return options


@merged
def trade(state, rules, choice):
    """Trade board: one trade or none; a tile that is traded leaves the game, one that is not is stored."""
    player, signpost, tile = state["turn_player"], state["hand_place"] - TO_SIGNPOST, state["hand_tile"]
    state["hand_tile"] = NONE
    state["phase"] = NOTHING
    if choice != NO_TRADE_CHOICE:
        for color in range(NUM_COLORS):
            change = rules["trade_brings"][signpost, choice, color] - rules["trade_pays"][signpost, choice, color]
            state["mushrooms"][player, color] += change
        state["treasure"][player] += rules["trade_brings"][signpost, choice, POINT]
    elif tile != NONE:
        store(state, rules, tile)
