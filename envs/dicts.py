"""Where two state dicts differ, and where one has not the form of another."""

from collections.abc import Mapping, Sequence
from typing import Any

from envs.checks import show


def difference(found: Any, expected: Any, place: str = "") -> str | None:
    """Where and how plain data differs from other plain data, in one line; None where both are the same.

    Tuples and lists are alike, booleans and numbers are not.
    """
    if isinstance(expected, Mapping):
        return _misfit(found, expected, place) or _first(found, expected, place)
    if isinstance(expected, list | tuple):
        if not isinstance(found, list | tuple) or len(found) != len(expected):
            return f"{place} is {show(found)}; it must be a list of {len(expected)} entries"
        pairs = enumerate(zip(found, expected, strict=True))
        return next(filter(None, (difference(a, b, f"{place}[{i}]") for i, (a, b) in pairs)), None)
    if type(found) is not type(expected) or found != expected:
        return f"{place} is {show(found)}; it must be {show(expected)}"
    return None


def _first(found: Mapping[str, Any], expected: Mapping[str, Any], place: str) -> str | None:
    parts = (difference(found[key], expected[key], _inside(place, key)) for key in expected)
    return next(filter(None, parts), None)


def _inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def changes(before: Any, after: Any, place: str = "") -> dict[str, Any]:
    """What is other in plain data than it was before, by places such as ``hands[0][3]``; with it ``before`` becomes ``after``.

    Where keys or lengths are others, the whole is.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping) and before.keys() == after.keys():
        parts = [changes(before[key], after[key], _inside(place, key)) for key in after]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        parts = [changes(before[i], after[i], f"{place}[{i}]") for i in range(len(after))]
    elif type(before) is type(after) and before == after:
        return {}
    else:
        return {place: after}
    return {name: value for part in parts for name, value in part.items()}


def _misfit(found: Any, expected: Mapping[str, Any], place: str) -> str | None:
    """Whether something is no dict with the same keys, and then what is wrong with it."""
    if not isinstance(found, Mapping):
        return f"{place or 'the state'} is {show(found)}; it must be a dict with {', '.join(expected)}"
    for key in expected:
        if key not in found:
            return f"{_inside(place, key)} is missing"
    for key in found:
        if key not in expected:
            return f"{_inside(place, _named(key))} is unknown"
    return None


def _named(key: Any) -> str:
    """A key from outside, without quotes where it is such a word as keys are."""
    return key if isinstance(key, str) and key.isidentifier() and len(key) < 40 else show(key)


def wrong_form(found: Any, pattern: Any, place: str = "") -> str | None:
    """Where plain data has not the form of a pattern, in one line: other keys, no dict, no list; None where all is well.

    Lists may be of any length, their entries are like the pattern's first one. What is None in the pattern may be anything.
    """
    if isinstance(pattern, Mapping):
        misfit = _misfit(found, pattern, place)
        parts: Sequence[Any] = [] if misfit else [(found[key], pattern[key], _inside(place, key)) for key in pattern]
    elif isinstance(pattern, list):
        misfit = None if isinstance(found, list | tuple) else f"{place} is {show(found)}; it must be a list"
        parts = [] if misfit or not pattern else [(entry, pattern[0], f"{place}[{i}]") for i, entry in enumerate(found)]
    else:
        return None
    return misfit or next(filter(None, (wrong_form(*part) for part in parts)), None)
