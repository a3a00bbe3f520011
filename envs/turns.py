"""One thread at a time in an environment: two at work in the same records would spoil them."""

import threading

BUSY = "another thread is at work in this environment; give every thread its own"


class Turn:
    """``with turn:`` keeps other threads out until the end of the block.

    Raises:
        RuntimeError: At the beginning of the block, where another thread is in one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(BUSY)

    def __exit__(self, *error: object) -> None:
        self._lock.release()
