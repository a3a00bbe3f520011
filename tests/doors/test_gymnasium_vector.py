"""Gymnasium's vector door, beside Gymnasium's own vector of single environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import envs
from doors.gymnasium_env import OneSeatEnv
from doors.gymnasium_vector import OneSeatVectorEnv
from tests import race

ID = "envs:fairy_rings/{}-v0"


def assert_same(one, other, place=""):
    """The same types, keys, dtypes and numbers."""
    assert type(one) is type(other), place
    if isinstance(one, dict):
        assert set(one) == set(other), place
        for key in one:
            assert_same(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, tuple):
        for number, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, f"{place}[{number}]")
    elif one is not None and one.dtype == object:
        assert_same(tuple(one), tuple(other), place)
    elif one is not None:
        assert one.dtype == other.dtype, place
        np.testing.assert_array_equal(one, other, place)


CASES = {
    "dance_of_eights": {"num_players": 3, "opponents": ["random", "greedy"], "illegal": "forfeit"},
    "fairy_ring": {"opponents": "greedy", "mask_in": "observation", "illegal": "random", "reward": "win"},
    "race": {"game": race.make_game(num_players=3), "seat": 1},
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_vector_of_single_environments(case):
    """Ends, forfeits, truncations, drawn seats and dropped games among them."""
    parameters = CASES[case]
    name = ID.format("fairy_ring" if case == "race" else case)
    ours = gymnasium.make_vec(name, num_envs=6, **parameters)
    theirs = SyncVectorEnv([lambda: gymnasium.make(name, **parameters)] * 6, autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng, ended, cut = np.random.default_rng(0), 0, 0
    for seed in (5, None, [3, 1, 4, 1, 5, 9]):
        first = ours.reset(seed=seed)
        assert_same(first, theirs.reset(seed=seed))
        assert ours.observation_space.contains(first[0])
        for _ in range(120):
            masks = ours.action_masks()
            actions = (rng.random(masks.shape) * masks).argmax(1)
            actions = np.where(rng.random(6) < 0.02, rng.integers(0, masks.shape[1], 6), actions)
            step = ours.step(actions)
            assert_same(step, theirs.step(actions))
            ended, cut = ended + step[2].sum(), cut + step[3].sum()
    assert ended > 20
    assert (cut > 5) == (case == "race")


def test_arrays_are_fresh_unless_asked_otherwise():
    for copy in (True, False):
        env = OneSeatVectorEnv("dance_of_eights", 8, copy=copy)
        first, infos = env.reset(seed=0)
        kept, mask = first.copy(), infos["action_mask"].copy()
        env.step(env.action_masks().argmax(1))
        assert (first.tobytes() == kept.tobytes()) == copy
        assert (infos["action_mask"].tobytes() == mask.tobytes()) == copy
        assert first.flags.writeable == copy


def test_an_illegal_action_may_raise_and_then_nothing_has_changed():
    env = OneSeatVectorEnv("dance_of_eights", 3, illegal="raise")
    before = env.reset(seed=0)[0]
    for actions, message in (
        (np.full(3, env.game.num_actions), "illegal actions in 3 rows"),
        (np.zeros(4, np.int64), "actions must be 3 integers"),
        (np.zeros(3), "actions must be 3 integers"),
    ):
        with pytest.raises(ValueError, match=message):
            env.step(actions)
    assert env._observed()[0].tobytes() == before.tobytes()
    env.step(env.action_masks().argmax(1))


def test_wrong_parameters_are_named():
    for parameters, message in (
        ({"opponent": "greedy"}, "no parameter 'opponent' .did you mean 'opponents'.*copy, num_envs, threads; the rules of"),
        ({"num_envs": 0}, "num_envs is 0; it must be an integer from 1"),
        ({"seat": -1}, "seat is -1"),
        ({"render_mode": "human"}, "render_mode is 'human'; choose from ansi, svg, rgb_array"),
    ):
        with pytest.raises(ValueError, match=message):
            gymnasium.make_vec(ID.format("fairy_ring"), **parameters)
    env = OneSeatVectorEnv("fairy_ring", 3)
    for seed, message in ((-1, "seed is -1"), (2**64 - 2, "seed is 18446744073709551614"), ([1, 2], "seed must be 3 integers")):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seed)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.zeros(3, np.int64))


def test_pictures_of_all_games():
    env = OneSeatVectorEnv("dance_of_eights", 3, render_mode="ansi", view="learner", num_players=3)
    env.reset(seed=0)
    pictures = env.render()
    seats, states = env._table.seats.learner, env._table.seats.games.states
    assert pictures == tuple(env.game.text(states[row], int(seats[row])) for row in range(3))
    assert OneSeatVectorEnv("dance_of_eights", 2).render() is None


@pytest.mark.parametrize("name", envs.GAMES)
def test_what_the_learners_cannot_know_changes_nothing_that_they_get(name):
    env = OneSeatVectorEnv(name, 5)
    env.reset(seed=1)
    games, rng = env._table.seats.games, np.random.default_rng(0)
    for step in range(12):
        before, truth = env._observed(), games.states.copy()
        games.set_records(games.worlds(np.arange(5, dtype=np.uint64) + np.uint64(99 * step)))
        assert games.states.tobytes() != truth.tobytes()
        assert_same(before, env._observed())
        games.set_records(truth)
        masks = env.action_masks()
        env.step((rng.random(masks.shape) * masks).argmax(1))


def test_wrappers_of_gymnasium_go_round_it():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.make_vec(ID.format("dance_of_eights"), num_envs=4))
    _, infos = env.reset(seed=0)
    returns, rng = [], np.random.default_rng(0)
    for _ in range(150):
        actions = (rng.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(1)
        _, rewards, terminations, truncations, infos = env.step(actions)
        if "episode" in infos:
            rows = infos["_episode"]
            assert (infos["episode"]["r"][rows] == rewards[rows]).all()
            assert (rows == (terminations | truncations)).all()
            returns += infos["episode"]["r"][rows].tolist()
    assert {1.0, -1.0} <= set(returns) <= {1.0, 0.0, -1.0}


def test_the_single_environment_may_be_vectorised_by_gymnasium():
    env = gymnasium.make_vec(ID.format("dance_of_eights"), num_envs=2, vectorization_mode="sync", seat=1)
    assert isinstance(env.envs[0].unwrapped, OneSeatEnv)
    _, infos = env.reset(seed=0)
    assert infos["seat"].tolist() == [1, 1]
