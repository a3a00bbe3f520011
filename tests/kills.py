"""Work that is killed at random moments, some in the middle of a write, and begun again until it is done.

``KILLS`` in the environment says how often; the suite kills a few times, ``KILLS=30`` is for those who want to be sure.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
FEW = 4


def kills_asked_for() -> int:
    """How often to kill."""
    return int(os.environ.get("KILLS", FEW))


def run_script(script: str, *words: str) -> str:
    """What a Python program prints that has the suite at hand; its error is that of the test."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60 * max(kills_asked_for(), 5))
    assert done.returncode == 0, done.stderr
    return done.stdout


def fork(work: Callable[[], object], seconds: float | None = None) -> int:
    """The status with which work ends in a process of its own, killed after some seconds where a time is given."""
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
        try:
            code = int(work() or 0)  # type: ignore[call-overload]
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def die_at_write(number: int, luck: random.Random) -> None:
    """Has this process killed at one of the files it writes: half written, whole and not yet renamed, or just renamed."""
    replace, written = os.replace, []

    def replace_or_die(source: str, target: str) -> None:
        written.append(target)
        moment = luck.randrange(3) if len(written) == number else None
        if moment == 0:
            os.truncate(source, luck.randrange(os.path.getsize(source)))
        if moment in (0, 1):
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)
        if moment == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    os.replace = replace_or_die  # type: ignore[assignment]


def kill_often(
    work: Callable[[], object], look: Callable[[], None], finish: Callable[[], None], longest: float, writes: int
) -> str:
    """Runs work again and again, killed each time; says how often by the clock and how often at a write.

    Args:
        work: Goes on where it was killed; 0 when it is done.
        look: Looks at what a kill has left.
        finish: Looks at what is there when work is done, and clears it away.
        longest: Seconds after which at most a kill comes by the clock.
        writes: At most how many writes there are before one comes that kills.
    """
    luck, deaths = random.Random(7), {"clock": 0, "write": 0}
    while sum(deaths.values()) < kills_asked_for():
        kind = luck.choice(["clock", "write"])

        def work_or_die(kind: str = kind, number: int = luck.randint(1, writes), seed: int = luck.randrange(2**32)) -> object:
            if kind == "write":
                die_at_write(number, random.Random(seed))
            return work()

        status = fork(work_or_die, luck.uniform(0.01, longest) if kind == "clock" else None)
        if status == signal.SIGKILL:
            deaths[kind] += 1
            look()
        else:
            assert status == 0, f"it ended with status {status}"
            finish()
    assert fork(work) == 0, "it cannot go on after the last kill"
    finish()
    return f"{deaths['clock']} by the clock, {deaths['write']} at a write"
