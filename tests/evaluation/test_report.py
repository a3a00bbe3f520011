"""The report of an evaluation: the same bytes, nothing lost, nothing broken by odd names."""

import html.parser
import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

from evaluation.report import files as report
from evaluation.report import html as page

ODD_NAMES = ("<b>&\"'", "a|b*_c_`d`", "runs/dance_of_eights/model.zip", "キノコ", "[no](link)")
VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}


def figure(mean: float, half: float | None = 0.05) -> dict:
    half = math.nan if half is None else half
    return {"mean": mean, "standard_error": half / 2, "low": mean - half, "high": mean + half}


def make_report(names=("random", "greedy", "search")) -> report.Report:
    """A small report with NaN, numpy scalars, an agent that cannot be rated and agents out of order."""
    size = len(names)
    agents = [
        {
            "name": name,
            "seats": np.int64(4000 + k),
            "separated": k == size - 1,
            "rating": figure(137.123456789 * k, None if k == size - 1 else 20.4),
            "win_share": figure((k + 1) / 10),
            "placement": figure(-0.0004 + k / 10, 0.0),
            "score": figure(1e-9 + 12 * k),
            "counts": {"illegal moves": k},
        }
        for k, name in enumerate(names)
    ]
    share = [[math.nan if i == j else 0.5 + (i - j) / (3 * size) for j in range(size)] for i in range(size)]
    matrix = dict.fromkeys(("share", "low", "high"), share) | {"count": np.full((size, size), 12345)}
    return {
        "agents": agents,
        "matrix": matrix,
        "games": {"count": 12000, "deals": 4000, "length": figure(61.25)},
        "settings": {"anchor": names[0], "level": 0.95, "resamples": 1000, "ridge": 1e-9},
        "env": "fairy_ring",
        "num_players": 3,
        "options": {"objectives": True},
        "seed": 7,
        "command": "python evaluate.py --env fairy_ring a&b <c>",
        "versions": {"numpy": "2.4", "python": "3.11"},
        "notes": ["search was slow twice"],
    }


class Page(html.parser.HTMLParser):
    """Fails on tags that do not close in order, and keeps what a reader would see.

    Attributes:
        seen: all pieces of text, the style sheet aside; where a line may end, a text goes on.
        tips: what hangs over a cell, and the text in it.
    """

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.goes_on = False
        self.seen: list[str] = []
        self.tips: list[tuple[str, str]] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.goes_on = tag == "wbr"
        if self.goes_on:
            return
        self.tip = dict(attrs).get("title")
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.goes_on = False
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.goes_on:
            self.seen[-1] += data.rstrip()
        elif data.strip() and self.open[-1] != "style":
            self.seen.append(data.strip())
            if self.tip:
                self.tips.append((self.tip, data.strip()))


WRITERS = (report.to_json, report.to_markdown, report.to_html, report.to_text)


@pytest.mark.parametrize("write", WRITERS)
def test_the_same_report_gives_the_same_bytes_in_any_order_of_keys(write):
    once = write(make_report())
    assert once == write(make_report())
    assert once == write(dict(reversed(make_report().items())))
    assert once.endswith("\n") and "nan" not in once.lower()


@pytest.mark.parametrize("write", WRITERS)
def test_a_report_read_back_from_its_json_gives_the_same_bytes(write):
    assert write(json.loads(report.to_json(make_report()))) == write(make_report())


@pytest.mark.parametrize("write", WRITERS)
def test_noise_below_the_sixth_decimal_does_not_show(write):
    noisy = make_report()
    for agent in noisy["agents"]:
        agent["win_share"]["mean"] += 1e-12
        agent["score"]["low"] -= 1e-13
    assert write(noisy) == write(make_report())


@pytest.mark.parametrize("write", WRITERS)
def test_writing_does_not_change_the_report(write):
    original = make_report()
    write(original)
    assert repr(original) == repr(make_report())


def test_json_rounds_figures_and_keeps_settings():
    data = json.loads(report.to_json(make_report()))
    assert data["agents"][1]["rating"]["mean"] == 137.123457
    assert data["agents"][0]["score"]["mean"] == 0
    assert data["agents"][2]["rating"]["low"] is None
    assert data["matrix"]["share"][0][0] is None
    assert data["settings"]["ridge"] == 1e-9
    assert list(data) == sorted(data)


def test_tables_are_sorted_by_rating_and_print_no_negative_zero():
    text = report.to_text(make_report())
    lines = text.splitlines()
    assert lines[0] == "fairy_ring: 3 players, 12,000 games on 4,000 deals"
    names = [line.split()[1] for line in lines if re.match(r" *[123] ", line)]
    assert names == ["search", "greedy", "random"] * 2
    assert "137 [117, 158]" in text and "274 \N{DAGGER}" in text and "20.0 \N{PLUS-MINUS SIGN}5.0" in text
    assert "+0.000" in text and "-0.0" not in text
    assert "search was slow twice" in text and "No finite rating" in text and "61.2" in text


def test_the_footnote_appears_only_where_it_applies():
    plain = make_report()
    for agent in plain["agents"]:
        agent["separated"] = False
    for write in WRITERS[1:]:
        assert "\N{DAGGER}" in write(make_report())
        assert "\N{DAGGER}" not in write(plain)


def test_text_columns_line_up_with_wide_letters():
    lines = report.to_text(make_report(ODD_NAMES)).splitlines()
    wide, narrow = (next(line for line in lines if name in line) for name in ("キノコ", "<b>&"))
    assert len(wide) + 3 == len(narrow)


def test_markdown_tables_keep_their_columns_whatever_the_names():
    text = report.to_markdown(make_report(ODD_NAMES))
    tables = [line for line in text.splitlines() if line.startswith("|")]
    unescaped = [len(re.findall(r"(?<!\\)\|", line)) for line in tables]
    assert unescaped == [8 + 1] * 7 + [7 + 1] * 7
    assert r"a\|b\*\_c\_\`d\`" in text and r"\<b\>\&" in text and r"[no\](link)" in text
    assert "137 [117, 158]" in text
    assert "runs/dance_of_eights/model.zip" in text
    assert "\n    python evaluate.py --env fairy_ring a&b <c>\n" in text


def test_the_page_is_well_formed_and_shows_odd_names_as_they_are():
    text = report.to_html(make_report(ODD_NAMES))
    shown = Page(text)
    for name in ODD_NAMES:
        assert shown.seen.count(name) == 3
    assert "b" not in shown.tags
    assert "python evaluate.py --env fairy_ring a&b <c>" in shown.seen
    assert any(key == "title" and ODD_NAMES[0] in (value or "") for key, value in shown.attributes)


def test_every_coloured_cell_is_of_the_agents_it_names():
    tips = Page(report.to_html(make_report())).tips
    assert tips[0] == ("search against greedy: 61.1 in 12,345 comparisons", "61.1")
    assert [f"{pair.split(':')[0]} {share}" for pair, share in tips[1:]] == [
        "search against random 72.2",
        "greedy against search 38.9",
        "greedy against random 61.1",
        "random against search 27.8",
        "random against greedy 38.9",
    ]


def test_the_page_needs_nothing_from_outside_and_runs_nothing():
    text = report.to_html(make_report())
    shown = Page(text)
    assert text.startswith("<!DOCTYPE html>\n")
    assert not shown.tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?:|url\(|@import", text)
    assert not [key for key, _ in shown.attributes if key in ("src", "href") or key.startswith("on")]
    assert {"svg", "circle", "line", "table", "style"} <= shown.tags
    assert ("name", "viewport") in shown.attributes


def test_drawings_stay_inside_their_scale():
    shown = Page(report.to_html(make_report()))
    places = [float(v.rstrip("%")) for k, v in shown.attributes if k in ("x", "x1", "x2", "cx") and v is not None]
    assert len(places) > 50 and min(places) >= 3 and max(places) <= 97


@pytest.mark.parametrize("values", [[], [0.0], [5.0, 5.0], [-1, 1], [0.331, 0.335], [-2000.0, 3.5], [1e-3, 7e5]])
def test_ticks_are_few_round_and_around_all_values(values):
    ticks = page.round_ticks(values)
    assert 2 <= len(ticks) <= 6
    assert ticks == sorted(ticks)
    assert all(ticks[0] <= value <= ticks[-1] for value in values)
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0])
    assert f"{steps[0]:.0e}"[0] in "125"


def test_a_report_of_one_deal_has_no_intervals_and_still_prints():
    single = make_report()
    for agent in single["agents"]:
        agent |= {key: figure(agent[key]["mean"], None) for key in ("rating", "win_share", "placement", "score")}
    single["matrix"] |= {key: [[math.nan] * 3] * 3 for key in ("share", "low", "high")}
    for write in WRITERS:
        assert "137" in write(single)
    assert "\N{PLUS-MINUS SIGN}" not in report.to_text(single)
    Page(report.to_html(single))


def test_notes_and_counts_are_optional():
    bare = make_report()
    del bare["notes"]
    for agent in bare["agents"]:
        del agent["counts"]
    for write in WRITERS:
        write(bare)
    partly = make_report()
    del partly["agents"][0]["counts"]
    assert report.to_text(partly).splitlines()[5].endswith("\N{EN DASH}")


def test_a_report_that_lacks_something_is_refused():
    broken = make_report()
    del broken["seed"], broken["matrix"]
    with pytest.raises(ValueError, match="the report lacks matrix, seed"):
        report.to_json(broken)
    broken = make_report()
    broken["matrix"]["low"] = [[0.5]]
    with pytest.raises(ValueError, match="matrix must be 3 by 3"):
        report.to_html(broken)


def test_write_makes_the_folder_and_three_files_and_leaves_nothing_else(tmp_path):
    folder = tmp_path / "deep" / "out"
    paths = report.write(make_report(ODD_NAMES), folder)
    assert [path.name for path in paths] == ["evaluation.json", "evaluation.md", "evaluation.html"]
    assert sorted(folder.iterdir()) == sorted(paths)
    for path, text in zip(paths, WRITERS[:3], strict=True):
        assert path.read_bytes() == text(make_report(ODD_NAMES)).encode()


def test_files_appear_by_renaming_alone(tmp_path, monkeypatch):
    written, replace = [], os.replace
    monkeypatch.setattr(os, "replace", lambda aside, path: written.append(Path(aside)) or replace(aside, path))
    paths = report.write(make_report(), tmp_path)
    assert len(written) == 3 and not set(written) & set(paths)
    assert {path.parent for path in written} == {tmp_path}  # a rename is whole only within one file system


def test_a_failed_write_leaves_the_old_files_whole(tmp_path, monkeypatch):
    old = [path.read_bytes() for path in report.write(make_report(), tmp_path)]
    broken = make_report()
    broken["agents"][0]["name"] = object()
    with pytest.raises(TypeError):
        report.write(broken, tmp_path)

    def full_disk(file):
        assert [path.suffix for path in tmp_path.iterdir() if path.name.startswith(".")] == [".tmp"]
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        report.write(make_report(ODD_NAMES), tmp_path)
    assert [(tmp_path / f"evaluation.{suffix}").read_bytes() for suffix in ("json", "md", "html")] == old
    assert len(list(tmp_path.iterdir())) == 3


def test_long_paths_are_shortened_only_as_far_as_they_stay_different():
    first, second = (f"/home/me/research/runs/dance-of-eights-{run}/snapshots/000008.zip" for run in "ab")
    short = [f"\N{HORIZONTAL ELLIPSIS}/dance-of-eights-{run}/snapshots/000008.zip" for run in "ab"]
    assert page.short_names([first]) == ["\N{HORIZONTAL ELLIPSIS}/snapshots/000008.zip"]
    assert page.short_names([first, "greedy", second]) == [short[0], "greedy", short[1]] and page.short_names([]) == []
    text, marked = report.to_text(make_report((first, second))), report.to_markdown(make_report((first, second)))
    for name in short:
        assert name in text and name in marked
    assert first not in text.partition("Options:")[0]
    assert Page(report.to_html(make_report((first, second)))).seen.count(short[0]) == 3


def test_nothing_is_shown_beyond_what_is_possible():
    wide = make_report()
    for agent in wide["agents"]:
        agent["win_share"], agent["placement"] = figure(0.98, 0.2), figure(-0.9, 0.3)
    text = report.to_text(wide)
    assert "98.0 [78.0, 100.0]" in text and "-0.900 [-1.000, -0.600]" in text
    labels = [data for data in Page(report.to_html(wide)).seen if re.fullmatch(r"-?\d+(\.\d+)?", data)]
    assert {"0", "100", "-1"} <= set(labels) and not {"120", "150", "-1.5", "-50"} & set(labels)
    shown = Page(report.to_html(wide))
    places = [float(v.rstrip("%")) for k, v in shown.attributes if k in ("x", "x1", "x2", "cx") and v is not None]
    assert min(places) >= 3 and max(places) <= 97


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("greedy", "greedy"),
        ("snapshots/000008.zip:sample", "snapshots/|000008|.zip:|sample"),
        ("ismcts:seconds=0.1,value=ppo", "ismcts:|seconds=|0.1,|value=|ppo"),
        ("/home/me/research/runs/dance/snapshots/000008.zip", "\N{HORIZONTAL ELLIPSIS}/|snapshots/|000008|.zip"),
        ("ismcts:400,value=runs/of/today/dance/model.zip", "ismcts:|400,|value=|\N{HORIZONTAL ELLIPSIS}/|dance/|model|.zip"),
    ],
)
def test_a_name_goes_to_the_next_line_between_its_parts_and_not_in_its_extension(name, shown):
    for element in ("td", "span"):
        made = page.name_tag(name, element)
        assert made.tag == element and "|".join(made.itertext()) == shown
        assert made.get("title") == (None if shown.replace("|", "") == name else name)
