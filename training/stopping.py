"""Ctrl-C as a polite wish: what is at work ends where it can go on later."""

import signal
import threading
from typing import Any


class StopSignal:
    """Turns the first Ctrl-C into a wish to stop; the second one stops at once.

    Outside the main thread nothing is changed: there, Python lets nobody handle signals.
    """

    def __init__(self) -> None:
        self.is_wanted = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "StopSignal":
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._want) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def _want(self, number: int, frame: Any) -> None:
        self.is_wanted = True
        signal.signal(number, signal.default_int_handler)

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            # A handler that was not made by Python is not known to it, and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
