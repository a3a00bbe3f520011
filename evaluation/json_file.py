"""Files of plain data from strangers: what they may cost is limited before they are read."""

import json
from pathlib import Path
from typing import Any, NoReturn

from envs.files import read_regular

MOST_BYTES = 1 << 25
"""Of a file: the games of a board take some 70 bytes each."""

MOST_PARTS = 3_000_000
"""Lists, dicts and texts of a file: each takes some hundred bytes of memory, however few of the file."""


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a file, UTF-8; a byte-order mark is left out.

    Raises:
        OSError: There is no such file, or it cannot be read.
        ValueError: It is no regular file, which might never end, has more than ``most`` bytes, or is no UTF-8.
    """
    return read_regular(path, most).decode("utf-8-sig")


def parse(text: str) -> Any:
    """JSON as plain data, strictly: no NaN or Infinity, no key twice.

    Raises:
        ValueError: It is no JSON, has too many parts or is nested too deeply; one line.
    """
    parts = text.count("[") + text.count("{") + text.count('"') // 2
    if parts > MOST_PARTS:
        raise ValueError(f"it has {parts:,} lists, dicts and texts; at most {MOST_PARTS:,} are read")
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_as_dict)
    except RecursionError:
        raise ValueError("its lists and dicts are nested too deeply") from None


def read(path: Path, most: int = MOST_BYTES) -> Any:
    """The plain data of a JSON file; errors as of :func:`read_text` and :func:`parse`."""
    return parse(read_text(path, most))


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} comes twice")
    return made
