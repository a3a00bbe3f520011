"""The searching player."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from agents.checkpoint import checkpoint_file
from agents.greedy import deciding_module, make_greedy
from agents.search.install import search_of
from agents.search.layout import NO_NODE, SETTINGS, TREE, node_dtype
from agents.search.options import Settings, default_settings
from envs import engine
from envs.game import Game

if TYPE_CHECKING:
    from agents.policy import PolicyNetwork

MAX_NODES = 1 << 20  # of all trees at a time: some 50 MB
TIMED_NODES = 1 << 16  # of the one tree of a search that is limited by time
MAX_CHUNK = 1 << 8  # most simulations between two looks at the clock
NO_LIMIT = 1 << 30


class Found(NamedTuple):
    """What searches found. K rows, A actions.

    Attributes:
        actions: ``(K,) int64``: the action visited most; where all are visited alike, the one with the best mean.
        visits: ``(K, A) int32``: simulations that began with each action; none where only one is legal.
        decisions: All decisions that were simulated.
        values: ``(K, A) float64``: the sums of the values of those simulations for the seat to act; None unless asked for.
        outlook: ``(K, P) float64``: the mean value of all simulations for each seat, in [-1, 1]; NaN where there were none; None
            unless asked for.
    """

    actions: np.ndarray
    visits: np.ndarray
    decisions: int
    values: np.ndarray | None = None
    outlook: np.ndarray | None = None


class SearchAgent:
    """Information-set Monte Carlo tree search as a player, see ``agents.agent.Agent``; ``agents.search.tree`` tells the method.

    Args:
        game: The rule set.
        settings: How to search; what suits the game best unless given.
        name: What tables call it.
        clock: Seconds, for a search that is limited by time.

    Raises:
        ValueError: ``settings.value`` or ``settings.policy`` is no checkpoint for this game.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings | None = None,
        name: str = "ismcts",
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.game, self.name, self.clock = game, name, clock
        self.settings = settings or default_settings(game)
        self.values = self._value_function()
        self.policy = self._network(self.settings.policy)
        self._kernel = search_of(game)
        self._tools = make_greedy(game).tools if deciding_module(game) else ()
        self._record = _settings_record(self.settings, has_greedy=deciding_module(game) is not None)
        if self.settings.seconds is not None:
            _Forest(self, np.zeros(0, game.state_dtype), 1).grow(0)  # compiling is not to count as thinking

    def _value_function(self) -> Callable[[np.ndarray], np.ndarray] | None:
        network = self._network(self.settings.value)
        return network.values if network else None

    def _network(self, spec: str | None) -> "PolicyNetwork | None":
        if spec is None:
            return None
        from agents.policy import PolicyAgent

        return PolicyAgent(checkpoint_file(spec, self.game), self.game).network

    def _priors(self, worlds: np.ndarray) -> np.ndarray:
        """``(K, A) float32``: what the policy would play, as shares; zeros without one."""
        if self.policy is None:
            return np.zeros((len(worlds), self.game.num_actions), np.float32)
        inputs, masks = self.policy.inputs.of_worlds(worlds)
        logits = np.where(masks > 0, np.nan_to_num(self.policy.logits(inputs)), -np.inf)  # what overflows shares out something
        weights = np.exp(logits - logits.max(1, keepdims=True))
        return (weights / weights.sum(1, keepdims=True)).astype(np.float32)

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The action that most simulations of each row's search begin with; see ``agents.agent.Agent``."""
        return self.search(worlds).actions

    def search(self, worlds: np.ndarray, with_values: bool = False) -> Found:
        """Searches in each of K games; what it does in a row depends on that row alone (with ``seconds``, and on the clock).

        Args:
            worlds: ``(K,)`` records, none of them over; they are not changed.
            with_values: Whether to tell values and outlook too; the search is the same.
        """
        worlds = np.ascontiguousarray(worlds)
        if self.settings.seconds is not None:
            parts = [self._search_for_a_time(worlds[i : i + 1], with_values) for i in range(len(worlds))]
        else:
            count = int(self.settings.simulations or 0)
            rows = max(1, MAX_NODES // (count + 1))
            parts = [self._search_so_often(worlds[i : i + rows], count, with_values) for i in range(0, len(worlds), rows)]
        return Found(
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.visits for part in parts]),
            sum(part.decisions for part in parts),
            np.concatenate([part.values for part in parts if part.values is not None]) if with_values else None,
            np.concatenate([part.outlook for part in parts if part.outlook is not None]) if with_values else None,
        )

    def _search_so_often(self, worlds: np.ndarray, simulations: int, with_values: bool) -> Found:
        forest = _Forest(self, worlds, simulations + 1)
        forest.grow(simulations)
        return forest.found(with_values)

    def _search_for_a_time(self, world: np.ndarray, with_values: bool) -> Found:
        """Searches in one game until the time is up, with a look at the clock about twenty times, and at least once."""
        limit = float(self.settings.seconds or 0)
        forest, chunk = _Forest(self, world, TIMED_NODES), 1
        begun = before = self.clock()
        while True:
            forest.grow(chunk)
            now = self.clock()
            if now - begun >= limit or forest.trees["choices"][0] == 1:
                return forest.found(with_values)
            if now - before < limit / 20:
                chunk = min(2 * chunk, MAX_CHUNK)
            before = now


def _settings_record(settings: Settings, has_greedy: bool) -> np.ndarray:
    record = np.zeros(1, SETTINGS)
    record["exploration"], record["scale"] = settings.exploration, settings.scale
    record["prior"] = settings.prior if has_greedy else 0.0
    record["advice"] = settings.prior if settings.policy else 0.0
    record["depth"] = NO_LIMIT if settings.depth is None else settings.depth
    record["rollouts"] = settings.rollouts
    record["expand"] = settings.expand
    record["even"] = settings.root == "even"
    record["greedy"] = settings.rollout == "greedy"
    record["waits"] = settings.value is not None
    return record


class _Forest:
    """The trees of some games, K, and the memory they grow in.

    Args:
        agent: Whose they are.
        worlds: ``(K,)`` records.
        capacity: Most nodes of a tree.
    """

    def __init__(self, agent: SearchAgent, worlds: np.ndarray, capacity: int) -> None:
        game, rows = agent.game, len(worlds)
        self.agent, self.worlds, self.capacity = agent, worlds, capacity
        self.priors = agent._priors(worlds)
        self.trees = np.zeros(rows, TREE)
        self.nodes = np.empty(rows * capacity, node_dtype(game.num_players))
        self.states, self.leaves = worlds.copy(), worlds.copy()
        self.masks = np.zeros((rows, game.num_actions), np.int8)
        self.results = np.zeros(rows, engine.result_dtype(game.num_players))
        self.values = np.zeros((rows, game.num_players), np.float32)
        self.actions = np.zeros(rows, np.int64)
        self.visits = np.zeros((rows, game.num_actions), np.int32)

    def grow(self, simulations: int) -> None:
        """Runs simulations in every tree; with a value function one at a time in all of them together."""
        if self.agent.values is None:
            self._run(simulations)
            return
        for _ in range(simulations):
            self._run(1)
            self._fetch_values()
        self._run(0)

    def found(self, with_values: bool = False) -> Found:
        """What the trees favour."""
        values, outlook = (self._values_of_actions(), self._outlook()) if with_values else (None, None)
        return Found(self.actions, self.visits, int(self.trees["decisions"].sum()), values, outlook)

    def _values_of_actions(self) -> np.ndarray:
        """``(K, A) float64``: what the children of each root have summed up for the seat that moves there."""
        totals = np.zeros(self.visits.shape)
        for row in range(len(self.trees)):
            child = int(self.nodes[row * self.capacity]["first_child"]) if self.trees["size"][row] else NO_NODE
            while child != NO_NODE:
                node = self.nodes[child]
                totals[row, node["action"]] = node["total"][node["mover"]]
                child = int(node["next_sibling"])
        return totals

    def _outlook(self) -> np.ndarray:
        """``(K, P) float64``: what all simulations of a tree were worth to each seat on average."""
        roots = self.nodes[:: self.capacity]
        visits = np.where(self.trees["size"] > 0, roots["visits"], 0)[:, None]
        return np.where(visits > 0, roots["total"] / np.maximum(visits, 1), np.nan)

    def _run(self, simulations: int) -> None:
        agent = self.agent
        agent._kernel(
            self.worlds,
            agent.game.rules,
            agent._record,
            agent._tools,
            engine.rows(self.priors),
            self.trees,
            self.nodes,
            self.capacity,
            self.states,
            self.leaves,
            engine.rows(self.masks),
            self.results,
            engine.rows(self.values),
            simulations,
            self.actions,
            engine.rows(self.visits),
        )

    def _fetch_values(self) -> None:
        """Asks for the value of all states that trees wait for: the seat to act sees it, the others share its opposite."""
        rows = np.flatnonzero(self.trees["waiting"])
        if len(rows) == 0 or self.agent.values is None:
            return
        game, states = self.agent.game, self.states[rows]
        seats = states["current_player"].astype(np.int64)
        observations = np.empty((len(rows), game.observation_size), np.float32)
        game.kernels.observe_batch(states, game.rules, seats, engine.rows(observations))
        values = np.clip(np.nan_to_num(self.agent.values(observations)), -1, 1)
        self.values[rows] = -values[:, None] / (game.num_players - 1)
        self.values[rows, seats] = values
