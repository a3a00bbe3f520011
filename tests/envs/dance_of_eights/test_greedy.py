"""The rule-based player: strong, and blind to what the seat cannot know."""

import numpy as np
import pytest

import envs
from agents.registry import make_agent
from envs.vector import VectorAECEnv
from tests.envs.dance_of_eights.table import OTHERS, RING, Table, position


def win_shares(num_players, games, seed):
    """How many of the games one greedy player wins against random ones, in every seat equally often."""
    game = envs.make_game("dance_of_eights", num_players)
    env = VectorAECEnv(game, games, seed=seed, reward="win", autoreset=False)
    greedy, random = make_agent("greedy", game), make_agent("random", game)
    own, won = np.arange(games) % num_players, np.zeros(games)
    rng = np.random.default_rng(seed)
    while True:
        observation, rewards, *_ = env.last()
        won += rewards[np.arange(games), own]
        seats = env.agent_selection
        if (seats < 0).all():
            return won.mean()
        actions = np.zeros(games, np.int64)
        worlds = env.worlds(rng.integers(2**64, size=games, dtype=np.uint64))
        for agent, rows in ((greedy, seats == own), (random, (seats >= 0) & (seats != own))):
            rows = np.flatnonzero(rows)
            actions[rows] = agent.act(observation["observation"][rows], observation["action_mask"][rows], worlds[rows])
        env.step(actions)


@pytest.mark.parametrize(("num_players", "least"), [(2, 0.98), (4, 0.94), (7, 0.90)])
def test_it_beats_random_players(num_players, least):
    assert win_shares(num_players, 1050, seed=3) >= least


@pytest.mark.parametrize("num_players", [2, 3, 7])
def test_it_plays_the_same_when_hidden_cards_are_dealt_anew(num_players):
    game = envs.make_game("dance_of_eights", num_players)
    env = VectorAECEnv(game, 1000, seed=5)
    greedy, random = make_agent("greedy", game), make_agent("random", game)
    rng = np.random.default_rng(5)
    for step in range(8):
        observation, *_ = env.last()
        view = observation["observation"], observation["action_mask"]
        chosen = greedy.act(*view, env.states.copy())
        worlds = [env.worlds(rng.integers(2**64, size=1000, dtype=np.uint64)) for _ in range(2)]
        for world in worlds:
            assert (greedy.act(*view, world) == chosen).all()
        env.step(chosen if step % 2 else random.act(*view, worlds[0]))


def _choice(table):
    observation, *_ = table.env.last()
    agent = make_agent("greedy", table.game)
    action = agent.act(observation["observation"], observation["action_mask"], table.env.states.copy())[0]
    return table.game.move(table.env.states, action)


def test_it_takes_the_card_that_completes_a_ring_and_discards_for_it():
    table = Table(position([*RING[:7], 7], OTHERS, discard=[5, 20, RING[7], 38]))
    assert _choice(table) == {"type": "take", "card": RING[7]}
    table.play("take", card=RING[7])
    assert _choice(table) == {"type": "discard", "card": 7}


def test_it_keeps_the_eight_cards_that_most_unseen_cards_complete():
    # Without the Nereid two kinds of cards complete the hand, without any other card fewer or none.
    table = Table(position([*RING[:7], 7, 5], OTHERS, discard=[20], phase="discard"))
    assert _choice(table) == {"type": "discard", "card": 5}


def test_the_kinds_that_complete_a_hand_are_those_that_trying_finds():
    from agents.greedy import dance_of_eights as module
    from envs.dance_of_eights.cards import load_cards
    from envs.dance_of_eights.ring_test import tally_of

    cards, tables = load_cards(), module.make_tables(load_cards())[0]
    rng = np.random.default_rng(0)
    pack = np.array([card.id for card in cards for _ in range(card.rows)])
    for _ in range(300):
        seven = rng.permutation(pack)[:7]
        found = {
            int(tables["kind"][card.id])
            for card in cards
            if module.is_ring(np.uint64(sum(tally_of(cards[other]) for other in seven) + tally_of(card)))
        }
        code = int(np.bitwise_xor.reduce(tables["code"][tables["kind"][seven]]))
        assert found <= {int(tables["kind_of_code"][code])}
