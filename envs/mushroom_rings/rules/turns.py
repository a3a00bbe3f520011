"""The course of the game: turns, rounds, the end and the score (rule text: A turn, End)."""

import numpy as np

from envs.engine import NO_PLAYER, inline, jit
from envs.engine.seats import seat_after
from envs.mushroom_rings.rules.bonuses import go_on_scoring, next_ring, score_ring
from envs.mushroom_rings.state import (
    GNOME,
    GNOMES,
    NO_RING,
    NONE,
    NUM_COLORS,
    OVER,
    OWED,
    PLACE,
    PLACING,
    RINGS,
)

MOST_MUSHROOMS = 10_000  # more than any player has: points come before mushrooms


@inline
def num_seats(state):
    """Players of a game; known when the rules are compiled."""
    return len(state["treasure"])


@jit
def begin_turn(state, player):
    """A turn begins with the rings that others closed for the player (rule text: A turn 2)."""
    state["turn_player"] = player
    state["current_player"] = player
    state["turn_step"] = OWED
    state["laid"] = 0
    state["refused"] = False
    for ring in range(state["num_rings"]):
        if state["ring_owed"][ring] and state["ring_owner"][ring] == player:
            state["ring_closed"][ring] = True


@jit
def go_on(state, rules):
    """What comes next when nothing is asked: more of a ring, the next ring, the next step of the turn."""
    if state["ring_step"] != NO_RING:
        go_on_scoring(state, rules)
        return
    ring = next_ring(state)
    if ring != NONE:
        score_ring(state, rules, ring)
    elif state["turn_step"] == RINGS:
        _begin_gnome_step(state)
    elif state["turn_step"] == GNOMES:
        _end_turn(state)
    elif state["last_moves"]:
        _after_last_owed_rings(state)
    else:
        state["turn_step"] = PLACING
        state["phase"] = PLACE


@inline
def _begin_gnome_step(state):
    state["turn_step"] = GNOMES
    state["phase"] = GNOME


@inline
def _end_turn(state):
    """The next player's turn; when the round in which the end was triggered is over, the last rings and moves."""
    state["hand_gnome"] = NONE
    state["hand_place"] = NONE
    state["hand_sold"] = NONE
    following = seat_after(num_seats(state), state["turn_player"], 1)
    round_is_over = following == state["first_player"]
    if state["last_moves"]:
        if round_is_over:
            state["phase"] = OVER
            state["current_player"] = NO_PLAYER
        else:
            _begin_last_move(state, following)
    elif round_is_over and state["ending"]:
        state["last_moves"] = True
        begin_turn(state, following)
    else:
        state["round"] += round_is_over
        begin_turn(state, following)


@inline
def _after_last_owed_rings(state):
    """End: the next player's owed rings; after all of them the last gnome moves, from the first player."""
    following = seat_after(num_seats(state), state["turn_player"], 1)
    if following == state["first_player"]:
        _begin_last_move(state, following)
    else:
        begin_turn(state, following)


@inline
def _begin_last_move(state, player):
    state["turn_player"] = player
    state["current_player"] = player
    _begin_gnome_step(state)


@jit
def score(state, rules, scores, standings):
    """End: flowers, markers and treasure; a tie goes to the most unsold mushrooms, else it is shared."""
    for p in range(num_seats(state)):
        points = np.int64(rules["flower_scores"][state["num_flowers"][p]])
        points += np.int64(rules["marker_scores"][state["num_markers"][p]])
        points += np.int64(state["treasure"][p])
        unsold = np.int64(0)
        for color in range(NUM_COLORS):
            unsold += np.int64(state["mushrooms"][p, color])
        scores[p] = points
        standings[p] = points * MOST_MUSHROOMS + unsold


assert OWED == 0
