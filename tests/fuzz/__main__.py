"""The command line: ``python -m tests.fuzz --minutes N [--target NAME]... [--seed S]``."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import envs
from tests.fuzz.judge import CRASH, KINDS
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
UNDER_BOUNDS = (
    Path(envs.__file__).parent / "__pycache__" / "bounds-checked"
)  # as of tests.envs.test_engine: compiled once for both
SILENCE = 400.0  # seconds without a new try after which a process has no end
MOST_FINDINGS = 20  # of one target: then the rest of its time is better spent elsewhere


class Search:
    """The tries of one target.

    Args:
        name: Of the target.
        seed: Of all chance.
        first: Number of the first try.
        number: Tries at most.
        seconds: Time at most.
        folder: For what is found.
        uncompiled: Whether the rules run as Python.
    """

    def __init__(self, name: str, seed: int, first: int, number: int, seconds: float, folder: Path, *, uncompiled: bool) -> None:
        self.name, self.seed, self.next, self.last = name, seed, first, first + number
        self.end, self.folder = time.monotonic() + seconds, folder
        self.counts: Counter[str] = Counter()
        self.is_uncompiled = uncompiled
        self.place = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder))
        self._read = 0

    def run(self) -> None:
        """Makes all tries; a process that a try has ended is replaced."""
        while self.next < self.last and time.monotonic() < self.end and not self.is_enough():
            (self.place / "now").write_text("")
            process = self._start()
            self._follow(process)
            now = (self.place / "now").read_text()
            if now == "done" or self.is_enough():
                break
            if not now:
                raise SystemExit(f"{self.name}: the target cannot be prepared\n{(self.place / 'errors').read_text()[-3000:]}")
            self._note(
                CRASH, int(now), f"the process ended with {process.returncode}\n{(self.place / 'errors').read_text()[-3000:]}"
            )
            self.next = int(now) + 1
        shutil.rmtree(self.place)

    def is_enough(self) -> bool:
        """Whether so much is found that it is to be mended first."""
        return sum(self.counts[kind] for kind in KINDS) >= MOST_FINDINGS

    def _start(self) -> subprocess.Popen:
        UNDER_BOUNDS.mkdir(parents=True, exist_ok=True)
        settings = {
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(UNDER_BOUNDS),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }
        if self.is_uncompiled or not TARGETS[self.name].is_compiled:
            settings["NUMBA_DISABLE_JIT"] = "1"
        numbers = [self.seed, self.next, self.last - self.next, max(0.0, self.end - time.monotonic())]
        command = [sys.executable, "-m", "tests.fuzz.worker", self.name, *map(str, numbers), str(self.place)]
        with open(self.place / "errors", "wb") as errors:
            return subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **settings}, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
            )

    def _follow(self, process: subprocess.Popen) -> None:
        """Reads what a process says until it has ended, and ends it if nothing goes on any more."""
        try:
            now, since = "", time.monotonic()
            while process.poll() is None:
                time.sleep(0.05)
                self._read_lines()
                if (other := (self.place / "now").read_text()) != now:
                    now, since = other, time.monotonic()
                elif now and time.monotonic() - since > SILENCE:
                    process.kill()
                if self.is_enough():
                    process.kill()
                _progress(self)
        finally:
            process.kill()
            process.wait()
            self._read_lines()

    def _read_lines(self) -> None:
        path = self.place / "lines"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        for line in lines[self._read :]:
            if not line.endswith("\n"):
                return
            self._read += 1
            said = json.loads(line)
            self.counts.update(said.get("counts", {}))
            if "finding" in said:
                self._tell(said["finding"], said["case"], said["text"], said["kept"])

    def _note(self, kind: str, number: int, text: str) -> None:
        self.counts[kind] += 1
        self._tell(kind, number, text, "")

    def _tell(self, kind: str, number: int, text: str, kept: str) -> None:
        again = f"python -m tests.fuzz --target {self.name} --seed {self.seed} --first {number} --tries 1"
        print(f"\n{self.name}: {kind}, try {number}\n{text.strip()}\n  again: {again}", flush=True)
        if kept:
            print(f"  kept in {kept}", flush=True)


def _progress(search: Search) -> None:
    if sys.stderr.isatty():
        print(f"\r{search.name}: {sum(search.counts.values()):,} tries", end="", file=sys.stderr, flush=True)


def table(searches: list[Search]) -> str:
    """What was tried and what came of it, in Markdown."""
    columns = ["refused", "accepted", *KINDS]
    lines = ["| target | tries | refused | accepted | crashes | wrong values | unclear errors |", "|---|" + "---:|" * 6]
    rows = [(search.name, search.counts) for search in searches]
    rows.append(("all", sum((search.counts for search in searches), Counter())))
    lines += [
        f"| {name} | {sum(counts.values()):,} | " + " | ".join(f"{counts[c]:,}" for c in columns) + " |" for name, counts in rows
    ]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    targets = "\n".join(f"  {name:12} {target.what}" for name, target in TARGETS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Hands hostile input in at every door and tells what came of it.",
        epilog=f"targets:\n{targets}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, help="time for all targets together")
    parser.add_argument(
        "--target", action="append", choices=list(TARGETS), metavar="NAME", help="only this one; may be given again"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all chance [0]")
    parser.add_argument("--first", type=int, default=0, help="number of the first try [0]")
    parser.add_argument("--tries", type=int, default=10**9, help="of each target, at most [as many as there is time for]")
    parser.add_argument("--uncompiled", action="store_true", help="the rules as Python: slower, but nothing is compiled before")
    parser.add_argument("--out", type=Path, default=Path("fuzzing"), help="folder for what is found [fuzzing]")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns 1 if anything was found."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.minutes is None and given.tries == 10**9:
        parser.error("--minutes or --tries must be given")
    names = given.target or list(TARGETS)
    seconds = 60 * (given.minutes or 1e6) / len(names)
    given.out.mkdir(parents=True, exist_ok=True)
    searches = []
    for name in names:
        search = Search(name, given.seed, given.first, given.tries, seconds, given.out.resolve(), uncompiled=given.uncompiled)
        search.run()
        searches.append(search)
        print(f"{name}: {sum(search.counts.values()):,} tries", file=sys.stderr, flush=True)
    print(table(searches))
    return int(any(search.counts[kind] for search in searches for kind in KINDS))


if __name__ == "__main__":
    sys.exit(main())
