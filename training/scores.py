"""What a run has left of its scores, read again: ``metrics.csv`` and ``scores.json``, which may be anybody's."""

import csv
import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from envs.checks import integer
from envs.files import read_regular, write_aside

METRICS, SCORED = "metrics.csv", "scores.json"
SCORES = ("win_share", "placement")
MOST_BYTES = 2**28


def write_scores(path: Path, scores: Mapping[str, Any], timesteps: int) -> None:
    """Writes final scores as JSON, by opponent a ``training.metrics.Score``.

    Raises:
        OSError: The file could not be written.
    """
    opponents = {name: result._asdict() for name, result in scores.items()}
    write_aside(path, (json.dumps({"timesteps": timesteps, "opponents": opponents}, indent=1) + "\n").encode())


def read_scores(path: Path) -> dict[str, Any]:
    """What :func:`write_scores` has written: ``timesteps``, and by opponent ``games``, ``win_share`` and ``placement``.

    Raises:
        ValueError: There is no such file, or it is damaged.
    """
    try:
        scores = json.loads(read_regular(path, MOST_BYTES))
        integer("timesteps", scores["timesteps"], 0)
        means = [float(result[what]["mean"]) for result in scores["opponents"].values() for what in SCORES]
        if not all(map(isfinite, means)):
            raise ValueError("a score is no number")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} holds no scores of a run: {error}") from error
    return scores


def read_rows(path: Path) -> list[dict[str, str]]:
    """The lines of ``metrics.csv``, by column.

    Raises:
        ValueError: It is no file, or too large.
        OSError: It cannot be read.
    """
    return list(csv.DictReader(read_regular(path, MOST_BYTES).decode("ascii", "replace").splitlines()))
