"""An agent at the table: asked, timed, and its answers checked, whatever it does.

Time is measured a call: an agent may take ``move_time`` seconds times the number of games it is asked for in the call. Its first
call has ``GRACE`` seconds more, because it may load and compile. Where the system has timers a call is broken off when its time
is over; compiled code that does not come back cannot be.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from agents.agent import Agent, first_line

GRACE = 60.0


class TooSlow(BaseException):
    """Raised inside an agent whose time is over; no ordinary error, so that an agent that catches those does not catch it."""


class Failure(Exception):
    """Why an agent gave no actions, in one line.

    Attributes:
        is_slow: Whether it took too long; otherwise it raised an error or gave something else than actions.
    """

    def __init__(self, reason: str, is_slow: bool = False) -> None:
        super().__init__(reason)
        self.is_slow = is_slow


class GuardedAgent:
    """An agent, and what it has cost so far.

    Args:
        agent: Whom to ask.
        move_time: Seconds a decision, see above; None: no limit.

    Attributes:
        seconds: Wall time it took, its first call aside.
        decisions: Games it was asked for in that time.
    """

    def __init__(self, agent: Agent, move_time: float | None = None) -> None:
        self.agent, self.move_time = agent, move_time
        self.seconds, self.decisions = 0.0, 0
        self._is_new = True

    def ask(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The agent's actions in K games; the arrays become the agent's, see ``agents.agent.Agent``.

        Returns:
            ``(K,) int64``; they may be illegal.

        Raises:
            Failure: It raised an error, asked the program to end, took too long, or gave no K whole numbers.
        """
        count, limit = len(worlds), np.inf
        if self.move_time is not None:
            limit = self.move_time * count + GRACE * self._is_new
        is_new, self._is_new = self._is_new, False
        answer: Any = None
        start = time.perf_counter()
        try:
            with alarm(limit):
                answer = self.agent.act(observations, action_masks, worlds)
        except TooSlow:
            limit = 0.0
        except (Exception, SystemExit) as error:  # a broken agent must not end the tournament of the others
            raise Failure(first_line(error)) from error
        finally:
            taken = time.perf_counter() - start
            if not is_new:
                self.seconds += taken
                self.decisions += count
        if taken > limit:
            raise Failure(f"too slow: {taken:.3g} s for {count} decisions at {self.move_time:g} s each", is_slow=True)
        return _whole_numbers(answer, count)


def _whole_numbers(answer: Any, count: int) -> np.ndarray:
    try:
        actions = np.asarray(answer)
    except Exception as error:  # somebody else's object may refuse to become an array in any way
        raise Failure(first_line(error)) from error
    if actions.dtype.kind == "f" and not np.isfinite(actions).all():
        raise Failure(f"actions {actions.dtype} that are not finite")
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise Failure(f"actions {actions.dtype} of shape {actions.shape}, not {count} whole numbers")
    return actions.astype(np.int64)


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raises ``TooSlow`` inside the block when its time is over; only in the main thread and where the system has timers."""
    is_possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not is_possible or seconds == np.inf:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(number: int, frame: Any) -> None:
    raise TooSlow
