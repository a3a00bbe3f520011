"""The whole speed table, as Markdown: ``python -m benchmarks``.

One core, N = 1024 games at a time unless a row says otherwise, CPU time unless a row says "wall". Rows that miss their aim are
in bold. Meant to take three minutes on a machine with nothing else to do; ``--only`` runs some parts.
"""

import argparse
import platform
import tempfile
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import envs
from benchmarks import doors, parts, play, startup, steps, threads
from benchmarks.rows import Row, markdown
from evaluation.provenance import machine

TABLES = (
    ("dance_of_eights", 2),
    ("dance_of_eights", 4),
    ("fairy_ring", 2),
    ("fairy_ring", 4),
    ("fairy_ring_objectives", 2),
    ("mushroom_rings", 2),
)
GAMES = ("dance_of_eights", "fairy_ring", "mushroom_rings")
MANY = {"mushroom_rings": 8192}
"""Games at a time for the large batch, 65,536 unless given: two arrays of observations have to fit into the memory."""
SEARCH_AIMS = {"fairy_ring": 300_000, "dance_of_eights": None}
"""Simulated decisions per second of the tree search, by rule set; that of Mushroom Rings would take a minute to compile."""
COLD_AIMS = {"dance_of_eights": 10, "fairy_ring": 10, "mushroom_rings": 30}


def decisions(rounds: int = steps.ROUNDS) -> list[Row]:
    """Batches of 1,024 games, all taking turns, and then each large batch beside its small one."""
    rows, small = [], [steps.vector(name, players, 1024) for name, players in TABLES]
    for (name, players), contestant, ns in zip(TABLES, small, steps.measure(small, rounds), strict=True):
        aim = steps.AIMS.get((name, players))
        rows.append(Row(contestant.name, ns, "ns per decision", at_most=aim, note=f"{1e9 / ns:,.0f} per second"))
    for (name, players), contestant in zip(TABLES, small, strict=True):
        large = steps.vector(name, players, MANY.get(name, 65536))
        many, few = steps.measure([large, contestant], 3)
        rows.append(Row(f"{large.name}, times N=1024", many / few, "", at_most=3, note=f"{many:.0f} ns per decision"))
    return rows


def one_game(rounds: int = steps.ROUNDS) -> list[Row]:
    """One game through the PettingZoo door."""
    contestants = [steps.single("fairy_ring", 2, False, False), steps.observe_other("fairy_ring", 2)]
    return [
        Row(contestant.name, ns, "ns", at_most=contestant.aim)
        for contestant, ns in zip(contestants, steps.measure(contestants, rounds), strict=True)
    ]


def anatomy() -> list[Row]:
    """What a decision is made of, copying and re-dealing."""
    return [row for name, players in TABLES for row in parts.parts(name, players)]


def records() -> list[Row]:
    """Sizes of records."""
    return [row for name, players in TABLES for row in parts.record(name, players)]


def search(simulations: int = 400, num_envs: int = 16) -> list[Row]:
    """The tree search with its usual settings."""
    from agents.search import SearchAgent, parse_settings

    rows = []
    for name, aim in SEARCH_AIMS.items():
        game = envs.make_game(name, 2)
        agent = SearchAgent(game, parse_settings(str(simulations), game))
        worlds = parts.in_the_middle(game, num_envs).worlds(np.arange(num_envs, dtype=np.uint64))
        agent.search(worlds[:1])  # compiles
        begun = time.thread_time()
        simulated = agent.search(worlds).decisions
        speed = simulated / (time.thread_time() - begun)
        rows.append(Row(f"{name} 2p, `ismcts:{simulations}`, simulated decisions", speed, "per second", at_least=aim))
    return rows


def evaluation(games: int = 10_000) -> list[Row]:
    """A match of two agents that need no network."""
    from agents.registry import make_agent
    from evaluation import tournament

    game = envs.make_game("fairy_ring", 2)
    agents = [make_agent(name, game) for name in ("random", "greedy")]
    tournament.play(game, agents, *tournament.schedule(2, 2, 4, 0))  # compiles
    lineup, seeds = tournament.schedule(2, 2, games // 2, 0)
    begun = time.process_time()
    tournament.play(game, agents, lineup, seeds)
    return [Row(f"fairy_ring 2p, {len(seeds):,} games, random against greedy", time.process_time() - begun, "s", at_most=3)]


def hosting(asks: int = 2000) -> list[Row]:
    """The extra cost of asking an agent in a process of its own, for as many games at a time as it has in a chunk."""
    from agents.agent import RandomAgent
    from evaluation.guarded import GuardedAgent
    from evaluation.hosted import HostedAgent

    rows = []
    for name in GAMES:
        game = envs.make_game(name, 2)
        batch = parts.in_the_middle(game, 32)
        shown, words = batch.last()[0], np.arange(32, dtype=np.uint64)
        views = shown["observation"].copy(), shown["action_mask"].copy(), batch.worlds(words)
        players = (HostedAgent("agents.agent:RandomAgent", game), GuardedAgent(RandomAgent(game)))
        hosted, not_hosted = (_median_seconds(partial(player.ask, *views), asks) for player in players)
        rows.append(Row(f"{name} 2p, asking a hosted agent for 32 games", 1e6 * (hosted - not_hosted), "us", at_most=150))
        players[0].close()
    return rows


def _median_seconds(call: Callable[[], object], times: int) -> float:
    """Wall time of a call, after one that may compile."""
    call()
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return float(np.median(seconds))


def starting() -> list[Row]:
    """From the start of a process, with everything to compile and with nothing."""
    seconds, torch = startup.importing()
    rows = [
        Row("`import envs`", seconds, "s", at_most=0.5),
        Row("`import envs` brings PyTorch along", float(torch), "", at_most=0, note="0: it does not"),
    ]
    for name in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            for temperature, aim in (("cold", COLD_AIMS[name]), ("warm", None)):
                rows.append(Row(f"{name} 2p, first step, {temperature}", startup.measure(name, 2, folder)[1], "s", at_most=aim))
    startup.first_progress("fairy_ring")  # fills the cache
    rows.append(Row("`train.py --env fairy_ring`, warm, first row of metrics", startup.first_progress("fairy_ring"), "s wall", 8))
    return rows


def training(rounds: int = 3) -> list[Row]:
    """Learning, beside a loop as short as it can be written."""
    import torch as th

    from benchmarks import training as learning
    from training.settings import Settings

    th.set_num_threads(1)
    settings = Settings(threads=1)
    game = settings.make_game()
    loops = {
        "minimal": learning.minimal_iteration(Settings(snapshot_share=0.0), game),
        "ours": learning.library_iteration(settings, game),
    }
    seconds = learning.measure(loops, rounds)
    rows = [
        Row("fairy_ring 2p, self-play PPO with snapshots", settings.samples / seconds["ours"], "samples/s"),
        Row("of the samples/s of a minimal loop", seconds["minimal"] / seconds["ours"], "", at_least=0.8),
    ]
    for part, percent in learning.shares(settings, game, rounds).items():
        rows.append(Row(f"share of {part}", percent, "%"))
    one, two = (learning.learners(number, 6.0, "fairy_ring") for number in (1, 2))
    rows.append(Row("two learners in two processes, times one", two / one, "", at_least=1.8, note="wall; needs two idle cores"))
    both = learning.learners(1, 6.0, "fairy_ring", threads=2)
    rows.append(Row("one learner with two threads, times one", both / one, "", note=f"{both:,.0f} samples/s, wall"))
    return rows


def peers(rounds: int = 3) -> list[Row]:
    """Other suites in the same run, each at a game of its own."""
    contestants = [steps.vector("fairy_ring", 2, 1024), steps.single("fairy_ring", 2, True, True), *steps.peers()]
    figures = steps.measure(contestants, rounds)
    return [
        Row(contestant.name, ns, "ns per decision", note=f"{ns / figures[0]:,.1f} times the first row")
        for contestant, ns in zip(contestants, figures, strict=True)
    ]


PARTS: dict[str, Callable[[], list[Row]]] = {
    "decisions": decisions,
    "one_game": one_game,
    "anatomy": anatomy,
    "records": records,
    "search": search,
    "evaluation": evaluation,
    "hosting": hosting,
    "starting": starting,
    "training": training,
    "peers": peers,
    "doors": doors.doors,
    "copies": doors.copies,
    "play": play.play,
    "threads": threads.threads,
}


def machine_in_words() -> str:
    """The processor by name, and the versions that matter."""
    import numba

    facts = machine()
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, Numba {numba.__version__}"
    return f"{facts['cores']} x {facts['processor']}; {versions}"


def main() -> None:
    """Measures and prints, part by part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts to run [all]")
    begun, missed = time.perf_counter(), 0
    print(f"{machine_in_words()}\n")
    for name in parser.parse_args().only:
        rows = PARTS[name]()
        missed += sum(row.is_missed for row in rows)
        print(markdown(name.replace("_", " ").capitalize(), rows), flush=True)
    print(f"{missed} aims missed; {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
