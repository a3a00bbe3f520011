"""Plays agents against each other and rates them.

python evaluate.py --env fairy_ring --num-players 3 random greedy runs/x/model.zip --games 1000 --seed 0 --out DIR

Every deal is played with all seat rotations of its line-up, and the deal is the unit of all intervals. The table is printed;
evaluation.json, .md and .html go to the folder. The same command gives the same files to the byte, whatever the number of
workers and however often it was stopped: what has been played is kept in the folder, and the same command goes on from there.

python evaluate.py --leaderboard fairy_ring
python evaluate.py --enter leaderboard/entries/mine.json
python evaluate.py --check-leaderboard --share 0.1
python evaluate.py --check-leaderboard --share 0.1 --fresh

make the leaderboards of leaderboard/, the results of an entry, play a share of them again, and play as much on deals that nobody
knew and compare; see leaderboard/README.md.
"""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from envs.checks import one_line
from envs.command_line import MOST_LETTERS, Parser, describe_games, integer_from
from evaluation import GAMES, PLAYERS

STOPPED = 130
MOST_GAMES = 10**7
"""Of a tournament or of two agents on a board: what is known of each is kept in memory."""

_LIMITS = "10 for module:Class, none for others"

PURPOSES = ("leaderboard", "enter", "check_leaderboard")
_PLAYING = ("games", "seed", "workers", "ray", "quiet", "fresh", "sandbox")
ALLOWED = {
    "leaderboard": (*_PLAYING, "num_players", "out"),
    "enter": _PLAYING,
    "check_leaderboard": ("share", "salt", "workers", "ray", "sandbox", "quiet", "fresh"),
    "match": (*_PLAYING, "agents", "more_agents", "env", "num_players", "option", "anchor", "move_time", "out", "timing"),
}
"""What may be given with each purpose of the program."""


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluates what the command line asks for; a mistake in it ends the program with one line and exit code 2.

    Returns:
        The exit code: 0, 130 when the program was stopped, or 1 when a worker process broke or a leaderboard is not as it says.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = command_line()
    args = parser.parse_intermixed_args(argv)
    refuse_what_does_not_go_together(parser, args)
    is_check = args.check_leaderboard is not None  # a check keeps nothing to go on from
    try:
        with one_way_to_stop():
            from evaluation import purposes, sandbox  # takes seconds to import: a wrong argument is told before

            try:
                sandbox.require(args.sandbox)
                if args.ray is not None:
                    from evaluation.on_ray import Ray

                    args.workers = Ray(args.ray, args.workers)
            except ValueError as error:
                parser.error(str(error))
            if is_check:
                return purposes.check_boards(parser, args)
            if args.leaderboard is not None or args.enter is not None:
                return purposes.play_boards(parser, args)
            return purposes.play_match(parser, args, recorded(argv))
    except KeyboardInterrupt:
        print("stopped early" if is_check else "stopped early; the same command goes on from here", file=sys.stderr)
        return STOPPED
    except (RuntimeError, OSError, MemoryError) as error:  # a worker broke, or a file could not be written on the way
        reason = one_line(str(error), MOST_LETTERS) or "there is not enough memory"
        print(f"{parser.prog}: error: {reason}; the same command goes on from what is played", file=sys.stderr)
        return 1


def refuse_what_does_not_go_together(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Ends the program if an option is given that does nothing beside the others."""
    purpose = next((name for name in PURPOSES if getattr(args, name) is not None), "match")
    for name, value in vars(args).items():
        if name not in (purpose, *ALLOWED[purpose]) and value not in (parser.get_default(name), []):
            words = {"agents": "agents", "more_agents": "--agents"}.get(name, f"--{name.replace('_', '-')}")
            reason = "is for --check-leaderboard" if purpose == "match" else f"does not go with --{purpose.replace('_', '-')}"
            parser.error(f"{words} {reason}")


@contextmanager
def one_way_to_stop() -> Iterator[None]:
    """Makes the polite signal to end do what Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def command_line() -> argparse.ArgumentParser:
    """The arguments."""
    parser = Parser(
        prog="evaluate.py",
        description=__doc__,
        epilog=describe_games(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[ways_to_play()],
    )
    add = parser.add_argument
    kinds = "random, greedy, ppo, ismcts:SIMULATIONS, a checkpoint PATH.zip or PATH.zip:sample, or module:Class"
    add("agents", nargs="*", metavar="AGENT", help=kinds)
    add("--agents", nargs="+", action="extend", default=[], dest="more_agents", metavar="AGENT", help="more agents")
    add("--env", default="fairy_ring", metavar="GAME", help="the game [%(default)s]; all games are listed below")
    add("--num-players", type=integer_from(1), metavar="P", help=f"seats [{PLAYERS}]")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option; may be given again")
    number = integer_from(1, MOST_GAMES)
    add("--games", type=number, help=f"games, rounded up to whole deals; of a leaderboard, of every two agents [{GAMES}]")
    add("--seed", type=integer_from(0, 2**62 - 1), default=0, help="seed of deals, line-ups and intervals [%(default)s]")
    add("--anchor", metavar="AGENT", help="the agent rated 0 [random if it plays, else the first]")
    add("--move-time", type=_seconds, metavar="SECONDS", help=f"time for a decision; who takes longer loses the game [{_LIMITS}]")
    purpose = parser.add_mutually_exclusive_group()
    purpose.add_argument("--leaderboard", nargs="?", const="all", metavar="GAME", help="makes leaderboards: of a game, or all")
    purpose.add_argument("--enter", metavar="FILE", help="plays an entry of a leaderboard against the agents of this package")
    purpose.add_argument(
        "--check-leaderboard", nargs="*", metavar="FILE", help="plays leaderboards or entries again [all in leaderboard/]"
    )
    add("--share", type=_share, default=0.1, help="part of the deals that a check plays again [%(default)s]")
    add("--salt", default="", metavar="WORD", help="draws other deals for a check than the content of the file alone")
    return parser


def ways_to_play() -> argparse.ArgumentParser:
    """The arguments that change no result; the report does not name them."""
    parser = argparse.ArgumentParser(add_help=False)
    add = parser.add_argument
    add("--workers", type=integer_from(1, 1024), metavar="N", help="processes [one for each core where that is worth it]")
    places = "local: this machine; auto: the cluster that runs here; or HOST:PORT"
    add("--ray", metavar="ADDRESS", help=f"plays on a Ray cluster ({places}), with --workers as many cores of it [all]")
    add("--quiet", action="store_true", help="no progress bar")
    add("--sandbox", action="store_true", help="agents module:Class get no network and files to read only; needs bubblewrap")
    add("--out", metavar="DIR", help="folder for the report [evaluations/GAME-Pp]")
    words = "begins anew where an interrupted command of other settings has left results; of a check: plays deals of its own"
    add("--fresh", action="store_true", help=words)
    add("--timing", action="store_true", help="writes timing.json: what each agent cost on this machine")
    return parser


def recorded(argv: Sequence[str]) -> list[str]:
    """The part of a command line that decides the results."""
    return ways_to_play().parse_known_args(argv)[1]


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no part above 0 and up to 1")
    return share


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time above 0")
    return seconds

