"""Caches of machine code under attack: ``python -m tests.fuzz.caches --rounds 10``.

The tiny game of ``tests.race`` is played in new processes: four at once on an empty cache; on files that are cut short, changed,
or exchanged; in a folder that cannot be written to; and with an edited rule whose file has the old size and time. Each must play
the same as without the compiler.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import hashlib
import envs
from envs.check import trajectory
from envs.vector import VectorAECEnv
from tests import race

digest = hashlib.sha256()
for players in (2, 3):
    game = race.make_game(num_players=players)
    env = envs.raw_env(game)
    for seed in range(20):
        digest.update(trajectory(env, seed))
print(digest.hexdigest(), sum(sum(getattr(race, name).stats.cache_hits.values()) for name in ("single_reset", "single_step"))
      if hasattr(race.single_step, "stats") else 0)
"""


class Tree:
    """A copy of what the game needs, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        shutil.copytree(ROOT / "envs", folder / "envs", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests").mkdir()
        (folder / "tests" / "__init__.py").write_text("")
        shutil.copy(ROOT / "tests" / "race.py", folder / "tests")
        self.expected = self.play(NUMBA_DISABLE_JIT="1")

    def start(self, **more: str) -> subprocess.Popen:
        """A new process that plays."""
        settings = {"PYTHONPATH": str(self.folder), "NUMBA_CACHE_DIR": str(self.cache), "NUMBA_DISABLE_JIT": "0", **more}
        command = [sys.executable, "-B", "-c", PROGRAM]
        return subprocess.Popen(command, cwd=self.folder, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True)

    def play(self, **more: str) -> str:
        """What came of one."""
        return result_of(self.start(**more))

    def files(self) -> list[Path]:
        """The files of machine code."""
        return sorted(path for path in self.cache.rglob("*") if path.is_file())

    def edit(self) -> None:
        """Changes a rule, so that neither size nor time of its file tell; the cache stays."""
        path = self.folder / "tests" / "race.py"
        status, text = path.stat(), path.read_text()
        here = "GOAL, LIMIT = 3, 8" if "GOAL, LIMIT = 3, 8" in text else "GOAL, LIMIT = 2, 8"
        path.write_text(text.replace(here, here.replace("3,", "#").replace("2,", "3,").replace("#", "2,")))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.expected = self.play(NUMBA_DISABLE_JIT="1")


def result_of(process: subprocess.Popen) -> str:
    """The digest that a process has printed.

    Raises:
        AssertionError: It has ended with an error.
    """
    printed, _ = process.communicate(timeout=600)
    assert process.returncode == 0, f"exit code {process.returncode}"
    return printed.split()[0]


def empty(tree: Tree, chance: random.Random) -> list[str]:
    """Four processes at once on an empty cache."""
    shutil.rmtree(tree.cache, ignore_errors=True)
    return [result_of(process) for process in [tree.start() for _ in range(4)]]


def damaged(tree: Tree, chance: random.Random) -> list[str]:
    """One process on files that were changed."""
    for path in tree.files():
        content = bytearray(path.read_bytes())
        place = chance.randrange(len(content))
        act = chance.randrange(5)
        if act == 0:
            del content[place:]
        elif act == 1:
            content[place] ^= 1 << chance.randrange(8)
        elif act == 2:
            content[place : place + 64] = chance.randbytes(64)
        elif act == 3:
            content[:] = chance.choice(tree.files()).read_bytes()
        path.write_bytes(content)
    return [tree.play()]


def exchanged(tree: Tree, chance: random.Random) -> list[str]:
    """One process on whole files under the names of each other."""
    files = tree.files()
    contents = [path.read_bytes() for path in files]
    for path, content in zip(files, contents[1:] + contents[:1], strict=True):
        path.write_bytes(content)
    return [tree.play()]


def edited(tree: Tree, chance: random.Random) -> list[str]:
    """One process with another rule, beside the code of the old one."""
    tree.edit()
    return [tree.play()]


def shut(tree: Tree, chance: random.Random) -> list[str]:
    """One process whose cache is no folder that can be written to."""
    blocked = tree.folder / "blocked"
    blocked.write_text("a file, so that not even root can write there")
    return [tree.play(NUMBA_CACHE_DIR=str(blocked))]


ATTACKS = (empty, damaged, exchanged, edited, shut)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns 1 if a process has played otherwise or ended with an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.caches", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    tried, wrong, chance, began = Counter[str](), Counter[str](), random.Random(given.seed), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        for _ in range(given.rounds):
            for attack in ATTACKS:
                try:
                    results = attack(tree, chance)
                except AssertionError as error:
                    results = [str(error)]
                tried[attack.__doc__ or ""] += len(results)
                wrong[attack.__doc__ or ""] += sum(result != tree.expected for result in results)
    print("\n".join(f"| {what} | {count} | {wrong[what]} |" for what, count in tried.items()))
    print(f"{sum(tried.values())} processes, {sum(wrong.values())} wrong, {time.monotonic() - began:.0f} s")
    return int(bool(wrong.total()))


if __name__ == "__main__":
    sys.exit(main())
