"""The page of a table as somebody meets it, by the clock: ``python -m benchmarks --only play``.

From the command to the first board, with nothing compiled and after that; from a click to the new board and to the answer of
``greedy``; and how large the page of a recorded game is. A headless Chromium plays, so this needs the test extra and Chromium.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import envs
from benchmarks.rows import Row
from benchmarks.startup import surroundings

FIRST_BOARD = 3.0
"""Seconds that the first board may take on a machine that has compiled nothing."""
CLICKS = 60  # a whole game of most rule sets; a turn of Mushroom Rings alone is a dozen
PATIENCE = 600_000  # milliseconds: on a busy machine the compiler takes minutes
CLICK = """() => new Promise((done) => {
  const answers = () => [...document.querySelectorAll("#log li")].filter((line) => line.textContent.startsWith("Greedy")).length;
  const button = document.querySelector("#moves button:enabled");
  if (!button) return done(null);
  const before = answers(), begun = performance.now();
  let board = null;
  const watcher = new MutationObserver(() => {
    const spent = performance.now() - begun;
    board ??= spent;
    if (!document.querySelector("#moves button, #log .end")) return;
    watcher.disconnect();
    done([board, answers() > before ? spent : null]);
  });
  watcher.observe(document.getElementById("board"), { childList: true });
  button.click();
})"""
"""Clicks the first move; gives milliseconds to the new board, and until the person is to move again if an agent has answered."""


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium, from the place that the variable ``CHROMIUM`` names."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--headless", "--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@contextmanager
def table(name: str, seed: int, **variables: str) -> Iterator[str]:
    """The address of a person's seat at a new table against ``greedy``; ``variables`` are of the environment."""
    words = ["--env", name, "--pause", "0", "--seed", str(seed), "--no-browser"]
    around = surroundings(**variables)
    with subprocess.Popen([sys.executable, "-m", "play", *words], stdout=subprocess.PIPE, text=True, env=around) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def visit(chromium: Any, name: str, cache: str, clicks: int = CLICKS) -> tuple[float, list[tuple[float, float | None]]]:
    """A visit to a table, with machine code kept in a folder.

    Returns:
        Seconds from the command to the first board, and for each click milliseconds to the new board and to the answer.
    """
    begun = time.perf_counter()
    with table(name, 1, NUMBA_CACHE_DIR=cache) as address:
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.wait_for_selector("#board svg")
        first = time.perf_counter() - begun
        if clicks:
            page.wait_for_selector("#moves button:enabled")
        times = [page.evaluate(CLICK) for _ in range(clicks)]
        page.close()
    return first, [spent for spent in times if spent]


def page_size(name: str) -> tuple[int, int]:
    """Bytes of the page of a game of ``greedy`` against itself, and how many decisions it shows."""
    from agents.registry import make_agent
    from envs.replay import record_game
    from envs.vector import VectorAECEnv
    from play import Replay

    game = envs.make_game(name, 2)
    env = VectorAECEnv(game, 1, seed=0, autoreset=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        path.write_text(record_game(env, [make_agent("greedy", game)] * 2, 1).text(), encoding="utf-8")
        replay = Replay(path)
        return len(replay.page().encode()), len(replay)


def play(names: tuple[str, ...] = tuple(envs.GAMES), clicks: int = CLICKS) -> list[Row]:
    """All figures; rows say wall, for a person waits by the clock."""
    rows = []
    for name in names:
        with browser() as chromium, tempfile.TemporaryDirectory() as cache:
            cold, _ = visit(chromium, name, cache, 0)
            visit(chromium, name, cache, 2)  # fills the cache: from here on the agent's machine code is there
            warm, times = visit(chromium, name, cache, clicks)
        boards, answers = [board for board, _ in times], [answer for _, answer in times if answer is not None]
        size, moments = page_size(name)
        rows += [
            Row(f"{name} 2p: command to first board, nothing compiled", cold, "s wall", at_most=FIRST_BOARD),
            Row(f"{name} 2p: the same, warm", warm, "s wall"),
            Row(f"{name} 2p: click to new board", float(np.median(boards)), "ms wall", note=f"median of {len(boards)}"),
            Row(f"{name} 2p: click to `greedy`'s answer", float(np.median(answers)), "ms wall", note=f"median of {len(answers)}"),
            Row(f"{name} 2p: page of a replay", size / 1000, "kB", note=f"{moments} positions, all seats' views"),
        ]
    return rows
