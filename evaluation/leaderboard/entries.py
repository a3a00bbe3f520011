"""Who plays on a leaderboard: the agents of this package, and those of others that have entered.

An entry is a JSON file in the folder ``entries`` of a leaderboard; ``leaderboard/README.md`` tells how to write one.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from agents.registry import MAKERS, search_checkpoint, search_option
from envs.checks import show
from envs.game import Game
from evaluation import json_file
from evaluation.guarded import Player
from evaluation.hosted import make_player

FORMATS = (1, 2)
"""Of an entry: as it is written by hand, and with the results of its authors' own run."""

BASELINES = ("random", "greedy", "ppo", "exit", "ismcts:100", "ismcts:400")
"""The agents of this package on a board, unless a game has its own list (``TUNED``)."""
ENTRIES = "entries"
BESIDE = (".commitments.json", ".secrets.json")
"""Ends of files that lie beside entries and are none."""

_ALIKE = str.maketrans("01i|5", "ollls")
MOST_LETTERS = 200
"""Of a name, and of each of the other words of an entry."""


@dataclass(frozen=True)
class Entrant:
    """An agent on a leaderboard.

    Attributes:
        name: What tables call it.
        agent: A word as ``agents.registry.make_agent`` takes it; the path of a checkpoint is relative to the file that names it.
        authors: Who made it; empty for the agents of this package.
        about: One line or nothing.
        file: SHA-256 of its checkpoint or source file; None where there is none.
    """

    name: str
    agent: str
    authors: tuple[str, ...] = ()
    about: str = ""
    file: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "authors", tuple(self.authors))
        words = (self.name, self.agent, self.about, *self.authors)
        if not all(isinstance(word, str) and word.isprintable() for word in words) or not self.name or not self.agent:
            raise ValueError("name, agent, about and authors must be one line of text each, name and agent not empty")
        if len(self.authors) > MOST_LETTERS or any(len(word) > MOST_LETTERS for word in words):
            raise ValueError(f"name, agent, about and authors have at most {MOST_LETTERS} letters each")
        if self.file is not None and not isinstance(self.file, str):
            raise ValueError(f"file is {self.file!r}; it must be a text or null")
        if not "".join(_base(self.name)).isascii():
            raise ValueError(f"the name is {show(self.name)}; its letters must be those of ASCII, accents aside")
        if self.look.partition(":")[0] in map(look_of, MAKERS) and self.agent != self.name:
            raise ValueError(f"the name {self.name!r} belongs to an agent of this package, but this one is {self.agent!r}")

    @classmethod
    def read(cls, facts: Any) -> "Entrant":
        """An entrant from plain data.

        Raises:
            ValueError: It lacks something, or says something unknown.
        """
        if not isinstance(facts, Mapping) or not {"name", "agent"} <= set(facts) <= set(cls.__dataclass_fields__):
            raise ValueError(f"an entrant has the keys {', '.join(cls.__dataclass_fields__)}; name and agent must be there")
        if not isinstance(facts.get("authors", []), list | tuple):
            raise ValueError("authors must be a list")
        return cls(**facts)

    @property
    def look(self) -> str:
        """The name as a reader sees it, see :func:`look_of`."""
        return look_of(self.name)

    @property
    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"authors": list(self.authors)}

    def spec(self, folder: PurePath) -> str:
        """The word for ``make_agent``, for an entrant named by a file in this folder."""
        name = search_checkpoint(self.agent) or self.agent.removesuffix(":sample")
        return self.agent.replace(name, str(folder / name)) if name.endswith(".zip") else self.agent


def look_of(name: str) -> str:
    """A name as a hasty reader sees it: without accents, capitals and double spaces, and alike what fonts show alike."""
    text = " ".join("".join(_base(name)).casefold().split()).translate(_ALIKE)
    return text.replace("rn", "m").replace("vv", "w")


def _base(name: str) -> list[str]:
    """The letters of a name without what stands on them, some of which cannot be seen."""
    return [letter for letter in unicodedata.normalize("NFKD", name) if unicodedata.category(letter)[0] != "M"]


def baselines(game: Game) -> list[Entrant]:
    """The agents of this package that belong on every board of a game, as far as they can be made."""
    return [Entrant(spec, spec) for spec in game.tuned.baselines or BASELINES if spec.partition(":")[0] in MAKERS]


def make_entrants(entrants: Sequence[Entrant], folder: Path, game: Game) -> tuple[list[Entrant], list[Player], list[str]]:
    """Makes agents, those that can be made: they play as they are, nobody makes them again.

    Args:
        entrants: Who is to play.
        folder: The folder from which their checkpoints are named.
        game: The rule set.

    Returns:
        Those that can play, the players that they are, and why the others cannot, in a line each. What players take of the
        system is given back until they are asked.
    """
    able, players, refused = [], [], []
    for entrant in entrants:
        try:
            refuse_clock(entrant.agent)
            players.append(make_player(entrant.spec(folder), game))
        except ValueError as error:
            refused.append(f"without {entrant.name}: {error}")
        else:
            players[-1].close()
            able.append(entrant)
    return able, players, refused


@dataclass(frozen=True)
class Entry:
    """An entry file.

    Attributes:
        path: The file.
        rule_set: Name of the rule set.
        num_players: Seats.
        entrant: The agent; its checkpoint is relative to the file's folder.
    """

    path: Path
    rule_set: str
    num_players: int
    entrant: Entrant

    @classmethod
    def read(cls, path: Path) -> "Entry":
        """Reads an entry file, with results or without.

        Raises:
            ValueError: The file is no entry; the message names it and says why.
        """
        try:
            facts = json_file.read(path)
            if not isinstance(facts, dict) or facts.get("format") not in FORMATS:
                raise ValueError(f"its format is not {' or '.join(map(str, FORMATS))}")
            rule_set, num_players = facts.get("rule_set"), facts.get("num_players")
            if not isinstance(rule_set, str) or type(num_players) is not int:
                raise ValueError("it must name a rule_set and a number num_players")
            return cls(path, rule_set, num_players, Entrant.read(facts.get("entry")))
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} is no entry: {error}") from error

    @property
    def from_above(self) -> Entrant:
        """The entrant as a file one folder above names it."""
        return replace(self.entrant, agent=self.entrant.spec(PurePosixPath(ENTRIES)))


def entries_for(folder: Path, rule_set: str, num_players: int) -> list[Entry]:
    """The entries of a leaderboard's folder for one rule set and number of players, by file name.

    Raises:
        ValueError: One of the files is no entry.
    """
    found = [Entry.read(path) for path in entry_files(folder)]
    return [entry for entry in found if (entry.rule_set, entry.num_players) == (rule_set, num_players)]


def entry_files(folder: Path) -> list[Path]:
    """The files of all entries of a leaderboard's folder, by name."""
    return sorted(path for path in (folder / ENTRIES).glob("*.json") if not path.name.endswith(BESIDE))


def refuse_clock(spec: str) -> None:
    """Refuses a search that is limited by time: played again, its games would not be the same.

    Raises:
        ValueError: It is such a search; one line.
    """
    if search_option(spec, "seconds") is not None:
        raise ValueError(f"agent {spec} looks at the clock, so nobody could check its games; name simulations, not seconds")
