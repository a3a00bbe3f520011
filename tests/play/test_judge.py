"""What an agent says of a recorded game: chances, moves that lost something, and what the page shows of it."""

import numpy as np
import pytest

import envs
from envs import engine
from play.frames import Moments, moments
from play.judge import Judge, Question, check_judge, judge_game, meaning
from tests import race
from tests.play.test_watch import beginning_of


def race_at(steps):
    """A position of the race for two in its third decision."""
    record = np.zeros(1, race.make_game(num_players=2).state_dtype)
    record["steps"], record["winner"], record["decisions"] = steps, -1, 2
    return record


def noughts_after(*actions):
    """A position of tic-tac-toe."""
    env = envs.make_vec(envs.make_game("examples.tic_tac_toe"), 1, seed=0)
    for action in actions:
        env.step(np.array([action]))
    return env.states.copy()


@pytest.fixture(scope="module")
def judge():
    return Judge(envs.make_game("examples.tic_tac_toe"), "ismcts:400")


def test_a_win_thrown_away_is_a_blunder(judge):
    record = noughts_after(0, 3, 1, 4)  # who is to act wins at 2, the other one would at 5
    mover = int(record["current_player"][0])
    said = judge(Question(record, 8, 5))
    assert said["chances"][mover] > 0.8 and sum(said["chances"]) == pytest.approx(1, abs=1e-3)
    assert said["kind"] == "blunder" and said["lost"] > 0.8 and said["lost"] > 2 * said["error"]
    assert said["better"] == judge.game.sentence(record, 2)
    assert "lost" not in judge(Question(record, 2, 5)), "the best move lost nothing"


def test_a_move_that_is_as_good_is_called_nothing(judge):
    said = [judge(Question(noughts_after(), corner, 7)) for corner in (0, 2, 6, 8)]
    assert [judgement.get("kind") for judgement in said].count(None) >= 3


def test_the_same_question_has_the_same_answer_whatever_nobody_can_know():
    game = envs.make_game("dance_of_eights", 2)
    env = envs.make_vec(game, 1, seed=4)
    judge = Judge(game, "ismcts:20")
    asked = Question(env.states.copy(), game.legal_actions(env.states[0])[0], 9)
    dealt = env.worlds(np.array([3], np.uint64))
    assert game.to_dict(dealt) != game.to_dict(asked.record)
    assert judge(asked) == judge(asked) == judge(asked._replace(record=dealt))


def test_a_policy_judges_positions_alone():
    game = envs.make_game("dance_of_eights", 2)
    env = envs.make_vec(game, 1, seed=4)
    said = Judge(game, "ppo")(Question(env.states.copy(), game.legal_actions(env.states[0])[0], 9))
    assert list(said) == ["chances"] and sum(said["chances"]) == pytest.approx(1, abs=1e-3)


def test_the_end_of_a_game_is_how_it_came_out(tmp_path):
    game = race.make_game(num_players=2)
    over = race_at([3, 1])
    over["winner"], over["current_player"] = 0, engine.NO_PLAYER
    won = Moments(game, 1, [race_at([2, 1]), over], [race.STEP], False)
    assert [said["chances"] for said in judge_game(won, lambda question: {"chances": None})] == [None, [1.0, 0.0]]
    assert list(judge_game(won._replace(truncated=True), lambda question: {}))[-1] == {"chances": [0.5, 0.5]}
    cut = moments(beginning_of("dance_of_eights", tmp_path))._replace(truncated=False)
    assert list(judge_game(cut, lambda question: {}))[-1] == {"chances": None}


def test_what_the_chances_are_is_said():
    assert meaning("ismcts:50", envs.make_game("fairy_ring", 2)) == "chance to win"
    assert meaning("ismcts:50", envs.make_game("fairy_ring", 3)) == "chance to be ahead of another player"
    assert meaning("ismcts:50", envs.make_game("mushroom_rings", 2)) == "who is ahead 30 decisions on"
    assert meaning("ppo", envs.make_game("mushroom_rings", 2)) == "chance to win"


@pytest.mark.parametrize(
    ("spec", "why"),
    [("greedy", "no opinion"), ("random", "no opinion"), ("ismcts:seconds=1", "clock"), ("nobody", "no agent"),
     ("x.zip", "x.zip"), ("ismcts:0", "simulations"), ("os:system", "no opinion")],
)  # fmt: skip
def test_an_agent_without_an_opinion_is_refused(spec, why):
    with pytest.raises(ValueError, match=why):
        check_judge(spec, envs.make_game("fairy_ring", 2))
