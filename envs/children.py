"""What processes begin with that are started as new interpreters: a thread each, and Ctrl-C left to their parent."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def child_environment(**variables: str | None) -> Iterator[None]:
    """Processes started inside use one thread each, and leave Ctrl-C in the terminal to their parent.

    They inherit that the signal is blocked. Here it is not lost: it waits until the process is started.

    Args:
        **variables: More variables for them; None takes one away.
    """
    given = dict.fromkeys(_THREADS, "1") | variables
    kept = {name: os.environ.get(name) for name in given}
    can_block = hasattr(signal, "pthread_sigmask")
    if can_block:
        resource_tracker.ensure_running()  # the first process would start it, and that lets the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if can_block else set()
    _set(given)
    try:
        yield
    finally:
        _set(kept)
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _set(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
