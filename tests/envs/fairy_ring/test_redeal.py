"""What a seat knows: re-dealing gives every deal that it allows and no other, and observations show that and nothing else."""

from collections import Counter
from itertools import product
from math import comb, prod, sqrt
from pathlib import Path

import numpy as np
import pytest

import envs
from tests.envs.fairy_ring.table import CARDS, Table, player, position

# --- (1) redeal reaches every consistent deal, with the right frequencies -----------------------------------------------

HEADER = "id,deck,type,movement,fireflies,mana,min_players,copies"
# Few different cards, so that all deals can be listed: 18 cards for two players, 22 for three, 29 for four.
FEW_KINDS = [
    "0,start,Magidrome,,1,3,,4",
    "1,1,Magidrome,1,0,2,2,9",
    "2,1,Academy,2,1,,2,9",
    "3,1,Lookout,3,2,,3,4",
    "4,1,Pollenarium,4,0,,4,7",
]
RAREST = 12  # how often the rarest deal is to be expected: that it never comes has a chance of e**-12


@pytest.fixture
def few_kinds(tmp_path):
    """A card list with few kinds in round 1; round 2 is the shipped one's, and so is the layout of the record."""
    second = [card for card in CARDS if card.deck == "2"]
    rows = [
        f"{card_id},2,{card.type},{'|'.join(map(str, card.movement))},{card.fireflies},"
        f"{card.mana if card.type in ('Magidrome', 'Spring') else ''},{card.min_players},{card.copies}"
        for card_id, card in enumerate(second, start=len(FEW_KINDS))
    ]
    path = tmp_path / "cards.csv"
    path.write_text("\n".join([HEADER, *FEW_KINDS, *rows]) + "\n")
    return str(path)


def _chances(game, view, seat):
    """Every deal that a view allows, a (hand, choice) for each player, with its chance.

    A hidden hand is any cards that the seat has not seen, and a secret choice is any card of the hand it was made from.
    """
    players, first = view["players"], view["first_player"]
    unseen = Counter()
    for card in game.facts["cards"]:
        if card.deck == str(view["round"]) and card.min_players <= len(players):
            unseen[card.id] = card.copies
    for each in players:
        in_sight = [card for mushroom in each["village"] for card in mushroom["cards"]]
        in_sight += [*(each["hand"] or ()), each["chosen"]]
        unseen -= Counter(card for card in in_sight if card in unseen)

    deals = [((), unseen, 1.0)]
    for p, each in enumerate(players):
        turns_after_current = (p - first) % len(players) - (view["current_player"] - first) % len(players)
        has_chosen = turns_after_current < 0 or view["phase"] != "choose"
        is_revealed = turns_after_current <= 0 and view["phase"] != "choose"
        secret = p != seat and has_chosen and not is_revealed
        longer = []
        for dealt, left, chance in deals:
            if each["hand"] is None:
                hands = _hands(left, 8 - view["turn"] - is_revealed)
            else:
                hands = [(Counter(each["hand"]), 1.0)]
            for hand, hand_chance in hands:
                rest = left - hand if each["hand"] is None else left
                for choice, choice_chance in _choices(hand) if secret else [(each["chosen"], 1.0)]:
                    kept = hand - Counter([choice]) if secret else hand
                    deal = (*dealt, (tuple(sorted(kept.elements())), choice))
                    longer.append((deal, rest, chance * hand_chance * choice_chance))
        deals = longer
    return {deal: chance for deal, _, chance in deals}


def _hands(cards, size):
    """Every hand of so many of the cards, with its chance."""
    for taken in product(*(range(count + 1) for count in cards.values())):
        if sum(taken) == size:
            ways = prod(comb(count, number) for count, number in zip(cards.values(), taken, strict=True))
            yield Counter(dict(zip(cards, taken, strict=True))), ways / comb(cards.total(), size)


def _choices(hand):
    return [(card, count / hand.total()) for card, count in hand.items() if count]


@pytest.mark.parametrize("num_players", [2, 3])
def test_redealing_reaches_every_deal_that_the_seat_allows_and_no_other_with_the_right_frequencies(num_players, few_kinds):
    table = Table(seed=10, num_players=num_players, deck=few_kinds)  # a deal with no very rare alternatives
    rng = np.random.default_rng(0)
    while table.state["turn"] <= 3:
        for seat in range(num_players):
            _check_deals(table, seat)
        table.env.step(np.array([rng.choice(table.game.legal_actions(table.env.states))]))


def _check_deals(table, seat):
    game, view = table.game, table.view(seat)
    chances = _chances(game, view, seat)
    assert abs(sum(chances.values()) - 1) < 1e-9
    times = int(RAREST / min(chances.values()))
    found = Counter()
    for record, count in _different_worlds(table, seat, times):
        state = game.to_dict(record)
        assert game.to_dict(record, seat) == view
        again = game.from_dict(state)
        # Also what was not dealt, and what each of the others has then seen, must fit the new deal.
        assert all((record[name] == again[0][name]).all() for name in ("hand", "chosen", "box", "unseen"))
        found[tuple((tuple(each["hand"]), each["chosen"]) for each in state["players"])] += count
    assert set(found) == set(chances)
    error = sum((found[deal] - chance * times) ** 2 / (chance * times) for deal, chance in chances.items())
    freedom = len(chances) - 1
    assert error <= freedom + 8 * sqrt(2 * freedom)  # chi-square, eight standard deviations above its mean


def _different_worlds(table, seat, times, chunk=5_000):
    """Re-deals so many times; gives one record of each different world, and how often it came."""
    states = np.repeat(table.env.states, min(times, chunk))
    worlds = states.copy()
    rng = np.random.default_rng(seat)
    factors = rng.integers(2**64, size=worlds.itemsize // 8, dtype=np.uint64)
    records, counts = {}, Counter()
    for start in range(0, times, chunk):
        size = min(chunk, times - start)
        words = rng.integers(2**64, size=size, dtype=np.uint64)
        table.game.kernels.redeal_batch(states[:size], table.game.rules, np.full(size, seat), words, worlds[:size])
        worlds["rng"] = 0
        # Worlds are told apart by a hash over all bytes of the record.
        hashes = worlds[:size].view(np.uint64).reshape(size, -1) @ factors
        for name, place, number in zip(*np.unique(hashes, return_index=True, return_counts=True), strict=True):
            records.setdefault(name, worlds[place].copy())
            counts[name] += int(number)
    return [(records[name], count) for name, count in counts.items()]


def test_a_deck_of_many_kinds_is_dealt_like_one_of_few(tmp_path):
    shipped = (Path(envs.game_module("fairy_ring").__file__).parent / "cards.csv").read_text().splitlines()
    # Kinds that take part only with four players fill the deck up, and leave two players the same cards.
    left_out = [f"{card_id},1,Academy,1,0,,4,1" for card_id in range(len(CARDS), len(CARDS) + 12)]
    path = tmp_path / "cards.csv"
    path.write_text("\n".join([*shipped, *left_out]) + "\n")
    few, many = Table(seed=3, num_players=2), Table(seed=3, num_players=2, deck=str(path))
    assert few.game.rules["deck"].shape[-1] <= 32 < many.game.rules["deck"].shape[-1]
    words = np.arange(1, dtype=np.uint64)
    while few.state["turn"] <= 2:
        for seat in range(2):
            worlds = [table.env.worlds(words, np.array([seat])) for table in (few, many)]
            few_dict, many_dict = few.game.to_dict(worlds[0]), many.game.to_dict(worlds[1])
            assert few_dict == many_dict
            assert few_dict != few.state or few.state["turn"] > 1
        for table in (few, many):
            table.env.step(np.array([table.game.legal_actions(table.env.states)[0]]))
        words += np.uint64(1)


# --- (2) an observation changes when something changes that the seat can see --------------------------------------------


def _observed(own=None, left=None, right=None, **rest):
    """The observation of seat 0 of three, which in turn 2 of round 2 has held its own hand and that of seat 1.

    player 0:  Magidrome | Magidrome | Spring 61        player 1:  Academy | Magidrome        player 2:  Pollenarium | Spring
    """
    players = [
        {"stacks": [[0], [8], [61]], "hand": [39, 42, 44, 46, 47], "chosen": 41},
        {"stacks": [[1], [6]], "hand": [48, 49, 51, 52, 53], "chosen": 54, "fairy": (1, 0)},
        {"stacks": [[4], [5]], "hand": [56, 57, 58, 59, 62], "chosen": 63, "fairy": (2, 0)},
    ]
    changed = [player(**{**each, **(change or {})}) for each, change in zip(players, (own, left, right), strict=True)]
    clock = {"round_number": 2, "turn": 2, "objectives": (1, 3, 5), **rest}
    table = Table(position(*changed, **clock), objectives=True)
    return table.game, table.env.observe(0)["observation"][0]


NO_CARDS = {"hand": None, "chosen": None}
ANY_HANDS = {"own": NO_CARDS, "left": NO_CARDS, "right": NO_CARDS}
# A village that there may be in the first round too.
SMALL = {**ANY_HANDS, "own": {**NO_CARDS, "stacks": [[0], [8]]}}
# Everybody has yet to choose, or seat 0 has chosen card 41 and the others have not.
OTHERS_CHOOSE = {
    "phase": "choose",
    "left": {"hand": [48, 49, 51, 52, 53, 54], "chosen": None},
    "right": {"hand": [56, 57, 58, 59, 62, 63], "chosen": None},
}
ALL_CHOOSE = {**OTHERS_CHOOSE, "own": {"hand": [39, 41, 42, 44, 46, 47], "chosen": None}}
ONE_HAS_CHOSEN = {**OTHERS_CHOOSE, "current": 1}
# Seat 0 has placed Spring 61, and its fairy has stopped on the Magidrome of player 1.
GATHER = {"phase": "gather", "own": {"chosen": None, "fairy": (1, 1)}, "played": 61}
SECOND_PLACES = {"current": 1, "own": {"chosen": None, "stacks": [[0], [8], [61], [41]]}}

# One position, another one, and the sections that tell them apart.
PAIRS = [
    ({}, ALL_CHOOSE, "phase hand chosen revealed"),
    (SMALL, {**SMALL, "round_number": 1}, "round hand chosen revealed known_hands unseen"),
    ({**ANY_HANDS, "turn": 3}, {**ANY_HANDS, "turn": 4}, "turn hand known_hands unseen"),
    ({**ANY_HANDS, "turn": 1}, ANY_HANDS, "turn hand known known_hands unseen"),
    ({}, {"first": 2, "right": {"chosen": None}}, "first_player"),
    (ALL_CHOOSE, ONE_HAS_CHOSEN, "current_player chosen"),
    ({}, {"own": {"points": 1}}, "points"),
    ({}, {"left": {"points": 1}}, "points"),
    ({}, {"own": {"mana": 1}}, "mana"),
    ({}, {"right": {"mana": 1}}, "mana"),
    ({}, {"own": {"hand": [39, 42, 44, 46, 64]}}, "hand unseen"),
    (ONE_HAS_CHOSEN, {**ONE_HAS_CHOSEN, "own": {"hand": [39, 41, 44, 46, 47], "chosen": 42}}, "chosen"),
    (SECOND_PLACES, {**SECOND_PLACES, "left": {"hand": [49, 51, 52, 53, 54], "chosen": 48}}, "revealed known_hands"),
    ({**GATHER, "movement": 4}, {**GATHER, "movement": 6}, "movement"),
    ({}, {"left": {"stacks": [[1], [6, 37]]}}, "villages ahead unseen"),
    ({}, {"own": {"fairy": (0, 1)}}, "fairies ahead"),
    ({}, {"left": {"fairy": (0, 1)}}, "fairies"),
    ({}, {"left": {"hand": [48, 49, 51, 52, 64]}}, "known_hands unseen"),
    # Academies 41 and 43 look alike in a village, but it is known which of them has come.
    (SECOND_PLACES, {**SECOND_PLACES, "own": {"chosen": None, "stacks": [[0], [8], [61], [43]]}}, "unseen"),
    ({}, {"objectives": (1, 3, 6)}, "objectives"),
    ({}, {"right": {"objectives": [1]}}, "completed"),
    # A hand that seat 0 has not held, the secret choice from it, and the one from a hand that it has.
    ({}, {"right": {"hand": [37, 56, 57, 58, 59]}}, ""),
    ({}, {"right": {"hand": [56, 57, 58, 59, 63], "chosen": 62}}, ""),
    ({}, {"left": {"hand": [49, 51, 52, 53, 54], "chosen": 48}}, ""),
]


@pytest.mark.parametrize(("before", "after", "different"), PAIRS)
def test_an_observation_shows_a_change_in_the_sections_that_are_about_it_alone(before, after, different):
    game, one = _observed(**before)
    _, other = _observed(**after)
    assert [name for name, place in game.slices.items() if (one[place] != other[place]).any()] == different.split()


def test_there_is_a_pair_for_every_section():
    assert {name for *_, different in PAIRS for name in different.split()} == set(envs.make_game("fairy_ring").slices)


# --- (3) a choice is secret ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [1, 2, 6])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_no_later_choosers_observation_depends_on_an_earlier_choice(num_players, turn):
    table = Table(seed=5, num_players=num_players)
    while table.state["turn"] < turn:
        table.env.step(np.array([table.game.legal_actions(table.env.states)[0]]))
    first, start = table.state["first_player"], table.env.get_state()
    for earlier in range(1, num_players):
        seen = set()
        for choices in product(range(8 - turn), repeat=earlier):
            table.env.set_state(start)
            for place in choices:
                table.env.step(np.array([place]))
            assert table.env.agent_selection.tolist() == [(first + earlier) % num_players]
            observation, *_ = table.env.last()
            seen.add((observation["observation"].tobytes(), observation["action_mask"].tobytes()))
        assert len(seen) == 1
