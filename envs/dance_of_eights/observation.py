"""What one seat may know of a game of Dance of Eights, as one flat vector.

Egocentric: of every list of players the observer comes first, then the others in turn order. :func:`sections` is the slice
table, :func:`observe` writes the sections in the same order.
"""

import numpy as np

from envs.dance_of_eights.cards import ATTRIBUTES
from envs.dance_of_eights.ring_test import BITS
from envs.dance_of_eights.rules import DISCARD, hand_size, num_seats
from envs.dance_of_eights.state import HAND, NUM_CARDS, NUM_VALUES, ROW, VALUE_ROW
from envs.engine import inline, jit
from envs.engine.one_hot import ONE, ZERO, write_one_hot
from envs.engine.seats import distance, seat_after
from envs.game import Section

PHASES = 2
HIGH = 2.0  # no number of an observation is larger

HALF, EIGHTH = np.float32(1 / 2), np.float32(1 / HAND)
_BITS, _ONE, _COUNT = np.uint64(BITS), np.uint64(1), np.uint64((1 << BITS) - 1)


def sections(num_players: int) -> list[Section]:
    """The slice table of the observation for a number of players."""
    values = "; ".join(f"{attribute}: {', '.join(letters.values())}" for attribute, letters in ATTRIBUTES.items())
    return [
        Section("phase", (PHASES,), "one-hot: gain, discard; zeros when the game is over"),
        Section("current_player", (num_players,), "one-hot: who decides; zeros when the game is over"),
        Section("turns_left", (1,), "turns each player has left, this one with them / max_turns"),
        Section("sizes", (2,), "cards in the deck, cards in the discard area / cards in the pack"),
        Section("hand", (NUM_CARDS,), "own copies of each card / 2"),
        Section("discard", (NUM_CARDS,), "copies of each card in the discard area / 2"),
        Section("unseen", (NUM_CARDS,), "copies of each card in the deck or, not taken in the open, in another hand / 2"),
        Section("known", (num_players, NUM_CARDS), "copies of each card taken in the open and still held by the player / 2"),
        Section("values", (NUM_VALUES,), f"own dancers of each value / 8: {values}"),
        Section("odd", (NUM_VALUES,), "1: their number is odd"),
    ]


@jit
def observe(state, rules, seat, out):
    """Writes the view of a seat, every section in the order of :func:`sections`."""
    row, hand = rules["row"], state["hands"][seat]
    k = _write_table(state, rules, seat, out)
    k = _write_counts(hand, row, out, k)
    k = _write_counts(state["discard"], row, out, k)
    k = _write_unseen(state["unplaced"], hand, state["known"][seat], row, out, k)
    for steps in range(num_seats(state)):
        k = _write_counts(state["known"][seat_after(num_seats(state), seat, steps)], row, out, k)
    _write_values(state["tally"][seat], rules["value_row"], out, k)


@inline
def _write_table(state, rules, seat, out):
    """Phase, player to act, turns left and sizes."""
    players, phase, current = num_seats(state), int(state["phase"]), int(state["current_player"])
    k = write_one_hot(out, 0, PHASES, phase)
    k = write_one_hot(out, k, players, distance(players, seat, current) if current >= 0 else -1)
    turns, cards = int(rules["max_turns"]), int(rules["num_cards"])
    deck = int(state["deck_size"])
    held = players * hand_size(rules) + (phase == DISCARD)
    out[k] = np.float32(turns + 1 - int(state["turn"])) / np.float32(turns)
    out[k + 1] = np.float32(deck) / np.float32(cards)
    out[k + 2] = np.float32(cards - deck - held) / np.float32(cards)
    return k + 3


@inline
def _write_counts(counts, row, out, k):
    """Copies of each card; the zeros at the end are written over by the next section."""
    part = out[k : k + ROW]
    for card in range(row):
        part[card] = np.float32(counts[card]) * HALF
    return k + NUM_CARDS


@inline
def _write_unseen(unplaced, hand, known, row, out, k):
    """What lies neither in the discard area nor, taken in the open, in a hand, less the rest of the own hand."""
    part = out[k : k + ROW]
    for card in range(row):
        # Subtracted as floats: integers would be widened to 64 bits first.
        part[card] = (np.float32(unplaced[card]) - np.float32(hand[card]) + np.float32(known[card])) * HALF
    return k + NUM_CARDS


@inline
def _write_values(tally, row, out, k):
    """Numbers of own dancers and whether they are odd; the numbers' last zeros are written over."""
    counts, odd = out[k : k + VALUE_ROW], out[k + NUM_VALUES :]
    for value in range(row):
        counts[value] = np.float32(np.int64((tally >> (np.uint64(value) * _BITS)) & _COUNT)) * EIGHTH
    for value in range(NUM_VALUES):
        # Written so, and not as a number made from the bit, it becomes vector code.
        odd[value] = ONE if (tally >> (np.uint64(value) * _BITS)) & _ONE else ZERO
