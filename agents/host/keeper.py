"""The process that keeps one agent's player: starts it, ends it, and sees to it that nothing is left of it."""

import os
import select
import signal
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from agents.host import confine
from agents.host.player import fork_player, play
from agents.host.protocol import Views, receive_message, send_message
from envs.game import Game

LAST_RESORT = 5.0  # seconds spent hunting for processes that an agent has left behind


class Keeper:
    """A keeper; ``run`` is all that it does.

    Orders are the messages ``{"do": "start"}``, with the player's end of a socket, and ``{"do": "stop"}``. For each start one
    message ``{"ended": STATUS}`` comes back, as soon as the player has ended and nothing of it is left.

    Args:
        control: Where orders come from; when it is hung up all is over.
        game: The rule set.
        views: The shared memory.
        facts: Of the player, see ``agents.host.player.play``.
    """

    def __init__(self, control: socket.socket, game: Game, views: Views, facts: Mapping[str, Any]) -> None:
        self.control, self.game, self.views, self.facts = control, game, views, facts
        self.player: int | None = None

    def run(self) -> None:
        """Carries out orders until the judging process hangs up."""
        confine.adopt_orphans()
        self._wakeup, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        try:
            while self._carry_out_next():
                pass
        finally:
            self._end_player()
            self._end_all()

    def _carry_out_next(self) -> bool:
        """Waits for an order or the end of a process; returns whether to go on."""
        ready = select.select([self.control.fileno(), self._wakeup], [], [])[0]
        if self._wakeup in ready:
            os.read(self._wakeup, 4096)
            self._note_ends()
        if self.control.fileno() not in ready:
            return True
        received = receive_message(self.control, 1)
        if received is None:
            return False
        facts, descriptors = received
        if facts.get("do") == "start" and self.player is None:
            self._start(socket.socket(fileno=descriptors[0]))
        elif facts.get("do") == "stop":
            self._end_player()
        return True

    def _start(self, talk: socket.socket) -> None:
        keeper = os.getpid()

        def run() -> None:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            play(talk, self.game, self.views, self.facts, keeper)

        self.player = fork_player(run)
        talk.close()

    def _end_player(self) -> None:
        if self.player is not None:
            with suppress(ProcessLookupError):
                os.kill(self.player, signal.SIGKILL)

    def _note_ends(self) -> None:
        """Takes note of the processes that have ended; with the player all that it has started ends."""
        for number, status in _ended():
            if number == self.player:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(number, signal.SIGKILL)
                self.player = None
                self._end_all()
                with suppress(OSError):
                    send_message(self.control, {"ended": status})

    def _end_all(self) -> None:
        """Ends all processes below this one, also those that are being started meanwhile."""
        deadline = time.monotonic() + LAST_RESORT
        while _has_children() and time.monotonic() < deadline:
            for number in confine.descendants():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for _ in _ended():
                pass


def _ended() -> list[tuple[int, int]]:
    """Number and wait status of the children that have ended since the last call."""
    found = []
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(ended)
    return found


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
