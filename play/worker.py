"""A process in which agents think, with the machine code that the process of the table does without."""

import os
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

import numpy as np

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
        kept = os.environ.pop("NUMBA_DISABLE_JIT", None)
        try:
            self._process.start()  # it inherits the environment as it is now: with the compiler on
        finally:
            if kept is not None:
                os.environ["NUMBA_DISABLE_JIT"] = kept
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


def _work(pipe: Connection, game: Game) -> None:
    from agents.hints import hints
    from agents.registry import make_agent

    agents = dict[str, Any]()
    while True:
        try:
            task, agent, question = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            if agent not in agents:
                agents[agent] = make_agent(agent, game)
            answer = agents[agent].act(*question)[0] if task == "act" else hints(game, agents[agent], *question)
            pipe.send((answer, None))
        except Exception as error:  # whatever an agent raises, the page is to say it
            pipe.send((None, f"{agent}: {type(error).__name__}: {error}"))
