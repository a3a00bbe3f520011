"""An agent at the table: asked, timed, and its answers checked, whatever it does.

Time is measured per call: an agent may take ``move_time`` seconds times the number of games it is asked for in the call. Its
first call has ``GRACE`` seconds more, because it may load and compile.

:class:`GuardedAgent` asks an agent in this process: one of this package, or the caller's own. Where the system has timers a
call is broken off when its time is over; compiled code that does not come back cannot be. Whatever is raised in a call counts
as a failure of the agent, but for ``KeyboardInterrupt``: here nobody can tell one that an agent raises from Ctrl-C. Agents of
others are asked in a process of their own, see ``evaluation.hosted``.
"""

import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from agents.agent import Agent, NoActionsError, as_actions, clean, first_line

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


class Player(ABC):
    """An agent wherever it is, and what it has cost so far.

    Args:
        move_time: Seconds per decision, see above; None: no limit.

    Attributes:
        seconds: Wall time it took, its first call aside.
        decisions: Games it was asked for in that time.
        is_foreign: Whether it may be anybody's code, of which no part is to see a deal from two sides.
    """

    is_foreign = False

    def __init__(self, move_time: float | None = None) -> None:
        self.move_time = move_time
        self.seconds, self.decisions = 0.0, 0
        self._is_new = True

    def begin(self) -> None:
        """Hears that other games begin; whatever is asked from now on does not depend on the games before."""
        return

    def turn_to(self, view: int) -> None:
        """Hears from which view of their deals it is asked next; see ``evaluation.hosted``."""
        return

    def close(self) -> None:
        """Gives back what it takes of the system until it is asked again."""
        return

    def ask(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The agent's actions in K games; the arrays become the agent's, see ``agents.agent.Agent``.

        Returns:
            ``(K,) int64``; they may be illegal.

        Raises:
            Failure: It raised an error, asked the program to end, took too long, or gave no K integers.
        """
        self._prepare()
        count, limit = len(worlds), self._limit(len(worlds))
        is_new, self._is_new = self._is_new, False
        answer: np.ndarray | None = None
        start = time.perf_counter()
        try:
            answer = self._answer(observations, action_masks, worlds, limit)
        except TooSlow:
            pass  # without an answer it is told below
        finally:
            taken = time.perf_counter() - start
            if not is_new:
                self.seconds += taken
                self.decisions += count
        if answer is None or taken > limit:
            raise Failure(f"too slow: {taken:.3g} s for {count} decisions at {self.move_time:g} s each", is_slow=True)
        return answer

    def _limit(self, count: int) -> float:
        return float("inf") if self.move_time is None else self.move_time * count + GRACE * self._is_new

    def _prepare(self) -> None:
        """Does what is to be done before an ask, and is no part of its time.

        Raises:
            Failure: The agent cannot be asked.
        """
        return

    @abstractmethod
    def _answer(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray, limit: float) -> np.ndarray:
        """The agent's actions, ``(K,) int64``.

        Raises:
            Failure: It gave none.
            TooSlow: It was broken off because it took more than ``limit`` seconds.
        """


class GuardedAgent(Player):
    """An agent of this process.

    Args:
        agent: Whom to ask.
        move_time: Seconds per decision; None: no limit.
    """

    def __init__(self, agent: Agent, move_time: float | None = None) -> None:
        super().__init__(move_time)
        self.agent = agent

    def _answer(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray, limit: float) -> np.ndarray:
        try:
            with alarm(limit):
                # The answer becomes an array in the agent's own time: it may be an object that computes only then.
                return as_actions(self.agent.act(observations, action_masks, worlds), len(worlds))
        except (KeyboardInterrupt, TooSlow):
            raise
        except NoActionsError as error:
            raise Failure(clean(str(error))) from error
        except BaseException as error:  # a broken agent must not end the tournament of the others
            raise Failure(first_line(error)) from error


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raises ``TooSlow`` inside the block when its time is over; only in the main thread and where the system has timers."""
    is_possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not is_possible or seconds == float("inf"):
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
