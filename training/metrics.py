"""The numbers of a training run: scores against fixed opponents, a line an iteration in ``metrics.csv``, the learning curve."""

import csv
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.registry import make_agent
from envs.game import Game
from evaluation.ratings import placement, win_share
from evaluation.tournament import deal_seeds, play

TRAINING = (
    "iteration", "timesteps", "seconds", "samples_per_second", "games", "length", "reward_against_others",
    "learning_rate", "entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction",
    "explained_variance",
)  # fmt: skip
SCORES = ("win_share", "placement")


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
    """The files of one run.

    A line of ``metrics.csv`` is one write: whoever ends the program, no line is there by half.

    Args:
        folder: Of the run; the lines that are there already stay.
        opponents: Names of the players against which the policy is scored.
    """

    def __init__(self, folder: Path, opponents: Sequence[str]) -> None:
        self.folder, self.opponents = folder, list(opponents)
        self.columns = [*TRAINING, *(f"{name}_{what}" for name in opponents for what in SCORES)]
        self.path = folder / "metrics.csv"
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        if not self.path.stat().st_size:
            self._append(self.columns)
        self._open_board(None)

    def _append(self, cells: Sequence[str]) -> None:
        os.write(self._file, (",".join(cells) + "\n").encode())

    def _open_board(self, purge_step: int | None) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._board: Any = SummaryWriter(str(self.folder / "tensorboard"), purge_step=purge_step)

    def write(self, row: Mapping[str, float]) -> None:
        """Adds a line; numbers that have no column are left out, columns without a number stay empty."""
        self._append([_cell(row.get(name)) for name in self.columns])
        for name in self.columns[2:]:
            if name in row:
                self._board.add_scalar(name, row[name], row["timesteps"])

    def flush(self) -> int:
        """Sees to it that all lines are on the disk; returns their length in bytes."""
        os.fsync(self._file)
        self._board.flush()
        return self.path.stat().st_size

    def cut(self, length: int, timesteps: int) -> None:
        """Forgets what came after a checkpoint: after so many bytes, and for TensorBoard after so many timesteps."""
        os.truncate(self.path, length)
        self._board.close()
        self._open_board(timesteps + 1)

    def close(self) -> None:
        """Closes the files."""
        os.close(self._file)
        self._board.close()

    def draw(self, num_players: int) -> Path:
        """Draws the scores over the decisions learned from; returns the picture's path."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plt

        with open(self.path, newline="") as file:
            rows = list(csv.DictReader(file))
        figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        for axis, what, par in zip(axes, SCORES, (1 / num_players, 0.0), strict=True):
            for name in self.opponents:
                scored = [row for row in rows if row[f"{name}_{what}"]]
                steps, scores = ([float(row[key]) for row in scored] for key in ("timesteps", f"{name}_{what}"))
                axis.plot(list(steps), list(scores), marker=".", label=f"against {name}")
            axis.axhline(par, color="grey", linewidth=1, linestyle=":", label="equal strength")
            axis.set(xlabel="decisions learned from", ylabel=what.replace("_", " "))
            axis.legend()
        figure.savefig(self.folder / "learning_curve.png", dpi=120)
        plt.close(figure)
        return self.folder / "learning_curve.png"


def _cell(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.6g}" if isinstance(number, float) else str(number)
