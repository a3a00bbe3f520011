"""Tiny training runs, and what they leave."""

from pathlib import Path

import torch as th

import train
from agents import checkpoint
from training import command

TINY = [
    "--num-envs", "8", "--num-steps", "16", "--batch-size", "64", "--epochs", "2", "--net", "8", "--eval-every", "3",
    "--eval-deals", "2", "--snapshot-every", "2", "--pool-size", "2", "--snapshot-share", "0.5", "--seed", "5",
    "--network", "own",
]  # fmt: skip
ITERATION = 8 * 16


def tiny(out, iterations, *more):
    return train.main([*TINY, "--timesteps", str(iterations * ITERATION), "--out", str(out), *more])


def read(words):
    """Settings, folder and folder to resume that a command line asks for."""
    return command.read_command_line(vars(command.make_parser().parse_args(words)))


def weights_of(folder):
    return checkpoint.read_weights(Path(folder) / "model.zip")


def lines_of(folder):
    """The metrics without the columns that tell the time."""
    lines = (Path(folder) / "metrics.csv").read_text().splitlines()
    return [[cell for place, cell in enumerate(line.split(",")) if place not in (2, 3)] for line in lines]


def assert_same_run(one, other):
    for name, weights in weights_of(one).items():
        assert th.equal(weights, weights_of(other)[name]), name
    assert lines_of(one) == lines_of(other)
