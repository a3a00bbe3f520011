"""Playing a replay again, and comparing every field of every line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from envs.checks import MAX_SEED, integer
from envs.dicts import difference
from envs.game import Game
from envs.replay.reading import NOTHING, Named, ReplayError, expect_keys, legal_action, open_game, read_lines
from envs.vector import VectorAECEnv


def check(path: Path, named: Named = NOTHING) -> int:
    """Plays a replay again from its seed and compares every field of every line.

    Args:
        path: The file.
        named: What the command line names, see ``open_game``.

    Returns:
        The number of decisions.

    Raises:
        ReplayError: A line is broken or differs; the message names the line and the field.
    """
    return play_again(path, named).decisions


class PlayedAgain(NamedTuple):
    """A replay that was as recorded.

    Attributes:
        game: The rule set.
        env: The one game, at its end; ``env.reward`` is the kind of its rewards.
        seed: Of the game.
        decisions: How many it had.
    """

    game: Game
    env: VectorAECEnv
    seed: int
    decisions: int


def play_again(
    path: Path, named: Named = NOTHING, look: Callable[[VectorAECEnv, int], object] = lambda env, action: None
) -> PlayedAgain:
    """Plays a replay again from its seed and compares every field of every line.

    Args:
        path: The file.
        named: What the command line names, see ``open_game``.
        look: Called before each decision with the game and the action.

    Raises:
        ReplayError: A line is broken or differs; the message names the line and the field.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    try:
        seed = integer("seed", lines[0]["seed"], 0, MAX_SEED)
    except ValueError as error:
        raise ReplayError(f"line 1: {error}") from error
    env.reset(np.array([seed], np.uint64))
    _compare(1, {"state": lines[0]["state"]}, {"state": game.to_dict(env.states)})
    for number, line in enumerate(lines[1:-1], 2):
        _check_decision(number, line, game, env, look)
    _check_end(len(lines), lines[-1], env)
    return PlayedAgain(game, env, seed, len(lines) - 2)


def _check_decision(
    number: int, line: dict[str, Any], game: Game, env: VectorAECEnv, look: Callable[[VectorAECEnv, int], object]
) -> None:
    expect_keys(number, line, ("player", "action", "move", "legal", "state"))
    player = int(env.agent_selection[0])
    if player < 0:
        raise ReplayError(f"line {number}: a decision after the game is over")
    legal = game.legal_actions(env.states)
    action = legal_action(number, line, legal)
    before = {"player": player, "legal": legal, "move": game.move(env.states, action)}
    _compare(number, {key: line[key] for key in before}, before)
    look(env, action)
    env.step(np.array([action]))
    _compare(number, {"state": line["state"]}, {"state": game.to_dict(env.states)})


def _check_end(number: int, line: dict[str, Any], env: VectorAECEnv) -> None:
    expect_keys(number, line, ("rewards", "terminated", "truncated"))
    if env.agent_selection[0] >= 0:
        raise ReplayError(f"line {number}: the end, but the game goes on")
    _, rewards, terminations, truncations, _ = env.last()
    paid = [float(reward) for reward in rewards[0]]
    _compare(number, line, {"rewards": paid, "terminated": bool(terminations[0]), "truncated": bool(truncations[0])})


def _compare(number: int, found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Finds the first place in which a line is not as the rules make it, and names it."""
    if (wrong := difference(found, expected)) is not None:
        raise ReplayError(f"line {number}: {wrong}")
