"""Agents of others, ``package.module:Class``, told apart and found without importing a line of them."""

import importlib
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from agents.registry import is_foreign

folders: list[str] = []
"""Folders behind those of ``sys.path``, see :func:`let_import`."""


def let_import(folder: Path) -> None:
    """Lets agents of others import the modules of a folder, behind all others; this process does not see them."""
    if str(folder.resolve()) not in folders:
        folders.append(str(folder.resolve()))


def search_path() -> list[str]:
    """The folders from which agents of others import, as absolute paths."""
    return [os.path.abspath(folder) for folder in [*sys.path, *folders]]


def source_of(spec: str) -> Path | None:
    """The source file of the module of an agent of others; None where there is no such file, and for all other agents."""
    if not is_foreign(spec):
        return None
    importlib.invalidate_caches()
    places: Sequence[str] | None = search_path()
    origin = None
    for name in _names(spec.partition(":")[0]):
        found = _find(name, places)
        if found is None:
            return None
        places, origin = found.submodule_search_locations or [], found.origin
    path = Path(origin) if origin else None
    return path if path and path.is_file() else None


def _names(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def _find(name: str, places: Sequence[str] | None) -> "importlib.machinery.ModuleSpec | None":
    for finder in sys.meta_path:
        if (find := getattr(finder, "find_spec", None)) and (found := find(name, places)):
            return found
    return None
