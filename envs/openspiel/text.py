"""States as text and back: JSON, which is checked as a whole before a state is made of it. Nothing is unpickled.

===========  ====================================================================================================================
``format``   1
``game``     name, version, players, options and the digest of the tables, as in ``saving``
``history``  ``[[who, action], ...]``, who is a seat or -1, chance
``record``   the record of the latest position, base64; null while the deal goes on
``redealt``  null, or of a state in which hidden things were dealt anew: ``seat``, for whom; ``after``, a number of entries
             of the history; ``record``, there; ``lines``, what the seat was told, and ``rows``, base64, what it saw
===========  ====================================================================================================================

A history is played again, and must lead to the record: so a state is taken only if the rules lead to it. Of a state dealt anew
the record where that was done is checked by ``Game.check_records``, and what the seat says it was told is taken for what it is,
text.
"""

import base64
import binascii
import copyreg
import json
from typing import Any

import numpy as np

from envs.checks import integer
from envs.dicts import difference, wrong_form
from envs.openspiel.histories import CHANCE, SEED_BYTES, Event, Made, Node, Position, Redealt, Seed, Table
from envs.saving import header_of

FORMAT = 1
MOST_LETTERS = 1 << 24
_REDEALT = {"seat": 0, "after": 0, "record": "", "lines": [""], "rows": ""}
_FORM = {"format": 0, "game": None, "history": [[0]], "record": None, "redealt": None}


def to_text(node: Node) -> str:
    """A node as text."""
    dealt = _first_redealt(node)
    content = {
        "format": FORMAT,
        "game": header_of(node.table.game),
        "history": node.history(),
        "record": None if node.position is None else _encoded(node.position.record),
        "redealt": None if dealt is None else _redealt_table(dealt),
    }
    return json.dumps(content, separators=(",", ":"))


def _first_redealt(node: Node) -> Redealt | None:
    while node.parent is not None:
        node = node.parent
    return node if isinstance(node, Redealt) else None


def _redealt_table(node: Redealt) -> dict[str, Any]:
    return {
        "seat": node.seat,
        "after": len(node.earlier()),
        "record": _encoded(node.record),
        "lines": list(node.lines),
        "rows": _encoded(node.rows),
    }


def _encoded(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()


def from_text(table: Table, text: Any) -> tuple[Node, list[Made]]:
    """The node that a text means, and all that was done up to it.

    Raises:
        ValueError: It is no such text, or of another game, or the rules do not lead to what it says; the message names the place.
    """
    content = _read(text)
    if (wrong := difference(content["game"], header_of(table.game), "game")) is not None:
        raise ValueError(f"the state is of another game: {wrong}")
    integer("the length of history", len(content["history"]), 0, _most_events(table))
    history = [_made(table, number, entry) for number, entry in enumerate(content["history"])]
    node, done = table.root, 0
    if content["redealt"] is not None:
        node, done = _read_redealt(table, content["redealt"], history)
    for number in range(done, len(history)):
        node = _follow(node, number, history[number])
    record = None if node.position is None else _encoded(node.position.record)
    if content["record"] != record:
        raise ValueError("record is not what the history leads to")
    return node, history


def _most_events(table: Table) -> int:
    """More things than these are not done in any game: the deal, and every decision with an event of chance."""
    return max(SEED_BYTES, table.chance.num_deals(table.game) if table.chance else 0) + 2 * table.game.max_decisions


def _read(text: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        raise ValueError(f"the state is {type(text).__name__}; it must be the text that serialize gave")
    if len(text) > MOST_LETTERS:
        raise ValueError(f"the state has {len(text)} letters; it must have at most {MOST_LETTERS}")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("the state is no JSON text") from error
    if (wrong := wrong_form(content, _FORM)) is not None:
        raise ValueError(wrong)
    integer("format", content["format"], FORMAT, FORMAT)
    return content


def _made(table: Table, number: int, entry: Any) -> Made:
    place = f"history[{number}]"
    integer(f"the length of {place}", len(entry), 2, 2)
    return integer(f"{place}[0]", entry[0], CHANCE, table.game.num_players - 1), integer(f"{place}[1]", entry[1], 0, 1 << 32)


def _follow(node: Node, number: int, made: Made) -> Node:
    if node.player != made[0]:
        raise ValueError(f"history[{number}][0] is {made[0]}; it must be {node.player}, who acts there")
    try:
        return node.child(made[1])
    except ValueError as error:
        raise ValueError(f"history[{number}]: {error}") from error


def _read_redealt(table: Table, found: Any, history: list[Made]) -> tuple[Redealt, int]:
    """The position that was dealt anew, and how much was done before."""
    if (wrong := wrong_form(found, _REDEALT, "redealt")) is not None:
        raise ValueError(wrong)
    game = table.game
    seat = integer("redealt.seat", found["seat"], 0, game.num_players - 1)
    after = integer("redealt.after", found["after"], 0, len(history))
    record = _decoded("redealt.record", found["record"], game.state_dtype, 1)
    try:
        game.check_records(record)
    except ValueError as error:
        raise ValueError(f"redealt.record: {error}") from error
    if record["current_player"][0] < 0:
        raise ValueError("redealt.record is of a game that is over")
    if not all(isinstance(line, str) for line in found["lines"]):
        raise ValueError("redealt.lines must be texts")
    decisions = integer("the number of decisions of redealt.record", int(record["decisions"][0]), 0, game.max_decisions)
    integer("the length of redealt.lines", len(found["lines"]), 0, 2 + game.max_decisions)
    shape = (decisions, table.columns)
    rows = _decoded("redealt.rows", found["rows"], np.dtype(np.float32), decisions * table.columns).reshape(shape)
    if not np.isfinite(rows).all():
        raise ValueError("redealt.rows holds numbers that are not finite")
    return Redealt(table, record, seat, found["lines"], rows, history[:after]), after


def _decoded(place: str, text: Any, dtype: np.dtype, count: int) -> np.ndarray:
    try:
        content = base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise ValueError(f"{place} is no base64 text") from error
    if len(content) != count * dtype.itemsize:
        raise ValueError(f"{place} has {len(content)} bytes; it must have {count * dtype.itemsize}")
    return np.frombuffer(content, dtype).copy()


def _as_text(node: Node) -> tuple[Any, ...]:
    """How a node is pickled: as a text, of which a state makes a node again after a check."""
    return str, (to_text(node),)


for _kind in (Seed, Event, Position, Redealt):
    copyreg.pickle(_kind, _as_text)  # type: ignore[arg-type]
