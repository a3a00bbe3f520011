"""Rows of a batch, in which only what has changed is written, show what a view written as a whole shows."""

import numpy as np
import pytest

import envs
from envs import engine
from envs.mushroom_rings.state import CELL_ACTION, Phase

from .table import Table, new_game
from .test_garden import THREE, TWICE

GAMES = 3


@pytest.fixture(scope="module")
def game():
    return new_game()


def whole_views(env):
    """The views of the seats to act, written into arrays full of rubbish."""
    views = np.full((env.num_envs, env.game.observation_size), np.nan, np.float32)
    seats = np.maximum(env.agent_selection, 0).astype(np.int64)
    env.game.kernels.observe_batch(env.states, env.game.rules, seats, engine.rows(views))
    return views


def assert_rows_are_whole(env):
    assert env.last()[0]["observation"].tobytes() == whole_views(env).tobytes()


def likely_to_close(env, rng):
    """Random legal actions, mostly on cells where a path meets itself."""
    mask = env.last()[0]["action_mask"]
    weights = rng.random(mask.shape) * mask
    for row, state in enumerate(env.states):
        if state["phase"] == Phase.CELL:
            opened = slice(int(state["num_open"]))
            meeting = state["open_cell"][opened][state["open_meets"][opened] != 0]
            weights[row, CELL_ACTION + meeting] *= 50
    return weights.argmax(axis=1)


def test_over_whole_games_and_into_the_next(game):
    env, rng = envs.make_vec(game, GAMES, seed=4), np.random.default_rng(4)
    ends = rings = 0
    while ends < GAMES:
        assert_rows_are_whole(env)
        env.step(likely_to_close(env, rng))
        ends += int(env.last()[2].sum())
        rings = max(rings, int(env.states["num_rings"].max()))
    for _ in range(40):
        assert_rows_are_whole(env)
        env.step(likely_to_close(env, rng))
    assert rings > 2


def test_after_going_back_and_playing_on_otherwise_or_likewise(game):
    env, rng = envs.make_vec(game, GAMES, seed=5), np.random.default_rng(5)
    for _ in range(60):
        env.step(likely_to_close(env, rng))
    saved = env.get_state()
    for seed in (6, 7, 7):
        rng = np.random.default_rng(seed)
        for _ in range(40):
            env.step(likely_to_close(env, rng))
            assert_rows_are_whole(env)
        env.set_state(saved)
        assert_rows_are_whole(env)


def test_after_games_have_changed_their_rows(game):
    env, rng = envs.make_vec(game, GAMES, seed=8), np.random.default_rng(8)
    for step in range(120):
        env.step(likely_to_close(env, rng))
        if step % 10 == 0:
            env.set_records(np.roll(env.states, 1))
        assert_rows_are_whole(env)


def test_a_table_set_anew_with_as_many_tiles_on_the_same_cells(game):
    table = Table(game, TWICE)
    others = [(tile + 9 if 15 <= tile <= 19 else tile, *place) for tile, *place in TWICE]  # bends of other colours
    for garden in (TWICE, others, THREE, TWICE):
        table.set(Table(game, garden).state)
        assert_rows_are_whole(table.env)
