"""Foreign agents at the table: each plays in a process of its own, and nothing but that process can be lost.

``package.module:Class`` may be anybody's code. It never runs in the judging process, nor does the judging process import it. A
player (see ``agents.host``) is given observations, masks and re-dealt worlds, in memory that both share, and gives back
integers; the games, the schedule, the secret and the results are never in its reach. The judging process checks what comes
back, measures the time from the ask to the last byte of the answer, and keeps the verdict. What an agent prints is lost; what
it raises reaches the report as one clean line.

What an agent remembers could show it hidden cards: the rotations of a deal (``evaluation.tournament``) are the same cards seen
from every seat, and with more than two players an agent may have several seats of one game. So each agent has as many players as
it has views of a deal, a view being a rotation and a seat, and none of them is asked for more than one.

A player that ends, takes too long, or answers anything but K integers has failed that ask (``evaluation.batch`` says which
games that costs) and is started anew before the next one. It is started anew ``RESTARTS`` times at most in a chunk of games;
then the agent forfeits what is left of the chunk. And an agent that has made the tournament wait ``PATIENCE`` seconds, by being
too slow and by being started anew, forfeits all the rest; what it loses then depends on the machine, as with all limits of
time. Without ``--move-time`` a hosted agent has ``MOVE_SECONDS`` per decision.

What is promised, and what is not
    An agent is shown no true game, no secret and no result, and nothing that goes wrong in it takes the tournament down: errors
    of every kind, ``os._exit``, ``abort``, endless loops, floods of output, 100 GB of memory, processes that it leaves behind.
    On Linux, where Landlock is enabled, it can neither read the memory nor the open files of the judging process and of other
    agents; from Linux 6.12 on it cannot signal them either (``agents.host.confine``).

    Without a sandbox it runs as the user who started the tournament, so it can read and write that user's files, this package
    and unfinished results among them, use the network, see the command lines of other processes (and in them a seed that was
    given there), and write to the user's terminals if it looks for them. Where the kernel does not refuse signals it can end
    the judging process, which is told as a tournament that was stopped. As root the number of its processes has no limit. With
    ``--sandbox`` (``evaluation.sandbox``) it has no network, sees no processes but its own and can write to no file that lasts.
    Against an attack on the kernel itself none of this helps: for code that is not trusted at all, the boundary is a container
    or a virtual machine around the whole command::

        docker run --rm --network none --memory 8g --pids-limit 512 --volume "$PWD":/suite:ro --volume "$PWD/report":/report \\
            --workdir /suite IMAGE python evaluate.py random mine:Agent --out /report
"""

import os
import signal
import weakref
from time import perf_counter

import numpy as np

from agents.registry import is_foreign, make_agent
from envs.game import Game
from evaluation import sandbox
from evaluation.guarded import Failure, GuardedAgent, Player, TooSlow
from evaluation.host_process import HostedPlayer, HostError, PlayerEnded, PlayerFault, PlayerGone, PlayerLate, Server

MOVE_SECONDS = 10.0
"""Time per decision unless told otherwise."""

RESTARTS = 8
"""How often at most an agent is started anew in one chunk of games, time-outs aside."""

PATIENCE = 600.0
"""Seconds that an agent may cost by being too slow and by being started anew, in one process of a tournament."""

MEMORY = 8 << 30
"""Bytes of data that an agent may have."""

ROWS = 64
"""Most games of one ask; more are asked for in parts."""

_servers: "weakref.WeakValueDictionary[Game, Server]" = weakref.WeakValueDictionary()


class HostedAgent(Player):
    """A foreign agent in processes of its own, one for each view of a deal.

    Args:
        spec: ``package.module:Class``.
        game: The rule set it is to play.
        move_time: Seconds per decision; None: ``MOVE_SECONDS``.
        is_sandboxed: Whether it has neither network nor files to write to; None: as ``evaluation.sandbox.require`` says.

    Raises:
        ValueError: It cannot be made, or there are no means for it; one line.
    """

    is_foreign = True

    def __init__(self, spec: str, game: Game, move_time: float | None = None, is_sandboxed: bool | None = None) -> None:
        super().__init__(MOVE_SECONDS if move_time is None else move_time)
        self.spec, self.game = spec, game
        self.is_sandboxed = sandbox.is_required() if is_sandboxed is None else is_sandboxed
        self._servers: dict[int | None, Server] = {}
        self._players: dict[int | None, HostedPlayer] = {}
        self._view: int | None = None  # until it is asked for one
        self._unasked: set[int | None] = {None}
        self._ends, self._wasted = 0, 0.0
        try:
            self._open().start()
        except (PlayerFault, PlayerEnded, PlayerLate) as error:
            reason = self._end(error)
            self.close()
            raise ValueError(reason if isinstance(error, PlayerFault) else f"cannot make agent {spec!r}: {reason}") from error
        except HostError as error:
            self.close()
            raise ValueError(f"cannot host agent {spec!r}: {error}") from error

    def begin(self) -> None:
        """Hears that other games begin, for which it may be started anew as often as before."""
        self._ends = 0

    def turn_to(self, view: int) -> None:
        """Has the player of this view asked from now on; the first one is the one that has been started already."""
        if view not in self._players and None in self._players and None in self._unasked:
            self._players[view], self._servers[view] = self._players.pop(None), self._servers.pop(None)
            self._unasked.discard(None)
            self._unasked.add(view)
        self._view = view

    def close(self) -> None:
        """Ends its processes; another ask would start them again."""
        for player in self._players.values():
            player.close()
        self._players, self._servers = {}, {}

    @property
    def _player(self) -> HostedPlayer | None:
        return self._players.get(self._view)

    @property
    def _server(self) -> Server | None:
        return self._servers.get(self._view)

    def _open(self) -> HostedPlayer:
        """The agent's keeper; a new one where there is none, or its server is broken."""
        if self._player is None:
            # What plays in one sandbox could leave word there for another view.
            server = Server(self.game, is_sandboxed=True) if self.is_sandboxed else server_for(self.game)
            self._servers[self._view] = server
            self._players[self._view] = HostedPlayer(server, self.spec, ROWS, MEMORY)
        return self._players[self._view]

    def _drop(self) -> None:
        """Gives up the keeper of this view."""
        if player := self._players.pop(self._view, None):
            player.close()
        self._servers.pop(self._view, None)

    def _prepare(self) -> None:
        """Starts the agent anew where its process is gone."""
        if self._player is not None and self._player.is_up:
            self._is_new = self._view in self._unasked
            self._unasked.discard(self._view)
            return
        if self._wasted > PATIENCE:
            raise Failure(f"it is not asked any more: it was waited for {PATIENCE:g} seconds in vain")
        if self._ends > RESTARTS:
            raise Failure(f"it is not started again: it has ended {self._ends} times in one chunk of games")
        begun = perf_counter()
        try:
            self._open().start()
        except HostError as error:
            self._ends += 1
            raise Failure(f"it cannot be started again: {self._end(error)}") from error
        finally:
            self._wasted += perf_counter() - begun
        self._is_new = True
        self._unasked.discard(self._view)

    def _answer(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray, limit: float) -> np.ndarray:
        deadline = perf_counter() + limit
        parts = []
        for start in range(0, len(worlds), ROWS):
            rows = slice(start, start + ROWS)
            parts.append(self._answer_part((observations[rows], action_masks[rows], worlds[rows]), deadline - perf_counter()))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _answer_part(self, arrays: tuple[np.ndarray, ...], seconds: float) -> np.ndarray:
        begun = perf_counter()
        try:
            return self._open().ask(arrays, seconds)
        except PlayerFault as error:
            raise Failure(str(error)) from error
        except PlayerLate as error:
            self._wasted += perf_counter() - begun
            self._end(error)
            raise TooSlow from error
        except HostError as error:
            self._ends += 1
            raise Failure(self._end(error)) from error

    def _end(self, error: HostError) -> str:
        """Ends the process after an error; returns what is to be said of it."""
        status = None
        try:
            if self._player is not None and isinstance(error, PlayerFault | PlayerEnded | PlayerLate):
                status = self._player.stop(isinstance(error, PlayerGone))
        except HostError as broken:
            error = broken
        if status is None:
            self._drop()
        return how_it_ended(status) if status is not None and isinstance(error, PlayerGone) else str(error)


def how_it_ended(status: int) -> str:
    """The end of a player in words, from its wait status."""
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGKILL:
        return "its process was killed, or hung up"
    if code >= 0:
        return f"its process ended by itself with exit code {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"its process was ended by {names.get(-code, f'signal {-code}')}"


def server_for(game: Game) -> Server:
    """The server that forks keepers for a game in this process; it ends with the last object that refers to it.

    Raises:
        ValueError: There are no means for it.
        HostError: It does not come up.
    """
    server = _servers.get(game)
    if server is None or not server.is_alive:
        server = Server(game)
        _servers[game] = server
    return server


def make_player(spec: str, game: Game, move_time: float | None = None, is_sandboxed: bool | None = None) -> Player:
    """The player that a word on the command line means: one of others is hosted; arguments as of :class:`HostedAgent`.

    Raises:
        ValueError: There is no such agent, or it cannot be made for this game; one line that says why.
    """
    if is_foreign(spec):
        return HostedAgent(spec, game, move_time, is_sandboxed)
    return GuardedAgent(make_agent(spec, game), move_time)
