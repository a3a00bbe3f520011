"""The plan of the house, read from the imports of the code: floors, no circles, the same rooms in every game."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = {
    "envs": 1, "agents": 2, "evaluation": 3, "doors": 4, "training": 4, "play": 5,
    "examples": 6, "train": 6, "evaluate": 6, "benchmarks": 7, "fairy_rings": 7,
}  # fmt: skip
"""Packages and doors; nobody imports from a higher floor, nor another one of the same."""

UPWARDS = {("envs.replay.command", "agents.registry")}
"""The replay command names the agents that it lets play."""

BY_NAME = {"envs.__init__": {"doors"}, "games": {"agents"}}
"""Arrows upwards that are words, ``package.module:Name``, imported when somebody asks for it: Gymnasium's entry points, and what
games are ``TUNED`` with."""

GAMES = ("fairy_ring", "dance_of_eights", "mushroom_rings")
ROOMS = ("kernels", "state", "rules", "redeal", "observation", "words", "pictures", "validity")


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {
    module_name(path): path
    for floor in FLOORS
    for path in [ROOT / f"{floor}.py", *(ROOT / floor).rglob("*.py")]
    if path.is_file()
}


def imported(name, *, everywhere):
    """The modules of the house that a module imports: at its head, or everywhere, inside functions too."""
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    found = set()
    for node in nodes_of(tree, everywhere):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {module for module in found if module in FILES and module != name}


def nodes_of(tree, everywhere):
    """All nodes, or those outside of functions; nothing of a block that only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        is_typing = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if not is_typing and (everywhere or not is_function):
            yield node
            yield from nodes_of(node, everywhere)


def floor_of(name):
    return FLOORS[name.partition(".")[0]]


@pytest.mark.parametrize("name", sorted(FILES))
def test_nobody_imports_upwards(name):
    for other in imported(name, everywhere=True):
        same_house = other.partition(".")[0] == name.partition(".")[0]
        assert same_house or floor_of(other) < floor_of(name) or (name, other) in UPWARDS, f"{name} imports {other}"


def names_in(name):
    """The words of a module that name something of the house by ``package.module:Name``."""
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [word for word in words if re.fullmatch(r"[\w.]+:\w+", word) and word.partition(":")[0] in FILES]


def test_what_is_named_upwards_is_there_and_nobody_else_names_any():
    found = {"envs.__init__": set(), "games": set()}
    for name in FILES:
        upwards = [word for word in names_in(name) if floor_of(word.partition(":")[0]) > floor_of(name)]
        if upwards:
            kind = "games" if name.startswith(tuple(f"envs.{game}" for game in GAMES)) else f"{name}.__init__"
            assert kind in BY_NAME, f"{name} names {upwards}"
            found[kind] |= {word.partition(".")[0] for word in upwards}
            for word in upwards:
                module, _, attribute = word.partition(":")
                assert hasattr(import_module(module), attribute), word
    assert found == BY_NAME


def test_the_exception_is_still_one():
    for name, other in UPWARDS:
        assert other in imported(name, everywhere=True) and floor_of(other) > floor_of(name)


def test_no_circle_of_imports():
    """A package and its own parts aside: whoever imports a part runs the package first."""
    graph = {name: {other for other in imported(name, everywhere=True) if not name.startswith(other)} for name in FILES}
    state = dict.fromkeys(graph, "new")

    def visit(name, path):
        state[name] = "open"
        for other in graph[name]:
            assert state[other] != "open", " -> ".join([*path[path.index(other) if other in path else 0 :], name, other])
            if state[other] == "new":
                visit(other, [*path, name])
        state[name] = "done"

    for name in graph:
        if state[name] == "new":
            visit(name, [])


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_the_same_rooms(game):
    missing = [room for room in ROOMS if f"envs.{game}.{room}" not in FILES]
    assert not missing


@pytest.mark.parametrize("game", GAMES)
def test_a_game_knows_no_other_game_and_no_door(game):
    doors = tuple(f"envs.{door}." for door in ("vector", "aec", "openspiel", "replay", "check", "command_line", "batch"))
    others = [f"envs.{other}." for other in GAMES if other != game]
    for name in FILES:
        if name.startswith(f"envs.{game}"):
            found = [f"{module}." for module in imported(name, everywhere=True)]
            assert not [module for module in found if module.startswith((*doors, *others))], name


@pytest.mark.parametrize("game", GAMES)
def test_rules_know_no_observation_and_an_observation_no_words(game):
    below = {"rules": ("observation", "words", "pictures", "redeal"), "observation": ("words", "pictures"), "state": ("rules",)}
    for room, forbidden in below.items():
        for name in FILES:
            if name.startswith(f"envs.{game}.{room}"):
                above = tuple(f"envs.{game}.{part}" for part in forbidden)
                assert not [module for module in imported(name, everywhere=True) if module.startswith(above)], name
