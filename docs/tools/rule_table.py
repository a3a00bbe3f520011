"""From the sections of a rule text to the functions that do what they say and the tests that hold them to it.

Everything is read from the code: docstrings of rule functions begin with the section they are of, and tests stand below a heading
of theirs. A section without a function or without a test is an error.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
HEADING = re.compile(r"^# -{3,} (.+?) -{3,}$")

SECTIONS: dict[str, dict[str, str]] = {
    "fairy_ring": {
        "Setup": "Setup",
        "Gameplay Overview": "Gameplay Overview",
        "A. Choose": "A. Choose",
        "B. Resolve": "B. Resolve",
        "1. Place your Mushroom": "1. Place your Mushroom",
        "2. Move your Fairy": "2. Move your Fairy",
        "3. Gather Mana": "3. Gather Mana",
        "Mushroom details": "Mushroom details",
        "C. End of turn": "C. End of turn",
        "End of the game": "End of the game",
        "Variant": "Variant",
    },
    "dance_of_eights": {"Setup": "Setup", "Turn events": "Turn events", "Winning": "Winning"},
    "mushroom_rings": {
        "Setup": "setup",
        "Ban": "ban and leave",
        "Leave": "ban and leave",
        "Rings": "Paths, rings",
        "Marker": "markers",
        "Bonuses": "bonuses",
        "Tile": "the offer and the storage",
        "Signpost": "bonuses",
        "Mushroom": "bonuses",
        "Wildflower": "bonuses",
        "Flower": "bonuses",
        "Stump": "sales",
        "End": "the end",
    },
}
"""By game: how docstrings name a section, and what is in the heading of its tests."""


class Rule(NamedTuple):
    """A function that does what a section says: its file, line, name, and the first line of its docstring."""

    path: str
    line: int
    name: str
    says: str


class Test(NamedTuple):
    """A test: its file and name."""

    path: str
    name: str


def rule_table(game: str) -> dict[str, tuple[list[Rule], list[Test]]]:
    """By section the functions and the tests.

    Raises:
        ValueError: A section has no function or no test.
    """
    rules, tests = list(_rules(game)), list(_tests(game))
    table = {}
    for section, heading in SECTIONS[game].items():
        own = [rule for rule in rules if _section_of(rule.says, SECTIONS[game]) == section]
        checked = [test for where, test in tests if heading in where]
        if not own or not checked:
            raise ValueError(f"{game}, section {section!r}: {len(own)} functions and {len(checked)} tests")
        table[section] = own, checked
    return table


def _section_of(says: str, sections: Mapping[str, str]) -> str | None:
    """The section that a docstring begins with; words that are names of sections too only before a colon."""
    for section in sorted(sections, key=len, reverse=True):
        if re.match(re.escape(section) + (r"\b" if "." in section else r"\b[^:]*: "), says):
            return section
    return None


def _rules(game: str) -> Iterator[Rule]:
    """The functions of a game that say what they are of."""
    folder = ROOT / "envs" / game
    for path in sorted([*folder.glob("rules.py"), *folder.glob("rules/*.py"), *folder.glob("garden/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and (says := ast.get_docstring(node)):
                yield Rule(str(path.relative_to(ROOT)), node.lineno, node.name, says.splitlines()[0])


def _tests(game: str) -> Iterator[tuple[str, Test]]:
    """The tests of a game, each with what it stands below: the first line of its file, and the last heading."""
    for path in sorted((ROOT / "tests" / "envs" / game).glob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        head = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        heading = ""
        for line in source.splitlines():
            if found := HEADING.match(line):
                heading = found[1]
            elif line.startswith("def test_"):
                yield f"{head} / {heading}", Test(str(path.relative_to(ROOT)), line[4 : line.index("(")])


def as_markdown(game: str) -> str:
    """The table as a list of sections."""
    lines, above = list[str](), dict[str, str]()
    for section, (rules, tests) in rule_table(game).items():
        lines += [f"### {section}", "", "| what it says | function |", "|---|---|"]
        lines += [f"| {rule.says.replace('``', '`')} | `{rule.name}`, `{rule.path}:{rule.line}` |" for rule in rules]
        heading = SECTIONS[game][section]
        if heading in above:
            lines += ["", f"Tests: those of *{above[heading]}*.", ""]
            continue
        above[heading] = section
        lines += ["", f"Tests ({len(tests)}):", ""]
        lines += [f"* `{test.path}`: {test.name.removeprefix('test_').replace('_', ' ')}" for test in tests]
        lines += [""]
    return "\n".join(lines)
