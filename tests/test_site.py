"""The site: what its pages are made of exists, and every page that it names is there."""

import importlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import envs
from docs.tools import rule_table
from docs.tools.games import docstring_parts, game_page, reference_page

ROOT = Path(__file__).parents[1]
NAV = re.findall(r"^ +- ([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", envs.GAMES)
def test_a_page_of_a_rule_set_has_all_its_parts(name):
    page, module = game_page(name), envs.game_module(name)
    titles = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert {"Rules in brief", "Actions", "Options", "Observation"} < set(titles)
    assert titles.count("How strong the players are") == titles.count("How true the components are") == 1
    for option in module.OPTIONS:
        assert f"| `{option}` |" in page
    for players in module.PLAYERS:
        game = envs.make_game(name, players)
        assert f"| {game.observation_size} |" in page and f"### {players} players" in page
        assert all(f"| `{section.name}` |" in page for section in game.sections)
    assert page.count("```") % 2 == 0 and "``" not in page.replace("```", "")
    assert "RECONSTRUCTION" in page or "to the letter" in page


@pytest.mark.parametrize("game", rule_table.SECTIONS)
def test_every_rule_has_functions_and_tests_that_exist(game):
    for section, (rules, tests) in rule_table.rule_table(game).items():
        for rule in rules:
            module = importlib.import_module(rule.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
            assert hasattr(module, rule.name), (section, rule)
            assert (ROOT / rule.path).read_text().splitlines()[rule.line - 1].startswith(f"def {rule.name}(")
        for test in tests:
            assert f"\ndef {test.name}(" in (ROOT / test.path).read_text(), (section, test)


def test_a_rule_without_a_function_or_a_test_is_an_error(monkeypatch):
    for docstring, heading in (("Winning", "no such heading"), ("No such section", "Winning")):
        monkeypatch.setitem(rule_table.SECTIONS, "dance_of_eights", {docstring: heading})
        with pytest.raises(ValueError, match=docstring):
            rule_table.rule_table("dance_of_eights")


def test_a_docstring_becomes_markdown():
    text = "Head.\n\nPart\n    Words of ``code``.\n\nTable\n    ===  ===\n    0    one\n    ===  ===\n"
    assert docstring_parts(text) == {"Part": "Words of `code`.", "Table": "```text\n===  ===\n0    one\n===  ===\n```"}


def test_every_page_of_the_site_is_there():
    papers = {"index.md", "contributing.md", "changelog.md", "security.md", "leaderboard.md", "reference.md"}
    assert len(NAV) > 12
    for page in NAV:
        made = page in papers or page.removeprefix("games/").removesuffix(".md") in envs.GAMES
        assert made or (ROOT / "docs" / page).is_file(), page
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert pages <= set(NAV), "every page can be found"


def test_what_the_reference_names_is_there():
    for name in re.findall(r"^::: ([\w.]+)$", reference_page(), re.MULTILINE):
        module, _, member = name.rpartition(".")
        importlib.import_module(module)
        assert hasattr(importlib.import_module(module), member) or importlib.import_module(name)


@pytest.mark.parametrize("name", envs.GAMES)
def test_the_moving_picture_of_a_game_is_small_and_whole(name):
    picture = ROOT / "docs" / "pictures" / f"{name}.svg"
    assert picture.stat().st_size < 300_000
    root = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    names = {element.get("id") for element in root.iter()}
    used = {element.get("href") for element in root.iter() if element.get("href")}
    assert used and {use.removeprefix("#") for use in used} <= names
    assert any(element.tag.endswith("animate") for element in root.iter())
    assert f"docs/pictures/{name}.svg" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", envs.GAMES)
def test_the_page_of_a_table_is_shown_and_small(name):
    picture = ROOT / "docs" / "pictures" / f"{name}-page.png"
    assert picture.stat().st_size < 150_000
    assert f"pictures/{name}-page.png" in (ROOT / "docs" / "play.md").read_text(encoding="utf-8")
    assert f"pictures/{name}-page.png" in game_page(name)
