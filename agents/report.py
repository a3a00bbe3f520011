"""The report of an evaluation as JSON, Markdown, one HTML page and text for a terminal.

A report is a dict. `ratings.summarise` gives four of its keys, the caller the rest:

    agents     list of dicts: `name`, `seats` (how many it took), `separated`, and the figures `rating`, `win_share`,
               `placement` and `score`, each a dict of `mean`, `standard_error`, `low`, `high`; optionally `counts`, a
               dict from a heading such as "illegal moves" to a number
    matrix     `share`, `low`, `high`, `count`: lists of lists, row against column, in the order of `agents`
    games      `count`, `deals`, and `length`, a dict like a figure
    settings   how it was played and rated: `anchor`, `level`, `resamples`, `ridge` and whatever the caller adds
    env, num_players, options, seed, command, versions     what was played, and with what
    notes      optional list of sentences for the reader

The same report gives the same bytes: no clock, no host, keys sorted, floats in `agents`, `matrix` and `games` rounded
to six decimals (NaN and infinity become null). Every form is made from the rounded report, so a page made again from
the JSON file is the same page. Tables list the agents by rating, best first.
"""

import dataclasses
import json
import math
import os
import re
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from envs.files import write_aside

Report = dict[str, Any]
Table = tuple[list[str], list[list[str]]]  # headings, rows; the first two columns are a number and a name
Element = ElementTree.Element

DECIMALS = 6
_ROUNDED_KEYS = ("agents", "games", "matrix")
_KEYS = (*_ROUNDED_KEYS, "command", "env", "num_players", "options", "seed", "settings", "versions")
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

    def show(self, value: float | None) -> str:
        """Prints one value; adding 0.0 turns the -0.0 that rounding may leave into 0.0."""
        if value is None:
            return _NOTHING
        return f"{round(value * self.scale, self.decimals) + 0.0:{self.sign}.{self.decimals}f}"

    def show_interval(self, estimate: dict[str, Any]) -> str:
        """Prints an estimate as `38.2 ±1.5`, or, since the interval of a rating is lopsided, as `559 [543, 576]`."""
        mean, low, high = (estimate[bound] for bound in ("mean", "low", "high"))
        if low is None or low == high:
            return self.show(mean)
        if self.key == "rating":
            return f"{self.show(mean)} [{self.show(low)}, {self.show(high)}]"
        return f"{self.show(mean)} \N{PLUS-MINUS SIGN}{self.show((high - low) / 2).lstrip('+')}"


FIGURES = (
    Figure("rating", "Rating", "Elo scale: {anchor} is at 0; 400 points are odds of 10 to 1 to end a game ahead.", 0),
    Figure("win_share", "Win share, %", "victories, split among joint winners; chance is {chance}", 1, scale=100),
    Figure("placement", "Placement", "(players beaten - lost to) / (players - 1): 1 is first, -1 last", 3, sign="+"),
    Figure("score", "Score", "points by the rules of the game", 2),
)
_MEETING = Figure("", "Head to head, %", "How often the row's agent beats the column's; a tie is half.", 1, scale=100)


def to_json(report: Report) -> str:
    """Returns the report as JSON, with sorted keys and a final line break."""
    return json.dumps(_tidy(report), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def to_markdown(report: Report) -> str:
    """Returns the report as GitHub-flavoured Markdown."""
    report = _tidy(report)
    parts = [f"# {_escape_markdown(_title(report))}", _markdown_table(_results_table(report))]
    parts += [_escape_markdown(f"Rating: {_meaning(FIGURES[0], report)} {_about_results(report)}")]
    parts += [f"## {_MEETING.title}", _MEETING.meaning, _markdown_table(_matrix_table(report)), "## How it was played"]
    parts += ["\n".join(f"    {line}" for line in report["command"].splitlines() or [""])]
    parts += ["\n".join(f"- **{label}**: {_escape_markdown(value)}" for label, value in _facts(report))]
    if notes := _notes(report):
        parts += ["## Notes", "\n".join(f"- {_escape_markdown(note)}" for note in notes)]
    return "\n\n".join(parts) + "\n"


def to_text(report: Report) -> str:
    """Returns the tables for a terminal."""
    report = _tidy(report)
    parts = [_title(report), _text_table(_results_table(report)), f"{_MEETING.title} ({_MEETING.meaning})"]
    parts += [_text_table(_matrix_table(report)), "\n".join(f"{label}: {value}" for label, value in _facts(report))]
    return "\n\n".join([*parts, *_notes(report)]) + "\n"


def to_html(report: Report) -> str:
    """Returns the report as one HTML page that needs nothing from outside."""
    report = _tidy(report)
    head = _tag("head", _tag("meta", charset="utf-8"))
    head.append(_tag("meta", name="viewport", content="width=device-width, initial-scale=1"))
    head.extend([_tag("title", _title(report)), _tag("style", _STYLE)])
    main = _tag("main", _tag("header", _tag("h1", report["env"]), _tag("p", _subtitle(report))))
    main.append(_rating_chart(report))
    main.append(_panel("Results", _about_results(report), _html_results(report)))
    main.append(_panel(_MEETING.title, _MEETING.meaning, _html_matrix(report)))
    facts = (part for label, value in _facts(report) for part in (_tag("dt", label), _tag("dd", value)))
    main.append(_panel("How it was played", "", _tag("pre", report["command"]), _tag("dl", *facts)))
    if notes := _notes(report):
        main.append(_panel("Notes", "", _tag("ul", *(_tag("li", note) for note in notes))))
    page = _tag("html", head, _tag("body", main), lang="en")
    ElementTree.indent(page, space=" ")
    # The HTML method leaves the style sheet unescaped and void elements open, as browsers expect.
    return "<!DOCTYPE html>\n" + ElementTree.tostring(page, encoding="unicode", method="html") + "\n"


def write(report: Report, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes evaluation.json, .md and .html into a folder, made if missing, and returns their paths.

    All texts are made before any file is touched, and each file is written aside and renamed: whoever reads, and
    whatever is killed, a file is the old one or the new one and never half of it.
    """
    texts = {"json": to_json(report), "md": to_markdown(report), "html": to_html(report)}
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = []
    for suffix, text in texts.items():
        path = Path(folder) / f"evaluation.{suffix}"
        write_aside(path, text.encode())
        paths.append(path)
    return paths


def _tidy(report: Report) -> Report:
    """Checks that a report is whole and returns it as plain, rounded data."""
    if missing := [key for key in _KEYS if key not in report]:
        raise ValueError(f"the report lacks {', '.join(missing)}")
    tidy = {key: _plain(value, key in _ROUNDED_KEYS) for key, value in report.items()}
    size = len(tidy["agents"])
    if any([len(row) for row in rows] != [size] * size for rows in tidy["matrix"].values()):
        raise ValueError(f"the matrix must be {size} by {size}, one row and column an agent")
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


def _order(report: Report) -> list[int]:
    """Returns the indices of the agents by rating, best first; equals keep their order."""
    ratings = [agent["rating"]["mean"] for agent in report["agents"]]
    return sorted(range(len(ratings)), key=lambda k: math.inf if ratings[k] is None else -ratings[k])


def _results_table(report: Report) -> Table:
    agents = [report["agents"][k] for k in _order(report)]
    counted = sorted({heading for agent in agents for heading in agent.get("counts", {})})
    headings = ["#", "Agent", *(figure.title for figure in FIGURES), "Seats", *(c.capitalize() for c in counted)]
    rows = []
    for place, agent in enumerate(agents, 1):
        figures = [figure.show_interval(agent[figure.key]) for figure in FIGURES]
        figures[0] += " \N{DAGGER}" if agent.get("separated") else ""
        counts = [agent["seats"], *(agent.get("counts", {}).get(heading) for heading in counted)]
        rows.append([str(place), agent["name"], *figures, *(_NOTHING if n is None else f"{n:,}" for n in counts)])
    return headings, rows


def _matrix_table(report: Report) -> Table:
    order, shares = _order(report), report["matrix"]["share"]
    numbers, names = [str(k + 1) for k in range(len(order))], [report["agents"][k]["name"] for k in order]
    cells = [[_MEETING.show(shares[i][j]) for j in order] for i in order]
    return ["#", "Agent", *numbers], [[*row[:2], *row[2]] for row in zip(numbers, names, cells, strict=True)]


def _facts(report: Report) -> list[tuple[str, str]]:
    def listed(values: dict[str, Any]) -> str:
        shown = {key: value if isinstance(value, str) else json.dumps(value) for key, value in values.items()}
        return ", ".join(f"{key} {shown[key]}" for key in sorted(shown)) or "none"

    facts = [("Options", listed(report["options"])), ("Seed", str(report["seed"]))]
    if (length := report["games"]["length"]["mean"]) is not None:
        facts.append(("Decisions a game", f"{length:.1f}"))
    return [*facts, ("Settings", listed(report["settings"])), ("Versions", listed(report["versions"]))]


def _notes(report: Report) -> list[str]:
    notes = [f"All intervals are {_level(report)} intervals with the deal as the unit."]
    if any(agent.get("separated") for agent in report["agents"]):
        anchor = report["settings"]["anchor"]
        notes.append(
            f"\N{DAGGER} No finite rating fits the games: no chain of wins leads from this agent to {anchor}, or none "
            "back. The number comes from the small penalty of the fit and has no interval."
        )
    return notes + report.get("notes", [])


def _title(report: Report) -> str:
    return f"{report['env']}: {_subtitle(report)}"


def _subtitle(report: Report) -> str:
    games, deals = report["games"]["count"], report["games"]["deals"]
    return f"{report['num_players']} players, {games:,} games on {deals:,} deal{'s' if deals > 1 else ''}"


def _about_results(report: Report) -> str:
    figures = " ".join(f"{figure.title.split(',')[0]}: {_meaning(figure, report)}." for figure in FIGURES[1:])
    return f"Means a seat, with {_level(report)} intervals. {figures}"


def _level(report: Report) -> str:
    return f"{100 * report['settings']['level']:g}%"


def _meaning(figure: Figure, report: Report) -> str:
    chance = f"{100 / report['num_players']:.1f}"
    return figure.meaning.replace("{chance}", chance).replace("{anchor}", report["settings"]["anchor"])


def _escape_markdown(text: str) -> str:
    # Underscores within words and brackets that open no link mean nothing, and read better without backslashes.
    pattern = r"[\\`*|<>&~]|\](?=[(\[])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"
    return re.sub(pattern, r"\\\g<0>", " ".join(text.split()))


def _markdown_table(table: Table) -> str:
    headings, rows = table
    lines = [headings, ["---:", "---"] + ["---:"] * (len(headings) - 2)]
    lines += [[_escape_markdown(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text_table(table: Table) -> str:
    def width(text: str) -> int:
        return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)

    columns = []
    for number, cells in enumerate(zip(table[0], *table[1], strict=True)):
        room = max(map(width, cells))
        pads = [" " * (room - width(cell)) for cell in cells]
        columns.append([c + pad if number == 1 else pad + c for c, pad in zip(cells, pads, strict=True)])
    return "\n".join("  ".join(line) for line in zip(*columns, strict=True))


def _tag(name: str, /, *content: str | Element, **attributes: Any) -> Element:
    """Makes an element of its text, then its children; `class_` stands for `class`, `aria_hidden` for `aria-hidden`."""
    element = Element(name, {key.rstrip("_").replace("_", "-"): str(value) for key, value in attributes.items()})
    element.text = "".join(part for part in content if isinstance(part, str))
    element.extend(part for part in content if not isinstance(part, str))
    return element


def _panel(title: str, meaning: str, *content: Element) -> Element:
    return _tag("section", _tag("h2", title), _tag("p", meaning), *content)


def _html_table(table: Table) -> Element:
    head = _tag("tr", *(_tag("th", heading) for heading in table[0]))
    body = (_tag("tr", *(_tag("td", cell) for cell in row)) for row in table[1])
    return _tag("div", _tag("table", _tag("thead", head), _tag("tbody", *body)), class_="scroll")


def _html_matrix(report: Report) -> Element:
    """Colours the matrix: the further from one half, the stronger; blue for more, orange for less."""
    order, agents, matrix = _order(report), report["agents"], report["matrix"]
    box = _html_table(_matrix_table(report))
    for i, row in zip(order, box.findall(".//tbody/tr"), strict=True):
        for j, cell in zip(order, row.findall("td")[2:], strict=True):
            if (share := matrix["share"][i][j]) is None:
                continue
            cell.set("class", "more" if share > 0.5 else "less")
            cell.set("style", f"--strength:{1.4 * abs(share - 0.5):.2f}")
            estimate = {"mean": share, "low": matrix["low"][i][j], "high": matrix["high"][i][j]}
            pair = f"{agents[i]['name']} against {agents[j]['name']}"
            cell.set("title", f"{pair}: {_MEETING.show_interval(estimate)} in {matrix['count'][i][j]:,} comparisons")
    return box


@dataclasses.dataclass(frozen=True)
class _Scale:
    """The horizontal scale of one figure; positions are percentages, so that drawings fit any width."""

    figure: Figure
    ticks: list[float]
    reference: float | None  # the anchor, or what chance gives

    @classmethod
    def of(cls, report: Report, figure: Figure) -> "_Scale":
        reference = {"rating": 0.0, "win_share": 1 / report["num_players"], "placement": 0.0}.get(figure.key)
        values = [agent[figure.key][bound] for agent in report["agents"] for bound in ("mean", "low", "high")]
        return cls(figure, _ticks([value for value in [reference, *values] if value is not None]), reference)

    def at(self, value: float) -> str:
        return f"{3 + 94 * (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0]):.2f}%"

    def line(self, kind: str, start: float, end: float, top: int = 0, bottom: int = 100) -> Element:
        return _tag("line", class_=kind, x1=self.at(start), x2=self.at(end), y1=f"{top}%", y2=f"{bottom}%")

    def bar(self, estimate: dict[str, Any]) -> Element:
        """Draws an estimate as a dot with its interval."""
        mean, low, high = (estimate[bound] for bound in ("mean", "low", "high"))
        drawing = [self.line("grid", tick, tick) for tick in self.ticks]
        drawing += [] if self.reference is None else [self.line("reference", self.reference, self.reference)]
        drawing += [] if low is None else [self.line("interval", low, high, 50, 50)]
        drawing += [] if mean is None else [_tag("circle", cx=self.at(mean), cy="50%", r="3.5")]
        return _tag("div", _tag("svg", *drawing, aria_hidden="true"), class_="plot")

    def axis(self, is_short: bool = False) -> Element:
        """Writes the numbers below the bars: all, or the outer two where there is little room."""
        ticks = (self.ticks[0], self.ticks[-1]) if is_short else self.ticks
        labels = (_tag("text", f"{tick * self.figure.scale:g}", x=self.at(tick), y="11") for tick in ticks)
        return _tag("div", _tag("svg", *labels, aria_hidden="true"), class_="plot axis")


def _rating_chart(report: Report) -> Element:
    figure, chart = FIGURES[0], _tag("div", class_="chart")
    scale = _Scale.of(report, figure)
    for k, (_, name, value, *_) in zip(_order(report), _results_table(report)[1], strict=True):
        chart.extend([_tag("span", name), scale.bar(report["agents"][k][figure.key]), _tag("span", value)])
    chart.extend([_tag("span"), scale.axis(), _tag("span")])
    return _panel(figure.title, _meaning(figure, report), chart)


def _html_results(report: Report) -> Element:
    """Puts bars under the figures that have no chart of their own, and the scales below the table."""
    headings, rows = _results_table(report)
    scales = {headings.index(figure.title): _Scale.of(report, figure) for figure in FIGURES[1:]}
    box = _html_table((headings, rows))
    for k, row in zip(_order(report), box.findall(".//tbody/tr"), strict=True):
        for column, scale in scales.items():
            row[column].append(scale.bar(report["agents"][k][scale.figure.key]))
    axes = ([scales[column].axis(is_short=True)] if column in scales else [] for column in range(len(headings)))
    box[0].append(_tag("tfoot", _tag("tr", *(_tag("td", *axis) for axis in axes))))
    return box


def _ticks(values: list[float]) -> list[float]:
    """Returns round numbers, at most six, from at or below the smallest value to at or above the largest."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high - low < 10**-DECIMALS:
        low, high = low - 1, high + 1
    power = 10.0 ** math.floor(math.log10(high - low) - 1)
    step = next(power * m for m in (1, 2, 5, 10, 20, 50, 100) if (high - low) / (power * m) <= 4)
    return [i * step for i in range(math.floor(low / step), math.ceil(high / step) + 1)]


_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --panel: #f6f7f9; --ink: #1a1f26; --soft: #5a6572; --line: #d8dde3;
  --accent: #2456c0; --more: 52 112 224; --less: 230 128 20; }
@media screen and (prefers-color-scheme: dark) { :root { --ground: #12161b; --panel: #1a2027; --ink: #e6eaee;
  --soft: #98a4b0; --line: #323b45; --accent: #7da9ff; --more: 58 112 220; --less: 190 100 14; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 66rem; margin: auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0; font-size: 1.7rem; } h2 { margin: 0 0 .2rem; font-size: 1.05rem; }
p { margin: 0 0 .8rem; color: var(--soft); max-width: 48rem; } p:empty { display: none; }
section, pre { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); padding: 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } .scroll { overflow-x: auto; }
th, td { padding: .35rem .5rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; } td { white-space: nowrap; }
tbody tr:last-child td, tfoot td { border-bottom: 0; } th:first-child { width: 2rem; }
th:nth-child(2), td:nth-child(2) { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem;
  position: sticky; left: 0; background: var(--panel); z-index: 1; }
td.more { background: rgb(var(--more) / var(--strength)); } td.less { background: rgb(var(--less) / var(--strength)); }
.chart { display: grid; grid-template-columns: fit-content(16rem) 1fr auto; column-gap: 1rem; }
.chart span { align-self: center; overflow-wrap: anywhere; } .chart span:nth-child(3n) { text-align: right; }
.plot { position: relative; min-height: 1.9rem; } td .plot { min-height: 1rem; min-width: 8rem; }
.plot.axis { min-height: 1rem; } svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.grid { stroke: var(--line); } .reference { stroke: var(--soft); stroke-dasharray: 3 3; }
.interval { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; } circle { fill: var(--accent); }
text { fill: var(--soft); font-size: 11px; text-anchor: middle; }
section { margin: 0 0 1rem; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: .4rem 0 1rem; background: var(--ground); white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; } dl, ul { margin: 0; }
ul { padding-left: 1.2rem; }
@media (max-width: 36rem) { .chart { grid-template-columns: fit-content(6rem) 1fr auto; column-gap: .5rem; }
  .chart, table { font-size: 13px; } main { padding: 1rem .6rem 2rem; } section { padding: .8rem; } }
@media print { body { font-size: 10px; } main { padding: 0; max-width: none; } * { print-color-adjust: exact; }
  section, .chart, tr { break-inside: avoid; } section:has(tfoot) { break-inside: auto; } h2, p { break-after: avoid; }
  section { background: none; } td .plot { min-width: 5rem; } th, td { padding: .2rem .3rem; }
  th:nth-child(2), td:nth-child(2) { background: none; } .scroll { overflow: visible; } }
"""
