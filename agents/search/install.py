"""The search compiled for a game: with its rule functions and, where there is one, its rule-based player."""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from agents.greedy import deciding_module
from envs.engine import jit, kernel
from envs.game import Game

_TREE = Path(__file__).with_name("tree.py")
_LAYOUT = Path(__file__).with_name("layout.py")
_VERBS = ("step", "legal", "redeal", "score")


def search_of(game: Game) -> Any:
    """The compiled ``search_batch`` of a game, see ``agents.search.tree``; made once for all games of the same verbs."""
    return _search_of(cast(ModuleType, game.kernels), deciding_module(game))


@cache
def _search_of(verbs: ModuleType, player: ModuleType | None) -> Any:
    sources = [_TREE, _LAYOUT] + ([Path(str(player.__file__))] if player else [])
    namespace: dict[str, Any] = {verb: getattr(verbs, verb) for verb in _VERBS}
    namespace["decide"] = player.decide if player else _no_decision
    namespace |= {"__name__": verbs.__name__, "__file__": str(verbs.__file__)}
    exec(compile(_TREE.read_text(encoding="utf-8"), str(_TREE), "exec"), namespace)
    return kernel(namespace["search_batch"], *sources)


@jit
def _no_decision(state, rules, mask, tools):
    """Stands for a rule-based player where there is none; never called."""
    return 0
