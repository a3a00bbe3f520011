"""The server: ``python -m agents.host DESCRIPTOR``, started by ``evaluation.host_process`` and by nobody else."""

import importlib
import mmap
import os
import shutil
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from agents.host.keeper import Keeper
from agents.host.player import fork_player
from agents.host.protocol import receive_message, send_message, views_on, views_size
from envs.game import Game


def main(control: socket.socket) -> None:
    """Makes the game that the first message names, then forks a keeper for each further one, until it is hung up."""
    received = receive_message(control)
    if received is None:
        return
    facts = received[0]
    if facts["kept_code"]:
        _link_machine_code(Path(facts["kept_code"]))
    os.chdir(facts["folder"])
    game: Game = importlib.import_module(facts["package"]).make_game(facts["name"], facts["players"], facts["options"])
    send_message(control, {"rules": game.rules_digest})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers end by themselves
    while (received := receive_message(control, 2)) is not None:
        _keep(control, game, *received)


def _keep(server: socket.socket, game: Game, facts: dict[str, Any], descriptors: list[int]) -> None:
    """Forks a keeper, whose control socket and shared memory come with the message."""

    def run() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        server.close()
        control = socket.socket(fileno=descriptors[0])
        memory = mmap.mmap(descriptors[1], views_size(game, facts["rows"]), access=mmap.ACCESS_READ)
        os.close(descriptors[1])
        Keeper(control, game, views_on(memory, game, facts["rows"]), facts).run()

    fork_player(run)
    for descriptor in descriptors:
        os.close(descriptor)


def _link_machine_code(folder: Path) -> None:
    """In a sandbox compiled code can only be kept where it is lost again: begins with what is there outside."""
    own = Path(os.environ["NUMBA_CACHE_DIR"])
    for kept in folder.glob("machine-code-*"):
        shutil.copytree(kept, own / kept.name, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    with suppress(FileExistsError):  # another host has been here, where folders are not one's own
        os.symlink(source, target)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the judging process
    main(socket.socket(fileno=int(sys.argv[1])))
