"""What holds over the seeds of a study: interquartile means with stratified bootstrap intervals (Agarwal et al. 2021).

The interquartile mean is the mean of the middle half of the scores: one lucky seed leads it less astray than the mean, and it is
less noisy than the median. Its interval comes from resampling the seeds of each game with replacement, game by game, so that
every game keeps its weight: it tells how much other seeds would change it. All seeds are scored on the same deals.

This is what the library rliable computes. It is not used, because it needs ``arch``, which cannot be imported beside pandas 3,
for what is one function of SciPy and one of numpy.
"""

import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from envs.files import write_aside
from training.scores import METRICS, SCORED, SCORES, read_rows, read_scores
from training.seeds import Study

REPORT, PICTURE = "report.json", "learning_curves.png"
LEVEL, RESAMPLES = 0.95, 5000
_TRIMMED = 0.25  # of the scores at either end


def interquartile_mean(scores: Sequence[float] | np.ndarray, axis: int = -1) -> Any:
    """The mean of the middle half; of fewer than four scores the mean of all."""
    return stats.trim_mean(np.asarray(scores, float), _TRIMMED, axis=axis)


def estimate(strata: Sequence[Sequence[float]], seed: int = 0) -> dict[str, float | None]:
    """The interquartile mean of the scores of several games with its interval.

    Args:
        strata: For each game the scores of its seeds; one game is plain resampling.
        seed: Of the resampling.

    Returns:
        ``iqm``, ``low`` and ``high`` (95 %, percentile bootstrap); no interval where a game has fewer than two seeds.

    Raises:
        ValueError: There is a game without scores, or none.
    """
    samples = [np.asarray(scores, float) for scores in strata]
    if not samples or not all(len(sample) for sample in samples):
        raise ValueError("there are no scores to take the mean of")
    middle = float(interquartile_mean(np.concatenate(samples)))
    if min(map(len, samples)) < 2:
        return {"iqm": middle, "low": None, "high": None}
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([rng.choice(sample, (RESAMPLES, len(sample))) for sample in samples], axis=1)
    low, high = np.quantile(interquartile_mean(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {"iqm": middle, "low": float(low), "high": float(high)}


class SeedStudy:
    """The runs of a study that are done. In a notebook it is a table and the learning curves over the seeds.

    Attributes:
        study: Folder, settings and seeds.
        scores: By seed and opponent the final scores, see ``training.metrics.read_scores``.

    Raises:
        ValueError: No run is done, or its scores are damaged.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.scores = {seed: read_scores(study.place(seed) / SCORED)["opponents"] for seed in study.seeds if study.is_done(seed)}
        if not self.scores:
            raise ValueError(f"no run of {study.folder} is done")

    @property
    def opponents(self) -> list[str]:
        """Against whom every run was scored."""
        return list(next(iter(self.scores.values())))

    def values(self, opponent: str, figure: str = "win_share") -> list[float]:
        """A figure of each seed against an opponent: ``win_share`` or ``placement``."""
        return [scores[opponent][figure]["mean"] for scores in self.scores.values()]

    @property
    def table(self) -> list[dict[str, Any]]:
        """A dict for each opponent and figure: ``iqm``, ``low``, ``high`` and the ``values`` of the seeds."""
        return [
            {"against": name, "figure": figure, **estimate([values := self.values(name, figure)]), "values": values}
            for name in self.opponents
            for figure in SCORES
        ]

    def write(self) -> list[Path]:
        """Writes ``report.json`` and ``learning_curves.png`` into the folder; returns their paths."""
        folder, settings = self.study.folder, self.study.settings
        report = {
            "env": settings.env, "num_players": settings.num_players, "timesteps": settings.timesteps,
            "seeds": list(self.scores), "level": LEVEL, "resamples": RESAMPLES, "table": self.table,
        }  # fmt: skip
        write_aside(folder / REPORT, (json.dumps(report, indent=1) + "\n").encode())
        write_aside(folder / PICTURE, self.draw())
        return [folder / REPORT, folder / PICTURE]

    def draw(self) -> bytes:
        """The learning curves as a PNG file: interquartile means over the seeds with their intervals."""
        rows = [read_rows(self.study.place(seed) / METRICS) for seed in self.scores]
        return draw(rows, self.opponents, self.study.settings.num_players)

    def __repr__(self) -> str:
        settings = self.study.settings
        return f"SeedStudy({str(self.study.folder)!r}, {settings.env}, {settings.num_players} players, {len(self.scores)} seeds)"

    def __str__(self) -> str:
        width = max(map(len, ("against", *self.opponents)))
        head = f"{'against':{width}}  {'figure':10}  interquartile mean over {len(self.scores)} seeds, 95 % interval"
        lines = [f"{row['against']:{width}}  {row['figure']:10}  {_words(row)}" for row in self.table]
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        from base64 import b64encode

        cells = "".join(f"<tr><td>{escape(r['against'])}</td><td>{r['figure']}</td><td>{_words(r)}</td></tr>" for r in self.table)
        head = "<tr><th>against</th><th>figure</th><th>interquartile mean</th></tr>"
        picture = b64encode(self.draw()).decode()
        return (
            f"<p>{escape(repr(self))}</p><table><thead>{head}</thead><tbody>{cells}</tbody></table>"
            f'<img alt="learning curves" style="max-width:100%" src="data:image/png;base64,{picture}">'
        )


def _words(row: Mapping[str, Any]) -> str:
    interval = "" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    return f"{row['iqm']:.3f}{interval}"


def aggregate(studies: Sequence[SeedStudy], opponent: str, figure: str = "win_share") -> dict[str, float | None]:
    """The interquartile mean over several games, each a study: seeds are resampled within each game.

    Raises:
        ValueError: There is no study, or one without that opponent or figure.
    """
    for study in studies:
        if opponent not in study.opponents or figure not in SCORES:
            has = f"it has {', '.join(SCORES)} against {', '.join(study.opponents)}"
            raise ValueError(f"{study!r} has no {figure} against {opponent}; {has}")
    return estimate([study.values(opponent, figure) for study in studies])


def draw(runs: Sequence[Sequence[Mapping[str, str]]], opponents: Sequence[str], num_players: int) -> bytes:
    """A PNG file with an axis for each kind of score: a line for each opponent, and a band for its interval."""
    from training.learning_curve import axes_of

    last = max((int(row["timesteps"]) for rows in runs for row in rows), default=0) or 1
    figure, axes = axes_of(num_players, last)
    for axis, what in zip(axes, SCORES, strict=True):
        for name in opponents:
            column = f"{name}_{what}"
            scored = [{int(row["timesteps"]): float(row[column]) for row in rows if row[column]} for rows in runs]
            steps = sorted(set.intersection(*map(set, scored)))
            found = [estimate([[scores[step] for scores in scored]]) for step in steps]
            (line,) = axis.plot(steps, [each["iqm"] for each in found], marker=".", label=f"against {name}")
            if found and found[0]["low"] is not None:
                bounds = [[each[end] for each in found] for end in ("low", "high")]
                axis.fill_between(steps, *bounds, color=line.get_color(), alpha=0.2, linewidth=0)
        axis.legend(loc="best")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120, format="png")
    return picture.getvalue()
