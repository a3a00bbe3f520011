"""Figures of whole games: ``python -m benchmarks.games mushroom_rings --games 1000``.

For each number of players, and for random and rule-based players each among themselves: how long games are, how they score and,
where a game has more to tell, what happened in them. The same command prints the same numbers. Figures are means over games, or
over seats where a seat has them.
"""

import argparse
from collections.abc import Callable, Mapping

import numpy as np

import envs
from agents.agent import Agent
from agents.registry import make_agent
from envs import engine
from envs.command_line import parse_options
from envs.game import Game
from envs.vector import VectorAECEnv
from evaluation.tournament import deal_seeds

BATCH = 500
AGENTS = ("random", "greedy")
LARGEST = " (and largest)"  # at the end of a figure's name: its largest value is told too

Figures = Mapping[str, np.ndarray]
"""By name: ``(N,)`` numbers, one for each game, or ``(N, P)``, one for each seat."""


# --- Mushroom Rings -----------------------------------------------------------------------------------------------------


def mushroom_rings(game: Game, states: np.ndarray) -> Figures:
    """What ended a game, how far from the stump its tiles lie, and what its players had."""
    flowers, markers = (states["num_flowers"] == 8).any(axis=1), (states["num_markers"] == 8).any(axis=1)
    empty = states["top"] >= game.rules[0]["bag_end"]
    steps, laid = _steps_from_stump(game, states)
    radius = game.options["table_radius"]
    return {
        "rounds": states["round"],
        "8th flower, %": 100 * flowers,
        "8th marker, %": 100 * markers,
        "empty bag, %": 100 * empty,
        "tiles laid": states["num_laid"] - 1,
        "tile from stump, steps": (steps * laid).sum(axis=1) / laid.sum(axis=1),
        f"farthest tile, steps{LARGEST}": steps.max(axis=1),
        "games with tiles at the rim, %": 100 * (steps == radius).any(axis=1),
        "tiles at the rim, %": 100 * (steps == radius).sum(axis=1) / laid.sum(axis=1),
        "rings": states["num_rings"],
        "markers a player": states["num_markers"],
        "flowers a player": states["num_flowers"],
        "treasure a player": states["treasure"],
    }


def _steps_from_stump(game: Game, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far each tile lies from the stump, 0 where there is none; and whether there is a tile, the stump apart."""
    laid = np.arange(states["tile"].shape[1]) < states["num_laid"][:, None]
    laid[:, 0] = False
    q, r = (game.rules[0][axis].astype(np.int64)[states["cell"]] for axis in ("q", "r"))
    return (abs(q) + abs(r) + abs(q + r)) // 2 * laid, laid


FACTS: dict[str, Callable[[Game, np.ndarray], Figures]] = {"envs.mushroom_rings": mushroom_rings}
"""By the module of a rule set: what it tells of finished games, ``(N,)`` records, beyond length and score."""


# --- any game -----------------------------------------------------------------------------------------------------------


def play(game: Game, agent: Agent, deals: np.ndarray, first: int) -> np.ndarray:
    """Plays a game on every deal, one agent in all seats; returns the finished games, ``(N,)`` records.

    Args:
        game: The rule set.
        agent: The player.
        deals: ``(N,) int64``, seeds.
        first: Number of the first of these deals among all, by which the agent's random words go.
    """
    env = VectorAECEnv(game, len(deals), autoreset=False)
    env.reset(deals)
    step = 0
    while (rows := np.flatnonzero(env.agent_selection >= 0)).size:
        view = env.last()[0]
        worlds = env.worlds(deal_seeds(first + len(deals), step)[first:].astype(np.uint64))
        actions = np.zeros(len(deals), np.int64)
        actions[rows] = agent.act(view["observation"][rows], view["action_mask"][rows], worlds[rows])
        env.step(actions)
        step += 1
    return env.states.copy()


def figures(game: Game, spec: str, games: int, seed: int) -> dict[str, str]:
    """The figures of a number of games of one agent against itself, in words."""
    agent, deals = make_agent(spec, game), deal_seeds(games, seed)
    parts = [play(game, agent, deals[start : start + BATCH], start) for start in range(0, games, BATCH)]
    states = np.concatenate(parts)
    results = np.zeros(games, engine.result_dtype(game.num_players))
    game.kernels.standings_batch(states, game.rules, results)
    told: dict[str, np.ndarray] = {
        f"decisions{LARGEST}": states["decisions"],
        "score": results["scores"],
        "best score of a game": results["scores"].max(axis=1),
        **FACTS.get(game.package, lambda game, states: {})(game, states),
    }
    return {name: _in_words(name, numbers) for name, numbers in told.items()}


def _in_words(name: str, numbers: np.ndarray) -> str:
    return f"{numbers.mean():.1f}" + (f" ({numbers.max()})" if name.endswith(LARGEST) else "")


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", help=f"the rule set: {', '.join(envs.GAMES)}, or a game of your own as package.module")
    parser.add_argument("--num-players", nargs="+", type=int, help="numbers of players; all of the game unless given")
    parser.add_argument("--games", type=int, default=1000, help="for each number of players and agent")
    parser.add_argument("--agents", nargs="+", default=AGENTS, help="agents, each of which plays against itself")
    parser.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE", help="rule options")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.games < 1:
        parser.error(f"--games is {arguments.games}; it must be at least 1")
    try:
        columns = {}
        for players in arguments.num_players or envs.game_module(arguments.env).PLAYERS:
            game = envs.make_game(arguments.env, players, **parse_options(arguments.env, arguments.option))
            for spec in arguments.agents:
                columns[f"{players}p {spec}"] = figures(game, spec, arguments.games, arguments.seed)
    except ValueError as error:
        parser.error(str(error))
    print(f"{arguments.env}, {arguments.games} games a column")
    print(f"{'':36}" + "".join(f"{title:>14}" for title in columns))
    for name in next(iter(columns.values())):
        print(f"{name:36}" + "".join(f"{column[name]:>14}" for column in columns.values()))


if __name__ == "__main__":
    main()
