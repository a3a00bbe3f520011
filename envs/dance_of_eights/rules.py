"""The rules of Dance of Eights over one record.

Section names in the docstrings are those of the rule text. Nothing here raises or allocates; actions are legal.
"""

import numpy as np

from envs.dance_of_eights.ring_test import is_ring
from envs.dance_of_eights.state import (
    COUNTS_PER_WORD,
    DECK_WORDS,
    DISCARD_ACTION,
    DRAW_ACTION,
    HAND,
    NUM_CARDS,
    TAKE_ACTION,
    Phase,
)
from envs.engine import NO_PLAYER, RUNNING, TERMINATED, TRUNCATED, below, byte_total, find_byte, inline, jit
from envs.engine.seats import seat_after

# Compiled code takes plain numbers faster than enum members.
GAIN, DISCARD, OVER = (int(phase) for phase in Phase)


@inline
def num_seats(state):
    """Players of a game; known when the rules are compiled."""
    return len(state["tally"])


# --- The deck -----------------------------------------------------------------------------------------------------------

_ONE, _EIGHT = np.uint64(1), np.uint64(8)


@inline
def _in_deck(card):
    """One copy of a card, and the word of the deck that counts it."""
    return _ONE << (np.uint64(card % COUNTS_PER_WORD) * _EIGHT), card // COUNTS_PER_WORD


@inline
def add_to_deck(state, card, copies):
    """Puts copies of a card into the deck; the size is kept by the caller."""
    one, word = _in_deck(card)
    state["deck"][word] += one * np.uint64(copies)


@inline
def draw_from_deck(state):
    """Takes a random card out of the deck, which has one."""
    rank = np.uint64(below(state, int(state["deck_size"])))
    state["deck_size"] -= 1
    word = 0
    while rank >= byte_total(state["deck"][word]):
        rank -= byte_total(state["deck"][word])
        word += 1
    card = word * COUNTS_PER_WORD + np.int64(find_byte(state["deck"][word], rank))
    one, word = _in_deck(card)
    state["deck"][word] -= one
    return card


# --- Setup --------------------------------------------------------------------------------------------------------------


@jit
def reset(state, rules):
    """Setup: eight cards each, one card face up; a dealt Ring wins before the first turn."""
    lay_out(state, rules)
    for p in range(num_seats(state)):
        for _ in range(hand_size(rules)):
            deal_card(state, rules, p)
    turn_card_up(state)
    begin(state)


@inline
def hand_size(rules):
    """Setup: cards in a hand between turns."""
    return HAND - int(rules["fewer"])


@jit
def lay_out(state, rules):
    """Setup: all cards are in the deck."""
    state["turn"] = 1
    state["winner"] = NO_PLAYER
    state["deck_size"] = rules["num_cards"]
    for word in range(DECK_WORDS):
        state["deck"][word] = rules["deck"][word]
    for card in range(NUM_CARDS):
        state["unplaced"][card] = rules["copies"][card]
        state["discard"][card] = 0
    for p in range(num_seats(state)):
        for card in range(NUM_CARDS):
            state["hands"][p, card] = 0
            state["known"][p, card] = 0
        state["tally"][p] = np.uint64(0)


@inline
def deal_card(state, rules, p):
    """Setup: a card of the deck goes into a hand."""
    _add_to_hand(state, rules, p, draw_from_deck(state))


@inline
def turn_card_up(state):
    """Setup: one card from the top of the deck is flipped face up into the discard area."""
    card = draw_from_deck(state)
    state["discard"][card] += 1
    state["unplaced"][card] -= 1


@jit
def begin(state):
    """Setup: player 0 begins, unless somebody was dealt a Ring."""
    state["phase"] = GAIN
    state["current_player"] = 0
    for p in range(num_seats(state) - 1, -1, -1):
        if is_ring(state["tally"][p]):
            _win(state, p)


@inline
def _add_to_hand(state, rules, p, card):
    state["hands"][p, card] += 1
    state["tally"][p] += rules["values"][card]


# --- Turn events --------------------------------------------------------------------------------------------------------


@jit
def step(state, rules, action):
    """Plays a legal action of the player to act."""
    p = int(state["current_player"])
    if action >= DISCARD_ACTION:
        return _discard(state, rules, p, action - DISCARD_ACTION)
    if action == DRAW_ACTION:
        _add_to_hand(state, rules, p, draw_from_deck(state))
    else:
        _take(state, rules, p, action - TAKE_ACTION)
    state["phase"] = DISCARD
    return RUNNING


@jit
def legal(state, rules, mask):
    """Writes the action mask of the player to act."""
    mask[:] = 0
    if state["phase"] == GAIN:
        mask[DRAW_ACTION] = state["deck_size"] > 0
        _write_present(state["discard"], rules["cards"], mask[TAKE_ACTION:DISCARD_ACTION])
    else:
        _write_present(state["hands"][state["current_player"]], rules["cards"], mask[DISCARD_ACTION:])


@inline
def _write_present(counts, cards, mask):
    for card in range(cards):
        mask[card] = counts[card] > 0


@inline
def _take(state, rules, p, card):
    """Turn events: a card of the discard area goes into the hand, and everybody has seen which."""
    state["discard"][card] -= 1
    state["known"][p, card] += 1
    _add_to_hand(state, rules, p, card)


@inline
def _discard(state, rules, p, card):
    """Turn events: one of the nine cards goes face up into the discard area; the eight that stay may be a Ring."""
    state["hands"][p, card] -= 1
    state["tally"][p] -= rules["values"][card]
    state["discard"][card] += 1
    if state["known"][p, card] > 0:
        state["known"][p, card] -= 1
    else:
        state["unplaced"][card] -= 1
    if is_ring(state["tally"][p]):
        _win(state, p)
        return TERMINATED
    return _end_turn(state, rules, p)


@inline
def _end_turn(state, rules, p):
    """Turn events: on to the next player; after the last turn of the last player the game is cut off."""
    following = seat_after(num_seats(state), p, 1)
    if following == 0 and state["turn"] == rules["max_turns"]:
        state["phase"] = OVER
        state["current_player"] = NO_PLAYER
        return TRUNCATED
    state["turn"] += following == 0
    state["phase"] = GAIN
    state["current_player"] = following
    return RUNNING


# --- Winning ------------------------------------------------------------------------------------------------------------


@jit
def _win(state, p):
    """Winning: the player shows a Ring and the game is over."""
    state["winner"] = p
    state["phase"] = OVER
    state["current_player"] = NO_PLAYER


@jit
def score(state, rules, scores, standings):
    """Winning: 1 for the winner; the others are equal."""
    for p in range(num_seats(state)):
        wins = p == state["winner"]
        scores[p] = wins
        standings[p] = wins
