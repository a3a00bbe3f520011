"""Writing files so that nobody ever finds half of one."""

import os
from pathlib import Path


def write_aside(path: str | os.PathLike[str], content: bytes) -> None:
    """Replaces a file by another content at once, or not at all.

    Raises:
        OSError: It could not be written; the old file is as it was.
    """
    path = Path(path)
    aside = path.with_name(f".{path.name}.tmp")
    try:
        with open(aside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Makes a rename last through a power cut, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
