"""Gymnasium's door to one seat of one game."""

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

import envs
from agents.agent import RandomAgent
from doors.gymnasium_env import OneSeatEnv
from tests import race

ID = "envs:fairy_rings/{}-v0"


def make(name, **parameters):
    return gymnasium.make(ID.format(name), **parameters)


def play(env, seed, rng, steps=None):
    """A game of random decisions of the learner, or its beginning; all that it gives."""
    given = [env.reset(seed=seed)]
    over = False
    while not over and len(given) != steps:
        given.append(env.step(choose(given[-1][-1], rng)))
        over = given[-1][2] or given[-1][3]
    return given


def choose(info, rng):
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


@pytest.mark.parametrize("mask_in", ["info", "observation"])
@pytest.mark.parametrize("name", envs.GAMES)
def test_gymnasium_and_stable_baselines3_accept_every_rule_set(name, mask_in):
    env = make(name, mask_in=mask_in).unwrapped
    check_env(env, skip_render_check=True)
    check_env_of_sb3(env, skip_render_check=True)


def test_making_one_is_what_imports_agents():
    code = f"""
import sys, gymnasium, envs
gymnasium.spec("fairy_rings/fairy_ring-v0")
assert not {{"doors", "agents", "torch"}} & set(sys.modules), "before"
gymnasium.make({ID.format("fairy_ring")!r}, opponents="greedy")
assert "agents.opponents" in sys.modules and "torch" not in sys.modules, "after"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_game_is_that_of_its_seed():
    env, raw = make("dance_of_eights", seat=0), envs.raw_env("dance_of_eights")
    for episode in range(3):
        observation, info = env.reset(seed=11 if episode == 0 else None)
        raw.reset(seed=11 if episode == 0 else None)
        if raw.agent_selection == "player_0":
            assert observation.tobytes() == raw.last()[0]["observation"].tobytes()
            assert info["action_mask"].tobytes() == raw.last()[0]["action_mask"].tobytes()
    both = [make("dance_of_eights", num_players=3, opponents=["random", "greedy"]) for _ in range(2)]
    one, other = (play(env, 4, np.random.default_rng(0)) for env in both)
    assert data_equivalence(one, other, exact=True)


def test_what_is_told_and_paid_at_the_end():
    env, rng = OneSeatEnv(race.make_game(num_players=3), opponents="random"), np.random.default_rng(0)
    ends = {"terminated": 0, "truncated": 0}
    seats = set()
    for seed in range(60):
        *before, (observation, reward, terminated, truncated, info) = play(env, seed, rng)
        assert not any(step[1] for step in before[1:])
        assert all(set(step[-1]) == {"action_mask", "seat", "illegal"} and not step[-1]["illegal"] for step in before[1:])
        assert observation[0] == info["seat"]
        assert {step[-1]["seat"] for step in before} == {info["seat"]}
        assert not info["action_mask"].any()
        assert 1 <= info["length"] <= race.LIMIT
        assert terminated != truncated
        assert reward == (0 if truncated else {1: 1.0, 2: -0.5}[info["rank"]])
        assert [type(value) for value in (reward, terminated, info["rank"], info["score"])] == [float, bool, int, float]
        ends["truncated" if truncated else "terminated"] += 1
        seats.add(info["seat"])
    assert min(ends.values()) > 3
    assert seats == {0, 1, 2}


def test_an_illegal_action_does_what_was_asked_for():
    def illegal(policy):
        env = make("dance_of_eights", illegal=policy, seat=0)
        _, info = env.reset(seed=0)
        return env, int(np.flatnonzero(info["action_mask"] == 0)[0])

    env, action = illegal("forfeit")
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["illegal"], info["rank"]) == (-1.0, True, True, 2)
    env, action = illegal("random")
    *_, terminated, _, info = env.step(action)
    assert info["illegal"]
    assert not terminated
    assert not env.step(choose(info, np.random.default_rng(0)))[-1]["illegal"]
    env, action = illegal("raise")
    with pytest.raises(ValueError, match="illegal actions in 1 rows: row 0: action"):
        env.step(action)
    env.step(choose({"action_mask": env.unwrapped.action_masks()}, np.random.default_rng(0)))


def test_what_is_given_is_the_callers_own():
    env = make("dance_of_eights", mask_in="observation")
    observation, info = env.reset(seed=0)
    observation["action_mask"][:] = 0
    observation["observation"][:] = 0
    assert info["action_mask"].any()
    info["action_mask"][:] = 0
    assert env.unwrapped.action_masks().any()
    kept = env.reset(seed=0)[0]
    first = kept["observation"].copy()
    env.step(choose({"action_mask": kept["action_mask"]}, np.random.default_rng(0)))
    assert (kept["observation"] == first).all()


def test_opponents_are_named_as_on_the_command_line(tmp_path):
    game = envs.make_game("dance_of_eights", 3)
    agent = RandomAgent(game)
    env = make("dance_of_eights", num_players=3, opponents=["agents.agent:RandomAgent", agent])
    assert env.unwrapped._table.seats.opponents[1] is agent
    play(env, 0, np.random.default_rng(0))
    env = make("fairy_ring", opponents="ppo")
    play(env, 0, np.random.default_rng(0), steps=3)
    with pytest.raises(ValueError, match="cannot use checkpoint"):
        (tmp_path / "model.zip").write_bytes(b"nothing")
        make("fairy_ring", opponents=str(tmp_path / "model.zip"))


def test_wrong_parameters_are_named():
    for parameters, message in (
        ({"oponents": "greedy"}, "no parameter 'oponents' .did you mean 'opponents'.*; the environment has opponents, num_"),
        ({"firefly": "all"}, "no parameter 'firefly' .did you mean 'fireflies'"),
        ({"fireflies": "some"}, "option fireflies is 'some'; choose from"),
        ({"num_players": 9}, "2 to 4 players, not 9"),
        ({"seat": 2}, "seat is 2; it must be an integer from 0 to 1"),
        ({"opponents": "gredy"}, "there is no agent 'gredy'"),
        ({"opponents": ["random"] * 3}, "3 opponents for 1 seats"),
        ({"mask_in": "obs"}, "mask_in is 'obs'; choose from observation, info"),
        ({"illegal": "lose"}, "illegal is 'lose'; choose from raise, forfeit, random"),
        ({"reward": "points"}, "reward is 'points'; choose from placement, win, score"),
        ({"view": 2}, "view is 2; it must be an integer from 0 to 1"),
    ):
        with pytest.raises(ValueError, match=message):
            make("fairy_ring", **parameters)
    with pytest.raises(ValueError, match="render_mode is 'gif'"):
        OneSeatEnv("fairy_ring", render_mode="gif")
    env = make("fairy_ring").unwrapped
    with pytest.raises(ValueError, match="seed is -1; it must be an integer from 0"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="reset has no option 'seat'"):
        env.reset(options={"seat": 1})
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action is 0.5; it must be an integer"):
        env.step(0.5)


def test_options_of_the_rules_and_own_games_pass_through():
    env = make("fairy_ring", num_players=3, fireflies="all", objectives=True)
    assert env.unwrapped.game.options == envs.make_game("fairy_ring", 3, fireflies="all", objectives=True).options
    assert make("fairy_ring_objectives").unwrapped.game.options["objectives"] is True
    env = OneSeatEnv("examples.tic_tac_toe", seat=1, size=4)
    assert env.action_space.n == 16


def test_pictures_of_every_mode_whole_or_as_the_learner_sees_them():
    whole, own = (make("fairy_ring", render_mode="ansi", view=view, seat=1) for view in (None, "learner"))
    for env in (whole, own):
        env.reset(seed=0)
    assert whole.render() != own.render()
    game = own.unwrapped.game
    assert own.render() == game.text(own.unwrapped._table.seats.games.states[0], 1)
    for mode in ("rgb_array", "human", "rgb_array_list"):
        env = make("dance_of_eights", render_mode=mode)
        env.reset(seed=0)
        picture = env.render()
        assert (picture is None) == (mode == "human")
        frame = picture[0] if mode == "rgb_array_list" else picture
        assert mode == "human" or (frame.dtype == np.uint8 and frame.shape[2] == 3)
        env.close()
    with pytest.warns(UserWarning, match="render_mode"):
        assert OneSeatEnv("fairy_ring").render() is None


def test_copies_go_on_alike():
    env = make("dance_of_eights", opponents="greedy")
    play(env, 3, np.random.default_rng(0), steps=4)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        original, rng = copy.deepcopy(env), np.random.default_rng(1)
        while True:
            action = choose({"action_mask": twin.unwrapped.action_masks()}, rng)
            one, other = twin.step(action), original.step(action)
            assert data_equivalence(one, other, exact=True)
            if one[2] or one[3]:
                break


@pytest.mark.parametrize(("name", "num_players"), [*((name, 2) for name in envs.GAMES), ("dance_of_eights", 4)])
def test_what_the_learner_cannot_know_changes_nothing_that_it_gets(name, num_players):
    env = make(name, num_players=num_players, mask_in="observation", render_mode="ansi", view="learner").unwrapped
    rng, changed = np.random.default_rng(0), 0
    env.reset(seed=1)
    games = env._table.seats.games
    for step in range(25):
        observation, info = env._observed(games.observations[0].copy(), env.action_masks())
        text, truth = env.render(), games.states.copy()
        for word in range(3):
            games.set_records(games.worlds(np.array([97 * step + word], np.uint64)))
            changed += games.states.tobytes() != truth.tobytes()
            again, told = env._observed(games.observations[0].copy(), env.action_masks())
            assert data_equivalence((observation, info), (again, told), exact=True)
            assert env.render() == text
        games.set_records(truth)
        if any(env.step(choose(info, rng))[2:4]):
            env.reset()
    assert changed > 25


def test_maskable_ppo_learns_on_it():
    env = OneSeatEnv(race.make_game(num_players=2), opponents="random")
    model = MaskablePPO("MlpPolicy", env, n_steps=256, n_epochs=4, learning_rate=3e-3, gamma=1.0, device="cpu", seed=0)
    model.learn(4_000)
    recent = [episode["r"] for episode in model.ep_info_buffer]
    assert len(recent) == 100
    assert np.mean(recent) > 0.3  # stepping three times wins; passing and gambling do not
