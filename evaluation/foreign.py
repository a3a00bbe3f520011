"""Foreign agents, ``package.module:Class``, told apart and found without importing a line of them."""

import ast
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
    """Lets foreign agents import the modules of a folder, behind all others; this process does not see them."""
    if str(folder.resolve()) not in folders:
        folders.append(str(folder.resolve()))


def search_path() -> list[str]:
    """The folders from which foreign agents import, as absolute paths."""
    return [os.path.abspath(folder) for folder in [*sys.path, *folders]]


def source_of(spec: str) -> Path | None:
    """The source file of the module of a foreign agent; None where there is no such file, and for all other agents."""
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


def sources_of(spec: str) -> list[Path]:
    """The files that a foreign agent is made of: a package with all in it, or a module and what it imports of its folder.

    Files that a module reads while it plays are not known: an agent that has any is a package. So are libraries from elsewhere.
    None for all other agents.
    """
    source = source_of(spec)
    if source is None:
        return []
    depth = spec.partition(":")[0].count(".") + (source.name == "__init__.py")
    return _files_of(source.parents[depth - 1]) if depth else sorted(_module_files(source))


def _files_of(package: Path) -> list[Path]:
    return sorted(path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _module_files(module: Path) -> set[Path]:
    """A module, and the modules and packages beside it that it imports, or they do."""
    found, waiting = {module}, [module]
    while waiting:
        for name in _imports(waiting.pop()):
            package, file = module.parent / name, module.parent / f"{name}.py"
            more = set(_files_of(package) if (package / "__init__.py").is_file() else [file] if file.is_file() else []) - found
            found |= more
            waiting += [path for path in more if path.suffix == ".py"]
    return found


def _imports(source: Path) -> set[str]:
    """The first parts of all names that a file imports; nothing of a file that is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(source.read_bytes())))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the agent cannot be made of it, which is told then
        return set()
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in plain | named}


def _names(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def _find(name: str, places: Sequence[str] | None) -> "importlib.machinery.ModuleSpec | None":
    for finder in sys.meta_path:
        if (find := getattr(finder, "find_spec", None)) and (found := find(name, places)):
            return found
    return None
