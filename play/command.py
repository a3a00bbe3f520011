"""The command line: ``python -m play`` for a table, ``python -m play watch FILE...`` for replays."""

import argparse
import os
import sys
import webbrowser
from collections.abc import Sequence
from typing import Any

_INSTALL = "pip install 'fairy-rings[play]'"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["watch"]:
        from play.watch import main as watch

        return watch(words[1:])
    # A single game is there at once without the compiler, and agents compile in their own process. Where Numba is imported
    # already, as in a test, it has settled this for good.
    if "numba" not in sys.modules:
        os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    parser = _parser()
    arguments = parser.parse_args(words)
    try:
        return _play(arguments)
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    from envs.command_line import Parser, describe_games, integer_from, number_from

    parser = Parser(
        prog="python -m play",
        description="Play in the browser. `python -m play watch FILE...` shows replays.",
        epilog=describe_games(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--env", required=True, help="name of the rule set")
    parser.add_argument("--num-players", type=integer_from(1), help="seats; by default one for you and one for each agent")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option")
    parser.add_argument("--agents", nargs="*", default=["greedy"], help="who plays beside people: greedy, ismcts:400, ...")
    parser.add_argument("--people", type=integer_from(0), default=1, help="seats for people, 0 to watch agents; each gets a link")
    parser.add_argument("--hints", nargs="*", default=["greedy", "ismcts:400"], help="agents that give hints")
    parser.add_argument("--seed", type=integer_from(0, 2**64 - 1), help="of the first game; drawn at random when not given")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at; others than this machine can reach another one"
    )
    parser.add_argument("--port", type=integer_from(0, 65535), default=0, help="0: any that is free")
    parser.add_argument("--pause", type=number_from(0, 3600), default=0.6, help="seconds between decisions of agents")
    parser.add_argument("--no-browser", action="store_true", help="print the links and open none")
    parser.add_argument("--terminal", action="store_true", help="play by numbered sentences, without a browser")
    return parser


def seats_of(people: int, agents: Sequence[str], num_players: int) -> list[str]:
    """Who sits where: people first, then agents in the order given; one agent alone takes all seats that are left.

    Raises:
        ValueError: More or fewer players than seats.
    """
    from play.table import PERSON

    left = num_players - people
    others = list(agents) * left if len(agents) == 1 else list(agents)
    if people < 0 or len(others) != left:
        raise ValueError(f"--people {people} and {len(agents)} agents do not make the {num_players} players of the game")
    return [PERSON] * people + others


def _play(arguments: argparse.Namespace) -> int:
    from play.table import Table
    from play.worker import Worker

    game, seats, seed = _setting(arguments)
    table = Table(game, seats, seed)
    worker = Worker(game)
    try:
        if arguments.terminal:
            from play.terminal import play_in_terminal

            play_in_terminal(table, worker)
        else:
            _serve(table, worker, arguments)
    finally:
        worker.close()
    return 0


def _setting(arguments: argparse.Namespace) -> tuple[Any, list[str], int]:
    """Game, seats and seed that were asked for.

    Raises:
        ValueError: Something cannot be; nothing has begun.
    """
    from agents.registry import check_spec
    from envs import make_game
    from envs.checks import MAX_SEED, integer, real
    from envs.command_line import parse_options

    num_players = arguments.num_players or max(2, arguments.people + len(arguments.agents))
    game = make_game(arguments.env, num_players, **parse_options(arguments.env, arguments.option))
    for spec in [*arguments.agents, *arguments.hints]:
        check_spec(spec, game)
    real("--pause", arguments.pause, 0, 60)
    integer("--port", arguments.port, 0, 65535)
    seed = int.from_bytes(os.urandom(4), "little") if arguments.seed is None else arguments.seed
    return game, seats_of(arguments.people, arguments.agents, num_players), integer("--seed", seed, 0, MAX_SEED)


def _serve(table: Any, worker: Any, arguments: argparse.Namespace) -> None:
    try:
        import uvicorn  # noqa: F401 (a missing one is told here)

        from play.server import Server
    except ImportError as error:
        raise ImportError(f"the page needs the package {error.name!r}: {_INSTALL}") from error
    from play.listening import listen_as, serve

    listener, base, hosts = listen_as(arguments.host, arguments.port)
    links = [f"{base}/?token={token}" for token in table.tokens]
    watching = f"{base}/?token={table.watcher}"
    for seat, link in zip(table.people, links, strict=True):
        print(f"player {seat}: {link}", flush=True)
    print(f"to watch: {watching}", flush=True)
    if not arguments.no_browser:
        webbrowser.open(links[0] if links else watching)
    server = Server(table, worker, arguments.hints, arguments.pause)
    serve(server.app(hosts), listener, server.close)
