"""The PettingZoo door with flat observations, whose masks are in infos."""

import copy
import pickle

import numpy as np
import pytest
import supersuit
from pettingzoo.test import api_test

import envs

WRAPPERS = {
    "frame_stack": lambda env: supersuit.frame_stack_v1(env, 3),
    "dtype": lambda env: supersuit.dtype_v0(env, np.float64),
    "flatten": supersuit.flatten_v0,
    "normalize_obs": supersuit.normalize_obs_v0,
    "pad_observations": supersuit.pad_observations_v0,
    "pad_action_space": supersuit.pad_action_space_v0,
    "agent_indicator": supersuit.agent_indicator_v0,
    "delay_observations": lambda env: supersuit.delay_observations_v0(env, 1),
    "max_observation": lambda env: supersuit.max_observation_v0(env, 2),
    "clip_reward": supersuit.clip_reward_v0,
}
"""SuperSuit's wrappers that look at one seat's observations, rewards or spaces. All but two refuse dictionaries."""


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_every_rule_set(game_for_two):
    api_test(envs.make(game_for_two, mask_in="info"), num_cycles=100)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_of_supersuit_play_a_game(name):
    env = WRAPPERS[name](envs.make("dance_of_eights", mask_in="info"))
    env.reset(seed=0)
    rng, decisions, ended = np.random.default_rng(0), 0, False
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        assert env.observation_space(agent).contains(observation)
        ended |= termination or truncation
        if not termination and not truncation:
            decisions += 1
        env.step(None if termination or truncation else int(rng.choice(np.flatnonzero(info["action_mask"]))))
    assert ended
    assert decisions > 10


def test_it_is_the_same_game_with_the_mask_elsewhere(game_for_two):
    usual, flat = envs.make(game_for_two), envs.make(game_for_two, mask_in="info")
    rng = np.random.default_rng(0)
    for env in (usual, flat):
        env.reset(seed=2)
    for agent in usual.agent_iter():
        (observation, *rest, info), (seen, *same, told) = usual.last(), flat.last()
        assert seen.tobytes() == observation["observation"].tobytes()
        told = dict(told)
        mask = told.pop("action_mask")
        assert (mask == observation["action_mask"]).all()
        assert mask.dtype == np.int8
        assert (rest, info) == (same, told)
        for other in usual.agents:
            assert flat.infos[other].get("action_mask", mask).any() == (other == agent and mask.any())
        action = None if rest[1] or rest[2] else int(rng.choice(np.flatnonzero(mask)))
        for env in (usual, flat):
            env.step(action)


def test_a_mask_is_the_callers_own_in_copies_too(game_for_two):
    env = envs.make(game_for_two, mask_in="info")
    env.reset(seed=0)
    mask = env.last()[-1]["action_mask"]
    kept = mask.copy()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin.last()[-1]["action_mask"][:] = 0
        assert (mask == kept).all()
    env.step(int(np.flatnonzero(mask)[0]))
    assert (mask == kept).all()
    mask[:] = 0
    assert env.last()[-1]["action_mask"].any()


def test_states_go_from_one_form_to_the_other(game_for_two):
    usual, flat = envs.raw_env(game_for_two), envs.raw_env(game_for_two, mask_in="info")
    usual.reset(seed=0)
    usual.step(int(np.flatnonzero(usual.last()[0]["action_mask"])[0]))
    flat.set_state(usual.get_state())
    assert flat.last()[-1]["action_mask"].tobytes() == usual.last()[0]["action_mask"].tobytes()
    assert flat.get_state() == usual.get_state()


def test_without_copies_observations_are_views():
    env = envs.raw_env("dance_of_eights", mask_in="info", copy=False)
    env.reset(seed=0)
    first = env.last()[0]
    kept = first.copy()
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    assert first.tobytes() != kept.tobytes()


def test_max_cycles_leaves_nobody_an_action():
    env = envs.make("dance_of_eights", mask_in="info", max_cycles=3)
    env.reset(seed=0)
    for _ in range(3):
        env.step(int(np.flatnonzero(env.last()[-1]["action_mask"])[0]))
    assert all(env.truncations.values())
    assert not any(info["action_mask"].any() for info in env.infos.values())


def test_what_a_seat_cannot_know_changes_nothing_that_it_is_told(game_for_two):
    env = envs.raw_env(game_for_two, mask_in="info")
    env.reset(seed=0)
    batch = envs.make_vec(game_for_two, 1, seed=[0])
    for step in range(12):
        world = envs.raw_env(game_for_two, mask_in="info")
        batch.set_records(np.array([env.record]))
        world.reset(seed=0)
        world._io["state"] = batch.worlds(np.array([step], np.uint64))
        world.game.kernels.single_show(world._io)
        world.agent_selection = env.agent_selection
        world._tell_masks()
        assert world.last()[0].tobytes() == env.last()[0].tobytes()
        for agent in env.agents:
            assert world.infos[agent]["action_mask"].tobytes() == env.infos[agent]["action_mask"].tobytes()
        env.step(int(np.random.default_rng(step).choice(np.flatnonzero(env.last()[-1]["action_mask"]))))


def test_a_wrong_place_is_named():
    with pytest.raises(ValueError, match="mask_in is 'infos'; choose from observation, info"):
        envs.make("fairy_ring", mask_in="infos")
