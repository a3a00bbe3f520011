"""Makes leaderboards: ``python evaluate.py --leaderboard fairy_ring``, and the results of an entry: ``--enter FILE``.

On a leaderboard every two agents play deals of their own, which come from a secret that is drawn when they first meet (see
``evaluation.leaderboard.secret_files``): as many as ``usual_deals`` says, each with all rotations; with more seats than two the
seats left over are filled with repeats of each in turn (see ``evaluation.tournament.schedule``).
"""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import envs
from agents.agent import first_line
from envs.checks import show_path
from envs.files import Lock, write_aside
from envs.game import Game
from evaluation import json_file, sandbox, workers
from evaluation.foreign import let_import
from evaluation.guarded import Player
from evaluation.keyed import Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard import secret_files
from evaluation.leaderboard.entries import ENTRIES, Entrant, Entry, baselines, entries_for, entry_files, make_entrants
from evaluation.leaderboard.file import Board
from evaluation.leaderboard.page import Shown, index_page
from evaluation.provenance import fingerprint, unfinished_results, versions
from evaluation.report.describe import complaints, costs
from evaluation.sources import own_sources
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
        path: The file; its folder is that of the checkpoints it names.
        games: Games between every two agents, rounded up to whole deals; None: as ``usual_deals`` says.
        seed: Of line-ups and intervals.
        entry: An entry whose own file this is to be; None: a leaderboard.

    Attributes:
        missing: Why agents of this package or those that have entered do not play, in a line each.
        secrets: One for each pair, as soon as they are committed to.

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
        self.path, self.seed, self.rule_set, self.is_entry = path, seed, rule_set, entry is not None
        envs.refuse_foreign(rule_set)  # an entry's file may come from anybody
        self.game = envs.make_game(rule_set, num_players)
        self.deals = -(-games // num_players) if games else usual_deals(self.game)
        # A board that is made anew has the secrets of those who have met before.
        for told in (path, secret_files.secrets_path(path), *path.parent.glob("*.secrets.json")):
            sandbox.hide(told)
        let_import(path.parent if entry else path.parent / ENTRIES)
        entered = [] if entry else [one.from_above for one in entries_for(path.parent, rule_set, num_players)]
        candidates = [entry.entrant, *baselines(self.game)] if entry else [*baselines(self.game), *entered]
        able, self.players, self.missing = make_entrants(candidates, path.parent, self.game)
        if entry and entry.entrant not in able:
            raise ValueError(self.missing[0])
        if len(able) < 2:
            who = able[0].name if able else "nobody"
            raise ValueError(f"only {who} can play {rule_set} with {num_players}; a leaderboard needs two agents")
        refuse_same_names(able)
        self.pairs = board.star(len(able)) if entry else board.all_pairs(len(able))
        self.secrets: list[Secret] = []
        self.entrants = [replace(one, file=fingerprint(one.spec(path.parent), self.game)) for one in able]

    def lock(self) -> Lock:
        """Keeps others from making this board at the same time.

        Raises:
            ValueError: Somebody does.
        """
        return Lock(self.path.parent, self.path.name)

    def commit(self) -> workers.Tournament:
        """All games of the board; their secrets are drawn and committed to when this returns.

        Raises:
            ValueError: The files of the secrets cannot be used.
            OSError: They cannot be written.
        """
        before = None
        with suppress(OSError, ValueError):  # what is no board has no secrets to keep
            before = json_file.read(self.path)
        self.secrets = secret_files.keep_or_draw(self.path, before, self.meetings)
        schedule = board.schedule(self.pairs, self.game.num_players, self.deals, self.seed, self.secrets)
        return tournament_of(self.game, self.entrants, self.path.parent, schedule, self.players)

    @property
    def facts(self) -> dict[str, Any]:
        """What a board says of the game."""
        game = self.game
        return {"env": game.id, "num_players": game.num_players, "options": dict(game.options), "rules": game.rules_digest}

    @property
    def meetings(self) -> secret_files.Meetings:
        """Who meets whom."""
        return secret_files.Meetings(self.facts, self.entrants, self.pairs)

    def board(self, match: Match) -> Board:
        """The board of the games."""
        header = self.facts | {
            "rule_set": self.rule_set,
            "sources": own_sources(),
            "seed": self.seed,
            "deals": self.deals,
            "entrants": [entrant.plain for entrant in self.entrants],
            "pairs": self.pairs,
            "secrets": [secret.hex for secret in self.secrets],
            "commitments": self.meetings.commitments(self.secrets),
            "versions": versions([entrant.agent for entrant in self.entrants], self.game),
        }
        if self.is_entry:
            header["entry"] = {key: value for key, value in self.entrants[0].plain.items() if key != "file"}
        header["command"] = board.command_of(header, self.path.name)
        return board.build(header, board.rows_of(match.lineup, match.chunk, board.deal_numbers(header)))

    def write(self, match: Match) -> list[Path]:
        """Writes the board, and beside a leaderboard what the agents cost on this machine; returns the paths."""
        texts = {self.path: board.to_text(self.board(match))}
        if not self.is_entry:
            texts[timing_path(self.path)] = json.dumps(costs(match), indent=1) + "\n"
            shutil.rmtree(games_folder(self.path), ignore_errors=True)  # they may be of other agents
        for path, text in texts.items():
            write_aside(path, text.encode())
        return list(texts)


def refuse_same_names(entrants: Sequence[Entrant]) -> None:
    """Refuses agents that a reader of the board would take for each other.

    Raises:
        ValueError: Two have one name, or two that look the same.
    """
    looks = [entrant.look for entrant in entrants]
    if doubled := [entrant.name for entrant, look in zip(entrants, looks, strict=True) if looks.count(look) > 1]:
        raise ValueError(f"two agents are called {doubled[-1]!r}; names on a leaderboard differ")


def tournament_of(
    game: Game, entrants: Sequence[Entrant], folder: Path, schedule: board.Schedule, players: Sequence[Player]
) -> workers.Tournament:
    """Games of a board whose file lies in a folder, and the players that its agents are."""
    specs, names = [entrant.spec(folder) for entrant in entrants], [entrant.name for entrant in entrants]
    return workers.Tournament(game, specs, names, schedule.lineup, schedule.deals, secrets=schedule.secrets, players=players)


def timing_path(path: Path) -> Path:
    """The file beside a board that tells what its agents cost."""
    return path.with_suffix(".timing.json")


def games_folder(path: Path) -> Path:
    """The folder of the recorded games of a board, see ``evaluation.leaderboard.recorded``."""
    return path.parent / "games" / path.stem


def replay_path(path: Path, pair: Sequence[int]) -> Path:
    """The file of the recorded game of two agents, by their numbers on a board."""
    return games_folder(path) / "{}-{}.jsonl".format(*pair)


def board_path(folder: Path, rule_set: str, num_players: int) -> Path:
    """The file of a leaderboard."""
    return folder / f"{rule_set}_{num_players}p.json"


def board_files(folder: Path) -> list[Path]:
    """The files of all leaderboards of a folder: by rule set and number of players, then those this version does not know."""
    known = [board_path(folder, *found) for found in all_boards()]
    others = sorted(path for path in folder.glob("*_*p.json") if path not in known)
    return [path for path in [*known, *others] if path.is_file()]


def write_index(folder: Path) -> Path:
    """Writes ``index.html``, which shows all leaderboards of a folder and what entries claim; returns its path.

    Raises:
        ValueError: A file is no leaderboard, or no entry; the message names it.
    """
    shown: list[Shown] = []
    claims = [found for path in entry_files(folder) if (found := _claim(path))]
    for path in board_files(folder):
        timing: Mapping[str, Any] = {}
        with suppress(OSError, ValueError):  # without it the page shows no costs
            timing = json_file.read(timing_path(path))
        try:
            found = json_file.read(path)
            shown.append(Shown(found, timing, [one for one in claims if _is_of(one, found)], _replays(path, found)))
            index_page(shown[-1:])  # a board that cannot be shown is named
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"{show_path(path)} is no leaderboard: {first_line(error)}") from error
    write_aside(folder / "index.html", index_page(shown).encode())
    return folder / "index.html"


def _replays(path: Path, found: Board) -> dict[tuple[int, int], str]:
    """Where the recorded games of a board lie, from the page, by the numbers of the agents."""
    files = {(i, j): replay_path(path, (i, j)) for i, j in found["pairs"]}
    return {pair: file.relative_to(path.parent).as_posix() for pair, file in files.items() if file.is_file()}


def _claim(path: Path) -> Board | None:
    """What an entry's own run says; None of one that has none, and of results of a form that no place can come from."""
    Entry.read(path)
    found = json_file.read(path)
    return found if found["format"] == board.FORMAT and "agents" in found else None


def _is_of(claim: Board, found: Board) -> bool:
    return [claim[key] for key in ("rule_set", "num_players")] == [found[key] for key in ("rule_set", "num_players")]


def make_boards(plans: Sequence[Plan], run: Runner, is_fresh: bool, say: Callable[[str], object]) -> list[Path]:
    """Plays boards and writes their files; returns the paths. All are committed to before the first is played.

    Raises:
        ValueError: What was played before is of another board, or somebody makes one of them.
    """
    paths = []
    with ExitStack() as locks:
        for plan in plans:
            locks.enter_context(plan.lock())
        committed = [(plan, plan.commit()) for plan in plans]
        for plan, tournament in committed:
            for line in plan.missing:
                say(line)
            say(f"{plan.path.stem}: {len(tournament.deals):,} games of {', '.join(tournament.names)}")
            partial = unfinished_results(tournament, plan.path.with_suffix(".partial.npz"), is_fresh)
            match = run(tournament, partial)
            paths += plan.write(match)
            partial.discard()
            secret_files.discard(plan.path)
            for line in complaints(match):
                say(line)
    return paths
