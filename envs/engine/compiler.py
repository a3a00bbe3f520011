"""Compiling rule functions, and keeping their machine code on disk."""

import ast
import hashlib
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import config as _config

from envs.engine.machine_code import keep

config: Any = _config  # its settings are made when it is imported; a type checker does not see them


@cache
def _layout_name(layout: str) -> str:
    return f"r{hashlib.sha256(layout.encode()).hexdigest()[:24]}"


# Numba names a function compiled for a record after a number that counts the types of the process. Machine code that two
# processes have cached, for two players and for four, may then bear the same name, and a third process that loads both runs
# the wrong one. Named after the layout of the record, no two are alike.
_record: Any = types.Record
_record.mangling_args = property(lambda record: ("Record", (_layout_name(record.name),)))


def _widened(kind: Any) -> Any:
    """The type of an integer, constant or small, as a function takes it: ``int64``; other types stay."""
    kind = types.unliteral(kind)
    return types.int64 if kind in (types.int8, types.int16, types.int32) else kind


def _callee(function: Callable, **options: Any) -> Any:
    """Compiles a function for compiled callers, once for all kinds of integers.

    Numba by itself compiles it anew for every constant and every smaller type that it is given, and each time makes an entry
    for Python, which only a call from Python needs: both together are a third of the time of compiling a game.
    """
    outer: Any = njit(error_model="numpy", **options)(function)
    if config.DISABLE_JIT:
        return outer
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    inner: Any = njit(error_model="numpy", **options)(function)
    fold = inner._compiler.fold_argument_types

    def fold_and_widen(args: Any, kws: Any) -> Any:
        signature, kinds = fold(args, kws)
        return signature, tuple(map(_widened, kinds))

    inner._compiler.fold_argument_types = fold_and_widen
    # What compiled code asks of a function that it calls; the counter tells it that the function calls itself.
    for name in ("fold_argument_types", "get_call_template", "get_overload", "_compiling_counter"):
        setattr(outer, name, getattr(inner, name))
    return outer


def jit(function: Callable) -> Any:
    """Compiles a rule function; it is cached as a part of the loops that call it."""
    return _callee(function)


def inline(function: Callable) -> Any:
    """Compiles a small helper into its callers (worth up to 2x where a record is passed)."""
    return _callee(function, forceinline=True)


def merged(function: Callable) -> Any:
    """Compiles a function as lines of its callers: for one that is long and has one or two of them.

    Any other function is optimised, with all that it calls, once for each level of callers above it; so this saves time in
    compiling and none in running.
    """
    return njit(error_model="numpy", inline="always")(function)


def uncompiled(function: Any) -> Callable:
    """The Python function behind a compiled one: for a single call it is far quicker than compiling."""
    return getattr(function, "py_func", function)


def kernel(function: Callable, *more_sources: Path) -> Any:
    """Compiles a function called from Python, keeps its machine code on disk and lets other threads run meanwhile.

    Args:
        function: The function. Its machine code is kept by the file of the module it runs in, which for the loops over a batch
            is the game's and not that of their text.
        *more_sources: Files it is made from besides that one and what it imports.
    """
    folder = cache_folder(Path(function.__globals__["__file__"]), *more_sources)
    if folder is None:
        return njit(error_model="numpy", nogil=True)(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = folder
    try:
        return keep(njit(error_model="numpy", nogil=True, cache=True)(function))
    finally:
        config.CACHE_DIR = before


@cache
def cache_folder(*sources: Path) -> str | None:
    """A writable folder for the machine code of files, keyed by all sources it is made from; None if there is no place.

    Numba itself looks only at the file of the cached function, so an edited callee in another file would run stale.
    """
    if config.DISABLE_JIT:
        return None
    for parent in _cache_parents():
        folder = parent / f"machine-code-{_digest(sources)}"
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                _forget_old(parent, keep=32)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError:
            continue
        return str(folder)
    return None


def _cache_parents() -> list[Path]:
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return [Path(named)]
    # Where there is no home, "~" stays "~": a folder of that name would appear wherever the program is started.
    homes = [Path(os.environ.get("XDG_CACHE_HOME", "")), Path(os.path.expanduser("~")) / ".cache"]
    return [Path(__file__).parent / "__pycache__", *(home / "fairy_rings" for home in homes if home.is_absolute())]


def _digest(sources: tuple[Path, ...]) -> str:
    checked = " with bounds checked" if config.BOUNDSCHECK else ""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}{checked}".encode())
    for file in sorted(set().union(*map(sources_of, sources))):
        digest.update(str(file).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def sources_of(source: Path) -> set[Path]:
    """A source file and all that it imports, directly or not, at module level and outside installed libraries."""
    found: set[Path] = set()
    here = Path(__file__).resolve()
    waiting = [source.resolve(), here, here.with_name("loops.py")]
    own = frozenset(map(_package_of, waiting))
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += [imported for name in _imports(file) for imported in _own_files(name, own)]
    return found


def _package_of(file: Path) -> Path:
    """The folder of the outermost package that a file belongs to; the file itself if it is in none."""
    package = file
    while (package.parent / "__init__.py").is_file():
        package = package.parent
    return package


def _imports(file: Path) -> list[str]:
    names = []
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _own_files(name: str, own: frozenset[Path]) -> list[Path]:
    """The files that importing a module runs, its packages' among them; none for libraries, unless they are in ``own``."""
    files: list[Path] = []
    parts = name.split(".")
    if parts[0] in _KNOWN_LIBRARIES:
        return files
    for end in range(1, len(parts) + 1):
        module = sys.modules.get(".".join(parts[:end]))
        origin = getattr(module, "__file__", None)
        if origin is None:
            return files
        file = Path(origin).resolve()
        if file.suffix != ".py" or (_is_in_library(file) and not own.intersection((file, *file.parents))):
            return []
        files.append(file)
    return files


def _is_in_library(file: Path) -> bool:
    return any(folder in _LIBRARIES or folder.name in ("site-packages", "dist-packages") for folder in file.parents)


_LIBRARIES = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib")}
# They may also come from a user's folder, or from any folder that a .pth file names. Their versions are a part of the key.
_KNOWN_LIBRARIES = frozenset({"numba", "numpy", "llvmlite", *sys.stdlib_module_names})


def _forget_old(parent: Path, keep: int) -> None:
    folders = sorted(parent.glob("machine-code-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[keep:]:
        shutil.rmtree(folder, ignore_errors=True)


def wrapping(function: Callable) -> Callable:
    """64-bit words wrap by design; without the compiler numpy would warn of it each time."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else inline(function)
