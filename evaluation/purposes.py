"""What ``evaluate.py`` is asked for: a match, leaderboards or an entry's results, or a check of them."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

import envs
from envs.checks import one_line
from envs.command_line import MOST_LETTERS, how_to_watch, parse_options
from envs.files import Lock, write_aside
from evaluation import GAMES, PLAYERS, tournament, workers
from evaluation.keyed import Secret
from evaluation.leaderboard import make, verify
from evaluation.leaderboard.entries import Entry, entry_files
from evaluation.provenance import different_names, unfinished_results
from evaluation.ratings import anchor_index
from evaluation.report import files as report
from evaluation.report.describe import costs, describe
from evaluation.unfinished import UnfinishedResults


def play_match(parser: argparse.ArgumentParser, args: argparse.Namespace, argv: Sequence[str]) -> int:
    """Plays the agents of the command line against each other, prints the table and writes the report."""
    specs = [*args.agents, *args.more_agents]
    if len(specs) < 2:
        parser.error("at least two agents are needed to compare")
    try:
        game = envs.make_game(args.env, args.num_players or PLAYERS, **parse_options(args.env, args.option))
        deals = -(-(args.games or GAMES) // game.num_players)
        names = different_names(specs)
        anchor_index(names, args.anchor)  # a wrong one is told before anything is played
        schedule = tournament.schedule(len(specs), game.num_players, deals, args.seed)
        secret = Secret.from_seed(args.seed)
        planned = workers.Tournament(game, specs, names, *schedule, args.move_time, secret)
        folder = Path(args.out or f"evaluations/{args.env}-{game.num_players}p")
        folder.mkdir(parents=True, exist_ok=True)
        lock = Lock(folder)  # two of them would take each other's results away
    except (ValueError, OSError) as error:
        parser.error(str(error))
    with lock:
        return _play_in(folder, parser, args, argv, planned)


def _play_in(
    folder: Path, parser: argparse.ArgumentParser, args: argparse.Namespace, argv: Sequence[str], planned: workers.Tournament
) -> int:
    """Plays in a folder that nobody else writes to."""
    try:
        partial = open_partial(planned, folder / "partial.npz", args.fresh)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    games, asked, seats = len(planned.deals), args.games or GAMES, planned.game.num_players
    print(f"{games:,} games: {games // seats:,} deals, each in {seats} seat rotations ({asked:,} asked for)")
    try:
        match = run(planned, partial, args)
        command = shlex.join(["python", "evaluate.py", *argv])
        result = describe(match, planned, anchor=args.anchor, seed=args.seed, command=command)
    except ValueError as error:
        parser.error(f"{error} (more --games may help)")
    print("\n" + report.to_text(result))
    paths = report.write(result, folder)
    if args.timing:
        paths.append(folder / "timing.json")
        write_aside(paths[-1], (json.dumps(costs(match), indent=2) + "\n").encode())
    partial.discard()
    print("\n".join(f"wrote {path}" for path in paths))
    print(how_to_watch(planned.game, args.env, args.option, planned.specs))
    return 0


def play_boards(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Makes the leaderboards asked for, or the results of an entry, and the page that shows all of its folder."""
    try:
        if args.enter is None:
            folder = Path(args.out or make.FOLDER)
            folder.mkdir(parents=True, exist_ok=True)
            asked = make.boards_for(args.leaderboard, args.num_players)
            files: list[Any] = [(*board, make.board_path(folder, *board), None) for board in asked]
        else:
            entry = Entry.read(Path(args.enter))
            files = [(entry.rule_set, entry.num_players, entry.path, entry)]
        plans = [
            make.Plan(rule_set, num_players, path, games=args.games, seed=args.seed, entry=entry)
            for rule_set, num_players, path, entry in files
        ]
        paths = make.make_boards(plans, lambda planned, partial: run(planned, partial, args), args.fresh, print)
        if args.enter is None:
            paths.append(make.write_index(folder))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    print("\n".join(f"wrote {path}" for path in paths))
    return 0


def check_boards(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    """Plays a share of leaderboards again, or of other deals; returns 1 if one is not as it says."""
    folder = make.FOLDER
    paths = [Path(name) for name in args.check_leaderboard]
    paths = paths or [*make.board_files(folder), *entry_files(folder)]
    if not paths:
        parser.error(f"there are no leaderboards in {folder}")
    if args.fresh and args.salt:
        parser.error("--salt does not go with --fresh: fresh deals are drawn, not chosen")

    def watch(name: str, games: int) -> AbstractContextManager[Callable[[int], object]]:
        return progress_bar(args, games, label=name)

    return 0 if verify.check_all(paths, args.share, args.salt, args.workers, _say, args.fresh, watch) else 1


def _say(line: str) -> None:
    print(one_line(line, MOST_LETTERS))


def open_partial(planned: workers.Tournament, path: Path, is_fresh: bool) -> UnfinishedResults:
    """What was played of a tournament before.

    Raises:
        ValueError: The file holds something else.
    """
    partial = unfinished_results(planned, path, is_fresh)
    if partial.done.any():
        print(f"going on: {partial.done.sum():,} games are played already", file=sys.stderr)
    return partial


def run(planned: workers.Tournament, partial: UnfinishedResults, args: argparse.Namespace) -> tournament.Match:
    """Plays what is left of a tournament, with a progress bar where somebody may be watching."""
    with progress_bar(args, len(planned.deals), int(partial.done.sum())) as progress:
        return workers.run(planned, args.workers, partial, progress)


@contextmanager
def progress_bar(
    args: argparse.Namespace, games: int, done: int = 0, label: str | None = None
) -> Iterator[Callable[[int], object]]:
    """Shows how far a number of games is; gives a function to be called with those that have ended."""
    is_hidden = args.quiet or not sys.stderr.isatty()
    with tqdm(total=games, initial=done, desc=label, unit=" games", dynamic_ncols=True, disable=is_hidden) as bar:
        yield bar.update
