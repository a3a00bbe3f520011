"""Long tournaments: played in chunks, by one process or several, kept as they go, and gone on with after any interruption.

A chunk is a run of deals with all their rotations. Games depend on their deal, line-up and agents alone, so the results are the
same to the byte whatever the chunks, whoever plays them and in what order they come back.

Worker processes are new interpreters (``spawn``) that make the agents anew by their names, each with one thread for PyTorch and
the like. They hear of the end of their parent, however it ends, and end themselves after the chunk at hand.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.registry import make_agent
from envs.game import Game
from evaluation.guarded import GuardedAgent
from evaluation.tournament import Chunk, Match, check_schedule, play_chunk, to_match
from evaluation.unfinished import UnfinishedResults

CHUNK_GAMES = 64  # few enough that agents of a second a game are saved every minute, enough to ask networks in batches
PATIENCE = 4.0  # seconds of work left for which starting a worker is not worth it
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class Tournament:
    """What is to be played.

    Attributes:
        game: The rule set.
        specs: K agents, as ``agents.registry.make_agent`` understands them.
        names: K different names for the results.
        lineup: ``(M, P)``: index of the agent in each seat of each game; rotations of a deal lie together.
        deals: ``(M,)``: seed of each game's deal.
        move_time: Seconds an agent has for a decision, see ``evaluation.guarded``; None: no limit.
        agents: The K agents themselves; made from ``specs`` unless given.

    Raises:
        ValueError: Line-up, deals or names do not fit together, or an agent cannot be made.
    """

    game: Game
    specs: Sequence[str]
    names: Sequence[str]
    lineup: np.ndarray
    deals: np.ndarray
    move_time: float | None = None
    agents: Sequence[Agent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lineup, self.deals = check_schedule(self.game, self.names, len(self.specs), self.lineup, self.deals)
        self.agents = self.agents or [make_agent(spec, self.game) for spec in self.specs]

    def chunks(self) -> list[slice]:
        """The games as runs of whole deals."""
        size = max(CHUNK_GAMES // self.game.num_players, 1) * self.game.num_players
        return [slice(start, min(start + size, len(self.deals))) for start in range(0, len(self.deals), size)]


def run(
    tournament: Tournament,
    workers: int | None = 1,
    partial: UnfinishedResults | None = None,
    progress: Callable[[int], object] | None = None,
) -> Match:
    """Plays a tournament in which every agent plays; see ``run_games``."""
    whole = run_games(tournament, workers, partial, progress)
    return to_match(tournament.names, tournament.lineup, tournament.deals, whole)


def run_games(
    tournament: Tournament,
    workers: int | None = 1,
    partial: UnfinishedResults | None = None,
    progress: Callable[[int], object] | None = None,
) -> Chunk:
    """Plays the games of a tournament.

    Args:
        tournament: What to play.
        workers: Processes. None: one for each core, if there is enough left to do to be worth it.
        partial: Where the results are kept on the way; what it holds already is not played again.
        progress: Called with a number of games each time some have ended.

    Returns:
        The games, in their order.

    Raises:
        RuntimeError: A worker process has ended by itself.
        KeyboardInterrupt: The program was asked to stop; ``partial`` has been saved.
    """
    partial = partial or UnfinishedResults(len(tournament.deals), tournament.game.num_players, len(tournament.names))
    left = [chunk for chunk in tournament.chunks() if not partial.done[chunk].all()]
    try:
        with closing(_results(tournament, left, workers, progress)) as results:
            for chunk, result in results:
                partial.add(chunk, result)
    except BaseException:
        partial.save()
        raise
    return partial.whole


def _results(
    tournament: Tournament, chunks: list[slice], workers: int | None, progress: Callable[[int], object] | None
) -> Generator[tuple[slice, Chunk]]:
    """The chunks as they are played; ``chunks`` becomes empty."""
    players = [GuardedAgent(agent, tournament.move_time) for agent in tournament.agents]
    start, played = time.perf_counter(), 0
    while chunks and (workers is None or min(workers, len(chunks)) < 2):
        chunk = chunks.pop(0)
        yield chunk, _play(tournament, players, chunk, progress)
        played, elapsed = played + 1, time.perf_counter() - start
        if workers is None and elapsed > 1 and elapsed / played * len(chunks) > PATIENCE:
            workers = cores()
    if chunks and workers:
        yield from _in_processes(tournament, chunks, min(workers, len(chunks)), progress)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play(
    tournament: Tournament, players: Sequence[GuardedAgent], chunk: slice, progress: Callable[[int], object] | None = None
) -> Chunk:
    return play_chunk(tournament.game, players, tournament.lineup[chunk], tournament.deals[chunk], progress)


# --- worker processes ---------------------------------------------------------------------------------------------------


def _in_processes(
    tournament: Tournament, chunks: list[slice], workers: int, progress: Callable[[int], object] | None
) -> Iterator[tuple[slice, Chunk]]:
    waiting = chunks[::-1]
    processes: dict[Connection, Any] = {}
    at_work: dict[Connection, slice] = {}
    try:
        for _ in range(workers):
            connection, process = _start(tournament)
            processes[connection] = process
            at_work[connection] = waiting.pop()
            connection.send(at_work[connection])
        while at_work:
            for connection in [end for end in at_work if end in wait(list(at_work))]:
                result = _receive(connection, processes[connection])
                chunk = at_work.pop(connection)
                if waiting:
                    at_work[connection] = waiting.pop()
                    connection.send(at_work[connection])
                if progress:
                    progress(len(result.outcomes))
                yield chunk, result
    finally:
        for connection, process in processes.items():
            connection.close()
            process.terminate()
        for process in processes.values():
            process.join()


def _receive(connection: Connection, process: Any) -> Chunk:
    try:
        result = connection.recv()
    except (EOFError, ConnectionError) as error:
        process.join()
        raise RuntimeError(f"a worker process ended by itself with exit code {process.exitcode}") from error
    if isinstance(result, str):
        raise RuntimeError(f"a worker process failed: {result}")
    return result


def _start(tournament: Tournament) -> tuple[Connection, Any]:
    context = multiprocessing.get_context("spawn")
    connection, other = context.Pipe()
    facts = (tournament.game, tournament.specs, tournament.names, tournament.lineup, tournament.deals, tournament.move_time)
    process = context.Process(target=_work, args=(other, facts), daemon=True)
    with _child_environment():
        process.start()
    other.close()
    return connection, process


@contextmanager
def _child_environment() -> Iterator[None]:
    """Processes started inside use one thread each, and leave Ctrl-C in the terminal to their parent."""
    kept = {name: os.environ.get(name) for name in _THREADS}
    can_signal = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if can_signal else None
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        if can_signal:
            signal.signal(signal.SIGINT, before)
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _work(connection: Connection, facts: tuple[Any, ...]) -> None:
    """The life of a worker: chunks come in, results go out, until the parent hangs up."""
    try:
        tournament = Tournament(*facts)
        players = [GuardedAgent(agent, tournament.move_time) for agent in tournament.agents]
        while True:
            chunk = connection.recv()
            connection.send(_play(tournament, players, chunk))
    except (EOFError, ConnectionError):
        return
    except Exception as error:  # to be told where the user sees it
        connection.send(" ".join(str(error).split()) or type(error).__name__)
