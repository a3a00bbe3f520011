"""The numbers of a training run: scores against fixed opponents, a line per iteration in ``metrics.csv``, the learning curve."""

import csv
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from agents.registry import make_agent
from envs.files import write_aside
from envs.game import Game
from evaluation.ratings import placement, win_share
from evaluation.tournament import deal_seeds, play
from training.board import Board
from training.scores import METRICS, SCORES

TRAINING = (
    "iteration", "timesteps", "seconds", "samples_per_second", "games", "length", "reward_against_others",
    "learning_rate", "entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction",
    "explained_variance",
)  # fmt: skip

TAGS = {
    **{name: f"time/{name}" for name in ("iteration", "seconds", "samples_per_second")},
    **{name: f"rollout/{name}" for name in ("games", "length", "reward_against_others")},
    **{name: f"train/{name}" for name in TRAINING[TRAINING.index("learning_rate") :]},
}
"""What TensorBoard calls the columns: by the groups of stable-baselines3; scores are under ``eval/``."""


class Score(NamedTuple):
    """How a policy did against equal opponents: number of games, estimates of win share and placement."""

    games: int
    win_share: dict[str, float]
    placement: dict[str, float]


def fixed_opponents(game: Game) -> dict[str, Any]:
    """The players every policy is scored against; not every game has a rule-based one."""
    opponents = {}
    for name in ("random", "greedy"):
        with suppress(ValueError):
            opponents[name] = make_agent(name, game)
    return opponents


def score(policy: Any, opponent: Any, game: Game, deals: int, seed: int) -> Score:
    """Plays every deal once from each seat, the opponent in all other seats.

    The deals of a tournament are never dealt in training, and the same seed gives the same deals: scores can be compared.
    """
    lineup = np.tile(1 - np.eye(game.num_players, dtype=np.int64), (deals, 1))  # 0 is the policy
    seeds = np.repeat(deal_seeds(deals, seed), game.num_players)
    results = play(game, [policy, opponent], lineup, seeds, names=["policy", "opponent"])
    return Score(len(lineup), win_share(results).at(0), placement(results).at(0))


def score_columns(scores: Mapping[str, Score]) -> dict[str, float]:
    """The means of scores by the names of their columns."""
    return {f"{name}_{what}": getattr(result, what)["mean"] for name, result in scores.items() for what in SCORES}


def score_table(scores: Mapping[str, Score]) -> str:
    """A line for each opponent, with intervals, below a line of headings."""
    width = max(map(len, ("against  ", *scores)))
    lines = [f"{'against':{width}} {'games':>8}  {'win share':25}  placement"]
    for name, result in scores.items():
        win, place = result.win_share, result.placement
        shares = f"{win['mean']:.1%} ({win['low']:.1%} to {win['high']:.1%})"
        placements = f"{place['mean']:+.3f} ({place['low']:+.3f} to {place['high']:+.3f})"
        lines.append(f"{name:{width}} {result.games:8}  {shares:25}  {placements}")
    return "\n".join(lines)


class Metrics:
    """The files of one run, ``metrics.csv`` and ``tensorboard/``; the lines are kept in memory too, for the checkpoints.

    A line of ``metrics.csv`` is one write: if the program is ended, no half line is left. A column is empty where there is
    nothing to tell: scores where the policy was not scored, what was learned before anything was, ``length`` where no game
    ended, and ``reward_against_others`` where none ended in which somebody else played.

    Args:
        folder: Of the run.
        opponents: Names of the players against which the policy is scored.

    Attributes:
        content: All of ``metrics.csv``.
    """

    def __init__(self, folder: Path, opponents: Sequence[str]) -> None:
        self.folder, self.opponents = folder, list(opponents)
        scores = [f"{name}_{what}" for name in opponents for what in SCORES]
        self.columns = [*TRAINING, *scores]
        self.tags = TAGS | {name: f"eval/{name}" for name in scores}
        self.path = folder / METRICS
        self.content = (",".join(self.columns) + "\n").encode()
        self._file: BinaryIO | None = None
        self._board: Board | None = None
        self._early: list[Mapping[str, float]] = []

    def open(self, timesteps: int = 0) -> Path | None:
        """Brings the files to what is known; what a run has written behind its last checkpoint is forgotten.

        Args:
            timesteps: Of the checkpoint.

        Returns:
            Where the file's old content is now, if that was another one than this run's; None if nothing was lost.
        """
        aside = self._put_away()
        write_aside(self.path, self.content)
        self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115, it is open as long as the run
        self._board = Board(self.folder / "tensorboard", timesteps + 1)
        for row in self._early:
            self._show(row)
        self._early.clear()
        return aside

    def _put_away(self) -> Path | None:
        """Renames a file whose lines are not those of this run."""
        try:
            with open(self.path, "rb") as file:
                found = file.read(len(self.content))
        except FileNotFoundError:
            return None
        if self.content.startswith(found):
            return None
        aside = next(path for n in count(1) if not (path := self.path.with_name(f"metrics-changed-{n}.csv")).exists())
        os.replace(self.path, aside)
        return aside

    def take(self, content: bytes, iteration: int) -> None:
        """Takes over the lines of a checkpoint.

        Raises:
            ValueError: They are not those of a run of this many iterations.
        """
        header, *lines = content.decode("ascii", "replace").split("\n")
        is_whole = header == ",".join(self.columns) and len(lines) == iteration + 2 and not lines[-1]
        if not is_whole or not all(map(self._is_line, range(iteration + 1), lines)):
            raise ValueError(f"its {METRICS} are not those of a run of {iteration} iterations")
        self.content = content

    def _is_line(self, number: int, line: str) -> bool:
        cells = line.split(",")
        return len(cells) == len(self.columns) and cells[0] == str(number) and cells[1].isdigit() and all(map(_is_cell, cells))

    def write(self, row: Mapping[str, float]) -> None:
        """Adds a line; numbers that have no column are left out, columns without a number stay empty."""
        line = (",".join(_cell(row.get(name)) for name in self.columns) + "\n").encode()
        self.content += line
        if self._file:
            write_all(self._file, line)
            self._show(row)
        else:
            self._early.append(row)

    def _show(self, row: Mapping[str, float]) -> None:
        if self._board:
            self._board.write(row["timesteps"], {tag: row[name] for name, tag in self.tags.items() if name in row})

    def close(self) -> None:
        """Closes the files."""
        for file in (self._file, self._board):
            if file:
                file.close()
        self._file = self._board = None

    def draw(self, num_players: int) -> Path:
        """Draws the scores over the decisions learned from; returns the picture's path."""
        from training.learning_curve import draw

        rows = list(csv.DictReader(self.content.decode().splitlines()))
        path = self.folder / "learning_curve.png"
        write_aside(path, draw(rows, self.opponents, num_players))
        return path


def write_all(file: BinaryIO, content: bytes) -> None:
    """Writes to an unbuffered file, which may take less at a time.

    Raises:
        OSError: The disk is full, or the like.
    """
    while content:
        content = content[file.write(content) :]


def _cell(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.6g}" if isinstance(number, float) else str(number)


def _is_cell(cell: str) -> bool:
    try:
        return not cell or float(cell) is not None
    except ValueError:
        return False
