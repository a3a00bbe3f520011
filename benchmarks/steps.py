"""Decisions per second, ours beside the peers' in one run: ``python -m benchmarks.steps``.

A random legal policy plays; observation and action mask of the player to act are written at every decision, and finished games
are dealt again. CPU time of the process is counted, the median of several short rounds in which all contestants take turns. The
peers play other games (leduc hold'em, connect four, gin rummy), so read orders of size, not percents. RLCard, OpenSpiel and pgx
are measured where they are installed (extra ``[bench]``).
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import envs
from envs.vector import VectorAECEnv

ROUNDS = 7
AIMS = {
    ("fairy_ring", 2): 150,
    ("fairy_ring", 4): 250,
    ("dance_of_eights", 2): 75,
    ("dance_of_eights", 4): 110,
    ("mushroom_rings", 2): 2000,
}
"""The aim of each game: nanoseconds per decision at N = 1024."""


class Contestant(NamedTuple):
    """Something that plays: ``play(n)`` makes about n decisions and returns how many it made."""

    name: str
    play: Callable[[int], int]
    decisions: int
    aim: float | None = None


# --- ours ---------------------------------------------------------------------------------------------------------------


def vector(name: str, num_players: int, num_envs: int) -> Contestant:
    """N games at a time: one call to sample, one to step."""
    game = envs.make_game(name, num_players)
    env = VectorAECEnv(game, num_envs, seed=0)
    words = np.arange(num_envs, dtype=np.uint64)
    actions = np.zeros(num_envs, np.int64)
    sample = game.kernels.sample_batch

    def play(decisions: int) -> int:
        steps = -(-decisions // num_envs)
        for _ in range(steps):
            sample(env._mask_rows, words, actions)
            env.step(actions)
        return steps * num_envs

    aim = AIMS.get((name, num_players)) if num_envs == 1024 else None
    return Contestant(f"{name} {num_players}p, N={num_envs}", play, max(200_000, 4 * num_envs), aim)


def observe_other(name: str, num_players: int) -> Contestant:
    """The view of the seat that is not to act, through the PettingZoo door."""
    env = envs.raw_env(name, num_players)
    env.reset(seed=0)
    other = next(agent for agent in env.possible_agents if agent != env.agent_selection)

    def play(times: int) -> int:
        for _ in range(times):
            env.observe(other)
        return times

    return Contestant(f"{name} {num_players}p, AEC `observe` of another seat", play, 30_000, 2000)


def single(name: str, num_players: int, copy: bool, policy: bool) -> Contestant:
    """One game through the PettingZoo door, with numpy's random policy or with one that costs next to nothing."""
    env = envs.raw_env(name, num_players, copy=copy)
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def play(decisions: int) -> int:
        for _ in range(decisions):
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.reset()
                continue
            mask = observation["action_mask"]
            if policy:
                legal = np.flatnonzero(mask)
                env.step(int(legal[int(rng.random() * len(legal))]))
            else:
                env.step(int(mask.argmax()))
        return decisions

    what = "random policy" if policy else "first legal action"
    label = f"{name} {num_players}p, AEC {'copies' if copy else 'views'}, {what}"
    return Contestant(label, play, 30_000, 1500 if not copy and not policy else None)


# --- peers --------------------------------------------------------------------------------------------------------------


def pettingzoo_classic(module_name: str) -> Contestant:
    """A classic game of PettingZoo through its AEC loop."""
    from importlib import import_module

    env = import_module(f"pettingzoo.classic.{module_name}").raw_env()
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def play(decisions: int) -> int:
        for _ in range(decisions):
            observation, _, termination, truncation, info = env.last()
            if termination or truncation:
                env.reset()
                continue
            mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
            legal = np.flatnonzero(mask)
            env.step(int(legal[int(rng.random() * len(legal))]))
        return decisions

    return Contestant(f"PettingZoo {version('pettingzoo')} {module_name}", play, 1_000)


def rlcard_gin_rummy() -> Contestant:
    """Gin rummy of RLCard, stepped by hand."""
    import rlcard

    env = rlcard.make("gin-rummy", {"seed": 0})
    rng = np.random.default_rng(0)
    here = {"state": env.reset()[0]}

    def play(decisions: int) -> int:
        for _ in range(decisions):
            if env.is_over():
                here["state"] = env.reset()[0]
            legal = list(here["state"]["legal_actions"])
            here["state"] = env.step(legal[int(rng.random() * len(legal))])[0]
        return decisions

    return Contestant(f"RLCard {version('rlcard')} gin-rummy", play, 1_000)


def open_spiel(name: str) -> Contestant:
    """A game of OpenSpiel, in C++ or, named ``python_...``, in Python.

    Observation tensor and mask at every decision, chance sampled.
    """
    import pyspiel

    if name.startswith("python_"):
        import open_spiel.python.games  # noqa: F401, enters them into the list

    game = pyspiel.load_game(name)
    has_observation = game.get_type().provides_observation_tensor
    rng = np.random.default_rng(0)
    here = {"state": game.new_initial_state()}

    def play(decisions: int) -> int:
        made = 0
        while made < decisions:
            state = here["state"]
            if state.is_terminal():
                here["state"] = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(outcomes[int(np.searchsorted(np.cumsum(chances), rng.random()))])
            else:
                _ = state.observation_tensor() if has_observation else state.information_state_tensor()
                legal = np.flatnonzero(state.legal_actions_mask())
                state.apply_action(int(legal[int(rng.random() * len(legal))]))
                made += 1
        return made

    return Contestant(f"OpenSpiel {version('open_spiel')} {name}", play, 2_000)


def pgx(name: str, num_envs: int) -> Contestant:
    """A game of pgx on the CPU, N at a time; sampling, step and the deal of the next game are one compiled function."""
    import jax
    import pgx as pgx_games

    env = pgx_games.make(name)

    def decide(state, key):  # type: ignore[no-untyped-def]
        deal, act = jax.random.split(key)
        following = env.step(state, jax.random.categorical(act, jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)))
        over = following.terminated | following.truncated
        return jax.tree.map(lambda new, old: jax.numpy.where(over, new, old), env.init(deal), following)

    step = jax.jit(jax.vmap(decide))
    keys = jax.random.split(jax.random.key(0), num_envs)
    here = {"state": jax.jit(jax.vmap(env.init))(keys), "keys": keys}
    advance = jax.jit(jax.vmap(lambda key: jax.random.split(key, 1)[0]))

    def play(decisions: int) -> int:
        steps = -(-decisions // num_envs)
        for _ in range(steps):
            here["keys"] = advance(here["keys"])
            here["state"] = step(here["state"], here["keys"])
        jax.block_until_ready(here["state"])
        return steps * num_envs

    return Contestant(f"pgx {version('pgx')} {name}, CPU, N={num_envs}", play, 20 * num_envs)


def peers() -> Iterator[Contestant]:
    """Every peer that is installed."""
    makers: list[tuple[Callable[..., Contestant], tuple[Any, ...]]] = [
        (pettingzoo_classic, ("connect_four_v3",)),
        (pettingzoo_classic, ("leduc_holdem_v4",)),
        (rlcard_gin_rummy, ()),
        (open_spiel, ("gin_rummy",)),
        (open_spiel, ("leduc_poker",)),
        (open_spiel, ("python_tic_tac_toe",)),
        (pgx, ("leduc_holdem", 1024)),
    ]
    for maker, arguments in makers:
        try:
            yield maker(*arguments)
        except (ImportError, PackageNotFoundError, AttributeError) as error:
            print(f"  {' '.join(map(str, arguments)) or maker.__name__}: not installed here ({error})")


# --- the run ------------------------------------------------------------------------------------------------------------


def measure(contestants: list[Contestant], rounds: int) -> list[float]:
    """Nanoseconds per decision of each: the median over rounds in which they take turns."""
    for contestant in contestants:
        contestant.play(max(64, contestant.decisions // 10))
    times: list[list[float]] = [[] for _ in contestants]
    for _ in range(rounds):
        for contestant, own in zip(contestants, times, strict=True):
            before = time.process_time_ns()
            made = contestant.play(contestant.decisions)
            own.append((time.process_time_ns() - before) / made)
    return [statistics.median(own) for own in times]


def table(contestants: list[Contestant], nanoseconds: list[float]) -> str:
    """The figures, and how many times as fast as each peer our batch of 1024 games is."""
    base = next(ns for contestant, ns in zip(contestants, nanoseconds, strict=True) if "N=1024" in contestant.name)
    lines = [f"{'':58} {'ns/decision':>12} {'decisions/s':>12} {'ratio':>8}  aim"]
    for contestant, ns in zip(contestants, nanoseconds, strict=True):
        verdict = "" if contestant.aim is None else f"{contestant.aim:.0f} {'met' if ns <= contestant.aim else 'MISSED'}"
        lines.append(f"{contestant.name:58} {ns:12,.1f} {1e9 / ns:12,.0f} {ns / base:8,.2f}  {verdict}")
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", nargs="+", default=list(envs.GAMES), help="rule sets to measure")
    parser.add_argument("--num-players", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--num-envs", nargs="+", type=int, default=[1, 64, 1024, 8192])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    contestants = []
    for name in arguments.env:
        for num_players in arguments.num_players:
            contestants += [vector(name, num_players, num_envs) for num_envs in arguments.num_envs if num_envs > 1]
            if 1 in arguments.num_envs:
                contestants += [
                    single(name, num_players, copy, policy) for copy, policy in ((False, False), (False, True), (True, True))
                ]
    contestants += peers()
    print(table(contestants, measure(contestants, arguments.rounds)))


if __name__ == "__main__":
    main()
