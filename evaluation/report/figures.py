"""The tables of a report, for every form of it (see ``evaluation.report.files``): figures, headings, rounded and in order."""

import dataclasses
import json
import math
import re
from collections.abc import Sequence
from typing import Any

Report = dict[str, Any]
Table = tuple[list[str], list[list[str]]]  # headings, rows; the first two columns are a number and a name

DECIMALS = 6
RINGS_SHOWN = 10
_ROUNDED_KEYS = ("agents", "games", "matrix")
_KEYS = (*_ROUNDED_KEYS, "command", "env", "num_players", "options", "seed", "settings", "versions")
_LONG_NAME, _MOST_FOLDERS = 40, 20
_NOTHING = "\N{EN DASH}"  # stands for a number that does not exist


@dataclasses.dataclass(frozen=True)
class Figure:
    """One figure of an agent: its key in the report, its heading, its meaning and how to print it."""

    key: str
    title: str
    meaning: str
    decimals: int
    scale: int = 1  # from the value in the report to the value in print
    sign: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)  # what is possible

    def possible(self, value: float) -> float:
        """The nearest value that is possible: intervals of boards from long ago pass the bounds."""
        return min(max(value, self.bounds[0]), self.bounds[1])

    def show(self, value: float | None) -> str:
        """Prints one value; adding 0.0 turns the -0.0 that rounding may leave into 0.0."""
        if value is None:
            return _NOTHING
        return f"{round(value * self.scale, self.decimals) + 0.0:{self.sign}.{self.decimals}f}"

    def show_interval(self, estimate: dict[str, Any]) -> str:
        """Prints an estimate as `38.2 ±1.5`, or, where the interval is lopsided, as those of ratings are, as `559 [543, 576]`."""
        mean, low, high = (estimate[bound] for bound in ("mean", "low", "high"))
        if low is None or low == high:
            return self.show(mean)
        low, high = self.possible(low), self.possible(high)
        if self.key == "rating" or abs(low + high - 2 * mean) * self.scale >= 10**-self.decimals:
            return f"{self.show(mean)} [{self.show(low)}, {self.show(high)}]"
        return f"{self.show(mean)} \N{PLUS-MINUS SIGN}{self.show((high - low) / 2).lstrip('+')}"


FIGURES = (
    Figure("rating", "Rating", "Elo scale: {anchor} is at 0; 400 points are odds of 10 to 1 to end a game ahead.", 0),
    Figure("win_share", "Win share, %", "victories, split among joint winners; chance is {chance}", 1, scale=100, bounds=(0, 1)),
    Figure("placement", "Placement", "(beaten - lost to) / (players - 1): 1 is first, -1 last", 3, sign="+", bounds=(-1, 1)),
    Figure("score", "Score", "points by the rules of the game", 2),
)
# Shown behind the others, and only where the agents have them.
EXTRAS = (
    Figure("alpha_rank", "Alpha-rank, %", "how much of the time evolution among these agents spends with each", 1, scale=100),
    Figure("microseconds", "\N{MICRO SIGN}s per decision", "wall time, measured over batches on the machine named below", 1),
)
MEETING = Figure("", "Head to head, %", "How often the row's agent beats the column's; a tie is half.", 1, 100, bounds=(0, 1))


def short_names(names: Sequence[str]) -> list[str]:
    """Names of agents for tables: long ones without their first folders, as few as keep different names different."""
    for kept in range(1, _MOST_FOLDERS):
        folders = re.compile(rf"(?<![^=:])(?:[^/=:,]*/){{2,}}(?=(?:[^/=:,]+/){{{kept}}}[^/]+\.zip)")
        short = [folders.sub("\N{HORIZONTAL ELLIPSIS}/", name) if len(name) > _LONG_NAME else name for name in names]
        if len(set(short)) == len(set(names)):
            return short
    return list(names)


def tidy(report: Report) -> Report:
    """Checks that a report is whole and returns it as plain, rounded data."""
    if missing := [key for key in _KEYS if key not in report]:
        raise ValueError(f"the report lacks {', '.join(missing)}")
    tidy = {key: _plain(value, key in _ROUNDED_KEYS) for key, value in report.items()}
    size = len(tidy["agents"])
    if any([len(row) for row in rows] != [size] * size for rows in tidy["matrix"].values()):
        raise ValueError(f"the matrix must be {size} by {size}, one row and column per agent")
    return tidy


def _plain(value: Any, is_rounded: bool) -> Any:
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item, is_rounded) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, is_rounded) for item in value]
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return round(value, DECIMALS) + 0.0 if is_rounded else value


def order_of(report: Report) -> list[int]:
    """Returns the indices of the agents by rating, best first; equals keep their order."""
    ratings = [agent["rating"]["mean"] for agent in report["agents"]]
    return sorted(range(len(ratings)), key=lambda k: math.inf if ratings[k] is None else -ratings[k])


def extras_of(report: Report) -> list[Figure]:
    """The figures of ``EXTRAS`` that this report has."""
    return [figure for figure in EXTRAS if all(figure.key in agent for agent in report["agents"])]


def results_table(report: Report) -> Table:
    """The table of the agents, best first, with all figures."""
    agents = [report["agents"][k] for k in order_of(report)]
    counted = sorted({heading for agent in agents for heading in agent.get("counts", {})})
    extras = extras_of(report)
    headings = ["#", "Agent", *(figure.title for figure in FIGURES), "Seats", *(c.capitalize() for c in counted)]
    rows = []
    for place, agent in enumerate(agents, 1):
        figures = [figure.show_interval(agent[figure.key]) for figure in FIGURES]
        figures[0] += " \N{DAGGER}" if agent.get("separated") else ""
        counts = [agent["seats"], *(agent.get("counts", {}).get(heading) for heading in counted)]
        figures += [_NOTHING if n is None else f"{n:,}" for n in counts]
        rows.append([str(place), agent["name"], *figures, *(figure.show(agent[figure.key]) for figure in extras)])
    return headings + [figure.title for figure in extras], rows


def matrix_table(report: Report) -> Table:
    """How often the row's agent beats the column's, in percent, best first."""
    order, shares = order_of(report), report["matrix"]["share"]
    numbers, names = [str(k + 1) for k in range(len(order))], [report["agents"][k]["name"] for k in order]
    cells = [[MEETING.show(shares[i][j]) for j in order] for i in order]
    return ["#", "Agent", *numbers], [[*row[:2], *row[2]] for row in zip(numbers, names, cells, strict=True)]


def facts_of(report: Report) -> list[tuple[str, str]]:
    """What was played, and how: labels and values."""

    def listed(values: dict[str, Any]) -> str:
        shown = {key: value if isinstance(value, str) else json.dumps(value) for key, value in values.items()}
        return ", ".join(f"{key} {shown[key]}" for key in sorted(shown)) or "none"

    facts = [("Options", listed(report["options"])), ("Seed", str(report["seed"]))]
    if (length := report["games"]["length"]["mean"]) is not None:
        facts.append(("Decisions per game", f"{length:.1f}"))
    return [*facts, ("Settings", listed(report["settings"])), ("Versions", listed(report["versions"]))]


def notes_of(report: Report) -> list[str]:
    """Sentences for the reader."""
    notes = [f"All intervals are {_level(report)} intervals with the deal as the unit."]
    if any(agent.get("separated") for agent in report["agents"]):
        anchor = report["settings"]["anchor"]
        notes.append(
            f"\N{DAGGER} No finite rating fits the games: no chain of wins leads from this agent to {anchor}, or none "
            "back. The number comes from the small penalty of the fit and has no interval."
        )
    return notes + _about_cycles(report) + report.get("notes", [])


def _about_cycles(report: Report) -> list[str]:
    rings, knots = (report.get("cycles", {}).get(kind, []) for kind in ("rings", "knots"))
    notes = []
    if rings:
        listed = "; ".join(f"{' beats '.join([*ring, ring[0]])}" for ring in rings[:RINGS_SHOWN])
        more = f"; and {len(rings) - RINGS_SHOWN} more" if len(rings) > RINGS_SHOWN else ""
        notes.append(f"Circles, counting only pairs whose interval excludes one half: {listed}{more}.")
    if larger := [knot for knot in knots if len(knot) > 3]:
        notes.append(f"No ladder can be made of: {'; '.join(', '.join(knot) for knot in larger)}.")
    return notes


def title_of(report: Report) -> str:
    """The game, and how much of it was played."""
    return f"{report['env']}: {subtitle_of(report)}"


def subtitle_of(report: Report) -> str:
    """How much was played."""
    games, deals = report["games"]["count"], report["games"]["deals"]
    return f"{report['num_players']} players, {games:,} games on {deals:,} deal{'s' if deals > 1 else ''}"


def about_results(report: Report) -> str:
    """What the columns of the table mean."""
    shown = [*FIGURES[1:], *extras_of(report)]
    figures = " ".join(f"{figure.title.split(',')[0]}: {meaning_of(figure, report)}." for figure in shown)
    return f"Means per seat, with {_level(report)} intervals. {figures}"


def _level(report: Report) -> str:
    return f"{100 * report['settings']['level']:g}%"


def meaning_of(figure: Figure, report: Report) -> str:
    """What a figure means in this report."""
    chance = f"{100 / report['num_players']:.1f}"
    return figure.meaning.replace("{chance}", chance).replace("{anchor}", report["settings"]["anchor"])
