"""A short search at every door: nothing is found. ``python -m tests.fuzz --minutes 10`` searches longer."""

import pytest

from tests.envs.test_engine import run
from tests.fuzz.targets import TARGETS

TRIES = {
    "states": 40, "records": 60, "dicts": 150, "calls": 120, "replays": 12, "decks": 60, "checkpoints": 60, "runs": 4,
    "boards": 25, "commands": 200,
}  # fmt: skip
"""So that each takes about as long as its process needs to start."""


def test_every_door_is_searched():
    assert TRIES.keys() == TARGETS.keys()


@pytest.mark.parametrize("name", TRIES)
def test_nothing_is_found_in_a_short_search(name, tmp_path):
    printed = run("-m", "tests.fuzz", "--target", name, "--tries", TRIES[name], "--seed", 1, "--out", tmp_path)
    *_, all_targets = printed.splitlines()
    tries, _, _, *found = (int(cell.replace(",", "")) for cell in all_targets.split("|")[2:-1])
    assert tries == TRIES[name] and found == [0, 0, 0]
