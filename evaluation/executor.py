"""One way to have work done elsewhere: chunks go to workers, results come back, in whatever order.

``Executor.map`` is all that tournaments and training know of it. Two makers: :class:`Processes`, of this machine, and
``evaluation.on_ray.Ray``, of a cluster. A result depends on its chunk alone, so a chunk whose worker has died is done again by
another, and the results are the same whichever worker gave them.

Worker processes are new interpreters (``spawn``), each with one thread for PyTorch and the like. They hear of the end of their
parent, however it ends, and end themselves after the chunk at hand.
"""

import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, Protocol

from envs.children import child_environment
from evaluation import foreign, sandbox

TRIES = 3
"""How often a chunk is given to a worker before its death is taken for the chunk's fault."""

LOOK = 1.0
"""Seconds between two looks of who waits for results."""


class Function(Protocol):
    """What workers are to do. It is pickled, and says what it needs at the side of the worker."""

    def ready(self) -> AbstractContextManager[Callable[[Any], Any]]:
        """Makes what all chunks need, such as agents, and gives a function from a chunk to its result."""


def nobody_looks() -> None:
    """Nothing is to be done meanwhile."""


class Executor(Protocol):
    """Does work somewhere."""

    def map(
        self, function: Function, chunks: Sequence[Callable[[], Any]], look: Callable[[], object] = nobody_looks
    ) -> Generator[tuple[int, Any]]:
        """The results of chunks as they come: ``(k, result)`` for chunk k, each once.

        Closing the generator stops all work.

        Args:
            function: What is done with a chunk.
            chunks: Each makes what is sent, when it is sent: together they may be large.
            look: Called about once a second meanwhile; what it raises stops all work.

        Raises:
            RuntimeError: A worker has failed, or a chunk's workers have died ``TRIES`` times.
        """


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Surroundings(NamedTuple):
    """What workers must know of this process beside their work.

    Attributes:
        folder: Where it is: names of files begin there.
        path: Where Python finds modules.
        folders: More of these for agents of others.
        hidden: Files that are kept from agents.
    """

    folder: str
    path: list[str]
    folders: list[str]
    hidden: list[str]

    @classmethod
    def here(cls) -> "Surroundings":
        """Those of this process."""
        return cls(os.getcwd(), [os.path.abspath(folder) for folder in sys.path], list(foreign.folders), list(sandbox.hidden))

    def enter(self) -> None:
        """Takes them over; what this process finds itself stays before what the other one found.

        Raises:
            OSError: The folder is not there.
        """
        os.chdir(self.folder)
        sys.path += [folder for folder in self.path if folder not in sys.path]
        foreign.folders[:], sandbox.hidden[:] = self.folders, self.hidden


class WorkerDied(Exception):
    """A worker has ended by itself, and its chunk is not done."""


class Tries:
    """Counts how often each chunk was given away."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def begin(self, chunk: int) -> None:
        """Counts one more."""
        self._counts[chunk] += 1

    def failed(self, chunk: int, reason: object) -> None:
        """Lets a chunk be tried again.

        Raises:
            RuntimeError: It was tried often enough.
        """
        if self._counts[chunk] >= TRIES:
            raise RuntimeError(f"{reason}, {TRIES} times at the same work")


class Processes:
    """Worker processes of this machine.

    Args:
        workers: How many; never more than there are chunks.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(
        self, function: Function, chunks: Sequence[Callable[[], Any]], look: Callable[[], object] = nobody_looks
    ) -> Generator[tuple[int, Any]]:
        """See :class:`Executor`."""
        waiting, tries, at_work = list(range(len(chunks)))[::-1], Tries(), dict[Connection, _Worker]()

        def give_next(worker: _Worker) -> None:
            chunk = waiting.pop()
            tries.begin(chunk)
            at_work[worker.connection] = worker
            worker.give(chunk, chunks[chunk]())

        idle: list[_Worker] = []
        try:
            for _ in range(min(self.workers, len(chunks))):
                give_next(_Worker(function))
            while at_work:
                ready = wait(list(at_work), LOOK)
                look()
                for connection in [end for end in at_work if end in ready]:
                    worker = at_work.pop(connection)
                    idle.append(worker)
                    chunk = worker.chunk
                    try:
                        results = [(chunk, worker.result())]
                    except WorkerDied as death:
                        tries.failed(chunk, death)
                        waiting.append(chunk)
                        idle[-1], results = _Worker(function), []
                    if waiting:
                        give_next(idle.pop())
                    yield from results
        finally:
            _end([*idle, *at_work.values()])


class _Worker:
    """A process that does one chunk at a time."""

    def __init__(self, function: Function) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.chunk = -1
        self.process: Any = context.Process(target=_work, args=(other, function, Surroundings.here()), daemon=True)
        with child_environment():
            self.process.start()
        other.close()

    def give(self, chunk: int, content: Any) -> None:
        """Sends a chunk."""
        self.chunk = chunk
        with suppress(ConnectionError):  # the worker has ended: `result` tells how
            self.connection.send(content)

    def result(self) -> Any:
        """What became of the chunk.

        Raises:
            WorkerDied: The process has ended.
            RuntimeError: It tells of a failure.
        """
        try:
            is_well, result = self.connection.recv()
        except (EOFError, ConnectionError) as error:
            self.process.join()
            self.connection.close()
            raise WorkerDied(f"a worker process ended by itself with exit code {self.process.exitcode}") from error
        if not is_well:
            raise RuntimeError(f"a worker process failed: {result}")
        return result


def _end(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.connection.close()
        worker.process.terminate()
    for worker in workers:
        worker.process.join()


def _work(connection: Connection, function: Function, seen: Surroundings) -> None:
    """The life of a worker: chunks come in, results go out, until the parent hangs up."""
    try:
        seen.enter()
        with function.ready() as do:
            while True:
                connection.send((True, do(connection.recv())))
    except (EOFError, ConnectionError):
        return
    except Exception as error:  # to be told where the user sees it
        connection.send((False, in_a_line(error)))


def in_a_line(error: Exception) -> str:
    """An error as one line that is not empty."""
    return " ".join(str(error).split()) or type(error).__name__
