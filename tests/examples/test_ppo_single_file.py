"""The loop for one seat in one file learns."""

import torch

from examples import ppo_single_file
from tests import race


def test_it_learns_to_beat_random_players():
    torch.set_num_threads(1)
    args = ppo_single_file.Args(
        num_envs=64, num_steps=16, total_timesteps=16 * 64 * 16, num_minibatches=4, learning_rate=3e-3, ent_coef=0.0
    )
    curve = ppo_single_file.train(args, game=race.make_game(num_players=2))
    assert curve[0] < 0.2
    assert curve[-1] > 0.4  # stepping three times wins; passing and gambling do not
    assert len(curve) == 16


def test_its_command_plays_a_game_of_the_suite(capsys):
    budget = ["--total-timesteps", "128", "--num-envs", "8", "--num-steps", "16", "--num-minibatches", "2"]
    ppo_single_file.main(["--env-id", "envs:fairy_rings/dance_of_eights-v0", *budget])
    assert "128 decisions" in capsys.readouterr().out
