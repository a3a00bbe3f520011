"""The two environments for stable-baselines3: what both promise it, and the one in which a single seat learns."""

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from agents.agent import RandomAgent
from tests import race
from tests.training.environments import all_seats, random_actions
from training.opponents_env import FixedOpponentsVecEnv
from training.selfplay_env import SelfPlayVecEnv


@pytest.fixture(scope="module")
def game():
    return race.make_game(num_players=3)


# --- what both promise stable-baselines3 --------------------------------------------------------------------------------


def both(game):
    return [all_seats(game, share=0.5, snapshots=(1,)), FixedOpponentsVecEnv(game, 40, RandomAgent(game), seed=3)]


def test_what_is_returned_is_a_copy(game):
    for venv in both(game):
        rng = np.random.default_rng(0)
        observations, kept = venv.reset(), []
        for _ in range(20):
            masks = venv.action_masks()
            kept.append((observations, observations.copy(), masks, masks.copy()))
            observations, *_ = venv.step(random_actions(masks, rng))
        for observation, as_it_was, mask, mask_as_it_was in kept:
            np.testing.assert_array_equal(observation, as_it_was)
            np.testing.assert_array_equal(mask, mask_as_it_was)


def test_masks_are_those_of_the_observations_returned_last(game):
    for venv in both(game):
        rng = np.random.default_rng(0)
        observations = venv.reset()
        for _ in range(30):
            (masks,) = venv.env_method("action_masks")
            own_steps = observations[:, 2]
            np.testing.assert_array_equal(masks, np.stack([own_steps != 1, own_steps >= 0, own_steps > 0], 1))
            np.testing.assert_array_equal(observations[:, 0], observations[:, 3])  # the observer is the seat to act
            assert masks.dtype == np.int8
            assert masks.any(1).all()
            observations, *_ = venv.step(random_actions(masks, rng))


def test_single_masks_and_attributes_can_be_asked_for(game):
    for venv in both(game):
        venv.reset()
        block = venv.action_masks()
        np.testing.assert_array_equal(venv.env_method("action_masks", indices=[2, 5]), block[[2, 5]])
        assert venv.get_attr("num_players", [0, 1]) == [3, 3]
        assert venv.has_attr("action_masks")
        assert not venv.has_attr("nothing")
        with pytest.raises(AttributeError):
            venv.get_attr("nothing")


def test_the_dict_of_games_that_go_on_is_shared_and_empty(game):
    for venv in both(game):
        rng = np.random.default_rng(0)
        venv.reset()
        for _ in range(20):
            *_, dones, infos = venv.step(random_actions(venv.action_masks(), rng))
            assert len({id(infos[row]) for row in np.flatnonzero(~dones)}) <= 1
            assert all(bool(info) == done for info, done in zip(infos, dones, strict=True))


# --- one seat learns ----------------------------------------------------------------------------------------------------


class Recorder(RandomAgent):
    """A random agent that keeps what it was asked."""

    def __init__(self, game):
        super().__init__(game)
        self.seats, self.worlds = [], []

    def act(self, observations, action_masks, worlds):
        assert len(observations) == len(action_masks) == len(worlds) > 0
        assert action_masks.any(1).all()
        np.testing.assert_array_equal(observations[:, 0], worlds["current_player"])
        self.seats += observations[:, 0].tolist()
        return super().act(observations, action_masks, worlds)


@pytest.mark.parametrize("seat", [0, 1, 2, None])
def test_only_the_learner_is_asked_and_paid(game, seat):
    venv = FixedOpponentsVecEnv(game, 30, Recorder(game), seat=seat, seed=1)
    rng = np.random.default_rng(0)
    observations = venv.reset()
    learners, truncated, won, lost = set(), 0, 0, 0
    for _ in range(150):
        seats = venv.learner_seats.copy()
        np.testing.assert_array_equal(observations[:, 0], seats)
        learners |= set(seats.tolist())
        observations, rewards, dones, infos = venv.step(random_actions(venv.action_masks(), rng))
        assert not rewards[~dones].any()
        for row in np.flatnonzero(dones):
            info, reward = infos[row], rewards[row]
            final = info["terminal_observation"]
            assert final[0] == seats[row]
            assert final[3] == -1  # the game it shows is over
            assert info["TimeLimit.truncated"] == (final[1] == race.LIMIT and (info["rank"] == 1).all())
            truncated += info["TimeLimit.truncated"]
            if info["TimeLimit.truncated"]:
                assert reward == 0
            else:
                assert reward == {1: 1.0, 2: -0.5}[info["rank"][seats[row]]]
                won, lost = won + (reward > 0), lost + (reward < 0)
            assert info["episode"]["r"] == reward
    assert learners == ({0, 1, 2} if seat is None else {seat})
    assert min(truncated, won, lost) > 5
    assert venv.dropped_games > 0
    assert venv.illegal_actions == 0


def test_opponents_sit_in_the_order_in_which_they_follow_the_learner(game):
    first, second = Recorder(game), Recorder(game)
    venv = FixedOpponentsVecEnv(game, 30, [first, second], seat=1, seed=1)
    rng = np.random.default_rng(0)
    venv.reset()
    for _ in range(20):
        venv.step(random_actions(venv.action_masks(), rng))
    assert set(first.seats) == {2}
    assert set(second.seats) == {0}


def test_wrong_arguments_are_named(game):
    with pytest.raises(ValueError, match="seat is 3; it must be an integer from 0 to 2"):
        FixedOpponentsVecEnv(game, 2, RandomAgent(game), seat=3)
    with pytest.raises(ValueError, match="1 opponents for 2 seats"):
        FixedOpponentsVecEnv(game, 2, [RandomAgent(game)])
    with pytest.raises(ValueError, match="snapshot_share"):
        SelfPlayVecEnv(game, 2, snapshot_share=1.5)


def test_a_best_response_beats_the_agents_it_learned_against():
    game = race.make_game(num_players=2)
    venv = FixedOpponentsVecEnv(game, 32, RandomAgent(game), seed=1)
    model = MaskablePPO(
        "MlpPolicy", venv, n_steps=16, batch_size=128, n_epochs=4, learning_rate=3e-3, gamma=1.0, device="cpu", seed=0
    )
    model.learn(15_000)
    recent = [episode["r"] for episode in model.ep_info_buffer]
    assert len(recent) == 100
    assert np.mean(recent) > 0.3  # stepping three times wins; passing and gambling do not
    assert venv.illegal_actions == 0


def test_an_algorithm_without_masks_learns_if_illegal_actions_are_replaced(game):
    venv = FixedOpponentsVecEnv(game, 8, RandomAgent(game), seed=1, illegal="random")
    model = PPO("MlpPolicy", venv, n_steps=16, batch_size=64, n_epochs=1, device="cpu", seed=0)
    model.learn(256)
    assert venv.illegal_actions > 0
    assert model.num_timesteps == 256
