"""Checks a leaderboard: its figures follow from its games, and its games come out the same when they are played again.

Which games are played again is drawn by a hash of the file's content, so whoever changes a result draws anew; one who checks
others should add a word of their own, named after the file was handed in.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import envs
from envs.game import Game
from evaluation import workers
from evaluation.foreign import let_import
from evaluation.leaderboard import file as board
from evaluation.leaderboard.entries import ENTRIES
from evaluation.leaderboard.file import Board, Row
from evaluation.leaderboard.make import tournament_of
from evaluation.provenance import fingerprint, versions

MOST_SHOWN, MOST_LETTERS = 10, 100
HEADING = ' "results": ['


def check(path: Path, share: float, salt: str = "", workers_count: int | None = None) -> tuple[list[str], str]:
    """Checks a file, a leaderboard's or an entry's.

    Args:
        path: The file.
        share: Part of the deals of the pairs that is played again, above 0; one at least.
        salt: A word that decides, with the content, which.
        workers_count: Processes, see ``evaluation.workers.run``.

    Returns:
        What is wrong, a line each; and a sentence that tells what was done.
    """
    try:
        text = path.read_text()
        found = json.loads(text)
        envs.refuse_foreign(found["rule_set"])
        game = envs.make_game(found["rule_set"], found["num_players"])
        problems, names = list(_facts(found, game)), [entrant["name"] for entrant in found["entrants"]]
        schedule = board.schedule(found["pairs"], game.num_players, found["deals"], found["seed"], board.secret_of(found))
        problems += _schedule(found, schedule[0])
        if problems:
            return [f"{path}: {problem}" for problem in problems[:MOST_SHOWN]], f"{path}: nothing was played"
        problems += [f"{path}:{line}" for line in _figures(found, text)]
        replayed = _Replay(path, found, game, drawn(found, text, share, salt))
        problems += [f"{path}: {problem}" for problem in replayed.strangers()]
        problems += [f"{path}:{line}" for line in replayed.differences(text, names, workers_count)]
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        return [f"{path} is no leaderboard with results: {reason}"], f"{path}: nothing was played"
    different = versions(replayed.planned.specs, game) != found["versions"]
    about = f"{path}: {len(replayed.games)} of {len(found['results'])} games were played again"
    return problems, about + " (with other versions of Python or libraries than it was made with)" * different


def drawn(found: Board, text: str, share: float, salt: str = "") -> np.ndarray:
    """The numbers of the games to play again: all rotations of the deals drawn, ``(n,) int64``."""
    content = hashlib.sha256(text.encode()).hexdigest()
    blocks = list(itertools.product(range(len(found["pairs"])), range(found["deals"])))
    luck = [hashlib.sha256(f"{salt}\n{content}\n{pair} {deal}".encode()).digest() for pair, deal in blocks]
    chosen = [k for k, word in enumerate(luck) if int.from_bytes(word[:8]) < share * 2**64]
    chosen = chosen or [min(range(len(luck)), key=lambda k: luck[k])]
    return (np.array(chosen)[:, None] * found["num_players"] + np.arange(found["num_players"])).ravel()


def _facts(found: Board, game: Game) -> Iterator[str]:
    """What of the game is not as it is here."""
    here = {"env": game.id, "options": dict(game.options), "rules": game.rules_digest}
    for key, value in here.items():
        if found[key] != value:
            yield f"its {key} is {found[key]!r}, but here it is {value!r}"


def _schedule(found: Board, lineup: np.ndarray) -> Iterator[str]:
    """Games that are not those of the schedule."""
    numbers, rows = board.deal_numbers(found), found["results"]
    if len(rows) != len(lineup):
        yield f"it has {len(rows)} games, but {len(found['pairs'])} pairs on {found['deals']} deals play {len(lineup)}"
        return
    for number, (row, deal, seats) in enumerate(zip(rows, numbers.tolist(), lineup.tolist(), strict=True)):
        if row[:2] != [deal, seats]:
            yield f"game {number} is of deal {row[0]} with line-up {row[1]}, but the schedule has deal {deal} with {seats}"


def _figures(found: Board, text: str) -> Iterator[str]:
    """The first line that is not as the games of the file make it."""
    header = ("rule_set", "env", "num_players", "options", "rules", "seed", "deals", "entrants", "pairs", "command", "versions")
    kept = {key: found[key] for key in [*header, *(key for key in ("entry", "noise") if key in found)]}
    right = board.to_text(board.build(kept, found["results"])).splitlines()
    for number, (line, wanted) in enumerate(itertools.zip_longest(text.splitlines(), right, fillvalue=""), 1):
        if line != wanted:
            both = f"{line.strip()[:MOST_LETTERS]!r} should be {wanted.strip()[:MOST_LETTERS]!r}"
            yield f"{number}: the figures are not those of the games: {both}"
            return


class _Replay:
    """Some games of a file, played again."""

    def __init__(self, path: Path, found: Board, game: Game, games: np.ndarray) -> None:
        let_import(path.parent / ENTRIES)
        let_import(path.parent)
        self.found, self.games, self.game = found, games, game
        self.entrants, self.folder = board.entrants_of(found), path.parent
        whole = tournament_of(
            game, self.entrants, path.parent, found["pairs"], found["deals"], found["seed"], board.secret_of(found)
        )
        self.planned = workers.Tournament(
            game, whole.specs, whole.names, whole.lineup[games], whole.deals[games], secret=whole.secret, players=whole.players
        )

    def strangers(self) -> Iterator[str]:
        """Agents whose files are not those that played."""
        for entrant in self.entrants:
            if entrant.file != (here := fingerprint(entrant.spec(self.folder), self.game)):
                yield f"the file of {entrant.name} is not the one that played: {here} instead of {entrant.file}"

    def differences(self, text: str, names: Sequence[str], workers_count: int | None) -> Iterator[str]:
        """Games that come out otherwise."""
        played = workers.run_games(self.planned, workers_count)
        numbers = board.deal_numbers(self.found)[self.games]
        lines = text.splitlines()
        # In a file of another form, which has been told, games have no lines.
        first = lines.index(HEADING) + 2 if HEADING in lines else 0
        wrong = 0
        for game, row in zip(self.games.tolist(), board.rows_of(self.planned.lineup, played, numbers), strict=True):
            claimed: Row = self.found["results"][game]
            if board.line_of(claimed) == board.line_of(row):
                continue
            wrong += 1
            if wrong <= MOST_SHOWN:
                who = " + ".join(names[k] for k in sorted(set(row[1])))
                both = f"the file says {json.dumps(claimed)}, played again {json.dumps(row)}"
                yield f"{first + game}: {who} on deal {row[0]}: {both}"
        if wrong > MOST_SHOWN:
            yield f"{first}: and {wrong - MOST_SHOWN} more games differ"


def check_all(paths: Sequence[Path], share: float, salt: str, count: int | None, say: Callable[[str], Any]) -> bool:
    """Checks files one after the other; returns whether all are well."""
    is_well = True
    for path in paths:
        problems, about = check(path, share, salt, count)
        for problem in problems:
            say(problem)
        say(f"{about}: {f'{len(problems)} differences' if problems else 'all as it says'}")
        is_well &= not problems
    return is_well
