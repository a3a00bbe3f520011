"""Doors beside what is behind them, and beside the doors of others, in one run: ``python -m benchmarks.doors``.

*Vector door*: a random learner and the named opponents through ``gymnasium.make_vec``, beside the inner batch: the same agents
asked for the same kind of decisions of a ``VectorAECEnv`` in which all games step at once. Decisions of all seats are counted.
*Copies*: ``copy.deepcopy`` of our AEC environment and of PettingZoo's classic games, and ``clone`` of OpenSpiel's states, each in
the middle of a game. Peers are measured where they are installed; their games are other ones, so read orders of size.
"""

import argparse
import copy
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gymnasium
import numpy as np

import envs
from agents.opponents import _Games, seat_opponents
from benchmarks import steps
from benchmarks.rows import Row, markdown
from benchmarks.steps import Contestant

TABLES = (
    ("fairy_ring", 2, "random"),
    ("fairy_ring", 2, "greedy"),
    ("fairy_ring", 4, "greedy"),
    ("dance_of_eights", 3, "random"),
    ("dance_of_eights", 3, "greedy"),
)
N = 1024
MOST_MICROSECONDS = 100
"""Of a copy of our AEC environment with PettingZoo's wrappers."""


# --- the vector door ----------------------------------------------------------------------------------------------------


def vector_door(name: str, num_players: int, opponents: str, fresh: bool) -> Contestant:
    """A random learner through Gymnasium's vector door, which gives fresh arrays or views."""
    env = gymnasium.make_vec(
        f"envs:fairy_rings/{name}-v0", num_envs=N, num_players=num_players, opponents=opponents, copy=fresh
    )  # fmt: skip
    env.reset(seed=0)
    table: Any = env.unwrapped._table  # type: ignore[attr-defined]
    games, words, actions = table.seats.games, np.arange(N, dtype=np.uint64), np.zeros(N, np.int64)

    def play(decisions: int) -> int:
        made = -int(games.states["decisions"].sum())
        for _ in range(max(1, decisions // (N * num_players))):
            games.game.kernels.sample_batch(games._mask_rows, words, actions)
            infos = env.step(actions)[-1]
            if "final_info" in infos:
                made += int(infos["final_info"]["length"].sum())
        return made + int(games.states["decisions"].sum())

    return Contestant(f"{name} {num_players}p, {opponents}: vector door, {'copies' if fresh else 'views'}", play, 40 * N)


def inner_batch(name: str, num_players: int, opponents: str) -> Contestant:
    """The same learner and opponents at the inner batch, every game stepping at once; worlds and views as the door makes them."""
    env = _Games(envs.make_game(name, num_players), N, seed=0)
    (agent, *_), own = seat_opponents(opponents, env.game), np.arange(N) % num_players
    words, actions, keys = np.arange(N, dtype=np.uint64), np.zeros(N, np.int64), np.ones((N, 2), np.uint64)

    def play(decisions: int) -> int:
        times = max(1, decisions // N)
        for _ in range(times):
            env.game.kernels.sample_batch(env._mask_rows, words, actions)
            rows = np.flatnonzero(env.agent_selection != own)
            actions[rows] = agent.act(*env.views_of(rows, env.agent_selection[rows].astype(np.int64), keys))
            env.step(actions)
        return times * N

    return Contestant(f"{name} {num_players}p, {opponents}: inner batch", play, 40 * N)


def envpool_door(task: str) -> Contestant:
    """A task of EnvPool through its Gymnasium door, random actions, one thread."""
    import envpool

    env = envpool.make_gymnasium(task, num_envs=N, num_threads=1, seed=0)
    env.reset()
    rng, actions = np.random.default_rng(0), env.action_space.n

    def play(decisions: int) -> int:
        times = max(1, decisions // N)
        for _ in range(times):
            env.step(rng.integers(0, actions, N))
        return times * N

    return Contestant(f"EnvPool {version('envpool')} {task}, N={N}, one thread", play, 40 * N)


# --- copies -------------------------------------------------------------------------------------------------------------


def _copies(what: str, state: Any, clone: Callable[[Any], Any], times: int) -> Contestant:
    def play(copies: int) -> int:
        for _ in range(copies):
            clone(state)
        return copies

    return Contestant(what, play, times)


def our_copies(name: str, wrapped: bool) -> Contestant:
    """Deep copies of an AEC environment after ten decisions."""
    env = (envs.make if wrapped else envs.raw_env)(name)
    _ten_decisions(env)
    return _copies(f"{name} 2p, AEC {'with' if wrapped else 'without'} wrappers, `deepcopy`", env, copy.deepcopy, 1000)


def pettingzoo_copies(module_name: str) -> Contestant:
    """Deep copies of a classic game of PettingZoo, with its wrappers."""
    env = import_module(f"pettingzoo.classic.{module_name}").env()
    _ten_decisions(env)
    return _copies(f"PettingZoo {version('pettingzoo')} {module_name}, `deepcopy`", env, copy.deepcopy, 100)


def open_spiel_copies(name: str) -> Contestant:
    """Clones of a state of OpenSpiel, which is C++ called from Python."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    for _ in range(10):
        state.apply_action(state.legal_actions()[0])
    return _copies(f"OpenSpiel {version('open_spiel')} {name}, `clone`", state, lambda each: each.clone(), 1000)


def _ten_decisions(env: Any) -> None:
    env.reset(seed=0)
    for _ in range(10):
        observation, *_, info = env.last()
        mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))


# --- the run ------------------------------------------------------------------------------------------------------------


def installed(maker: Callable[..., Contestant], *arguments: Any) -> Iterator[Contestant]:
    """A peer, if what it needs is installed."""
    try:
        yield maker(*arguments)
    except (ImportError, PackageNotFoundError, AttributeError) as error:
        print(f"  {' '.join(map(str, arguments))}: not installed here ({error})")


def doors(rounds: int = 5) -> list[Row]:
    """The vector door in inner batches, and the doors of others in ours."""
    rows: list[Row] = []
    for entry in TABLES:
        inner, fresh, views = steps.measure([inner_batch(*entry), *(vector_door(*entry, each) for each in (True, False))], rounds)
        name, num_players, opponents = entry
        label = f"{name} {num_players}p, {opponents}: vector door in inner batches"
        note = f"{fresh:.0f} and {views:.0f} beside {inner:.0f} ns per decision"
        rows.append(Row(f"{label}, copies", fresh / inner, "", note=note))
        rows.append(Row(f"{label}, `copy=False`", views / inner, "", at_most=1.1))
    ours = vector_door("dance_of_eights", 3, "random", True)
    peers = [ours, *installed(envpool_door, "CartPole-v1"), *installed(envpool_door, "Blackjack-v1")]
    peers += installed(steps.pgx, "leduc_holdem", N)
    figures = steps.measure(peers, rounds)
    rows += [
        Row(peer.name, ns, "ns per decision", note=f"{ns / figures[0]:.2f} times our door")
        for peer, ns in zip(peers, figures, strict=True)
    ]
    return rows


def copies(rounds: int = 5) -> list[Row]:
    """Copies of one game, ours beside those of others."""
    names = list(dict.fromkeys(name for name, *_ in TABLES)) + ["mushroom_rings"]
    contestants = [our_copies(name, wrapped) for name in names for wrapped in (True, False)]
    for module in ("connect_four_v3", "chess_v6"):
        contestants += installed(pettingzoo_copies, module)
    for name in ("connect_four", "chess"):
        contestants += installed(open_spiel_copies, name)
    figures = steps.measure(contestants, rounds)
    return [
        Row(
            each.name, ns / 1000, "us", at_most=MOST_MICROSECONDS if "AEC" in each.name else None,
            note=f"{ns / figures[0]:.2f} times the first row",
        )
        for each, ns in zip(contestants, figures, strict=True)
    ]  # fmt: skip


def main() -> None:
    """Measures and prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(markdown("Doors", doors(rounds)))
    print(markdown("Copies", copies(rounds)))


if __name__ == "__main__":
    main()
