"""The doors by which something comes in from outside."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.fuzz.case import Case

Try = Callable[[Case], bool]
"""Makes a try: True if what was handed in was accepted, False if it was refused as it should be; a finding is raised."""


@dataclass(frozen=True)
class Target:
    """A door.

    Attributes:
        module: Has ``prepare(folder) -> Try``, which makes something valid to begin with.
        what: What comes in.
        is_compiled: Whether the rules run compiled; otherwise as Python, which is slower by far, but has nothing to compile for
            games of other sizes.
    """

    module: str
    what: str
    is_compiled: bool = True

    def prepare(self, folder: Path) -> Try:
        """Imports what is needed, makes valid input, and returns what makes a try."""
        return import_module(f"{__name__}.{self.module}").prepare(folder)


TARGETS = {
    "states": Target("states", "bytes for set_state of both environments"),
    "records": Target("records", "records for set_records and check_records"),
    "dicts": Target("dicts", "state dicts for from_dict"),
    "calls": Target("calls", "arguments of every public call of games and environments"),
    "replays": Target("replays", "recorded games, to check, tell and watch"),
    "decks": Target("decks", "card lists and component folders", is_compiled=False),
    "checkpoints": Target("checkpoints", "policies as players"),
    "runs": Target("runs", "training runs to go on with"),
    "boards": Target("boards", "leaderboards, entries, unfinished results"),
    "commands": Target("commands", "command lines of every program"),
}
"""By name, in the order in which they are tried."""
