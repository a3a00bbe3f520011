"""A rule-based player for Mushroom Rings: compares all its legal actions by the points they promise.

* It lays the tile, where and as it lies best: rings closed, larger first and own or unclaimed ones; else paths brought nearer
  to their ends, with an eye on what the next tile at hand would close (:mod:`agents.greedy.mushroom_rings.laying`).
* Its gnome goes where most is had, and sells and trades there (:mod:`agents.greedy.mushroom_rings.gnomes`).
* All else (slot, signpost, mushroom, discard) it takes by the same prices (:mod:`agents.greedy.mushroom_rings.appraisal`).

Everything it reads lies open: never the order of the bag, never the random word.
"""

import numpy as np

from agents.greedy.mushroom_rings.appraisal import look, sight_dtype, signpost_worth, slot_worth
from agents.greedy.mushroom_rings.gnomes import (
    best_destination,
    best_edge,
    best_gnome,
    best_place,
    best_sale,
    best_trade,
)
from agents.greedy.mushroom_rings.laying import (
    NOTHING,
    best_placement,
    own_promises,
    rings_since,
)
from agents.greedy.mushroom_rings.weights import WEIGHTS, Weights
from envs import engine
from envs.game import Game
from envs.mushroom_rings.garden.laying import lay
from envs.mushroom_rings.garden.open_cells import open_slot
from envs.mushroom_rings.garden.paths import is_wildflower
from envs.mushroom_rings.rules.decisions import first_action
from envs.mushroom_rings.rules.gnomes import moving_gnome
from envs.mushroom_rings.state import (
    CELL,
    DESTINATION,
    DISCARD,
    EDGE,
    GIVE,
    GNOME,
    LEAVE,
    NONE,
    OFFER,
    ORIENTATION,
    PLACE,
    REFUSE,
    SALE,
    SIGNPOST,
    SLOT,
    STOP_CHOICE,
    STORAGE,
    TAKE,
    TRADE,
    WHERE,
)


class Greedy:
    """Plays what promises most; see :class:`agents.agent.Agent`.

    Args:
        game: A rule set of Mushroom Rings.
        weights: What it uses.
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
        return first + best_gnome(state, rules, weights, sight)
    if phase == DESTINATION:
        return first + best_destination(state, rules, weights, sight, moving_gnome(state))[1]
    if phase == WHERE:
        return first + best_place(state, sight)
    if phase == EDGE:
        return first + best_edge(state, rules, sight)
    if phase == SALE:
        return first + best_sale(state, rules, sight)
    if phase == TRADE:
        return first + best_trade(state, rules, weights, sight)[1]
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
    only = open_slot(state["place"][state["hand_cell"]]) if state["phase"] == ORIENTATION else NONE
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
