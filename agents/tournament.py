"""Matches between any agents at one table: who plays whom on which deal, and the games themselves.

Protocol
    A *deal* is a seed: all chance of a game comes from it. Every deal is played once for each of the P *rotations* of its
    line-up, so every player of the line-up sits in every seat of the same deal once. Luck of the cards and of the seat
    then falls on all alike.

    The word from which the hidden cards are dealt anew for an agent, its only source of noise, is a hash of (deal, seat, the
    seat's own decision number). So equal agents do equal things, the rotations of a deal between equal agents are the
    same game, and the mean placement of each agent over them is exactly 0, for every deal.

    Line-ups hold as many different agents as there are seats for. With more agents than seats, who meets whom is balanced
    over the deals; with fewer, the seats left over are filled with repeats of each in turn: agents A and B at a table of four
    play A against three B, two against two, and three A against B. With two agents in a two-player game every deal is
    played in both seatings.

    Deals of an evaluation have seeds of ``FIRST_DEAL`` (2**62) and above. Training must seed its games below that: no deal is
    then ever both trained on and evaluated on.

    An agent that raises an error, or returns actions of a wrong shape or type, or an illegal action, forfeits the games
    it did so in: it comes last and its score is 0, the others share the victory. The tournament goes on.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agents.agent import Agent, first_line
from agents.ratings import Results
from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv

FIRST_DEAL = 2**62
BATCH = 1024
NO_ACTION = -1  # illegal in every game

_DEAL_SALT, _WORD_SALT = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)


@dataclass(frozen=True, eq=False)
class Match(Results):
    """The results of a tournament, and what went wrong in it.

    Attributes:
        forfeits: ``(K,) int64``: games each agent lost by an illegal action or an error.
        faults: For each agent the first thing it did wrong, in one line; empty if nothing.
    """

    forfeits: np.ndarray
    faults: tuple[str, ...]


# --- who plays whom -----------------------------------------------------------------------------------------------------


def schedule(num_agents: int, num_players: int, deals: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Balanced line-ups, every deal with all rotations of its line-up.

    Args:
        num_agents: K.
        num_players: Seats, P.
        deals: D, different deals.
        seed: Seed of deals and line-ups; other seeds give other deals.

    Returns:
        lineup: ``(D * P, P) int16``: the agent in each seat of each game; the rotations of a deal lie together.
        deals: ``(D * P,) int64``: the seed of each game's deal.

    Raises:
        ValueError: There are not enough deals for every agent to play, or a number below its least.
    """
    needed = -(-num_agents // num_players)
    if num_agents < 1 or num_players < 2 or deals < needed:
        raise ValueError(f"{num_agents} agents at tables of {num_players} need at least {needed} deals, not {deals}")
    if not 0 <= seed < FIRST_DEAL:
        raise ValueError(f"seed {seed} is not a whole number from 0 to 2**62 - 1")
    rng = np.random.default_rng(seed)
    tables = _tables(num_agents, num_players, deals, rng)
    rotations = [np.roll(tables, shift, axis=1) for shift in range(num_players)]
    lineup = np.stack(rotations, axis=1).reshape(-1, num_players).astype(np.int16)
    return lineup, np.repeat(deal_seeds(deals, seed), num_players)


def deal_seeds(deals: int, seed: int) -> np.ndarray:
    """The seeds of an evaluation's deals, ``(D,) int64``, all from ``FIRST_DEAL`` up."""
    words = np.zeros(deals, np.uint64)
    _hash_numbers(np.uint64(seed), words)
    return (words >> np.uint64(2)).astype(np.int64) + FIRST_DEAL


@engine.kernel
def _hash_numbers(seed, words):
    for i in range(len(words)):
        words[i] = engine.mix_in(engine.mix_in(_DEAL_SALT, seed), i)


def _tables(num_agents: int, num_players: int, deals: int, rng: np.random.Generator) -> np.ndarray:
    """Who sits at each deal's table, in a random order: ``(D, P)``."""
    tables = np.empty((deals, num_players), np.int64)
    if num_agents > num_players:
        meetings = np.zeros((num_agents, num_agents))
        for table in tables:
            table[:] = _least_met(meetings, num_players, rng)
            meetings[np.ix_(table, table)] += 1
    else:
        spare = num_players - num_agents
        repeats = list(itertools.combinations_with_replacement(range(num_agents), spare))
        tables[:, :num_agents] = np.arange(num_agents)
        # Every kind of line-up comes up equally often, but for the last, unfinished round of them.
        tables[:, num_agents:] = [repeats[number % len(repeats)] for number in range(deals)]
    return rng.permuted(tables, axis=1)


def _least_met(meetings: np.ndarray, num_players: int, rng: np.random.Generator) -> list[int]:
    """Agents for a table: first who has played least, then whoever has met those at the table least; ties at random.

    Args:
        meetings: ``(K, K)``: how often two agents met; on the diagonal how often one played.
    """
    played = meetings.diagonal()
    luck = rng.random(len(meetings))
    table: list[int] = []
    for _ in range(num_players):
        met = meetings[:, table].sum(axis=1)
        met[table] = np.inf
        table.append(int(np.lexsort((luck, played, met))[0]))
    return table


# --- the games ----------------------------------------------------------------------------------------------------------


def play(
    game: Game,
    agents: Sequence[Agent],
    lineup: np.ndarray,
    deals: np.ndarray,
    *,
    names: Sequence[str] | None = None,
    batch: int = BATCH,
    progress: Callable[[int], object] | None = None,
) -> Match:
    """Plays every game of a schedule.

    Args:
        game: The rule set.
        agents: K agents, all made for it.
        lineup: ``(M, P)``: index of the agent in each seat of each game.
        deals: ``(M,)``: seed of each game's deal, 0 or more; see ``schedule``.
        names: K different names for the results; the agents' own unless given.
        batch: Games played at a time. Results do not depend on it, if agents keep to what ``Agent`` asks of them.
        progress: Called with the number of games each time some have ended.

    Returns:
        The results, in the order of the games.

    Raises:
        ValueError: Line-up, deals or names do not fit together.
    """
    lineup, deals = np.asarray(lineup), np.asarray(deals)
    if lineup.shape != (len(deals), game.num_players):
        raise ValueError(f"lineup must be ({len(deals)}, {game.num_players}), got shape {lineup.shape}")
    if lineup.size == 0 or lineup.min() < 0 or lineup.max() >= len(agents):
        raise ValueError(f"lineup must hold whole numbers from 0 to {len(agents) - 1}")
    own_names = [agent.name for agent in agents] if names is None else list(names)
    if len(own_names) != len(agents) or len(set(own_names)) < len(agents):
        raise ValueError(f"the {len(agents)} agents need different names, got {', '.join(own_names)}")
    tables = [
        _Table(game, agents, lineup[start : start + batch], deals[start : start + batch]).play(progress)
        for start in range(0, len(deals), batch)
    ]
    columns = {
        column: np.concatenate([getattr(table, column) for table in tables])
        for column in ("deals", "lineup", "rewards", "wins", "scores", "lengths")
    }
    faults = [next(filter(None, each), "") for each in zip(*(table.faults for table in tables), strict=True)]
    forfeits = np.sum([table.forfeits for table in tables], axis=0)
    return Match(agents=tuple(own_names), forfeits=forfeits, faults=tuple(faults), **columns)


class _Table:
    """A batch of games, N, played to their ends side by side."""

    def __init__(self, game: Game, agents: Sequence[Agent], lineup: np.ndarray, deals: np.ndarray) -> None:
        self.agents, self.lineup, self.deals = agents, lineup, deals
        self.env = VectorAECEnv(game, len(deals), reward="placement", illegal="forfeit", autoreset=False)
        self.env.reset(deals)
        self.decisions = np.zeros(lineup.shape, np.int64)
        self.rewards = np.zeros(lineup.shape)
        self.wins = np.zeros(lineup.shape)
        self.scores = np.zeros(lineup.shape)
        self.lengths = np.zeros(len(deals), np.int64)
        self.forfeits = np.zeros(len(agents), np.int64)
        self.faults = [""] * len(agents)

    def play(self, progress: Callable[[int], object] | None) -> "_Table":
        """Plays until every game is over; a deal may be over at once."""
        words = np.empty(len(self.deals), np.uint64)
        seats = np.full(len(self.deals), engine.NO_PLAYER, np.int64)
        while True:
            ended = self._book(seats)
            if ended and progress:
                progress(ended)
            seats = self.env.agent_selection.astype(np.int64)
            if (seats < 0).all():
                return self
            _next_words(self.deals, seats, self.decisions, words)
            self.env.step(self._actions(seats, self.env.worlds(words)))

    def _actions(self, seats: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """Asks every agent for the games in which it is to act: ``(N,) int64``."""
        observation = self.env.last()[0]
        observations, masks = observation["observation"], observation["action_mask"]
        actions = np.full(len(seats), NO_ACTION, np.int64)
        acting = np.where(seats >= 0, self.lineup[np.arange(len(seats)), seats], -1)
        for k in range(len(self.agents)):
            rows = np.flatnonzero(acting == k)
            if len(rows):
                actions[rows] = self._ask(k, observations[rows], masks[rows], worlds[rows])
        return actions

    def _ask(self, k: int, observations: np.ndarray, masks: np.ndarray, worlds: np.ndarray) -> np.ndarray | int:
        """An agent's actions, or an illegal one for all its games if it fails."""
        try:
            actions = np.asarray(self.agents[k].act(observations, masks, worlds))
        except Exception as error:  # a broken agent must not end the tournament of the others
            return self._blame(k, first_line(error))
        if actions.shape != (len(worlds),) or actions.dtype.kind not in "iu":
            return self._blame(k, f"actions {actions.dtype} of shape {actions.shape}, not {len(worlds)} whole numbers")
        return actions.astype(np.int64)

    def _blame(self, k: int, fault: str) -> int:
        self.faults[k] = self.faults[k] or fault
        return NO_ACTION

    def _book(self, seats: np.ndarray) -> int:
        """Writes down the games that have ended since the last step, in which ``seats`` acted; returns how many."""
        _, rewards, _, truncations, infos = self.env.last()
        rows = infos.get("rows", np.arange(0))
        if len(rows) == 0:
            return 0
        rivals = rewards.shape[1] - 1
        first = (infos["rank"] == 1) & ~truncations[rows, None]
        # From float32 to the nearest float64 of the same fraction, so that rewards that cancel out do so exactly.
        self.rewards[rows] = np.rint(rewards[rows].astype(np.float64) * rivals) / rivals
        self.wins[rows] = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
        self.scores[rows] = infos["score"]
        self.lengths[rows] = infos["length"]
        for row in rows[infos["illegal"][rows]]:
            self._forfeit(row, seats[row])
        return len(rows)

    def _forfeit(self, row: int, seat: int) -> None:
        self.scores[row, seat] = 0
        k = self.lineup[row, seat]
        self.forfeits[k] += 1
        self._blame(k, "an illegal action")


@engine.kernel
def _next_words(deals, seats, decisions, words):
    """A word for each game's next decision, from its deal, the seat to act and that seat's count of decisions."""
    for i in range(len(deals)):
        seat = max(seats[i], 0)
        words[i] = engine.mix_in(engine.mix_in(engine.mix_in(_WORD_SALT, deals[i]), seat), decisions[i, seat])
        decisions[i, seat] += 1
