"""A board that somebody else may have written: its form is checked, and its size, before anything is made of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import envs
from envs.checks import integer
from envs.dicts import wrong_form
from envs.game import Game
from evaluation import json_file
from evaluation.keyed import FIRST_DEAL, OpenSecret, Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard import old
from evaluation.leaderboard.entries import Entrant
from evaluation.leaderboard.file import Board, Schedule

MOST_AGENTS, MOST_DEALS, MOST_PLAYERS, MOST_LETTERS = 200, 100_000, 16, 200

_FIGURES = ("format", "agents", "matrix", "games", "cycles", "settings", "notes", "results")


@dataclass(frozen=True)
class FoundBoard:
    """A board in a file, of the right form; whether it says the right things is another matter.

    Attributes:
        path: The file.
        text: All of it.
        facts: The data.
        game: The rule set that it names, as it is here.
        entrants: The agents.
    """

    path: Path
    text: str
    facts: Board
    game: Game
    entrants: list[Entrant]

    @classmethod
    def read(cls, path: Path) -> "FoundBoard":
        """Reads a board, a leaderboard's or an entry's.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is too large, or has not the form of a board; the message names the place.
        """
        text = json_file.read_text(path)
        facts = json_file.parse(text)
        refuse_wrong_form(facts)
        if facts["format"] == old.FORMAT:
            old.require(text)
        envs.refuse_foreign(facts["rule_set"])
        game = envs.make_game(facts["rule_set"], facts["num_players"])
        return cls(path, text, facts, game, board.entrants_of(facts))

    @property
    def is_old(self) -> bool:
        """Whether it is from before there were secrets."""
        return self.facts["format"] == old.FORMAT

    @property
    def is_entry(self) -> bool:
        """Whether it is an entry's own run, which is a claim."""
        return "entry" in self.facts

    @property
    def names(self) -> list[str]:
        """The agents' names."""
        return [entrant.name for entrant in self.entrants]

    @cached_property
    def secrets(self) -> list[Secret]:
        """One for each pair."""
        if self.is_old:
            return [OpenSecret.from_seed(self.facts["seed"])] * len(self.facts["pairs"])
        return [Secret.from_hex(text) for text in self.facts["secrets"]]

    @cached_property
    def schedule(self) -> Schedule:
        """The games that it should have."""
        facts = self.facts
        return board.schedule(facts["pairs"], facts["num_players"], facts["deals"], facts["seed"], self.secrets)


def refuse_wrong_form(facts: Any) -> None:
    """Refuses what is no board, or one too large.

    Raises:
        ValueError: It is; the message names the place.
    """
    for problem in _problems(facts):
        raise ValueError(problem)


def _problems(facts: Any) -> Iterator[str]:
    if not isinstance(facts, dict):
        yield "it is no dict"
        return
    yield from _problems_of_keys(facts)
    players = integer("num_players", facts["num_players"], 2, MOST_PLAYERS)
    deals = integer("deals", facts["deals"], 1, MOST_DEALS)
    integer("seed", facts["seed"], 0, FIRST_DEAL - 1)
    for key in ("rule_set", "env", "rules", "command"):
        if not isinstance(facts[key], str):
            yield f"{key} is {facts[key]!r}; it must be a text"
    for key in ("entrants", "pairs", "results"):
        if not isinstance(facts[key], list):
            yield f"{key} is no list"
    agents = len(facts["entrants"])
    if not 2 <= agents <= MOST_AGENTS:
        yield f"entrants are {agents}; they must be 2 to {MOST_AGENTS}"
    should = board.star(agents) if "entry" in facts else board.all_pairs(agents)
    if facts["pairs"] != should:
        who = "the first agent with each other one" if "entry" in facts else "every two agents"
        yield f"pairs must be {who}, {len(should)} pairs in order; {_first_other(facts['pairs'], should)}"
    if len(facts["results"]) != (games := len(should) * deals * players):
        yield f"it has {len(facts['results'])} games, but {len(should)} pairs on {deals} deals play {games}"
    yield from _problems_of_words(facts)


def _problems_of_keys(facts: Board) -> Iterator[str]:
    integer("format", facts.get("format"), old.FORMAT, board.FORMAT)
    keys = [key for key in board.HEADER if facts["format"] == board.FORMAT or key not in board.BY_SECRET]
    entry = ["entry"] if "entry" in facts and facts["format"] == board.FORMAT else []
    if wrong := wrong_form(facts, dict.fromkeys([*keys, *entry, *_FIGURES])):
        yield wrong


def _problems_of_words(facts: Board) -> Iterator[str]:
    versions = facts["versions"]
    words = [word for pair in versions.items() for word in pair] if isinstance(versions, dict) else [None]
    if not all(isinstance(word, str) and word.isprintable() and len(word) <= MOST_LETTERS for word in words):
        yield "versions must be short texts by the names of libraries"
    if facts["format"] == old.FORMAT:
        return
    for key in ("secrets", "commitments"):
        if not isinstance(facts[key], list) or len(facts[key]) != len(facts["pairs"]):
            yield f"{key} must be a list of {len(facts['pairs'])}, one for each pair"
        for number, text in enumerate(facts[key]):
            if not _is_hash(text):
                yield f"{key}[{number}] is {text!r}; it must be 64 hexadecimal digits"
    if not _is_hash(facts["sources"]):
        yield f"sources is {facts['sources']!r}; it must be 64 hexadecimal digits"


def _is_hash(text: Any) -> bool:
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


def _first_other(pairs: list[Any], should: list[list[int]]) -> str:
    for number, pair in enumerate(should):
        if number >= len(pairs) or pairs[number] != pair:
            return f"pair {number} should be {pair}"
    return f"there are {len(pairs)}"
