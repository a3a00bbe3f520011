"""A game: the frozen facts and the rule functions of one rule set under one choice of options.

This is all that the rest of the suite knows of a game. A game package has a function ``make_game(name, num_players, options)``
that returns a :class:`Game`, and a table ``OPTIONS`` of its options; ``README.md`` tells how to write one.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from envs import engine
from envs.dicts import difference, wrong_form


class Section(NamedTuple):
    """A named part of an observation: its shape and what its numbers mean."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers of the flat observation it takes."""
        return prod(self.shape)


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
            return None if value is None else str(value)
        for allowed in self.values:
            # True == 1, but an option that takes numbers does not take truths, nor the other way round.
            if value == allowed and isinstance(value, bool) == isinstance(allowed, bool):
                return allowed
        raise ValueError(f"option {name} is {value!r}; choose from {self.choices}")

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
        raise ValueError(f"option {name} is {text!r}; choose from {self.choices}")


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def complete_options(options: Mapping[str, Option], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """All options of a game: the given ones, checked, and the defaults of the others.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
    """
    for name in given:
        if name not in options:
            raise ValueError(f"{owner} has no option {name!r}{suggestion(name, options)}; it has {', '.join(options)}")
    return {name: option.check(name, given.get(name, option.default)) for name, option in options.items()}


def suggestion(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


@dataclass(frozen=True, eq=False)
class Game:
    """The frozen facts and the rule functions of one rule set under one choice of options.

    Attributes:
        name: Name of the rule set, as in the table of games.
        version: Grows when what a seed and actions lead to, or what is observed, changes.
        title: The game's name in words.
        num_players: Seats, P.
        options: Every rule option with its value; plain data that fits in JSON.
        state_dtype: The record of a game; begins with ``engine.HEADER``.
        rules: ``(1,)`` record with the component tables; read only.
        num_actions: Actions, A.
        sections: The slice table of the observation.
        observation_high: No number of an observation is larger; none is below ``observation_low``.
        max_decisions: No game has more decisions.
        can_truncate: Whether a limit that is no rule of winning can end a game.
        trace_size: Numbers that ``observe_again`` notes for each row, see ``engine``.
        kernels: The module with the compiled loops.
        words: The module with ``to_dict``, ``from_dict``, ``move``, ``action`` and ``sentence``.
        pictures: The module with ``text(game, view)`` and ``svg(game, view)``.
    """

    name: str
    version: int
    title: str
    num_players: int
    options: Mapping[str, Any]
    state_dtype: np.dtype
    rules: np.ndarray
    num_actions: int
    sections: Sequence[Section]
    observation_high: float
    max_decisions: int
    kernels: ModuleType
    words: ModuleType
    pictures: ModuleType
    observation_low: float = 0.0
    can_truncate: bool = False
    trace_size: int = 1
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        engine.module_kernels(self.kernels)
        header = [name for name, *_ in engine.HEADER]
        if list(self.state_dtype.names or ())[: len(header)] != header:
            raise TypeError(f"{self.name}: the record must begin with the fields {', '.join(header)}")
        self.rules.flags.writeable = True  # compiled code makes no difference between the two, one type is enough
        object.__setattr__(self, "state_dtype", engine.interned(self.state_dtype))
        object.__setattr__(self, "rules", self.rules.view(engine.interned(self.rules.dtype)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled functions are not pickled: the game is made anew from its name and options.
        return _remake, (self.kernels.__name__, self.name, self.num_players, dict(self.options))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Game({self.name!r}, num_players={self.num_players}{options})"

    @property
    def id(self) -> str:
        """Name and version, as in ``fairy_ring-v0``."""
        return f"{self.name}-v{self.version}"

    @cached_property
    def observation_size(self) -> int:
        """Length D of an observation."""
        return sum(section.size for section in self.sections)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each section lies in an observation."""
        table, start = {}, 0
        for section in self.sections:
            table[section.name] = slice(start, start + section.size)
            start += section.size
        return table

    def section(self, observation: np.ndarray, name: str) -> np.ndarray:
        """A section of observations in its own shape.

        Args:
            observation: ``(..., D) float32``.
            name: A name of the slice table.

        Returns:
            ``(..., *shape)``, a view where the memory allows one.
        """
        shape = next(section.shape for section in self.sections if section.name == name)
        return observation[..., self.slices[name]].reshape(*observation.shape[:-1], *shape)

    def slice_table(self) -> str:
        """The slice table as text: place, name, shape and meaning of every section."""
        lines = [f"{self.id}, {self.num_players} players: {self.observation_size} numbers"]
        for section in self.sections:
            place = self.slices[section.name]
            shape = "x".join(map(str, section.shape))
            lines.append(f"{place.start:5}:{place.stop:<5} {section.name:16} {shape:10} {section.meaning}")
        return "\n".join(lines)

    # --- words ---

    def to_dict(self, record: np.ndarray, seat: int | None = None) -> dict[str, Any]:
        """A record as plain data: whole, or as one seat sees it (what it cannot know is None)."""
        return self.words.to_dict(self, as_record(record), seat)

    def from_dict(self, state: Mapping[str, Any], seed: int = 0) -> np.ndarray:
        """The record that a full dict describes, with a random word made from ``seed``.

        Returns:
            ``(1,)`` record.

        Raises:
            ValueError: The dict is not a possible state; the message names the place.
        """
        record = np.zeros(1, self.state_dtype)
        with np.errstate(over="ignore"):
            record[0]["rng"] = engine.seed_word(np.uint64(seed), 0, 0)
        wrong = wrong_form(state, self._pattern)
        if wrong is None:
            try:
                self.words.from_dict(self, state, record[0])
            except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
                raise ValueError(f"the dict is no state of {self}: {error!r}") from error
            wrong = difference(state, self.to_dict(record))
        if wrong is None:
            wrong = self._first_fault(record, self._faults(record))
        if wrong is not None:
            raise ValueError(wrong)
        return record

    def check_records(self, records: np.ndarray) -> None:
        """Refuses records that are not possible positions; records from outside go through here before compiled code sees them.

        A record passes if ``from_dict`` makes the same of its dict, whatever its random word, and if its number of decisions is
        one that such a position can have. Besides, a game may be over although its rules did not end it: where an illegal action
        forfeited it, nobody is to act in a position that is otherwise possible.

        Args:
            records: ``(N,)`` of ``state_dtype``, contiguous.

        Raises:
            ValueError: Another type or shape, or an impossible record; the message names the row, the field and what it may be.
        """
        if not isinstance(records, np.ndarray) or records.dtype != self.state_dtype:
            kind = getattr(records, "dtype", type(records).__name__)
            found = "of other fields" if getattr(kind, "names", None) else kind
            raise ValueError(f"records are {found}; they must be an array of the state_dtype of {self!r}")
        if records.ndim != 1 or not records.flags.c_contiguous:
            raise ValueError(f"records have shape {records.shape} and strides {records.strides}; they must be (N,) without gaps")
        faults = self._faults(records)
        ended = np.flatnonzero((faults != 0) & (records["current_player"] == engine.NO_PLAYER))
        faults[ended] *= ~self._are_forfeited(records[ended])
        wrong = self._first_fault(records, faults)
        if wrong is not None:
            raise ValueError(f"row {np.flatnonzero(faults)[0]}: {wrong}")

    def _faults(self, records: np.ndarray) -> np.ndarray:
        """``(N,) int64``: 0, or 1 + the place of the first impossible field of each record."""
        if not (records.flags.aligned and records.flags.writeable):
            records = records.copy()  # what compiled code knows of memory is made for arrays of our own
        faults = np.zeros(len(records), np.int64)
        self.kernels.check_batch(records.view(self.state_dtype), self.rules, faults)
        # The gaps of one game have other names for other numbers of players, which compiled code cannot follow.
        for place, name in enumerate(self.state_dtype.names or (), 1):
            if name.startswith(engine.GAP):
                faults[(faults == 0) & records[name].any(axis=1)] = place
        return faults

    def _are_forfeited(self, records: np.ndarray) -> np.ndarray:
        """``(N,) bool``: where some seat would be to act had the last action not ended the game."""
        before = np.repeat(records, self.num_players)
        before["current_player"] = np.tile(np.arange(self.num_players), len(records))
        before["decisions"] -= before["decisions"] > 0
        return (self._faults(before) == 0).reshape(-1, self.num_players).any(axis=1)

    def _first_fault(self, records: np.ndarray, faults: np.ndarray) -> str | None:
        """What is impossible in the first record that is, in words."""
        for fault in faults[faults != 0][:1]:
            field = (self.state_dtype.names or ())[fault - 1]
            may_be = "zeros" if field.startswith(engine.GAP) else getattr(self.kernels, "POSSIBLE", {}).get(field)
            return f"field {field} is not possible" + (f": it must be {may_be}" if may_be else "")
        return None

    @cached_property
    def _pattern(self) -> dict[str, Any]:
        """The form of every full dict of this game: one of a game just dealt."""
        record, stream = np.zeros(1, self.state_dtype), np.zeros(1, engine.STREAM)
        rows = [engine.rows(np.zeros((1, size), kind)) for size, kind in (
            (self.observation_size, np.float32), (self.trace_size, np.int64), (self.num_actions, np.int8)
        )]  # fmt: skip
        self.kernels.reset_batch(
            record, self.rules, stream, 0, True, *rows,
            np.zeros(1, np.int8), np.zeros(1, engine.result_dtype(self.num_players)), np.zeros(1, np.int8),
        )  # fmt: skip
        return self.words.to_dict(self, record[0], None)

    def move(self, record: np.ndarray, action: int) -> dict[str, Any]:
        """The structured form of a legal action."""
        return self.words.move(self, as_record(record), int(action))

    def action(self, record: np.ndarray, move: Mapping[str, Any]) -> int:
        """The action that a structured move means.

        Raises:
            ValueError: It means no legal action here.
        """
        record = as_record(record)
        for action in self.legal_actions(record):
            if self.words.move(self, record, action) == move:
                return action
        raise ValueError(f"{dict(move)} is not a legal move here")

    def sentence(self, record: np.ndarray, action: int) -> str:
        """A legal action in words."""
        return self.words.sentence(self, as_record(record), int(action))

    def legal_actions(self, record: np.ndarray) -> list[int]:
        """The legal actions of the player to act, in order; none when the game is over."""
        record = as_record(record)
        if record["current_player"] < 0:
            return []
        mask = np.zeros(self.num_actions, np.int8)
        self.kernels.legal_single(np.atleast_1d(record), self.rules, engine.rows(mask[None]))
        return np.flatnonzero(mask).tolist()

    def text(self, record: np.ndarray, seat: int | None = None) -> str:
        """A picture for a terminal, whole or as one seat sees it."""
        return self.pictures.text(self, self.to_dict(record, seat))

    def svg(self, record: np.ndarray, seat: int | None = None) -> str:
        """A picture as SVG text, whole or as one seat sees it."""
        return self.pictures.svg(self, self.to_dict(record, seat))


def as_record(record: np.ndarray) -> Any:
    """One record, from a record or an array of one."""
    return record[0] if getattr(record, "shape", ()) == (1,) else record


def _remake(module: str, name: str, num_players: int, options: dict[str, Any]) -> Game:
    from importlib import import_module

    return import_module(module).make_game(name, num_players, options)
