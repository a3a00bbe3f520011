"""The Ring test and the number of Rings."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, sqrt

import numpy as np
import pytest

import envs
import envs.dance_of_eights
from envs.dance_of_eights.cards import Card, load_cards
from envs.dance_of_eights.ring_counts import count_rings, dealt_ring
from envs.dance_of_eights.ring_test import is_ring, tally_of
from tests.comparison import random_choice

CARDS = load_cards()


def naive_ring(cards):
    """The rule in its own words."""
    attributes = ("size", "alignment", "element")
    of_size, of_alignment, of_element = (Counter(getattr(card, what) for card in cards) for what in attributes)
    return (
        sum(card.sex == "M" for card in cards) == 4
        and sum(card.sex == "F" for card in cards) == 4
        and all(count % 2 == 0 for counted in (of_size, of_alignment, of_element) for count in counted.values())
        and len(of_element) >= 2
    )


def _tally(cards):
    return np.uint64(sum(map(tally_of, cards)))


@pytest.mark.parametrize(
    ("dancers", "ring"),
    [
        ("FBGF FBGF FBGF FBGF MBGF MBGF MBEE MBEE", True),
        ("FTGW FTGW FSME FSME MBES MBES MBGF MBGF", True),
        ("FTGW FSGE FTME FSMW MBES MBES MBGF MBGF", True),
        ("FBGF FBGF FBGF FBGF FBGF MBGF MBEE MBEE", False),  # five female
        ("FBGF FBGF FBGF MBGF MBGF MBGF MBEE MBEE", False),  # five male
        ("FTGF FBGF FBGF FBGF MBGF MBGF MBEE MBEE", False),  # one tiny
        ("FSGF FBGF FBGF FBGF MBGF MBGF MBEE MTEE", False),  # a small and a tiny one
        ("FBMF FBGF FBGF FBGF MBGF MBGF MBEE MBEE", False),  # one mischievous
        ("FBGF FBGF FBGF FBGF MBMF MBGF MBGE MBEE", False),  # a mischievous and an evil one
        ("FBGW FBGF FBGF FBGF MBGF MBGF MBEE MBEE", False),  # one of water
        ("FBGW FBGF FBGF FBGS MBGF MBGF MBEE MBEE", False),  # one of water and one of the sky
        ("FBGF FBGF FBGF FBGF MBGF MBGF MBEF MBEF", False),  # one element only
    ],
)
def test_each_requirement_of_a_ring(dancers, ring):
    cards = [Card(0, "Fey", *letters, 1) for letters in dancers.split()]
    assert naive_ring(cards) == ring
    assert is_ring(_tally(cards)) == ring


def test_the_ring_test_agrees_with_the_naive_one_on_random_hands():
    rng = np.random.default_rng(0)
    pack = np.array([card.id for card in CARDS for _ in range(card.rows)])
    hands = pack[rng.random((100_000, len(pack))).argpartition(8, axis=1)[:, :8]]
    tallies = np.array([tally_of(card) for card in CARDS], np.uint64)[hands].sum(axis=1)
    found = [bool(is_ring(tally)) for tally in tallies]
    assert found == [naive_ring([CARDS[card] for card in hand]) for hand in hands]
    # 100,000 deals also check the exact probability, within five standard errors.
    chance = float(dealt_ring(1))
    assert abs(sum(found) / 100_000 - chance) < 5 * sqrt(chance / 100_000)


@pytest.mark.parametrize("num_players", [2, 7])
def test_a_game_ends_exactly_when_a_hand_of_eight_is_a_ring(num_players):
    env = envs.make_vec("dance_of_eights", 100, num_players, seed=4, max_turns=20)
    rng = np.random.default_rng(4)
    for _ in range(200):
        env.step(random_choice(env.last()[0]["action_mask"], rng))
        for state in env.states[rng.integers(100, size=20)]:
            for p in range(num_players):
                cards = [CARDS[card] for card in range(42) for _ in range(state["hands"][p, card])]
                assert state["tally"][p] == _tally(cards)
                assert len(cards) == 9 or not naive_ring(cards)


@pytest.mark.parametrize(("copies", "different", "hands"), [(1, 534_389, 4_762_545), (2, 1_237_292, 1_580_241_529)])
def test_the_number_of_rings_and_the_chance_to_be_dealt_one(copies, different, hands):
    assert count_rings(copies) == (different, hands)
    assert dealt_ring(copies) == Fraction(hands, comb(58 * copies, 8))
    assert f"{different:,}" in envs.dance_of_eights.__doc__
    assert f"{float(dealt_ring(copies)):.6%}".replace("%", " %") in envs.dance_of_eights.__doc__


@pytest.mark.parametrize("copies", [1, 2])
def test_the_number_of_rings_agrees_with_a_count_over_pairs_of_half_hands(copies):
    """Four females and four males are a Ring if their parities are equal and they are not all of one element."""
    halves = {sex: _halves([card for card in CARDS if card.sex == sex], copies) for sex in "FM"}
    rings = 0
    for (parities, element), number in halves["F"].items():
        for (others, other_element), other_number in halves["M"].items():
            if parities == others and (element is None or element != other_element):
                rings += number * other_number
    assert rings == count_rings(copies)[0]


def _halves(cards, copies):
    """How many half hands have which parities and, if all four are of one, which element."""
    found = Counter()
    for half in combinations_with_replacement(cards, 4):
        if all(half.count(card) <= copies * card.rows for card in set(half)):
            letters = Counter((what, getattr(card, what)) for card in half for what in ("size", "alignment", "element"))
            odd = frozenset(value for value, count in letters.items() if count % 2)
            found[odd, half[0].element if len({card.element for card in half}) == 1 else None] += 1
    return found
