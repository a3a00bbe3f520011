"""The compiled rules against the slow reference, which was written from the rule text alone."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import envs
import envs.dance_of_eights
from agents.registry import make_agent
from envs.vector import VectorAECEnv
from tests.comparison import compare
from tests.envs.dance_of_eights.reference import Reference

CARDS = Path(envs.dance_of_eights.__file__).with_name("cards.csv")


def _reference(game, state):
    return Reference(game.num_players, dict(game.options), state, CARDS)


@pytest.mark.parametrize("max_turns", [1, 4, 10])
@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("num_players", range(2, 8))
def test_eighteen_hundred_short_games_agree(num_players, copies, max_turns):
    game = envs.make_game("dance_of_eights", num_players, copies=copies, max_turns=max_turns)
    compare(game, 50, 1000 * max_turns, partial(_reference, game))


@pytest.mark.parametrize(("num_players", "copies"), [(2, 1), (2, 2), (5, 2)])
def test_games_of_full_length_agree(num_players, copies):
    game = envs.make_game("dance_of_eights", num_players, copies=copies)
    compare(game, 50, 0, partial(_reference, game), views_every=100)


@pytest.mark.parametrize("num_players", range(2, 8))
def test_three_hundred_games_of_good_players_agree(num_players):
    game = envs.make_game("dance_of_eights", num_players, copies=1 + num_players % 2)
    agent, env = make_agent("greedy", game), VectorAECEnv(game, 50, seed=7, autoreset=False)
    references = [_reference(game, game.to_dict(record)) for record in env.states]
    words = np.arange(50, dtype=np.uint64)
    for _ in range(200):
        seats = env.agent_selection.copy()
        observation, *_ = env.last()
        actions = np.zeros(50, np.int64)
        live = np.flatnonzero(seats >= 0)
        actions[live] = agent.act(observation["observation"][live], observation["action_mask"][live], env.worlds(words)[live])
        moves = {i: game.move(env.states[i], actions[i]) for i in live}
        env.step(actions)
        for i, move in moves.items():
            references[i].step(move, game.to_dict(env.states[i]))
            assert references[i].state() == game.to_dict(env.states[i])
    assert sum(reference.is_over and not reference.is_truncated for reference in references) > 40
