"""Checkpoints taken apart and put together: parts changed, packed otherwise, or the file damaged."""

import io
import json
import zipfile
from random import Random

from tests.fuzz.mutate import change_bytes, change_data, to_json


def parts_of(content: bytes) -> dict[str, bytes]:
    """The parts of a zip file by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def change_zip(content: bytes, rng: Random, others: dict[str, bytes]) -> bytes:
    """A changed checkpoint; ``others`` are parts of another one, which may take the place of its own."""
    if rng.random() < 0.2:
        return change_bytes(content, rng)
    parts = parts_of(content)
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice(list(parts))
        act = rng.randrange(8)
        if act == 0:
            del parts[name]
        elif act == 1:
            parts[name] = others.get(name, b"")
        elif name.endswith(".json"):
            parts[name] = _changed_json(parts[name], rng)
        else:
            parts[name] = change_bytes(parts[name], rng)
        if not parts:
            break
    return _packed(parts, rng)


def _changed_json(content: bytes, rng: Random) -> bytes:
    try:
        data = json.loads(content)
    except ValueError:
        return change_bytes(content, rng)
    return to_json(change_data(data, rng), rng)


def _packed(parts: dict[str, bytes], rng: Random) -> bytes:
    method = rng.choice([zipfile.ZIP_STORED] * 8 + [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as zipped:
        for name, part in parts.items():
            zipped.writestr(name, part)
        if rng.random() < 0.03:
            for number in range(rng.choice([70, 3000])):
                zipped.writestr(f"more/{number}", b"")
    content = bytearray(buffer.getvalue())
    if parts and rng.random() < 0.1:  # what the directory at the end says of a part, such as its size
        place = content.rfind(b"PK\1\2") + rng.randrange(4, 46)
        content[place] = rng.randrange(256)
    return bytes(content)
