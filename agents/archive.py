"""Zip files as checkpoints are: made of a few parts, and read as a stranger's, whose word on itself is not believed.

A part is read only after its declared size is known to be allowed, and no more than that is ever inflated.
"""

import io
import math
import os
import struct
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from envs.files import open_regular

MOST_PARTS = 64
MOST_BYTES = 2**31
"""Of a whole file; what is read of it is limited part by part."""

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # of the others, Python inflates more than was asked for
_IS_ENCRYPTED = 1
_END, _END_SIGNATURE = struct.Struct("<4s4H2LH"), b"PK\5\6"


def pack(parts: Mapping[str, bytes], base: bytes = b"") -> bytes:
    """A zip file of the parts, added to those of the zip file ``base``."""
    buffer = io.BytesIO(base)
    with zipfile.ZipFile(buffer, "a" if base else "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read_parts(path: str | os.PathLike[str], most: Mapping[str, int]) -> dict[str, bytes]:
    """Some parts of a checkpoint.

    Args:
        path: The file.
        most: By the name of each part, how many bytes it may have.

    Raises:
        ValueError: There is no such file or part, it is larger than allowed, or the file is damaged.
    """
    try:
        with open_regular(path, MOST_BYTES) as file, _open_archive(file) as archive:
            return {name: _read(archive, name, limit) for name, limit in most.items()}
    except Exception as error:  # what reading a damaged zip file raises is not for us to list
        raise ValueError(f"{path} is no checkpoint: {_reason(error)}") from error


def as_array(content: bytes, dtype: Any, shape: tuple[int, ...] | None, name: str) -> np.ndarray:
    """An array that ``numpy.save`` has written, whose head is read before memory is taken for it.

    Args:
        content: The bytes; they may come from anywhere.
        dtype: The type it must have.
        shape: The shape it must have; None: any number of entries in one dimension.
        name: What it is, for the message.

    Returns:
        A fresh array, whose numbers are not checked yet.

    Raises:
        ValueError: It is no such array.
    """
    stream, kind = io.BytesIO(content), np.dtype(dtype)
    try:
        npy.read_magic(stream)
        found, is_fortran, found_kind = npy.read_array_header_1_0(stream)
    except Exception as error:  # whatever a damaged head brings about
        raise ValueError(f"{name} cannot be read") from error
    values = content[stream.tell() :]
    wanted = shape or (len(values) // kind.itemsize,)
    if found != wanted or is_fortran or found_kind != kind or len(values) != kind.itemsize * math.prod(wanted):
        raise ValueError(f"{name} is no array of {kind} of shape {wanted}")
    return np.frombuffer(values, kind).reshape(wanted).copy()


def _reason(error: Exception) -> str:
    """What an error says in one line; the file is named by whoever asks."""
    says = error.args[0] if isinstance(error, KeyError) else getattr(error, "strerror", None) or error
    return " ".join(str(says).split())


def _open_archive(file: IO[bytes]) -> zipfile.ZipFile:
    size = file.seek(0, os.SEEK_END)
    _check_end(file, size)
    archive = zipfile.ZipFile(file)
    _check_count(len(archive.infolist()))
    return archive


def _check_end(file: IO[bytes], size: int) -> None:
    """Looks at the number of parts before the list of them is read, which may be as long as the file."""
    file.seek(max(0, size - _END.size))
    end = file.read(_END.size)
    if len(end) < _END.size or not end.startswith(_END_SIGNATURE):
        raise ValueError("it is not a zip file")
    _check_count(_END.unpack(end)[4])


def _check_count(count: int) -> None:
    if count > MOST_PARTS:
        raise ValueError(f"it has {count:,} parts; at most {MOST_PARTS} are allowed")


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    info = archive.getinfo(name)
    if info.flag_bits & _IS_ENCRYPTED or info.compress_type not in _METHODS:
        raise ValueError(f"its part {name} is packed in a way that checkpoints are not")
    if info.file_size > most:
        raise ValueError(f"its part {name} has {info.file_size:,} bytes; at most {most:,} are allowed")
    with archive.open(info) as part:
        content = part.read(most + 1)
    if len(content) != info.file_size:
        raise ValueError(f"its part {name} has another size than it says")
    return content


def are_stored(content: bytes) -> bool:
    """Whether bytes are a zip file whose parts are not compressed, so that they are no larger than the file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            return all(part.compress_type == zipfile.ZIP_STORED and _is_inside(part, len(content)) for part in parts)
    except Exception:  # as above
        return False


def _is_inside(part: Any, size: int) -> bool:
    return part.file_size == part.compress_size and part.header_offset + part.file_size <= size
