"""Arguments that nobody should give: scalars, arrays and objects of every wrong kind."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.mutate import WORDS, a_number, a_value


class Lies:
    """An object whose methods do what they should not: raise, or answer nonsense."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def _say(self, *_: Any, **__: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    __index__ = __int__ = __float__ = __len__ = __iter__ = __array__ = __getitem__ = __repr__ = __str__ = __bool__ = _say  # type: ignore[assignment]


class Own(np.ndarray):
    """An array of another class, which others take for what it says it is."""

    @property
    def shape(self) -> Any:  # type: ignore[override]
        return (4,)

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        return np.dtype(np.int64)


class Number(int):
    """An integer that is larger than it says."""

    def __index__(self) -> int:
        return 10**6

    def __lt__(self, other: Any) -> bool:
        return True

    __le__ = __gt__ = __ge__ = __lt__


def a_scalar(rng: Random) -> Any:
    """Something in the place of one number, name or table."""
    kinds: list[Callable[[], Any]] = [
        lambda: a_number(rng),
        lambda: a_number(rng),
        lambda: rng.randint(-3, 12),
        lambda: a_value(rng),
        lambda: rng.choice(WORDS),
        lambda: rng.choice([None, True, False, 0.0, 1.5, float("nan"), float("inf"), 1j, b"1", 10**5000, -(10**5000)]),
        lambda: rng.choice([np.int8, np.int64, np.uint64, np.float32, np.bool_, np.complex64])(rng.randint(0, 3)),
        lambda: rng.choice(
            [np.uint64(2**64 - 1), np.int64(-1), np.array(2), np.array([1]), np.array(1.0), np.datetime64(3, "s")]
        ),
        lambda: rng.choice([object(), object, len, Ellipsis, NotImplemented, slice(None), range(3), {1, 2}, (1,), iter([1])]),
        lambda: Lies(rng.choice([0, 1, -1, 10**6, 2**70, "x", None, 1.5, [1], ValueError("a\nb"), TypeError(), OverflowError()])),
        lambda: Lies(rng.choice([RecursionError("deep"), MemoryError(), KeyError("k"), StopIteration(), np.zeros(2)])),
        lambda: rng.choice([Number(0), Number(1)]),
    ]
    return rng.choice(kinds)()


_TYPES = [
    np.int8,
    np.uint8,
    np.int16,
    np.int32,
    np.int64,
    np.uint64,
    np.float32,
    np.float64,
    np.bool_,
    np.complex64,
    object,
    "S3",
    "U2",
]
_TYPES += ["M8[s]", ">i8", "V8", [("a", np.int64)]]


def an_array(rng: Random, length: int, most: int) -> Any:
    """Something in the place of ``length`` integers from 0 to ``most``."""
    good = np.array([rng.randint(0, most) for _ in range(length)], np.int64)
    kinds: list[Callable[[], Any]] = [
        lambda: a_scalar(rng),
        lambda: _with(good, rng.randrange(length), a_number(rng)),
        lambda: _with(good, rng.randrange(length), rng.choice([-1, most, most + 1, 2**31, -(2**62)])),
        lambda: _as(good, rng.choice(_TYPES)),
        lambda: good[: rng.randrange(length)],
        lambda: np.tile(good, rng.choice([2, 3, 1000])),
        lambda: good.reshape(rng.choice([(1, length), (length, 1), (length, 1, 1)])),
        lambda: np.broadcast_to(good[:1], (length,)),
        lambda: np.repeat(good, 2)[::2],
        lambda: good[::-1],
        lambda: _read_only(good),
        lambda: np.frombuffer(b"\0" + good.tobytes(), np.int64, offset=0, count=length - 1),
        lambda: np.ndarray((length,), np.int64, b"\0" * (8 * length + 1), 1),
        lambda: np.ma.masked_array(good, good > 0),
        lambda: good.view(Own),
        lambda: np.zeros((length, 4), np.int64).view(Own),
        lambda: good.tolist(),
        lambda: [a_scalar(rng) for _ in range(length)],
        lambda: _with_list(good, rng, a_scalar(rng)),
        lambda: memoryview(good),
        lambda: np.asfortranarray(good),
        lambda: np.array(good.tolist(), object),
        lambda: np.zeros((0, 3)),
        lambda: np.broadcast_to(np.int64(0), (10**9,)),
    ]
    return rng.choice(kinds)()


def _with(good: np.ndarray, place: int, value: Any) -> Any:
    try:
        changed = good.copy()
        changed[place] = value
        return changed
    except (OverflowError, ValueError, TypeError):
        return [*good.tolist()[:place], value, *good.tolist()[place + 1 :]]


def _with_list(good: np.ndarray, rng: Random, value: Any) -> list[Any]:
    values = good.tolist()
    values[rng.randrange(len(values))] = value
    return values


def _as(good: np.ndarray, kind: Any) -> Any:
    try:
        return good.astype(kind)
    except (TypeError, ValueError):
        return np.zeros(len(good), kind)


def _read_only(good: np.ndarray) -> np.ndarray:
    shown = good.copy()
    shown.flags.writeable = False
    return shown
