"""Machine code on disk, in the place of Numba's own files: nothing that is damaged, old, or somebody else's is ever run.

Numba numbers the files of a function, and keeps in an index which number is whose. Two processes that compile it for different
games at the same time may then give one number to both, and the next one runs the code of one game on the records of the other;
an index that is cut short ends the program. Here the name of a file follows from all that the code depends on, a file is whole or
not there, and is run only if it bears the right name and the checksum of its content.
"""

import hashlib
import os
import pickle
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.serialize import dumps

_CHECKSUM = hashlib.sha256().digest_size


class MachineCode:
    """The files of one function, as Numba's caches ask for them.

    Args:
        folder: Where they are; it is made when something is kept.
        function: Name and line of the function.
    """

    def __init__(self, folder: str | os.PathLike[str], function: str) -> None:
        self.folder, self.function = Path(folder), function

    def load(self, key: Hashable) -> Any:
        """What was kept for a signature; None if there is nothing, or nothing that can be used."""
        path = self._path(key)
        try:
            content = path.read_bytes()
            return pickle.loads(content[_CHECKSUM:]) if content[:_CHECKSUM] == _checksum(path, content[_CHECKSUM:]) else None
        except Exception:  # whatever is wrong with the file, it is compiled again
            return None

    def save(self, key: Hashable, data: Any) -> None:
        """Keeps something for a signature; where it cannot be written, it is compiled again the next time."""
        path, content = self._path(key), dumps(data)
        aside = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(_checksum(path, content) + content)
            os.replace(aside, path)
        except OSError:
            with suppress(OSError):
                aside.unlink(missing_ok=True)

    def flush(self) -> None:
        """Takes all of them away."""
        for path in self.folder.glob(f"{self.function}-*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: Hashable) -> Path:
        # The types of a signature are written out by their names, in which a record has all its fields with their places.
        name = hashlib.sha256(f"{numba.__version__} {key!r}".encode()).hexdigest()[:32]
        return self.folder / f"{self.function}-{name}.nbc"


def _checksum(path: Path, content: bytes) -> bytes:
    """Of the content and of where it belongs: code of another function, or of other rules, has its own place."""
    place = "/".join(path.parts[-3:])
    return hashlib.sha256(place.encode() + b"\0" + content).digest()


def keep(dispatcher: Any) -> Any:
    """Has a function that ``njit(cache=True)`` compiles keep its code in such files; returns it."""
    cache = dispatcher._cache
    code = dispatcher.py_func.__code__
    cache._cache_file = MachineCode(cache.cache_path, f"{code.co_name}-{code.co_firstlineno}")
    save = cache.save_overload

    def save_if_possible(signature: Any, data: Any) -> None:
        with suppress(OSError):  # the folder cannot be written to any more
            save(signature, data)

    cache.save_overload = save_if_possible
    return dispatcher
