"""The rows of a batch in stripes, each worked on by a thread of its own: compiled loops let other threads run meanwhile.

A game depends on its seed and its actions alone, so the bytes are the same for any number of threads. The first stripe is worked
on by the thread that asks, which saves a call to another one and leaves a batch in one stripe as quick as a plain loop.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

MOST_THREADS = 256

Part = TypeVar("Part")
Result = TypeVar("Result")


def cut(rows: int, stripes: int) -> list[slice]:
    """Rows in stripes of the same size but for one; never more stripes than rows."""
    stripes = min(stripes, rows)
    ends = [rows * k // stripes for k in range(stripes + 1)]
    return [slice(start, end) for start, end in zip(ends, ends[1:], strict=False)]


class Stripes(Generic[Part]):
    """Calls functions for every part of something, side by side.

    Threads are started at the first call that needs them, and anew after ``close`` and in a process that was forked.

    Args:
        parts: One or more. No two of them share memory that a function writes to.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._first, self._others = parts[0], list(parts[1:])
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def each(self, function: Callable[[Part], Result]) -> list[Result]:
        """The function of each part, in their order; all have ended when it returns or raises."""
        if not self._others:
            return [function(self._first)]
        pool = self._threads()
        others = [pool.submit(function, part) for part in self._others]
        try:
            first = function(self._first)
        finally:
            wait(others)
        return [first, *(other.result() for other in others)]

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():  # threads do not come along when a process is forked
            self._pool, self._process = ThreadPoolExecutor(len(self._others), "stripe"), os.getpid()
        return self._pool

    def close(self) -> None:
        """Ends the threads."""
        pool, self._pool = self._pool, None
        if pool is not None and self._process == os.getpid():
            pool.shutdown()
