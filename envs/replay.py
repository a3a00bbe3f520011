"""A finished game as JSON lines, and back.

``python -m envs.replay record --env fairy_ring --num-players 3 --agents random greedy random --games 100 --out DIR`` writes a
file for each game, ``python -m envs.replay check FILE...`` plays files again and compares every line, and
``python -m envs.replay show FILE`` tells a game in sentences.
"""

import argparse
import json
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envs import engine, make_game, refuse_foreign
from envs.command_line import describe_games, parse_options
from envs.files import write_aside
from envs.game import Game
from envs.vector import VectorAECEnv

FORMAT = 1


class ReplayError(ValueError):
    """A replay that is broken or does not follow the rules; the message names the line."""


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
        options = dict(game.options) | ({} if reward == "placement" else {"reward": reward})
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
        """The replay: one line a decision."""
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines)


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
        ReplayError: A line is not JSON, or the file has too few lines.
    """
    lines = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        try:
            line = json.loads(text)
        except json.JSONDecodeError as error:
            raise ReplayError(f"line {number}: not JSON ({error})") from error
        if not isinstance(line, dict):
            raise ReplayError(f"line {number}: not a JSON object")
        lines.append(line)
    if len(lines) < 2:
        raise ReplayError(f"line {len(lines) + 1}: missing; a replay has at least a first and a last line")
    return lines


def open_game(header: dict[str, Any], named: Collection[str] = ()) -> tuple[Game, VectorAECEnv]:
    """The game that the first line of a replay names, and an environment with its state.

    Args:
        header: The first line.
        named: Games besides those of the suite that it may be of, ``package.module`` each. A file alone has nothing imported.

    Raises:
        ReplayError: The line is not the first line of a replay of this version, or of another game, or its state is impossible.
    """
    _expect_keys(1, header, ("format", "game", "version", "options", "num_players", "seed", "state"))
    if header["format"] != FORMAT:
        raise ReplayError(f"line 1: format is {header['format']!r}; this program reads format {FORMAT}")
    try:
        refuse_foreign(header["game"], named)
        options = dict(header["options"])
        reward = options.pop("reward", "placement")
        game = make_game(header["game"], header["num_players"], **options)
        env = VectorAECEnv(game, 1, seed=0, reward=reward, autoreset=False)
        record = game.from_dict(header["state"])
    except (ValueError, KeyError, TypeError) as error:
        raise ReplayError(f"line 1: {error}") from error
    if game.version != header["version"]:
        raise ReplayError(f"line 1: version {header['version']!r} of {game.name}; this program plays version {game.version}")
    env.states[:] = record
    env.refresh()
    return game, env


def check(path: Path, named: Collection[str] = ()) -> int:
    """Plays a replay again from its seed and compares every field of every line.

    Args:
        path: The file.
        named: Own games that it may be of, see ``open_game``.

    Returns:
        The number of decisions.

    Raises:
        ReplayError: A line is broken or differs; the message names the line and the field.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    if not isinstance(lines[0]["seed"], int) or lines[0]["seed"] < 0:
        raise ReplayError(f"line 1: seed is {lines[0]['seed']!r}; it must be a whole number from 0")
    env.reset(np.array([lines[0]["seed"]]))
    _compare(1, "state", game.to_dict(env.states), lines[0]["state"])
    for number, line in enumerate(lines[1:-1], 2):
        _check_decision(number, line, game, env)
    _check_end(len(lines), lines[-1], env)
    return len(lines) - 2


def _check_decision(number: int, line: dict[str, Any], game: Game, env: VectorAECEnv) -> None:
    _expect_keys(number, line, ("player", "action", "move", "legal", "state"))
    player = int(env.agent_selection[0])
    if player < 0:
        raise ReplayError(f"line {number}: a decision after the game is over")
    _compare(number, "player", player, line["player"])
    legal = game.legal_actions(env.states)
    _compare(number, "legal", legal, line["legal"])
    if line["action"] not in legal or isinstance(line["action"], bool):
        raise ReplayError(f"line {number}, action: {line['action']!r} is not legal; legal are {legal}")
    _compare(number, "move", game.move(env.states, line["action"]), line["move"])
    env.step(np.array([line["action"]]))
    _compare(number, "state", game.to_dict(env.states), line["state"])


def _check_end(number: int, line: dict[str, Any], env: VectorAECEnv) -> None:
    _expect_keys(number, line, ("rewards", "terminated", "truncated"))
    if env.agent_selection[0] >= 0:
        raise ReplayError(f"line {number}: the end, but the game goes on")
    _, rewards, terminations, truncations, _ = env.last()
    _compare(number, "rewards", [float(r) for r in rewards[0]], line["rewards"])
    _compare(number, "terminated", bool(terminations[0]), line["terminated"])
    _compare(number, "truncated", bool(truncations[0]), line["truncated"])


def _expect_keys(number: int, line: dict[str, Any], keys: Sequence[str]) -> None:
    missing = [key for key in keys if key not in line]
    unknown = [key for key in line if key not in keys]
    if missing or unknown:
        what = f"{', '.join(missing)} missing" if missing else f"{', '.join(unknown)} unknown"
        raise ReplayError(f"line {number}: {what}; the line must have the fields {', '.join(keys)}")


def _compare(number: int, place: str, expected: Any, found: Any) -> None:
    """Finds the first place in which two values differ and names it."""
    if type(expected) is not type(found) and not (_is_number(expected) and _is_number(found)):
        raise ReplayError(f"line {number}, {place}: {found!r}, but the rules give {expected!r}")
    if isinstance(expected, dict):
        for key in {**expected, **found}:
            if key not in expected or key not in found:
                raise ReplayError(f"line {number}, {place}.{key}: {'missing' if key in expected else 'unknown'}")
            _compare(number, f"{place}.{key}", expected[key], found[key])
    elif isinstance(expected, list) and len(expected) == len(found):
        for i, (one, other) in enumerate(zip(expected, found, strict=True)):
            _compare(number, f"{place}[{i}]", one, other)
    elif expected != found:
        raise ReplayError(f"line {number}, {place}: {found!r}, but the rules give {expected!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# --- telling ------------------------------------------------------------------------------------------------------------


def sentences(path: Path, named: Collection[str] = ()) -> Iterable[str]:
    """A replay in sentences, one a decision.

    Args:
        path: The file.
        named: Own games that it may be of, see ``open_game``.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    yield f"{game.title}, {game.num_players} players, seed {lines[0]['seed']}"
    for number, line in enumerate(lines[1:-1], 2):
        _expect_keys(number, line, ("player", "action", "move", "legal", "state"))
        if line["action"] not in game.legal_actions(env.states):
            raise ReplayError(f"line {number}, action: {line['action']!r} is not legal")
        yield game.sentence(env.states, line["action"])
        # Chance is in the states of the file, so a game is told even where only its states are known.
        env.states[:] = game.from_dict(line["state"])
        env.refresh()
    rewards = ", ".join(f"player {p} {reward:+g}" for p, reward in enumerate(lines[-1].get("rewards", [])))
    yield f"the game {'was cut off' if lines[-1].get('truncated') else 'is over'}: {rewards}"


# --- the command line ---------------------------------------------------------------------------------------------------


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
        command.add_argument("--env", action="append", default=[], help="PACKAGE.MODULE, a game of your own that files may be of")
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
    failed = 0
    for path in arguments.files:
        try:
            if arguments.command == "check":
                print(f"{path}: {check(path, arguments.env)} decisions, all as recorded")
            else:
                print("\n".join(sentences(path, arguments.env)))
        except (ReplayError, OSError) as error:
            failed += 1
            print(f"{path}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
