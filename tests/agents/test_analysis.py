"""``agents.analyse``: what it tells, that it leaks nothing, and how it refuses."""

import numpy as np
import pytest

import agents
import envs
from envs.position import Position
from envs.vector import VectorAECEnv


@pytest.fixture(scope="module")
def env():
    made = envs.make("dance_of_eights", num_players=2)
    made.reset(seed=3)
    return made


def test_a_search_tells_shares_visits_and_values_in_the_order_of_the_shares(env):
    before = env.unwrapped.record.tobytes()
    told = agents.analyse(env, "ismcts:60")
    assert env.unwrapped.record.tobytes() == before
    assert told.seat == 0 and told.agent == "ismcts:60" and told.best == told.moves[0]
    assert {move.action for move in told.moves} == set(np.flatnonzero(env.last()[0]["action_mask"]))
    assert sum(move.visits for move in told.moves) == 60 and sum(move.share for move in told.moves) == pytest.approx(1)
    assert [move.share for move in told.moves] == sorted((move.share for move in told.moves), reverse=True)
    for move in told.moves:
        assert move.sentence == env.unwrapped.game.sentence(env.unwrapped.record, move.action)
        assert move.error == pytest.approx(((1 - move.value**2) / move.visits) ** 0.5)
    assert told.table[0] == told.best._asdict()
    assert all(move.sentence in str(told) and f"{move.share:.1%}" in told._repr_html_() for move in told.moves)
    assert repr(told).startswith("Analysis(dance_of_eights-v0, 2 players, decision 0, player 0 to act, by ismcts:60: 2 moves")


def test_the_same_question_has_the_same_answer_by_any_form_of_the_position(env):
    game, record = env.unwrapped.game, env.unwrapped.record
    told = agents.analyse(env, "ismcts:30", seat=0, seed=4)
    for position, more in ((Position(game, record), {}), (record, {"game": game}), (record, {"game": "dance_of_eights"})):
        assert agents.analyse(position, "ismcts:30", seed=4, **more).moves == told.moves


def test_what_the_seat_cannot_know_changes_nothing(env):
    """The other hand, the deck and the random word dealt anew: not a byte of the answer is another one."""
    game = env.unwrapped.game
    table = VectorAECEnv(game, 1, seed=0, autoreset=False)
    table.set_records(np.array([env.unwrapped.record], game.state_dtype))
    told = agents.analyse(env, "ismcts:40")
    for word in (5, 6):
        world = table.worlds(np.array([word], np.uint64))
        assert world.tobytes() != table.states.tobytes()
        again = agents.analyse(Position(game, world), "ismcts:40")
        assert again._repr_html_() == told._repr_html_() and repr(again) == repr(told)
        assert again.position.svg() == told.position.svg()


class Last:
    def __init__(self, game):
        self.game = game

    def act(self, observations, action_masks, worlds):
        return np.array([np.flatnonzero(mask)[-1] for mask in action_masks])


def test_other_agents_tell_what_they_choose(env):
    told = agents.analyse(env, Last(env.unwrapped.game))
    assert told.agent == "Last" and told.best.share == 1 and told.best.action == max(move.action for move in told.moves)
    assert told.best.visits is None and told.best.value is None
    assert sum(move.share for move in agents.analyse(env, "greedy").moves) == 1


def test_mistakes_are_named(env):
    fresh, game = envs.make("dance_of_eights"), env.unwrapped.game
    for position, more, message in (
        (env, {"seat": 1}, "player 0 is to act, so there is nothing to analyse for seat 1"),
        (env, {"seat": 2}, "seat is 2; it must be an integer from 0 to 1"),
        (env, {"agent": "gredy"}, "there is no agent 'gredy'"),
        (env, {"agent": 7}, "agent is 7; it must be a word such as 'greedy', or have a method act"),
        (env, {"seed": -1}, "seed is -1"),
        (fresh, {}, "before the first reset"),
        ("fairy_ring", {}, "position is a str; it must be an environment"),
        (np.zeros(2, game.state_dtype), {"game": game}, "it must be one record"),
        (env.unwrapped.record, {"game": "fairy_ring"}, "it must be one record of the state_dtype"),
        (np.zeros(1, game.state_dtype)[0], {"game": game}, "not possible"),
    ):
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            agents.analyse(position, **{"agent": "random", **more})


def test_a_game_that_is_over_has_nothing_to_analyse():
    env = envs.make_vec("dance_of_eights", 1, seed=1, autoreset=False)
    while env.agent_selection[0] >= 0:
        env.step(env.last()[0]["action_mask"].argmax(axis=1))
    with pytest.raises(ValueError, match="the game is over"):
        agents.analyse(env.states, game=env.game)
