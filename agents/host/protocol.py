"""What passes between the judging process and the hosts of agents.

Server and keepers are told what to do by *messages*: JSON behind its length, with file descriptors beside it. A player is asked
over a socket of its own by a *header*; observations, masks and worlds lie in memory that both share, and its K actions come
back behind a header as ``int64``. Nothing is pickled: what comes from a player is a header of numbers, and bytes of a length
known before.
"""

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from envs.game import Game

HEADER = struct.Struct("<QII")
"""Number of the ask, kind, and how many bytes follow (of an ask: games)."""

ASK, MADE, NOT_MADE, ACTIONS, FAULT = range(5)
"""Kinds: choose actions; the agent is there; it cannot be made (text); actions; why there are none (text)."""

MOST_TEXT = 1024
"""Bytes of a text."""

_LENGTH = struct.Struct("<I")
_MOST_MESSAGE = 1 << 20
_LINE = 64  # bytes to which the parts of the shared memory are aligned


class Views(NamedTuple):
    """Arrays for up to R games, as an agent is shown them; see ``agents.agent.Agent``.

    Attributes:
        observations: ``(R, D) float32``.
        action_masks: ``(R, A) int8``.
        worlds: ``(R,)`` records.
    """

    observations: np.ndarray
    action_masks: np.ndarray
    worlds: np.ndarray


def views_size(game: Game, rows: int) -> int:
    """Bytes that the views of ``rows`` games take."""
    return sum(_padded(count * dtype.itemsize) for dtype, count in _parts(game, rows))


def views_on(memory: Any, game: Game, rows: int) -> Views:
    """The views of ``rows`` games in shared memory."""
    arrays, start = [], 0
    for dtype, count in _parts(game, rows):
        arrays.append(np.frombuffer(memory, dtype, count, start))
        start += _padded(count * dtype.itemsize)
    observations, masks, worlds = arrays
    return Views(observations.reshape(rows, -1), masks.reshape(rows, -1), worlds)


def _parts(game: Game, rows: int) -> list[tuple[np.dtype, int]]:
    sizes = (np.dtype(np.float32), game.observation_size), (np.dtype(np.int8), game.num_actions), (game.state_dtype, 1)
    return [(dtype, rows * size) for dtype, size in sizes]


def _padded(size: int) -> int:
    return -(-size // _LINE) * _LINE


def send_message(connection: socket.socket, facts: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Sends plain data, and file descriptors with it.

    Raises:
        OSError: Nobody listens any more.
    """
    content = json.dumps(facts).encode()
    socket.send_fds(connection, [_LENGTH.pack(len(content))], descriptors)
    connection.sendall(content)


def receive_message(connection: socket.socket, most_descriptors: int = 0) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and the file descriptors with it; None when the other side has hung up.

    Raises:
        ValueError: It is no message.
        OSError: The connection is broken, or has been silent for longer than its time limit.
    """
    start, descriptors, *_ = socket.recv_fds(connection, _LENGTH.size, most_descriptors)
    start += receive_exactly(connection, _LENGTH.size - len(start)) if start else b""
    if len(start) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(start)
    if length > _MOST_MESSAGE:
        raise ValueError(f"a message of {length} bytes")
    content = receive_exactly(connection, length)
    if len(content) < length:
        return None
    facts = json.loads(content)
    if not isinstance(facts, dict):
        raise ValueError("a message that is no object")
    return facts, descriptors


def receive_exactly(connection: socket.socket, count: int) -> bytes:
    """The next ``count`` bytes, or fewer if the other side hangs up.

    Raises:
        OSError: The connection is broken, or has been silent for longer than its time limit.
    """
    parts = []
    while count > 0 and (part := connection.recv(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
