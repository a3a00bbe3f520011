"""Training speed of ``train.py`` beside a minimal hand-written PPO loop: ``python -m benchmarks.training``.

The minimal loop is that of ``examples/minimal_ppo.py``: no library, no checks, no statistics and no snapshots. Both learn from
all seats of the same games with the same network, batches and epochs. They take turns, an iteration each, so that a busy machine
slows both alike, and process CPU time is counted. The ratio of samples per second is printed: 1 would mean that convenience costs
nothing.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch as th

import envs
from benchmarks.startup import surroundings
from envs.game import Game
from examples import minimal_ppo
from training.run import make_model
from training.settings import Settings


def minimal_iteration(settings: Settings, game: Game) -> Callable[[], None]:
    """One iteration of the loop of ``examples/minimal_ppo.py``, with the network and the settings of ``train.py``."""
    own = minimal_ppo.Settings(**{name: getattr(settings, name) for name in vars(minimal_ppo.Settings())})
    env = envs.make_vec(game, settings.num_envs, seed=settings.seed)
    return minimal_ppo.Learner(env, settings.blueprint(game).build(), own).iteration


def library_iteration(settings: Settings, game: Game) -> Callable[[], None]:
    """One iteration of what ``train.py`` does, with the library's algorithm, without files."""
    model = make_model(settings, game)
    _, callback = model._setup_learn(settings.timesteps)
    if settings.snapshot_share:
        model.env.pool.add(0, model.policy.state_dict())

    def iteration() -> None:
        model.env.draw_snapshot()
        model.collect_rollouts(model.env, callback, model.rollout_buffer, settings.num_steps)
        model.train()

    return iteration


def measure(loops: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """CPU seconds of an iteration of each loop, the median over the rounds, in which they take turns."""
    times: dict[str, list[float]] = {name: [] for name in loops}
    for number in range(rounds + 2):  # the first two compile and warm up
        for name, iteration in loops.items():
            begin = time.process_time()
            iteration()
            if number >= 2:
                times[name].append(time.process_time() - begin)
    return {name: float(np.median(values)) for name, values in times.items()}


def shares(settings: Settings, game: Game, rounds: int) -> dict[str, float]:
    """Shares of the CPU time of an iteration, in percent: environment, inference, buffer, update, and what is left."""
    model = make_model(settings, game)
    _, callback = model._setup_learn(settings.timesteps)
    spent = dict.fromkeys(("environment", "inference", "buffer", "update"), 0.0)

    def timed(owner: object, name: str, part: str) -> None:
        function = getattr(owner, name)

        def call(*arguments: object, **named: object) -> object:
            begin = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                spent[part] += time.process_time() - begin

        object.__setattr__(owner, name, call)

    timed(model.env, "step", "environment")
    timed(model.policy, "forward", "inference")
    timed(model.rollout_buffer, "add", "buffer")
    timed(model.rollout_buffer, "compute_returns_and_advantage", "buffer")
    timed(model, "train", "update")
    total = 0.0
    for number in range(rounds + 1):  # the first one compiles and warms up
        if number == 1:
            spent.update(dict.fromkeys(spent, 0.0))
            total = time.process_time()
        model.collect_rollouts(model.env, callback, model.rollout_buffer, settings.num_steps)
        model.train()
    total = time.process_time() - total
    percent = {part: 100 * seconds / total for part, seconds in spent.items()}
    return percent | {"the rest": 100 - sum(percent.values())}


def learn_for(seconds: float, env: str, threads: int) -> float:
    """Samples per second of wall time of one learner, after an iteration that is not counted."""
    th.set_num_threads(1)
    settings = Settings(env=env, threads=threads)
    iteration = library_iteration(settings, settings.make_game())
    iteration()
    begun, samples = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        iteration()
        samples += settings.samples
    return samples / (time.perf_counter() - begun)


def learners(number: int, seconds: float, env: str, threads: int = 1) -> float:
    """Samples per second of several learners together, each in a process of its own."""
    program = f"from benchmarks.training import learn_for; print(learn_for({seconds}, {env!r}, {threads}))"
    running = [
        subprocess.Popen([sys.executable, "-c", program], env=surroundings(), stdout=subprocess.PIPE, text=True)
        for _ in range(number)
    ]
    return sum(float(process.communicate()[0].split()[-1]) for process in running)


def main() -> None:
    """Prints samples per second of each loop and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--env", default="fairy_ring")
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    th.set_num_threads(1)
    settings = Settings(env=given.env, num_players=given.num_players, snapshot_share=0.0, threads=1)
    with_snapshots = Settings(env=given.env, num_players=given.num_players, threads=1)
    game = settings.make_game()
    loops = {
        "minimal loop": minimal_iteration(settings, game),
        "train.py, no snapshots": library_iteration(settings, game),
        "train.py": library_iteration(with_snapshots, game),
    }
    seconds = measure(loops, given.rounds)
    print(f"{game.id}, {game.num_players} players, one thread, CPU time, median of {given.rounds} iterations")
    for name, spent in seconds.items():
        ratio = seconds["minimal loop"] / spent
        print(f"{name:24}{settings.samples / spent:10,.0f} samples/s{ratio:8.2f} of the minimal loop")


if __name__ == "__main__":
    main()
