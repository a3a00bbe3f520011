"""Changes to valid input: to bytes, to lines of text, and to plain data as JSON has it."""

import copy
import json
from random import Random
from typing import Any

INTERESTING = [0, 1, 2, 3, 7, 8, 31, 32, 99, 100, 126, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, 2**53, 2**62]
INTERESTING += [2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70, 10**30, 10**400]

WORDS = ["", " ", "x", "0", "-1", "none", "null", "True", "nan", "player_9", "../..", "/dev/zero", "\0", "\n", "a\nb", "\x1b[31m"]
WORDS += ["\ud800", "é", "\u202e", "%s{}", "x" * 5000, "__class__", "examples.tic_tac_toe", "os", "1" * 5000]


def a_number(rng: Random) -> Any:
    """A number that programs stumble over."""
    number = rng.choice(INTERESTING)
    return rng.choice([number, -number, -number - 1, number + 1, number + 0.5 if number < 2**60 else 1e308])


def a_value(rng: Random) -> Any:
    """Plain data of any kind."""
    kinds = [
        lambda: a_number(rng),
        lambda: a_number(rng),
        lambda: rng.randint(-4, 130),
        lambda: rng.choice(WORDS),
        lambda: rng.choice([None, True, False, 0.0, -0.0, 0.5, 1.0, 1e308, float("nan"), float("inf"), -float("inf")]),
        lambda: rng.choice([[], {}, [[]], [None], {"": 0}, [0] * 40, ["a", 1, None], {"a": {"b": []}}, [[0, 1], [2]]]),
        lambda: nested(rng.choice([20, 100, 200])),
        lambda: list(range(rng.choice([10, 1000, 20000]))),
    ]
    return rng.choice(kinds)()


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def change_data(data: Any, rng: Random, most: int = 3) -> Any:
    """A copy of plain data with one to ``most`` changes in it."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, most)):
        places = list(_places(data))
        if not places:
            return a_value(rng)
        _change_at(*rng.choice(places), rng, places)
    return data


def _places(data: Any) -> Any:
    """Every (container, key) in plain data; of deep data the upper part."""
    waiting, budget = [data], 20_000
    while waiting and budget:
        part = waiting.pop()
        items = list(part.items()) if isinstance(part, dict) else list(enumerate(part)) if isinstance(part, list) else []
        for key, value in items:
            budget -= 1
            yield part, key
            if isinstance(value, dict | list) and budget > 0:
                waiting.append(value)
        budget = max(0, budget)


def _change_at(part: Any, key: Any, rng: Random, places: list[tuple[Any, Any]]) -> None:
    value = part[key]
    act = rng.randrange(9)
    if act <= 2 and isinstance(value, int) and not isinstance(value, bool):
        part[key] = value + rng.choice([-2, -1, 1, 2, 7])
    elif act <= 3:
        part[key] = a_value(rng)
    elif act == 4:
        del part[key]
    elif act == 5 and isinstance(part, list):
        part.insert(key, copy.deepcopy(value))
    elif act == 5:
        part[rng.choice(WORDS)] = value
    elif act == 6 and isinstance(part, list):
        rng.shuffle(part)
    elif act == 6 and isinstance(key, str):
        name = rng.choice([key.upper(), key + " ", rng.choice(list(part))])
        part[name] = part.pop(key)
    elif act == 7:
        other, place = rng.choice(places)
        if key in _keys(part) and place in _keys(other):
            part[key] = copy.deepcopy(other[place])
    else:
        part[key] = _near(value, rng)


def _keys(part: Any) -> Any:
    return part if isinstance(part, dict) else range(len(part))


def _near(value: Any, rng: Random) -> Any:
    """Nearly the same: of another type."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return rng.choice([float(value), str(value), bool(value), [value], None])
    if isinstance(value, str):
        return rng.choice([value.swapcase(), value[:-1], value + "\n", [value], {value: 1}])
    if isinstance(value, list):
        return rng.choice([value[:-1], [*value, *value], dict(enumerate(value)), None, value[::-1]])
    return rng.choice([None, [value], 0])


def to_json(data: Any, rng: Random) -> bytes:
    """Plain data as JSON, now and then written in another way or damaged."""
    text = json.dumps(data, ensure_ascii=rng.random() < 0.7, separators=rng.choice([(",", ":"), (", ", ": ")]))
    content = text.encode("utf-8", "surrogatepass")
    odds = rng.random()
    if odds < 0.1:
        return change_bytes(content, rng)
    if odds > 0.98:  # deeper than Python likes
        place, deep = rng.randrange(len(content) + 1), rng.choice([2000, 100_000])
        return content[:place] + b"[" * deep + b"]" * deep + content[place:]
    return b"\xef\xbb\xbf" + content if odds < 0.15 else content


def change_bytes(content: bytes, rng: Random, most: int = 4) -> bytes:
    """The bytes with one to ``most`` changes."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, most)):
        _change_bytes(changed, rng)
    return bytes(changed)


def _change_bytes(content: bytearray, rng: Random) -> None:
    place = rng.randrange(len(content) + 1)
    length = rng.choice([1, 1, 2, 4, 8, 64, 1000])
    act = rng.randrange(8)
    if act == 0:
        del content[place:]
    elif act == 1:
        del content[place : place + length]
    elif act == 2:
        content[place:place] = rng.randbytes(length)
    elif act == 3:
        other = rng.randrange(len(content) + 1)
        content[place : place + length] = content[other : other + length]
    elif act == 4:
        content[place:place] = content[place : place + length]
    elif act == 5:
        content[place : place + length] = bytes([rng.choice([0, 255, 127, 128, 10, 34])]) * length
    else:
        content[place : place + length] = rng.randbytes(min(length, 8))


def change_text(text: bytes, rng: Random) -> bytes:
    """A text of lines and cells, such as CSV or TOML, with a change to a line, a cell, a number, or to bytes."""
    lines = text.splitlines(keepends=True)
    number = rng.randrange(len(lines))
    act = rng.randrange(7)
    if act == 0:
        return change_bytes(text, rng)
    if act == 1:
        del lines[number]
    elif act == 2:
        lines.insert(rng.randrange(len(lines)), lines[number])
    elif act == 3:
        lines[number] = lines[number] * rng.choice([2, 200])
    else:
        lines[number] = _change_cell(lines[number], rng)
    return b"".join(lines)


def _change_cell(line: bytes, rng: Random) -> bytes:
    mark = rng.choice([b",", b"=", b" ", b"|", b"-"])
    cells = line.split(mark)
    words = [*WORDS, *map(str, INTERESTING), "1e3", "0x10", "1_0", "٣", '"', "[", "]", "{}", "inf", "0.5", "true", "-", "3|4|5"]
    cells[rng.randrange(len(cells))] = rng.choice(words).encode("utf-8", "surrogatepass")
    return mark.join(cells)
