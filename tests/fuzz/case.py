"""One try: its chance, and what is kept of it if it finds something."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np


@dataclass
class Case:
    """A try of a target; all of it follows from the three of them.

    Attributes:
        target: Name of the target.
        seed: Of the run.
        number: Of the try.
        inputs: What was handed in, by name.
    """

    target: str
    seed: int
    number: int
    inputs: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.target} {self.seed} {self.number}")

    @property
    def numpy(self) -> np.random.Generator:
        """The same chance for arrays."""
        return np.random.default_rng(self.rng.getrandbits(64))

    def keep(self, folder: Path, text: str) -> Path:
        """Writes what was handed in, and what came of it, into files of a folder; returns the folder."""
        place = folder / f"{self.target}-{self.seed}-{self.number}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "finding.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
        for name, value in self.inputs.items():
            (place / name).write_bytes(value if isinstance(value, bytes) else _written(value))
        return place


def _written(value: Any) -> bytes:
    try:
        return repr(value).encode("utf-8", "backslashreplace")
    except Exception as error:  # it may be too deep, or made to refuse
        return f"{type(value)}, of which there is no repr: {type(error)}".encode()
