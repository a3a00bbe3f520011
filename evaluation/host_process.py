"""The near side of hosting: starting the processes in which foreign agents play, and talking to them.

``agents.host`` tells what processes there are. Here all that comes from a player is bytes of a length that is known before and
is looked at with mistrust; the memory that both share is only written to.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from mmap import mmap
from time import monotonic
from typing import Any

import numpy as np

from agents.agent import clean
from agents.host.protocol import (
    ACTIONS,
    ASK,
    FAULT,
    HEADER,
    MADE,
    MOST_TEXT,
    NOT_MADE,
    receive_message,
    send_message,
    views_on,
    views_size,
)  # fmt: skip
from envs.game import Game
from evaluation import sandbox
from evaluation.foreign import search_path

START_SECONDS = 120.0
"""What a server or an agent may take to be there."""

CLEAN_UP_SECONDS = 15.0
"""What a keeper may take to end all that an agent has left behind."""

GOING_SECONDS = 0.5
"""What a player that has hung up may take to end by itself."""

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR",
         "NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")  # fmt: skip
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS")


class HostError(Exception):
    """Something is wrong with a host; its one line is fit to be shown."""


class PlayerEnded(HostError):
    """The player is not there any more, or has to be ended because of what it answered."""


class PlayerGone(PlayerEnded):
    """The player has hung up, whatever has become of it."""


class PlayerFault(HostError):
    """The player says that the agent gave no actions, or cannot be made."""


class PlayerLate(HostError):
    """The player has not answered in time."""


class Server:
    """A server for a game, see ``agents.host``.

    Args:
        game: The rule set.
        is_sandboxed: Whether it and all below it run without network, on a file system that they can only read.

    Raises:
        ValueError: The system has no means for it.
        HostError: It does not come up.
    """

    def __init__(self, game: Game, is_sandboxed: bool = False) -> None:
        if not hasattr(os, "fork") or not hasattr(socket, "send_fds"):
            raise ValueError("agents package.module:Class need a system that can fork; evaluation.tournament.play takes any")
        self.game = game
        self.control, other = socket.socketpair()
        self.control.settimeout(START_SECONDS)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (read when the server does not come up)
        command = [sys.executable, "-P", "-m", "agents.host", str(other.fileno())]
        try:
            self._process = subprocess.Popen(
                sandbox.sandboxed(command) if is_sandboxed else command,
                env=_environment(is_sandboxed), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors,
                start_new_session=True, pass_fds=[other.fileno()],
            )  # fmt: skip
        finally:
            other.close()
        self.close = weakref.finalize(self, _close_server, self.control, self._process)
        try:
            self._make_game(is_sandboxed)
        except BaseException:
            self.close()
            raise

    def _make_game(self, is_sandboxed: bool) -> None:
        game = self.game
        facts = {
            "package": game.package, "name": game.name, "players": game.num_players, "options": dict(game.options),
            "folder": os.getcwd(), "kept_code": sandbox.machine_code(game) if is_sandboxed else "",
        }  # fmt: skip
        try:
            send_message(self.control, facts)
            received = receive_message(self.control)
        except (OSError, ValueError):
            received = None
        if received is None:
            raise HostError(f"the host of agents does not come up: {self._last_words()}")
        if received[0].get("rules") != game.rules_digest:
            raise HostError("the host of agents has other component tables; was a file of the game changed meanwhile?")

    def _last_words(self) -> str:
        self._process.poll()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = [line for line in lines if line.strip()]
        return clean(said[-1]) if said else "it says nothing"

    @property
    def is_alive(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def keep(self, facts: dict[str, Any], memory: int) -> socket.socket:
        """Forks a keeper for an agent; returns the socket that orders go to.

        Raises:
            HostError: The server is broken.
        """
        control, other = socket.socketpair()
        control.settimeout(CLEAN_UP_SECONDS)
        with other:
            try:
                send_message(self.control, facts, [other.fileno(), memory])
            except OSError as error:
                control.close()
                raise HostError("the host of agents has ended") from error
        return control


def _close_server(control: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    control.close()
    try:
        process.wait(CLEAN_UP_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _environment(is_sandboxed: bool) -> dict[str, str]:
    """What a host needs to know of the world, and nothing else."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept |= dict.fromkeys(_ONE_THREAD, "1")
    # The folders of agents come later, for players alone: Python runs any module sitecustomize that it finds when it starts.
    own = [os.path.abspath(folder) for folder in sys.path]
    kept |= {"PYTHONPATH": os.pathsep.join(own), "PYTHONHASHSEED": "0"}
    return kept | (sandbox.ENVIRONMENT if is_sandboxed else {})


class HostedPlayer:
    """A keeper with the player that it keeps.

    Args:
        server: Where it is forked.
        spec: The agent.
        rows: Most games of one ask, R.
        memory: Bytes of data that the agent may have.

    Raises:
        HostError: The server is broken.
    """

    def __init__(self, server: Server, spec: str, rows: int, memory: int) -> None:
        self.rows = rows
        size = views_size(server.game, rows)
        descriptor = _shared_memory(size)
        try:
            shared = mmap(descriptor, size)
            facts = {"spec": spec, "path": search_path(), "folder": os.getcwd(), "memory": memory, "rows": rows}
            self._control = server.keep(facts, descriptor)
        finally:
            os.close(descriptor)
        self._views = views_on(shared, server.game, rows)
        self._talk: socket.socket | None = None
        self._asks = 0
        self.close = weakref.finalize(self, _close_keeper, self._control)

    @property
    def is_up(self) -> bool:
        """Whether a player is there to be asked."""
        return self._talk is not None

    def start(self) -> None:
        """Starts a player and waits until it has made its agent.

        Raises:
            PlayerFault: The agent cannot be made.
            PlayerEnded: The player has ended, or answered nonsense.
            PlayerLate: It took too long.
            HostError: The keeper is broken.
        """
        self._talk, other = socket.socketpair()
        with other:
            self._order({"do": "start"}, [other.fileno()])
        self._asks = 0
        kind, content = self._receive(0, MOST_TEXT, monotonic() + START_SECONDS)
        if kind == NOT_MADE:
            raise PlayerFault(clean(content.decode(errors="replace")))
        if kind != MADE:
            raise PlayerEnded("it answered before it was asked")

    def ask(self, arrays: Sequence[np.ndarray], seconds: float) -> np.ndarray:
        """The actions in K games, at most R.

        Args:
            arrays: Observations, masks and worlds of K games, see ``agents.agent.Agent``.
            seconds: How long to wait at most.

        Returns:
            ``(K,) int64``.

        Raises:
            PlayerFault: The agent gave none.
            PlayerEnded: The player has ended, or answered nonsense.
            PlayerLate: It took too long.
        """
        count = len(arrays[0])
        for shared, array in zip(self._views, arrays, strict=True):
            shared[:count] = array
        self._asks += 1
        try:
            self._open_talk.sendall(HEADER.pack(self._asks, ASK, count))
        except OSError as error:
            raise PlayerGone("it hung up") from error
        kind, content = self._receive(self._asks, max(8 * count, MOST_TEXT), monotonic() + seconds)
        if kind == FAULT:
            raise PlayerFault(clean(content.decode(errors="replace")))
        if kind != ACTIONS or len(content) != 8 * count:
            raise PlayerEnded(f"it answered nonsense instead of {count} actions")
        return np.frombuffer(content, "<i8").astype(np.int64)

    @property
    def _open_talk(self) -> socket.socket:
        assert self._talk is not None, "no player was started"
        return self._talk

    def stop(self, is_gone: bool = False) -> int:
        """Ends the player and all that it has started; returns its wait status.

        Args:
            is_gone: Whether it has hung up: then it is about to end by itself, and what it ends with is to be known.

        Raises:
            HostError: The keeper is broken.
        """
        if self._talk is not None:
            self._talk.close()
            self._talk = None
        if not (is_gone and select.select([self._control], [], [], GOING_SECONDS)[0]):
            self._order({"do": "stop"})
        try:
            received = receive_message(self._control)
        except (OSError, ValueError):
            received = None
        if received is None or type(status := received[0].get("ended")) is not int:
            raise HostError("its keeper has ended")
        return status

    def _order(self, order: dict[str, str], descriptors: Sequence[int] = ()) -> None:
        try:
            send_message(self._control, order, descriptors)
        except OSError as error:
            raise HostError("its keeper has ended") from error

    def _receive(self, number: int, most: int, deadline: float) -> tuple[int, bytes]:
        """Kind and content of the answer to an ask.

        Raises:
            PlayerEnded: The player has ended, or answered nonsense.
            PlayerLate: It took too long.
        """
        content = self._read(b"", HEADER.size, most, deadline)
        answered, kind, length = HEADER.unpack_from(content)
        if answered != number or length > most:
            raise PlayerEnded("it answered nonsense")
        content = self._read(content, HEADER.size + length, most, deadline)
        if len(content) > HEADER.size + length:
            raise PlayerEnded("it answered more than it was asked for")
        return kind, content[HEADER.size :]

    def _read(self, content: bytes, least: int, most: int, deadline: float) -> bytes:
        """Reads on until there are enough bytes; one call takes what is there, which is nearly always the whole answer."""
        talk = self._open_talk
        while len(content) < least:
            left = deadline - monotonic()
            if left <= 0:
                raise PlayerLate("it did not answer in time")
            talk.settimeout(left)
            try:
                part = talk.recv(HEADER.size + most + 1)
            except TimeoutError:
                continue
            except OSError as error:
                raise PlayerGone("it hung up") from error
            if not part:
                raise PlayerGone("it hung up")
            content += part
        return content


def _close_keeper(control: socket.socket) -> None:
    """Ends a keeper, and waits until nothing is left of what it kept."""
    with suppress(OSError):
        control.shutdown(socket.SHUT_WR)
        while control.recv(4096):
            pass
    control.close()


def _shared_memory(size: int) -> int:
    """A descriptor of memory to share; where the system can promise it, nobody can ever make it smaller."""
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryFile() as file:
            file.truncate(size)
            return os.dup(file.fileno())
    import fcntl

    descriptor = os.memfd_create("views", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor
