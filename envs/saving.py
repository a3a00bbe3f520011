"""Running games as bytes and back: a plain header and raw arrays. Nothing is unpickled, and nothing is taken unchecked.

===========  ==========================================================
8 bytes      :data:`MAGIC`
4 bytes      length of the header, little-endian
header       JSON, UTF-8: the keys of :func:`header_of`
the rest     the arrays one after the other, as in memory
===========  ==========================================================
"""

import hashlib
import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from envs.checks import integer, show
from envs.dicts import difference, wrong_form
from envs.game import Game

MAGIC = b"FAIRYST1"
_SIZE = 4
_MOST_HEADER = 1 << 20
_COUNTERS = ("passed_over", "is_seeded")
_BY_AGENT = ("rewards", "_cumulative_rewards", "terminations", "truncations", "infos")


def header_of(game: Game, **facts: Any) -> dict[str, Any]:
    """What must be the same for games to go on: the rule set with its options and tables, and more facts."""
    return {
        "game": game.name,
        "version": game.version,
        "num_players": game.num_players,
        "options": dict(game.options),
        "rules": game.rules_digest,
        "record": hashlib.sha256(repr(game.state_dtype.descr).encode()).hexdigest(),
        **facts,
    }


def pack(header: dict[str, Any], arrays: Sequence[np.ndarray]) -> bytes:
    """Header and arrays as bytes."""
    text = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([MAGIC, len(text).to_bytes(_SIZE, "little"), text, *map(_as_bytes, arrays)])


def _as_bytes(array: np.ndarray) -> bytes:
    """An array's bytes, with zeros in the gaps between fields, where numpy leaves whatever was in that memory before."""
    if not array.dtype.names:
        return array.tobytes()
    clean = np.zeros(array.shape, array.dtype)
    for name in array.dtype.names:
        clean[name] = array[name]
    return clean.tobytes()


def unpack(
    state: Any, expected: dict[str, Any], likes: Sequence[np.ndarray], more: Sequence[str] = ()
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The counters and the arrays of a saved state.

    Args:
        state: What :func:`pack` gave, or anything.
        expected: The header it must have.
        likes: Arrays of the types and shapes it must hold.
        more: Keys of the header that the caller checks.

    Returns:
        The header, and fresh arrays, whose *contents* are not checked yet.

    Raises:
        ValueError: It is no saved state, or one of something else; the message names the first difference.
    """
    if not isinstance(state, bytes | bytearray | memoryview):
        raise ValueError(f"the state is {type(state).__name__}; it must be the bytes that get_state gave")
    content = bytes(state)
    start = len(MAGIC) + _SIZE
    if content[: len(MAGIC)] != MAGIC or len(content) < start:
        raise ValueError("the state is no saved state of this version of the suite")
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    header = _read_header(content[start : start + min(length, _MOST_HEADER)])
    _check_header({key: value for key, value in header.items() if key not in more}, expected)
    if missing := [key for key in more if key not in header]:
        raise ValueError(f"the state has no {missing[0]}")
    total = sum(array.nbytes for array in likes)
    if len(content) != start + length + total:
        raise ValueError(f"the state has {len(content) - start - length} bytes behind its header; it must have {total}")
    found, place = [], start + length
    for like in likes:
        part = np.frombuffer(content, like.dtype, like.size, place).reshape(like.shape).copy()
        found.append(part)
        place += like.nbytes
    return header, found


def _check_header(header: dict[str, Any], expected: dict[str, Any]) -> None:
    own = {key: value for key, value in header.items() if key not in _COUNTERS}
    if (wrong := difference(own, expected)) is not None:
        raise ValueError(f"the state is of other games: {wrong}")
    integer("passed_over of the state", header.get("passed_over"), 0)
    if type(header.get("is_seeded")) is not bool:
        raise ValueError(f"is_seeded of the state is {show(header.get('is_seeded'))}; it must be true or false")


def _read_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("the state has no header that can be read") from error
    if not isinstance(header, dict):
        raise ValueError("the state has no header that can be read")
    return header


def check_results(results: np.ndarray, num_players: int) -> None:
    """Refuses results of games that no game leaves.

    Args:
        results: ``(N,)`` records of ``engine.result_dtype``.
        num_players: Seats.

    Raises:
        ValueError: A number is not finite, or a rank or a length is impossible.
    """
    is_fine = np.isfinite(results["rewards"]).all() and np.isfinite(results["scores"]).all()
    is_fine &= (results["ranks"] >= 0).all() and (results["ranks"] <= num_players).all() and (results["length"] >= 0).all()
    is_fine &= (results["illegal"].view(np.uint8) <= 1).all()
    if not is_fine:
        raise ValueError("the state holds results that no game leaves")


def check_door(door: Any, agents: list[str], seat: int) -> dict[str, Any]:
    """What PettingZoo's door keeps for each agent, from a saved state.

    Args:
        door: The tables by agents.
        agents: All agents, by seat.
        seat: Who is to act in the record, -1 if nobody is.

    Returns:
        Tables that are the caller's.

    Raises:
        ValueError: They are not such tables, or do not fit the record.
    """
    alive = door.get("agents") if isinstance(door, dict) else None
    if not isinstance(alive, list) or not all(agent in agents for agent in alive):
        raise ValueError(f"agents of the state are {show(alive)}; they must be some of {', '.join(agents)}")
    by_agent = dict.fromkeys(_BY_AGENT, dict.fromkeys(alive))
    pattern = {"agents": ["player_0"], **by_agent, "agent_selection": "player_0"}
    if (wrong := wrong_form(door, pattern)) is not None:
        raise ValueError(f"the state: {wrong}")
    flags = [flag for name in ("terminations", "truncations") for flag in door[name].values()]
    paid = [number for name in ("rewards", "_cumulative_rewards") for number in door[name].values()]
    if not all(type(flag) is bool for flag in flags) or not all(type(number) is float and isfinite(number) for number in paid):
        raise ValueError("the state holds ends that are no booleans, or rewards that are no finite numbers")
    if not all(isinstance(info, dict) for info in door["infos"].values()):
        raise ValueError("the state holds infos that are no tables")
    selected = door["agent_selection"]
    if any(flags) or not alive:
        fits = selected in agents
    else:
        fits = seat >= 0 and selected == agents[seat] and alive == agents
    if not fits:
        raise ValueError(f"agent_selection of the state is {show(selected)}, which does not fit its record")
    return door
