"""The papers: their links lead somewhere, and the commands that others call stand in them word for word."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAPERS = [path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")] if ".venv" not in path.parts]
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)\)")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(paper):
    links = [link for link in LINK.findall(paper.read_text(encoding="utf-8")) if "://" not in link]
    assert not [link for link in links if not (paper.parent / link).exists()]


def test_every_file_that_the_code_names_is_there():
    """Comments and docstrings elsewhere easily keep the old name of a file that was renamed."""
    sources = [path for path in ROOT.rglob("*.py") if ".venv" not in path.parts and "tests" not in path.parts]
    there = {path.name for path in sources}
    named = {path: set(re.findall(r"\b(\w+\.py)\b", path.read_text(encoding="utf-8"))) for path in sources}
    assert len(set.union(*named.values())) > 10
    assert not [f"{path.relative_to(ROOT)}: {name}" for path in sources for name in named[path] - there]


@pytest.mark.parametrize("extra", ["train", "test"])
def test_the_readme_has_the_commands_that_ci_and_newcomers_run(extra):
    program = {"train": "python train.py --env fairy_ring", "test": "python -m pytest"}[extra]
    command = f"pip install -c constraints.txt -e '.[{extra}]' && {program}"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    if extra == "test":
        assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
