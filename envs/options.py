"""Rule options: what each may be, and checking those that are given."""

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envs.checks import show


@dataclass(frozen=True)
class Option:
    """A rule option: what it may be, what it is unless asked, and what it means.

    Attributes:
        default: The value unless asked otherwise.
        meaning: One line for ``--help`` and error messages.
        values: The allowed values, in words or numbers; empty for an option that takes a path.
    """

    default: Any
    meaning: str
    values: Sequence[Any] = ()

    @property
    def choices(self) -> str:
        """The allowed values in one line."""
        if not self.values:
            return "a path"
        if isinstance(self.values, range):
            return f"{self.values.start} to {self.values.stop - 1}"
        return ", ".join(_word(value) for value in self.values)

    def check(self, name: str, value: Any) -> Any:
        """The value, if it is allowed.

        Raises:
            ValueError: It is not; the message names the option, the value and the choices.
        """
        if not self.values:
            return None if value is None else _path(name, value)
        for allowed in self.values:
            # True == 1, but an option that takes numbers does not take booleans, nor the other way round.
            if value == allowed and isinstance(value, bool) == isinstance(allowed, bool):
                return allowed
        raise ValueError(f"option {name} is {show(value)}; choose from {self.choices}")

    def parse(self, name: str, text: str) -> Any:
        """The value that a text from the command line means.

        Raises:
            ValueError: It means none of the allowed values.
        """
        if not self.values:
            return None if text.lower() in ("", "none") else text
        for allowed in self.values:
            if text.lower() == _word(allowed).lower():
                return allowed
        raise ValueError(f"option {name} is {show(text)}; choose from {self.choices}")


def _path(name: str, value: Any) -> str:
    """A path as text; one that no system could open is told here."""
    if not isinstance(value, str | os.PathLike) or not str(value) or "\0" in str(value):
        raise ValueError(f"option {name} is {show(value)}; it must be a path")
    return str(value)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def complete_options(options: Mapping[str, Option], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """All options of a game: the given ones, checked, and the defaults of the others.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
    """
    for name in given:
        if name not in options:
            known = ", ".join(options) or "none"
            raise ValueError(f"{owner} has no option {show(name)}{suggestion(name, options)}; it has {known}")
    return {name: option.check(name, given.get(name, option.default)) for name, option in options.items()}


_LONGEST_NAME = 100  # letters that are looked at: comparing takes the square of the time


def suggestion(name: Any, known: Iterable[str]) -> str:
    """The known name that is nearest to a mistyped one, as the end of a message; empty where none is near."""
    close = difflib.get_close_matches(name[:_LONGEST_NAME], known, n=1) if isinstance(name, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""
