"""A few tries at every door, in one process: ``python -m tests.fuzz.short``, which the suite runs.

The rules run as Python: NumPy checks every index, as the bounds check does, and nothing has to be compiled or started for each
door. It prints a line of JSON for each door: how many tries were refused and accepted, and what was found.
"""

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"

from tests.fuzz.case import Case
from tests.fuzz.judge import limit_memory
from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import MEMORY, outcome_of

TRIES = {
    "states": 20, "records": 40, "dicts": 30, "calls": 120, "replays": 10, "decks": 40, "checkpoints": 60, "runs": 4,
    "boards": 25, "commands": 150,
}  # fmt: skip
"""So that all together take less than a minute."""


def search(name: str, tries: int, seed: int, folder: Path) -> dict[str, int | str]:
    """Counts of what the tries at a door came to, and the text of the last thing that was found."""
    counts, found = Counter[str](), ""
    make_try = TARGETS[name].prepare(folder)
    limit_memory(MEMORY)
    for number in range(tries):
        outcome = outcome_of(make_try, Case(name, seed, number), folder)
        counts[outcome if isinstance(outcome, str) else outcome["finding"]] += 1
        found = found if isinstance(outcome, str) else outcome["text"]
    return {**counts, "found": found}


def main() -> None:
    """Makes all tries."""
    for name, tries in TRIES.items():
        print(name, file=sys.stderr, flush=True)  # the last one is where the process has ended, if it has
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            print(json.dumps({"target": name, **search(name, tries, 1, Path(folder))}), flush=True)


if __name__ == "__main__":
    main()
