"""What the examples have in common: the game, a network, two flags, and the share of wins before and after learning."""

import argparse
import time
from collections.abc import Callable

import gymnasium
import numpy as np
import torch
from torch import nn

GAME = "fairy_ring"
ENV_ID = f"envs:fairy_rings/{GAME}-v0"
Logits = Callable[[torch.Tensor], torch.Tensor]
"""From observations ``(N, D) float32`` to logits or worths of actions ``(N, A)``, legal or not."""


def flags(description: str | None, decisions: int) -> argparse.Namespace:
    """``--decisions`` and ``--seed`` from the command line; torch is seeded, and told to use one thread."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--decisions", type=int, default=decisions, help="of all learners together [%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="[%(default)s]")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    return given


def network(size: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(size, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))


def win_share(logits: Logits, games: int = 1000, seed: int = 2**32) -> float:
    """How often the likeliest legal action wins against the random player, in a drawn seat; a shared win is half a win.

    The first game of every row counts, so that short games count no more often than long ones.
    """
    env = gymnasium.make_vec(ENV_ID, num_envs=games, opponents="random", reward="win", illegal="raise")
    observations, infos = env.reset(seed=seed)
    shares = np.full(games, np.nan)
    while np.isnan(shares).any():
        with torch.no_grad():
            scores = logits(torch.from_numpy(observations)).numpy()
        actions = np.where(infos["action_mask"], scores, -np.inf).argmax(axis=1)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        first = (terminations | truncations) & np.isnan(shares)
        shares[first] = rewards[first]
    env.close()
    return float(shares.mean())


class Report:
    """Prints the share of wins before and after learning, and the CPU time that passed between.

    Args:
        logits: What learns.
        games: Played for each share.
    """

    def __init__(self, logits: Logits, games: int = 1000) -> None:
        self.logits, self.games = logits, games
        print(f"share of wins against random before: {win_share(logits, games):.3f} of {games:,} games", flush=True)
        self.begun = time.process_time()

    def finish(self) -> None:
        """Tells what learning has brought."""
        minutes = (time.process_time() - self.begun) / 60
        share, error = win_share(self.logits, self.games), 1.96 * (0.25 / self.games) ** 0.5
        print(f"share of wins against random after:  {share:.3f} +- {error:.3f}; learned for {minutes:.1f} CPU minutes")
