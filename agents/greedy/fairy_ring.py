"""A rule-based player for Fairy Ring: looks one decision ahead, on the table as it stands.

For each card it may play it tries every place and every flight, and takes the play of the greatest *worth*, in mana:

* what the flight pays the player, less a share of what it pays the others (:func:`_flight`);
* what the village promises for the turns that are left (:func:`_village`);
* the objectives it fulfils and how near it is to the others (:func:`_objectives`).

It reads the table, its own hand and the card it has revealed: never a hidden card, never the random word.
"""

from typing import NamedTuple

import numpy as np

from envs import engine
from envs.fairy_ring.rules import decisions as rules
from envs.fairy_ring.rules import seats, villages
from envs.fairy_ring.state import (
    ACADEMY,
    CHOOSE_ACTION,
    FIREFLIES,
    FLY_ACTION,
    GATHER_ACTION,
    GROW_ACTION,
    MANA_PER_POINT,
    MOVEMENTS,
    NUM_OBJECTIVES,
    NUM_TYPES,
    PAYS,
    PLANT_LEFT_ACTION,
    ROUNDS,
    SPRING,
    STACK,
    TURNS,
)
from envs.game import Game

_NOTHING = -1e9  # worth of having no play at all


class Weights(NamedTuple):
    """What the player uses; found by playing players of different weights against each other.

    Attributes:
        others: What counts against a play, for each mana that it pays all others on average.
        best: For each turn left, and mana that the best-paying own mushroom (no Academy or Spring) pays.
        mean: The same for what own mushrooms pay on average. Below zero: few tall mushrooms rather than many small ones.
        firefly: For each turn left and visible firefly.
        cards: For each turn left and card in the village, by type; it corrects the three before.
        flown: How far the fairy is expected to have flown to an Academy.
        objective: The share of its point that an objective is worth before it is reached ...
        distance: ... which falls with the square of the cards it still takes.
    """

    others: float = 0.9
    best: float = 0.54
    mean: float = -0.55
    firefly: float = 0.88
    cards: tuple[float, ...] = (-0.3, -0.1, -0.4, 0.42, 0.15, 0.0)
    flown: float = 2.25
    objective: float = 0.57
    distance: float = 0.17


WEIGHTS = Weights()


class Greedy:
    """Plays what is worth most one decision ahead; see :class:`agents.agent.Agent`."""

    name = "greedy"

    def __init__(self, game: Game, weights: Weights = WEIGHTS) -> None:
        self.game = game
        self.weights = weights
        self.tools = weights, np.zeros(1, game.state_dtype)

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The play of the greatest worth for each row, of equal ones the lowest action; see :class:`agents.agent.Agent`."""
        actions = np.empty(len(worlds), np.int64)
        _act_batch(worlds, self.game.rules, self.tools, actions)
        return actions

    def worths(self, worlds: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """What each legal action is worth in K games, in tens of mana: ``(K, A) float32``, 0 for illegal ones."""
        worths = np.zeros(action_masks.shape, np.float32)
        masks = engine.rows(np.ascontiguousarray(action_masks))
        _worth_batch(np.ascontiguousarray(worlds), self.game.rules, masks, self.tools, engine.rows(worths))
        return worths


@engine.kernel
def _worth_batch(worlds, tables, masks, tools, worths):
    """Writes the worth of every legal action of every row."""
    for i in range(len(worlds)):
        mask = masks[i]["row"]
        for action in range(len(mask)):
            if mask[action]:
                worths[i]["row"][action] = _worth(worlds[i], tables[0], tools, action) / 10


@engine.jit
def _worth(world, tables, tools, action):
    """What an action is worth, by what :func:`_best` compares."""
    weights, scratch = tools
    p = int(world["current_player"])
    if world["phase"] == rules.CHOOSE:
        return _best_place(world, tables, weights, scratch, p, int(world["hand"][p, action - CHOOSE_ACTION]))[0]
    if world["phase"] == rules.PLACE:
        return _place_worth(world, tables, weights, scratch, p, int(world["chosen"][p]), action)
    if world["phase"] == rules.FLY:
        movement = int(tables["movement"][int(world["played"]), action - FLY_ACTION])
        return _flight(world, weights.others / (seats.num_seats(world) - 1), p, movement)
    return float(villages.mana_of(world, p, action - GATHER_ACTION, int(world["movement"])))


@engine.kernel
def _act_batch(worlds, tables, tools, actions):
    """Chooses an action in every row."""
    for i in range(len(worlds)):
        actions[i] = _best(worlds[i], tables[0], tools)


@engine.jit
def decide(world, tables, mask, tools):
    """The action for one game, of which no mask is needed; ``tools`` are the weights and one record to try plays in."""
    return _best(world, tables, tools)


@engine.jit
def _best(world, tables, tools):
    weights, scratch = tools
    p = int(world["current_player"])
    if world["phase"] == rules.CHOOSE:
        return _best_card(world, tables, weights, scratch, p)
    if world["phase"] == rules.PLACE:
        return _best_place(world, tables, weights, scratch, p, int(world["chosen"][p]))[1]
    if world["phase"] == rules.FLY:
        return _best_flight(world, tables, weights, p, int(world["played"]))[1]
    kind = rules.landed_type(world, p)
    return GATHER_ACTION + _richest(world, p, kind, int(world["movement"]))[1]


# --- the choices of a turn ----------------------------------------------------------------------------------------------


@engine.jit
def _best_card(world, tables, weights, scratch, p):
    """The action that chooses the card with the best play."""
    best, chosen = _NOTHING, 0
    for place in range(int(world["hand_size"][p])):
        worth = _best_place(world, tables, weights, scratch, p, int(world["hand"][p, place]))[0]
        if worth > best:
            best, chosen = worth, CHOOSE_ACTION + place
    return chosen


@engine.jit
def _best_place(world, tables, weights, scratch, p, card):
    """Worth and action of the best place for a card, with the best flight from there."""
    best, chosen = _NOTHING, 0
    kind = int(tables["type"][card])
    for action in range(PLANT_LEFT_ACTION, GROW_ACTION + int(world["num_mushrooms"][p])):
        if action >= GROW_ACTION and not 0 < world["village"][p, action - GROW_ACTION, kind] < STACK:
            continue
        worth = _place_worth(world, tables, weights, scratch, p, card, action)
        if worth > best:
            best, chosen = worth, action
    return best, chosen


@engine.jit
def _place_worth(world, tables, weights, scratch, p, card, action):
    """Worth of one place for a card, with the best flight from there."""
    scratch[0] = world
    villages.put_card(scratch[0], tables, p, card, action)
    return _village(scratch[0], weights, p) + _best_flight(scratch[0], tables, weights, p, card)[0]


@engine.jit
def _best_flight(state, tables, weights, p, card):
    """Worth and action of the best movement of a card that has been placed; only a Spring has more than one."""
    best, chosen = _NOTHING, 0
    others = weights.others / (seats.num_seats(state) - 1)
    for option in range(MOVEMENTS):
        movement = int(tables["movement"][card, option])
        if movement > 0:
            worth = _flight(state, others, p, movement)
            if worth > best:
                best, chosen = worth, FLY_ACTION + option
    return best, chosen


# --- what a flight pays -------------------------------------------------------------------------------------------------


@engine.jit
def _flight(state, others, p, movement):
    """What a flight pays the player, less ``others`` times what it pays the others."""
    at, mushroom = int(state["fairy_village"][p]), int(state["fairy_mushroom"][p])
    worth = 0.0
    for left in range(movement, 0, -1):
        at, mushroom = rules.next_mushroom(state, at, mushroom)
        if left > 1 and state["type"][at, mushroom] == SPRING:
            pays = int(state["village"][at, mushroom, PAYS])
            worth += pays if at == p else -others * pays
    return worth + _landing(state, others, p, at, mushroom, movement)


@engine.jit
def _landing(state, others, p, at, mushroom, movement):
    """What gathering from the mushroom at the end of a flight pays, own against others'."""
    kind = int(state["type"][at, mushroom])
    if kind == SPRING:
        return 0.0
    pays = villages.mana_of(state, at, mushroom, movement)
    if at == p:
        return float(pays)
    return _richest(state, p, kind, movement)[0] - others * pays


@engine.jit
def _richest(state, p, kind, movement):
    """What the best-paying own mushroom of a type pays, and which it is; 0 if there is none."""
    most, chosen = 0, 0
    for mushroom in range(int(state["num_mushrooms"][p])):
        if state["type"][p, mushroom] == kind:
            pays = villages.mana_of(state, p, mushroom, movement)
            if pays > most:
                most, chosen = pays, mushroom
    return most, chosen


# --- what a village promises --------------------------------------------------------------------------------------------


@engine.jit
def _village(state, weights, p):
    """What a village promises for the turns after this one, objectives included."""
    left = (ROUNDS - int(state["round"])) * TURNS + TURNS - int(state["turn"])
    mushrooms = int(state["num_mushrooms"][p])
    best, total, worth = 0.0, 0.0, 0.0
    for mushroom in range(mushrooms):
        kind = int(state["type"][p, mushroom])
        pays = float(state["village"][p, mushroom, PAYS])
        if kind == ACADEMY:
            pays *= weights.flown
        elif kind != SPRING:
            best = max(best, pays)
        total += pays
        worth += weights.cards[kind] * int(state["village"][p, mushroom, kind])
        worth += weights.firefly * int(state["village"][p, mushroom, FIREFLIES])
    worth += weights.best * best + weights.mean * total / mushrooms
    return left * worth + _objectives(state, weights, p, left)


@engine.jit
def _objectives(state, weights, p, left):
    """The points of objectives that a village newly fulfils, and a share of those it can still reach."""
    missing = int(state["objectives"]) & ~int(state["completed"][p])
    if missing == 0:
        return 0.0
    sizes = _mushrooms_by_size(state, p)
    types, most = _mushrooms_by_type(state, p)
    lights, bright = _fireflies(state, p)
    worth = 0.0
    for objective in range(NUM_OBJECTIVES):
        if missing >> objective & 1:
            cards = _cards_to(objective, sizes, types, most, lights, bright)
            if cards <= 0:
                worth += MANA_PER_POINT
            elif cards <= left:
                worth += weights.objective * MANA_PER_POINT / (1.0 + weights.distance * cards * cards)
    return worth


@engine.jit
def _cards_to(objective, sizes, types, most, lights, bright):
    """How many cards an objective still takes, about; 0 or less if it is fulfilled. See the list in ``rules``."""
    one, two, three, four = sizes
    if objective == 0:
        return 0.8 * (10 - lights)
    if objective == 1:
        return 3 - bright
    if objective == 2:
        return 7 - one
    if objective == 3:
        return 6 - types
    if objective == 4:
        return 3 - most
    if objective == 5:
        return 9 - min(one, 3) - min(two, 3) - min(three, 3)
    if objective == 6:
        return 8 - min(one, 4) - min(two, 4)
    return 8 - min(one, 2) - min(two, 2) - min(three, 2) - min(four, 2)


@engine.jit
def _mushrooms_by_size(state, p):
    """How many mushrooms have at least 1, 2, 3 and 4 cards."""
    two, three, four = 0, 0, 0
    mushrooms = int(state["num_mushrooms"][p])
    for mushroom in range(mushrooms):
        size = state["village"][p, mushroom, state["type"][p, mushroom]]
        two += size >= 2
        three += size >= 3
        four += size >= 4
    return mushrooms, two, three, four


@engine.jit
def _mushrooms_by_type(state, p):
    """How many types of mushroom there are, and how many mushrooms of the most frequent one."""
    types, most = 0, 0
    for kind in range(NUM_TYPES):
        count = 0
        for mushroom in range(int(state["num_mushrooms"][p])):
            count += state["type"][p, mushroom] == kind
        types += count > 0
        most = max(most, count)
    return types, most


@engine.jit
def _fireflies(state, p):
    """How many fireflies are visible, and how many mushrooms have at least two."""
    lights, bright = 0, 0
    for mushroom in range(int(state["num_mushrooms"][p])):
        here = int(state["village"][p, mushroom, FIREFLIES])
        lights += here
        bright += here >= 2
    return lights, bright
