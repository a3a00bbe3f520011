"""What the tests of foreign agents share: a tournament with one of them, and what is running afterwards."""

import os
from pathlib import Path

import numpy as np
import pytest

from agents.host import confine
from evaluation import workers
from evaluation.keyed import Secret
from tests.evaluation.test_workers import is_running

HERE = "tests.evaluation.misbehaving"
SLEEP = "987.125"
NO_LANDLOCK = confine._landlock(444, None, 0, 1) < 6
SECRET = Secret.from_seed(11)
LOOKS_AT_PROCESSES = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes")


def running(word):
    """The numbers of the processes with a word in their command line or their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            texts = [Path(f"/proc/{name}/{part}").read_bytes() for part in ("cmdline", "environ")]
        except OSError:
            continue
        if any(word.encode() in text for text in texts) and int(name) != os.getpid() and is_running(name):
            found.append(int(name))
    return found


def play(game, stranger, deals=3, **more):
    """Plays random and greedy against each other on some deals and then random against a stranger on others."""
    lineup = np.array([[0, 1], [1, 0]] * deals + [[0, 2], [2, 0]] * deals)
    seeds = np.repeat(SECRET.deal_seeds(2 * deals), 2)
    specs = ["random", "greedy", f"{HERE}:{stranger}"]
    return workers.run(workers.Tournament(game, specs, ["a", "b", "stranger"], lineup, seeds, secret=SECRET, **more))
