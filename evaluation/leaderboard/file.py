"""The file of a leaderboard: figures like those of ``evaluation.report.files``, and every game they come from, one a line.

A board is a report (see ``evaluation.report.files``) with these keys more:

    format        2
    rule_set      name of the rule set; `env` has its version
    rules         SHA-256 of its component tables
    sources       SHA-256 of this package's rules and agents as they were
    deals         deals each pair of agents plays, each with all rotations
    entrants      the agents, see `evaluation.leaderboard.entries.Entrant`, in the order of `agents` and `matrix`
    pairs         which of them play each other, by number
    secrets       for each pair what its deals and the words of its agents come from, see `evaluation.keyed`, and
    commitments   the hash of it that was shown before the first game, see `evaluation.leaderboard.secret_files`
    entry         only in the file of an entry: the first entrant. Its results are a claim, made by its authors
    results       a list for each game: number of the deal; for each seat the number of the agent in it, players beaten minus
                  players lost to, whether it is among the winners, and its points by the rules; decisions; the number of
                  the agent that forfeited the game or -1, and what it did wrong if it did

All other figures follow from ``results``. The same games give the same bytes.

Boards of format 1, from before there were secrets (``evaluation.leaderboard.old``), have neither ``sources`` nor ``secrets`` nor
``commitments``; all their pairs play the same deals, which follow from ``seed``.
"""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from evaluation import tournament
from evaluation.batch import outcome_dtype
from evaluation.keyed import Secret
from evaluation.leaderboard import old
from evaluation.leaderboard.entries import Entrant
from evaluation.report.describe import complaints, figures_of
from evaluation.report.figures import tidy
from evaluation.tournament import Chunk

Board = dict[str, Any]
Row = list[Any]

FORMAT = 2
ANCHOR = "greedy"
"""The agent at rating 0. Good agents lose to it now and then, so their ratings have intervals; to ``random`` they never do."""

MOST_FAULT = 1000
BY_SECRET = ("sources", "secrets", "commitments")
HEADER = (
    "rule_set", "env", "num_players", "options", "rules", "seed", "deals", "entrants", "pairs", "command", "versions", *BY_SECRET
)  # fmt: skip
"""Keys that figures do not follow from."""


def all_pairs(count: int) -> list[list[int]]:
    """Every two of some agents."""
    return [list(pair) for pair in combinations(range(count), 2)]


def star(count: int) -> list[list[int]]:
    """The first of some agents with each other one."""
    return [[0, other] for other in range(1, count)]


class Schedule(NamedTuple):
    """The games of a board, M of them.

    Attributes:
        lineup: ``(M, P) int16``.
        deals: ``(M,) int64``: the seeds of the deals.
        secrets: The secret of each game.
    """

    lineup: np.ndarray
    deals: np.ndarray
    secrets: list[Secret]

    def take(self, games: np.ndarray) -> "Schedule":
        """Some of the games, by number."""
        return Schedule(self.lineup[games], self.deals[games], [self.secrets[k] for k in games.tolist()])


def schedule(
    pairs: Sequence[Sequence[int]], num_players: int, deals: int, seed: int, secrets: Sequence[Secret]
) -> Schedule:
    """Who plays what: every pair plays the deals of its secret, each in all rotations, as in a tournament of the two.

    So the games of a pair do not depend on who else is on the board. M is ``len(pairs) * D * P``.

    Args:
        pairs: By number of the agents.
        num_players: Seats, P.
        deals: Of each pair, D.
        seed: Of the line-ups.
        secrets: One for each pair.
    """
    lineup, _ = tournament.schedule(2, num_players, deals, seed)
    return Schedule(
        np.concatenate([np.array(pair, np.int16)[lineup] for pair in pairs]),
        np.concatenate([np.repeat(secret.deal_seeds(deals), num_players) for secret in secrets]),
        [secret for secret in secrets for _ in range(len(lineup))],
    )


def rows_of(lineup: np.ndarray, chunk: Chunk, numbers: Iterable[int]) -> list[Row]:
    """Games as the lists of a file; ``numbers`` are those of their deals."""
    rows = []
    for row, (number, seats, game) in enumerate(zip(numbers, lineup, chunk.outcomes, strict=True)):
        beaten = np.rint(game["rewards"] * (len(seats) - 1)).astype(int)
        scores = [int(score) if score.is_integer() else score for score in game["scores"].tolist()]
        wins = (game["wins"] > 0).astype(int)
        fault = [chunk.faults[row]] if row in chunk.faults else []
        columns = [int(number), seats.tolist(), beaten.tolist(), wins.tolist(), scores]
        rows.append([*columns, int(game["length"]), int(game["offender"]), *fault])
    return rows


def chunk_of(rows: Sequence[Row], num_players: int, agents: int) -> tuple[np.ndarray, Chunk]:
    """Line-up and games of the lists of a file.

    Raises:
        ValueError: A list is not of this form; the message names its number.
    """
    lineup = np.zeros((len(rows), num_players), np.int16)
    outcomes = np.zeros(len(rows), outcome_dtype(num_players))
    faults: dict[int, str] = {}
    for number, row in enumerate(rows):
        try:
            _check_row(row, num_players)
            _, seats, beaten, wins, scores, length, offender, *fault = row
            lineup[number] = seats
            share = np.array(wins, np.float64) / max(sum(wins), 1)
            slow = bool(fault) and fault[0].startswith("too slow")
            outcomes[number] = (np.array(beaten) / (num_players - 1), share, scores, length, offender, slow)
            if fault:
                faults[number] = str(fault[0])
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"result {number} is no game: {error}") from error
    return lineup, Chunk(outcomes, faults, np.zeros(agents), np.zeros(agents, np.int64))


def _check_row(row: Any, num_players: int) -> None:
    """Refuses what only looks like a game: booleans count for integers elsewhere."""
    if not isinstance(row, list) or not 7 <= len(row) <= 8:
        raise ValueError("it is no list of seven columns, or eight where an agent forfeited")
    number, seats, beaten, wins, scores, length, offender, *fault = row
    if any(not isinstance(column, list) or len(column) != num_players for column in (seats, beaten, wins, scores)):
        raise ValueError(f"columns are missing, or not of {num_players} seats")
    integers = (number, length, offender, *seats, *beaten, *wins)
    if any(type(value) is not int for value in integers) or any(type(value) not in (int, float) for value in scores):
        raise ValueError("something in it is no number")
    if len(fault) != (offender >= 0) or not all(isinstance(text, str) and len(text) <= MOST_FAULT for text in fault):
        raise ValueError(f"a game that an agent forfeited, and no other, says why in up to {MOST_FAULT} letters")


def build(header: Mapping[str, Any], rows: Sequence[Row]) -> Board:
    """A board from what was asked for and the games.

    Args:
        header: ``HEADER``, perhaps with ``entry``; without ``BY_SECRET`` it is a board of format 1.
        rows: The games, in the order of ``schedule``.

    Raises:
        ValueError: Header and games do not fit together.
    """
    names = [entrant["name"] for entrant in header["entrants"]]
    has_secrets = "secrets" in header
    lineup, chunk = chunk_of(rows, header["num_players"], len(names))
    deals = np.array([row[0] for row in rows], np.int64)
    if has_secrets:  # every pair has deals of its own
        deals += np.repeat(np.arange(len(header["pairs"])), header["deals"] * header["num_players"]) * header["deals"]
    match = tournament.to_match(names, lineup, deals, chunk)
    result = figures_of(match, ANCHOR if ANCHOR in names else None, header["seed"], has_bounds=has_secrets)
    kind = FORMAT if has_secrets else old.FORMAT
    return dict(header) | result | {"format": kind, "notes": complaints(match), "results": list(rows)}


def to_text(board: Board) -> str:
    """The file of a board: JSON with sorted keys and a line for every game."""
    head = {key: value for key, value in tidy(board).items() if key != "results"}
    text = json.dumps(head, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text.removesuffix("\n}") + ',\n "results": [\n' + ",\n".join(map(line_of, board["results"])) + "\n ]\n}\n"


def line_of(row: Row) -> str:
    """A game as it stands in the file, the comma aside."""
    return f"  {json.dumps(row, ensure_ascii=False)}"


def command_of(header: Mapping[str, Any], name: str) -> str:
    """The command that makes a board, or an entry's results in the file of this name."""
    words = ["--enter", name] if "entry" in header else ["--leaderboard", header["rule_set"]]
    words += [] if "entry" in header else ["--num-players", str(header["num_players"])]
    words += ["--games", str(header["deals"] * header["num_players"])]
    return shlex.join(["python", "evaluate.py", *words, *(["--seed", str(header["seed"])] if header["seed"] else [])])


def deal_numbers(board: Mapping[str, Any]) -> np.ndarray:
    """``(len(pairs) * D * P,) int64``: the number of the deal of each game of a board."""
    return np.tile(np.repeat(np.arange(board["deals"]), board["num_players"]), len(board["pairs"]))


def entrants_of(board: Mapping[str, Any]) -> list[Entrant]:
    """The agents of a board."""
    return [Entrant.read(facts) for facts in board["entrants"]]
