"""Long runs: ``python -m tests.fuzz.endurance --decisions 1e8 --env dance_of_eights``.

Plays random legal decisions in a batch of games that restart when they are over, measures the memory of the process on the way,
and checks every record: none may be impossible, and memory may not grow.
"""

import argparse
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

import envs
from envs.vector import VectorAECEnv

STOPS = 10
MOST_GROWTH = 8 << 20  # bytes after the first stop, by when everything is compiled and allocated


def memory() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def play(env: VectorAECEnv, steps: int, words: np.ndarray, actions: np.ndarray) -> int:
    """Plays so many steps at random; returns how many games came to their end."""
    ended = 0
    for _ in range(steps):
        env.game.kernels.sample_batch(env._mask_rows, words, actions)
        env.step(actions)
        ended += len(env.ended_rows())
    return ended


def check(env: VectorAECEnv) -> None:
    """Every record is a possible position, every view inside its bounds, every pay finite."""
    env.game.check_records(env.states)
    view, rewards, *_ = env.last()
    observations = view["observation"]
    assert (observations >= env.game.observation_low).all() and (observations <= env.game.observation_high).all()
    assert view["action_mask"].any(axis=1).all() and np.isfinite(rewards).all()


def run(env: VectorAECEnv, decisions: int) -> bool:
    """Plays in parts and prints a line for each; returns whether memory was flat."""
    words = np.random.default_rng(0).integers(2**64, size=env.num_envs, dtype=np.uint64)
    actions, steps, sizes, games, played = np.zeros(env.num_envs, np.int64), -(-decisions // env.num_envs), [], 0, 0
    play(env, 10, words, actions)
    check(env)
    for stop in range(STOPS):
        part = steps * (stop + 1) // STOPS - steps * stop // STOPS
        began = time.process_time()
        games += play(env, part, words, actions)
        seconds = time.process_time() - began
        check(env)
        played += part * env.num_envs
        sizes.append(memory())
        speed = 1e9 * seconds / max(1, part * env.num_envs)
        print(
            f"{played:>14,} decisions, {games:>11,} games, {sizes[-1] / 2**20:8.1f} MB, {speed:6.0f} ns CPU a decision",
            flush=True,
        )
    growth = max(sizes[1:], default=sizes[0]) - sizes[0]
    print(f"{env.game}: every record valid at {STOPS} stops, memory grew by {growth / 2**20:.1f} MB after the first")
    return growth <= MOST_GROWTH


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns 1 if memory has grown."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.endurance", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--env", required=True, help="name of the rule set")
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--decisions", type=float, default=1e8)
    given = parser.parse_args(arguments)
    env = envs.make_vec(given.env, given.num_envs, given.num_players, seed=1)
    return 0 if run(env, int(given.decisions)) else 1


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
