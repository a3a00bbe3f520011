"""Plays agents against each other and rates them.

python evaluate.py --env fairy_ring --num-players 3 random greedy runs/x/model.zip --games 1000 --seed 0 --out DIR

Every deal is played with all seat rotations of its line-up, and the deal is the unit of all intervals. The table is printed;
evaluation.json, .md and .html go to the folder. The same command gives the same files to the byte, whatever the number of
workers and however often it was stopped: what has been played is kept in the folder, and the same command goes on from there.

python evaluate.py --leaderboard fairy_ring
python evaluate.py --enter leaderboard/entries/mine.json
python evaluate.py --check-leaderboard --share 0.1

make the leaderboards of leaderboard/, the results of an entry, and play a share of them again; see leaderboard/README.md.
"""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

import envs
from agents import checking, leaderboard, report, tournament, workers
from agents.entries import ENTRIES, Entry
from agents.evaluation import costs, describe, different_names, settings_of
from agents.partial import Partial
from envs.files import write_aside
from envs.options import describe_games, parse_options

STOPPED = 130
PLAYERS, GAMES = 2, 1000

PURPOSES = ("leaderboard", "enter", "check_leaderboard")
_PLAYING = ("games", "seed", "workers", "quiet", "fresh")
ALLOWED = {
    "leaderboard": (*_PLAYING, "num_players", "out"),
    "enter": _PLAYING,
    "check_leaderboard": ("share", "salt", "workers"),
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
            if is_check:
                return check_boards(parser, args)
            if args.leaderboard is not None or args.enter is not None:
                return play_boards(parser, args)
            return play_match(parser, args, argv)
    except KeyboardInterrupt:
        print("stopped early" if is_check else "stopped early; the same command goes on from here", file=sys.stderr)
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
        game = envs.make_game(args.env, args.num_players or PLAYERS, **parse_options(args.env, args.option))
        asked = args.games or GAMES
        deals = -(-asked // game.num_players)
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
    print(f"{games:,} games: {deals:,} deals, each in {game.num_players} seat rotations ({asked:,} asked for)")
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


def play_boards(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Makes the leaderboards asked for, or the results of an entry, and the page that shows all of its folder."""
    try:
        if args.enter is None:
            folder = Path(args.out or leaderboard.FOLDER)
            folder.mkdir(parents=True, exist_ok=True)
            asked = leaderboard.boards_for(args.leaderboard, args.num_players)
            files: list[Any] = [(*board, leaderboard.board_path(folder, *board), None) for board in asked]
        else:
            entry = Entry.read(Path(args.enter))
            files = [(entry.rule_set, entry.num_players, entry.path, entry)]
        plans = [
            leaderboard.Plan(rule_set, num_players, path, games=args.games, seed=args.seed, entry=entry)
            for rule_set, num_players, path, entry in files
        ]
        paths = leaderboard.make_boards(plans, lambda planned, partial: run(planned, partial, args), args.fresh, print)
        if args.enter is None:
            paths.append(leaderboard.write_index(folder))
    except (ValueError, OSError) as error:
        parser.error(" ".join(str(error).split()))
    print("\n".join(f"wrote {path}" for path in paths))
    return 0


def check_boards(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Plays a share of leaderboards again; returns 1 if one is not as it says."""
    folder = leaderboard.FOLDER
    paths = [Path(name) for name in args.check_leaderboard]
    paths = paths or [*leaderboard.board_files(folder), *sorted((folder / ENTRIES).glob("*.json"))]
    if not paths:
        parser.error(f"there are no leaderboards in {folder}")
    return 0 if checking.check_all(paths, args.share, args.salt, args.workers, print) else 1


def refuse_what_does_not_go_together(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Ends the program if an option is given that does nothing beside the others."""
    purpose = next((name for name in PURPOSES if getattr(args, name) is not None), "match")
    for name, value in vars(args).items():
        if name not in (purpose, *ALLOWED[purpose]) and value not in (parser.get_default(name), []):
            words = {"agents": "agents", "more_agents": "--agents"}.get(name, f"--{name.replace('_', '-')}")
            reason = "is for --check-leaderboard" if purpose == "match" else f"does not go with --{purpose.replace('_', '-')}"
            parser.error(f"{words} {reason}")


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
    kinds = "random, greedy, ppo, ismcts:SIMULATIONS, a checkpoint PATH.zip or PATH.zip:sample, or module:Class"
    add("agents", nargs="*", metavar="AGENT", help=kinds)
    add("--agents", nargs="+", action="extend", default=[], dest="more_agents", metavar="AGENT", help="more agents")
    add("--env", default="fairy_ring", metavar="GAME", help="the game [%(default)s]; all games are listed below")
    add("--num-players", type=int, metavar="P", help=f"seats [{PLAYERS}]")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option; may be given again")
    add("--games", type=_at_least(1), help=f"games, rounded up to whole deals; of a leaderboard, of every two agents [{GAMES}]")
    add("--seed", type=_at_least(0), default=0, help="seed of deals, line-ups and intervals [%(default)s]")
    add("--anchor", metavar="AGENT", help="the agent rated 0 [random if it plays, else the first]")
    add("--move-time", type=_seconds, metavar="SECONDS", help="time for a decision; who takes longer loses the game [no limit]")
    add("--out", metavar="DIR", help="folder for the report [evaluations/GAME-Pp]")
    purpose = parser.add_mutually_exclusive_group()
    purpose.add_argument(
        "--leaderboard", nargs="?", const="all", metavar="GAME", help="makes leaderboards: of a game, or all"
    )
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
    add("--workers", type=_at_least(1), metavar="N", help="processes [one for each core where that is worth it]")
    add("--quiet", action="store_true", help="no progress bar")
    add("--fresh", action="store_true", help="begins anew where an interrupted command of other settings has left results")
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


def _at_least(least: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is below {least}")
        return number

    return whole_number


if __name__ == "__main__":
    sys.exit(main())
