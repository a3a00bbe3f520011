"""Reading a replay: its lines, the game that the first one names, and its decisions one after the other."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from envs import game_module, make_game, refuse_foreign
from envs.checks import show, show_all
from envs.game import Game
from envs.replay.recording import FORMAT, named_by_content, path_options
from envs.vector import VectorAECEnv

MOST_BYTES = 1 << 28  # of a file: the longest game of the suite is a hundredth of that


class ReplayError(ValueError):
    """A replay that is broken or does not follow the rules; the message names the line."""


@dataclass(frozen=True)
class Named:
    """What a replay cannot do by itself: whoever opens one says which modules may be imported and where its files lie.

    Attributes:
        games: Games besides those of the suite that it may be of, ``package.module`` each.
        files: Paths by rule option. A replay tells what must be in such a file, not where it lies.
    """

    games: Collection[str] = ()
    files: Mapping[str, Any] = field(default_factory=dict)


NOTHING = Named()


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a replay.

    Raises:
        ReplayError: The file is too large, a line is not JSON, or there are too few lines.
    """
    if not path.is_file():
        raise ReplayError("there is no such file")
    if path.stat().st_size > MOST_BYTES:
        raise ReplayError(f"the file has {path.stat().st_size:,} bytes; a replay has at most {MOST_BYTES:,}")
    texts = path.read_bytes().splitlines()
    if len(texts) < 2:
        raise ReplayError(f"line {len(texts) + 1}: missing; a replay has at least a first and a last line")
    return [_read_line(number, text) for number, text in enumerate(texts, 1)]


def _read_line(number: int, text: bytes) -> dict[str, Any]:
    try:
        line = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"line {number}: not JSON ({error})") from error
    if not isinstance(line, dict):
        raise ReplayError(f"line {number}: not a JSON object")
    return line


def open_game(header: dict[str, Any], named: Named = NOTHING) -> tuple[Game, VectorAECEnv]:
    """The game that the first line of a replay names, and an environment with its state.

    Args:
        header: The line.
        named: What the person at the keyboard names besides the file.

    Raises:
        ReplayError: The line is not the first line of a replay of this version, or of another game, or its state is impossible.
    """
    expect_keys(1, header, ("format", "game", "version", "options", "num_players", "seed", "state"))
    if header["format"] != FORMAT or isinstance(header["format"], bool):
        raise ReplayError(f"line 1: format is {show(header['format'])}; this program reads format {FORMAT}")
    try:
        refuse_foreign(header["game"], named.games)
        game, reward = _make_game(header, named.files)
        env = VectorAECEnv(game, 1, seed=0, reward=reward, autoreset=False)
        env.set_records(game.from_dict(header["state"]))
    except (ValueError, TypeError, OSError) as error:
        raise ReplayError(f"line 1: {error}") from error
    if game.version != header["version"]:
        raise ReplayError(f"line 1: version {show(header['version'])} of {game.name}; this program plays version {game.version}")
    return game, env


def _make_game(header: dict[str, Any], files: Mapping[str, Any]) -> tuple[Game, str]:
    """The game of a first line, and the kind of its rewards."""
    if not isinstance(header["options"], dict) or not isinstance(header["game"], str):
        raise ValueError("game must be a name and options a table")
    options = dict(header["options"])
    reward = options.pop("reward", "placement")
    named = {}
    for name in path_options(game_module(header["game"]).__name__):
        if options.get(name) is not None:
            named[name] = options[name]
            if name not in files:
                raise ValueError(f"it was played with {name} {show(options[name])}; name it with --option {name}=PATH")
            options[name] = files[name]
    game = make_game(header["game"], header["num_players"], **options)
    own = named_by_content(game)
    for name, content in named.items():
        if own[name] != content:
            raise ValueError(f"{files[name]} is not the {name} it was played with: {own[name]} instead of {show(content)}")
    return game, reward


def transitions(lines: Sequence[dict[str, Any]], game: Game, env: VectorAECEnv) -> Iterator[tuple[np.ndarray, int, np.ndarray]]:
    """The decisions of a replay that ``open_game`` has opened: the record before, the action and the record after.

    Chance is in the states of the file, so a game is told even where only its states are known.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    for number, line in enumerate(lines[1:-1], 2):
        expect_keys(number, line, ("player", "action", "move", "legal", "state"))
        action, before = legal_action(number, line, game.legal_actions(env.states)), env.states.copy()
        try:
            env.set_records(game.from_dict(line["state"]))
        except ValueError as error:
            raise ReplayError(f"line {number}: {error}") from error
        yield before, action, env.states.copy()


def legal_action(number: int, line: dict[str, Any], legal: list[int]) -> int:
    """The action of a line.

    Raises:
        ReplayError: It is none of the legal ones.
    """
    if line["action"] not in legal or type(line["action"]) is not int:
        raise ReplayError(f"line {number}: action {show(line['action'])} is not legal; legal are {legal}")
    return line["action"]


def expect_keys(number: int, line: dict[str, Any], keys: Sequence[str]) -> None:
    """Refuses a line that has not exactly these fields.

    Raises:
        ReplayError: A field is missing or unknown.
    """
    missing = [key for key in keys if key not in line]
    unknown = [key for key in line if key not in keys]
    if missing or unknown:
        what = f"{', '.join(missing)} missing" if missing else f"{show_all(unknown)} unknown"
        raise ReplayError(f"line {number}: {what}; the line must have the fields {', '.join(keys)}")
