"""The report of an evaluation as one HTML page that needs nothing from outside and runs nothing."""

import dataclasses
import math
import re
from typing import Any
from xml.etree import ElementTree

from evaluation.report.figures import (
    DECIMALS,
    EXTRAS,
    FIGURES,
    MEETING,
    Figure,
    Report,
    Table,
    about_results,
    extras_of,
    facts_of,
    matrix_table,
    meaning_of,
    notes_of,
    order_of,
    results_table,
    short_names,
    subtitle_of,
    tidy,
    title_of,
)

Element = ElementTree.Element


def to_html(report: Report) -> str:
    """Returns the report as one HTML page that needs nothing from outside."""
    report = tidy(report)
    content = [tag("header", tag("h1", report["env"]), tag("p", subtitle_of(report))), rating_chart(report)]
    content.append(panel("Results", about_results(report), html_results(report)))
    content.append(panel(MEETING.title, MEETING.meaning, html_matrix(report)))
    facts = (part for label, value in facts_of(report) for part in (tag("dt", label), tag("dd", value)))
    content.append(panel("How it was played", "", tag("pre", report["command"]), tag("dl", *facts)))
    if notes := notes_of(report):
        content.append(panel("Notes", "", tag("ul", *(tag("li", note) for note in notes))))
    return document(title_of(report), *content)


def document(title: str, *content: Element) -> str:
    """A whole page of these elements, one below the other."""
    head = tag("head", tag("meta", charset="utf-8"))
    head.append(tag("meta", name="viewport", content="width=device-width, initial-scale=1"))
    head.extend([tag("title", title), tag("style", _STYLE)])
    page = tag("html", head, tag("body", tag("main", *content)), lang="en")
    ElementTree.indent(page, space=" ")
    # The HTML method leaves the style sheet unescaped and void elements open, as browsers expect.
    return "<!DOCTYPE html>\n" + ElementTree.tostring(page, encoding="unicode", method="html") + "\n"


def tag(name: str, /, *content: str | Element, **attributes: Any) -> Element:
    """Makes an element of its text, then its children; `class_` stands for `class`, `aria_hidden` for `aria-hidden`."""
    element = Element(name, {key.rstrip("_").replace("_", "-"): str(value) for key, value in attributes.items()})
    element.text = "".join(part for part in content if isinstance(part, str))
    element.extend(part for part in content if not isinstance(part, str))
    return element


def name_tag(name: str, /, element: str, short: str | None = None) -> Element:
    """Makes an element of an agent's name, which goes to the next line between its parts and not within a file's extension.

    Where only ``short`` is shown of a long path, see ``short_names``, the whole name is the element's title.
    """
    short = short or short_names([name])[0]
    first, *rest = _PARTS.split(short)
    made = tag(element, first) if short == name else tag(element, first, title=name)
    for part in rest:
        place = tag("wbr")
        place.tail = part
        made.append(place)
    return made


_PARTS = re.compile(r"(?<=[/_,:=])(?=.)|(?=\.zip)")


def panel(title: str, meaning: str, *content: Element) -> Element:
    """A framed part of a page under its heading."""
    return tag("section", tag("h2", title), tag("p", meaning), *content)


def html_table(table: Table) -> Element:
    """A table of a report, in a box that scrolls sideways where there is little room."""
    head = tag("tr", *(tag("th", heading) for heading in table[0]))
    short = short_names([row[1] for row in table[1]])
    body = (
        tag("tr", tag("td", place), name_tag(name, "td", shown), *(tag("td", cell) for cell in row))
        for shown, (place, name, *row) in zip(short, table[1], strict=True)
    )
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll")


def html_matrix(report: Report) -> Element:
    """Colours the matrix: the further from one half, the stronger; blue for more, orange for less."""
    order, agents, matrix = order_of(report), report["agents"], report["matrix"]
    box = html_table(matrix_table(report))
    for i, row in zip(order, box.findall(".//tbody/tr"), strict=True):
        for j, cell in zip(order, row.findall("td")[2:], strict=True):
            if (share := matrix["share"][i][j]) is None:
                continue
            cell.set("class", "more" if share > 0.5 else "less")
            cell.set("style", f"--strength:{1.4 * abs(share - 0.5):.2f}")
            estimate = {"mean": share, "low": matrix["low"][i][j], "high": matrix["high"][i][j]}
            pair = f"{agents[i]['name']} against {agents[j]['name']}"
            cell.set("title", f"{pair}: {MEETING.show_interval(estimate)} in {matrix['count'][i][j]:,} comparisons")
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
        known = [figure.possible(value) for value in [reference, *values] if value is not None]
        return cls(figure, round_ticks(known), reference)

    def at(self, value: float) -> str:
        return f"{3 + 94 * (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0]):.2f}%"

    def line(self, kind: str, start: float, end: float, top: int = 0, bottom: int = 100) -> Element:
        return tag("line", class_=kind, x1=self.at(start), x2=self.at(end), y1=f"{top}%", y2=f"{bottom}%")

    def bar(self, estimate: dict[str, Any]) -> Element:
        """Draws an estimate as a dot with its interval."""
        mean, low, high = (estimate[bound] for bound in ("mean", "low", "high"))
        drawing = [self.line("grid", tick, tick) for tick in self.ticks]
        drawing += [] if self.reference is None else [self.line("reference", self.reference, self.reference)]
        if low is not None:
            drawing.append(self.line("interval", self.figure.possible(low), self.figure.possible(high), 50, 50))
        drawing += [] if mean is None else [tag("circle", cx=self.at(mean), cy="50%", r="3.5")]
        return tag("div", tag("svg", *drawing, aria_hidden="true"), class_="plot")

    def axis(self, is_short: bool = False) -> Element:
        """Writes the numbers below the bars: all, or the outer two where there is little room."""
        ticks = (self.ticks[0], self.ticks[-1]) if is_short else self.ticks
        labels = (tag("text", f"{tick * self.figure.scale:g}", x=self.at(tick), y="11") for tick in ticks)
        return tag("div", tag("svg", *labels, aria_hidden="true"), class_="plot ends axis" if is_short else "plot axis")


def rating_chart(report: Report) -> Element:
    """The ratings with their intervals as a drawing, best first."""
    figure, chart = FIGURES[0], tag("div", class_="chart")
    scale = _Scale.of(report, figure)
    rows = results_table(report)[1]
    for k, short, (_, name, value, *_) in zip(order_of(report), short_names([row[1] for row in rows]), rows, strict=True):
        chart.extend([name_tag(name, "span", short), scale.bar(report["agents"][k][figure.key]), tag("span", value)])
    chart.extend([tag("span"), scale.axis(), tag("span")])
    return panel(figure.title, meaning_of(figure, report), chart)


def html_results(report: Report) -> Element:
    """Puts bars under the figures that have no chart of their own, and the scales below the table."""
    headings, rows = results_table(report)
    scales = {headings.index(figure.title): _Scale.of(report, figure) for figure in FIGURES[1:]}
    box = html_table((headings, rows))
    for k, row in zip(order_of(report), box.findall(".//tbody/tr"), strict=True):
        for column, scale in scales.items():
            row[column].append(scale.bar(report["agents"][k][scale.figure.key]))
    axes = ([scales[column].axis(is_short=True)] if column in scales else [] for column in range(len(headings)))
    box[0].append(tag("tfoot", tag("tr", *(tag("td", *axis) for axis in axes))))
    return box


def sortable(box: Element, report: Report, group: str) -> Element:
    """Lets readers put the agents in order by any figure, without a script: a choice above the table moves its rows.

    Args:
        box: What :func:`html_results` gave.
        report: The same report.
        group: What tells this table's choice from others on the page.
    """
    order, figures = order_of(report), [*FIGURES, *extras_of(report)]
    keys = [[_sort_key(figure, report["agents"][k]) for k in order] for figure in figures]
    ranks = [sorted(range(len(order)), key=column.__getitem__) for column in keys]
    for number, row in enumerate(box.findall(".//tbody/tr")):
        row.set("style", ";".join(f"--by-{column}:{rank.index(number)}" for column, rank in enumerate(ranks)))
    box[0].set("style", f"--columns:{len(box.findall('.//thead/tr/th'))}")
    choices = []
    for column, figure in enumerate(figures):
        button = tag("input", type="radio", name=f"sort-{group}", value=column, **({"checked": "checked"} if not column else {}))
        button.tail = figure.title.partition(",")[0]
        choices.append(tag("label", button))
    chooser = tag("fieldset", tag("legend", "Sort by"), *choices, class_="sort")
    return tag("div", chooser, box, class_="sortable")


def _sort_key(figure: Figure, agent: dict[str, Any]) -> float:
    """Best first: what costs least, and of all else the largest."""
    value = agent[figure.key]
    mean = value["mean"] if isinstance(value, dict) else value
    return math.inf if mean is None else mean if figure.key == "microseconds" else -mean


def round_ticks(values: list[float]) -> list[float]:
    """Returns round numbers, at most six, from at or below the smallest value to at or above the largest."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high - low < 10**-DECIMALS:
        low, high = low - 1, high + 1
    power = 10.0 ** math.floor(math.log10(high - low) - 1)
    step = next(power * m for m in (1, 2, 5, 10, 20, 50, 100) if (high - low) / (power * m) <= 4)
    return [i * step for i in range(math.floor(low / step), math.ceil(high / step) + 1)]


_SORTED = "\n".join(
    f'.sortable:has(input[value="{column}"]:checked) tbody tr {{ order: var(--by-{column}); }}'
    for column in range(len(FIGURES) + len(EXTRAS))
)
_STYLE = f"""{_SORTED}""" + """
:root { color-scheme: light dark; --ground: #fff; --panel: #f6f7f9; --ink: #1a1f26; --soft: #5a6572; --line: #d8dde3;
  --accent: #2456c0; --more: 52 112 224; --less: 230 128 20; }
@media screen and (prefers-color-scheme: dark) { :root { --ground: #12161b; --panel: #1a2027; --ink: #e6eaee;
  --soft: #98a4b0; --line: #323b45; --accent: #7da9ff; --more: 58 112 220; --less: 190 100 14; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 66rem; margin: auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0; font-size: 1.7rem; } h2.board { margin: 2.5rem 0 0; font-size: 1.4rem; } nav { margin: 0 0 1rem; }
a { color: var(--accent); } h2 { margin: 0 0 .2rem; font-size: 1.05rem; }
p { margin: 0 0 .8rem; color: var(--soft); max-width: 48rem; } p:empty { display: none; }
section, pre { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); padding: 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } .scroll { overflow-x: auto; }
th, td { padding: .35rem .5rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; } td { white-space: nowrap; }
tbody tr:last-child td, tfoot td { border-bottom: 0; } th:first-child { width: 2rem; }
th:nth-child(2), td:nth-child(2) { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem;
  position: sticky; left: 0; background: var(--panel); z-index: 1; }
td.more { background: rgb(var(--more) / var(--strength)); } td.less { background: rgb(var(--less) / var(--strength)); }
.sort { border: 0; margin: 0 0 .5rem; padding: 0; color: var(--soft); } .sort legend { float: left; margin-right: .6rem; }
.sort label { display: inline-block; margin-right: .8rem; } .sort input { margin: 0 .3rem 0 0; accent-color: var(--accent); }
.sortable table { display: grid; grid-template-columns: repeat(var(--columns), auto); }
.sortable :is(thead, tbody, tfoot) { display: contents; } .sortable thead tr { order: -1; } .sortable tfoot tr { order: 1000; }
.sortable th { align-self: end; } .sortable tr { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.chart { display: grid; grid-template-columns: fit-content(16rem) 1fr auto; column-gap: 1rem; }
.chart span { align-self: center; overflow-wrap: anywhere; } .chart span:nth-child(3n) { text-align: right; }
.plot { position: relative; min-height: 1.9rem; } td .plot { min-height: 1rem; min-width: 6rem; }
.plot.axis { min-height: 1rem; } svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.grid { stroke: var(--line); } .reference { stroke: var(--soft); stroke-dasharray: 3 3; }
.interval { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; } circle { fill: var(--accent); }
text { fill: var(--soft); font-size: 11px; text-anchor: middle; }
.ends text:first-child { text-anchor: start; } .ends text:last-child { text-anchor: end; }
section { margin: 0 0 1rem; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: .4rem 0 1rem; background: var(--ground); white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: fit-content(14rem) 1fr; gap: .3rem 1rem; } dt { overflow-wrap: anywhere; }
dl, ul, ol { margin: 0; }
ul, ol { padding-left: 1.2rem; }
@media (max-width: 36rem) { .chart { grid-template-columns: fit-content(6rem) 1fr auto; column-gap: .5rem; }
  dl { grid-template-columns: fit-content(7rem) 1fr; }
  .chart .axis text:nth-child(even) { display: none; } th:nth-child(2), td:nth-child(2) { min-width: 5.5rem; }
  .chart, table { font-size: 13px; } main { padding: 1rem .6rem 2rem; } section { padding: .8rem; } }
@media print { body { font-size: 10px; } main { padding: 0; max-width: none; } * { print-color-adjust: exact; }
  section, .chart, tr { break-inside: avoid; } section:has(tfoot) { break-inside: auto; } h2, p { break-after: avoid; }
  section { background: none; } td .plot { min-width: 5rem; } th, td { padding: .2rem .3rem; }
  th:nth-child(2), td:nth-child(2) { background: none; } .scroll { overflow: visible; } }
"""
