"""The loop of the example: its advantages are those of the training package, it learns, and it runs as its head says."""

import sys

import numpy as np
import pytest
import torch as th

import envs
from examples import minimal_ppo
from tests import race
from tests.examples.commands import commands_of
from training.rollout_buffer import seat_advantages

pytestmark = pytest.mark.filterwarnings("error:The given NumPy array is not writable")


def learner_of(game, **settings):
    th.manual_seed(1)
    np.random.seed(1)
    chosen = minimal_ppo.Settings(**settings)
    return minimal_ppo.Learner(envs.make_vec(game, chosen.num_envs, seed=1), minimal_ppo.Network(game), chosen)


@pytest.mark.parametrize("game", [race.make_game(), envs.make_game("examples.tic_tac_toe")], ids=["race", "tic_tac_toe"])
def test_advantages_are_those_of_the_training_package(game):
    learner = learner_of(game, num_envs=16, num_steps=24)
    for _ in range(3):
        seats, last_values = learner.rollout()
        found, is_known = learner.advantages(seats, last_values)
        wanted, wanted_known = np.zeros_like(found), np.zeros_like(is_known)
        seat_advantages(
            learner.seats.astype(np.int8), learner.ended.astype(np.int8), learner.paid, np.zeros_like(learner.paid),
            learner.values, seats.astype(np.int8), last_values, 1.0, 0.95, wanted, wanted_known,
        )  # fmt: skip
        assert (is_known == wanted_known).all() and 0 < is_known.sum() < is_known.size
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_updates_make_what_paid_likelier():
    learner = learner_of(envs.make_game("examples.tic_tac_toe"), num_envs=64, num_steps=16, batch_size=512, learning_rate=1e-2)
    empty_board = np.zeros((1, 18), np.float32), np.ones((1, 9), np.int8)
    before = learner.evaluate(*empty_board)[0].detach().exp()
    for _ in range(5):
        learner.rollout()
        advantages = np.where(learner.actions == 4, 1, -1).astype(np.float32)  # as if the centre had won every game
        learner.update(advantages, np.ones_like(learner.ended))
    after = learner.evaluate(*empty_board)[0].detach().exp()
    assert before.max() < 0.2 and after[0, 4] > 2 * before[0, 4]


def test_an_illegal_action_is_never_drawn():
    learner = learner_of(envs.make_game("examples.tic_tac_toe"), num_envs=64, num_steps=16)
    learner.rollout()  # the environment raises at an illegal action
    assert learner.masks.reshape(-1, 9)[np.arange(64 * 16), learner.actions.ravel()].all()
    assert not learner.masks.all()


def test_learns_to_beat_random_players():
    learner = learner_of(envs.make_game("examples.tic_tac_toe"), learning_rate=3e-3, entropy=0.1)
    before = minimal_ppo.win_share(learner)
    for _ in range(15):
        learner.iteration()
    after = minimal_ppo.win_share(learner)
    assert before < 0.75 and after > max(0.8, before + 0.1)


def test_win_share_of_a_policy_that_is_random_too():
    learner = learner_of(envs.make_game("examples.tic_tac_toe"))
    learner.evaluate = lambda shown, masks: (th.rand(masks.shape).masked_fill(th.as_tensor(masks) == 0, -1), None)
    assert minimal_ppo.win_share(learner, 4096) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("more", [[], ["--env", "examples.tic_tac_toe", "--option", "size=4", "--entropy", "0.1"]], ids=str)
def test_the_command_of_its_head_runs(more, monkeypatch, capsys):
    (words,) = commands_of(minimal_ppo)
    assert words[:2] == ["-m", "examples.minimal_ppo"]
    monkeypatch.setattr(sys, "argv", ["minimal_ppo", *words[2:], "--seconds", "0.5", "--num-envs", "64", *more])
    minimal_ppo.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("examples.tic_tac_toe-v0, 2 players" if more else "fairy_ring-v0, 2 players")
    assert lines[-1].startswith("after ") and lines[-1].endswith("%")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (["--env", "examples.chess"], "there is no game 'examples.chess'"),
        (["--env", "examples.tic_tac_toe", "--num-players", "3"], "is for 2 players, not 3"),
        (["--env", "examples.tic_tac_toe", "--option", "size=9"], "option size is '9'"),
        (["--env", "examples.tic_tac_toe", "--num-envs", "0"], "num_envs is 0"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_told_in_one_line(wrong, named, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["minimal_ppo", *wrong])
    with pytest.raises(SystemExit) as stop:
        minimal_ppo.main()
    assert stop.value.code == 2 and named in capsys.readouterr().err.splitlines()[-1]
