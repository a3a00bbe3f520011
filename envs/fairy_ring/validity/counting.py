"""Whether the cards of a record of Fairy Ring add up: every copy of every card is in one place, and seen by who has seen it.

What stands in villages and hands has been checked already, see ``validity``. Nearly always all cards in sight differ, which a bit
for each of them shows; only otherwise are copies counted.
"""

import numpy as np

from envs.engine import inline, jit
from envs.fairy_ring.rules.seats import knows_hand, num_seats
from envs.fairy_ring.state import HAND, NO_CARD, OVER, STACK
from envs.fairy_ring.validity.fields import FIELD, copies_dealt, copies_in_round, is_placing

_WORD = 64  # bits of a word
_NONE, _ONE = np.uint64(0), np.uint64(1)


@inline
def _num_places(state, p):
    """Places in which cards of a player can lie in sight: the village, the hand, and a chosen card turned up."""
    return int(state["num_mushrooms"][p]) * STACK + HAND + 1


@inline
def _card_at(state, p, place):
    """The card that lies there, or NO_CARD."""
    hand = int(state["num_mushrooms"][p]) * STACK
    if place < hand:
        return int(state["cards"][p, place // STACK, place % STACK])
    if place < hand + HAND:
        return int(state["hand"][p, place - hand])
    return int(state["chosen"][p]) if is_placing(state, p) else NO_CARD


@inline
def _field_of(state, p, place):
    hand = int(state["num_mushrooms"][p]) * STACK
    if place < hand:
        return FIELD.cards
    return FIELD.hand if place < hand + HAND else FIELD.chosen


@jit
def copies_fault(state, rules):
    """No card is there more often than its deck has it, and what is in no hand and no village is in the box."""
    number, is_over = int(state["round"]), state["phase"] == OVER
    distinct, dealt = _are_distinct(state), 0
    for p in range(num_seats(state)):
        for place in range(_num_places(state, p)):
            card = _card_at(state, p, place)
            if card == NO_CARD:
                continue
            times = 1
            if not distinct:
                times = _times_in_sight(state, card)
                if times > copies_dealt(state, rules, card):
                    return _field_of(state, p, place)
            copies = copies_in_round(rules, card, number)
            dealt += copies > 0
            if copies > 0 and not is_over and state["box"][rules["slot"][card]] != copies - times:
                return FIELD.box
    return _box_fault(state, rules, dealt)


@inline
def _are_distinct(state):
    """Whether no two cards in sight are alike, by a bit for each that was met."""
    low, high, repeated = _NONE, _NONE, _NONE
    for p in range(num_seats(state)):
        for place in range(_num_places(state, p)):
            card = _card_at(state, p, place)
            if card != NO_CARD:
                bit = _ONE << np.uint64(card % _WORD)
                repeated |= (low if card < _WORD else high) & bit
                low |= bit if card < _WORD else _NONE
                high |= _NONE if card < _WORD else bit
    return repeated == _NONE


@jit
def _times_in_sight(state, card):
    times = 0
    for p in range(num_seats(state)):
        for place in range(_num_places(state, p)):
            times += _card_at(state, p, place) == card
    return times


@inline
def _box_fault(state, rules, dealt):
    """The numbers of cards in sight are right already; so are all others if none is too large and the sum is right."""
    number, total, boxed = int(state["round"]) - 1, 0, 0
    for slot in range(rules["round_cards"]):
        copies, box = int(rules["copies"][number, slot]), int(state["box"][slot])
        if not 0 <= box <= copies:
            return FIELD.box
        total += copies
        boxed += box
    return 0 if boxed == (0 if state["phase"] == OVER else total - dealt) else FIELD.box


@jit
def unseen_fault(state, rules):
    """0, or the place of ``unseen`` if a seat's count of cards not seen does not follow from the table."""
    for seat in range(num_seats(state)):
        if not _is_unseen(state, rules, seat):
            return FIELD.unseen
    return 0


@inline
def _is_unseen(state, rules, seat):
    """Beside the box a seat has not seen the hands that it has not held; the sum shows that no other number is too large."""
    hidden, surplus, right = 0, 0, True
    for p in range(num_seats(state)):
        if not knows_hand(state, seat, p):
            hidden += int(state["hand_size"][p])
            for place in range(state["hand_size"][p]):
                card = int(state["hand"][p, place])
                slot = int(rules["slot"][card])
                times = 1 if rules["copies"][int(state["round"]) - 1, slot] == 1 else _times_hidden(state, seat, card)
                right &= int(state["unseen"][seat, slot]) == int(state["box"][slot]) + times
    for slot in range(rules["round_cards"]):
        more = int(state["unseen"][seat, slot]) - int(state["box"][slot])
        right &= more >= 0
        surplus += more
    return right and surplus == hidden


@jit
def _times_hidden(state, seat, card):
    """How often a card is in hands that a seat has not held."""
    times = 0
    for p in range(num_seats(state)):
        for place in range(state["hand_size"][p]):
            times += state["hand"][p, place] == card and not knows_hand(state, seat, p)
    return times
