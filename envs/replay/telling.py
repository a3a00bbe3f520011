"""A replay in sentences."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envs.checks import show
from envs.events import EFFECT, END, HEADING, MOVE, Event
from envs.replay.reading import NOTHING, Named, ReplayError, expect_keys, open_game, read_lines, transitions

_INDENT = {HEADING: "", MOVE: "  ", EFFECT: "    ", END: ""}


def sentences(path: Path, named: Named = NOTHING) -> Iterable[str]:
    """A replay as a game that one can follow: rounds and turns, what happened, and the final count.

    Args:
        path: The file.
        named: What the command line names, see ``open_game``.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    yield f"{game.title}, {game.num_players} players, seed {lines[0]['seed']}"
    yield from _told(game.opening(env.states))
    for before, action, after in transitions(lines, game, env):
        yield from _told(game.events(before, action, after))
    yield _end_in_words(len(lines), lines[-1])


def _told(events: Iterable[Event]) -> Iterable[str]:
    """Events as lines; parts of a decision are left out."""
    return (_INDENT[event.kind] + event.text for event in events if event.kind in _INDENT)


def _end_in_words(number: int, line: dict[str, Any]) -> str:
    expect_keys(number, line, ("rewards", "terminated", "truncated"))
    rewards = line["rewards"]
    if not isinstance(rewards, list) or not all(type(reward) in (int, float) for reward in rewards):
        raise ReplayError(f"line {number}: rewards is {show(rewards)}; it must be a list of numbers")
    paid = ", ".join(f"player {p} {reward:+g}" for p, reward in enumerate(rewards))
    return f"the game {'was cut off' if line['truncated'] else 'is over'}: {paid}"
