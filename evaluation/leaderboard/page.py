"""All leaderboards on one HTML page that needs nothing from outside and runs nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.report.figures import MEETING, about_results, facts_of, notes_of, tidy
from evaluation.report.html import Element, document, html_matrix, html_results, panel, rating_chart, tag

Shown = tuple[Mapping[str, Any], Mapping[str, Any]]

_INTRODUCTION = (
    "Every two agents play the same deals from every seat. The rating is on the Elo scale with greedy at 0; intervals take the "
    "deal as their unit. Every game is kept in the file beside this page and can be played again: python evaluate.py "
    "--check-leaderboard. README.md tells how to enter."
)


def index_page(boards: Sequence[Shown]) -> str:
    """The page.

    Args:
        boards: Each board (see ``evaluation.leaderboard.file``) with what its agents cost (see ``report.describe.costs``), or {}.
    """
    links = [tag("li", tag("a", _title(found), href=f"#{_anchor(found)}")) for found, _ in boards]
    content = [tag("header", tag("h1", "Leaderboards"), tag("p", _INTRODUCTION)), tag("nav", tag("ul", *links))]
    for found, timing in boards:
        content += _section(found, timing)
    return document("Leaderboards", *content)


def _section(found: Mapping[str, Any], timing: Mapping[str, Any]) -> list[Element]:
    report = tidy({key: value for key, value in found.items() if key != "results"})
    cost = {agent["name"]: agent["microseconds"] for agent in timing.get("agents", [])}
    if cost.keys() >= {agent["name"] for agent in report["agents"]}:
        for agent in report["agents"]:
            agent["microseconds"] = cost[agent["name"]]
    games = f"{report['games']['count']:,} games: every two agents on the same {report['deals']:,} deals, from every seat."
    heading = tag("h2", _title(found), id=_anchor(found), class_="board")
    return [
        heading,
        tag("p", games),
        rating_chart(report),
        panel("Results", about_results(report), html_results(report)),
        panel(MEETING.title, MEETING.meaning, html_matrix(report)),
        panel("What made it", "", tag("pre", report["command"]), _details(report, timing), _notes(report)),
    ]


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
