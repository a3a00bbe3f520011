"""One test for each rule of Dance of Eights; ``table.py`` explains positions."""

import numpy as np
import pytest

import envs
from envs import engine
from tests.envs.dance_of_eights.table import CARDS, OTHERS, RING, Table, counts, position

GREMLIN = 38
NEAR = [*RING[:7], 7]  # a Ring when Dryad 7 is given for the second Troll


# --- The deck, Setup ----------------------------------------------------------------------------------------------------


def test_the_list_has_58_rows_of_42_cards_with_26_combinations_of_attributes():
    assert sum(card.rows for card in CARDS) == 58
    assert len(CARDS) == 42
    assert len({card.columns for card in CARDS}) == 26
    assert CARDS[10][:6] == (10, "Faerie Queen", "F", "B", "E", "S")


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("num_players", range(2, 8))
def test_eight_cards_are_dealt_to_each_and_one_card_face_up(num_players, copies):
    state = Table(seed=3, num_players=num_players, copies=copies).state
    assert [sum(hand) for hand in state["hands"]] == [8] * num_players
    assert sum(state["discard"]) == 1
    assert state["deck_size"] == sum(state["deck"]) == 58 * copies - 8 * num_players - 1
    whole = np.sum([state["deck"], state["discard"], *state["hands"]], axis=0)
    assert whole.tolist() == [card.rows * copies for card in CARDS]
    assert not np.any(state["known"])


def test_every_copy_in_the_pack_is_dealt_equally_often():
    game = envs.make_game("dance_of_eights", 2)
    env = envs.make_vec(game, 20_000, seed=0)
    dealt = env.states["hands"].sum(axis=(0, 1))[:42]
    expected = 20_000 * 16 * np.array([card.rows * 2 for card in CARDS]) / 116
    assert np.abs(dealt - expected).max() < 5 * np.sqrt(expected.max())


def test_the_first_seat_begins():
    state = Table(seed=3, num_players=5).state
    assert (state["turn"], state["phase"], state["current_player"]) == (1, "gain", 0)


def _dealt_rings(num_players):
    game = envs.make_game("dance_of_eights", num_players)
    env = envs.make_vec(game, 20_000, seed=1, autoreset=False)
    return game, env, np.flatnonzero(env.agent_selection < 0)


def test_a_dealt_ring_wins_before_the_first_turn():
    game, env, over = _dealt_rings(4)
    assert 100 < len(over) < 300  # one hand in some 400
    _, rewards, terminations, truncations, infos = env.last()
    assert terminations[over].all() and not truncations.any() and infos["rows"].tolist() == over.tolist()
    for i in over[:5]:
        state = game.to_dict(env.states[i])
        assert (state["phase"], state["turn"], state["current_player"]) == ("over", 1, None)
        assert rewards[i, state["winner"]] == 1
        assert game.legal_actions(env.states[i]) == []


def test_of_two_dealt_rings_the_first_in_turn_order_wins():
    game, env, over = _dealt_rings(7)
    rings = [[p for p in range(7) if _is_ring(env.states[i]["hands"][p])] for i in over]
    assert max(map(len, rings)) > 1
    assert [seats[0] for seats in rings] == env.states["winner"][over].tolist()


def _is_ring(hand):
    cards = [card for card, held in zip(CARDS, hand[:42], strict=True) for _ in range(held)]
    even = all(
        sum(getattr(card, attribute) == value for card in cards) % 2 == 0
        for attribute in ("size", "alignment", "element")
        for value in "TSBMGEWF"
    )
    return even and sum(card.sex == "M" for card in cards) == 4 and len({card.element for card in cards}) > 1


def test_deals_that_are_over_are_passed_over_where_games_restart():
    env = envs.make_vec("dance_of_eights", 2_000, 7, seed=1)
    assert env.passed_over > 0
    assert (env.agent_selection == 0).all()


# --- Turn events --------------------------------------------------------------------------------------------------------


def test_a_player_may_draw_or_take_any_card_of_the_discard_area():
    table = Table(position(OTHERS, NEAR, discard=[5, GREMLIN, GREMLIN]))
    assert table.moves == [{"type": "draw"}, {"type": "take", "card": 5}, {"type": "take", "card": GREMLIN}]


def test_a_drawn_card_comes_from_the_deck_and_nobody_else_has_seen_it():
    table = Table(position(OTHERS, NEAR, deck=[GREMLIN])).play("draw")
    assert table.state["hands"][0] == counts([*OTHERS, GREMLIN])
    assert table.state["deck_size"] == 0
    assert table.state["known"][0] == counts([])
    assert table.section(1, "unseen")[GREMLIN] == 0.5


def test_every_card_of_the_deck_is_drawn_equally_often():
    table = Table(position(OTHERS, NEAR, deck=[5, 20, 20, GREMLIN]))
    worlds = np.repeat(table.env.states, 4000)
    worlds["rng"] = np.random.default_rng(0).integers(2**64, size=len(worlds), dtype=np.uint64)
    env = envs.make_vec(table.game, len(worlds), seed=0)
    env.set_records(worlds)
    env.step(np.zeros(len(worlds), np.int64))
    gained = (env.states["hands"][:, 0] - worlds["hands"][:, 0]).sum(axis=0)
    assert np.flatnonzero(gained).tolist() == [5, 20, GREMLIN]
    assert np.abs(gained[[5, 20, GREMLIN]] - [1000, 2000, 1000]).max() < 150


def test_a_card_taken_from_the_discard_area_is_known_to_all():
    table = Table(position(OTHERS, NEAR, discard=[GREMLIN, GREMLIN])).play("take", card=GREMLIN)
    assert table.state["discard"] == counts([GREMLIN])
    assert table.state["known"][0] == counts([GREMLIN])
    assert table.section(1, "known")[1].tolist() == [n / 2 for n in counts([GREMLIN])]


def test_then_any_card_of_the_nine_is_discarded_the_one_just_gained_too():
    table = Table(position(OTHERS, NEAR, discard=[GREMLIN])).play("take", card=GREMLIN)
    assert table.moves == [{"type": "discard", "card": card} for card in [*OTHERS, GREMLIN]]
    table.play("discard", card=GREMLIN)
    assert table.state["discard"] == counts([GREMLIN])
    assert table.state["hands"][0] == counts(OTHERS)


def test_a_discarded_card_that_was_taken_in_the_open_is_no_longer_known():
    hand, known = [*OTHERS, 1], [[1, 15], []]
    table = Table(position(hand, NEAR, known=known, discard=[5], phase="discard")).play("discard", card=1)
    assert table.state["known"][0] == counts([15])


def test_a_discarded_card_that_was_never_taken_in_the_open_leaves_what_is_known():
    table = Table(position([*OTHERS, 5], NEAR, known=[[15], []], discard=[20], phase="discard"))
    table.play("discard", card=5)
    assert table.state["known"][0] == counts([15])


def test_the_turn_passes_to_the_next_seat_and_a_round_is_a_turn_of_everybody():
    table = Table(seed=3, num_players=3)
    seen = []
    for _ in range(8):
        seen.append((table.state["turn"], table.state["phase"], table.state["current_player"]))
        table.env.step(np.array([table.game.legal_actions(table.env.states)[-1]]))
    turns = [(1, 0), (1, 1), (1, 2), (2, 0)]
    assert seen == [(turn, phase, seat) for turn, seat in turns for phase in ("gain", "discard")]


def test_when_the_deck_is_empty_only_the_discard_area_is_left():
    table = Table(position(OTHERS, NEAR, deck=[GREMLIN])).play("draw").play("discard", card=GREMLIN)
    assert {"type": "draw"} not in table.moves
    assert len(table.moves) == sum(count > 0 for count in table.state["discard"])


def test_after_the_last_turn_of_the_last_player_the_game_is_truncated_and_nobody_wins():
    hands = (OTHERS, NEAR)
    table = Table(position(*hands, discard=[GREMLIN], turn=7, current=1), max_turns=7, reward="win")
    table.play("take", card=GREMLIN).play("discard", card=GREMLIN)
    state = table.state
    assert (state["phase"], state["turn"], state["current_player"], state["winner"]) == ("over", 7, None, None)
    _, rewards, terminations, truncations, infos = table.env.last()
    assert (rewards[0].tolist(), terminations[0], truncations[0]) == ([0, 0], False, True)
    assert infos["rank"].tolist() == [[1, 1]] and infos["score"].tolist() == [[0, 0]]


# --- Winning ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["placement", "win", "score"])
def test_who_holds_a_ring_after_the_discard_wins_at_once(reward):
    hands = (OTHERS, NEAR, [4, 5, 9, 10, 11, 12, 13, 14])
    table = Table(position(*hands, discard=[RING[7]], current=1), reward=reward)
    table.play("take", card=RING[7])
    assert table.state["phase"] == "discard"
    table.play("discard", card=7)
    state = table.state
    assert (state["phase"], state["turn"], state["winner"], state["current_player"]) == ("over", 1, 1, None)
    _, rewards, terminations, truncations, infos = table.env.last()
    others = -0.5 if reward == "placement" else 0
    assert (rewards[0].tolist(), terminations[0], truncations[0]) == ([others, 1, others], True, False)
    assert infos["rank"].tolist() == [[2, 1, 2]] and infos["score"].tolist() == [[0, 1, 0]]


def test_a_ring_in_the_last_turn_wins():
    table = Table(position(OTHERS, NEAR, discard=[RING[7]], current=1, turn=5), max_turns=5)
    table.play("take", card=RING[7]).play("discard", card=7)
    assert table.state["winner"] == 1
    assert table.env.last()[2].tolist() == [True]


# --- Options ------------------------------------------------------------------------------------------------------------


def test_wrong_options_and_numbers_of_players_are_named():
    for players in (1, 8, True, "2"):
        with pytest.raises(ValueError, match="is for 2 to 7 players|num_players is .*; it must be an integer"):
            envs.make_game("dance_of_eights", players)
    with pytest.raises(ValueError, match="option copies is 3; choose from 1, 2"):
        envs.make_game("dance_of_eights", copies=3)
    for turns in (0, 1001, 1.5, True):
        with pytest.raises(ValueError, match="max_turns is .*; choose from 1 to 1000"):
            envs.make_game("dance_of_eights", max_turns=turns)


def test_the_facts_say_what_each_card_is():
    facts = envs.make_game("dance_of_eights").facts
    assert facts["card_values"].shape == (42, 12)
    assert np.flatnonzero(facts["card_values"][GREMLIN]).tolist() == [1, 2, 5, 8]  # male, tiny, mischievous, earth


def test_equal_games_are_equal_bytes_whatever_way_they_came_about():
    table = Table(seed=9, num_players=3, copies=2)
    for _ in range(30):
        actions = table.game.legal_actions(table.env.states)
        table.env.step(np.array([actions[len(actions) // 2]]))
        again = table.game.from_dict(table.state)
        for name, *_ in engine.HEADER:
            again[name] = table.env.states[name]
        assert again.tobytes() == table.env.states.tobytes()
