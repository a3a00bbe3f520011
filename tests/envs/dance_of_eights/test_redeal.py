"""What a seat knows: re-dealing gives every deal that it allows and no other, and changes nothing that the seat sees."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import envs
from envs.dance_of_eights.redeal import DEALS
from envs.dance_of_eights.ring_test import is_ring
from tests.comparison import random_choice
from tests.envs.dance_of_eights.table import OTHERS, RING, Table, counts, position

POOL = [5, 20, 38, 38, RING[6], RING[7]]
KNOWN = RING[:6]


def _words(number, seed=0):
    return np.random.default_rng(seed).integers(2**64, size=number, dtype=np.uint64)


def _worlds(table, seat, number):
    """So many re-deals of the one game of a table."""
    states = np.repeat(table.env.states, number)
    worlds = np.empty_like(states)
    table.game.kernels.redeal_batch(states, table.game.rules, np.full(number, seat), _words(number), worlds)
    return worlds


def _hands(worlds, seat):
    """How often a seat holds which hand."""
    return Counter(tuple(hand[:42].tolist()) for hand in worlds["hands"][:, seat])


def test_every_hand_that_is_no_ring_is_dealt_with_the_chance_it_has():
    # Of seat 1's cards six are known; with two Trolls or two Gremlins it would have won, so two of the 15 pairs cannot be.
    table = Table(position(OTHERS, [*KNOWN, 5, 20], known=[[], KNOWN], deck=[38, 38, *RING[6:]]))
    number = 13_000
    found = _hands(_worlds(table, 0, number), 1)
    pairs = Counter(tuple(counts([*KNOWN, *pair])) for pair in combinations(POOL, 2))
    for pair in (RING[6:], [38, 38]):
        assert pairs.pop(tuple(counts([*KNOWN, *pair]))) == 1
    assert set(found) == set(pairs)
    for hand, ways in pairs.items():
        assert abs(found[hand] - ways * number / 13) < 5 * (ways * number / 13) ** 0.5


def test_a_player_in_the_middle_of_a_turn_may_hold_nine_cards_with_a_ring_among_them():
    hands = ([*KNOWN, 5, 20, 38], OTHERS)
    table = Table(position(*hands, known=[KNOWN, []], deck=[38, *RING[6:]], phase="discard"))
    found = _hands(_worlds(table, 1, 5000), 0)
    assert set(found) == {tuple(counts([*KNOWN, *three])) for three in combinations(POOL, 3)}


def test_a_hand_known_to_the_last_card_stays():
    table = Table(position(OTHERS, [*KNOWN, 5, 20], known=[[], [*KNOWN, 5, 20]], deck=[38, 38]))
    assert len(_hands(_worlds(table, 0, 50), 1)) == 1


@pytest.mark.parametrize("num_players", [2, 4, 7])
def test_a_redeal_keeps_all_that_the_seat_knows_and_shuffles_the_rest(num_players):
    env = envs.make_vec("dance_of_eights", 200, num_players, seed=2)
    game, rng = env.game, np.random.default_rng(2)
    for step in range(60):
        env.step(random_choice(env.last()[0]["action_mask"], rng))
        if step % 10 == 9:
            seats = rng.integers(num_players, size=200)
            worlds = env.worlds(_words(200, step), seats)
            _check_worlds(env, worlds, seats)
            held = worlds["hands"][np.arange(200), (seats + 1) % num_players]
            assert (held != env.states["hands"][np.arange(200), (seats + 1) % num_players]).any()
            for i in range(3):
                _check_views(game, env.states[i], worlds[i], int(seats[i]))


def _check_worlds(env, worlds, seats):
    whole = worlds["discard"].astype(int) + worlds["hands"].sum(axis=1)
    deck = worlds["deck"].view(np.uint8).reshape(len(worlds), -1)
    whole[:, : deck.shape[1]] += deck
    assert (whole[:, :42] == env.game.rules[0]["copies"]).all()
    assert (worlds["hands"] >= env.states["known"]).all()
    assert (worlds["hands"].sum(axis=2) == env.states["hands"].sum(axis=2)).all()
    rows = np.arange(len(worlds))
    assert (worlds["hands"][rows, seats] == env.states["hands"][rows, seats]).all()
    for name in set(worlds.dtype.names) - {"hands", "tally", "deck", "rng"}:
        assert (worlds[name] == env.states[name]).all()
    before = env.observe(seats)["observation"].copy()
    again = envs.make_vec(env.game, len(worlds), seed=0)
    again.set_records(worlds)
    assert again.observe(seats)["observation"].tobytes() == before.tobytes()
    acts = seats == env.agent_selection
    assert (again.last()[0]["action_mask"][acts] == env.last()[0]["action_mask"][acts]).all()


def _check_views(game, state, world, seat):
    assert game.to_dict(world, seat) == game.to_dict(state, seat)
    assert game.text(world, seat) == game.text(state, seat)
    assert game.svg(world, seat) == game.svg(state, seat)
    # The tallies and the cards in no open place belong to the new deal.
    again = game.from_dict(game.to_dict(world))[0]
    for name in ("tally", "unplaced", "deck", "deck_size"):
        assert (again[name] == world[name]).all()
    waiting = [p for p in range(game.num_players) if state["phase"] == 0 or p != state["current_player"]]
    assert not any(is_ring(world["tally"][p]) for p in waiting)


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("num_players", [2, 4, 7])
def test_the_cards_dealt_are_those_that_a_plain_shuffle_deals_from_the_same_word(num_players, copies):
    env = envs.make_vec("dance_of_eights", 60, num_players, seed=3, copies=copies)
    rng = np.random.default_rng(3)
    for step in range(41):
        if step % 10 == 0:
            words, seats = _words(60, step), rng.integers(num_players, size=60)
            worlds = env.worlds(words, seats)
            for i in range(60):
                assert _same(worlds[i], *_plain_shuffle(env.states[i], int(seats[i]), int(words[i])))
        env.step(random_choice(env.last()[0]["action_mask"], rng))


def test_a_deal_with_a_ring_is_shuffled_again_from_the_words_that_follow():
    table = Table(position(OTHERS, [*KNOWN, 5, 20], known=[[], KNOWN], deck=[38, 38, *RING[6:]]))
    shuffles = []
    for word, world in zip(_words(60), _worlds(table, 0, 60), strict=True):
        *expected, times = _plain_shuffle(table.env.states[0], 0, int(word))
        assert _same(world, *expected, times)
        shuffles.append(times)
    assert set(shuffles) >= {1, 2}


def _same(world, hands, deck, rng, _):
    found = world["deck"].astype("<u8").view(np.uint8)[:42]
    return world["hands"][:, :42].tolist() == hands and found.tolist() == deck and int(world["rng"]) == rng


def _plain_shuffle(state, seat, word):
    """All hands, the deck, the last word and the number of shuffles, dealt with lists of cards and numbers of Python."""
    hidden = state["hands"].astype(int) - state["known"]
    hidden[seat] = 0
    deck = state["deck"].astype("<u8").view(np.uint8)[:42] + hidden[:, :42].sum(axis=0)
    values, others = envs.make_game("dance_of_eights", 2).rules[0]["values"], [p for p in range(len(hidden)) if p != seat]
    for shuffles in range(DEALS):
        hands, rest = (state["hands"] - hidden)[:, :42].tolist(), np.repeat(np.arange(42), deck).tolist()
        for p in others:
            for _ in range(hidden[p].sum()):
                word = word + 0x9E3779B97F4A7C15 & 2**64 - 1
                hands[p][rest.pop((_mixed(word) >> 32) * len(rest) >> 32)] += 1
        waiting = [p for p in others if sum(hands[p]) == 8]
        if not any(is_ring(np.dot(values[:42], np.array(hands[p], np.uint64))) for p in waiting):
            return hands, counts(rest), word, shuffles + 1
    return hands, counts(rest), word, DEALS


def _mixed(word):
    """The output function of splitmix64."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & 2**64 - 1
    word = (word ^ word >> 27) * 0x94D049BB133111EB & 2**64 - 1
    return word ^ word >> 31


def test_a_game_that_is_over_is_not_dealt_again():
    table = Table(position(OTHERS, [*RING[:7], 7], discard=[RING[7]], current=1))
    table.play("take", card=RING[7]).play("discard", card=7)
    worlds = _worlds(table, 0, 5)
    assert (worlds["hands"] == table.env.states["hands"]).all()


# --- observation --------------------------------------------------------------------------------------------------------


def test_the_sections_of_an_observation():
    table = Table(
        position(OTHERS, [1, 4, 5, 7, 20, 20, 38, 38], [*RING[:7], 9], known=[[], [38], [2, 3]], discard=[10], current=1, turn=5)
    )
    assert table.section(0, "phase").tolist() == [1, 0]
    assert table.section(0, "current_player").tolist() == [0, 1, 0]
    assert table.section(1, "current_player").tolist() == [1, 0, 0]
    assert table.section(0, "turns_left").tolist() == [np.float32(0.96)]
    assert np.allclose(table.section(0, "sizes"), [33 / 58, 1 / 58])
    # Drow, Siren, Nymph, Nereid, Centaur, Goblin, Nixie and the male Drow.
    assert (table.section(0, "values") * 8).tolist() == [7, 1, 0, 2, 6, 1, 1, 6, 3, 4, 0, 1]
    assert table.section(0, "odd").tolist() == [1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1]
    assert (table.section(0, "hand") * 2).tolist() == counts(OTHERS)
    assert (table.section(0, "discard") * 2).tolist() == counts([10])
    known = table.section(1, "known") * 2
    assert known.tolist() == [counts([38]), counts([2, 3]), counts([])]
    everything = sum(table.section(1, name) for name in ("hand", "discard", "unseen")) + known[1:].sum(axis=0) / 2
    assert (everything * 2).tolist() == table.game.rules[0]["copies"].tolist()


def test_an_observation_of_a_game_that_is_over_shows_no_phase_and_nobody_to_act():
    table = Table(position(OTHERS, [*RING[:7], 7], discard=[RING[7]], current=1))
    table.play("take", card=RING[7]).play("discard", card=7)
    assert not table.section(0, "phase").any()
    assert not table.section(1, "current_player").any()
