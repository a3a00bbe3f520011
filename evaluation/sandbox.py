"""``--sandbox``: hosts of agents inside bubblewrap, without network and on a file system that they can only read.

Each agent has a sandbox of its own: it sees no processes but its own, and what it writes is gone with it. bubblewrap
(``bwrap``) is a program of the system, for Linux alone: https://github.com/containers/bubblewrap.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import cast

from envs.engine.compiler import cache_folder
from envs.game import Game

SCRATCH = "/dev/shm"
"""The one folder that can be written to; it is memory."""

SCRATCH_BYTES = 1 << 30

ENVIRONMENT = {"TMPDIR": SCRATCH, "NUMBA_CACHE_DIR": f"{SCRATCH}/machine-code"}


hidden: list[str] = []
"""Files that no sandbox started from now on shows, see :func:`hide`."""

_is_required = False


def hide(path: Path) -> None:
    """Keeps a file from the agents in sandboxes, whether it is there yet or not; in workers too."""
    if str(path.absolute()) not in hidden:
        hidden.append(str(path.absolute()))


def require(is_required: bool) -> None:
    """Says whether all hosts that are started from now on, by this process and its workers, are to be in a sandbox.

    Raises:
        ValueError: They are, and there is no bubblewrap.
    """
    global _is_required
    if is_required:
        _program()
    _is_required = is_required


def is_required() -> bool:
    """Whether hosts are to be in a sandbox."""
    return _is_required


def _program() -> str:
    program = shutil.which("bwrap")
    if program is None:
        raise ValueError("--sandbox needs bubblewrap, the program bwrap, which is not installed")
    return program


def sandboxed(command: Sequence[str]) -> list[str]:
    """A command inside a sandbox.

    Raises:
        ValueError: There is no bubblewrap.
    """
    walls = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    files = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--size", str(SCRATCH_BYTES), "--tmpfs", SCRATCH]
    blanks = [word for path in hidden if os.path.exists(path) for word in ("--ro-bind", os.devnull, path)]
    return [_program(), *walls, *files, *blanks, "--chdir", os.getcwd(), "--", *command]


def machine_code(game: Game) -> str:
    """The folder with the compiled code of this process, from which a sandbox begins; nothing where there is none."""
    folder = cache_folder(Path(str(cast(ModuleType, game.kernels).__file__)))
    return str(Path(folder).parent) if folder else ""
