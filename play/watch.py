"""``python -m play watch FILE...``: replays as a page, as one file that needs no server, or as a moving picture."""

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.registry import check_spec
from envs.checks import integer
from envs.command_line import Parser, integer_from, named_path, number_from
from envs.files import write_aside
from envs.replay import Named, add_named, named_by
from play.frames import Moments, frames, moments, seen
from play.judge import check_judge, judge_game, meaning
from play.moving import gif, moving_svg
from play.page import page
from play.views import ALL


def main(argv: Sequence[str]) -> int:
    """Runs the command line; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    named = named_by(arguments)
    if (arguments.html or arguments.gif or arguments.svg) and len(arguments.files) != 1:
        parser.error("--html, --gif and --svg take one replay")
    try:
        if arguments.html or arguments.gif or arguments.svg:
            _write(arguments, moments(arguments.files[0], named))
        else:
            _serve(arguments, named)
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m play watch", description="Show replays, see python -m envs.replay record.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--html", type=named_path, metavar="FILE", help="write one page that needs no server")
    parser.add_argument("--gif", type=named_path, metavar="FILE", help="write a moving picture")
    parser.add_argument("--svg", type=named_path, metavar="FILE", help="write a moving picture as SVG: sharp, and mostly smaller")
    parser.add_argument("--width", type=integer_from(16, 8192), default=800, help="of the GIF, in pixels [%(default)s]")
    parser.add_argument("--seconds", type=number_from(0.01, 600), default=0.6, help="of a frame of a moving picture")
    parser.add_argument("--moves", metavar="A-B", help="the part of the game for a moving picture [all of it]")
    parser.add_argument(
        "--agent", metavar="AGENT", help="who judges every position and move: a search, as ismcts:200, or a checkpoint [nobody]"
    )
    parser.add_argument("--agents", default="greedy", metavar="AGENT", help="against whom to play on from a moment [%(default)s]")
    add_named(parser)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=integer_from(0, 65535), default=0, help="0: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the link and open none")
    return parser


def _write(arguments: argparse.Namespace, game: Moments) -> None:
    """The files that were asked for; nothing is written before all of them are made."""
    made = dict[Path, bytes]()
    pictures = seen(game, ALL)[0][_part(arguments.moves, len(game.records))] if arguments.gif or arguments.svg else []
    if arguments.svg:
        made[arguments.svg] = moving_svg(pictures, arguments.seconds).encode()
    if arguments.gif:
        made[arguments.gif] = gif(pictures, arguments.width, arguments.seconds)
    if arguments.html:
        made[arguments.html] = page(frames(arguments.files[0].name, game) | _judged(game, arguments.agent)).encode()
    for path, content in made.items():
        write_aside(path, content)


def _part(text: str | None, count: int) -> slice:
    """The moments that ``A-B`` means, both counted in.

    Raises:
        ValueError: It is no such part of a game of that length.
    """
    if text is None:
        return slice(0, count)
    first, dash, last = text.partition("-")
    if not (dash and first.isascii() and first.isdecimal() and last.isascii() and last.isdecimal()):
        raise ValueError(f"--moves is {text!r}; it must be A-B, as 0-{count - 1}")
    start = integer("the first of --moves", int(first), 0, count - 1)
    return slice(start, integer("the last of --moves", int(last), start, count - 1) + 1)


def _judged(game: Moments, agent: str | None) -> dict[str, Any]:
    """What an agent says of the whole game, with a line that tells how far it is."""
    if agent is None:
        return {}
    from play.worker import Worker

    check_judge(agent, game.game)
    worker, said = Worker(game.game), list[dict[str, Any]]()
    try:
        for judgement in judge_game(game, lambda question: worker.judge(agent, question)):
            said.append(judgement)
            print(f"\r{agent} has judged {len(said)} of {len(game.records)} moments", end="", file=sys.stderr, flush=True)
    finally:
        worker.close()
        print(file=sys.stderr)
    return {"judge": agent, "meaning": meaning(agent, game.game), "judged": said}


def _serve(arguments: argparse.Namespace, named: Named) -> None:
    integer("--port", arguments.port, 0, 65535)
    games = [moments(path, named) for path in arguments.files]
    for game in games:
        check_spec(arguments.agents, game.game)
        if arguments.agent:
            check_judge(arguments.agent, game.game)
    from play.gallery import Gallery
    from play.listening import listen_as, serve

    gallery = Gallery([path.name for path in arguments.files], games, arguments.agent, arguments.agents)
    listener, base, hosts = listen_as(arguments.host, arguments.port)
    links = [f"{base}/{number}" for number in range(len(games))]
    print("\n".join(links), flush=True)
    if not arguments.no_browser:
        webbrowser.open(links[0])
    serve(gallery.app(hosts), listener, gallery.close)
