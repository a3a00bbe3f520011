"""A finished game as JSON lines, and back.

``python -m envs.replay record --env fairy_ring --num-players 3 --agents random greedy random --games 100 --out DIR`` writes a
file for each game, ``python -m envs.replay check FILE...`` plays files again and compares every line, and
``python -m envs.replay show FILE`` tells a game so that one can follow it.
"""

import argparse
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from envs import engine, game_module, make_game, refuse_foreign
from envs.checks import MAX_SEED, integer
from envs.command_line import describe_games, parse_options
from envs.dicts import difference
from envs.events import EFFECT, END, HEADING, MOVE, Event
from envs.files import write_aside
from envs.game import Game
from envs.vector import VectorAECEnv

FORMAT = 1
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


# --- writing ------------------------------------------------------------------------------------------------------------


class Recorder:
    """Collects the lines of one game.

    Args:
        game: The rule set.
        record: The freshly dealt game, ``(1,)`` record.
        seed: What the game was seeded with.
        reward: The reward kind.
    """

    def __init__(self, game: Game, record: np.ndarray, seed: int, reward: str = "placement") -> None:
        self.game = game
        # The default reward is left out, so that the options are those of the rules alone.
        options = named_by_content(game) | ({} if reward == "placement" else {"reward": reward})
        self.lines: list[dict[str, Any]] = [
            {
                "format": FORMAT,
                "game": game.name,
                "version": game.version,
                "options": options,
                "num_players": game.num_players,
                "seed": seed,
                "state": game.to_dict(record),
            }
        ]

    def before(self, record: np.ndarray, action: int) -> None:
        """Notes a decision that is about to be made."""
        self.lines.append(
            {
                "player": int(record["current_player"][0]),
                "action": int(action),
                "move": self.game.move(record, action),
                "legal": self.game.legal_actions(record),
            }
        )

    def after(self, record: np.ndarray) -> None:
        """Notes what the decision led to."""
        self.lines[-1]["state"] = self.game.to_dict(record)

    def end(self, rewards: Iterable[float], terminated: bool, truncated: bool) -> None:
        """Notes the end of the game."""
        self.lines.append({"rewards": [float(r) for r in rewards], "terminated": terminated, "truncated": truncated})

    def text(self) -> str:
        """The replay: one line per decision."""
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines)


def named_by_content(game: Game) -> dict[str, Any]:
    """The options of a game, in which a file is not named by where it lies, but by a hash of the tables made of it."""
    options = dict(game.options)
    for name in path_options(game.package):
        if options[name] is not None:
            options[name] = f"sha256:{game.rules_digest}"
    return options


def path_options(package: str) -> list[str]:
    """The rule options of a game that name a file or a folder."""
    return [name for name, option in import_module(package).OPTIONS.items() if not option.values]


def record_game(env: VectorAECEnv, agents: Sequence[Any], seed: int) -> Recorder:
    """Plays one game between agents, one per seat, and records it.

    Args:
        env: One game, ``autoreset=False``.
        agents: P agents with ``act``, see ``agents.agent``.
        seed: The game's seed; also the noise of the agents is made from it.
    """
    env.reset(np.array([seed]))
    recorder = Recorder(env.game, env.states, seed, env.reward)
    decisions = [0] * env.num_players
    while env.agent_selection[0] >= 0:
        seat = int(env.agent_selection[0])
        word = engine.word_of(seed, seat, decisions[seat])
        decisions[seat] += 1
        view = env.last()[0]
        action = agents[seat].act(view["observation"], view["action_mask"], env.worlds(np.array([word], np.uint64)))
        recorder.before(env.states, int(action[0]))
        env.step(np.asarray(action))
        recorder.after(env.states)
    _, rewards, terminations, truncations, _ = env.last()
    recorder.end(rewards[0], bool(terminations[0]), bool(truncations[0]))
    return recorder


# --- checking -----------------------------------------------------------------------------------------------------------


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
    _expect_keys(1, header, ("format", "game", "version", "options", "num_players", "seed", "state"))
    if header["format"] != FORMAT or isinstance(header["format"], bool):
        raise ReplayError(f"line 1: format is {header['format']!r}; this program reads format {FORMAT}")
    try:
        refuse_foreign(header["game"], named.games)
        game, reward = _make_game(header, named.files)
        env = VectorAECEnv(game, 1, seed=0, reward=reward, autoreset=False)
        env.set_records(game.from_dict(header["state"]))
    except (ValueError, TypeError, OSError) as error:
        raise ReplayError(f"line 1: {error}") from error
    if game.version != header["version"]:
        raise ReplayError(f"line 1: version {header['version']!r} of {game.name}; this program plays version {game.version}")
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
                raise ValueError(f"it was played with {name} {options[name]!r}; name it with --option {name}=PATH")
            options[name] = files[name]
    game = make_game(header["game"], header["num_players"], **options)
    own = named_by_content(game)
    for name, content in named.items():
        if own[name] != content:
            raise ValueError(f"{files[name]} is not the {name} it was played with: {own[name]} instead of {content!r}")
    return game, reward


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
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    try:
        seed = integer("seed", lines[0]["seed"], 0, MAX_SEED)
    except ValueError as error:
        raise ReplayError(f"line 1: {error}") from error
    env.reset(np.array([seed], np.uint64))
    _compare(1, {"state": lines[0]["state"]}, {"state": game.to_dict(env.states)})
    for number, line in enumerate(lines[1:-1], 2):
        _check_decision(number, line, game, env)
    _check_end(len(lines), lines[-1], env)
    return len(lines) - 2


def _check_decision(number: int, line: dict[str, Any], game: Game, env: VectorAECEnv) -> None:
    _expect_keys(number, line, ("player", "action", "move", "legal", "state"))
    player = int(env.agent_selection[0])
    if player < 0:
        raise ReplayError(f"line {number}: a decision after the game is over")
    legal = game.legal_actions(env.states)
    action = _legal_action(number, line, legal)
    before = {"player": player, "legal": legal, "move": game.move(env.states, action)}
    _compare(number, {key: line[key] for key in before}, before)
    env.step(np.array([action]))
    _compare(number, {"state": line["state"]}, {"state": game.to_dict(env.states)})


def _legal_action(number: int, line: dict[str, Any], legal: list[int]) -> int:
    if line["action"] not in legal or type(line["action"]) is not int:
        raise ReplayError(f"line {number}: action {line['action']!r} is not legal; legal are {legal}")
    return line["action"]


def _check_end(number: int, line: dict[str, Any], env: VectorAECEnv) -> None:
    _expect_keys(number, line, ("rewards", "terminated", "truncated"))
    if env.agent_selection[0] >= 0:
        raise ReplayError(f"line {number}: the end, but the game goes on")
    _, rewards, terminations, truncations, _ = env.last()
    paid = [float(reward) for reward in rewards[0]]
    _compare(number, line, {"rewards": paid, "terminated": bool(terminations[0]), "truncated": bool(truncations[0])})


def _expect_keys(number: int, line: dict[str, Any], keys: Sequence[str]) -> None:
    missing = [key for key in keys if key not in line]
    unknown = [key for key in line if key not in keys]
    if missing or unknown:
        what = f"{', '.join(missing)} missing" if missing else f"{', '.join(unknown)} unknown"
        raise ReplayError(f"line {number}: {what}; the line must have the fields {', '.join(keys)}")


def _compare(number: int, found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Finds the first place in which a line is not as the rules make it, and names it."""
    if (wrong := difference(found, expected)) is not None:
        raise ReplayError(f"line {number}: {wrong}")


# --- telling ------------------------------------------------------------------------------------------------------------


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


def transitions(lines: Sequence[dict[str, Any]], game: Game, env: VectorAECEnv) -> Iterator[tuple[np.ndarray, int, np.ndarray]]:
    """The decisions of a replay that ``open_game`` has opened: the record before, the action and the record after.

    Chance is in the states of the file, so a game is told even where only its states are known.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    for number, line in enumerate(lines[1:-1], 2):
        _expect_keys(number, line, ("player", "action", "move", "legal", "state"))
        action, before = _legal_action(number, line, game.legal_actions(env.states)), env.states.copy()
        try:
            env.set_records(game.from_dict(line["state"]))
        except ValueError as error:
            raise ReplayError(f"line {number}: {error}") from error
        yield before, action, env.states.copy()


def _told(events: Iterable[Event]) -> Iterable[str]:
    """Events as lines; parts of a decision are left out."""
    return (_INDENT[event.kind] + event.text for event in events if event.kind in _INDENT)


def _end_in_words(number: int, line: dict[str, Any]) -> str:
    _expect_keys(number, line, ("rewards", "terminated", "truncated"))
    rewards = line["rewards"]
    if not isinstance(rewards, list) or not all(type(reward) in (int, float) for reward in rewards):
        raise ReplayError(f"line {number}: rewards is {rewards!r}; it must be a list of numbers")
    paid = ", ".join(f"player {p} {reward:+g}" for p, reward in enumerate(rewards))
    return f"the game {'was cut off' if line['truncated'] else 'is over'}: {paid}"


# --- the command line ---------------------------------------------------------------------------------------------------


def add_named(parser: argparse.ArgumentParser) -> None:
    """Adds the options by which somebody who opens replays names what they may not name themselves, see ``Named``."""
    parser.add_argument("--env", action="append", default=[], help="PACKAGE.MODULE: your own game")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=PATH", help="a file they were played with")


def named_by(arguments: argparse.Namespace) -> Named:
    """What the options of ``add_named`` say."""
    return Named(arguments.env, dict(option.partition("=")[::2] for option in arguments.option))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m envs.replay",
        description="Record games, check recorded ones, tell them in sentences.",
        epilog=describe_games(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="play games and write one file each")
    record.add_argument("--env", required=True, help="name of the rule set")
    record.add_argument("--num-players", type=int, default=2)
    record.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option, or reward=...")
    record.add_argument("--agents", nargs="+", default=["random"], help="one for each seat, or one for all")
    record.add_argument("--games", type=int, default=1)
    record.add_argument("--seed", type=int, default=0, help="seed of the first game; the next ones count up")
    record.add_argument("--out", type=Path, required=True, help="folder")
    for name, what in (("check", "play files again and compare every line"), ("show", "tell files in sentences")):
        command = commands.add_parser(name, help=what)
        command.add_argument("files", nargs="+", type=Path)
        add_named(command)
    return parser


def _record(arguments: argparse.Namespace) -> None:
    from agents.registry import make_agent

    options = parse_options(arguments.env, arguments.option, with_reward=True)
    reward = options.pop("reward", "placement")
    game = make_game(arguments.env, arguments.num_players, **options)
    names = arguments.agents * game.num_players if len(arguments.agents) == 1 else arguments.agents
    if len(names) != game.num_players:
        raise ValueError(f"--agents names {len(names)}; the game has {game.num_players} seats (or name one for all)")
    agents = [make_agent(name, game) for name in names]
    arguments.out.mkdir(parents=True, exist_ok=True)
    env = VectorAECEnv(game, 1, seed=0, reward=reward, autoreset=False)
    for seed in range(arguments.seed, arguments.seed + arguments.games):
        path = arguments.out / f"{game.id}-{game.num_players}p-{seed}.jsonl"
        write_aside(path, record_game(env, agents, seed).text().encode())
    print(f"{arguments.games} games of {game.id} with {game.num_players} players in {arguments.out}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command == "record":
        try:
            _record(arguments)
        except (ValueError, OSError) as error:
            parser.error(str(error))
        return 0
    try:
        return _read_all(arguments)
    except BrokenPipeError:  # whoever reads our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _read_all(arguments: argparse.Namespace) -> int:
    """Checks or tells files one after the other; 1 if one of them is broken."""
    named = named_by(arguments)
    failed = 0
    for path in arguments.files:
        try:
            if arguments.command == "check":
                print(f"{path}: {check(path, named)} decisions, all as recorded", flush=True)
            else:
                print("\n".join(sentences(path, named)), flush=True)
        except BrokenPipeError:
            raise
        except (ReplayError, OSError) as error:
            failed += 1
            print(f"{path}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
