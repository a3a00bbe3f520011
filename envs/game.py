"""A game: the frozen facts and the rule functions of one rule set under one choice of options.

This page is all that the rest of the suite knows of a game. A game is a package, or a single module, that has

* ``make_game(name, num_players, options)``, which gives a :class:`Game`;
* ``PLAYERS``, the numbers of players it is for, and ``OPTIONS``, a table of :class:`envs.options.Option`;
* perhaps ``TUNED``, a :class:`Tuned`: what else the suite has for it;
* a module with the verbs over one record, which ``engine.install`` compiles into the loops that :class:`Kernels` lists;
* modules with words and pictures, see :class:`Words` and :class:`Pictures`.

``envs.engine`` says what the verbs are, ``CONTRIBUTING.md`` how to write a game, and ``examples/tic_tac_toe.py`` is a whole one.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from envs import engine, records
from envs.checks import MAX_SEED, index_of, integer, seat_or_none, show
from envs.dicts import difference, wrong_form
from envs.drawing.marks import Marks
from envs.events import MOVE, Event, View


class Section(NamedTuple):
    """A named part of an observation: its shape and what its numbers mean."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers of the flat observation it takes."""
        return prod(self.shape)


LEGAL = Section("legal", (1,), "1: the action is legal; all numbers of other actions are 0")
"""The first section of what is told of an action."""

MOST_FEATURE = 16.0
"""No number that is told of an action is larger, none below its opposite."""


def _slices(sections: "Sequence[Section]") -> dict[str, slice]:
    """Where each section lies when they follow one another."""
    table, start = {}, 0
    for section in sections:
        table[section.name] = slice(start, start + section.size)
        start += section.size
    return table


class Kernels(Protocol):
    """The compiled loops that ``engine.install`` makes of a game's verbs; their texts in ``engine/loops.py`` tell the arguments.

    Arrays of rows are records, see ``engine.rows``. N games, P seats, D observation length, A actions.
    """

    def reset_batch(self, *arrays: Any) -> int:
        """Deals a game in every row; returns how many deals were passed over."""

    def step_batch(self, *arrays: Any) -> tuple[int, int]:
        """Plays a decision in every row; returns how many games ended and how many deals were passed over."""

    def show_batch(self, *arrays: Any) -> None:
        """Writes observation, mask and seat to act of every row."""

    def observe_batch(self, states: Any, rules: Any, seats: Any, observations: Any) -> None:
        """Writes the view of a seat of every row."""

    def describe_batch(self, states: Any, rules: Any, masks: Any, tools: Any, features: Any) -> None:
        """Writes the features of the legal actions of every row."""

    def standings_batch(self, states: Any, rules: Any, results: Any) -> None:
        """Writes scores and standings of every row as they are now."""

    def redeal_batch(self, states: Any, rules: Any, seats: Any, words: Any, worlds: Any) -> None:
        """Copies every row and deals anew what a seat cannot know."""

    def sample_batch(self, masks: Any, words: Any, actions: Any) -> None:
        """Draws a random legal action for every row."""

    def first_illegal(self, masks: Any, seats: Any, actions: Any) -> int:
        """The first row with an illegal action, -1 if there is none."""

    def check_batch(self, states: Any, rules: Any, scratch: Any, faults: Any) -> None:
        """Writes for every row 0, or 1 + the place of its first impossible field."""

    def legal_single(self, states: Any, rules: Any, masks: Any) -> None:
        """Writes the action mask of one game."""

    def single_reset(self, io: Any, stream: Any, kind: int) -> int:
        """Deals the one game of an AEC environment."""

    def single_step(self, io: Any, action: int, kind: int, policy: int) -> int:
        """Plays a decision in the one game of an AEC environment."""

    def single_show(self, io: Any) -> None:
        """Writes observation and mask of the one game of an AEC environment."""

    def single_observe(self, io: Any, seat: int, observations: Any) -> None:
        """Writes the view of a seat of the one game of an AEC environment."""

    def single_describe(self, io: Any, tools: Any, features: Any) -> None:
        """Writes the features of the legal actions of the one game of an AEC environment."""


class Words(Protocol):
    """A game in words. ``state`` is one record; actions are legal.

    A game may also have ``guide(game) -> str``, its rules in plain words for who plays by text.
    """

    def to_dict(self, game: "Game", state: Any, seat: int | None) -> dict[str, Any]:
        """The record as plain data; what ``seat`` cannot know is None."""

    def from_dict(self, game: "Game", view: Mapping[str, Any], state: Any) -> None:
        """Fills a record from a full dict; a ValueError names the place where it is no possible state."""

    def move(self, game: "Game", state: Any, action: int) -> dict[str, Any]:
        """The structured form of an action."""

    def sentence(self, game: "Game", state: Any, action: int) -> str:
        """An action in words."""


Tell = Callable[["Game", View | None, View | None, View, str], list[Event]]
"""What happened: of game, state dict before, structured move, state dict after, and the move's sentence. The dicts are what one
seat sees; nothing may be told that they do not say. Of the deal, where ``before`` and the move are None, a heading."""


class Pictures(Protocol):
    """A game in pictures, drawn from a state dict alone, whole or as one seat sees it.

    A game whose boards can be clicked also has ``target(game, view, move) -> str``, the name of the piece that a structured move
    acts on; its ``svg`` takes ``envs.drawing.marks.Marks`` as a third argument and names pieces by ``data-piece``.
    """

    def text(self, game: "Game", view: Mapping[str, Any]) -> str:
        """Plain characters for a terminal."""

    def svg(self, game: "Game", view: Mapping[str, Any]) -> str:
        """An SVG document."""


class Outcome(NamedTuple):
    """What an event of chance may lead to: in words, how likely, and the record ``(1,)``, read only, after it."""

    words: str
    probability: float
    record: np.ndarray


class Chance(Protocol):
    """The chance of a game event by event, each with all its outcomes: for games that are small enough to be solved."""

    def before_deal(self, game: "Game") -> np.ndarray:
        """The record ``(1,)`` before anything is dealt."""

    def num_deals(self, game: "Game") -> int:
        """How many events the deal has."""

    def deal_outcomes(self, game: "Game", record: np.ndarray, number: int) -> list[Outcome]:
        """What event ``number`` of the deal may lead to."""

    def action_outcomes(self, game: "Game", record: np.ndarray, action: int) -> list[Outcome]:
        """What a legal action may lead to; empty if it involves no chance."""

    def most_outcomes(self, game: "Game") -> int:
        """Most outcomes of any event."""


@dataclass(frozen=True)
class Tuned:
    """What the suite has for one game beside its rules; named by words, so that no game imports a player of it.

    Attributes:
        greedy: ``module:Class`` of its rule-based player; a module with ``decide`` serves the search too.
        network: ``module:Class`` of a network that knows what the parts of its observation are.
        search: Options of ``ismcts`` that suit it best, see ``agents.search.Settings``.
        training: Settings of a training run that differ from the usual ones, see ``training.settings.Settings``.
        taught: The same of a run that learns from a search; they go before those of ``training``.
        baselines: Agents of its leaderboards, where they differ from the usual ones.
        deals: By number of players, deals that every two agents of a leaderboard play, where they differ from the usual ones.
    """

    greedy: str | None = None
    network: str | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    taught: Mapping[str, Any] = field(default_factory=dict)
    baselines: Sequence[str] | None = None
    deals: Mapping[int, int] = field(default_factory=dict)


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
        kernels: The compiled loops over a batch.
        words: The game in words.
        pictures: The game in pictures.
        tell: What happened, for a log; None: a move's sentence is all there is to tell, and nobody moves in secret.
        action_sections: The slice table of what is told of an action, behind ``legal``; empty where actions are not described.
        features_version: Grows when what is told of an action changes.
        describe_tools: Makes what ``describe`` works with, see ``engine``; None: one record of the game.
        package: The module that has ``make_game``.
        facts: What else players of the game may read.
        chance: The module with its events of chance, see :class:`Chance`; None: the random word alone decides.
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
    kernels: Kernels
    words: Words
    pictures: Pictures
    package: str
    observation_low: float = 0.0
    can_truncate: bool = False
    trace_size: int = 1
    tell: Tell | None = None
    action_sections: Sequence[Section] = ()
    features_version: int = 0
    describe_tools: "Callable[[Game], Any] | None" = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    chance: str | None = None

    def __post_init__(self) -> None:
        engine.require_loops(self.kernels)
        header = [name for name, *_ in engine.HEADER]
        if list(self.state_dtype.names or ())[: len(header)] != header:
            raise TypeError(f"{self.name}: the record must begin with the fields {', '.join(header)}")
        object.__setattr__(self, "state_dtype", engine.interned(self.state_dtype))
        # Over bytes, which nobody can make writeable: an agent with the tables in hand cannot change everybody's game.
        rules = np.frombuffer(self.rules.tobytes(), engine.interned(self.rules.dtype))
        object.__setattr__(self, "rules", rules)

    def __copy__(self) -> "Game":
        return self  # it never changes

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled functions are not pickled but found again by their modules; the tables are, so no file is read anew.
        modules = {name: getattr(self, name).__name__ for name in _MODULES}
        return _remake, (modules, {item.name: getattr(self, item.name) for item in fields(self) if item.name not in _MODULES})

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Game({self.name!r}, num_players={self.num_players}{options})"

    @property
    def id(self) -> str:
        """Name and version, as in ``fairy_ring-v0``."""
        return f"{self.name}-v{self.version}"

    @cached_property
    def tuned(self) -> Tuned:
        """What the suite has for the game beside its rules."""
        return getattr(import_module(self.package), "TUNED", Tuned())

    @cached_property
    def rules_digest(self) -> str:
        """SHA-256 of the component tables, which tells a deck of one's own from others."""
        return hashlib.sha256(self.rules.tobytes()).hexdigest()

    @cached_property
    def observation_size(self) -> int:
        """Length D of an observation."""
        return sum(section.size for section in self.sections)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each section lies in an observation."""
        return _slices(self.sections)

    @cached_property
    def num_features(self) -> int:
        """Numbers F that are told of an action; 0 where actions are not described."""
        return sum(section.size for section in self._told_of_actions)

    @cached_property
    def action_slices(self) -> dict[str, slice]:
        """Where each section lies in the features of an action."""
        return _slices(self._told_of_actions)

    @property
    def _told_of_actions(self) -> Sequence[Section]:
        return [LEGAL, *self.action_sections] if self.action_sections else []

    def section(self, observation: np.ndarray, name: str) -> np.ndarray:
        """A section of observations in its own shape.

        Args:
            observation: ``(..., D) float32``.
            name: A name of the slice table.

        Returns:
            ``(..., *shape)``, a view where the memory allows one.

        Raises:
            ValueError: There is no such section, or they are no observations.
        """
        index_of("name", name, list(self.slices))
        shape = next(section.shape for section in self.sections if section.name == name)
        found = getattr(observation, "shape", type(observation).__name__)
        if not isinstance(observation, np.ndarray) or found[-1:] != (self.observation_size,):
            raise ValueError(f"observation is {show(found)}; it must be an array of shape (..., {self.observation_size})")
        return observation[..., self.slices[name]].reshape(*observation.shape[:-1], *shape)

    def slice_table(self) -> str:
        """The slice table of the observation as text: place, name, shape and meaning of every section."""
        return self._table(self.sections, f"{self.observation_size} numbers")

    def action_table(self) -> str:
        """The same of the features of an action."""
        return self._table(self._told_of_actions, f"{self.num_features} numbers of an action")

    def _table(self, sections: Sequence[Section], title: str) -> str:
        slices, lines = _slices(sections), [f"{self.id}, {self.num_players} players: {title}"]
        for section in sections:
            place, shape = slices[section.name], "x".join(map(str, section.shape))
            lines.append(f"{place.start:5}:{place.stop:<5} {section.name:16} {shape:10} {section.meaning}")
        return "\n".join(lines)

    # --- words ---

    @cached_property
    def guide(self) -> str:
        """The rules in plain words: of a game that has no own page of them, the head of its module."""
        own = getattr(self.words, "guide", None)
        return own(self) if own else import_module(self.package).__doc__ or self.title

    def to_dict(self, record: np.ndarray, seat: int | None = None) -> dict[str, Any]:
        """A record as plain data: whole, or as one seat sees it (what it cannot know is None).

        Raises:
            ValueError: It is no record of this game, or there is no such seat.
        """
        record, seat = self.one_record(record), seat_or_none(seat, self.num_players)
        try:
            return self.words.to_dict(self, record, seat)
        except (LookupError, ArithmeticError, TypeError, ValueError):
            self.check_records(np.array([record], self.state_dtype))  # says what is wrong with a record that has no dict
            raise

    def from_dict(self, state: Mapping[str, Any], seed: int = 0) -> np.ndarray:
        """The record that a full dict describes, with a random word made from ``seed``.

        Returns:
            ``(1,)`` record.

        Raises:
            ValueError: The dict is not a possible state; the message names the place.
        """
        record = np.zeros(1, self.state_dtype)
        with np.errstate(over="ignore"):
            record[0]["rng"] = engine.seed_word(np.uint64(integer("seed", seed, 0, MAX_SEED)), 0, 0)
        wrong = wrong_form(state, self._pattern)
        if wrong is None:
            try:
                self.words.from_dict(self, state, record[0])
            except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
                raise ValueError(f"the dict is no state of {self}: {show(error)}") from error
            wrong = difference(state, self.to_dict(record))
        if wrong is None:
            wrong = records.first_fault(self, records.faults_of(self, record))
        if wrong is not None:
            raise ValueError(wrong)
        return record

    def check_records(self, given: np.ndarray) -> None:
        """Refuses records that are not possible positions; records from outside go through here before compiled code sees them.

        A record passes if ``from_dict`` makes the same of its dict, whatever its random word, and if its number of decisions is
        one that such a position can have. Besides, a game may be over although its rules did not end it: where an illegal action
        forfeited it, nobody is to act in a position that is otherwise possible.

        Args:
            given: ``(N,)`` of ``state_dtype``, contiguous.

        Raises:
            ValueError: Another type or shape, or an impossible record; the message names the row, the field and what it may be.
        """
        records.check(self, given)

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
        """The structured form of a legal action.

        Raises:
            ValueError: It is not legal here, or there is no such record.
        """
        return self.words.move(self, *self._legal(record, action))

    def action(self, record: np.ndarray, move: Mapping[str, Any]) -> int:
        """The action that a structured move means.

        Raises:
            ValueError: It means no legal action here.
        """
        record = self.one_record(record)
        for action in self.legal_actions(record):
            if _is_same(self.words.move(self, record, action), move):
                return action
        raise ValueError(f"{show(move)} is not a legal move here")

    def sentence(self, record: np.ndarray, action: int) -> str:
        """A legal action in words.

        Raises:
            ValueError: It is not legal here, or there is no such record.
        """
        return self.words.sentence(self, *self._legal(record, action))

    def _legal(self, record: np.ndarray, action: int) -> tuple[Any, int]:
        """A record and an action that is legal there."""
        legal, number = self.legal_actions(record), integer("action", action, 0, self.num_actions - 1)
        if number not in legal:
            raise ValueError(f"action {number} is not legal here; legal are {legal}")
        return self.one_record(record), number

    def legal_actions(self, record: np.ndarray) -> list[int]:
        """The legal actions of the player to act, in order; none when the game is over."""
        records = np.array([self.one_record(record)], self.state_dtype)  # of our own: compiled code is made for no other memory
        if records["current_player"][0] < 0:
            return []
        mask = np.zeros(self.num_actions, np.int8)
        self.check_records(records)
        self.kernels.legal_single(records, self.rules, engine.rows(mask[None]))
        return np.flatnonzero(mask).tolist()

    def one_record(self, record: Any) -> Any:
        """One record, from a record or an array of one.

        Raises:
            ValueError: It is none of this game.
        """
        if getattr(record, "shape", None) == (1,):
            record = record[0]
        if not isinstance(record, np.void) or record.dtype != self.state_dtype:
            kind = getattr(record, "dtype", type(record).__name__)
            found = "of other fields" if getattr(kind, "names", None) else show(kind)
            raise ValueError(f"the record is {found}; it must be one record of the state_dtype of {self!r}")
        return record

    def text(self, record: np.ndarray, seat: int | None = None) -> str:
        """A picture for a terminal, whole or as one seat sees it."""
        return self.pictures.text(self, self.to_dict(record, seat))

    def svg(self, record: np.ndarray, seat: int | None = None, marks: Marks | None = None) -> str:
        """A picture as SVG text, whole or as one seat sees it, with what is to be marked in it."""
        return self.draw(self.to_dict(record, seat), marks)

    def draw(self, view: View, marks: Marks | None = None) -> str:
        """A state dict as SVG text, with what is to be marked in it; a game whose boards cannot be clicked leaves marks out."""
        if marks is None or not hasattr(self.pictures, "target"):
            return self.pictures.svg(self, view)
        return self.pictures.svg(self, view, marks)  # type: ignore[call-arg]

    def choices(self, record: np.ndarray, seat: int | None = None) -> dict[str, list[int]]:
        """The legal actions by the pieces of a picture that they act on; none where another seat is to act.

        Of actions that mean the same move the first stands for all.
        """
        target, record = getattr(self.pictures, "target", None), self.one_record(record)
        if target is None or seat not in (None, int(record["current_player"])):
            return {}
        view, found, moves = self.to_dict(record, seat), dict[str, list[int]](), list[Mapping[str, Any]]()
        for action in self.legal_actions(record):
            move = self.words.move(self, record, action)
            if move not in moves:
                moves.append(move)
                found.setdefault(target(self, view, move), []).append(action)
        return found

    # --- what happened ---

    def opening(self, record: np.ndarray, seat: int | None = None) -> list[Event]:
        """What there is to tell of a game just dealt, whole or as one seat sees it."""
        return self.told_of_deal(self.to_dict(record, seat))

    def told_of_deal(self, view: View) -> list[Event]:
        """The same, of the deal as somebody sees it."""
        return [] if self.tell is None else self.tell(self, None, None, view, "")

    def events(self, before: np.ndarray, action: int, after: np.ndarray, seat: int | None = None) -> list[Event]:
        """What a legal action led to, whole or as far as one seat knows of it.

        Args:
            before: The record in which it was played.
            action: The action.
            after: The record that it led to.
            seat: Who is told; None for one who sees everything.
        """
        record, action = self._legal(before, action)
        return self.told_of_move(record, action, self.to_dict(record, seat), self.to_dict(after, seat))

    def told_of_move(self, record: Any, action: int, before: View, after: View) -> list[Event]:
        """The same, of views that somebody has; ``record`` is one of the caller's own and the action legal, without a check."""
        sentence = self.words.sentence(self, record, action)
        if self.tell is None:
            return [Event(MOVE, sentence, int(record["current_player"]))]
        return self.tell(self, before, self.words.move(self, record, action), after, sentence)


def _is_same(move: Mapping[str, Any], given: Any) -> bool:
    """Whether something from outside is this move; an array in it, say, is no number."""
    try:
        return bool(move == given)
    except Exception:  # an object from outside may refuse to be compared in any way
        return False


_MODULES = ("kernels", "words", "pictures")


def _remake(modules: Mapping[str, str], facts: Mapping[str, Any]) -> Game:
    return Game(**facts, **{name: import_module(module) for name, module in modules.items()})  # type: ignore[arg-type]
