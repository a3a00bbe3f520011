"""A process in which agents think, with the machine code that the process of the table does without."""

from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

import numpy as np

from envs.children import child_environment
from envs.game import Game

Question = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Observation, action mask and a world dealt anew, of one game."""


class Worker:
    """Agents in a process of their own; a question is answered when the compiler is through.

    Args:
        game: The rule set.
    """

    def __init__(self, game: Game) -> None:
        context = get_context("spawn")
        self._pipe, inner = context.Pipe()
        self._lock = Lock()
        self._process = context.Process(target=_work, args=(inner, game), daemon=True)
        with child_environment(NUMBA_DISABLE_JIT=None):  # with the compiler on
            self._process.start()
        inner.close()

    def act(self, agent: str, question: Question) -> int:
        """The action that an agent chooses.

        Raises:
            RuntimeError: The agent failed.
        """
        return int(self._ask(("act", agent, question)))

    def hints(self, agent: str, question: Question) -> dict[int, dict[str, Any]]:
        """By action what an agent thinks of it, see ``agents.hints``.

        Raises:
            RuntimeError: The agent failed.
        """
        return self._ask(("hints", agent, question))

    def judge(self, agent: str, question: Any) -> dict[str, Any]:
        """What an agent thinks of a position and of the move played there, see ``play.judge.Judge``.

        Raises:
            RuntimeError: The agent failed.
        """
        return self._ask(("judge", agent, question))

    def _ask(self, message: tuple[Any, ...]) -> Any:
        with self._lock:
            try:
                self._pipe.send(message)
                answer, error = self._pipe.recv()
            except (EOFError, OSError) as broken:
                raise RuntimeError("the process of the agents has ended") from broken
        if error:
            raise RuntimeError(error)
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.terminate()
        self._process.join(5)


class _Desk:
    """What the process of the agents answers; agents are made when they are first asked."""

    def __init__(self, game: Game) -> None:
        from agents.hints import hints
        from agents.registry import make_agent
        from play.judge import Judge

        self.agents, self.judges = cache(lambda spec: make_agent(spec, game)), cache(lambda spec: Judge(game, spec))
        self.game, self.hints_of = game, hints

    def act(self, agent: str, question: Question) -> int:
        return int(self.agents(agent).act(*question)[0])

    def hints(self, agent: str, question: Question) -> dict[int, dict[str, Any]]:
        return self.hints_of(self.game, self.agents(agent), *question)

    def judge(self, agent: str, question: Any) -> dict[str, Any]:
        return self.judges(agent)(question)


def _work(pipe: Connection, game: Game) -> None:
    desk = _Desk(game)
    while True:
        try:
            task, agent, question = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((getattr(desk, task)(agent, question), None))
        except Exception as error:  # whatever an agent raises, the page is to say it
            pipe.send((None, f"{agent}: {type(error).__name__}: {error}"))
