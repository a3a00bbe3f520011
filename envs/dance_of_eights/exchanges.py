"""Exchanges in Dance of Eights: which cards would complete a Ring, and how many of them are to be had.

Whether a hand is a Ring depends on the attributes of its cards alone: on their *kinds*, of which there are 26. A card given away
leaves at most one kind that makes the other seven a Ring, the one with the same parities as those seven. A table by parities
names it, so the kinds that complete a hand are found exactly, with one look-up for each kind of card that could be given away.

All is read from the own hand, the discard area and what was taken in the open, never from what the seat cannot know.
"""

import numpy as np

from envs.dance_of_eights.cards import VALUES, Card
from envs.dance_of_eights.ring_test import BITS, is_ring, tally_of
from envs.dance_of_eights.state import HAND, NUM_CARDS
from envs.engine import inline, jit

MAX_KINDS = 32
NO_KIND = -1
UNSEEN, LYING = 0, 1  # columns of counts
_SEX = np.uint64((1 << BITS) - 1)  # bits of a tally: dancers of the first sex

TABLES = np.dtype(
    [
        ("kinds", np.int64),  # how many there are
        ("each_sex", np.int64),  # dancers of each sex in a Ring
        ("kind", np.int8, (NUM_CARDS,)),  # of each card
        ("values", np.uint64, (MAX_KINDS,)),  # each kind's contribution to a tally
        ("code", np.int16, (MAX_KINDS,)),  # each kind's values as bits; of several cards, by exclusive or, the parities
        ("kind_of_code", np.int8, (1 << len(VALUES),)),  # the kind with these values, NO_KIND if there is none
        ("odd", np.int8, (1 << len(VALUES),)),  # how many bits are set
        ("first_pair", np.int16, ((1 << len(VALUES)) + 1,)),  # by the parities of two cards: where the list of such kinds begins
        ("pair", np.int8, (MAX_KINDS * MAX_KINDS, 2)),
    ],
    align=True,
)

SIGHT = np.dtype(
    [
        ("tally", np.uint64),  # of the own hand
        ("code", np.int64),  # parities of the own hand
        ("unseen_cards", np.int64),
        ("held_kinds", np.int64),  # different kinds in the own hand
        ("held", np.int8, (HAND + 1,)),  # which they are
        ("hand", np.int8, (MAX_KINDS,)),  # own cards of each kind
        ("lying", np.int8, (MAX_KINDS,)),  # cards of each kind in the discard area
        ("unseen", np.int8, (MAX_KINDS,)),  # cards of each kind in the deck or, not taken in the open, in other hands
        ("wanted", np.int16, (HAND + 1, 2)),  # after giving away each of the held kinds, see `count_wanted`
        ("column", np.int8, (MAX_KINDS,)),  # the place of each kind among the held ones, behind them if it is none
        ("drawn_wanted", np.int16, (MAX_KINDS, HAND + 1, 2)),  # the same after each draw, see `count_wanted_after_draws`
    ],
    align=True,
)
"""What the player sees, by kinds of cards; its hand changes while it thinks of exchanges."""


def make_tables(cards: tuple[Card, ...], hand: int = HAND) -> np.ndarray:
    """The kinds of cards, by card and by parities; for hands of that size."""
    tables = np.zeros(1, TABLES)
    table = tables[0]
    table["each_sex"] = hand // 2
    table["kind_of_code"] = NO_KIND
    table["odd"] = [code.bit_count() for code in range(1 << len(VALUES))]
    for card in cards:
        code = sum(1 << column for column in card.columns)
        if table["kind_of_code"][code] == NO_KIND:
            kind = int(table["kinds"])
            table["kind_of_code"][code] = kind
            table["code"][kind] = code
            table["values"][kind] = tally_of(card)
            table["kinds"] += 1
        table["kind"][card.id] = table["kind_of_code"][code]
    codes = table["code"][: table["kinds"]].astype(np.int64)
    pairs = sorted((int(codes[one] ^ codes[other]), one, other) for one, other in np.ndindex(len(codes), len(codes)))
    table["pair"][: len(pairs)] = [pair[1:] for pair in pairs]
    table["first_pair"] = np.searchsorted([pair[0] for pair in pairs], np.arange(len(table["first_pair"])))
    return tables


@jit
def look(state, tables, sight):
    """Sorts all that the player to act sees by kinds."""
    p = state["current_player"]
    sight["tally"] = state["tally"][p]
    sight["code"] = 0
    sight["held_kinds"] = 0
    sight["unseen_cards"] = 0
    for kind in range(tables["kinds"]):
        sight["hand"][kind] = 0
        sight["lying"][kind] = 0
        sight["unseen"][kind] = 0
    for card in range(NUM_CARDS):
        kind = tables["kind"][card]
        copies = int(state["hands"][p, card])
        unseen = int(state["unplaced"][card]) - copies + int(state["known"][p, card])
        sight["unseen"][kind] += unseen
        sight["unseen_cards"] += unseen
        sight["lying"][kind] += state["discard"][card]
        if copies > 0:
            if sight["hand"][kind] == 0:
                sight["held"][sight["held_kinds"]] = kind
                sight["held_kinds"] += 1
            sight["hand"][kind] += copies
            if copies & 1:
                sight["code"] ^= int(tables["code"][kind])


@inline
def pick_up(tables, sight, kind):
    """Thinks a card of a kind into the hand."""
    if sight["hand"][kind] == 0:
        sight["held"][sight["held_kinds"]] = kind
        sight["held_kinds"] += 1
    sight["hand"][kind] += 1
    sight["tally"] += tables["values"][kind]
    sight["code"] ^= int(tables["code"][kind])


@inline
def lay_down(tables, sight, kind):
    """Thinks a card of a kind out of the hand."""
    sight["hand"][kind] -= 1
    if sight["hand"][kind] == 0:
        last = int(sight["held_kinds"]) - 1
        place = last
        while sight["held"][place] != kind:
            place -= 1
        sight["held"][place] = sight["held"][last]
        sight["held_kinds"] = last
    sight["tally"] -= tables["values"][kind]
    sight["code"] ^= int(tables["code"][kind])


@inline
def odd_and_uneven(tables, tally, code):
    """How far a hand is from a Ring: odd numbers, and dancers too many of a sex; of their tally and parities."""
    return int(tables["odd"][code]), abs(int(tally & _SEX) - int(tables["each_sex"]))


@inline
def count_wanted(tables, sight):
    """For each kind to discard, how many cards would then make a Ring in an exchange, not seen and lying.

    Two kinds that leave the hand, now and then, leave the same seven cards in either order: each pair is looked up once.
    """
    kinds, code, tally, counts = sight["held_kinds"], sight["code"], sight["tally"], sight["wanted"]
    for i in range(kinds):
        counts[i, UNSEEN], counts[i, LYING] = 0, 0
    for i in range(kinds):
        one = sight["held"][i]
        code_without, tally_without = code ^ int(tables["code"][one]), tally - tables["values"][one]
        for j in range(i if sight["hand"][one] > 1 else i + 1, kinds):
            other = sight["held"][j]
            wanted = tables["kind_of_code"][code_without ^ int(tables["code"][other])]
            if wanted != NO_KIND and is_ring(tally_without - tables["values"][other] + tables["values"][wanted]):
                unseen, lying = sight["unseen"][wanted], sight["lying"][wanted]
                counts[i, UNSEEN] += unseen
                counts[i, LYING] += lying
                if j != i:
                    counts[j, UNSEEN] += unseen
                    counts[j, LYING] += lying


@inline
def count_wanted_after_draws(tables, sight):
    """What `count_wanted` says of the nine cards after each draw, for all kinds that can be drawn at once.

    Two cards that leave the hand and two that join it, the one drawn and the one wanted, have the same parities; a table lists
    all kinds that do (a third of the time of looking at every draw by itself).
    """
    kinds, code, tally = sight["held_kinds"], sight["code"], sight["tally"]
    for kind in range(tables["kinds"]):
        sight["column"][kind] = kinds
        for i in range(HAND + 1):
            sight["drawn_wanted"][kind, i, UNSEEN], sight["drawn_wanted"][kind, i, LYING] = 0, 0
    for i in range(kinds):
        sight["column"][sight["held"][i]] = i
    for i in range(kinds):
        one = sight["held"][i]
        code_without, tally_without = code ^ int(tables["code"][one]), tally - tables["values"][one]
        _count_drawn_again(tables, sight, i, tables["kind_of_code"][code_without], tally_without)
        for j in range(i if sight["hand"][one] > 1 else i + 1, kinds):
            other = sight["held"][j]
            parities, rest = code_without ^ int(tables["code"][other]), tally_without - tables["values"][other]
            for n in range(tables["first_pair"][parities], tables["first_pair"][parities + 1]):
                drawn, wanted = tables["pair"][n, 0], tables["pair"][n, 1]
                is_other = drawn != one and drawn != other  # or `_count_drawn_again` has counted it
                if is_other and is_ring(rest + tables["values"][drawn] + tables["values"][wanted]):
                    _count(sight, drawn, i, wanted)
                    if j != i:
                        _count(sight, drawn, j, wanted)


@inline
def _count_drawn_again(tables, sight, i, wanted, rest):
    """Counts the exchanges in which the card drawn and one of the i-th kind leave the hand, whichever card is drawn."""
    if wanted == NO_KIND or not is_ring(rest + tables["values"][wanted]):
        return
    for drawn in range(tables["kinds"]):
        own = int(sight["column"][drawn])
        _count(sight, drawn, own, wanted)
        if own != i:
            _count(sight, drawn, i, wanted)


@inline
def _count(sight, drawn, column, wanted):
    sight["drawn_wanted"][drawn, column, UNSEEN] += sight["unseen"][wanted] - (wanted == drawn)
    sight["drawn_wanted"][drawn, column, LYING] += sight["lying"][wanted]
