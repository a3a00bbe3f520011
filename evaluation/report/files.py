"""The report of an evaluation as JSON, Markdown, one HTML page and text for a terminal.

A report is a dict. `ratings.summarise` gives four of its keys, the caller the rest:

    agents     list of dicts: `name`, `seats` (how many it took), `separated`, and the figures `rating`, `win_share`,
               `placement` and `score`, each a dict of `mean`, `standard_error`, `low`, `high`; optionally `counts`, a
               dict from a heading such as "illegal moves" to a number, and the numbers `alpha_rank` and `microseconds`
    matrix     `share`, `low`, `high`, `count`: lists of lists, row against column, in the order of `agents`
    games      `count`, `deals`, and `length`, a dict like a figure
    settings   how it was played and rated: `anchor`, `level`, `resamples`, `ridge` and whatever the caller adds
    env, num_players, options, seed, command, versions     what was played, and with what
    notes      optional list of sentences for the reader
    cycles     optional dict of `rings` and `knots`, lists of lists of names, see `evaluation.cycles`

The same report gives the same bytes: no clock, no host, keys sorted, floats in `agents`, `matrix` and `games` rounded
to six decimals (NaN and infinity become null). Every form is made from the rounded report, so a page made again from
the JSON file is the same page. Tables list the agents by rating, best first.
"""

import json
import os
import re
import unicodedata
from pathlib import Path

from envs.files import write_aside
from evaluation.report.figures import (
    FIGURES,
    MEETING,
    Report,
    Table,
    about_results,
    facts_of,
    matrix_table,
    meaning_of,
    notes_of,
    results_table,
    short_names,
    tidy,
    title_of,
)
from evaluation.report.html import to_html


def to_json(report: Report) -> str:
    """Returns the report as JSON, with sorted keys and a final line break."""
    return json.dumps(tidy(report), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def to_markdown(report: Report) -> str:
    """Returns the report as GitHub-flavoured Markdown."""
    report = tidy(report)
    parts = [f"# {_escape_markdown(title_of(report))}", _markdown_table(results_table(report))]
    parts += [_escape_markdown(f"Rating: {meaning_of(FIGURES[0], report)} {about_results(report)}")]
    parts += [f"## {MEETING.title}", MEETING.meaning, _markdown_table(matrix_table(report)), "## How it was played"]
    parts += ["\n".join(f"    {line}" for line in report["command"].splitlines() or [""])]
    parts += ["\n".join(f"- **{label}**: {_escape_markdown(value)}" for label, value in facts_of(report))]
    if notes := notes_of(report):
        parts += ["## Notes", "\n".join(f"- {_escape_markdown(note)}" for note in notes)]
    return "\n\n".join(parts) + "\n"


def to_text(report: Report) -> str:
    """Returns the tables for a terminal."""
    report = tidy(report)
    parts = [title_of(report), _text_table(results_table(report)), f"{MEETING.title} ({MEETING.meaning})"]
    parts += [_text_table(matrix_table(report)), "\n".join(f"{label}: {value}" for label, value in facts_of(report))]
    return "\n\n".join([*parts, *notes_of(report)]) + "\n"


def write(report: Report, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes evaluation.json, .md and .html into a folder, made if missing, and returns their paths.

    All texts are made before any file is touched, and each file is written aside and renamed: whenever
    somebody reads or the program is killed, a file is the old one or the new one and never half of it.
    """
    texts = {"json": to_json(report), "md": to_markdown(report), "html": to_html(report)}
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = []
    for suffix, text in texts.items():
        path = Path(folder) / f"evaluation.{suffix}"
        write_aside(path, text.encode())
        paths.append(path)
    return paths


def _escape_markdown(text: str) -> str:
    # Underscores within words and brackets that open no link mean nothing, and read better without backslashes.
    pattern = r"[\\`*|<>&~]|\](?=[(\[])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"
    return re.sub(pattern, r"\\\g<0>", " ".join(text.split()))


def _with_short_names(table: Table) -> Table:
    short = short_names([row[1] for row in table[1]])
    return table[0], [[row[0], name, *row[2:]] for name, row in zip(short, table[1], strict=True)]


def _markdown_table(table: Table) -> str:
    headings, rows = _with_short_names(table)
    lines = [headings, ["---:", "---"] + ["---:"] * (len(headings) - 2)]
    lines += [[_escape_markdown(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text_table(table: Table) -> str:
    def width(text: str) -> int:
        return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)

    columns, (headings, rows) = [], _with_short_names(table)
    for number, cells in enumerate(zip(headings, *rows, strict=True)):
        room = max(map(width, cells))
        pads = [" " * (room - width(cell)) for cell in cells]
        columns.append([c + pad if number == 1 else pad + c for c, pad in zip(cells, pads, strict=True)])
    return "\n".join("  ".join(line) for line in zip(*columns, strict=True))
