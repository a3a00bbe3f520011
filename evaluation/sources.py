"""Fingerprints of the code of this package, by which workers of a driver and results of a board are told from others."""

import hashlib
import os
import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import agents
import envs

PACKAGES = ("numpy", "numba", "scipy")
_WORKING = ("envs", "agents", "evaluation", "training")
_ROOT = Path(str(envs.__file__)).parents[1]


def digest(paths: Sequence[Path]) -> str:
    """SHA-256 of a file; of several, of their names and hashes."""
    hashes = []
    for path in paths:
        with open(path, "rb") as file:
            hashes.append(hashlib.file_digest(file, "sha256").hexdigest())
    if len(paths) == 1:
        return hashes[0]
    root = os.path.commonpath([path.parent for path in paths])
    lines = [f"{path.relative_to(root).as_posix()} {one}\n" for path, one in zip(paths, hashes, strict=True)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def own_sources() -> str:
    """SHA-256 of the rules and the agents of this package as they are here."""
    return digest(sorted(path for package in (envs, agents) for path in Path(str(package.__file__)).parent.rglob("*.py")))


@cache
def identity() -> dict[str, str]:
    """What must be the same here and at a worker for results to be the same, by what it is called."""
    return {
        "the code": digest(_files("*.py")),
        "the component tables": digest(_files("*.csv", "*.toml")),
        "the checkpoints": digest(_files("*.zip")),
        "Python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def _files(*patterns: str) -> list[Path]:
    return sorted(path for folder in _WORKING for pattern in patterns for path in (_ROOT / folder).rglob(pattern))


def different(one: dict[str, str], other: dict[str, str]) -> str | None:
    """The first thing that is not the same, in words: what it is in ``one``, and in ``other``; None if there is none."""
    for name in {**one, **other}:
        if one.get(name) != other.get(name):
            return f"{name} is {one.get(name, 'none')[:12]}, but {other.get(name, 'none')[:12]}"
    return None
