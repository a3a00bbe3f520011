"""Makes leaderboards: ``python evaluate.py --leaderboard fairy_ring``, and the results of an entry: ``--enter FILE``.

On a leaderboard every two agents play the same deals, as many as ``usual_deals`` says, each with all rotations; with more seats
than two the seats left over are filled with repeats of each in turn (see ``evaluation.tournament.schedule``).
"""

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import envs
from envs.files import write_aside
from envs.game import Game
from evaluation import workers
from evaluation.foreign import let_import
from evaluation.keyed import Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard.entries import ENTRIES, Entrant, Entry, baselines, entered, refuse_clock
from evaluation.leaderboard.file import Board
from evaluation.leaderboard.page import index_page
from evaluation.provenance import fingerprint, unfinished_results, versions
from evaluation.report.describe import complaints, costs
from evaluation.tournament import Match
from evaluation.unfinished import UnfinishedResults

FOLDER = Path("leaderboard")
USUAL_DEALS = 100
MANY_SEATS_DEALS = 10
"""Deals every two agents play: with two players, and with more, where a deal is as many games as seats."""

Runner = Callable[[workers.Tournament, UnfinishedResults], Match]


def all_boards() -> list[tuple[str, int]]:
    """Every rule set with every number of players."""
    return [(name, count) for name in envs.GAMES for count in envs.game_module(name).PLAYERS]


def boards_for(rule_set: str, num_players: int | None) -> list[tuple[str, int]]:
    """The boards that a name on the command line means: ``all``, or a rule set of the suite.

    Raises:
        ValueError: There is no such rule set.
    """
    if "." in rule_set:
        raise ValueError(f"leaderboards are of games of the suite, not of {rule_set!r}; choose from {', '.join(envs.GAMES)}")
    if rule_set != "all":
        envs.game_module(rule_set)
    names = list(envs.GAMES) if rule_set == "all" else [rule_set]
    boards = [(name, count) for name, count in all_boards() if name in names and num_players in (None, count)]
    return boards or [(name, num_players) for name in names if num_players is not None]


def usual_deals(game: Game) -> int:
    """Deals every two agents play unless told otherwise."""
    usual = USUAL_DEALS if game.num_players == 2 else MANY_SEATS_DEALS
    return game.tuned.deals.get(game.num_players, usual)


class Plan:
    """A board that is to be played.

    Args:
        rule_set: Name of the rule set.
        num_players: Seats.
        folder: Of the file, and of the checkpoints it names.
        path: The file.
        games: Games between every two agents, rounded up to whole deals; None: as ``usual_deals`` says.
        seed: Of deals, line-ups and intervals.
        entry: An entry whose own file this is to be; None: a leaderboard.

    Attributes:
        missing: Why agents of this package or those that have entered do not play, in a line each.

    Raises:
        ValueError: There is no such game or only one agent for it, or an entry is broken or has the name of another.
    """

    def __init__(
        self,
        rule_set: str,
        num_players: int,
        path: Path,
        *,
        games: int | None = None,
        seed: int = 0,
        entry: Entry | None = None,
    ) -> None:
        self.path, self.seed = path, seed
        envs.refuse_foreign(rule_set)  # an entry's file may come from anybody
        self.game = envs.make_game(rule_set, num_players)
        usual = usual_deals(self.game) * num_players
        self.deals = -(-(games or usual) // num_players)
        known, self.missing = baselines(self.game)
        if entry is None:
            let_import(path.parent / ENTRIES)
            others, refused = entered(path.parent, self.game)
            entrants, self.missing = [*known, *others], [*self.missing, *refused]
            self.pairs = board.all_pairs(len(entrants))
        else:
            let_import(path.parent)
            entrants = [entry.entrant, *known]
            self.pairs = board.star(len(entrants))
        if len(entrants) < 2:
            raise ValueError(f"only {entrants[0].name} can play {rule_set} with {num_players}; a leaderboard needs two agents")
        self.is_entry = entry is not None
        names = [entrant.name for entrant in entrants]
        if doubled := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"two agents are called {doubled[0]!r}; names on a leaderboard differ")
        self.tournament = tournament_of(self.game, entrants, path.parent, self.pairs, self.deals, seed)
        self.entrants = [replace(one, file=fingerprint(one.spec(path.parent), self.game)) for one in entrants]
        words = ["--enter", path.name] if self.is_entry else ["--leaderboard", rule_set, "--num-players", str(num_players)]
        words += ["--games", str(games)] if games not in (None, usual) else []
        self.command = shlex.join(["python", "evaluate.py", *words, *(["--seed", str(seed)] if seed else [])])
        self.rule_set = rule_set

    def open_partial(self, is_fresh: bool = False) -> UnfinishedResults:
        """What was played of it before.

        Raises:
            ValueError: The file holds something else.
        """
        return unfinished_results(self.tournament, self.path.with_suffix(".partial.npz"), is_fresh)

    def board(self, match: Match) -> Board:
        """The board of the games."""
        game = self.game
        header: dict[str, Any] = {
            "rule_set": self.rule_set,
            "env": game.id,
            "num_players": game.num_players,
            "options": dict(game.options),
            "rules": game.rules_digest,
            "seed": self.seed,
            "noise": board.NOISE,
            "deals": self.deals,
            "entrants": [entrant.plain for entrant in self.entrants],
            "pairs": self.pairs,
            "command": self.command,
            "versions": versions(self.tournament.specs, game),
        }
        if self.is_entry:
            header["entry"] = {key: value for key, value in self.entrants[0].plain.items() if key != "file"}
        return board.build(header, board.rows_of(match.lineup, match.chunk, board.deal_numbers(header)))

    def write(self, match: Match) -> list[Path]:
        """Writes the board, and beside a leaderboard what the agents cost on this machine; returns the paths."""
        texts = {self.path: board.to_text(self.board(match))}
        if not self.is_entry:
            texts[timing_path(self.path)] = json.dumps(costs(match), indent=1) + "\n"
        for path, text in texts.items():
            write_aside(path, text.encode())
        return list(texts)


def tournament_of(
    game: Game,
    entrants: Sequence[Entrant],
    folder: Path,
    pairs: Sequence[Sequence[int]],
    deals: int,
    seed: int,
    secret: Secret | None = None,
) -> workers.Tournament:
    """All games of a board whose file lies in a folder.

    Raises:
        ValueError: An agent cannot be made, or looks at the clock.
    """
    for entrant in entrants:
        refuse_clock(entrant.agent)
    specs, names = [entrant.spec(folder) for entrant in entrants], [entrant.name for entrant in entrants]
    secret = secret or Secret.from_seed(seed)
    schedule = board.schedule(pairs, game.num_players, deals, seed, secret)
    planned = workers.Tournament(game, specs, names, *schedule, secret=secret)
    workers.close_all(planned.players)  # all boards are planned before the first is played: agents of others wait as names
    return planned


def timing_path(path: Path) -> Path:
    """The file beside a board that tells what its agents cost."""
    return path.with_suffix(".timing.json")


def board_path(folder: Path, rule_set: str, num_players: int) -> Path:
    """The file of a leaderboard."""
    return folder / f"{rule_set}_{num_players}p.json"


def board_files(folder: Path) -> list[Path]:
    """The files of all leaderboards of a folder: by rule set and number of players, then those this version does not know."""
    known = [board_path(folder, *found) for found in all_boards()]
    others = sorted(path for path in folder.glob("*_*p.json") if path not in known)
    return [path for path in [*known, *others] if path.is_file()]


def write_index(folder: Path) -> Path:
    """Writes ``index.html``, which shows all leaderboards of a folder; returns its path.

    Raises:
        ValueError: A file is no leaderboard; the message names it.
    """
    shown: list[tuple[Board, Mapping[str, Any]]] = []
    for path in board_files(folder):
        timing: Mapping[str, Any] = {}
        with suppress(OSError, json.JSONDecodeError):  # without it the page shows no costs
            timing = json.loads(timing_path(path).read_text())
        try:
            shown.append((json.loads(path.read_text()), timing))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path} is no leaderboard: {error}") from error
    write_aside(folder / "index.html", index_page(shown).encode())
    return folder / "index.html"


def make_boards(plans: Iterable[Plan], run: Runner, is_fresh: bool, say: Callable[[str], object]) -> list[Path]:
    """Plays boards and writes their files; returns the paths.

    Raises:
        ValueError: What was played before is of another board.
    """
    paths = []
    for plan in plans:
        for line in plan.missing:
            say(line)
        say(f"{plan.path.stem}: {len(plan.tournament.deals):,} games of {', '.join(plan.tournament.names)}")
        partial = plan.open_partial(is_fresh)
        match = run(plan.tournament, partial)
        paths += plan.write(match)
        partial.discard()
        for line in complaints(match):
            say(line)
    return paths
