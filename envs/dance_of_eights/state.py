"""Sizes, action numbers, phases and the record of a game of Dance of Eights."""

from enum import IntEnum
from typing import Any

import numpy as np

from envs.dance_of_eights.cards import VALUES, load_cards
from envs.engine import record_dtype

HAND = 8  # cards in a hand between turns; the tiny game has half of them, see `RULES["fewer"]`
DECISIONS_PER_TURN = 2  # gain, discard
NUM_CARDS = len(load_cards())  # distinct cards
NUM_VALUES = len(VALUES)  # values of all attributes together
VALUE_ROW = 16

DRAW_ACTION = 0
TAKE_ACTION = 1
DISCARD_ACTION = TAKE_ACTION + NUM_CARDS
NUM_ACTIONS = DISCARD_ACTION + NUM_CARDS

# The deck is eight counts to a word, one in each byte: a random card is found in a few operations on whole words.
COUNTS_PER_WORD = 8
DECK_WORDS = -(-NUM_CARDS // COUNTS_PER_WORD)
ROW = -(-NUM_CARDS // 16) * 16  # a list of counts with the zeros that fill up the last vector of sixteen


class Phase(IntEnum):
    """What the player to act decides."""

    GAIN = 0
    DISCARD = 1
    OVER = 2


def state_dtype(num_players: int) -> np.dtype:
    """The record of a game for a number of players; it has no gaps, so equal games are equal bytes."""
    fields: list[tuple[Any, ...]] = [
        ("phase", np.int8),  # a Phase
        ("winner", np.int16),  # a seat, NO_PLAYER while nobody has won
        ("turn", np.int32),  # the round of the table, from 1
        ("deck_size", np.int32),
        ("deck", np.uint64, (DECK_WORDS,)),  # copies of each card in the face-down deck, packed
        ("tally", np.uint64, (num_players,)),  # of each hand: how many dancers have each value, packed as in `ring_test.py`
        ("discard", np.int8, (ROW,)),  # copies of each card in the discard area
        ("hands", np.int8, (num_players, ROW)),  # copies of each card in each hand
        ("known", np.int8, (num_players, ROW)),  # those of them that were taken in the open; zeros up to ROW
        # Copies of each card that lie neither in the discard area nor, taken in the open, in a hand; it follows from the
        # other fields and saves every observation a sum over the players.
        ("unplaced", np.int8, (ROW,)),
    ]
    return record_dtype(fields)


RULES = np.dtype(
    [
        # NUM_CARDS, ROW and VALUE_ROW. The compiler unrolls a loop whose length it knows, number by number; of a loop
        # whose length it does not know it makes vector code (3x).
        ("cards", np.int64),
        ("row", np.int64),
        ("value_row", np.int64),
        ("max_turns", np.int16),
        ("num_cards", np.int16),  # cards of the whole pack
        # How many cards a hand has less than HAND. Written so, the tables of the game itself have the bytes, and so the digest,
        # that they had before there was a shorter hand.
        ("fewer", np.int8),
        ("deck", np.uint64, (DECK_WORDS,)),  # the whole pack, packed as in the record
        ("values", np.uint64, (ROW,)),  # each card's contribution to a tally, zeros up to ROW
        ("copies", np.int8, (NUM_CARDS,)),  # copies of each card in the whole pack
    ],
    align=True,
)
"""The component tables of one choice of options; read only."""
