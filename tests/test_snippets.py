"""The snippets of docs/doors.md run as they stand there, each in a process of its own state and with its own names."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "doors.md"


def snippets():
    """Every Python block of the page, by the heading above it and its number there."""
    found = {}
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading = section.partition("\n")[0]
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", section, re.DOTALL), 1):
            found[f"{heading} {number}"] = block
    return found


SNIPPETS = snippets()


def test_the_page_has_snippets():
    assert len(SNIPPETS) >= 6


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SNIPPETS)
def test_it_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for what it writes
    exec(compile(SNIPPETS[name], name, "exec"), {"__name__": "snippet"})
