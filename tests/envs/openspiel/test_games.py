"""OpenSpiel's door: the same games as by every other door, and what OpenSpiel expects of a game."""

import copy
import json

import numpy as np
import pyspiel
import pytest
from open_spiel.python import observation

import envs
import envs.openspiel
from envs.dicts import changes
from tests.envs.openspiel.games import LONG, SPECS, TINY, act, deal, load, middle, states_of


@pytest.mark.parametrize("spec", SPECS)
def test_openspiel_plays_random_games_and_finds_nothing_wrong(spec):
    pyspiel.random_sim_test(load(spec), 1, True, False)


@pytest.mark.parametrize("spec", [*SPECS[1:], LONG])
def test_a_game_is_that_of_the_same_seed_by_every_other_door(spec):
    game = load(spec)
    env, rng = envs.raw_env(game.game), np.random.default_rng(1)
    for seed in (0, 5, 2**64 - 1):
        state = deal(game, seed)
        env.reset(seed=seed)
        for _ in range(150):
            if state.is_terminal():
                break
            agent = env.agent_selection
            assert state.current_player() == env.possible_agents.index(agent)
            view = env.observe(agent)
            assert state.legal_actions() == np.flatnonzero(view["action_mask"]).tolist()
            assert state.legal_actions_mask() == view["action_mask"].tolist()
            assert np.float32(state.observation_tensor()).tobytes() == view["observation"].tobytes()
            assert json.loads(state.observation_string()) == env.game.to_dict(env.record, state.current_player())
            action = int(rng.choice(state.legal_actions()))
            assert state.action_to_string(action).startswith(env.game.sentence(env.record, action))
            state.apply_action(action)
            env.step(action)
            assert state.node.record[0].tobytes() == env.record.tobytes()
        assert state.is_terminal() == (env.record["current_player"] < 0)
        assert state.returns() == list(env.rewards.values())


def test_short_games_end_with_the_same_returns():
    game = load("fairy_rings_dance_of_eights(copies=1,max_turns=100,players=2)")
    env, rng = envs.raw_env(game.game), np.random.default_rng(0)
    paid = []
    for seed in range(300, 340):
        state = deal(game, seed)
        env.reset(seed=seed)
        agent_moves = 0
        while not state.is_terminal() and agent_moves < 30:
            action = int(rng.choice(state.legal_actions()))
            state.apply_action(action)
            env.step(action)
            agent_moves += 1
        assert state.returns() == list(env.rewards.values())
        paid.append(state.is_terminal())
    assert not all(paid)


def test_parameters_are_players_and_every_rule_option():
    game = load("fairy_rings_fairy_ring_objectives(players=4)")
    assert game.game.options["objectives"] is True and game.num_players() == 4
    assert game.get_type().parameter_specification == {"players": 2, "objectives": True, "fireflies": "top", "deck": ""}
    assert load("fairy_rings_fairy_ring(objectives=true)").game.options["objectives"] is True
    assert load("fairy_rings_dance_of_eights(players=7)").game.options == {"copies": 2, "max_turns": 100}
    assert str(load("fairy_rings_dance_of_eights(players=3)")) == "fairy_rings_dance_of_eights(copies=2,max_turns=100,players=3)"
    assert {name for name in envs.openspiel.NAMES if "tiny" not in name} == {f"fairy_rings_{name}" for name in envs.GAMES}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fairy_rings_dance_of_eights(players=8)", "is for 2 to 7 players, not 8"),
        ("fairy_rings_dance_of_eights(copies=3)", "option copies is 3; choose from 1, 2"),
        ("fairy_rings_dance_of_eights(cards=3)", "Unknown parameter"),
        ("fairy_rings_fairy_ring(deck=/no/such/file.csv)", "no/such/file"),
    ],
)
def test_a_parameter_that_does_not_fit_is_an_error_that_says_so(spec, message):
    with pytest.raises((ValueError, OSError, pyspiel.SpielError), match=message):
        load(spec)


def test_a_game_of_ones_own_can_be_registered():
    name = envs.openspiel.register("examples.tic_tac_toe")
    game = load(f"{name}(size=4)")
    assert (name, game.num_distinct_actions()) == ("fairy_rings_examples_tic_tac_toe", 16)
    pyspiel.random_sim_test(game, 1, True, False)
    with pytest.raises(ValueError, match=r"there is no game 'examples.chess'"):
        envs.openspiel.register("examples.chess")


def test_an_illegal_action_is_refused_and_changes_nothing():
    state = middle()
    before = state.serialize()
    for action in (-1, 84, 85, 1 << 40):
        with pytest.raises((ValueError, pyspiel.SpielError), match=f"{action}"):
            state.apply_action(action)
        with pytest.raises(ValueError, match=f"{action}"):
            state.action_to_string(action)
    assert state.serialize() == before


def test_chance_tells_its_probabilities_and_refuses_other_outcomes():
    for spec in SPECS:
        state = load(spec).new_initial_state()
        outcomes = state.chance_outcomes()
        assert sum(chance for _, chance in outcomes) == pytest.approx(1)
        with pytest.raises(ValueError, match="action 300 is not legal here"):
            state.apply_action(300)


def test_copies_go_their_own_way():
    state, rng = middle(decisions=2), np.random.default_rng(0)
    before = state.serialize()
    for made in (state.clone(), copy.deepcopy(state)):
        assert (made.serialize(), made.history()) == (before, state.history())
        act(made, rng)
        assert state.serialize() == before != made.serialize()


def test_what_seats_see_is_empty_while_the_deal_goes_on():
    for spec in SPECS:
        state = load(spec).new_initial_state()
        assert state.observation_string(0) == state.information_state_string(1) == "the deal"
        assert not any(state.observation_tensor(0)) and not any(state.information_state_tensor(1))


def test_states_and_moves_are_plain_data_too():
    state = middle(decisions=2)
    game, record, seat = state.get_game().game, state.node.record, state.current_player()
    assert state.to_dict() == game.to_dict(record)
    assert json.loads(state.to_observation_struct(seat).to_json()) == game.to_dict(record, seat)
    action = state.legal_actions()[0]
    move = state.action_to_struct(action)
    assert json.loads(move.to_json()) == game.move(record, action)
    assert state.struct_to_actions(move) == [action]


def test_observers_have_named_parts_and_refuse_what_they_cannot_show():
    state = middle("fairy_rings_dance_of_eights(max_turns=6)")
    game = state.get_game()
    seen = observation.make_observation(game)
    seen.set_from(state, 1)
    assert list(seen.dict) == list(game.game.slices)
    assert seen.dict["hand"].sum() * 2 == state.node.record["hands"][0, 1].sum()
    recalling = observation.make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    recalling.set_from(state, 1)
    assert recalling.dict["history"].shape == (1 + game.max_game_length(), 2 + len(seen.tensor))
    with pytest.raises(ValueError, match="is observed as one seat sees it"):
        kind = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
        observation.make_observation(game, kind)
    with pytest.raises(ValueError, match="have no parameters"):
        observation.make_observation(game, params={"loud": 1})


def test_a_long_game_has_no_array_of_information_states():
    game = load(LONG)
    assert not game.get_type().provides_information_state_tensor and game.get_type().provides_observation_tensor
    assert load(SPECS[1]).get_type().provides_information_state_tensor


# --- information states -------------------------------------------------------------------------------------------------


def test_an_information_state_is_what_the_seat_was_told_step_by_step():
    state = middle(decisions=6)
    view, seat = None, state.current_player()
    game, record = state.get_game().game, state.node.record
    first, *lines = [json.loads(line) for line in state.information_state_string().splitlines()]
    assert len(lines) == record["decisions"][0]
    assert all(("action" in line) == (line["player"] == seat) for line in lines)
    view = first
    for line in lines:
        for place, value in line["changes"].items():
            path = place.replace("]", "").replace("[", ".").split(".")
            part = view
            for key in path[:-1]:
                part = part[int(key) if key.isdigit() else key]
            part[int(path[-1]) if path[-1].isdigit() else path[-1]] = value
    assert view == game.to_dict(record, seat)
    assert changes(view, view) == {}


def test_changes_of_other_lengths_and_types_are_told_as_a_whole():
    assert changes({"a": [1, 2], "b": 1}, {"a": [1], "b": True}) == {"a": [1], "b": True}
    assert changes({"a": {"b": None}}, {"a": {"c": None}}) == {"a": {"c": None}}


@pytest.mark.parametrize("seat", [0, 1])
def test_the_array_has_a_row_for_every_decision_with_the_own_action(seat):
    seen, actions, mover = [], [], None
    for state in states_of("fairy_rings_dance_of_eights(max_turns=3)", 1):
        if state.is_chance_node():
            continue
        if seen:
            actions.append((1 + state.history()[-1]) / 85 if mover == seat else 0)
        seen.append(state.observation_tensor(seat))
        mover = state.current_player()
        rows = np.array(state.information_state_tensor(seat)).reshape(-1, 2 + len(seen[0]))
        assert len(rows) == 13 and not rows[len(seen) :].any()
        assert rows[: len(seen), 0].tolist() == [1] * len(seen)
        assert rows[: len(seen), 1].tolist() == pytest.approx([*actions, 0])
        assert rows[: len(seen), 2:].tolist() == seen


def test_the_tiny_game_has_perfect_recall():
    """Whoever is told the same now was told the same, and did the same, at all own decisions before."""
    remembered = {}

    def walk(state, pasts):
        if state.is_terminal():
            return
        if state.is_chance_node():
            for action in state.legal_actions():
                walk(state.child(action), pasts)
            return
        seat = state.current_player()
        key = state.information_state_string()
        assert remembered.setdefault((seat, key), pasts[seat]) == pasts[seat]
        assert remembered.setdefault((seat, key, "legal"), state.legal_actions()) == state.legal_actions()
        for action in state.legal_actions():
            walk(state.child(action), {**pasts, seat: (*pasts[seat], (key, action))})

    walk(load(f"{TINY}(max_turns=1)").new_initial_state(), {0: (), 1: ()})
    assert sum(len(key) == 2 for key in remembered) == 548
