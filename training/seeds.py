"""Several seeds of the same settings, side by side in processes of their own: ``train.py --seeds 0-4``.

A study is a folder: ``seeds.json`` with settings and seeds, and for each seed the folder of a run, ``seed-3``, as ``train.py``
makes it, beside what that run has said, ``seed-3.log``. Each run has the numbers that it has alone. At the end ``report.json``
and ``learning_curves.png`` tell what holds over the seeds, see ``training.across_seeds``.
"""

import json
import multiprocessing
import os
import re
import signal
import socket
import sys
import threading
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.checkpoint import show
from envs import GAMES
from envs.checks import integer
from envs.children import child_environment
from envs.files import Lock, read_regular, write_aside
from training.folder import MODEL
from training.scores import METRICS, SCORED, read_scores
from training.settings import Settings, flag_of

if TYPE_CHECKING:
    from evaluation.executor import Executor

STUDY = "seeds.json"
MOST_SEEDS, LARGEST_SEED = 1000, 2**31 - 1
MOST_BYTES = 2**20
_LOOK = 1.0  # seconds between two looks at how far the runs are
_PATIENCE = 60.0  # seconds in which a run that is told to stop may write its checkpoint

Main = Callable[[Sequence[str]], int]
"""``training.command.main``, which a run is started with."""


def parse_seeds(text: str) -> tuple[int, ...]:
    """The seeds that ``0-4`` or ``0,3,7`` means; both can be mixed.

    Raises:
        ArgumentTypeError: It means none, or too many, or one of them twice.
    """
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?", part, re.ASCII)
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if not low <= high <= LARGEST_SEED:
            raise ArgumentTypeError(f"{text!r} names no seeds; write 0-4 or 0,3,7, each from 0 to {LARGEST_SEED}")
        if len(seeds) + high - low >= MOST_SEEDS:
            raise ArgumentTypeError(f"{text!r} names more than {MOST_SEEDS} seeds")
        seeds += range(low, high + 1)
    if len(set(seeds)) < len(seeds):
        raise ArgumentTypeError(f"{text!r} names a seed twice")
    return tuple(seeds)


@dataclass(frozen=True)
class Study:
    """The seeds of a study and what they have in common.

    Attributes:
        folder: Where its runs are.
        settings: Of every run, but for the seed.
        seeds: Different ones.
    """

    folder: Path
    settings: Settings
    seeds: tuple[int, ...]

    def place(self, seed: int) -> Path:
        """The folder of a run."""
        return self.folder / f"seed-{seed}"

    def log(self, seed: int) -> Path:
        """What a run has said."""
        return self.folder / f"seed-{seed}.log"

    def timesteps(self, seed: int) -> int:
        """Decisions that a run has learned from so far."""
        with suppress(OSError, ValueError, IndexError):
            line = (self.place(seed) / METRICS).read_bytes().rstrip().rpartition(b"\n")[2]
            return int(line.split(b",")[1])
        return 0

    def is_done(self, seed: int) -> bool:
        """Whether a run has learned all and been scored."""
        with suppress(ValueError):
            return read_scores(self.place(seed) / SCORED)["timesteps"] >= self.settings.timesteps
        return False

    def arguments(self, seed: int) -> list[str]:
        """The command line that begins a run, or goes on with it."""
        settings, place = self.settings, self.place(seed)
        if (place / MODEL).exists():
            own = [] if settings.env in GAMES else ["--env", settings.env]
            own += [] if settings.against == "none" else ["--against", settings.against]
            return ["--resume", str(place), "--timesteps", str(settings.timesteps), *own]
        words = ["--out", str(place)]
        for item in fields(settings):
            value = seed if item.name == "seed" else getattr(settings, item.name)
            values = value if isinstance(value, list) else [value]
            words += [flag_of(item.name), *map(str, values)] if values else []
        return words

    def write(self) -> None:
        """Writes ``seeds.json``.

        Raises:
            ValueError: The folder holds something else.
            OSError: It cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        others = [path.name for path in self.folder.iterdir() if not path.name.startswith(".")]
        if others:
            remedy = f"go on with --resume {self.folder} or choose another --out" if STUDY in others else "choose another --out"
            raise ValueError(f"{self.folder} holds {others[0]} already; {remedy}")
        self.rewrite()

    def rewrite(self) -> None:
        """Writes ``seeds.json`` anew."""
        content = {"settings": {**asdict(self.settings), "seed": 0}, "seeds": list(self.seeds)}
        write_aside(self.folder / STUDY, json.dumps(content, indent=1).encode())


def read_study(folder: Path) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Settings and seeds of a study, the settings by name and unchecked: making ``Settings`` of them checks each.

    Raises:
        ValueError: The file is damaged.
        OSError: It cannot be read.
    """
    path = folder / STUDY
    try:
        content = json.loads(read_regular(path, MOST_BYTES))
        settings, seeds = content["settings"], content["seeds"]
        if not isinstance(settings, dict) or not isinstance(seeds, list) or not 0 < len(set(seeds)) == len(seeds) <= MOST_SEEDS:
            raise ValueError(f"its seeds are {show(seeds)}")
        return settings, tuple(integer("seed", seed, 0, LARGEST_SEED) for seed in seeds)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


# --- side by side -------------------------------------------------------------------------------------------------------


def run_all(
    study: Study,
    main: Main,
    workers: "int | None | Executor",
    moved: Callable[[int], object],
    is_stopped: Callable[[], bool],
) -> list[str]:
    """Trains what is left of a study.

    Args:
        study: Its folder is there.
        main: Trains a run by a command line.
        workers: Processes at a time; None: one for each core; or an executor, whose workers see the folder by the same name.
        moved: Called now and then with the decisions that all runs together have learned from.
        is_stopped: Whether somebody wants all to stop; the runs then write a checkpoint each.

    Returns:
        What went wrong, a line for each run that failed; the others have gone on.
    """
    from evaluation.executor import cores  # takes seconds to import

    waiting = [seed for seed in study.seeds if not study.is_done(seed)][::-1]
    if workers is not None and not isinstance(workers, int):
        return _run_elsewhere(Runs(study, main), waiting[::-1], workers, moved, is_stopped)
    running: dict[int, tuple[Any, Connection]] = {}
    failed: list[str] = []
    try:
        while (waiting or running) and not is_stopped():
            while waiting and len(running) < (workers or cores()):
                seed = waiting.pop()
                running[seed] = _start(main, study.arguments(seed), study.log(seed))
            wait([process.sentinel for process, _ in running.values()], _LOOK)
            for seed in [seed for seed, (process, _) in running.items() if not process.is_alive()]:
                process, connection = running.pop(seed)
                connection.close()
                if process.exitcode:
                    failed.append(f"seed {seed} ended with code {process.exitcode}: {_last_line(study.log(seed))}")
            moved(sum(map(study.timesteps, study.seeds)))
    finally:
        _stop(running)
    return failed


@dataclass(frozen=True)
class Runs:
    """What an executor's workers do for a study: a run each, in a process of its own, as on one machine."""

    study: Study
    main: Main

    @contextmanager
    def ready(self) -> Iterator[Callable[[int], str]]:
        """Trains a run by its seed; gives what went wrong, or nothing.

        Raises:
            ValueError: This worker does not see the folder of the study.
        """
        if not (self.study.folder / STUDY).is_file():
            folder = self.study.folder.absolute()
            raise ValueError(f"{socket.gethostname()} does not see {folder}; all nodes must have it in common")
        yield self.train

    def train(self, seed: int) -> str:
        """Trains a run to its end, or goes on with it."""
        study = self.study
        _wait_until_free(study.place(seed))
        process, connection = _start(self.main, study.arguments(seed), study.log(seed))
        try:
            process.join()
        finally:
            _stop({seed: (process, connection)})
        return f"seed {seed} ended with code {process.exitcode}: {_last_line(study.log(seed))}" if process.exitcode else ""


def _wait_until_free(folder: Path) -> None:
    """Lets a run whose worker has died write its checkpoint, and end."""
    deadline = time.monotonic() + _PATIENCE
    while folder.is_dir() and time.monotonic() < deadline:
        try:
            Lock(folder).release()
            return
        except ValueError:
            time.sleep(_LOOK)


def _run_elsewhere(
    runs: Runs, seeds: Sequence[int], executor: "Executor", moved: Callable[[int], object], is_stopped: Callable[[], bool]
) -> list[str]:
    """As :func:`run_all`, by the workers of an executor."""

    def look() -> None:
        moved(sum(map(runs.study.timesteps, runs.study.seeds)))
        if is_stopped():
            raise KeyboardInterrupt

    with closing(executor.map(runs, [partial(int, seed) for seed in seeds], look)) as results:
        return [wrong for _, wrong in results if wrong]


def watch_all(
    study: Study, main: Main, workers: "int | None | Executor", is_stopped: Callable[[], bool], kind: Any, **more: Any
) -> list[str]:
    """The same with a bar; ``kind`` is ``tqdm`` or the like."""
    samples, settings = study.settings.samples, study.settings
    total = -(-settings.timesteps // samples) * samples * len(study.seeds)
    with kind(desc=study.folder.name, total=total, unit=" samples", unit_scale=True, dynamic_ncols=True, **more) as bar:

        def moved(timesteps: int) -> None:
            bar.update(max(timesteps - bar.n, 0))

        return run_all(study, main, workers, moved, is_stopped)


def _stop(running: dict[int, tuple[Any, Connection]]) -> None:
    """Has runs write a checkpoint and end."""
    for process, _ in running.values():
        process.terminate()
    for process, connection in running.values():
        process.join(_PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
        connection.close()


def _last_line(log: Path) -> str:
    with suppress(OSError):
        lines = log.read_text("utf-8", "replace").split("\n")
        return next((line.rpartition("\r")[2] for line in reversed(lines) if line.strip()), "it said nothing")
    return "it said nothing"


def _start(main: Main, arguments: Sequence[str], log: Path) -> tuple[Any, Connection]:
    context = multiprocessing.get_context("spawn")
    connection, other = context.Pipe()
    process = context.Process(target=_work, args=(other, main, list(arguments), str(log)), daemon=True)
    with child_environment():
        process.start()
    other.close()
    return process, connection


def _work(connection: Connection, main: Main, arguments: list[str], log: str) -> None:
    """The life of a run: what it says goes to its log, and when its parent is gone it writes a checkpoint and ends."""
    with open(log, "a", encoding="utf-8") as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(file.fileno(), stream.fileno())
    threading.Thread(target=_watch, args=(connection,), daemon=True).start()
    sys.exit(main(arguments))


def _watch(connection: Connection) -> None:
    with suppress(EOFError, OSError):
        connection.recv()
    os.kill(os.getpid(), signal.SIGTERM)


def studies_in(root: Path, settings: Settings, seeds: Sequence[int]) -> Iterator[Path]:
    """Names for the folder of a new study."""
    span = f"{seeds[0]}-{seeds[-1]}" if len(seeds) > 1 else str(seeds[0])
    name = f"{settings.env}-{settings.num_players}p-seeds-{span}"
    yield root / name
    number = 1
    while True:
        number += 1
        yield root / f"{name}-{number}"
