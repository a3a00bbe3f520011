"""The compiled game against the slow reference, over whole games of random and of ring-seeking players.

``MUSHROOM_RINGS_GAMES`` sets how many games are compared (default 24).
"""

import os
import random
from pathlib import Path

import numpy as np
import pytest

import envs
from envs.mushroom_rings import components

from .players import random_move, ring_seeking_move
from .reference import Reference

GAMES = int(os.environ.get("MUSHROOM_RINGS_GAMES", "24"))
FOLDER = Path(components.__file__).parents[1]
ALL_EVERY = 7  # decisions; the views of the seats are the state less what is hidden, and take as long again each


@pytest.fixture(autouse=True)
def _random_words_wrap():
    with np.errstate(over="ignore"):
        yield


def options_of(seed):
    """Every number of players under every choice of options in turn; three games of four seek rings."""
    players = 2 + seed % 3
    options = {"trade_board": bool(seed // 3 % 2), "permission": ("ask", "refuse")[seed // 6 % 2]}
    if seed % 15 == 0:  # with two players only: each size of table is compiled anew
        options["table_radius"] = 8
    is_random = (seed + seed // 12) % 4 == 3  # the twelve choices above meet both players
    return players, options, random_move if is_random else ring_seeking_move


@pytest.mark.parametrize("seed", range(GAMES))
def test_whole_games_are_the_same(seed):
    players, options, player = options_of(seed)
    game = envs.make_game("mushroom_rings", players, **options)
    env = envs.make_vec(game, 1, players, seed=seed, autoreset=False)
    reference = Reference(players, options, game.to_dict(env.states), FOLDER)
    rng, decisions = random.Random(seed), 0
    while not reference.is_over:
        compare(game, env.states, reference, decisions % ALL_EVERY == 0)
        move = player(reference, rng)
        env.step(np.array([reference.action_id(move)]))
        reference.step(move)
        decisions += 1
    compare(game, env.states, reference, with_all=True)
    compare_results(env, reference)


def compare(game, record, reference, with_all):
    """State, seat to act, legal ids and moves; now and then all views, and that the dict makes the same record."""
    state = game.to_dict(record)
    assert state == reference.state()
    moves = reference.legal_moves()
    legal = game.legal_actions(record)
    assert legal == [reference.action_id(move) for move in moves]
    assert [game.move(record, action) for action in legal] == moves
    if with_all:
        for seat in range(game.num_players):
            assert game.to_dict(record, seat) == reference.view(seat)
        back = game.from_dict(state)
        for name in set(game.state_dtype.names) - {"rng", "decisions"}:
            assert back[name].tobytes() == record[name].tobytes(), name


def compare_results(env, reference):
    """Rewards of every kind, ranks and scores."""
    _, rewards, terminations, _, infos = env.last()
    assert terminations.all()
    assert infos["rank"][0].tolist() == reference.ranks()
    assert infos["score"][0].tolist() == reference.rewards("score")
    assert rewards[0] == pytest.approx(reference.rewards("placement"))
