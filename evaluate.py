"""Plays agents against each other and rates them.

python evaluate.py --env fairy_ring --num-players 3 random greedy runs/x/model.zip --games 1000 --seed 0 --out DIR

Every deal is played with all seat rotations of its line-up, and the deal is the unit of all intervals. The table is printed;
evaluation.json, .md and .html go to the folder. The same command gives the same files to the byte, whatever the number of
workers and however often it was stopped: what has been played is kept in the folder, and the same command goes on from there.
"""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

import envs
from agents import report, tournament, workers
from agents.evaluation import costs, describe, different_names, settings_of
from agents.partial import Partial
from envs.files import write_aside
from envs.options import describe_games, parse_options

STOPPED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluates what the command line asks for; a mistake in it ends the program with one line and exit code 2.

    Returns:
        The exit code: 0, 130 when the program was stopped, or 1 when a worker process broke.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = command_line()
    args = parser.parse_intermixed_args(argv)
    try:
        with one_way_to_stop():
            return play_match(parser, args, argv)
    except KeyboardInterrupt:
        print("stopped early; the same command goes on from here", file=sys.stderr)
        return STOPPED
    except RuntimeError as error:
        print(f"{parser.prog}: error: {error}; the same command goes on from what is played", file=sys.stderr)
        return 1


def play_match(parser: argparse.ArgumentParser, args: argparse.Namespace, argv: Sequence[str]) -> int:
    """Plays the agents of the command line against each other, prints the table and writes the report."""
    specs = [*args.agents, *args.more_agents]
    if len(specs) < 2:
        parser.error("at least two agents are needed to compare")
    try:
        game = envs.make_game(args.env, args.num_players, **parse_options(args.env, args.option))
        deals = -(-args.games // game.num_players)
        names = different_names(specs)
        if args.anchor is not None and args.anchor not in names:
            raise ValueError(f"the anchor {args.anchor!r} does not play; agents are {', '.join(names)}")
        schedule = tournament.schedule(len(specs), game.num_players, deals, args.seed)
        planned = workers.Tournament(game, specs, names, *schedule, args.move_time)
        folder = Path(args.out or f"evaluations/{args.env}-{game.num_players}p")
        folder.mkdir(parents=True, exist_ok=True)
        partial = open_partial(planned, folder / "partial.npz", args.fresh)
    except (ValueError, OSError) as error:
        parser.error(" ".join(str(error).split()))
    games = len(planned.deals)
    print(f"{games:,} games: {deals:,} deals, each in {game.num_players} seat rotations ({args.games:,} asked for)")
    try:
        match = run(planned, partial, args)
        result = describe(match, planned, anchor=args.anchor, seed=args.seed, argv=recorded(argv))
    except ValueError as error:
        parser.error(f"{error} (more --games may help)")
    print("\n" + report.to_text(result))
    paths = report.write(result, folder)
    if args.timing:
        paths.append(folder / "timing.json")
        write_aside(paths[-1], (json.dumps(costs(match), indent=2) + "\n").encode())
    partial.discard()
    print("\n".join(f"wrote {path}" for path in paths))
    return 0


def open_partial(planned: workers.Tournament, path: Path, is_fresh: bool) -> Partial:
    """What was played of a tournament before.

    Raises:
        ValueError: The file holds something else.
    """
    if is_fresh:
        path.unlink(missing_ok=True)
    partial = Partial(len(planned.deals), planned.game.num_players, len(planned.names), path, settings_of(planned))
    if partial.done.any():
        print(f"going on: {partial.done.sum():,} games are played already", file=sys.stderr)
    return partial


def run(planned: workers.Tournament, partial: Partial, args: argparse.Namespace) -> tournament.Match:
    """Plays what is left of a tournament, with a progress bar where somebody may be watching."""
    is_hidden = args.quiet or not sys.stderr.isatty()
    done = int(partial.done.sum())
    with tqdm(total=len(planned.deals), initial=done, unit=" games", dynamic_ncols=True, disable=is_hidden) as bar:
        return workers.run(planned, args.workers, partial, bar.update)


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
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=describe_games(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[ways_to_play()],
    )
    add = parser.add_argument
    kinds = "random, greedy, ppo, a checkpoint PATH.zip or PATH.zip:sample, or module:Class"
    add("agents", nargs="*", metavar="AGENT", help=kinds)
    add("--agents", nargs="+", action="extend", default=[], dest="more_agents", metavar="AGENT", help="more agents")
    add("--env", default="fairy_ring", metavar="GAME", help="the game [%(default)s]; all games are listed below")
    add("--num-players", type=int, default=2, metavar="P", help="seats [%(default)s]")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option; may be given again")
    add("--games", type=_at_least(1), default=1000, help="games, rounded up to whole deals [%(default)s]")
    add("--seed", type=_at_least(0), default=0, help="seed of deals, line-ups and intervals [%(default)s]")
    add("--anchor", metavar="AGENT", help="the agent rated 0 [random if it plays, else the first]")
    add("--move-time", type=_seconds, metavar="SECONDS", help="time for a decision; who takes longer loses the game [no limit]")
    add("--out", metavar="DIR", help="folder for the report [evaluations/GAME-Pp]")
    return parser


def ways_to_play() -> argparse.ArgumentParser:
    """The arguments that change no result; the report does not name them."""
    parser = argparse.ArgumentParser(add_help=False)
    add = parser.add_argument
    add("--workers", type=_at_least(1), metavar="N", help="processes [one for each core where that is worth it]")
    add("--quiet", action="store_true", help="no progress bar")
    add("--fresh", action="store_true", help="begins anew where an interrupted command of other settings has left results")
    add("--timing", action="store_true", help="writes timing.json: what each agent cost on this machine")
    return parser


def recorded(argv: Sequence[str]) -> list[str]:
    """The part of a command line that decides the results."""
    return ways_to_play().parse_known_args(argv)[1]


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time above 0")
    return seconds


def _at_least(least: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is below {least}")
        return number

    return whole_number


if __name__ == "__main__":
    sys.exit(main())
