"""The file of a leaderboard: figures like those of ``evaluation.report.files``, and every game they come from, one a line.

A board is a report (see ``evaluation.report.files``) with these keys more:

    format        1
    rule_set      name of the rule set; `env` has its version
    noise         what deals and words come from: "siphash", see `evaluation.keyed`; missing in boards from before
    rules         SHA-256 of its component tables
    deals         deals each pair of agents plays, each with all rotations
    entrants      the agents, see `evaluation.leaderboard.entries.Entrant`, in the order of `agents` and `matrix`
    pairs         which of them play each other, by number
    entry         only in the file of an entry: the first entrant
    results       a list for each game: number of the deal; for each seat the number of the agent in it, players beaten minus
                  players lost to, whether it is among the winners, and its points by the rules; decisions; the number of
                  the agent that forfeited the game or -1, and what it did wrong if it did

All other figures follow from ``results``. The same games give the same bytes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from evaluation import tournament
from evaluation.batch import outcome_dtype
from evaluation.keyed import OpenSecret, Secret
from evaluation.leaderboard.entries import FORMAT, Entrant
from evaluation.report.describe import complaints, figures_of
from evaluation.report.figures import tidy
from evaluation.tournament import Chunk

Board = dict[str, Any]
Row = list[Any]

NOISE = "siphash"
ANCHOR = "greedy"
"""The agent at rating 0. Good agents lose to it now and then, so their ratings have intervals; to ``random`` they never do."""


def all_pairs(count: int) -> list[list[int]]:
    """Every two of some agents."""
    return [list(pair) for pair in combinations(range(count), 2)]


def star(count: int) -> list[list[int]]:
    """The first of some agents with each other one."""
    return [[0, other] for other in range(1, count)]


def secret_of(board: Mapping[str, Any]) -> Secret:
    """What deals and words of a board come from.

    Raises:
        ValueError: It is noise that this version does not know.
    """
    noise = board.get("noise")
    if noise not in (None, NOISE):
        raise ValueError(f"its noise is {noise!r}; it must be {NOISE!r}, or missing in boards from before there were secrets")
    return (OpenSecret if noise is None else Secret).from_seed(board["seed"])


def schedule(
    pairs: Sequence[Sequence[int]], num_players: int, deals: int, seed: int, secret: Secret
) -> tuple[np.ndarray, np.ndarray]:
    """Line-ups and deals: every pair plays the same deals, each in all rotations, as in a tournament of the two.

    So the games of a pair do not depend on who else is on the board.

    Returns:
        lineup: ``(len(pairs) * D * P, P) int16``.
        deals: ``(len(pairs) * D * P,) int64``: the seeds of the deals.
    """
    lineup, seeds = tournament.schedule(2, num_players, deals, seed, secret)
    return np.concatenate([np.array(pair, np.int16)[lineup] for pair in pairs]), np.tile(seeds, len(pairs))


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
            _, seats, beaten, wins, scores, length, offender, *fault = row
            if not {len(column) for column in (seats, beaten, wins, scores)} == {num_players} or len(fault) != (offender >= 0):
                raise ValueError("columns are missing")
            lineup[number] = seats
            share = np.array(wins, np.float64) / max(sum(wins), 1)
            slow = bool(fault) and fault[0].startswith("too slow")
            outcomes[number] = (np.array(beaten) / (num_players - 1), share, scores, length, offender, slow)
            if fault:
                faults[number] = str(fault[0])
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"result {number} is no game: {error}") from error
    return lineup, Chunk(outcomes, faults, np.zeros(agents), np.zeros(agents, np.int64))


def build(header: Mapping[str, Any], rows: Sequence[Row]) -> Board:
    """A board from what was asked for and the games.

    Args:
        header: The keys ``rule_set``, ``env``, ``num_players``, ``options``, ``rules``, ``seed``, ``deals``, ``entrants``,
            ``pairs``, ``command``, ``versions``, and perhaps ``entry`` and ``noise``.
        rows: The games, in the order of ``schedule``.

    Raises:
        ValueError: Header and games do not fit together.
    """
    names = [entrant["name"] for entrant in header["entrants"]]
    lineup, chunk = chunk_of(rows, header["num_players"], len(names))
    match = tournament.to_match(names, lineup, np.array([row[0] for row in rows], np.int64), chunk)
    result = figures_of(match, ANCHOR if ANCHOR in names else None, header["seed"])
    return dict(header) | result | {"format": FORMAT, "notes": complaints(match), "results": list(rows)}


def to_text(board: Board) -> str:
    """The file of a board: JSON with sorted keys and a line for every game."""
    head = {key: value for key, value in tidy(board).items() if key != "results"}
    text = json.dumps(head, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text.removesuffix("\n}") + ',\n "results": [\n' + ",\n".join(map(line_of, board["results"])) + "\n ]\n}\n"


def line_of(row: Row) -> str:
    """A game as it stands in the file, the comma aside."""
    return f"  {json.dumps(row, ensure_ascii=False)}"


def deal_numbers(board: Mapping[str, Any]) -> np.ndarray:
    """``(len(pairs) * D * P,) int64``: the number of the deal of each game of a board."""
    return np.tile(np.repeat(np.arange(board["deals"]), board["num_players"]), len(board["pairs"]))


def entrants_of(board: Mapping[str, Any]) -> list[Entrant]:
    """The agents of a board."""
    return [Entrant.read(facts) for facts in board["entrants"]]
