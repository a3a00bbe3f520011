"""Seconds from the start of a process to its first step, cold and warm: ``python -m benchmarks.startup``.

Cold: every machine-code cache is empty. Warm: the same program has run before.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import envs

PROGRAM = """
import time; begun = time.process_time()
import envs
imported = time.process_time()
import numpy as np
env = envs.make_vec({name!r}, 1024, num_players={players}, seed=0)
masks = env.last()[0]["action_mask"]
env.step(masks.argmax(axis=1))
print(imported - begun, time.process_time() - begun)
"""


def measure(name: str, players: int, folder: str) -> tuple[float, float, float]:
    """CPU seconds of ``import envs``, CPU and wall seconds to the first step, with the cache in a folder."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(name=name, players=players)],
        env=surroundings(NUMBA_CACHE_DIR=folder),
        capture_output=True,
        text=True,
        check=True,
    )
    wall = time.perf_counter() - begun
    imported, first_step = map(float, done.stdout.split())
    return imported, first_step, wall


def importing() -> tuple[float, bool]:
    """CPU seconds of ``import envs`` in a process of its own, and whether it brought PyTorch along."""
    program = "import time, sys; t = time.process_time(); import envs; print(time.process_time() - t, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], env=surroundings(), capture_output=True, text=True, check=True)
    seconds, torch = done.stdout.split()
    return float(seconds), torch == "True"


def first_progress(name: str, limit: float = 120.0) -> float | None:
    """Seconds on the wall from the start of ``train.py`` to its first row of metrics; None if it has none in time."""
    root = Path(envs.__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        command = [sys.executable, str(root / "train.py"), "--env", name, "--out", folder + "/run"]
        process = subprocess.Popen(command, env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None and time.perf_counter() - begun < limit:
                if any(len(file.read_text().splitlines()) > 1 for file in Path(folder).glob("run/*.csv")):
                    return time.perf_counter() - begun
                time.sleep(0.05)
            return None
        finally:
            process.kill()
            process.wait()


def surroundings(**more: str) -> dict[str, str]:
    """The variables of a child process that imports this project, and more."""
    return {**os.environ, "PYTHONPATH": str(Path(envs.__file__).parents[1]), **more}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", nargs="+", default=list(envs.GAMES), help="rule sets to measure")
    parser.add_argument("--num-players", nargs="+", type=int, default=[2])
    arguments = parser.parse_args()
    print(f"{'':36} {'import envs':>12} {'CPU to step':>12} {'wall to step':>12}")
    for name in arguments.env:
        for players in arguments.num_players:
            with tempfile.TemporaryDirectory() as folder:
                for temperature in ("cold", "warm"):
                    times = measure(name, players, folder)
                    label = f"{name} {players}p, {temperature}"
                    print(f"{label:36} " + " ".join(f"{seconds:11.2f}s" for seconds in times))


if __name__ == "__main__":
    main()
