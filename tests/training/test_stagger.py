"""Games of a fresh batch are moved apart, so that they do not all end at once."""

import numpy as np
import pytest

import envs
from agents.agent import RandomAgent
from envs import engine
from training.games import Games
from training.selfplay_env import SelfPlayVecEnv
from training.stagger import move_apart

TABLES = [("fairy_ring", 2), ("fairy_ring", 4), ("dance_of_eights", 2)]


@pytest.fixture(params=TABLES, ids=str)
def game(request):
    return envs.make_game(*request.param)


def ends_by_rollout(venv, rollouts, steps):
    venv.reset()
    rng, ends = np.random.default_rng(0), []
    for _ in range(rollouts):
        for _ in range(steps):
            masks = venv.action_masks()
            venv.step((rng.random(masks.shape) * masks).argmax(1))
        ends.append(venv.take_statistics()["games"])
    return np.array(ends)


def test_every_game_is_played_on_by_another_number_of_decisions(game):
    games = Games(game, 100, seed=3)
    dealt = games.episodes.copy()
    decisions = move_apart(games, 3)
    assert decisions.min() == 0 and len(set(decisions)) > 20
    first = games.episodes == dealt
    np.testing.assert_array_equal(games.states["decisions"][first], decisions[first])
    assert (games.states["decisions"][~first] == 0).all()
    assert first.mean() > 0.5
    assert (games.agent_selection != engine.NO_PLAYER).all()


def test_it_is_the_same_for_the_same_seed_and_another_for_another(game):
    played = []
    for seed in (3, 3, 4):
        games = Games(game, 20, seed=3)
        move_apart(games, seed)
        played.append(games.states.tobytes())
    assert played[0] == played[1] != played[2]


def test_about_as_many_games_end_in_every_rollout():
    game = envs.make_game("fairy_ring", 2)
    together = ends_by_rollout(SelfPlayVecEnv(game, 256, seed=1), 8, 32)
    apart = ends_by_rollout(SelfPlayVecEnv(game, 256, seed=1, staggered=True), 8, 32)
    assert together.min() == 0 and together.max() == 256  # as it was
    assert apart.min() > 0.8 * apart.mean() and apart.max() < 1.2 * apart.mean()


def test_nothing_of_it_is_counted_and_who_learns_is_to_act(game):
    for against in (None, RandomAgent(game)):
        venv = SelfPlayVecEnv(game, 40, seed=2, staggered=True, against=against)
        venv.reset()
        assert venv.played_ahead.max() > 0
        assert venv.learning_seats[np.arange(40), venv.seats_to_move].all()
        assert venv.take_statistics() == {"games": 0} and venv.dropped_games == 0
        state = venv.get_state()
        assert (venv.set_state(state) == venv.set_state(state)).all()
