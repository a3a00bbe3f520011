"""Sizes, action numbers, phases and the record of a game of Fairy Ring."""

from enum import IntEnum
from typing import Any

import numpy as np

from envs.engine import record_dtype
from envs.fairy_ring.cards import HAND_SIZE, MAX_CARDS, TYPES

HAND = HAND_SIZE  # cards dealt to each player at the start of a round
TURNS = 6  # turns in a round; the seventh card is never played
ROUNDS = 2
DECISIONS_PER_TURN = 4  # choose, place, fly, gather
MUSHROOMS = 13  # most mushrooms in a village: the starting card and one for each turn
STACK = 4  # most cards of one mushroom
MOVEMENTS = 3  # movements to choose from on a Spring
MANA_PER_POINT = 20
MOST_POINTS = 32000  # of a position that is read; no game comes near
PLENTY = 1000  # more mana than any mushroom pays for a step of the fairy
NUM_TYPES = len(TYPES)
MAGIDROME, ACADEMY, LOOKOUT, LUMINARIUM, POLLENARIUM, SPRING = range(NUM_TYPES)
NUM_OBJECTIVES = 8

NO_CARD = -1

CHOOSE_ACTION = 0
PLANT_LEFT_ACTION = CHOOSE_ACTION + HAND
PLANT_RIGHT_ACTION = PLANT_LEFT_ACTION + 1
GROW_ACTION = PLANT_RIGHT_ACTION + 1
FLY_ACTION = GROW_ACTION + MUSHROOMS
GATHER_ACTION = FLY_ACTION + MOVEMENTS
NUM_ACTIONS = GATHER_ACTION + MUSHROOMS


class Phase(IntEnum):
    """What the player to act decides."""

    CHOOSE = 0
    PLACE = 1
    FLY = 2
    GATHER = 3
    OVER = 4


# Compiled code takes plain numbers faster than enum members.
CHOOSE, PLACE, FLY, GATHER, OVER = (int(phase) for phase in Phase)

# Columns of a mushroom in `village`: how many cards, in the column of its type (so a mushroom is also its own one-hot
# code), its visible fireflies, and what it pays now (an Academy: for each step of the fairy's movement).
FIREFLIES = NUM_TYPES
PAYS = NUM_TYPES + 1
COLUMNS = NUM_TYPES + 2


def state_dtype(num_players: int, round_cards: int) -> np.dtype:
    """The record of a game.

    Args:
        num_players: Seats.
        round_cards: Different cards in the larger of the two round decks.
    """
    seats = (num_players,)
    fields: list[tuple[Any, ...]] = [
        ("phase", np.int8),  # a Phase
        ("round", np.int8),  # 1 or 2
        ("turn", np.int8),  # 1 to 6
        ("first_player", np.int8),  # who holds the tile
        ("played", np.int8),  # card just placed, in phases FLY and GATHER, else NO_CARD
        ("movement", np.int8),  # how far the fairy just flew, in phase GATHER, else 0
        ("objectives", np.int16),  # bit n: objective n + 1 is in play
        ("completed", np.int16, seats),  # bit n: the player has completed objective n + 1
        ("mana", np.int16, seats),  # 0 to 19
        ("points", np.int16, seats),
        ("hand", np.int8, (num_players, HAND)),  # sorted card ids, then NO_CARD; a chosen card stays until revealed
        ("hand_size", np.int8, seats),
        ("chosen", np.int8, seats),  # the card chosen and not yet placed, else NO_CARD
        ("fairy_village", np.int8, seats),  # in whose village the player's fairy stands
        ("fairy_mushroom", np.int8, seats),  # and on which mushroom of it
        ("num_mushrooms", np.int8, seats),
        # Over 64 bytes: every card keeps its place for the state dict and for replays.
        ("cards", np.int8, (num_players, MUSHROOMS, STACK)),  # bottom to top, mushrooms from left to right
        ("type", np.int8, (num_players, MUSHROOMS)),
        # Over 64 bytes: the village as it is observed, so that it is converted in one sweep.
        ("village", np.int8, (num_players, MUSHROOMS, COLUMNS)),
        ("box", np.int8, (round_cards,)),  # how many of each card of this round's deck were not dealt
        # Over 64 bytes: what each seat has not seen of this round's deck, for perfect recall and for re-dealing.
        ("unseen", np.int8, (num_players, round_cards)),
    ]
    return record_dtype(fields)


# What a card looks like in an observation: type one-hot, movements, fireflies, mana.
CARD_FEATURES = NUM_TYPES + MOVEMENTS + 2


def rules_dtype(round_cards: int) -> np.dtype:
    """The component tables of one card list, one option set and one number of players; read only."""
    return np.dtype(
        [
            # The compiler unrolls a short loop whose length it knows, number by number; of one whose length it does not know
            # it makes vector code.
            ("round_cards", np.int64),
            ("type", np.int8, (MAX_CARDS,)),
            ("movement", np.int8, (MAX_CARDS, MOVEMENTS)),  # one movement, a Spring three, else 0
            ("fireflies", np.int8, (MAX_CARDS,)),
            ("slot", np.int8, (MAX_CARDS,)),  # the card's place in its round's deck
            ("starting_copies", np.int8, (MAX_CARDS,)),  # copies of each starting card
            ("deck", np.int8, (ROUNDS, round_cards)),  # card ids of each round's deck, then NO_CARD
            ("copies", np.int8, (ROUNDS, round_cards)),  # copies of each that take part with this many players
            # What a card adds to what its mushroom pays, by the number of cards with it; not of types that depend on the village.
            ("adds", np.int8, (MAX_CARDS, STACK + 1)),
            ("all_fireflies", np.bool_),  # covered fireflies are visible too
            ("with_objectives", np.bool_),
            # Row 0 is NO_CARD, row 1 is card 0 and so on: an index that is never negative needs no check.
            ("card_features", np.float32, (MAX_CARDS + 1, CARD_FEATURES)),
        ],
        align=True,
    )
