"""A page for each rule set, made from its code, its leaderboards and its pictures."""

import json
import textwrap
from pathlib import Path
from typing import Any

from docs.tools.rule_table import as_markdown
from envs import GAMES, game_module, make_game
from envs.game import Game

ROOT = Path(__file__).parents[2]
ORDER = (
    "Rules in brief", "Cards", "Rings", "Actions", "Choices where the text is silent", "Choices where the texts are silent",
    "Games",
)  # fmt: skip
"""Parts of a package's docstring that a page shows, in this order."""
TRUTH = ("Source", "Fidelity of the card data", "Fidelity of the component data")
EXTRA = {
    "dance_of_eights": "The card list is the published one, to the letter.",
}
"""What is to be said of how true the components are where the docstring has no part about it."""


def game_page(name: str) -> str:
    """The page of a rule set, as Markdown."""
    module = game_module(name)
    parts = docstring_parts(module.__doc__ or "")
    games = {players: make_game(name, players) for players in module.PLAYERS}
    first = next(iter(games.values()))
    page = [
        f"# {first.title}",
        f"`{name}`, {min(games)} to {max(games)} players, {first.num_actions} actions.",
        f"![A game of {first.title}, moving](../pictures/{name}.svg)",
        "To play it in the browser: " + f"`python -m play --env {name} --agents greedy`",
    ]
    page += [f"## {title.partition(' (')[0]}\n\n{parts[title]}" for title in _shown(parts)]
    page += ["## Options\n\n" + _options(module.OPTIONS, GAMES[name].options)]
    page += ["## Observation\n\n" + _sections(games), "## How strong the players are\n\n" + _strength(name, list(games))]
    truth = [parts[part] for part in TRUTH if part in parts] + [text for game, text in EXTRA.items() if game == name]
    page += ["## How true the components are\n\n" + "\n\n".join(truth)]
    page += ["## From the rules to functions and tests\n\n" + as_markdown(first.package.rpartition(".")[2])]
    page += [f"![The page of a table](../pictures/{name}-page.png)"] * (ROOT / f"docs/pictures/{name}-page.png").exists()
    return "\n\n".join(page) + "\n"


def _shown(parts: dict[str, str]) -> list[str]:
    return [title for wanted in ORDER for title in parts if title.partition(" (")[0] == wanted]


def docstring_parts(text: str) -> dict[str, str]:
    """The parts of a package's docstring as Markdown, by their titles: lines at the margin, with indented ones below."""
    parts, title = dict[str, list[str]](), ""
    for line in textwrap.dedent(text).splitlines()[1:]:
        if line and not line.startswith(" "):
            title = line
        elif title:
            parts.setdefault(title, []).append(line)
    return {title: _markdown(textwrap.dedent("\n".join(lines)).strip("\n")) for title, lines in parts.items()}


def _markdown(text: str) -> str:
    """Tables between rows of ``=`` become blocks as they stand; doubled back quotes become single ones."""
    lines, inside = list[str](), False
    all_lines = text.splitlines()
    for place, line in enumerate(all_lines):
        is_rule = line.strip().startswith("===")
        following = next((other for other in all_lines[place + 1 :]), "")
        if is_rule and not inside:
            lines += ["```text"]
            inside = True
        lines.append(line if inside else line.replace("``", "`"))
        if is_rule and inside and not following.strip() and lines[-2] != "```text":
            lines += ["```"]
            inside = False
    return "\n".join(lines)


def _options(options: dict[str, Any], own: Any) -> str:
    lines = ["| option | what it means | choices | default |", "|---|---|---|---|"]
    for option, facts in options.items():
        default = own.get(option, facts.default)
        lines.append(f"| `{option}` | {facts.meaning} | {facts.choices} | `{default}` |")
    return "\n".join(lines)


def _sections(games: dict[int, Game]) -> str:
    """The sections of the observation, with their shapes for each number of players."""
    head = [f"{players} players" for players in games]
    lines = ["Shapes of the sections, in their order; `game.section(observation, name)` gives one of them.", ""]
    lines += ["| section | " + " | ".join(head) + " | meaning |", "|---" * (len(head) + 2) + "|"]
    by_name = {players: {section.name: section for section in game.sections} for players, game in games.items()}
    for section in next(iter(games.values())).sections:
        shapes = ["x".join(map(str, own[section.name].shape)) if section.name in own else "-" for own in by_name.values()]
        lines.append(f"| `{section.name}` | " + " | ".join(shapes) + f" | {section.meaning.replace('|', '/')} |")
    lines.append("| all | " + " | ".join(str(game.observation_size) for game in games.values()) + " | numbers |")
    return "\n".join(lines)


def _strength(name: str, players: list[int]) -> str:
    """The leaderboards: ratings and shares of victories, with intervals, and lengths of games."""
    blocks = ["From the leaderboards; 95 % intervals, the deal as the unit. A rating of 0 is that of the anchor."]
    for number in players:
        path = ROOT / "leaderboard" / f"{name}_{number}p.json"
        if path.exists():
            blocks.append(_board(json.loads(path.read_text(encoding="utf-8")), number))
    return "\n\n".join(blocks)


def _board(board: dict[str, Any], players: int) -> str:
    length = board["games"]["length"]
    lines = [
        f"### {players} players",
        "",
        f"{board['games']['count']:,} games of {_span(length, 1, 1)} decisions.",
        "",
        "| agent | rating | share of victories | points |",
        "|---|---|---|---|",
    ]
    for agent in sorted(board["agents"], key=lambda agent: -agent["rating"]["mean"]):
        rating, share, score = agent["rating"], agent["win_share"], agent["score"]
        lines.append(f"| `{agent['name']}` | {_span(rating, 1, 0)} | {_span(share, 100, 1)} % | {_span(score, 1, 1)} |")
    return "\n".join(lines)


def _span(figure: dict[str, Any], times: float, digits: int) -> str:
    """A figure with its interval; some have none."""
    middle = f"{times * figure['mean']:.{digits}f}"
    if figure["low"] is None or figure["low"] == figure["high"]:
        return middle
    return f"{middle} ({times * figure['low']:.{digits}f} to {times * figure['high']:.{digits}f})"


def reference_page() -> str:
    """What others call, from the docstrings."""
    names = (
        "envs.make", "envs.make_vec", "envs.make_game", "envs.aec.TurnBasedEnv", "envs.vector.VectorAECEnv", "envs.game.Game",
        "agents.agent.Agent", "agents.registry.make_agent", "agents.search.options.Settings", "evaluation.tournament",
    )  # fmt: skip
    return "# Reference\n\n" + "\n\n".join(f"::: {name}" for name in names) + "\n"
