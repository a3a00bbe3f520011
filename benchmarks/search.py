"""Strength of the tree search against its budget: ``python -m benchmarks.search --env fairy_ring --simulations 25 100 400``.

For each number of simulations the search plays deals from all seats against one rival, as ``evaluate.py`` does. The table is
Markdown; the intervals are 95 % over deals. Speed is in simulated decisions, in the tree and below it, per second of CPU
time. ``--out FILE.png`` draws the win share.
"""

import argparse
import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import envs
from agents.registry import make_agent
from agents.search import SearchAgent, parse_settings
from envs.command_line import parse_options
from envs.game import Game
from evaluation import ratings, tournament


class Row(NamedTuple):
    """What one budget is worth: win share and interval from 0 to 1, simulated decisions per second, CPU seconds per decision."""

    simulations: int
    games: int
    share: float
    low: float
    high: float
    speed: float
    seconds: float


class Stopwatch:
    """A search as a player that counts what it does."""

    def __init__(self, agent: SearchAgent) -> None:
        self.agent, self.name = agent, agent.name
        self.simulated, self.decided, self.seconds = 0, 0, 0.0

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The search's actions; see ``agents.agent.Agent``."""
        begun = time.thread_time()
        found = self.agent.search(worlds)
        self.seconds += time.thread_time() - begun
        self.simulated += found.decisions
        self.decided += int(found.visits.any(axis=1).sum())  # a decision with one legal action takes no time
        return found.actions


def measure(game: Game, simulations: int, options: str, rival: str, games: int, seed: int) -> Row:
    """Plays the search with one budget against a rival."""
    text = ",".join(filter(None, [str(simulations), options]))
    search = Stopwatch(SearchAgent(game, parse_settings(text, game), f"ismcts:{text}"))
    rival_agent = make_agent(rival, game)
    lineup, deals = tournament.schedule(2, game.num_players, -(-games // game.num_players), seed)
    search.agent.search(_first_world(game))  # compiles
    match = tournament.play(game, [search, rival_agent], lineup, deals, names=["search", "rival"])
    if any(match.faults):
        raise RuntimeError(f"a player forfeited games: {', '.join(filter(None, match.faults))}")
    share = ratings.win_share(match, 0.95).at(0)
    speed, seconds = search.simulated / search.seconds, search.seconds / search.decided
    return Row(simulations, len(deals), share["mean"], share["low"], share["high"], speed, seconds)


def _first_world(game: Game) -> np.ndarray:
    return envs.make_vec(game, 1, seed=0).worlds(np.zeros(1, np.uint64))


def table(rows: Sequence[Row], rival: str) -> str:
    """The rows as Markdown."""
    lines = [
        f"| simulations | games | wins against `{rival}`, 95 % interval | simulated decisions/s | ms per decision |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        share = f"{100 * row.share:.1f} % ({100 * row.low:.1f} to {100 * row.high:.1f})"
        lines.append(f"| {row.simulations:,} | {row.games:,} | {share} | {row.speed:,.0f} | {1000 * row.seconds:.2f} |")
    return "\n".join(lines)


def draw(rows: Sequence[Row], title: str, path: str) -> None:
    """A picture of the win share by budget."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    budgets, shares = [row.simulations for row in rows], [100 * row.share for row in rows]
    below, above = [100 * (row.share - row.low) for row in rows], [100 * (row.high - row.share) for row in rows]
    axes.errorbar(budgets, shares, yerr=[below, above], marker="o", capsize=3)
    axes.set(xscale="log", xlabel="simulations per decision", ylabel="games won, %", title=title)
    axes.axhline(100 / 2, color="gray", linewidth=0.8)
    axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    axes.minorticks_off()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def command_line() -> argparse.ArgumentParser:
    """The arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("--env", default="fairy_ring", help="rule set [%(default)s]")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option; may be given again")
    add("--simulations", nargs="+", type=int, default=[25, 100, 400], help="budgets [25 100 400]")
    add("--settings", default="", help="further settings of the search, as in rollout=random,depth=20")
    add("--against", default="greedy", metavar="AGENT", help="the rival [%(default)s]")
    add("--games", type=int, default=400, help="games for each budget [%(default)s]")
    add("--seed", type=int, default=0, help="seed of the deals [%(default)s]")
    add("--out", metavar="FILE.png", help="where to draw the win share")
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Measures and prints; a mistake in the arguments ends the program with one line and exit code 2."""
    parser = command_line()
    args = parser.parse_args(argv)
    try:
        game = envs.make_game(args.env, 2, **parse_options(args.env, args.option))
        rows = [measure(game, count, args.settings, args.against, args.games, args.seed) for count in args.simulations]
    except (ValueError, OSError) as error:
        parser.error(" ".join(str(error).split()))
    print(table(rows, args.against))
    if args.out:
        draw(rows, f"{game.title}: search against {args.against}", args.out)


if __name__ == "__main__":
    main()
