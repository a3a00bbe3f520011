"""What a program says while it is busy with something long: what it is, that it still goes on, and how long it took."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from numba.core import event

_COMPILE = "numba:compile"
_DOT = 5.0  # seconds


class Ticker:
    """Calls a function again and again, in a thread of its own, as long as a ``with`` statement lasts.

    Args:
        seconds: Between two calls.
        function: What is called.
    """

    def __init__(self, seconds: float, function: Callable[[], object]) -> None:
        self._seconds, self._function = seconds, function
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="ticker", daemon=True)

    def _tick(self) -> None:
        while not self._end.wait(self._seconds):
            self._function()

    def __enter__(self) -> "Ticker":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()


@contextmanager
def step(what: str, stream: TextIO | None = None) -> Iterator[Callable[[str], None]]:
    """Says on one line what is being done, at once, and at the end how long it took; what is compiled meanwhile is named.

    Args:
        what: Is being done.
        stream: Where it is said, standard error if None.

    Yields:
        A function that adds words to the line.
    """
    out = stream or sys.stderr

    def say(words: str) -> None:
        print(words, end="", file=out, flush=True)

    begin = time.perf_counter()
    say(what)
    try:
        with Ticker(_DOT, lambda: say(" .")), _naming_what_is_compiled(say):
            yield say
        say(f" ({time.perf_counter() - begin:.1f} s)")
    finally:
        say("\n")


@contextmanager
def _naming_what_is_compiled(say: Callable[[str], None]) -> Iterator[None]:
    """Machine code that is kept on disk is loaded in no time; only what is missing is compiled, and named."""
    listener = _Compiling(say)
    event.register(_COMPILE, listener)
    try:
        yield
    finally:
        event.unregister(_COMPILE, listener)


class _Compiling(event.Listener):
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._depth = say, 0
        self._named: set[str] = set()

    def on_start(self, event: Any) -> None:
        self._depth += 1
        name = _name_of(event.data["dispatcher"].py_func)
        if self._depth == 1 and name not in self._named:  # what it calls is a part of it
            self._say(f", {name}" if self._named else f", compiling {name}")
            self._named.add(name)

    def on_end(self, event: Any) -> None:
        self._depth -= 1


def _name_of(function: Any) -> str:
    """A game's name, or that of the module in a package."""
    return ".".join(function.__globals__["__name__"].split(".")[:2]).removeprefix("envs.")
