"""What each field of a record of Fairy Ring may be, in words, and what its checks ask of more than one field."""

from envs.engine import field_numbers, inline
from envs.engine.seats import distance
from envs.fairy_ring.cards import MAX_CARDS
from envs.fairy_ring.rules.seats import num_seats
from envs.fairy_ring.state import CHOOSE, MANA_PER_POINT, MOST_POINTS, MUSHROOMS, OVER, PLACE, ROUNDS, STACK, TURNS, state_dtype

FIELD = field_numbers(state_dtype(2, 1))  # the places are the same for every number of players

POSSIBLE = {
    "decisions": "a number of decisions, at most as many as lead to this turn",
    "current_player": "a seat at the table, and -1 when the game is over",
    "phase": "one of the phases; gather only after a flight to another village, with own mushrooms that pay differently",
    "round": f"from 1 to {ROUNDS}, {ROUNDS} when the game is over",
    "turn": f"from 1 to {TURNS}, {TURNS} when the game is over",
    "first_player": "a seat at the table",
    "played": "in phases fly (a Spring) and gather a card of the round, on top of an own mushroom, else -1",
    "movement": "in phase gather a movement of the card played, else 0",
    "objectives": "a side of three of the four objective cards with option objectives, else none",
    "completed": "some of the objectives in play",
    "mana": f"from 0 to {MANA_PER_POINT - 1}",
    "points": f"from 0 to {MOST_POINTS}",
    "hand": "cards of the round in order of their ids, as many as hand_size, then -1",
    "hand_size": "what turn and phase leave of seven cards",
    "chosen": "in its time a card of the round, in the hand until it is revealed, else -1",
    "fairy_village": "a seat at the table",
    "fairy_mushroom": "a mushroom of the village in which the fairy stands",
    "num_mushrooms": f"the number of mushrooms that have cards, from 1 to {MUSHROOMS}",
    "cards": f"in each mushroom 1 to {STACK} cards of one type, dealt so far and no more often than their deck has them, in a "
    "village at most one and one for each turn; then -1",
    "type": "the type of each mushroom's cards, then 0",
    "village": "size, fireflies and pay of each mushroom, then zeros",
    "box": "the copies of each card of the round that are in no hand and no village, 0 when the game is over",
    "unseen": "what is in the box and in hands that the seat has not held, 0 when the game is over",
}
"""What each field may be, for messages."""


# --- a turn -------------------------------------------------------------------------------------------------------------


@inline
def order(state, p):
    """How many players come before ``p`` in a turn."""
    return distance(num_seats(state), int(state["first_player"]), p)


@inline
def has_revealed(state, p):
    """Whether the card that a player has chosen this turn has been turned up, and perhaps placed already."""
    phase, current = int(state["phase"]), int(state["current_player"])
    return phase == OVER or (phase != CHOOSE and order(state, p) <= order(state, current))


@inline
def is_placing(state, p):
    """Whether a player is about to place the card just revealed."""
    return state["phase"] == PLACE and p == state["current_player"]


# --- the decks ----------------------------------------------------------------------------------------------------------


@inline
def copies_in_round(rules, card, number):
    """How many copies of a card the deck of a round has; the card may be any number."""
    if not 0 <= card < MAX_CARDS:
        return 0
    slot = rules["slot"][card]
    return int(rules["copies"][number - 1, slot]) if rules["deck"][number - 1, slot] == card else 0


@inline
def copies_dealt(state, rules, card):
    """How many copies of it the start deck and the decks of the rounds so far have."""
    if not 0 <= card < MAX_CARDS:
        return 0
    earlier = copies_in_round(rules, card, 1) if state["round"] > 1 else 0
    return int(rules["starting_copies"][card]) + earlier + copies_in_round(rules, card, int(state["round"]))
