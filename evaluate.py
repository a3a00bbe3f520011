"""Plays agents against each other and rates them.

python evaluate.py --env fairy_ring --num-players 3 random greedy runs/x/model.zip --games 1000 --seed 0 --out DIR

Every deal is played with all seat rotations of its line-up, and the deal is the unit of all intervals. The table is printed;
evaluation.json, .md and .html go to the folder. The same command gives the same files to the byte.
"""

import argparse
import platform
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tqdm import tqdm

import envs
from agents import ratings, report, tournament
from agents.agent import make_agent
from envs.game import Game
from envs.options import describe_games, parse_options

PACKAGES = ("numpy", "numba", "scipy")
TRAINING_PACKAGES = ("torch",)


def main(argv: Sequence[str] | None = None) -> None:
    """Evaluates what the command line asks for; a mistake in it ends the program with one line and exit code 2."""
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = command_line()
    args = parser.parse_intermixed_args(argv)
    if len(args.agents) < 2:
        parser.error("at least two agents are needed to compare")
    try:
        game = envs.make_game(args.env, args.num_players, **parse_options(args.env, args.option))
        agents = [make_agent(spec, game) for spec in args.agents]
        names = different_names(args.agents)
        if args.anchor is not None and args.anchor not in names:
            raise ValueError(f"the anchor {args.anchor!r} does not play; agents are {', '.join(names)}")
        deals = -(-args.games // game.num_players)
        lineup, seeds = tournament.schedule(len(agents), game.num_players, deals, args.seed)
        folder = Path(args.out or f"evaluations/{args.env}-{game.num_players}p")
        folder.mkdir(parents=True, exist_ok=True)
    except (ValueError, OSError) as error:
        parser.error(" ".join(str(error).split()))
    print(f"{len(seeds):,} games: {deals:,} deals, each in {game.num_players} seat rotations ({args.games:,} asked for)")
    with tqdm(total=len(seeds), unit=" games", disable=not sys.stderr.isatty()) as bar:
        match = tournament.play(game, agents, lineup, seeds, names=names, progress=bar.update)
    try:
        result = describe(match, game, args, argv)
    except ValueError as error:
        parser.error(f"{error} (more --games may help)")
    print("\n" + report.to_text(result))
    print("\n".join(f"wrote {path}" for path in report.write(result, folder)))


def command_line() -> argparse.ArgumentParser:
    """The arguments."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=describe_games(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("agents", nargs="+", metavar="AGENT", help="random, greedy, a checkpoint PATH.zip or PATH.zip:sample, or module:Class")
    add("--env", default="fairy_ring", metavar="GAME", help="the game [%(default)s]; all games are listed below")
    add("--num-players", type=int, default=2, metavar="P", help="seats [%(default)s]")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option; may be given again")
    add("--games", type=_at_least(1), default=1000, help="games, rounded up to whole deals [%(default)s]")
    add("--seed", type=_at_least(0), default=0, help="seed of deals, line-ups and intervals [%(default)s]")
    add("--anchor", metavar="AGENT", help="the agent rated 0 [random if it plays, else the first]")
    add("--out", metavar="DIR", help="folder for the report [evaluations/GAME-Pp]")
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is below {least}")
        return number

    return whole_number


def different_names(specs: Sequence[str]) -> list[str]:
    """Names for agents: what they were asked for by, and a number behind the second and further of the same."""
    seen: Counter[str] = Counter()
    names = []
    for spec in specs:
        seen[spec] += 1
        names.append(spec if seen[spec] == 1 else f"{spec}#{seen[spec]}")
    return names


def describe(match: tournament.Match, game: Game, args: argparse.Namespace, argv: Sequence[str]) -> dict[str, Any]:
    """The report of a match, see ``agents.report``.

    Raises:
        ValueError: The games do not link all agents, so they cannot be rated.
    """
    result = ratings.summarise(match, args.anchor, seed=args.seed)
    for agent, forfeits in zip(result["agents"], match.forfeits, strict=True):
        agent["counts"] = {"illegal": int(forfeits)}
    result["settings"] |= {"rotations": game.num_players, "threads": 1}
    has_checkpoint = any(spec.removesuffix(":sample").endswith(".zip") for spec in args.agents)
    packages = PACKAGES + TRAINING_PACKAGES * has_checkpoint
    return result | {
        "env": game.id,
        "num_players": game.num_players,
        "options": dict(game.options),
        "seed": args.seed,
        "command": shlex.join(["python", "evaluate.py", *argv]),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
        "notes": [f"{name} forfeited games: {fault}." for name, fault in zip(match.agents, match.faults, strict=True) if fault],
    }


if __name__ == "__main__":
    main()
