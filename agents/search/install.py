"""The search compiled for a game: with its rule functions and, where there is one, its rule-based player."""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from agents.greedy import PLAYERS
from envs import machine_code

_TREE = Path(__file__).with_name("tree.py")
_LAYOUT = Path(__file__).with_name("layout.py")
_VERBS = ("step", "legal", "redeal", "score")


@cache
def search_of(rules: ModuleType) -> Any:
    """The compiled ``search_batch`` of a rule set's module, see ``agents.search.tree``; made once."""
    player = greedy_module(rules)
    sources = [_TREE, _LAYOUT] + ([Path(str(player.__file__))] if player else [])
    namespace: dict[str, Any] = {verb: getattr(rules, verb) for verb in _VERBS}
    namespace["decide"] = player.decide if player else _no_decision
    namespace["__name__"] = rules.__name__
    # Compiled under the name of the game's file, for Numba keeps machine code by the file of a function.
    exec(compile(_TREE.read_text(), str(rules.__file__), "exec"), namespace)
    return machine_code.kernel(namespace["search_batch"], *sources)


def greedy_module(rules: ModuleType) -> ModuleType | None:
    """The module of the rule-based player of a rule set: its ``decide`` chooses for one record; None if there is none."""
    name = PLAYERS.get(rules.__name__)
    module = import_module(name) if name else None
    return module if module is not None and hasattr(module, "decide") else None


@machine_code.jit
def _no_decision(state, rules, mask, tools):
    """Stands for a rule-based player where there is none; never called."""
    return 0
