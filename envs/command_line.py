"""What the command lines of the suite share: rule options, ``--option name=value``, and the text about them in ``--help``."""

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any, NoReturn

from envs import GAMES, game_module, own_options
from envs.checks import integers, one_line, show
from envs.engine import REWARD_KINDS
from envs.game import Game
from envs.options import Option, suggestion

MOST_LETTERS = 1000
"""Of an error of a program: enough to list all that there is to choose from."""

REWARD = Option("placement", "what a game pays at its end", REWARD_KINDS)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and calls a program ``fairy-rings NAME`` where it was called so."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        called = Path(sys.argv[0]).stem.replace("_", "-")
        if called == "fairy-rings" and not self.prog.startswith(called):  # parsers of subcommands continue the name
            self.prog = " ".join([called, *sys.argv[1:2]])

    def error(self, message: str) -> NoReturn:
        """Ends the program with exit code 2."""
        self.exit(2, f"{self.prog}: error: {one_line(message, MOST_LETTERS)}\n")


def integer_from(low: int, high: int | None = None) -> Callable[[str], int]:
    """What an argument is that must be an integer of a range, for ``type=``."""

    def integer(text: str) -> int:
        number = int(text) if len(text) <= _LONGEST_NUMBER else None
        if number is None or number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"{show(text)} is not {integers(low, high)}")
        return number

    return integer


def number_from(low: float, high: float = inf) -> Callable[[str], float]:
    """What an argument is that must be a finite number of a range, for ``type=``."""

    def number(text: str) -> float:
        value = float(text)
        if not low <= value <= high or value == inf:
            raise argparse.ArgumentTypeError(f"{show(text)} is no number from {low:g}" + (f" to {high:g}" if high < inf else ""))
        return value

    return number


def named_path(word: str) -> Path:
    """A file or a folder from the command line, for ``type=``; an empty word would mean the current folder.

    Raises:
        ArgumentTypeError: The word is empty.
    """
    if not word.strip():
        raise argparse.ArgumentTypeError("it must name a file or a folder")
    return Path(word)


_LONGEST_NUMBER = 30  # characters: no integer that is asked for has more


def parse_options(game_name: str, texts: Iterable[str], *, with_reward: bool = False) -> dict[str, Any]:
    """The rule options that texts from the command line mean.

    Args:
        game_name: A key of ``envs.GAMES``, or ``package.module``.
        texts: ``name=value`` each; of two with the same name the later one holds.
        with_reward: Whether ``reward=...`` is taken too.

    Returns:
        The named options with their values, ready for ``envs.make_game`` (with a reward: for ``envs.make_vec``).

    Raises:
        ValueError: An unknown game, option or value; one line that names it and the choices.
    """
    table = dict(game_module(game_name).OPTIONS)
    if with_reward:
        table["reward"] = REWARD
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"option {show(text)} must have the form name=value")
        if name not in table:
            raise ValueError(f"{game_name} has no option {show(name)}{suggestion(name, table)}; it has {', '.join(table)}")
        options[name] = table[name].parse(name, value)
    return options


def how_to_watch(game: Game, env: str, options: Iterable[str], agents: Sequence[str]) -> str:
    """The commands that record a game of these agents and show it, one on each line.

    Args:
        game: What they play.
        env: Its name on the command line.
        options: Its rule options there.
        agents: They take the seats in turn, the first one again where there are too few.
    """
    seats = [agents[seat % len(agents)] for seat in range(game.num_players)]
    named = [word for option in options for word in ("--option", option)]
    record = ["--env", env, "--num-players", str(game.num_players), *named, "--agents", *seats, "--out", "replays"]
    own = [] if env in GAMES else ["--env", env]
    watch = [f"replays/{game.id}-{game.num_players}p-0.jsonl", *own]
    return "\n".join(
        ["to watch a game:", shlex.join(["python", "-m", "envs.replay", "record", *record]),
         shlex.join(["python", "-m", "play", "watch", *watch])]
    )  # fmt: skip


def describe_games() -> str:
    """Every game for the end of ``--help``: name, numbers of players, what it is, and its options."""
    own = "  PACKAGE.MODULE: a game of your own, see CONTRIBUTING.md; examples.tic_tac_toe is one"
    return "\n".join(["games and their options (--option name=value):", *map(describe_game, GAMES), own])


def describe_game(name: str) -> str:
    """One game in the lines of ``describe_games``.

    Raises:
        ValueError: There is no such game.
    """
    module = game_module(name)
    headline = (module.__doc__ or "").strip().partition("\n")[0]
    least, most = min(module.PLAYERS), max(module.PLAYERS)
    players = f"{least} players" if least == most else f"{least} to {most} players"
    lines = [f"  {name} ({players}): {headline}"]
    for option_name, option in module.OPTIONS.items():
        default = own_options(name).get(option_name, option.default)
        shown = str(default).lower() if isinstance(default, bool) or default is None else default
        lines.append(f"    {option_name}={option.choices} [{shown}]: {option.meaning}")
    return "\n".join(lines)
