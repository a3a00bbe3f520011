"""Players by name: what a word on the command line means."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from agents.agent import Agent, RandomAgent, first_line
from agents.checkpoint import TRAINED, checkpoint_file, shipped_path
from agents.search import SearchAgent, parse_settings
from envs.checks import show
from envs.game import Game


def _random(argument: str, game: Game) -> Agent:
    _no_argument("random", argument)
    return RandomAgent(game)


def _greedy(argument: str, game: Game) -> Agent:
    from agents.greedy import make_greedy

    _no_argument("greedy", argument)
    return make_greedy(game)


def _trained(word: str, argument: str, game: Game) -> Agent:
    if argument not in ("", "sample"):
        raise ValueError(f"agent {word} takes sample or nothing after the colon, not {show(argument)}")
    agent = _checkpoint(word, game, sample=bool(argument))
    agent.name = f"{word}:sample" if argument else word
    return agent


def _ismcts(argument: str, game: Game) -> Agent:
    return SearchAgent(game, parse_settings(argument, game), f"ismcts:{argument}" if argument else "ismcts")


def _no_argument(name: str, argument: str) -> None:
    if argument:
        raise ValueError(f"agent {name} takes nothing after a colon, not {show(argument)}")


MAKERS: dict[str, Callable[[str, Game], Agent]] = {
    "random": _random,
    "greedy": _greedy,
    **{word: partial(_trained, word) for word in TRAINED},
    "ismcts": _ismcts,
}
"""Agents by the name before the colon: a function of what follows the colon and the game."""


def make_agent(spec: str, game: Game) -> Agent:
    """The agent that a word on the command line means.

    Args:
        spec: ``"random"``; ``"greedy"``, the rule-based player of the game; ``"ppo"`` or ``"ppo:sample"``, the checkpoint
            that is shipped for the rule set and number of players (``"exit"`` learned from a search, ``"advised"`` contains the
            rule-based player); ``"ismcts:400"``, a tree search with 400 simulations per decision
            (``"ismcts:seconds=0.1"``; its options are in ``agents.search.Settings``); a checkpoint ``PATH.zip``, which plays
            its likeliest action, or ``PATH.zip:sample``, which draws from its policy; or ``"package.module:Class"``, anybody's
            own agent: a class, or any function, that is called with the game and gives the agent.
        game: The rule set it is to play.

    Raises:
        ValueError: There is no such agent, or it cannot be made for this game; one line that says why.
    """
    head, _, tail = spec.partition(":")
    if head in MAKERS:
        return MAKERS[head](tail, game)
    if path := checkpoint_path(spec, game):
        return _checkpoint(path, game, sample=spec.endswith(":sample"))
    if is_foreign(spec):
        return _own_agent(spec, head, tail, game)
    raise _unknown(spec)


def check_spec(spec: str, game: Game) -> None:
    """Refuses a word that means no agent, without making one: neither weights nor anybody's code are read.

    Raises:
        ValueError: There is no such agent, or one of its options or its checkpoint is not there.
    """
    head, _, tail = spec.partition(":")
    if head == "ismcts":
        parse_settings(tail, game)
    elif head in ("random", "greedy"):
        _no_argument(head, tail)
    elif path := checkpoint_path(spec, game):
        checkpoint_file(path, game)
    elif head not in MAKERS and not is_foreign(spec):
        raise _unknown(spec)


def _unknown(spec: str) -> ValueError:
    names = ", ".join(MAKERS)
    return ValueError(f"there is no agent {show(spec)}; choose from {names}, a checkpoint PATH.zip, or package.module:Class")


def is_foreign(spec: str) -> bool:
    """Whether a word means code of others, ``package.module:Class``, and not an agent of this package or a checkpoint."""
    head, _, tail = spec.partition(":")
    return bool(head and tail) and head not in MAKERS and not names_file(spec)


def names_file(spec: str) -> bool:
    """Whether a word is the path of a checkpoint, ``FILE.zip`` or ``FILE.zip:sample``."""
    return spec.removesuffix(":sample").endswith(".zip")


def checkpoint_path(spec: str, game: Game) -> str | None:
    """The file of the checkpoint that such a word means, or that a search works with; None where there is none."""
    path = search_checkpoint(spec) or spec.removesuffix(":sample")
    if path in TRAINED:
        return str(shipped_path(game, path))
    return path if path.endswith(".zip") else None


def search_checkpoint(spec: str) -> str | None:
    """Where a search has its values or the policy at its root from, which it cannot both have; None where it has neither."""
    return search_option(spec, "value") or search_option(spec, "policy")


def search_option(spec: str, name: str) -> str | None:
    """What a search is told behind ``NAME=``; None where it is told nothing, and for other agents."""
    head, _, options = spec.partition(":")
    return dict(option.partition("=")[::2] for option in options.split(",")).get(name) if head == "ismcts" else None


def _checkpoint(spec: str, game: Game, sample: bool) -> Agent:
    path = checkpoint_file(spec, game)
    try:
        from agents.policy import PolicyAgent

        return PolicyAgent(path, game, sample=sample)
    except Exception as error:  # what a damaged file raises is up to several libraries
        reason = " ".join(str(error).split()) if isinstance(error, ValueError) else first_line(error)
        raise ValueError(f"cannot use checkpoint {path}: {reason}") from error


def _own_agent(spec: str, module: str, name: str, game: Game) -> Agent:
    try:
        agent: Any = getattr(import_module(module), name)(game)
    except (Exception, SystemExit) as error:  # anything may happen in somebody else's code
        raise ValueError(f"cannot make agent {show(spec)}: {first_line(error)}") from error
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"cannot make agent {show(spec)}: it has no method act")
    if not hasattr(agent, "name"):
        agent.name = spec
    return agent
