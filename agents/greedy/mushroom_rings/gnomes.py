"""Where the rule-based player of Mushroom Rings sends its gnomes, and what it sells and trades there.

A gnome goes where most is had: waiting mushrooms, a flower, a signpost, a sale, or the claim of a promising path, less what the
path it leaves promises (prices: :mod:`agents.greedy.mushroom_rings.appraisal`).
"""

import numpy as np

from agents.greedy.mushroom_rings.appraisal import signpost_worth
from agents.greedy.mushroom_rings.laying import NOTHING, mushrooms_in
from envs import engine
from envs.mushroom_rings.garden.paths import lowest_edge
from envs.mushroom_rings.rules.gnomes import destinations, moving_gnome
from envs.mushroom_rings.rules.market import sales, trade_options
from envs.mushroom_rings.state import (
    AT_PATH,
    AT_RING,
    ENOUGH_CHOICE,
    NO_TRADE_CHOICE,
    NONE,
    NUM_COLORS,
    NUM_GNOMES,
    NUM_SIZES,
    POINT,
    SEGMENTS,
    STAY_CHOICE,
    TO_FLOWER_MARKET,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    TRADES,
)

# --- gnomes -------------------------------------------------------------------------------------------------------------


@engine.jit
def best_gnome(state, rules, weights, sight):
    """The gnome with the best move, or to stay where none gains anything."""
    best, chosen = 0.0, STAY_CHOICE
    for g in range(NUM_GNOMES):
        gnome = sight["player"] * NUM_GNOMES + g
        worth = best_destination(state, rules, weights, sight, gnome)[0] - _cost_of_leaving(state, sight, gnome)
        if worth > best:
            best, chosen = worth, g
    return chosen


@engine.jit
def _cost_of_leaving(state, sight, gnome):
    """What the path that a gnome gives up promises."""
    if state["gnome_at"][gnome] == AT_PATH:
        for path in range(SEGMENTS * state["num_laid"]):
            if sight["tiles"][path] > 0 and state["gnome_of"][path] == gnome:
                return sight["promise"][path]
    return 0.0


@engine.jit
def best_destination(state, rules, weights, sight, gnome):
    """Worth and choice of the best destination of a gnome; the worth is ``NOTHING`` if it can go nowhere."""
    options = destinations(state, rules, gnome)
    best, chosen = NOTHING, NONE
    for choice in range(TO_STUMP + 1):
        if options >> choice & 1:
            worth = _destination_worth(state, rules, weights, sight, gnome, choice)
            if worth > best:
                best, chosen = worth, choice
    return best, chosen


@engine.jit
def _destination_worth(state, rules, weights, sight, gnome, choice):
    if choice == TO_PATH:
        return weights.claim * _best_path(state, sight, NONE)[0]
    if choice == TO_RING:
        return _best_ring(state, sight, gnome, NONE)[0]
    if choice == TO_FLOWER_MARKET:
        return sight["flower"]
    if choice == TO_STUMP:
        return _sales_worth(state, rules, sight)
    signpost = choice - TO_SIGNPOST
    worth = signpost_worth(state, rules, weights, sight, signpost)
    return worth + max(0.0, _trade_on_visit(state, rules, weights, sight, signpost)[0])


@engine.jit
def _best_path(state, sight, index):
    """Promise and first part of the best unclaimed path; with an index, of those that this laid tile names."""
    best, chosen = NOTHING, NONE
    for path in range(SEGMENTS * state["num_laid"]):
        is_free = sight["tiles"][path] > 0 and state["gnome_of"][path] == NONE and index in (NONE, path // SEGMENTS)
        if is_free and sight["promise"][path] > best:
            best, chosen = sight["promise"][path], path
    return best, chosen


@engine.jit
def _best_ring(state, sight, gnome, index):
    """Worth and number of the richest ring with mushrooms waiting elsewhere; with an index, of those this laid tile names."""
    best, chosen = NOTHING, NONE
    for ring in range(state["num_rings"]):
        is_there = state["gnome_at"][gnome] == AT_RING and state["gnome_ring"][gnome] == ring
        if state["ring_waiting"][ring] and not is_there and index in (NONE, np.int64(state["ring_tile"][ring])):
            worth = mushrooms_in(state, sight, ring)
            if worth > best:
                best, chosen = worth, ring
    return best, chosen


@engine.jit
def best_place(state, sight):
    """The cell that names the best path or ring."""
    if state["hand_place"] == TO_PATH:
        return np.int64(state["cell"][_best_path(state, sight, NONE)[1] // SEGMENTS])
    return np.int64(state["cell"][state["ring_tile"][_best_ring(state, sight, moving_gnome(state), NONE)[1]]])


@engine.jit
def best_edge(state, rules, sight):
    """The edge that names the best path or ring of the tile chosen."""
    index = np.int64(state["place"][state["hand_cell"]])
    if state["hand_place"] == TO_PATH:
        return lowest_edge(state, rules, index, _best_path(state, sight, index)[1])
    return np.int64(state["ring_edge"][_best_ring(state, sight, moving_gnome(state), index)[1]])


# --- sales and trades ---------------------------------------------------------------------------------------------------


@engine.jit
def _gain(rules, sight, choice):
    """What a sale brings above what its mushrooms are worth in hand."""
    color, n = choice // NUM_SIZES, choice % NUM_SIZES
    return np.int64(rules["payouts"][color, n]) - np.int64(rules["sizes"][n]) * sight["unit"][color]


@engine.jit
def best_sale(state, rules, sight):
    """The sale that gains most; a second one only if it gains."""
    options = sales(state, rules)
    best, chosen = (NOTHING, 0) if state["hand_sold"] == NONE else (0.0, ENOUGH_CHOICE)
    for choice in range(ENOUGH_CHOICE):
        if options >> choice & 1 and _gain(rules, sight, choice) > best:
            best, chosen = _gain(rules, sight, choice), choice
    return chosen


@engine.jit
def _sales_worth(state, rules, sight):
    """What the best sales of two colours gain together."""
    options, best, second = sales(state, rules), NOTHING, 0.0
    for color in range(NUM_COLORS):
        most = NOTHING
        for choice in range(color * NUM_SIZES, (color + 1) * NUM_SIZES):
            if options >> choice & 1:
                most = max(most, _gain(rules, sight, choice))
        if most > best:
            best, second = most, max(second, best)
        else:
            second = max(second, most)
    return best + second


@engine.jit
def best_trade(state, rules, weights, sight):
    """Gain and choice of the best trade at the signpost visited, or none."""
    best, chosen = 0.0, NO_TRADE_CHOICE
    options = trade_options(state, rules)
    for choice in range(TRADES):
        gain = _trade_gain(rules, weights, sight, state["hand_place"] - TO_SIGNPOST, choice)
        if state["hand_tile"] != NONE:
            gain -= weights.tile * min(1.0, sight["turns"])
        if options >> choice & 1 and gain > best:
            best, chosen = gain, choice
    return best, chosen


@engine.jit
def _trade_on_visit(state, rules, weights, sight, signpost):
    """Gain and choice of the best trade that a visit to a signpost would allow."""
    best, chosen = 0.0, NO_TRADE_CHOICE
    if rules["has_trades"][signpost]:
        for choice in range(TRADES):
            payable = True
            for color in range(NUM_COLORS):
                held = np.int64(state["mushrooms"][sight["player"], color]) + np.int64(rules["signpost_gives"][signpost, color])
                payable &= held >= rules["trade_pays"][signpost, choice, color]
            gain = _trade_gain(rules, weights, sight, signpost, choice)
            if payable and gain > best:
                best, chosen = gain, choice
    return best, chosen


@engine.jit
def _trade_gain(rules, weights, sight, signpost, choice):
    """What a trade brings above what is paid for it, a tile apart."""
    gain = float(rules["trade_brings"][signpost, choice, POINT])
    for color in range(NUM_COLORS):
        change = np.int64(rules["trade_brings"][signpost, choice, color]) - np.int64(rules["trade_pays"][signpost, choice, color])
        gain += change * sight["unit"][color]
    return gain
