"""How far a search's labels tell actions apart: ``python -m benchmarks.labels --env fairy_ring --teacher ismcts:32,root=even``.

In positions of a player's games, as ``train.py --algo exit`` labels them, a larger search is asked several times with other
noise. That tells how much the actions of a position differ and what the best of them gains over the player's; the labels are held
against it. The best action is chosen by one half of the reference and its gain told by the other: an action that was lucky in the
half that chose it is not in the other.

K positions, A actions, R searches of the reference.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import envs
from agents.agent import Agent
from agents.networks.inputs import Inputs
from agents.registry import make_agent
from agents.search import SearchAgent
from envs.game import Game
from training.labels import Labels, label_round, make_teacher, search


class Reference(NamedTuple):
    """What a larger search finds.

    Attributes:
        worlds: ``(K,)`` records of the positions.
        masks: ``(K, A) int8``.
        played: ``(K,)``: the player's actions.
        means: ``(R, K, A)``: of each of its searches.
    """

    worlds: np.ndarray
    masks: np.ndarray
    played: np.ndarray
    means: np.ndarray

    def gain(self, actions: np.ndarray, searches: slice = slice(None)) -> np.ndarray:
        """What actions ``(K,)`` gain over the player's, ``(K,)``, by some of the searches."""
        rows = np.arange(len(actions))
        found = self.means[searches].mean(0)
        return np.asarray(found[rows, actions] - found[rows, self.played])


def ask(teacher: SearchAgent, worlds: np.ndarray, seed: int) -> Labels:
    """What a search finds in positions with noise of this seed."""
    noisy = worlds.copy()
    noisy["rng"] = np.random.default_rng(seed).integers(0, 2**63, noisy["rng"].shape, dtype=np.uint64)
    return search(teacher, noisy)


def make_reference(game: Game, player: Agent, teacher: SearchAgent, count: int, searches: int) -> Reference:
    """Positions of a player's games and what the larger search finds in them, so often."""
    worlds = label_round(make_teacher("ismcts:1,root=even", game), player, 1, 0, count)[0].worlds
    observations, masks = Inputs(game).of_worlds(worlds)
    played = player.act(observations, masks.copy(), worlds.copy())
    means = np.stack([ask(teacher, worlds, seed).values for seed in range(searches)])
    return Reference(worlds, masks, played, means)


def reference_rows(reference: Reference) -> list[tuple[str, str]]:
    """How much the actions of a position differ, and what the best of them gains."""
    legal, half = reference.masks > 0, len(reference.means) // 2
    noise = np.where(legal, reference.means.var(0, ddof=1), np.nan)
    between = np.nanvar(np.where(legal, reference.means.mean(0), np.nan), axis=1, ddof=1)
    spread = np.mean(between - np.nanmean(noise, axis=1) / len(reference.means))
    best = best_of(reference.means[:half].mean(0), reference.masks)
    return [
        ("legal actions, mean", f"{legal.sum(1).mean():.1f}"),
        ("standard deviation between the actions of a position", f"{np.sqrt(max(0.0, spread)):.3f}"),
        ("the best action is another than the player's", f"{np.mean(best != reference.played):.0%}"),
        ("its gain", with_interval(reference.gain(best, slice(half, None)))),
    ]


def label_rows(reference: Reference, teacher: SearchAgent) -> list[tuple[str, str]]:
    """How far a teacher's labels are from the reference, what their best action gains, and what they cost."""
    begin = time.process_time()
    labels = ask(teacher, reference.worlds, len(reference.means))
    seconds = time.process_time() - begin
    asked = labels.visits > 0
    error = np.where(asked, labels.values - reference.means.mean(0), np.nan)
    best = best_of(labels.advantages()[0], reference.masks)
    name = teacher.name
    return [
        (f"{name}: simulations of an action", f"{labels.visits.sum() / reference.masks.sum():.1f}"),
        (f"{name}: error of a mean, standard deviation", f"{np.sqrt(np.nanmean(error**2)):.3f}"),
        (f"{name}: gain of the best action by the label", with_interval(reference.gain(best))),
        (f"{name}: CPU time of a label", f"{1000 * seconds / len(best):.1f} ms"),
    ]


def best_of(values: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The legal actions with the highest values, ``(K,)``."""
    return np.where(masks > 0, values, -np.inf).argmax(1)


def with_interval(gains: np.ndarray) -> str:
    """A mean with its 95 % interval."""
    mean, reach = gains.mean(), 1.96 * gains.std(ddof=1) / np.sqrt(len(gains))
    return f"{mean:.3f} ({mean - reach:.3f} to {mean + reach:.3f})"


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("--env", default="fairy_ring", help="rule set, for two players [%(default)s]")
    add("--player", default="greedy", metavar="AGENT", help="who plays the games [%(default)s]")
    add("--teacher", nargs="+", default=["ismcts:32,root=even"], metavar="AGENT", help="whose labels [ismcts:32,root=even]")
    add("--reference", default="ismcts:256,root=even", metavar="AGENT", help="the larger search [%(default)s]")
    add("--searches", type=int, default=6, help="of the reference, at least 2 [%(default)s]")
    add("--positions", type=int, default=1000, help="[%(default)s]")
    args = parser.parse_args(argv)
    try:
        if args.searches < 2 or args.positions < 2:
            raise ValueError("--searches and --positions must be at least 2")
        game = envs.make_game(args.env, 2)
        teachers = [make_teacher(spec, game) for spec in (args.reference, *args.teacher)]
        player = make_agent(args.player, game)
    except ValueError as error:
        parser.error(str(error))
    reference = make_reference(game, player, teachers[0], args.positions, args.searches)
    rows = [*reference_rows(reference), *(row for teacher in teachers[1:] for row in label_rows(reference, teacher))]
    print("\n".join(f"| {what} | {figure} |" for what, figure in [(args.env, ""), ("---", "---"), *rows]))


if __name__ == "__main__":
    main()
