"""The command line of replays: record, check, show, export."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from envs import make_game
from envs.checks import MAX_SEED, one_line, show_path
from envs.command_line import MOST_LETTERS, Parser, describe_games, integer_from, named_path, parse_options
from envs.files import write_aside
from envs.replay.checking import check
from envs.replay.export import FORMS
from envs.replay.reading import Named, ReplayError
from envs.replay.recording import record_game
from envs.replay.telling import sentences
from envs.vector import VectorAECEnv


def add_named(parser: argparse.ArgumentParser) -> None:
    """Adds the options by which somebody who opens replays names what they may not name themselves, see ``Named``."""
    parser.add_argument("--env", action="append", default=[], help="PACKAGE.MODULE: your own game")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=PATH", help="a file they were played with")


def named_by(arguments: argparse.Namespace) -> Named:
    """What the options of ``add_named`` say."""
    return Named(arguments.env, dict(option.partition("=")[::2] for option in arguments.option))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m envs.replay",
        description="Record games, check recorded ones, tell them in sentences, make data sets of them.",
        epilog=describe_games(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="play games and write one file each")
    record.add_argument("--env", required=True, help="name of the rule set")
    record.add_argument("--num-players", type=integer_from(1), default=2)
    record.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option, or reward=...")
    record.add_argument("--agents", nargs="+", default=["random"], help="one for each seat, or one for all")
    record.add_argument("--games", type=integer_from(1), default=1)
    record.add_argument("--seed", type=integer_from(0, MAX_SEED), default=0, help="of the first game; the next ones count up")
    record.add_argument("--out", type=named_path, required=True, help="folder")
    for name, what in (("check", "play files again and compare every line"), ("show", "tell files in sentences")):
        command = commands.add_parser(name, help=what)
        command.add_argument("files", nargs="+", type=Path)
        add_named(command)
    export = commands.add_parser("export", help="make a data set of files, see docs/data.md")
    export.add_argument("files", nargs="+", type=Path)
    export.add_argument("--to", required=True, choices=FORMS, help="a Parquet file, or a data set of Minari's")
    export.add_argument("--out", type=Path, required=True, help="the file, or the folder")
    add_named(export)
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
    print(f"{arguments.games} games of {game.id} with {game.num_players} players in {show_path(arguments.out)}")


def _export(arguments: argparse.Namespace) -> None:
    rows, episodes = FORMS[arguments.to](arguments.files, arguments.out, named_by(arguments))
    print(f"{rows} decisions of {len(arguments.files)} games, {episodes} episodes of a seat each, in {arguments.out}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command in ("record", "export"):
        try:
            (_record if arguments.command == "record" else _export)(arguments)
        except (ValueError, OSError, ImportError) as error:
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
                print(f"{show_path(path)}: {check(path, named)} decisions, all as recorded", flush=True)
            else:
                print("\n".join(sentences(path, named)), flush=True)
        except BrokenPipeError:
            raise
        except (ReplayError, OSError) as error:
            failed += 1
            print(f"{show_path(path)}: {one_line(str(error), MOST_LETTERS)}", file=sys.stderr)
    return 1 if failed else 0
