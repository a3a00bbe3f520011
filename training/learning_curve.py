"""The picture of a training run: its scores over the decisions it has learned from.

Drawn with matplotlib's objects alone: what figures the program that called has, and where they are shown, is its own affair.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any

AXES = (("win_share", "win share", (0.0, 1.0)), ("placement", "placement", (-1.0, 1.0)))
_MARGIN = 0.03  # of an axis, so that points at its ends are whole


def draw(rows: Sequence[Mapping[str, str]], opponents: Sequence[str], num_players: int) -> bytes:
    """A PNG file with an axis for each kind of score.

    Args:
        rows: Lines of ``metrics.csv`` by column.
        opponents: Against whom the policy was scored.
        num_players: Seats: which win share is that of equals.
    """
    figure, axes = axes_of(num_players, max((int(row["timesteps"]) for row in rows), default=0) or 1)
    for axis, (what, *_) in zip(axes, AXES, strict=True):
        for name in opponents:
            scored = [row for row in rows if row[f"{name}_{what}"]]
            steps, scores = [int(row["timesteps"]) for row in scored], [float(row[f"{name}_{what}"]) for row in scored]
            axis.plot(steps, scores, marker=".", label=f"against {name}")
        axis.legend(loc="best")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120, format="png")
    return picture.getvalue()


def axes_of(num_players: int, last: int) -> tuple[Any, Any]:
    """A figure with an axis for each kind of score, scaled and named, and with a line for equal strength.

    Args:
        num_players: Seats: which win share is that of equals.
        last: The last of the decisions learned from.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    pars = {"win_share": 1 / num_players, "placement": 0.0}
    axes = figure.subplots(1, len(AXES))
    for axis, (what, title, limits) in zip(axes, AXES, strict=True):
        axis.axhline(pars[what], color="grey", linewidth=1, linestyle=":", label="equal strength")
        _scale(axis, last, limits)
        axis.set(xlabel="decisions learned from", ylabel=title)
    return figure, axes


def _scale(axis: Any, last: int, limits: tuple[float, float]) -> None:
    """All of the run, and all that a score can be."""
    from matplotlib.ticker import EngFormatter

    low, high = limits
    axis.set_xlim(-_MARGIN * last, (1 + _MARGIN) * last)
    axis.set_ylim(low - _MARGIN * (high - low), high + _MARGIN * (high - low))
    axis.xaxis.set_major_formatter(EngFormatter(sep=""))
