"""The process in which one agent of somebody else plays: it answers asks until the judging process hangs up."""

import importlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

from agents.agent import Agent, NoActionsError, as_actions, first_line
from agents.host import confine
from agents.host.protocol import ACTIONS, ASK, FAULT, HEADER, MADE, MOST_TEXT, NOT_MADE, Views, receive_exactly
from agents.registry import make_agent
from envs.game import Game


def play(talk: socket.socket, game: Game, views: Views, facts: Mapping[str, Any], keeper: int) -> None:
    """The life of the process.

    Args:
        talk: Where the asks come from.
        game: The rule set.
        views: The shared memory, which is only read.
        facts: ``spec`` of the agent, ``path`` to import from, ``folder`` to work in, ``memory`` in bytes.
        keeper: Number of the parent process.
    """
    _settle(facts, keeper, talk.fileno())
    try:
        agent = make_agent(facts["spec"], game)
    except BaseException as error:  # anything may happen in somebody else's code
        is_told = type(error) is ValueError  # by the registry
        reason = str(error) if is_told else f"cannot make agent {facts['spec']!r}: {first_line(error)}"
        _send_text(talk, 0, NOT_MADE, reason)
        return
    talk.sendall(HEADER.pack(0, MADE, 0))
    while len(header := receive_exactly(talk, HEADER.size)) == HEADER.size:
        number, kind, count = HEADER.unpack(header)
        if kind == ASK:
            _answer(talk, number, agent, Views(*(view[:count].copy() for view in views)))


def _settle(facts: Mapping[str, Any], keeper: int, talk: int) -> None:
    """Makes the process what it is to be before anything of others runs: of its parents' open files only ``talk`` is left."""
    os.setsid()
    confine.die_with_parent(keeper)
    os.dup2(0, 1)
    os.dup2(0, 2)
    os.closerange(3, talk)
    os.closerange(talk + 1, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.chdir(facts["folder"])
    sys.path[:] = facts["path"]
    importlib.invalidate_caches()  # the server has looked at the folders before
    confine.be_the_first_to_go()
    confine.limit_resources(facts["memory"])
    confine.shut_off()


def _answer(talk: socket.socket, number: int, agent: Agent, views: Views) -> None:
    try:
        actions = as_actions(agent.act(*views), len(views.worlds))
    except NoActionsError as error:
        _send_text(talk, number, FAULT, str(error))
    except BaseException as error:  # the same
        _send_text(talk, number, FAULT, first_line(error))
    else:
        content = actions.astype("<i8").tobytes()
        talk.sendall(HEADER.pack(number, ACTIONS, len(content)) + content)


def _send_text(talk: socket.socket, number: int, kind: int, text: str) -> None:
    content = text.encode(errors="replace")[:MOST_TEXT]
    talk.sendall(HEADER.pack(number, kind, len(content)) + content)


def fork_player(run: Callable[[], None]) -> int:
    """Starts a process that does one thing and ends; returns its number."""
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        run()
        code = 0
    except BaseException:  # nobody is there to be told
        pass
    finally:
        os._exit(code)
