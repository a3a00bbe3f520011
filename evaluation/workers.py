"""Long tournaments: played in chunks, by one process or several, kept as they go, and resumed after any interruption.

A chunk is a run of deals with all their rotations. Games depend on their deal, line-up and agents alone, so the results are the
same to the byte whatever the chunks are, whichever process plays them, and in whatever order they come back.

Workers, see ``evaluation.executor``, make the agents anew by their names.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial as applied
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from envs.game import Game
from evaluation import sandbox
from evaluation.executor import Executor, Processes, cores
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

    @contextmanager
    def ready(self) -> Iterator[Callable[[tuple[np.ndarray, np.ndarray, Secret]], Chunk]]:
        """Plays chunks, for an executor."""
        players = self.make_players()
        try:
            yield lambda games: self.play(players, *games)
        finally:
            close_all(players)

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


Workers = int | None | Executor


def run(
    tournament: Tournament,
    workers: Workers = 1,
    partial: UnfinishedResults | None = None,
    progress: Callable[[int], object] | None = None,
) -> Match:
    """Plays a tournament in which every agent plays; see ``run_games``."""
    whole = run_games(tournament, workers, partial, progress)
    return to_match(tournament.names, tournament.lineup, tournament.deals, whole)


def run_games(
    tournament: Tournament,
    workers: Workers = 1,
    partial: UnfinishedResults | None = None,
    progress: Callable[[int], object] | None = None,
) -> Chunk:
    """Plays the games of a tournament.

    Args:
        tournament: What to play.
        workers: Processes, or an executor. None: one for each core, if there is enough left to do to be worth it.
        partial: Where the results are kept on the way; what it holds already is not played again.
        progress: Called with a number of games each time some have ended.

    Returns:
        The games, in their order.

    Raises:
        RuntimeError: A worker has failed.
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
    tournament: Tournament, chunks: list[slice], workers: Workers, progress: Callable[[int], object] | None
) -> Generator[tuple[slice, Chunk]]:
    """The chunks as they are played."""
    start, played = time.perf_counter(), 0
    while chunks and (workers is None or (isinstance(workers, int) and min(workers, len(chunks)) < 2)):
        chunk = chunks.pop(0)
        yield chunk, _play(tournament, chunk, progress)
        played, elapsed = played + 1, time.perf_counter() - start
        if workers is None and elapsed > 1 and elapsed / played * len(chunks) > PATIENCE:
            workers = cores()
    if chunks and workers:
        executor = Processes(workers) if isinstance(workers, int) else workers
        yield from _elsewhere(tournament, chunks, executor, progress)


def _elsewhere(
    tournament: Tournament, chunks: list[slice], executor: Executor, progress: Callable[[int], object] | None
) -> Generator[tuple[slice, Chunk]]:
    # The games of a chunk are sent with it alone: the schedule as a whole is large, and a worker that starts takes in little.
    games = [applied(tournament.games, chunk) for chunk in chunks]
    with closing(executor.map(tournament.table, games)) as results:
        for k, result in results:
            if progress:
                progress(len(result.outcomes))
            yield chunks[k], result


def _play(tournament: Tournament, chunk: slice, progress: Callable[[int], object] | None = None) -> Chunk:
    return tournament.table.play(tournament.players, *tournament.games(chunk), progress)
