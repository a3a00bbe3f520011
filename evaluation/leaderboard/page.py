"""All leaderboards on one HTML page that needs nothing from outside and runs nothing."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from evaluation.report.figures import FIGURES, MEETING, Table, about_results, facts_of, notes_of, order_of, tidy
from evaluation.report.html import (
    Element,
    document,
    html_matrix,
    html_results,
    html_table,
    panel,
    rating_chart,
    sortable,
    tag,
)


class Shown(NamedTuple):
    """A board on the page.

    Attributes:
        board: See ``evaluation.leaderboard.file``.
        timing: What its agents cost, see ``evaluation.report.describe.costs``, or {}.
        claims: The results of entries by their authors' own runs, in the same form.
        replays: Files of recorded games, by the numbers of the two agents.
    """

    board: Mapping[str, Any]
    timing: Mapping[str, Any]
    claims: Sequence[Mapping[str, Any]] = ()
    replays: Mapping[tuple[int, int], str] = MappingProxyType({})


_INTRODUCTION = (
    "Every two agents play deals that nobody knew before, each from every seat. The rating is on the Elo scale with greedy at 0; "
    "intervals take the deal as their unit. Every game is kept in the file beside this page and can be played again: python "
    "evaluate.py --check-leaderboard; with --fresh the same agents play on deals of your own."
)
_STEPS = (
    "Put your agent, a module or a checkpoint, into the folder entries, and beside it a JSON file that names it.",
    "python evaluate.py --enter leaderboard/entries/my_agent.json plays it against the agents of this package: your claim.",
    "python evaluate.py --leaderboard GAME --num-players P, run by the keepers of the board, plays it on new deals: its place.",
)
_CLAIMS = (
    "What the authors of entries say themselves, from games of their own against the agents of this package. A place on the "
    "board comes from games that its keepers have played, on deals that were new to the agent."
)
_WATCH = " A number leads to a recorded game of the two; python -m play watch leaderboard/games/... shows it."
_OLD = "From before there were secrets: all pairs played the same deals, which follow from a seed that everybody knew."


def index_page(boards: Sequence[Shown]) -> str:
    """The page."""
    links = [tag("li", tag("a", _title(shown.board), href=f"#{_anchor(shown.board)}")) for shown in boards]
    links.append(tag("li", tag("a", "How to enter", href="#enter")))
    content = [tag("header", tag("h1", "Leaderboards"), tag("p", _INTRODUCTION)), tag("nav", tag("ul", *links))]
    for shown in boards:
        content += _section(shown)
    enter = tag("section", tag("h2", "How to enter"), tag("ol", *(tag("li", step) for step in _STEPS)), id="enter")
    enter.append(tag("p", "All of it is in ", tag("a", "README.md", href="README.md")))
    return document("Leaderboards", *content, enter)


def _section(shown: Shown) -> list[Element]:
    found, timing, claims, replays = shown
    report = tidy({key: value for key, value in found.items() if key != "results"})
    cost = {agent["name"]: agent["microseconds"] for agent in timing.get("agents", [])}
    if cost.keys() >= {agent["name"] for agent in report["agents"]}:
        for agent in report["agents"]:
            agent["microseconds"] = cost[agent["name"]]
    heading = tag("h2", _title(found), id=_anchor(found), class_="board")
    return [
        heading,
        tag("p", f"{_how_much(report)} ", *_files(found)),
        rating_chart(report),
        panel("Results", about_results(report), sortable(html_results(report), report, _anchor(found))),
        panel(MEETING.title, f"{MEETING.meaning}{_WATCH if replays else ''}", _linked(html_matrix(report), report, replays)),
        *([panel("Claims of entries", _CLAIMS, html_table(_claims_table(report, claims)))] if claims else []),
        panel("What made it", "", tag("pre", report["command"]), _details(report, timing), _notes(report)),
    ]


def _linked(matrix: Element, report: Mapping[str, Any], replays: Mapping[tuple[int, int], str]) -> Element:
    """Links the cells of two agents to the recorded game of the two."""
    order = order_of(dict(report))
    for i, row in zip(order, matrix.findall(".//tbody/tr"), strict=True):
        for j, cell in zip(order, row.findall("td")[2:], strict=True):
            if file := replays.get((i, j), replays.get((j, i))):
                cell.append(tag("a", cell.text or "", href=file))
                cell.text = None
    return matrix


def _how_much(report: Mapping[str, Any]) -> str:
    games, deals = report["games"]["count"], report["deals"]
    if "secrets" not in report:
        return f"{games:,} games on {deals:,} deals, each from every seat. {_OLD}"
    return f"{games:,} games: every two agents on {deals:,} deals of their own, each from every seat."


def _files(found: Mapping[str, Any]) -> list[Element]:
    """Links to the files of a board."""
    names = {"All games": f"{_anchor(found)}.json"}
    if "commitments" in found:
        names["Commitments"] = f"{_anchor(found)}.commitments.json"
    links = [tag("a", text, href=name) for text, name in names.items()]
    for link in links:
        link.tail = ". "
    return links


def _claims_table(report: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> Table:
    """What entries say of themselves, and what the board says of them."""
    rating, rows = FIGURES[0], []
    placed = {(entrant["name"], entrant["file"]): k for k, entrant in enumerate(report["entrants"])}
    for claim in (tidy(dict(claim)) for claim in claims):
        entrant = claim["entrants"][0]
        place = placed.get((entrant["name"], entrant["file"]))
        here = "not played" if place is None else rating.show_interval(report["agents"][place]["rating"])
        said = rating.show_interval(claim["agents"][0]["rating"])
        rows.append(["claim", entrant["name"], said, f"{claim['games']['count']:,}", here, ", ".join(entrant["authors"])])
    return ["", "Agent", "Rating as claimed", "Games claimed", "Rating on this board", "Authors"], rows


def _details(report: Mapping[str, Any], timing: Mapping[str, Any]) -> Element:
    facts = facts_of(dict(report))
    if machine := timing.get("machine"):
        facts.append(("Costs measured on", ", ".join(f"{key} {value}" for key, value in machine.items())))
    for entrant in report["entrants"]:
        if entrant["authors"] or entrant["about"]:
            words = [entrant["agent"], *(["by " + ", ".join(entrant["authors"])] if entrant["authors"] else []), entrant["about"]]
            facts.append((entrant["name"], "; ".join(word for word in words if word)))
    return tag("dl", *(part for label, value in facts for part in (tag("dt", label), tag("dd", value))))


def _notes(report: Mapping[str, Any]) -> Element:
    return tag("ul", *(tag("li", note) for note in notes_of(dict(report))))


def _title(found: Mapping[str, Any]) -> str:
    return f"{found['rule_set']}, {found['num_players']} players"


def _anchor(found: Mapping[str, Any]) -> str:
    return f"{found['rule_set']}_{found['num_players']}p"
