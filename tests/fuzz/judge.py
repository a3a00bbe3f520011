"""What a try may end in, and what is a finding."""

import ast
import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("agents", "envs", "evaluation", "play", "training", "examples")
LONGEST = 1500
"""Letters in a message: the longest that is right lists the legal actions of a position."""
SHORTEST = 8

CRASH, WRONG, UNCLEAR = "crash", "wrong value", "unclear error"
KINDS = (CRASH, WRONG, UNCLEAR)


class Finding(Exception):
    """Something that must not be; ``kind`` is one of ``KINDS``."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.text = kind, text


class NoEnd(BaseException):
    """The time for a try is over."""


def require(holds: Any, text: str, kind: str = WRONG) -> None:
    """Makes a finding of what does not hold."""
    if not holds:
        raise Finding(kind, text)


def is_accepted(call: Callable[[], Any], *more: type[Exception]) -> bool:
    """Calls something with hostile input: True if it was taken, False if it was refused as it should be.

    Args:
        call: What to call.
        *more: Exceptions besides ``ValueError`` that are documented for it.

    Raises:
        Finding: It was refused with an unclear error.
    """
    try:
        call()
    except (ValueError, *more) as error:
        check_clear(error, more)
        return False
    return True


def check_clear(error: Exception, more: tuple[type[Exception], ...] = ()) -> None:
    """Refuses an error that no line of this suite raises on purpose, or that does not fit in one."""
    own = type(error) in (ValueError, *more) or type(error).__module__.partition(".")[0] in PACKAGES
    require(own and is_raised_here(error), "".join(traceback.format_exception(error)), UNCLEAR)
    check_line(str(error))


def check_line(text: str) -> None:
    """Refuses a message that is no line, or none that a terminal can show."""
    shown = text if len(text) < 3000 else f"{text[:1500]} ... {text[-1500:]}"
    require(text.isprintable(), f"the message cannot be shown in one line: {shown!r}", UNCLEAR)
    require(SHORTEST <= len(text) <= LONGEST, f"the message has {len(text)} letters: {shown!r}", UNCLEAR)


def is_raised_here(error: BaseException) -> bool:
    """Whether the last line of the traceback is a ``raise`` of this suite, so that somebody has chosen the words."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    path = Path(frame.f_code.co_filename)
    return any(path.is_relative_to(ROOT / name) for name in PACKAGES) and any(a <= line <= b for a, b in _raises(path))


@cache
def _raises(path: Path) -> list[tuple[int, int]]:
    """The lines of every ``raise`` of a file, first and last."""
    nodes = ast.walk(ast.parse(path.read_bytes()))
    return [(node.lineno, node.end_lineno or node.lineno) for node in nodes if isinstance(node, ast.Raise)]


@contextmanager
def limits(seconds: float) -> Iterator[None]:
    """Ends a try that computes too long, or takes ten times as long whatever it does, with :class:`NoEnd`."""

    def stop(*_: object) -> None:
        raise NoEnd

    timers = {signal.ITIMER_PROF: (signal.SIGPROF, seconds), signal.ITIMER_REAL: (signal.SIGALRM, 10 * seconds)}
    before = {number: signal.signal(number, stop) for number, _ in timers.values()}
    for timer, (_, most) in timers.items():
        signal.setitimer(timer, most)
    try:
        yield
    finally:
        for timer, (number, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def limit_memory(more: int) -> None:
    """Lets this process have so many bytes more than it has now; beyond, Python raises a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
