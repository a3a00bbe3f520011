"""The options of a search, as the name of the agent gives them: ``ismcts:400,exploration=0.7,rollout=random``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.checkpoint import checkpoint_file
from agents.greedy import deciding_module
from envs.checks import show
from envs.game import Game
from envs.options import suggestion

ROLLOUTS = ("greedy", "random")
ROOTS = ("bound", "even")
SIMULATIONS = 400
ADVICE = 0.6
"""The usual ``prior`` of a search that a policy advises, see docs/learning.md."""
MOST = (1 << 30) - 1  # simulations, or decisions of a rollout


@dataclass(frozen=True)
class Settings:
    """How to search.

    Attributes:
        simulations: How many for each decision; None if ``seconds`` says how long.
        seconds: How long for each decision; results then depend on the machine.
        exploration: How much is expected of actions that were seldom tried, from 0; values are in [-1, 1].
        prior: The part of the exploration that goes to the action of the rule-based player, 0 to 1.
        rollout: Who plays on from a new node: ``"greedy"``, the game's rule-based player, or ``"random"``.
        rollouts: How many from each new node; their mean counts.
        expand: How many visits of a node it takes before it gets children; with as many as there are simulations, all of them
            compare first actions.
        depth: Most decisions of a rollout; the game is valued as it then stands. None: to its end.
        scale: A lead of so much in the standings of the game is worth 1/2, twice as much 2/3; 0: placements alone count.
        root: How simulations are shared out among the first actions: ``"bound"``, by upper confidence bounds as everywhere in the
            tree, and the action visited most is played; ``"even"``, equally, and the one with the best mean is played.
        policy: A checkpoint whose policy shares out that part at the root, as it would play, in place of the rule-based player: a
            file, or the word for a shipped one, such as ``"exit"``.
        value: A checkpoint whose value function takes the place of the rollouts: a file, or ``"ppo"``, the shipped one.
    """

    simulations: int | None = SIMULATIONS
    seconds: float | None = None
    exploration: float = 1.0
    prior: float = 0.0
    rollout: str = "random"
    rollouts: int = 1
    expand: int = 1
    depth: int | None = None
    scale: float = 0.0
    root: str = "bound"
    value: str | None = None
    policy: str | None = None


_NUMBERS = {"exploration": math.inf, "prior": 1.0, "scale": math.inf}
_COUNTS = {"simulations": 1, "rollouts": 1, "expand": 1, "depth": 0}
_NAMES = tuple(Settings.__dataclass_fields__)


def default_settings(game: Game) -> Settings:
    """What a search of a game does unless asked otherwise."""
    if deciding_module(game) is None:
        return Settings()
    return Settings(**{"rollout": "greedy", "prior": 0.5, **game.tuned.search})


def parse_settings(text: str, game: Game) -> Settings:
    """The settings that the part of a name after ``ismcts:`` means.

    Raises:
        ValueError: An option that does not exist, comes twice, has a wrong value or does not go with another.
    """
    given: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            name, value = "simulations", part
        if name not in _NAMES:
            raise ValueError(f"ismcts has no option {show(name)}{suggestion(name, _NAMES)}; it has {', '.join(_NAMES)}")
        if name in given:
            raise ValueError(f"ismcts: option {name} is given twice")
        given[name] = _value(name, value)
    return _complete(given, game)


def _value(name: str, text: str) -> Any:
    if name in _COUNTS:
        least = _COUNTS[name]
        if not (text.isascii() and text.isdigit() and least <= int(text) <= MOST):
            raise ValueError(f"ismcts: option {name} is {show(text)}; it must be an integer from {least} to {MOST:,}")
        return int(text)
    if name == "rollout" and text not in ROLLOUTS:
        raise ValueError(f"ismcts: option rollout is {show(text)}; choose from {', '.join(ROLLOUTS)}")
    if name == "root" and text not in ROOTS:
        raise ValueError(f"ismcts: option root is {show(text)}; choose from {', '.join(ROOTS)}")
    if name in ("rollout", "root", "value", "policy"):
        return text
    return _number(name, text)


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    highest = _NUMBERS.get(name, math.inf)
    if not (0 <= number <= highest and math.isfinite(number)) or (name == "seconds" and number == 0):
        span = "above 0" if name == "seconds" else "from 0" if highest == math.inf else f"from 0 to {highest:g}"
        raise ValueError(f"ismcts: option {name} is {show(text)}; it must be a number {span}")
    return number


def _complete(given: dict[str, Any], game: Game) -> Settings:
    if "simulations" in given and "seconds" in given:
        raise ValueError("ismcts: option seconds does not go with simulations; give one of them")
    has_prior = given.get("prior", 0) > 0 and "policy" not in given
    if deciding_module(game) is None and (given.get("rollout") == "greedy" or has_prior):
        option = "rollout=greedy" if given.get("rollout") == "greedy" else "prior"
        raise ValueError(f"ismcts: option {option} needs a greedy agent, and there is none for {game.name}")
    if "seconds" in given:
        given["simulations"] = None
    settings = default_settings(game)
    if "policy" in given:
        _check_policy(given, game)
        settings = replace(settings, prior=ADVICE)
    if "value" in given:
        _check_value(given, game)
        settings = replace(settings, scale=0.0, depth=None, rollouts=1, expand=1)  # a network knows placements
    return replace(settings, **given)


def _check_value(given: Mapping[str, Any], game: Game) -> None:
    for name in ("rollout", "rollouts", "depth"):
        if name in given:
            raise ValueError(f"ismcts: option {name} does not go with value, which takes the place of rollouts")
    _check_file("value", given, game)


def _check_policy(given: Mapping[str, Any], game: Game) -> None:
    for name, other in (("value", "a value"), ("root", "root=even")):
        if given.get(name, "bound") != "bound":
            raise ValueError(f"ismcts: option policy does not go with {other}")
    if given.get("prior") == 0:
        raise ValueError("ismcts: option prior is 0; with policy it must be above 0")
    _check_file("policy", given, game)


def _check_file(name: str, given: Mapping[str, Any], game: Game) -> None:
    try:
        checkpoint_file(given[name], game)
    except ValueError as error:
        raise ValueError(f"ismcts: option {name}: {error}") from error
