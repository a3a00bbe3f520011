"""The rows of a batch shared by threads, beside one thread in the same run."""

import statistics
import time

import numpy as np

import envs
from benchmarks.rows import Row
from envs.game import Game
from envs.vector import VectorAECEnv

GAMES = (("fairy_ring", 2), ("dance_of_eights", 2), ("mushroom_rings", 2))
SIZES = (1024, 4096, 8192)
ENOUGH, AIM = 4096, 1.8


def threads(rounds: int = 7) -> list[Row]:
    """How many times as many decisions per second of the clock two threads make as one."""
    rows = []
    for name, num_players in GAMES:
        for num_envs in SIZES:
            one, two = compare(envs.make_game(name, num_players), num_envs, rounds)
            aim = AIM if num_envs >= ENOUGH else None
            note = f"{one:,.0f} and {two:,.0f} ns per decision, wall; needs two idle cores"
            what = f"{name} {num_players}p, N={num_envs}, two threads, times one"
            rows.append(Row(what, one / two, "", at_least=aim, note=note))
    return rows


def compare(game: Game, num_envs: int, rounds: int) -> list[float]:
    """Nanoseconds of the clock per decision with one thread and with two, which take turns; the median of each."""
    batches = [VectorAECEnv(game, num_envs, seed=0, threads=count) for count in (1, 2)]
    steps = max(200_000 // num_envs, 8)
    times: list[list[float]] = [[], []]
    for _ in range(rounds + 1):
        for env, own in zip(batches, times, strict=True):
            own.append(_step(env, steps) / (steps * num_envs))
    return [statistics.median(own[1:]) for own in times]  # the first round warms up


def _step(env: VectorAECEnv, steps: int) -> int:
    """Nanoseconds of some steps alone: what chooses the actions is not counted."""
    words, actions, spent = np.arange(env.num_envs, dtype=np.uint64), np.zeros(env.num_envs, np.int64), 0
    for _ in range(steps):
        env.game.kernels.sample_batch(env._mask_rows, words, actions)
        before = time.perf_counter_ns()
        env.step(actions)
        spent += time.perf_counter_ns() - before
    return spent
