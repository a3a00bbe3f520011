"""A rule-based player for Mushroom Rings: compares all that it may do next by the points it promises.

* It lays the tile, where and as it lies best: rings closed, larger first and own or unclaimed ones; else paths brought nearer
  to their ends, with an eye on what the next tile at hand would close (:mod:`agents.greedy.mushroom_rings_laying`).
* Its gnome goes where most is had: waiting mushrooms, a flower, a signpost, a sale, or the claim of a promising path, less what
  the path it leaves promises.
* All else (slot, signpost, mushroom, sale, trade, discard) it takes by the
  same prices (:mod:`agents.greedy.mushroom_rings_sight`).

Everything it reads lies open: never the order of the bag, never the random word.
"""

import numpy as np

from agents.greedy.mushroom_rings_laying import (
    NOTHING,
    best_placement,
    mushrooms_in,
    own_promises,
    rings_since,
)
from agents.greedy.mushroom_rings_sight import look, sight_dtype, signpost_worth, slot_worth
from agents.greedy.mushroom_rings_weights import WEIGHTS, Weights
from envs import engine
from envs.game import Game
from envs.mushroom_rings.garden import lay
from envs.mushroom_rings.gnomes import destinations, moving_gnome
from envs.mushroom_rings.market import sales, trade_options
from envs.mushroom_rings.paths import is_wildflower, lowest_edge
from envs.mushroom_rings.rules import first_action
from envs.mushroom_rings.state import (
    AT_PATH,
    AT_RING,
    CELL,
    DESTINATION,
    DISCARD,
    EDGE,
    ENOUGH_CHOICE,
    GIVE,
    GNOME,
    LEAVE,
    NO_TRADE_CHOICE,
    NONE,
    NUM_COLORS,
    NUM_GNOMES,
    NUM_SIGNPOSTS,
    NUM_SIZES,
    OFFER,
    ORIENTATION,
    PLACE,
    POINT,
    REFUSE,
    SALE,
    SEGMENTS,
    SIGNPOST,
    SLOT,
    STAY_CHOICE,
    STOP_CHOICE,
    STORAGE,
    TAKE,
    TO_FLOWER_MARKET,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    TRADE,
    TRADES,
    WHERE,
)


class Greedy:
    """Plays what promises most; see :class:`agents.agent.Agent`.

    Args:
        game: A rule set of Mushroom Rings.
        weights: What it goes by.
    """

    name = "greedy"

    def __init__(self, game: Game, weights: Weights = WEIGHTS) -> None:
        self.game = game
        self.weights = weights
        self.tools = weights, np.zeros(1, sight_dtype(game)), np.zeros(1, game.state_dtype)

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The most promising action of each row, of equal ones the first; see :class:`agents.agent.Agent`."""
        actions = np.empty(len(worlds), np.int64)
        masks = engine.rows(np.ascontiguousarray(action_masks))
        _act_batch(worlds, self.game.rules, masks, self.tools, actions)
        return actions


@engine.kernel
def _act_batch(worlds, rules, masks, tools, actions):
    """Chooses an action in every row."""
    for i in range(len(worlds)):
        actions[i] = decide(worlds[i], rules[0], masks[i]["row"], tools)


@engine.jit
def decide(world, rules, mask, tools):
    """The action for one game; ``tools`` are the weights and one record each to look in and to try in."""
    weights, sight, scratch = tools
    look(world, rules, weights, sight[0], np.int64(world["current_player"]))
    return _choose(world, rules, mask, weights, sight[0], scratch)


@engine.jit
def _choose(state, rules, mask, weights, sight, scratch):
    """The action for the phase in hand."""
    phase, first = state["phase"], first_action(state)
    if phase in (PLACE, TAKE):
        return _tile(state, rules, mask, weights, sight, scratch)
    if phase in (CELL, ORIENTATION):
        return first + _laying(state, rules, weights, sight, scratch)
    if phase == LEAVE:
        return first + _answer(state, rules, weights, sight, scratch)
    if phase == DISCARD:
        return first + _discard(state, rules, weights, sight, scratch)
    if phase == GNOME:
        return first + _gnome(state, rules, weights, sight)
    if phase == DESTINATION:
        return first + _destination(state, rules, weights, sight, moving_gnome(state))[1]
    if phase == WHERE:
        return first + _place(state, sight)
    if phase == EDGE:
        return first + _edge(state, rules, sight)
    if phase == SALE:
        return first + _sale(state, rules, sight)
    if phase == TRADE:
        return first + _trade(state, rules, weights, sight)[1]
    return first + _gift(state, rules, mask, weights, sight, first)


# --- tiles --------------------------------------------------------------------------------------------------------------


@engine.jit
def _tile(state, rules, mask, weights, sight, scratch):
    """The tile that can be laid best, or to stop; also which tile to take, for there is no better sign of what it is good for."""
    best, chosen = NOTHING, STOP_CHOICE
    if mask[STOP_CHOICE]:
        best = 0.0
    for source in range(OFFER + STORAGE):
        tile = tile_from(state, source, sight["player"])
        if mask[source] and not (source < OFFER and _offered_before(state, rules, mask, source, tile)):
            worth = best_placement(state, rules, weights, sight, scratch, tile, source, NONE)[0]
            if worth > best or chosen == STOP_CHOICE and not mask[STOP_CHOICE]:
                best, chosen = worth, source
    return chosen


@engine.inline
def tile_from(state, source, player):
    """The tile in a slot of the offer, then of the storage; NONE if there is none."""
    return np.int64(state["offer"][source]) if source < OFFER else np.int64(state["storage"][player, source - OFFER])


@engine.inline
def _offered_before(state, rules, mask, source, tile):
    """Whether a lower slot of the offer has the same tile to choose."""
    found = False
    for lower in range(source):
        found |= mask[lower] and rules["type"][state["offer"][lower]] == rules["type"][tile]
    return found


@engine.jit
def _laying(state, rules, weights, sight, scratch):
    """The best cell for the tile in hand, or its best orientation on the cell chosen."""
    only = -2 - np.int64(state["place"][state["hand_cell"]]) if state["phase"] == ORIENTATION else NONE
    tile, source = state["hand_tile"], state["hand_slot"]
    _, cell, orientation = best_placement(state, rules, weights, sight, scratch, tile, source, only)
    return orientation if state["phase"] == ORIENTATION else cell


@engine.jit
def _answer(state, rules, weights, sight, scratch):
    """Gives leave if the tile is to the player's own good: by its rings, and by what its paths promise then."""
    before = own_promises(state, weights, sight)
    trial = scratch[0]
    scratch[0] = state
    lay(trial, rules)
    rings = rings_since(trial, weights, sight, state["num_rings"])
    look(trial, rules, weights, sight, sight["player"])
    return GIVE if rings + own_promises(trial, weights, sight) > before else REFUSE


@engine.jit
def _discard(state, rules, weights, sight, scratch):
    """The stored tile that would be laid with the least gain; a wildflower only for want of another."""
    least, chosen = -NOTHING, 0
    for slot in range(STORAGE + 1):
        tile = np.int64(state["storage"][sight["player"], slot])
        worth = best_placement(state, rules, weights, sight, scratch, tile, OFFER + slot, NONE)[0]
        if is_wildflower(rules, tile):
            worth = max(worth, 0.0) + weights.wild
        if worth < least:
            least, chosen = worth, slot
    return chosen


# --- gifts: slot, signpost, mushroom ------------------------------------------------------------------------------------


@engine.jit
def _gift(state, rules, mask, weights, sight, first):
    """The slot, signpost or colour that is worth most."""
    best, chosen, choice = NOTHING, 0, 0
    while first + choice < len(mask):
        if mask[first + choice]:
            worth = _gift_worth(state, rules, weights, sight, choice)
            if worth > best:
                best, chosen = worth, choice
        choice += 1
    return chosen


@engine.jit
def _gift_worth(state, rules, weights, sight, choice):
    if state["phase"] == SLOT:
        return slot_worth(state, rules, weights, sight, choice)
    if state["phase"] == SIGNPOST:
        return signpost_worth(state, rules, weights, sight, choice)
    return sight["unit"][choice]


# --- gnomes -------------------------------------------------------------------------------------------------------------


@engine.jit
def _gnome(state, rules, weights, sight):
    """The gnome with the best move, or to stay where none gains anything."""
    best, chosen = 0.0, STAY_CHOICE
    for g in range(NUM_GNOMES):
        gnome = sight["player"] * NUM_GNOMES + g
        worth = _destination(state, rules, weights, sight, gnome)[0] - _cost_of_leaving(state, sight, gnome)
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
def _destination(state, rules, weights, sight, gnome):
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
    return worth + max(0.0, _best_trade(state, rules, weights, sight, signpost)[0])


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
def _place(state, sight):
    """The cell that names the best path or ring."""
    if state["hand_place"] == TO_PATH:
        return np.int64(state["cell"][_best_path(state, sight, NONE)[1] // SEGMENTS])
    return np.int64(state["cell"][state["ring_tile"][_best_ring(state, sight, moving_gnome(state), NONE)[1]]])


@engine.jit
def _edge(state, rules, sight):
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
def _sale(state, rules, sight):
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
def _trade(state, rules, weights, sight):
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
def _best_trade(state, rules, weights, sight, signpost):
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


assert NUM_SIGNPOSTS == TO_STUMP - TO_SIGNPOST
