"""How far players are from the best play there is, in games small enough for OpenSpiel to solve; needs the extra ``openspiel``.

A player becomes a table: for every information set how often it chooses each action. What it does depends on what its seat sees
and on its random word alone, so it is asked once for every word at every view, and the shares are the probabilities; of a player
that uses no noise one word is enough. OpenSpiel then computes the best response of each seat to the table, which sees the whole
tree. Zero-sum games for two.

* *Exploitability*: what a best response wins on average over both seats; 0 for an equilibrium. A table from N words for a player
  that mixes is not quite the player, and a best response sees that too: the figure is too high by about the difference of those
  for N / 2 and for N words.
* The *value* of the game is what seat 0 wins between equilibria. It lies between what seat 0's policy wins at least and what
  seat 1's concedes at most, so the exploitability of any policy bounds its own error: no trust in a solver is needed.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyspiel

from agents.agent import Agent
from envs import engine
from envs.openspiel import SpielGame
from envs.openspiel.histories import CHANCE, TERMINAL, Node, Position

BATCH = 4096  # decisions that an agent is asked for at a time

Table = dict[str, list[tuple[int, float]]]
"""A policy as ``pyspiel.TabularPolicy`` takes it: actions and their probabilities by information state."""


class InformationSet(NamedTuple):
    """What a seat may know when it is to act: its information state, what it sees, the legal actions, and one such position."""

    key: str
    view: str
    position: Position


class Exploited(NamedTuple):
    """What best responses make of a policy.

    Attributes:
        exploitability: What they win on average over both seats.
        least: For each seat, what the policy is sure of there: the least that it wins on average, against the best response.
    """

    exploitability: float
    least: tuple[float, float]


def load(spec: str) -> SpielGame:
    """A game of OpenSpiel that can be solved.

    Raises:
        ValueError: There is none, it is not for two, or its events of chance are not played one by one.
    """
    try:
        game = pyspiel.load_game(spec)
    except pyspiel.SpielError as error:
        raise ValueError(f"{spec} cannot be solved: {str(error).partition('. Available')[0].splitlines()[0]}") from error
    if not isinstance(game, SpielGame) or game.game.chance is None or game.num_players() != 2:
        raise ValueError(f"{spec} cannot be solved: it must be of this suite, for two, and with its chance event by event")
    return game


def information_sets(game: SpielGame) -> list[InformationSet]:
    """All information sets of a game, by walking through the whole tree."""
    found: dict[str, InformationSet] = {}
    waiting: list[Node] = [game.table.root]
    while waiting:
        node = waiting.pop()
        waiting += [node.child(action) for action in node.legal()]
        if isinstance(node, Position) and node.player not in (CHANCE, TERMINAL):
            key = "\n".join(node.told(node.player))
            if key not in found:
                found[key] = InformationSet(key, str(game.game.to_dict(node.record, node.player)), node)
    return list(found.values())


def table_of(game: SpielGame, sets: list[InformationSet], agent: Agent, words: int, seed: int = 0) -> Table:
    """A player as a table.

    Args:
        game: The game.
        sets: Its information sets.
        agent: The player, made for ``game.game``.
        words: How many random words it is asked with at every view; 1 for a player that does not mix.
        seed: Of the random words.
    """
    views: dict[str, InformationSet] = {one.view: one for one in sets}  # who sees the same does the same
    shares = dict(zip(views, _shares(game, list(views.values()), agent, words, seed), strict=True))
    return {one.key: [(action, float(shares[one.view][action])) for action in one.position.legal()] for one in sets}


def _shares(game: SpielGame, sets: list[InformationSet], agent: Agent, words: int, seed: int) -> np.ndarray:
    """``(K, A) float64``: how often the player chooses each action in K information sets."""
    rng, rules = np.random.default_rng(seed), game.game
    counts = np.zeros((len(sets), rules.num_actions))
    asked = np.repeat(np.arange(len(sets)), words)
    for start in range(0, len(asked), BATCH):
        rows = asked[start : start + BATCH]
        records = np.concatenate([sets[row].position.record for row in rows])
        seats = records["current_player"].astype(np.int64)
        worlds = np.zeros_like(records)
        deals, noise = rng.integers(1 << 64, size=(2, len(rows)), dtype=np.uint64)
        rules.kernels.redeal_batch(records, rules.rules, seats, deals, worlds)
        worlds["rng"] = noise  # a deal may have been shuffled again for what it was, and its last word goes with that
        views = np.empty((len(rows), rules.observation_size), np.float32)
        rules.kernels.observe_batch(worlds, rules.rules, seats, engine.rows(views))
        masks = np.stack([sets[row].position.mask for row in rows])
        np.add.at(counts, (rows, agent.act(views, masks, worlds)), 1)
    return counts / words


def uniform(sets: list[InformationSet]) -> Table:
    """The policy that plays all legal actions alike: ``random``, without the noise of drawing it."""
    return {one.key: [(action, 1 / len(one.position.legal())) for action in one.position.legal()] for one in sets}


def mixed(tables: list[Table], weights: list[float]) -> Table:
    """The average of policies, information set by information set."""
    pairs = list(zip(tables, weights, strict=True))
    return {
        key: [(action, sum(weight * table[key][n][1] for table, weight in pairs)) for n, (action, _) in enumerate(choices)]
        for key, choices in tables[0].items()
    }


def exploited(game: SpielGame, table: Table) -> Exploited:
    """What best responses make of a policy."""
    policy = pyspiel.TabularPolicy(table)
    root = game.new_initial_state().history_str()
    first, second = (pyspiel.TabularBestResponse(game, seat, policy).value(root) for seat in range(2))
    return Exploited((first + second) / 2, (-second, -first))


def returns(game: SpielGame, table: Table, other: Table) -> float:
    """What a policy wins against another on average over both seats."""
    policies = [pyspiel.TabularPolicy(table), pyspiel.TabularPolicy(other)]
    one = pyspiel.expected_returns(game.new_initial_state(), policies, -1, True)[0]
    return (one + pyspiel.expected_returns(game.new_initial_state(), policies[::-1], -1, True)[1]) / 2


def solved(game: SpielGame, iterations: int, solver: Callable[[SpielGame], object] = pyspiel.CFRPlusSolver) -> Table:
    """The average policy of OpenSpiel's CFR+ after some iterations."""
    learner: object = solver(game)
    for _ in range(iterations):
        learner.evaluate_and_update_policy()  # type: ignore[attr-defined]
    average = learner.tabular_average_policy()  # type: ignore[attr-defined]
    return {key: list(choices) for key, choices in average.policy_table().items()}
