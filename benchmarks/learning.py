"""Draws how fast runs of train.py learn: win share against an opponent over minutes of CPU time.

python -m benchmarks.learning --out learning.png --curve ppo 190 0 runs/fairy_ring-2p-*    --curve exit 400 190 runs/taught

A curve is its name, the CPU seconds of one of its runs (as ``time`` tells them), those of what its runs began with, and their
folders. The points are the evaluations on the way, which a run's decisions are spread evenly over; of several runs, seeds of one
command, the line is the mean and the band reaches from the worst to the best.
"""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from envs.files import write_aside
from training.scores import METRICS, read_rows


class Curve(NamedTuple):
    """Win shares of runs of one command.

    Attributes:
        name: What it is called.
        minutes: ``(T,)``: CPU time when they were measured.
        shares: ``(R, T)``: those of R runs.
    """

    name: str
    minutes: np.ndarray
    shares: np.ndarray


def read_curve(name: str, seconds: float, before: float, folders: Sequence[str], opponent: str) -> Curve:
    """A curve from the folders of its runs.

    Args:
        name: What it is called.
        seconds: CPU time of a run.
        before: CPU time of what the runs began with.
        folders: Of the runs.
        opponent: Against whom.

    Raises:
        ValueError: There are no scores in a folder, or no evaluation that all runs have.
    """
    column, runs, last = f"{opponent}_win_share", [], 0
    for folder in folders:
        rows = read_rows(Path(folder) / METRICS)
        runs.append({int(row["timesteps"]): float(row[column]) for row in rows if row.get(column)})
        last = max(last, *(int(row["timesteps"]) for row in rows))
    steps = sorted(set.intersection(*map(set, runs)))
    if not steps:
        raise ValueError(f"the runs of {name} have no evaluation against {opponent} in common")
    minutes = (before + seconds * np.array(steps) / last) / 60
    return Curve(name, minutes, np.array([[run[step] for step in steps] for run in runs]))


def draw(curves: Sequence[Curve], title: str, opponent: str) -> bytes:
    """A PNG file with a line for each curve."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for curve in curves:
        shares = 100 * curve.shares
        many = f" ({len(shares)} seeds)" if len(shares) > 1 else " (one seed)"
        (line,) = axes.plot(curve.minutes, shares.mean(0), marker=".", label=curve.name + many)
        axes.fill_between(curve.minutes, shares.min(0), shares.max(0), color=line.get_color(), alpha=0.2, linewidth=0)
    axes.axhline(50, color="gray", linewidth=0.8)
    axes.set(xlabel="minutes of CPU time", ylabel=f"games won against {opponent}, %", title=title, ylim=(0, 80))
    axes.legend(loc="lower right")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120, format="png")
    return picture.getvalue()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code: 0, or 2 for runs that cannot be drawn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = ("NAME CPU_SECONDS BEFORE RUN", "...")
    parser.add_argument("--curve", action="append", nargs="+", required=True, metavar=words, help="may be given again")
    parser.add_argument("--against", default="greedy", metavar="AGENT", help="random or greedy [%(default)s]")
    parser.add_argument("--title", default="Fairy Ring, two players", help="[%(default)s]")
    parser.add_argument("--out", required=True, metavar="FILE.png", help="where to draw")
    args = parser.parse_args(argv)
    try:
        short = [given for given in args.curve if len(given) < 4]
        if short:
            raise ValueError(f"--curve {' '.join(short[0])}: it must be a name, two numbers of seconds and folders of runs")
        curves = [read_curve(name, float(cpu), float(before), runs, args.against) for name, cpu, before, *runs in args.curve]
        write_aside(Path(args.out), draw(curves, args.title, args.against))
    except (ValueError, OSError) as error:
        print(f"benchmarks.learning: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
