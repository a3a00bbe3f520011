"""VectorAECEnv: N games, one decision in each per step."""

import copy

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envs
from envs.vector import VectorAECEnv


def random_actions(env, rng):
    """A random legal action for every row that is not over."""
    masks = env.last()[0]["action_mask"]
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


def test_last_has_the_documented_shapes(game):
    env = VectorAECEnv(game, 3, seed=0)
    observation, rewards, terminations, truncations, infos = env.last()
    assert observation["observation"].shape == (3, game.observation_size)
    assert observation["observation"].dtype == np.float32
    assert observation["action_mask"].shape == (3, game.num_actions)
    assert observation["action_mask"].dtype == np.int8
    assert rewards.shape == (3, game.num_players)
    assert rewards.dtype == np.float32
    assert terminations.shape == truncations.shape == (3,)
    assert terminations.dtype == truncations.dtype == bool
    assert infos == {}
    assert env.agent_selection.dtype == np.int8
    assert env.state().shape == (3, game.num_players * game.observation_size)
    for row in range(3):
        single = {key: value[row] for key, value in observation.items()}
        assert env.single_observation_space.contains(single)


def test_the_restart_mode_is_published():
    assert envs.make_vec("fairy_ring", 2).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.make_vec("fairy_ring", 2, autoreset=False).metadata["autoreset_mode"] is AutoresetMode.DISABLED


def test_infos_tell_of_the_games_that_ended(game_for_two):
    env = VectorAECEnv(game_for_two, 4, seed=0)
    rng = np.random.default_rng(0)
    for _ in range(2 * game_for_two.max_decisions):
        env.step(random_actions(env, rng))
        _, rewards, terminations, truncations, infos = env.last()
        if infos:
            break
    rows = infos["rows"]
    assert rows.tolist() == np.flatnonzero(terminations | truncations).tolist()
    assert infos["rank"].shape == infos["score"].shape == (len(rows), 2)
    assert (infos["length"] > 0).all()
    beaten = infos["rank"][:, ::-1] - infos["rank"]
    assert (np.sign(beaten) == rewards[rows]).all()


def test_wrong_actions_are_named_and_change_nothing():
    env = envs.make_vec("fairy_ring", 6, seed=0)
    before = env.get_state()
    actions = np.zeros(6, np.int64)
    actions[2], actions[5] = 7, 99
    seat = env.agent_selection[2]
    with pytest.raises(ValueError, match=f"illegal actions in 2 rows: row 2: action 7 of player {seat}, row 5: action 99"):
        env.step(actions)
    with pytest.raises(ValueError, match="actions must be 6 integers, not int64 of shape .5"):
        env.step(actions[:5])
    with pytest.raises(ValueError, match="actions must be 6 integers, not float64"):
        env.step(np.zeros(6))
    assert env.get_state() == before


def test_forfeit_ends_the_game_of_the_offender_only():
    env = envs.make_vec("fairy_ring", 3, num_players=3, seed=0, illegal="forfeit")
    offender = int(env.agent_selection[1])
    actions = np.zeros(3, np.int64)
    actions[1] = 30
    env.step(actions)
    _, rewards, terminations, _, infos = env.last()
    assert terminations.tolist() == [False, True, False]
    assert infos["illegal"].tolist() == [False, True, False]
    assert rewards[1, offender] == -1
    assert rewards[1].sum() == 0
    assert (rewards[1] == 0.5).sum() == 2
    assert infos["rank"][0, offender] == 3


@pytest.mark.parametrize(("reward", "offender_gets", "total"), [("win", 0, 1), ("score", 0, None)])
def test_forfeit_under_other_rewards(reward, offender_gets, total):
    env = envs.make_vec("fairy_ring", 1, num_players=4, seed=0, illegal="forfeit", reward=reward)
    offender = int(env.agent_selection[0])
    env.step(np.array([37]))
    rewards = env.last()[1][0]
    assert rewards[offender] == offender_gets
    if total is not None:
        assert rewards.sum() == pytest.approx(total)


def test_random_replaces_an_illegal_action_the_same_way_every_time():
    one, other = (envs.make_vec("fairy_ring", 4, seed=0, illegal="random") for _ in range(2))
    for env in (one, other):
        env.step(np.full(4, 37))
    assert one.last()[4]["illegal"].all()
    assert one.states.tobytes() == other.states.tobytes()
    assert (one.states["decisions"] == 1).all()


def test_arrays_are_reused_unless_copies_are_asked_for():
    env = envs.make_vec("fairy_ring", 2, seed=0)
    first = env.last()[0]["observation"]
    assert env.last()[0]["observation"] is first
    env = envs.make_vec("fairy_ring", 2, seed=0, copy=True)
    first = env.last()[0]["observation"]
    kept = first.copy()
    env.step(np.zeros(2, np.int64))
    assert (first == kept).all()


def test_seeds_decide_rows_as_documented():
    by_number = envs.make_vec("fairy_ring", 3, seed=9)
    longer = envs.make_vec("fairy_ring", 5, seed=9)
    assert longer.states[:3].tobytes() == by_number.states.tobytes()
    listed = envs.make_vec("fairy_ring", 2, seed=0)
    listed.reset([9, 9])
    assert listed.states[0].tobytes() == listed.states[1].tobytes() == by_number.states[0].tobytes()
    by_number.reset()
    longer.reset()
    assert longer.states[:3].tobytes() == by_number.states.tobytes() != listed.states.tobytes()
    assert envs.make_vec("fairy_ring", 1).states.tobytes() != envs.make_vec("fairy_ring", 1).states.tobytes()


@pytest.mark.parametrize("seed", [[1, 2], 1.5, -1, "three"])
def test_wrong_seeds_are_refused(seed):
    env = envs.make_vec("fairy_ring", 3, seed=0)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed)


def test_without_restart_a_finished_game_waits():
    env = envs.make_vec("fairy_ring", 2, seed=0, autoreset=False)
    rng = np.random.default_rng(0)
    while (env.agent_selection >= 0).all():
        env.step(random_actions(env, rng))
    over = int(np.flatnonzero(env.agent_selection < 0)[0])
    record = env.states[over].tobytes()
    assert not env.last()[0]["action_mask"][over].any()
    assert env.last()[1][over].any() or (env.last()[4]["rank"] == 1).all()
    env.step(random_actions(env, rng))
    assert env.states[over].tobytes() == record
    assert not env.last()[1][over].any()
    env.reset()
    assert (env.agent_selection >= 0).all()


def test_observe_gives_any_seat_and_masks_only_the_one_to_act(game):
    env = VectorAECEnv(game, 4, seed=2)
    for seat in range(game.num_players):
        view = env.observe(seat)
        acts = env.agent_selection == seat
        assert view["action_mask"][acts].any(axis=1).all()
        assert not view["action_mask"][~acts].any()
        own = env.last()[0]["observation"]
        assert (view["observation"][acts] == own[acts]).all()
    with pytest.raises(ValueError, match=f"seat is {game.num_players}; it must be an integer from 0 to {game.num_players - 1}"):
        env.observe(game.num_players)


def test_a_state_of_another_batch_is_refused():
    env = envs.make_vec("fairy_ring", 3, seed=0)
    with pytest.raises(ValueError, match="num_envs is 4; it must be 3"):
        env.set_state(envs.make_vec("fairy_ring", 4, seed=0).get_state())
    with pytest.raises(ValueError, match="num_players is 3; it must be 2"):
        env.set_state(envs.make_vec("fairy_ring", 3, num_players=3, seed=0).get_state())


def test_worlds_are_dealt_for_the_seat_to_act():
    env = envs.make_vec("fairy_ring", 50, seed=0)
    words = np.arange(50, dtype=np.uint64)
    worlds = env.worlds(words)
    again = env.worlds(words)
    assert worlds.tobytes() == again.tobytes()
    rows, seats = np.arange(50), env.agent_selection
    assert (worlds["hand"][rows, seats] == env.states["hand"][rows, seats]).all()
    assert (worlds["hand"][rows, 1 - seats] != env.states["hand"][rows, 1 - seats]).any()
    assert env.worlds(words + np.uint64(1)).tobytes() != worlds.tobytes()


def test_a_batch_needs_a_game_and_a_number():
    with pytest.raises(ValueError, match="num_envs is 0"):
        envs.make_vec("fairy_ring", 0)
    with pytest.raises(ValueError, match="illegal is 'ignore'"):
        envs.make_vec("fairy_ring", 1, illegal="ignore")


def test_pictures_of_a_row():
    env = envs.make_vec("fairy_ring", 2, seed=0)
    assert env.render(0) != env.render(1)
    assert env.render(1, "svg").startswith("<svg")
    assert env.render(1, "rgb_array").shape[2] == 3
    copy.deepcopy(env).close()
