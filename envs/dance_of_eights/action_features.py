"""What a seat can know of the immediate result of each of its actions in Dance of Eights: how near to a Ring it leads.

Two hands that differ by one exchange are told apart by how many cards would complete each. :func:`action_sections` is the slice
table.
"""

from typing import Any

import numpy as np

from envs.dance_of_eights.cards import VALUES, load_cards
from envs.dance_of_eights.exchanges import (
    LYING,
    NO_KIND,
    SIGHT,
    UNSEEN,
    count_wanted,
    count_wanted_after_draws,
    lay_down,
    look,
    make_tables,
    odd_and_uneven,
    pick_up,
)
from envs.dance_of_eights.ring_test import is_ring
from envs.dance_of_eights.rules import DISCARD
from envs.dance_of_eights.state import DISCARD_ACTION, DRAW_ACTION, HAND, NUM_VALUES, TAKE_ACTION
from envs.engine import inline, jit
from envs.game import Game, Section

NEAR = 6  # numbers of how near a Ring is
FURTHER = 2
_KIND = 1  # behind `legal`
_VALUES = _KIND + 3
_NEAR = _VALUES + NUM_VALUES
_FURTHER = _NEAR + NEAR

_TEN, _QUARTER = np.float32(10), np.float32(1 / 4)
_VALUE_TABLE = np.zeros((len(load_cards()), NUM_VALUES), np.float32)
for _card in load_cards():
    _VALUE_TABLE[_card.id, list(_card.columns)] = 1


def describe_tools(game: Game) -> Any:
    """What :func:`describe` works with: the kinds of cards, and what is seen of them."""
    return make_tables(game.facts["cards"], game.facts["hand"]), np.zeros(1, SIGHT)


def action_sections() -> list[Section]:
    """The slice table of the features of an action, behind ``legal``."""
    near = (
        "after the best discard: 1 a Ring (a draw: its chance); share of the cards not seen that would complete a Ring by the "
        "next exchange times 10; cards of the discard area that would / 4, and the most that any discard leaves; odd numbers / "
        "12, dancers too many of a sex / 4 of the eight cards nearest to a Ring by these two"
    )
    further = (
        "of a discard where no exchange completes a Ring: mean of the best share after the next draw times 10, and chance that a "
        "card of the discard area would complete one then"
    )
    return [
        Section("kind", (3,), "one-hot: draw, take, discard"),
        Section("card", (len(VALUES),), "its values, in the order of section values of the observation; zeros for a draw"),
        Section("near", (NEAR,), near),
        Section("further", (FURTHER,), further),
    ]


@jit
def describe(state, rules, seat, mask, tools, out):
    """Writes the features of the legal actions, every section in the order of :func:`action_sections`."""
    tables, sight = tools[0][0], tools[1][0]
    look(state, tables, sight)
    if state["phase"] == DISCARD:
        _describe_discards(tables, sight, mask, out)
        return
    if mask[DRAW_ACTION]:
        out[DRAW_ACTION, _KIND] = 1
        _write_draw(tables, sight, out, DRAW_ACTION, _NEAR, True)
    for kind in range(tables["kinds"]):
        if sight["lying"][kind] > 0:
            _describe_take(tables, sight, kind, mask, out)


@inline
def _write_values(card, out, action):
    for value in range(NUM_VALUES):
        out[action, _VALUES + value] = _VALUE_TABLE[card, value]


@inline
def _copy(out, source, action):
    """Equal kinds of cards lead to the same."""
    for i in range(_NEAR, _NEAR + NEAR + FURTHER):
        out[action, i] = out[source, i]


# --- discards -----------------------------------------------------------------------------------------------------------


@jit
def _describe_discards(tables, sight, mask, out):
    count_wanted(tables, sight)
    nothing_near = True
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        rings = is_ring(sight["tally"] - tables["values"][given])
        nothing_near &= not rings and sight["wanted"][i, UNSEEN] == 0 and sight["wanted"][i, LYING] == 0
    for given in range(tables["kinds"]):
        first = -1
        for card in range(len(tables["kind"])):
            action = DISCARD_ACTION + card
            if mask[action] and tables["kind"][card] == given:
                out[action, _KIND + 2] = 1
                _write_values(card, out, action)
                if first < 0:
                    first = action
                    _write_discard(tables, sight, given, nothing_near, out, action)
                else:
                    _copy(out, first, action)


@jit
def _write_discard(tables, sight, given, nothing_near, out, action):
    place = 0
    while sight["held"][place] != given:
        place += 1
    tally, code = sight["tally"] - tables["values"][given], sight["code"] ^ int(tables["code"][given])
    odd, uneven = odd_and_uneven(tables, tally, code)
    lying = int(sight["wanted"][place, LYING])
    out[action, _NEAR] = is_ring(tally)
    out[action, _NEAR + 1] = _share(sight, int(sight["wanted"][place, UNSEEN]))
    out[action, _NEAR + 2] = np.float32(min(lying, 4 * HAND)) * _QUARTER
    out[action, _NEAR + 3] = out[action, _NEAR + 2]
    out[action, _NEAR + 4] = np.float32(odd) / np.float32(NUM_VALUES)
    out[action, _NEAR + 5] = np.float32(uneven) * _QUARTER
    if nothing_near:
        lay_down(tables, sight, given)
        _write_draw(tables, sight, out, action, _FURTHER, False)
        pick_up(tables, sight, given)
        count_wanted(tables, sight)


@inline
def _share(sight, cards):
    return _TEN * np.float32(cards) / np.float32(max(1, int(sight["unseen_cards"])))


# --- gains --------------------------------------------------------------------------------------------------------------


@jit
def _describe_take(tables, sight, kind, mask, out):
    first = -1
    for card in range(len(tables["kind"])):
        action = TAKE_ACTION + card
        if mask[action] and tables["kind"][card] == kind:
            out[action, _KIND + 1] = 1
            _write_values(card, out, action)
            if first < 0:
                first = action
                sight["lying"][kind] -= 1
                pick_up(tables, sight, kind)
                _write_best_of_nine(tables, sight, out, action)
                lay_down(tables, sight, kind)
                sight["lying"][kind] += 1
            else:
                _copy(out, first, action)


@jit
def _write_best_of_nine(tables, sight, out, action):
    """Writes how near to a Ring nine cards are after the best discard."""
    count_wanted(tables, sight)
    rings, unseen, lying, most_lying, odd, uneven = False, -1, 0, 0, NUM_VALUES, HAND // 2
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        tally, code = sight["tally"] - tables["values"][given], sight["code"] ^ int(tables["code"][given])
        rings |= is_ring(tally)
        here, there = int(sight["wanted"][i, UNSEEN]), int(sight["wanted"][i, LYING])
        if here > unseen or (here == unseen and there > lying):
            unseen, lying = here, there
        most_lying = max(most_lying, there)
        a, b = odd_and_uneven(tables, tally, code)
        if a + 2 * b < odd + 2 * uneven:
            odd, uneven = a, b
    out[action, _NEAR] = rings
    out[action, _NEAR + 1] = _share(sight, unseen)
    out[action, _NEAR + 2] = np.float32(min(lying, 4 * HAND)) * _QUARTER
    out[action, _NEAR + 3] = np.float32(min(most_lying, 4 * HAND)) * _QUARTER
    out[action, _NEAR + 4] = np.float32(odd) / np.float32(NUM_VALUES)
    out[action, _NEAR + 5] = np.float32(uneven) * _QUARTER


@jit
def _write_draw(tables, sight, out, action, k, whole):
    """Writes the chance of a Ring after a draw, and how near to one the hand is then, on average over the cards not seen."""
    count_wanted_after_draws(tables, sight)
    rings, shares, lying = 0.0, 0.0, 0.0
    for kind in range(tables["kinds"]):
        copies = int(sight["unseen"][kind])
        if copies > 0:
            is_won, unseen, there = _best_after_draw(tables, sight, kind)
            rings += copies * is_won
            shares += copies * unseen
            lying += copies * there
    cards = max(1, int(sight["unseen_cards"]))
    if whole:
        odd, uneven = odd_and_uneven(tables, sight["tally"], sight["code"])
        out[action, k] = np.float32(rings / cards)
        k += 1
        out[action, k + 2] = np.float32(lying / cards)
        out[action, k + 3] = np.float32(odd) / np.float32(NUM_VALUES)
        out[action, k + 4] = np.float32(uneven) * _QUARTER
    out[action, k] = _TEN * np.float32(shares / cards / cards)
    out[action, k + 1] = np.float32(lying / cards)


@jit
def _best_after_draw(tables, sight, drawn):
    """Whether a drawn card makes a Ring; the most unseen cards that would complete one after a discard; if one lies there."""
    tally, code = sight["tally"] + tables["values"][drawn], sight["code"] ^ int(tables["code"][drawn])
    odd_one = tables["kind_of_code"][code]
    held = odd_one != NO_KIND and (sight["hand"][odd_one] > 0 or odd_one == drawn)
    if held and is_ring(tally - tables["values"][odd_one]):
        return 1.0, 0, 0.0
    unseen, lying, counts = 0, 0, sight["drawn_wanted"][drawn]
    for i in range(sight["held_kinds"] + (sight["hand"][drawn] == 0)):
        unseen = max(unseen, int(counts[i, UNSEEN]))
        lying = max(lying, int(counts[i, LYING]))
    return 0.0, unseen, 1.0 if lying > 0 else 0.0
