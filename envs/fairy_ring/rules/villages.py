"""Villages: planting and growing mushrooms, what each of them pays, and the objectives.

Section names in the docstrings are those of the rulebook. Places of a village without a mushroom hold zeros, so loops run over
all of them and choose values, not ways: a way the processor guesses wrong costs as much as twenty sums.
"""

import numpy as np

from envs.engine import inline, jit
from envs.fairy_ring.rules.seats import num_seats
from envs.fairy_ring.state import (
    ACADEMY,
    COLUMNS,
    FIREFLIES,
    GROW_ACTION,
    LUMINARIUM,
    MUSHROOMS,
    NO_CARD,
    NUM_OBJECTIVES,
    NUM_TYPES,
    PAYS,
    PLANT_LEFT_ACTION,
    PLANT_RIGHT_ACTION,
    POLLENARIUM,
    STACK,
)

# --- 1. Place your Mushroom --------------------------------------------------------------------------------------------


@jit
def put_card(state, rules, p, card, action):
    """1. Place your Mushroom: plant the card at an end of the village or let a mushroom grow with it."""
    if action == PLANT_LEFT_ACTION:
        _make_room_left(state, p)
        plant(state, rules, p, 0, card)
    elif action == PLANT_RIGHT_ACTION:
        plant(state, rules, p, int(state["num_mushrooms"][p]), card)
    else:
        grow(state, rules, p, action - GROW_ACTION, card)


@jit
def _make_room_left(state, p):
    """Moves a village one place to the right, with every fairy that stands in it."""
    cards, village, kinds = state["cards"][p], state["village"][p], state["type"][p]
    for mushroom in range(MUSHROOMS - 1, 0, -1):
        kinds[mushroom] = kinds[mushroom - 1]
        for i in range(STACK):
            cards[mushroom, i] = cards[mushroom - 1, i]
        for column in range(COLUMNS):
            village[mushroom, column] = village[mushroom - 1, column]
    for q in range(num_seats(state)):
        state["fairy_mushroom"][q] += state["fairy_village"][q] == p


@jit
def plant(state, rules, p, mushroom, card):
    """Plant a new Mushroom at the given place of the village."""
    cards, village = state["cards"][p, mushroom], state["village"][p, mushroom]
    for i in range(STACK):
        cards[i] = NO_CARD
    for column in range(COLUMNS):
        village[column] = 0
    state["num_mushrooms"][p] += 1
    state["type"][p, mushroom] = rules["type"][card]
    cards[0] = card
    village[rules["type"][card]] = 1
    village[FIREFLIES] = rules["fireflies"][card]
    _appraise(state, rules, p, mushroom, card, 1)


@jit
def grow(state, rules, p, mushroom, card):
    """Make a Mushroom grow: the card covers the top one."""
    village = state["village"][p, mushroom]
    kind = rules["type"][card]
    size = int(village[kind]) + 1
    state["cards"][p, mushroom, size - 1] = card
    village[kind] = size
    covered = village[FIREFLIES] if rules["all_fireflies"] else np.int8(0)
    village[FIREFLIES] = covered + rules["fireflies"][card]
    _appraise(state, rules, p, mushroom, card, size)


# --- Mushroom details --------------------------------------------------------------------------------------------------


@jit
def _appraise(state, rules, p, mushroom, card, size):
    """Mushroom details: what the mushrooms of a village pay, after a card made one of them ``size`` cards high."""
    state["village"][p, mushroom, PAYS] += rules["adds"][card, size]
    _appraise_dependent(state, p)


@inline
def _appraise_dependent(state, p):
    """Mushroom details, Luminarium and Pollenarium: they depend on the whole village."""
    mushrooms = int(state["num_mushrooms"][p])
    fireflies = 0
    for mushroom in range(MUSHROOMS):
        fireflies += int(state["village"][p, mushroom, FIREFLIES])
    for mushroom in range(MUSHROOMS):
        village = state["village"][p, mushroom]
        luminarium, pollenarium, pays = int(village[LUMINARIUM]), int(village[POLLENARIUM]), int(village[PAYS])
        dependent = luminarium * fireflies + pollenarium * mushrooms
        village[PAYS] = dependent if luminarium | pollenarium else pays


@inline
def mana_of(state, p, mushroom, movement):
    """What a mushroom pays when a fairy has just flown so far."""
    pays = int(state["village"][p, mushroom, PAYS])
    return pays * movement if state["type"][p, mushroom] == ACADEMY else pays


# --- Variant: Objective cards ------------------------------------------------------------------------------------------


@jit
def complete_objectives(state, p):
    """Variant, Resolve: a point for each objective in play that the village fulfils for the first time."""
    missing = int(state["objectives"]) & ~int(state["completed"][p])
    if missing == 0:
        return
    for objective in range(NUM_OBJECTIVES):
        if missing >> objective & 1 and _is_fulfilled(state, p, objective):
            state["completed"][p] |= 1 << objective
            state["points"][p] += 1


@inline
def _is_fulfilled(state, p, objective):
    reached, needed = objective_progress(state, p, objective)
    return reached >= needed


@jit
def objective_progress(state, p, objective):
    """The eight objectives, in the order of the Japanese text's list: how much of a village counts, and how much is needed."""
    if objective == 0:
        return _visible_fireflies(state, p), 10
    if objective == 1:
        return _at_least(state, p, FIREFLIES, 2), 3
    if objective == 2:
        return int(state["num_mushrooms"][p]), 7
    if objective == 3:
        return _different_types(state, p), 6
    if objective == 4:
        return _most_of_a_type(state, p), 3
    if objective == 5:
        return _mushrooms_of_size(state, p, 3), 3
    if objective == 6:
        return _mushrooms_of_size(state, p, 2), 4
    return _mushrooms_of_size(state, p, 4), 2


@jit
def _visible_fireflies(state, p):
    total = 0
    for mushroom in range(MUSHROOMS):
        total += int(state["village"][p, mushroom, FIREFLIES])
    return total


@jit
def _at_least(state, p, column, least):
    """How many mushrooms of a village have so much in a column; written as a loop it compiles in a tenth of the time."""
    mushrooms = 0
    for mushroom in range(MUSHROOMS):
        mushrooms += state["village"][p, mushroom, column] >= least
    return mushrooms


@jit
def _different_types(state, p):
    types = 0
    for kind in range(NUM_TYPES):
        types += _at_least(state, p, kind, 1) > 0
    return types


@jit
def _most_of_a_type(state, p):
    most = 0
    for kind in range(NUM_TYPES):
        most = max(most, _at_least(state, p, kind, 1))
    return most


@jit
def _mushrooms_of_size(state, p, least):
    mushrooms = 0
    for kind in range(NUM_TYPES):
        mushrooms += _at_least(state, p, kind, least)
    return mushrooms
