"""The fields of a record in compiled code: the place of each, and the first in which two records differ."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from envs.machine_code import config

_WORD = 8  # bytes


def _python_place_of(record: Any, name: str) -> int:
    return 1 + record.dtype.names.index(name)


def _names(record: Any) -> list[str]:
    """The names of a compiled record's fields, in the order of their places."""
    return sorted(record.fields, key=record.offset)


@intrinsic(prefer_literal=True)
def _compiled_place_of(_typing, record, name):
    place = 1 + _names(record).index(name.literal_value)

    def generate(context, _builder, _signature, _arguments):
        return context.get_constant(types.int64, place)

    return types.int64(record, name), generate


place_of: Any = _python_place_of if config.DISABLE_JIT else _compiled_place_of
"""1 + the place of a field in ``record.dtype.names``: a constant in compiled code, where the name must be one too."""


def _reader(kind: ir.IntType, result: Any) -> Any:
    """Makes the function that reads the integer number ``index`` of a record's memory."""

    def read(_typing, record, index):
        def generate(_context, builder, _signature, arguments):
            memory = builder.bitcast(arguments[0], kind.as_pointer())
            return builder.load(builder.gep(memory, [arguments[1]]), align=1)

        return result(record, types.int64), generate

    return intrinsic(read)


_word_at = _reader(ir.IntType(8 * _WORD), types.uint64)
_byte_at = _reader(ir.IntType(8), types.uint8)


def first_difference(record: Any, other: Any) -> int:
    """1 + the place of the first field whose bytes differ in two records of one dtype; 0 if all bytes are the same.

    It looks at bytes, so it sees a boolean that is neither 0 nor 1, and what stands in the gaps between fields.
    """
    own, others = record.tobytes(), other.tobytes()
    for place, name in enumerate(record.dtype.names):
        kind, start = record.dtype.fields[name][:2]
        if own[start : start + kind.itemsize] != others[start : start + kind.itemsize]:
            return place + 1
    return 0


@overload(first_difference)
def _compile_first_difference(record, other):
    words = record.size // _WORD
    assert record.size == _WORD * words, "a record begins with a word of eight bytes and is aligned to it"
    ends = np.array([*(record.offset(name) for name in _names(record)[1:]), record.size], np.int64)

    def compiled(record, other):
        word = 0
        while word < words and _word_at(record, word) == _word_at(other, word):
            word += 1
        if word == words:
            return 0
        byte = _WORD * word
        while _byte_at(record, byte) == _byte_at(other, byte):
            byte += 1
        place = 0
        while ends[place] <= byte:
            place += 1
        return place + 1

    return compiled
