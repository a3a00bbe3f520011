"""What a decision is made of, and what copying and re-dealing a game cost: kernels timed one by one."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import envs
from benchmarks.rows import Row
from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv

LARGE = 64  # bytes; a larger array in a record has to say why


@engine.jit
def _copy_records(source, target, times):
    for _ in range(times):
        for i in range(len(source)):
            target[i] = source[i]


@engine.jit
def _mark_legal(legal, states, rules, masks):
    for i in range(len(states)):
        legal(states[i], rules[0], masks[i]["row"])


def fastest(call: Callable[[], object], rounds: int) -> float:
    """CPU nanoseconds of a call, the least of some rounds after one that is not counted."""
    call()
    times = []
    for _ in range(rounds):
        begun = time.thread_time_ns()
        call()
        times.append(time.thread_time_ns() - begun)
    return float(min(times))


def in_the_middle(game: Game, num_envs: int) -> VectorAECEnv:
    """Games in all their phases: a batch after a number of random decisions."""
    env = VectorAECEnv(game, num_envs, seed=0)
    words, actions = np.arange(num_envs, dtype=np.uint64), np.zeros(num_envs, np.int64)
    for _ in range(64):
        _random_step(env, words, actions)
    return env


def _random_step(env: VectorAECEnv, words: np.ndarray, actions: np.ndarray) -> None:
    env.game.kernels.sample_batch(env._mask_rows, words, actions)
    env.step(actions)


def parts(name: str, num_players: int, num_envs: int = 1024, steps: int = 60, rounds: int = 7) -> list[Row]:
    """Copying, re-dealing, and the shares of observation, mask, sampling and restarts in a decision; the rest is rules."""
    game = envs.make_game(name, num_players)
    env = in_the_middle(game, num_envs)
    kernels: Any = game.kernels
    words, actions = np.arange(num_envs, dtype=np.uint64), np.zeros(num_envs, np.int64)
    seats = np.maximum(env.agent_selection, 0).astype(np.int64)
    worlds = env.states.copy()
    few, copies = min(num_envs, 16), 64  # few records, so that copying them is not waiting for memory

    def played() -> None:
        for _ in range(steps):
            _random_step(env, words, actions)

    def dealt() -> None:
        kernels.reset_batch(
            env._states, game.rules, env._streams, env._reward_kind, True,
            env._observation_rows, env._trace_rows, env._mask_rows, env._seats, env._results, env._codes,
        )  # fmt: skip

    def shown() -> None:
        kernels.show_batch(
            env._states, game.rules, env._observation_rows, env._trace_rows, env._mask_rows, env._seats
        )  # fmt: skip

    begun = env._streams["episode"].sum()
    step = fastest(played, rounds) / steps / num_envs
    games = (env._streams["episode"].sum() - begun) / ((rounds + 1) * steps * num_envs)
    sampling = fastest(lambda: kernels.sample_batch(env._mask_rows, words, actions), rounds) / num_envs
    showing = fastest(shown, rounds) / num_envs
    mask = fastest(lambda: _mark_legal(kernels.legal, env._states, game.rules, env._mask_rows), rounds) / num_envs
    observing = max(0.0, showing - mask)  # of a view that is written again, as in a step: perhaps only what has changed
    seats = np.maximum(env.agent_selection, 0).astype(np.int64)
    redeal = fastest(lambda: kernels.redeal_batch(env._states, game.rules, seats, words, worlds), rounds) / num_envs
    copy = fastest(lambda: _copy_records(env._states[:few], worlds[:few], copies), rounds) / copies / few
    dealing = fastest(dealt, rounds) / num_envs
    restart = max(0.0, dealing - fastest(shown, rounds) / num_envs) * games  # less what showing the new games takes
    rest = max(0.0, step - observing - mask - sampling - restart)
    label = f"{name} {num_players}p"
    kib = game.state_dtype.itemsize / 1024
    shares = {"observation": observing, "mask": mask, "sampling": sampling, "restart": restart, "rules and the rest": rest}
    return [
        Row(f"{label}: copying a record in a kernel, per KiB", copy / kib, "ns", at_most=15, note=f"{copy:.1f} ns a record"),
        Row(f"{label}: `redeal`, in steps", redeal / step, "", at_most=1, note=f"{redeal:.0f} of {step:.0f} ns"),
        *[Row(f"{label}: share of {part}", 100 * spent / step, "%") for part, spent in shares.items()],
    ]


def record(name: str, num_players: int) -> list[Row]:
    """The size of a record and of every array of more than 64 bytes in it."""
    dtype = envs.make_game(name, num_players).state_dtype
    fields: Mapping[str, Any] = dtype.fields or {}
    large = {field: kind for field, (kind, *_) in fields.items() if kind.itemsize > LARGE}
    rows = [Row(f"{name} {num_players}p: record", dtype.itemsize, "bytes")]
    for field, kind in large.items():
        shape = " x ".join(map(str, kind.shape)) or "1"
        rows.append(Row(f"{name} {num_players}p: `{field}`", kind.itemsize, "bytes", note=f"{shape} {kind.base}"))
    return rows
