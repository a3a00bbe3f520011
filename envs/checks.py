"""Checks of what comes from outside, with one wording for each kind of mistake.

Integers are what Python takes for an index: ``int`` and numpy's integers, but neither booleans nor floats.
"""

import itertools
import operator
import os
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

MAX_SEED = 2**64 - 1
"""Seeds are 64-bit words."""

_MOST_LETTERS = 200
_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxlist, _BRIEF.maxtuple, _BRIEF.maxstring, _BRIEF.maxother = 3, 8, 8, 80, 80


def show(value: Any) -> str:
    """Something from outside as words for a message: one line that every terminal can show, and not a long one."""
    try:
        # All of a long array of bytes would be written out before it is shortened.
        text = _BRIEF.repr(bytes(value[:40]) if isinstance(value, bytes | bytearray | memoryview) else value)
    except Exception:  # an object from outside may refuse to be shown in any way
        text = f"<{type(value).__name__}>"
    return one_line(text)


def one_line(text: str, most: int = _MOST_LETTERS) -> str:
    """A text in one line: other space becomes a blank, what cannot be shown a question mark, and a long one is cut."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(text[: 2 * most].split()))
    return line if len(line) <= most else f"{line[: most - 3]}..."


def show_path(path: str | os.PathLike[str]) -> str:
    """The name of a file for a message."""
    return one_line(os.fspath(path), 300)


def show_all(words: Iterable[Any]) -> str:
    """Names from outside, with commas; of many the first ones."""
    first = [one_line(str(word), 40) for word in itertools.islice(words, 9)]
    return ", ".join(first[:8] + ["..."] * (len(first) > 8))


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """An integer of a range.

    Args:
        name: What it is, for the message.
        value: What came from outside.
        low: The smallest allowed value.
        high: The largest allowed value; None: any.

    Raises:
        ValueError: It is no integer, a boolean, or out of range; the message names what it is and what it may be.
    """
    number = _index(value)
    if number is None or number < low or (high is not None and number > high):
        raise ValueError(f"{name} is {show(value)}; it must be {integers(low, high)}")
    return number


def any_integer(name: str, value: Any, low: int, high: int) -> int:
    """An integer of any size: one out of the range, which the message names, is not of a wrong type."""
    number = _index(value)
    return integer(name, value, low, high) if number is None else number


def _index(value: Any) -> int | None:
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return int.__index__(operator.index(value))  # of a class of its own, it might compare as it likes
    except Exception:  # an object from outside may refuse in any way
        return None


def integers(low: int, high: int | None) -> str:
    """A range in words."""
    if high is None:
        return f"an integer from {low}"
    return str(low) if low == high else f"an integer from {low} to {high}"


def real(name: str, value: Any, low: float, high: float) -> float:
    """A number of a range.

    Args:
        name: What it is, for the message.
        value: What came from outside.
        low: The smallest allowed value.
        high: The largest allowed value.

    Raises:
        ValueError: It is no number, a boolean, not finite, or out of range; the message names what it is and what it may be.
    """
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise ValueError(f"{name} is {show(value)}; it must be a number from {low:g} to {high:g}")
    return float(value)


def boolean(name: str, value: Any) -> bool:
    """True or False.

    Raises:
        ValueError: It is neither.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} is {show(value)}; it must be True or False")
    return bool(value)


def is_single(value: Any) -> bool:
    """Whether something from outside is to be one number, not an array of them."""
    try:
        return np.ndim(value) == 0
    except Exception:  # as above
        return True


def index_of(name: str, word: Any, words: Sequence[str]) -> int:
    """The place of a word among the allowed ones.

    Raises:
        ValueError: It is none of them.
    """
    if not isinstance(word, str) or word not in words:
        raise ValueError(f"{name} is {show(word)}; choose from {', '.join(words)}")
    return words.index(word)


def seat_or_none(value: Any, num_players: int) -> int | None:
    """A seat of a table, or None.

    Raises:
        ValueError: It is neither.
    """
    return None if value is None else integer("seat", value, 0, num_players - 1)


def integer_array(name: str, values: Any, length: int) -> np.ndarray:
    """Integers from outside as compiled code takes them.

    Args:
        name: What they are, for the message.
        values: An array, or anything that numpy makes one of; booleans and floats are refused.
        length: How many there must be.

    Returns:
        ``(length,) int64``, contiguous and writeable; the same array where it is that already. A ``uint64`` of 2**63 or more
        becomes negative.

    Raises:
        ValueError: Another type or shape.
    """
    array = _as_array(name, values, f"{length} integers")
    if array.shape != (length,) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be {length} integers, not {array.dtype} of shape {array.shape}")
    # Another layout would be compiled for anew, which takes seconds.
    return array if array.dtype == np.int64 and array.flags.carray else np.array(array, np.int64)


def integers_between(name: str, values: Any, length: int, low: int, high: int) -> np.ndarray:
    """The same, with a range for all of them; the message names the first that is out of it."""
    array = integer_array(name, values, length)
    outside = np.flatnonzero((array < low) | (array > high))
    if len(outside):
        raise ValueError(f"{name}[{outside[0]}] is {array[outside[0]]}; it must be {integers(low, high)}")
    return array


def word_array(name: str, values: Any, length: int) -> np.ndarray:
    """Random words from outside as compiled code takes them: ``(length,) uint64``, contiguous and writeable.

    Raises:
        ValueError: They are no integers from 0 to 2**64 - 1, or another number of them.
    """
    wanted = f"{length} integers from 0 to {MAX_SEED}"
    array = _as_array(name, values, wanted)
    if array.shape != (length,) or array.dtype.kind not in "iu" or (array.dtype.kind == "i" and array.min(initial=0) < 0):
        raise ValueError(f"{name} must be {wanted}, not {array.dtype} of shape {array.shape}")
    return array if array.dtype == np.uint64 and array.flags.carray else np.array(array, np.uint64)


def distinct_rows(name: str, rows: Any, count: int) -> np.ndarray:
    """Numbers of different rows of a batch, ``(K,) int64``.

    Raises:
        ValueError: They are no integers, out of range, or one of them comes twice.
    """
    array = _as_array(name, rows, "numbers of rows")
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of numbers of rows, not of shape {array.shape}")
    if len(array) > count:  # before memory is taken for it
        raise ValueError(f"{name} has {len(array)} entries; there are {count} rows")
    if array.size == 0:
        return np.zeros(0, np.int64)
    array = integers_between(name, array, len(array), 0, count - 1)
    if len(np.unique(array)) < len(array):
        raise ValueError(f"{name} names a row twice")
    return array


def _as_array(name: str, values: Any, wanted: str) -> np.ndarray:
    try:
        return np.asarray(values)
    except Exception as error:  # an object from outside may refuse to become an array in any way
        raise ValueError(f"{name} must be {wanted}, not {type(values).__name__}") from error


def read_only(array: np.ndarray) -> np.ndarray:
    """The same memory, which nobody can write to by this view."""
    shown = array.view()
    shown.flags.writeable = False
    return shown
