"""The tiny game: the same rules with hands of four, and its chance event by event."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, prod
from pathlib import Path

import numpy as np
import pytest

import envs
import envs.dance_of_eights
from agents.registry import make_agent
from envs import engine
from envs.check import check_game
from envs.dance_of_eights import chance
from envs.dance_of_eights.cards import load_cards
from envs.dance_of_eights.ring_test import is_ring, tally_of
from envs.engine.rng import below, word_before
from tests.comparison import compare
from tests.envs.dance_of_eights.reference import Reference

TINY = "envs.dance_of_eights.tiny"
CARDS = Path(envs.dance_of_eights.__file__).with_name("cards.csv")
UNICORN, NYMPH, TRITON = (next(card.id for card in load_cards() if card.name == name) for name in ("Unicorn", "Nymph", "Triton"))


@pytest.fixture(scope="module")
def game():
    return envs.make_game(TINY)


def counts(**cards):
    ids = {"unicorns": UNICORN, "nymphs": NYMPH, "tritons": TRITON}
    found = [0] * len(load_cards())
    for name, copies in cards.items():
        found[ids[name]] = copies
    return found


def test_it_keeps_every_promise_of_the_suite(game):
    check_game(game, games=3, pictures=True)


@pytest.mark.parametrize(("nymphs", "max_turns"), [(1, 4), (2, 1), (4, 2)])
def test_its_games_are_those_of_the_slow_reference(nymphs, max_turns):
    game = envs.make_game(TINY, nymphs=nymphs, max_turns=max_turns)
    pack = {"Unicorn": 4, "Triton": 4, "Nymph": nymphs}

    def reference(state):
        return Reference(2, dict(game.options), state, CARDS, hand_size=4, pack=pack)

    compare(game, 60, 0, partial(reference))


def test_a_ring_of_four_is_two_unicorns_and_two_tritons():
    cards = [load_cards()[number] for number in (UNICORN, NYMPH, TRITON)]
    for hand in product(range(5), repeat=3):
        if sum(hand) == 4:
            tally = np.uint64(sum(number * tally_of(card) for number, card in zip(hand, cards, strict=True)))
            assert is_ring(tally) == (hand == (2, 0, 2)), hand


def test_the_greedy_player_takes_the_card_that_makes_a_ring(game):
    state = {
        "turn": 1, "phase": "gain", "current_player": 0, "deck_size": 1, "winner": None,
        "deck": counts(tritons=1), "discard": counts(unicorns=1), "known": [counts(), counts()],
        "hands": [counts(unicorns=1, nymphs=1, tritons=2), counts(unicorns=2, nymphs=1, tritons=1)],
    }  # fmt: skip
    env = envs.make_vec(game, 1, seed=0)
    env.set_records(game.from_dict(state))
    agent = make_agent("greedy", game)
    for move in ({"type": "take", "card": UNICORN}, {"type": "discard", "card": NYMPH}):
        view = env.last()[0]
        action = agent.act(view["observation"], view["action_mask"], env.states.copy())
        assert game.move(env.states, action[0]) == move
        env.step(action)
    assert env.last()[1].tolist() == [[1.0, -1.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nymphs": 0}, "option nymphs is 0; choose from 1 to 4"),
        ({"max_turns": 5}, "option max_turns is 5"),
        ({"copies": 1}, "no option 'copies'"),
    ],
)
def test_other_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        envs.make_game(TINY, **options)
    with pytest.raises(ValueError, match="is for 2 players, not 3"):
        envs.make_game(TINY, num_players=3)


# --- chance event by event ----------------------------------------------------------------------------------------------


def test_a_random_word_can_be_found_for_every_number_that_is_to_be_drawn():
    state = np.zeros(1, engine.record_dtype([]))
    draw_below = engine.uncompiled(below)
    with np.errstate(over="ignore"):
        for bound in (1, 2, 3, 10, 116, 2**31 - 1):
            for number in {0, min(1, bound - 1), bound // 3, bound // 2, bound - 1}:
                state[0]["rng"] = word_before(number, bound)
                assert draw_below(state[0], bound) == number


def test_hands_are_dealt_with_the_probabilities_of_the_urn(game):
    record, left = chance.before_deal(game), Counter({UNICORN: 4, NYMPH: 2, TRITON: 4})
    for number in range(2):
        found = {}
        for outcome in chance.deal_outcomes(game, record, number):
            hand = outcome.record["hands"][0, number]
            found[tuple(int(hand[card]) for card in (UNICORN, NYMPH, TRITON))] = outcome
        hands = [hand for hand in product(range(5), repeat=3) if sum(hand) == 4 and hand[1] <= 2]
        ways = {hand: prod(comb(left[card], n) for card, n in zip((UNICORN, NYMPH, TRITON), hand, strict=True)) for hand in hands}
        possible = {hand: Fraction(number, comb(left.total(), 4)) for hand, number in ways.items() if number}
        assert {hand: outcome.probability for hand, outcome in found.items()} == {hand: float(p) for hand, p in possible.items()}
        chosen = max(found)
        record, left = found[chosen].record, left - Counter(dict(zip((UNICORN, NYMPH, TRITON), chosen, strict=True)))


def test_every_outcome_is_a_possible_position_and_says_what_came(game):
    record = chance.before_deal(game)
    assert game.to_dict(record)["deck"] == counts(unicorns=4, nymphs=2, tritons=4)
    first, *others = chance.deal_outcomes(game, record, 0)
    assert first.words == "player 0 is dealt 4 Unicorn"
    for outcome in others:
        for second in chance.deal_outcomes(game, outcome.record, 1):
            for third in chance.deal_outcomes(game, second.record, 2):
                game.check_records(third.record)
                assert third.record["rng"] == 0
                dealt = game.to_dict(third.record)
                rings = [p for p, hand in enumerate(dealt["hands"]) if hand == counts(unicorns=2, tritons=2)]
                assert dealt["winner"] == (rings[0] if rings else None)


def test_a_draw_has_an_outcome_for_each_card_of_the_deck_and_other_actions_have_none():
    game = envs.make_game(TINY, nymphs=4)
    record = chance.before_deal(game)
    for number in range(chance.num_deals(game)):
        record = chance.deal_outcomes(game, record, number)[-1].record
    deck = np.array(game.to_dict(record)["deck"])
    outcomes = chance.action_outcomes(game, record, 0)
    assert len(outcomes) == np.count_nonzero(deck)
    before = np.array(game.to_dict(record)["hands"][0])
    for outcome in outcomes:
        game.check_records(outcome.record)
        (card,) = np.flatnonzero(np.array(game.to_dict(outcome.record)["hands"][0]) - before)
        assert outcome.probability == pytest.approx(deck[card] / deck.sum(), abs=1e-15)
    assert not chance.action_outcomes(game, record, game.legal_actions(record)[-1])
    assert chance.most_outcomes(game) == 15
