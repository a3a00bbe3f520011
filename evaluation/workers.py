"""Long tournaments: played in chunks, by one process or several, kept as they go, and resumed after any interruption.

A chunk is a run of deals with all their rotations. Games depend on their deal, line-up and agents alone, so the results are the
same to the byte whatever the chunks are, whichever process plays them, and in whatever order they come back.

Worker processes are new interpreters (``spawn``) that make the agents anew by their names, each with one thread for PyTorch and
the like. They hear of the end of their parent, however it ends, and end themselves after the chunk at hand.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

import numpy as np

from envs.children import child_environment
from envs.game import Game
from evaluation import foreign, sandbox
from evaluation.guarded import Player
from evaluation.hosted import make_player
from evaluation.keyed import Secret
from evaluation.tournament import Chunk, Match, check_schedule, play_chunk, to_match
from evaluation.unfinished import UnfinishedResults

CHUNK_GAMES = 64  # few enough to save slow agents (1 s per game) every minute, enough to ask networks in batches
PATIENCE = 4.0  # seconds of work left for which starting a worker is not worth it


class Table(NamedTuple):
    """Who plays what, without the games that they are to play; see ``Tournament``."""

    game: Game
    specs: tuple[str, ...]
    move_time: float | None
    is_sandboxed: bool

    def make_players(self) -> list[Player]:
        """Makes the agents.

        Raises:
            ValueError: One cannot be made.
        """
        players: list[Player] = []
        try:
            for spec in self.specs:
                players.append(make_player(spec, self.game, self.move_time, self.is_sandboxed))
        except BaseException:
            close_all(players)
            raise
        return players

    def play(
        self,
        players: Sequence[Player],
        lineup: np.ndarray,
        deals: np.ndarray,
        secret: Secret,
        progress: Callable[[int], object] | None = None,
    ) -> Chunk:
        """Plays some games, all of one secret."""
        return play_chunk(self.game, players, lineup, deals, secret, progress)


def close_all(players: Sequence[Player]) -> None:
    """Gives back what players take of the system."""
    for player in players:
        player.close()


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
        secret: What the agents' random words are made from, with the deals.
        secrets: M of them, where not all games have the same; else ``secret`` for all.
        is_sandboxed: Whether foreign agents play without network and without files to write to, see ``evaluation.sandbox``.
        players: The K agents themselves; made from ``specs`` unless given.

    Raises:
        ValueError: Line-up, deals or names do not fit together, or an agent cannot be made.
    """

    game: Game
    specs: Sequence[str]
    names: Sequence[str]
    lineup: np.ndarray
    deals: np.ndarray
    move_time: float | None = None
    secret: Secret = field(default_factory=lambda: Secret.from_seed(0))
    secrets: Sequence[Secret] = ()
    is_sandboxed: bool = field(default_factory=sandbox.is_required)
    players: Sequence[Player] = ()

    def __post_init__(self) -> None:
        self.lineup, self.deals = check_schedule(self.game, self.names, len(self.specs), self.lineup, self.deals)
        self.secrets = self.secrets or [self.secret] * len(self.deals)
        if len(self.secrets) != len(self.deals):
            raise ValueError(f"there are {len(self.secrets)} secrets for {len(self.deals)} games")
        self.players = self.players or self.table.make_players()

    @property
    def table(self) -> "Table":
        """What a worker has to know of it beforehand."""
        return Table(self.game, tuple(self.specs), self.move_time, self.is_sandboxed)

    def chunks(self) -> list[slice]:
        """The games as runs of whole deals, each of one secret."""
        size = max(CHUNK_GAMES // self.game.num_players, 1) * self.game.num_players
        changes = [k for k in range(1, len(self.deals)) if self.secrets[k] != self.secrets[k - 1]]
        runs = pairwise([0, *changes, len(self.deals)])
        return [slice(start, min(start + size, end)) for begin, end in runs for start in range(begin, end, size)]

    def games(self, chunk: slice) -> tuple[np.ndarray, np.ndarray, Secret]:
        """Line-up, deals and secret of a chunk."""
        return self.lineup[chunk], self.deals[chunk], self.secrets[chunk.start]


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
    finally:
        close_all(tournament.players)
    return partial.whole


def _results(
    tournament: Tournament, chunks: list[slice], workers: int | None, progress: Callable[[int], object] | None
) -> Generator[tuple[slice, Chunk]]:
    """The chunks as they are played; ``chunks`` becomes empty."""
    start, played = time.perf_counter(), 0
    while chunks and (workers is None or min(workers, len(chunks)) < 2):
        chunk = chunks.pop(0)
        yield chunk, _play(tournament, chunk, progress)
        played, elapsed = played + 1, time.perf_counter() - start
        if workers is None and elapsed > 1 and elapsed / played * len(chunks) > PATIENCE:
            workers = cores()
    if chunks and workers:
        yield from _in_processes(tournament, chunks, min(workers, len(chunks)), progress)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _play(tournament: Tournament, chunk: slice, progress: Callable[[int], object] | None = None) -> Chunk:
    return tournament.table.play(tournament.players, *tournament.games(chunk), progress)


# --- worker processes ---------------------------------------------------------------------------------------------------


def _in_processes(
    tournament: Tournament, chunks: list[slice], workers: int, progress: Callable[[int], object] | None
) -> Iterator[tuple[slice, Chunk]]:
    waiting = chunks[::-1]
    processes: dict[Connection, Any] = {}
    at_work: dict[Connection, slice] = {}
    try:
        for _ in range(workers):
            connection, process = _start(tournament.table)
            processes[connection] = process
            at_work[connection] = _send_next(connection, tournament, waiting)
        while at_work:
            ready = wait(list(at_work))
            for connection in [end for end in at_work if end in ready]:
                result = _receive(connection, processes[connection])
                chunk = at_work.pop(connection)
                if waiting:
                    at_work[connection] = _send_next(connection, tournament, waiting)
                if progress:
                    progress(len(result.outcomes))
                yield chunk, result
    finally:
        for connection, process in processes.items():
            connection.close()
            process.terminate()
        for process in processes.values():
            process.join()


def _send_next(connection: Connection, tournament: Tournament, waiting: list[slice]) -> slice:
    """Sends the games of the next chunk alone: the schedule as a whole is large, and a worker that starts takes in little."""
    chunk = waiting.pop()
    with suppress(ConnectionError):  # the worker has ended: `_receive` tells how
        connection.send(tournament.games(chunk))
    return chunk


def _receive(connection: Connection, process: Any) -> Chunk:
    try:
        result = connection.recv()
    except (EOFError, ConnectionError) as error:
        process.join()
        raise RuntimeError(f"a worker process ended by itself with exit code {process.exitcode}") from error
    if isinstance(result, str):
        raise RuntimeError(f"a worker process failed: {result}")
    return result


def _start(table: Table) -> tuple[Connection, Any]:
    context = multiprocessing.get_context("spawn")
    connection, other = context.Pipe()
    seen = list(foreign.folders), list(sandbox.hidden)
    process = context.Process(target=_work, args=(other, table, *seen), daemon=True)
    with child_environment():
        process.start()
    other.close()
    return connection, process


def _work(connection: Connection, table: Table, folders: Sequence[str], hidden: Sequence[str]) -> None:
    """The life of a worker: games come in, results go out, until the parent hangs up."""
    players: list[Player] = []
    try:
        foreign.folders[:], sandbox.hidden[:] = folders, hidden
        players = table.make_players()
        while True:
            connection.send(table.play(players, *connection.recv()))
    except (EOFError, ConnectionError):
        return
    except Exception as error:  # to be told where the user sees it
        connection.send(" ".join(str(error).split()) or type(error).__name__)
    finally:
        close_all(players)
