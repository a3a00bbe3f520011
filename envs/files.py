"""Writing files so that nobody ever finds half of one, and folders that one process has to itself."""

import errno
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
_LONGEST_NAME = 100  # characters of a target's name in that of its temporary file: file systems end names at 255 bytes
_ABANDONED = 60.0  # seconds after which a temporary file that nobody holds is a leftover
_ABANDONED_WITHOUT_LOCKS = 86_400.0


def open_regular(path: str | os.PathLike[str], most: int) -> IO[bytes]:
    """Opens a file that is one: a pipe or a device would be waited for, or never end.

    Args:
        path: Of the file; it may come from anywhere.
        most: Bytes that it may have.

    Raises:
        ValueError: It is none, or a larger one; the message does not name it.
        OSError: It cannot be opened.
    """
    try:
        status = os.stat(path)
    except ValueError as error:
        raise ValueError("no file can have such a name") from error
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is a folder" if stat.S_ISDIR(status.st_mode) else "it is no regular file")
    if status.st_size > most:
        raise ValueError(f"it has {status.st_size:,} bytes; at most {most:,} are read")
    return open(path, "rb")


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a file from outside; raises as ``open_regular`` does, for one that grows while it is read too."""
    with open_regular(path, most) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return content


def reason(error: Exception) -> str:
    """Why a file could not be read, for a message that names it already."""
    return getattr(error, "strerror", None) or str(error)


def write_aside(path: str | os.PathLike[str], content: bytes, is_private: bool = False) -> None:
    """Replaces a file by another content at once, or not at all; of several writers the last one to end holds.

    What a killed writer of the same file has left beside it is taken away. A private file is for its owner alone to read.

    Raises:
        OSError: It could not be written; the old file is as it was.
    """
    with writing_aside(path, is_private) as file:
        file.write(content)


@contextmanager
def writing_aside(path: str | os.PathLike[str], is_private: bool = False) -> Iterator[IO[bytes]]:
    """A file to write to, whose content replaces that of ``path`` at the end of the block; where the block fails nothing changes.

    Raises:
        OSError: It could not be written; the old file is as it was.
    """
    path = Path(path)
    _take_away_leftovers(path)
    aside = path.with_name(f"{_beginning(path)}{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with open(aside, "xb", opener=_open_private if is_private else None) as file:
            _hold(file, wait=True)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # where there are no locks, an open file cannot be renamed either
            os.replace(aside, path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error  # the name that somebody asked for
    finally:
        aside.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _beginning(path: Path) -> str:
    return f".{path.name[:_LONGEST_NAME]}."


def _take_away_leftovers(path: Path) -> None:
    beginning, now = _beginning(path), time.time()
    with os.scandir(path.parent) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(beginning) and entry.name.endswith(".tmp")]
    for name in found:
        try:
            with open(name, "r+b") as file:
                age = now - os.fstat(file.fileno()).st_mtime
                if age > (_ABANDONED if fcntl else _ABANDONED_WITHOUT_LOCKS) and _hold(file):
                    os.unlink(name)
        except OSError:
            continue  # somebody else's, or gone by now


def _hold(file: IO[bytes], wait: bool = False) -> bool:
    """Takes a file for this process until it is closed, which the end of the process does too; False if another one has it.

    Where the system has no such locks, every file can be had.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
    return True


def _flush_folder(folder: Path) -> None:
    """Makes a rename last through a power cut, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Lock:
    """A folder that one process has to itself, from here to ``release``; the end of the process, a kill too, releases it.

    A file ``.lock`` in the folder is held, and says who has it. Where the system or its disk has no locks, there is none.

    Args:
        folder: Is there.
        part: What of the folder is locked, a file's name; None: all of it. Parts have nothing to do with each other or the whole.

    Raises:
        ValueError: Another process, or this one, has it; the message says which.
        OSError: The file cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str], part: str | None = None) -> None:
        self.path = Path(folder) / (LOCK if part is None else f".{part}{LOCK}")
        self._file: IO[bytes] | None = None
        while fcntl and not self._file:
            file = open(self.path, "a+b")  # noqa: SIM115, it stays open as long as the lock is held
            if not _hold(file):
                file.seek(0)
                holder = file.read(200).decode("ascii", "replace").strip()
                file.close()
                raise ValueError(f"{Path(folder) / (part or '')} is in use by {holder or 'another process'}")
            if _is_at(file, self.path):
                self._file = file
            else:
                file.close()  # whoever had it took the file away between our opening it and our holding it
        if self._file:
            _write_holder(self._file)

    def release(self) -> None:
        """Gives the folder free; once or more often."""
        if self._file is None:
            return
        with self._file as file, suppress(OSError):  # in a folder that can no longer be written to, it hinders nobody
            if _is_at(file, self.path):
                self.path.unlink()
        self._file = None

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _write_holder(file: IO[bytes]) -> None:
    with suppress(OSError):  # on a full disk the lock holds without a name
        os.ftruncate(file.fileno(), 0)
        os.write(file.fileno(), f"process {os.getpid()} on {socket.gethostname()}\n".encode("ascii", "replace"))
