"""What a seat can know of the immediate result of each of its actions in Fairy Ring.

A card that is chosen, or placed, is tried on a copy of the game by the rules of placing and flying; nothing hidden is read. On
a choice of a card the table is taken as it stands, though others may resolve first. What the next cards will pay is told by
their movements alone: those of the hand that comes next, where it is known, else of all cards that may be in it.
:func:`action_sections` is the slice table.
"""

from typing import Any

import numpy as np

from envs.engine import inline, jit
from envs.engine.seats import seat_after
from envs.fairy_ring.observation import PHASES
from envs.fairy_ring.rules.decisions import next_mushroom
from envs.fairy_ring.rules.seats import knows_hand, num_seats
from envs.fairy_ring.rules.villages import complete_objectives, mana_of, objective_progress, put_card
from envs.fairy_ring.state import (
    ACADEMY,
    CARD_FEATURES,
    CHOOSE,
    CHOOSE_ACTION,
    FIREFLIES,
    FLY,
    FLY_ACTION,
    GATHER_ACTION,
    GROW_ACTION,
    MANA_PER_POINT,
    MOVEMENTS,
    MUSHROOMS,
    NUM_OBJECTIVES,
    PAYS,
    PLACE,
    PLANT_LEFT_ACTION,
    PLANT_RIGHT_ACTION,
    ROUNDS,
    SPRING,
    STACK,
    TURNS,
)
from envs.game import MOST_FEATURE, Game, Section

OPEN_OBJECTIVES = 3  # in play at once
FLIGHT = 8  # numbers of a flight
FARTHEST = 15  # movements are taken to be at most so far where next turns are looked at
NEXT_HAND, PASSED_HAND = 0, 1
WAYS = 3  # to place a card: planted on the left, planted on the right, grown on
WAY = 1 + FLIGHT + 8 + 1 + OPEN_OBJECTIVES

_PHASE = 1  # behind `legal`
_CARD = _PHASE + PHASES
_FLIGHT = _CARD + CARD_FEATURES
_WAYS = _FLIGHT + FLIGHT

_MOST = np.float32(MOST_FEATURE)
_MANA = np.float32(1 / MANA_PER_POINT)
_TENTH = np.float32(1 / 10)


def describe_tools(game: Game) -> Any:
    """What :func:`describe` works with: a game to try in, and how many cards of the hands to come fly how far."""
    return np.zeros(1, game.state_dtype), np.zeros((2, FARTHEST + 1), np.float64)


def action_sections() -> list[Section]:
    """The slice table of the features of an action, behind ``legal``."""
    flight = (
        "paid to the player / 20, to the others / 20, 1: it lands in the own village, steps from there to that village / 10; on "
        "the next turn, from there, mean and best of what the movements of the next hand pay more than to the others / 20; the "
        "same of the player on the left from where its fairy stands and with the hand passed on"
    )
    way = (
        f"1: possible; of the movement that pays most more than to the others: {flight}; what the placed mushroom pays / 20; of "
        "the village then: best pay / 20 (no Academy or Spring), best pay per step (Academy) / 20, all pays / 100, fireflies "
        "/ 10, mushrooms / 10, best pay times turns left / 100, fireflies times turns left / 100; points of objectives; how far "
        f"the open objectives are reached ({OPEN_OBJECTIVES}), 1: in full"
    )
    return [
        Section("phase", (PHASES,), "one-hot: choose, place, fly, gather"),
        Section("card", (CARD_FEATURES,), "chosen or placed: type one-hot, 3 movements / 10, fireflies / 2, mana / 10"),
        Section("flight", (FLIGHT,), f"of a flight, or, of gathering, what it pays / 20: {flight}"),
        Section("ways", (WAYS, WAY), f"to place the card, left, right, grown (chosen: on what pays most then): {way}"),
    ]


@jit
def describe(state, rules, seat, mask, tools, out):
    """Writes the features of the legal actions, every section in the order of :func:`action_sections`."""
    trial, counts = tools
    phase = int(state["phase"])
    _count_next_hand(state, rules, seat, counts)
    _count_passed_hand(state, rules, seat, counts)
    for action in range(len(mask)):
        if mask[action]:
            out[action, _PHASE + phase] = 1
            if phase == CHOOSE:
                _describe_card(state, rules, seat, int(state["hand"][seat, action - CHOOSE_ACTION]), trial, counts, out, action)
            elif phase == PLACE:
                card = int(state["chosen"][seat])
                _write_card(rules, card, out, action)
                way = min(action, GROW_ACTION) - PLANT_LEFT_ACTION
                _describe_way(state, rules, seat, card, action, trial, counts, out, action, _WAYS + WAY * way)
            elif phase == FLY:
                movement = int(rules["movement"][int(state["played"]), action - FLY_ACTION])
                _write_flight(state, seat, movement, counts, out, action, _FLIGHT)
            else:
                mana = mana_of(state, seat, action - GATHER_ACTION, int(state["movement"]))
                out[action, _FLIGHT] = min(_MOST, np.float32(mana) * _MANA)


@jit
def _describe_card(state, rules, seat, card, trial, counts, out, action):
    """Describes the choice of a card by the ways to place it; the card is not passed on."""
    _write_card(rules, card, out, action)
    _count(rules, card, counts, PASSED_HAND, -1)
    _describe_way(state, rules, seat, card, PLANT_LEFT_ACTION, trial, counts, out, action, _WAYS)
    _describe_way(state, rules, seat, card, PLANT_RIGHT_ACTION, trial, counts, out, action, _WAYS + WAY)
    grown = _best_to_grow(state, rules, seat, card)
    if grown >= 0:
        _describe_way(state, rules, seat, card, GROW_ACTION + grown, trial, counts, out, action, _WAYS + 2 * WAY)
    _count(rules, card, counts, PASSED_HAND, 1)


@inline
def _write_card(rules, card, out, action):
    for i in range(CARD_FEATURES):
        out[action, _CARD + i] = rules["card_features"][card + 1, i]


@jit
def _best_to_grow(state, rules, seat, card):
    """The own mushroom on which a card would grow that pays most now, the highest of equal ones; -1 if there is none."""
    kind, best, chosen = int(rules["type"][card]), -1, -1
    for mushroom in range(int(state["num_mushrooms"][seat])):
        size = int(state["village"][seat, mushroom, kind])
        rank = int(state["village"][seat, mushroom, PAYS]) * (STACK + 1) + size
        if 0 < size < STACK and rank > best:
            best, chosen = rank, mushroom
    return chosen


@jit
def _describe_way(state, rules, seat, card, place, trial, counts, out, action, k):
    """Places a card in a copy of the game and writes what then stands, and what its best flight pays."""
    trial[0] = state
    put_card(trial[0], rules, seat, card, place)
    out[action, k] = 1
    _write_flight(trial[0], seat, _best_movement(trial[0], rules, seat, card), counts, out, action, k + 1)
    mushroom = place - GROW_ACTION
    if place == PLANT_LEFT_ACTION:
        mushroom = 0
    elif place == PLANT_RIGHT_ACTION:
        mushroom = int(trial[0]["num_mushrooms"][seat]) - 1
    out[action, k + 1 + FLIGHT] = min(_MOST, np.float32(trial[0]["village"][seat, mushroom, PAYS]) * _MANA)
    _write_village(trial[0], seat, out, action, k + 2 + FLIGHT)
    _write_objectives(trial[0], seat, out, action, k + WAY - 1 - OPEN_OBJECTIVES)


# --- flights ------------------------------------------------------------------------------------------------------------


@jit
def _best_movement(state, rules, seat, card):
    """Of a card's movements the one that pays the player most more than the others on average; only a Spring has several."""
    best, chosen = -1e9, 0
    for option in range(MOVEMENTS):
        movement = int(rules["movement"][card, option])
        if movement > 0:
            own, others, _, _ = _fly(state, seat, movement)
            gain = own - others / (num_seats(state) - 1)
            if gain > best:
                best, chosen = gain, movement
    return chosen


@jit
def _write_flight(state, seat, movement, counts, out, action, k):
    if movement > 0:
        own, others, at, mushroom = _fly(state, seat, movement)
        out[action, k] = min(_MOST, np.float32(own) * _MANA)
        out[action, k + 1] = min(_MOST, np.float32(others) * _MANA)
        out[action, k + 2] = at == seat
        out[action, k + 3] = min(_MOST, np.float32(_steps_home(state, seat, at, mushroom)) * _TENTH)
        mean, best = _onward(state, seat, at, mushroom, counts, NEXT_HAND)
        out[action, k + 4], out[action, k + 5] = _clip(mean), _clip(best)
        left = seat_after(num_seats(state), seat, 1)
        at, mushroom = int(state["fairy_village"][left]), int(state["fairy_mushroom"][left])
        mean, best = _onward(state, left, at, mushroom, counts, PASSED_HAND)
        out[action, k + 6], out[action, k + 7] = _clip(mean), _clip(best)


@inline
def _clip(mana):
    return max(-_MOST, min(_MOST, np.float32(mana) * _MANA))


@jit
def _fly(state, seat, movement):
    """What a flight pays the player and the others, and where it ends: village and mushroom."""
    at, mushroom = int(state["fairy_village"][seat]), int(state["fairy_mushroom"][seat])
    own, others = 0, 0
    for left in range(movement, 0, -1):
        at, mushroom = next_mushroom(state, at, mushroom)
        if left > 1 and state["type"][at, mushroom] == SPRING:
            pays = int(state["village"][at, mushroom, PAYS])
            own += pays if at == seat else 0
            others += 0 if at == seat else pays
    kind = int(state["type"][at, mushroom])
    if kind != SPRING:
        pays = mana_of(state, at, mushroom, movement)
        own += pays if at == seat else _best_own(state, seat, kind, movement)
        others += 0 if at == seat else pays
    return own, others, at, mushroom


@jit
def _best_own(state, seat, kind, movement):
    """What the best-paying own mushroom of a type pays; 0 if there is none."""
    most = 0
    for mushroom in range(int(state["num_mushrooms"][seat])):
        if state["type"][seat, mushroom] == kind:
            most = max(most, mana_of(state, seat, mushroom, movement))
    return most


@jit
def _steps_home(state, seat, at, mushroom):
    """Steps of a fairy until it is in the own village; 0 if it is there."""
    steps = 0
    while at != seat:
        steps += mushroom + 1
        at = at + 1 if at + 1 < num_seats(state) else 0
        mushroom = int(state["num_mushrooms"][at]) - 1
    return steps


# --- the next turn ------------------------------------------------------------------------------------------------------


@jit
def _count_next_hand(state, rules, seat, counts):
    """Counts how many cards fly how far of those that may be in the player's next hand; none before the game's last turns."""
    for movement in range(FARTHEST + 1):
        counts[NEXT_HAND, movement] = 0.0
    seats, last = num_seats(state), state["turn"] == TURNS
    giver = seat_after(seats, seat, seats - 1)
    if not last and knows_hand(state, seat, giver):
        for place in range(int(state["hand_size"][giver])):
            _count(rules, int(state["hand"][giver, place]), counts, NEXT_HAND, 1)
    elif not (last and state["round"] == ROUNDS):
        number = int(state["round"]) if last else int(state["round"]) - 1
        for slot in range(len(state["box"])):
            copies = int(rules["copies"][number, slot]) if last else int(state["unseen"][seat, slot])
            if copies > 0:
                _count(rules, int(rules["deck"][number, slot]), counts, NEXT_HAND, copies)


@jit
def _count_passed_hand(state, rules, seat, counts):
    """Counts the same of the own hand, which goes to the left; of no hand where new ones are dealt."""
    for movement in range(FARTHEST + 1):
        counts[PASSED_HAND, movement] = 0.0
    if state["turn"] < TURNS:
        for place in range(int(state["hand_size"][seat])):
            _count(rules, int(state["hand"][seat, place]), counts, PASSED_HAND, 1)


@inline
def _count(rules, card, counts, hand, copies):
    for option in range(MOVEMENTS):
        movement = int(rules["movement"][card, option])
        if movement > 0:
            counts[hand, min(movement, FARTHEST)] += copies


@jit
def _onward(state, seat, at, mushroom, counts, hand):
    """Mean and best of what flights from a place would pay a seat more than the others on average, by the cards counted."""
    share = 1.0 / (num_seats(state) - 1)
    passed, total, cards, best = 0.0, 0.0, 0.0, -1e9
    for movement in range(1, FARTHEST + 1):
        at, mushroom = next_mushroom(state, at, mushroom)
        kind, pays = int(state["type"][at, mushroom]), int(state["village"][at, mushroom, PAYS])
        number = counts[hand, movement]
        if number > 0:
            gain = passed
            if kind != SPRING:
                mana = mana_of(state, at, mushroom, movement)
                gain += mana if at == seat else _best_own(state, seat, kind, movement) - share * mana
            total += number * gain
            cards += number
            best = max(best, gain)
        if kind == SPRING:
            passed += pays if at == seat else -share * pays
    return (total / cards, best) if cards > 0 else (0.0, 0.0)


# --- the village afterwards ---------------------------------------------------------------------------------------------


@jit
def _write_village(state, seat, out, action, k):
    best, academy, total, fireflies = 0, 0, 0, 0
    for mushroom in range(MUSHROOMS):
        kind, pays = int(state["type"][seat, mushroom]), int(state["village"][seat, mushroom, PAYS])
        if kind == ACADEMY:
            academy = max(academy, pays)
        elif kind != SPRING:
            best = max(best, pays)
        total += pays
        fireflies += int(state["village"][seat, mushroom, FIREFLIES])
    left = (ROUNDS - int(state["round"])) * TURNS + TURNS - int(state["turn"])
    out[action, k] = min(_MOST, np.float32(best) * _MANA)
    out[action, k + 1] = min(_MOST, np.float32(academy) * _MANA)
    out[action, k + 2] = min(_MOST, np.float32(total) / np.float32(100))
    out[action, k + 3] = min(_MOST, np.float32(fireflies) * _TENTH)
    out[action, k + 4] = np.float32(state["num_mushrooms"][seat]) * _TENTH
    out[action, k + 5] = min(_MOST, np.float32(best * left) / np.float32(100))
    out[action, k + 6] = min(_MOST, np.float32(fireflies * left) / np.float32(100))


@jit
def _write_objectives(state, seat, out, action, k):
    """Writes the points of objectives that the trial village newly fulfils, and how far the open ones are reached."""
    missing = int(state["objectives"]) & ~int(state["completed"][seat])
    if missing == 0:
        return
    before, place = int(state["points"][seat]), 0
    for objective in range(NUM_OBJECTIVES):
        if missing >> objective & 1 and place < OPEN_OBJECTIVES:
            reached, needed = objective_progress(state, seat, objective)
            out[action, k + 1 + place] = np.float32(min(reached, needed)) / np.float32(needed)
            place += 1
    complete_objectives(state, seat)
    out[action, k] = int(state["points"][seat]) - before

