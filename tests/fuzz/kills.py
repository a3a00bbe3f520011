"""Kills at random moments, some in the middle of a write: ``python -m tests.fuzz.kills training --kills 30``.

A training run or a tournament is killed, gone on with, and killed again, until it ends; then everything that it has left must be
what an uninterrupted one leaves, to the byte, and no process of it may be left. Where it ends before it was killed often enough,
another one begins. One process that has imported everything forks all of them, so that a start takes no seconds.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

KILL, MISTAKE = signal.SIGKILL, 2
LONGEST = 300.0  # seconds until nothing of a killed program may be left


class Training:
    """A tiny run of ``train.py``, which keeps a checkpoint after every iteration."""

    seconds = 0.8
    """Within which it is killed."""

    def __init__(self, workers: int) -> None:
        import train
        from tests.training.runs import ITERATION, TINY, assert_same_run
        from training import loop, run  # noqa: F401 (what a run imports when it begins)

        self._main, self._compare = train.main, assert_same_run
        self.words = [*TINY, "--eval-every", "1", "--threads", "1", "--timesteps", str(16 * ITERATION)]

    def run(self, folder: Path) -> int:
        """Begins, or goes on."""
        return self._main(["--resume", str(folder)] if (folder / "model.zip").exists() else [*self.words, "--out", str(folder)])

    def require_same(self, whole: Path, folder: Path) -> None:
        """Compares weights, lines and what files there are."""
        self._compare(whole, folder)
        names = [{path.name for path in each.iterdir() if not path.name.endswith(".tmp")} for each in (whole, folder)]
        assert names[0] == names[1], names


class Tournament:
    """A tournament of ``evaluate.py``, which keeps its results all the time."""

    seconds = 4.0

    def __init__(self, workers: int) -> None:
        import evaluate
        from evaluation import purposes, unfinished  # noqa: F401
        from evaluation import workers as processes

        unfinished.SAVE_EVERY = 0.02
        processes.PATIENCE = 0.0
        self._main = evaluate.main
        self.words = ["random", "greedy", "--env", "dance_of_eights", "--games", "6000" if workers > 1 else "1500", "--quiet"]
        self.words += ["--workers", str(workers)]

    def run(self, folder: Path) -> int:
        """Begins, or goes on."""
        return self._main([*self.words, "--out", str(folder)])

    def require_same(self, whole: Path, folder: Path) -> None:
        """Compares the report."""
        for name in ("evaluation.json", "evaluation.md", "evaluation.html"):
            assert (whole / name).read_bytes() == (folder / name).read_bytes(), name
        assert not (folder / "partial.npz").exists()


PROGRAMS = {"training": Training, "tournament": Tournament}


def die_in_a_write(number: int, how: str) -> None:
    """Has this process killed at the write of that number: when half of it is written, or before or after the rename."""
    replace, written = os.replace, Counter[str]()

    def replace_or_die(source, target):
        written["files"] += 1
        if written["files"] == number:
            if how == "half":
                os.truncate(source, os.path.getsize(source) // 2)
            if how == "after":
                replace(source, target)
            os.kill(os.getpid(), KILL)
        replace(source, target)

    os.replace = replace_or_die


def forked(run: Callable[[], int], seconds: float | None = None, prepare: Callable[[], None] | None = None) -> int:
    """Runs something in a process and a session of its own, killed after a time; how it ended, as ``os.waitpid`` tells."""
    child = os.fork()
    if not child:
        os.setsid()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if prepare:
            prepare()
        os._exit(run())
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, KILL)
    status = os.waitpid(child, 0)[1]
    wait_until_gone(child)
    return status


def wait_until_gone(session: int) -> None:
    """Waits until no process of a session is left, and ends with an error if one stays."""
    end = time.monotonic() + LONGEST
    while left := [process for process in map(int, filter(str.isdigit, os.listdir("/proc"))) if _session_of(process) == session]:
        assert time.monotonic() < end, f"processes {left} have outlived the program"
        time.sleep(0.02)


def _session_of(process: int) -> int | None:
    try:
        state, *fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state == "Z" else int(fields[2])


def kill_often(name: str, kills: int, workers: int, seed: int, folder: Path) -> Counter:
    """Kills a program so often; returns how often in which way, and how many runs came to their end.

    Raises:
        AssertionError: A run ended otherwise than it must, or left something else.
    """
    program, chance, counts = PROGRAMS[name](workers), random.Random(seed), Counter()
    whole = folder / "whole"
    assert forked(lambda: program.run(whole)) == 0
    while sum(counts[how] for how in ("at any moment", "half", "before", "after")) < kills or not counts["runs"]:
        killed = folder / f"killed-{counts['runs']}"
        deaths = kills - sum(counts.values()) + counts["runs"]
        while deaths > 0 and (how := _kill(program, killed, chance)):
            counts[how] += 1
            deaths -= 1
        assert forked(lambda killed=killed: program.run(killed)) == 0
        program.require_same(whole, killed)
        counts["runs"] += 1
    return counts


def _kill(program, folder: Path, chance: random.Random) -> str | None:
    """Runs a program to its death; returns how it came, None if it was done before."""
    how = chance.choice(["at any moment", "half", "before", "after"])
    if how == "at any moment":
        status = forked(lambda: program.run(folder), seconds=chance.uniform(0.02, program.seconds))
    else:
        number = chance.randint(1, 12)
        status = forked(lambda: program.run(folder), prepare=lambda: die_in_a_write(number, how))
    assert status in (0, int(KILL)), f"{folder} ended with {os.waitstatus_to_exitcode(status)}"
    return how if status else None


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.kills", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("program", choices=list(PROGRAMS))
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2, help="processes of a tournament [2]")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts = kill_often(given.program, given.kills, given.workers, given.seed, Path(folder))
    ways = ", ".join(f"{count} {how}" for how, count in sorted(counts.items()) if how != "runs")
    print(f"{given.program}: killed {sum(counts.values()) - counts['runs']} times ({ways}), {counts['runs']} runs, ", end="")
    print(f"all the same to the byte, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
