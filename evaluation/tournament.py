"""Matches between any agents at one table: who plays whom on which deal, and the games themselves.

Protocol
    A *deal* is a seed: all chance of a game comes from it. Every deal is played once for each of the P *rotations* of its
    line-up, so every player of the line-up sits in every seat of the same deal once. Luck of the cards and of the seat
    then falls on all alike.

    The word from which the hidden cards are dealt anew for an agent, its only source of noise, comes from (secret, deal, seat,
    the seat's own decision number). So equal agents do equal things, the rotations of a deal between equal agents are the
    same game, and the mean placement of each agent over them is exactly 0, for every deal. The seeds of the deals come from the
    secret too: no number of words tells a deal, see ``evaluation.keyed``.

    Line-ups hold as many different agents as there are seats for. With more agents than seats, who meets whom is balanced
    over the deals; with fewer, the seats left over are filled with repeats of each in turn: agents A and B at a table of four
    play A against three B, two against two, and three A against B. With two agents in a two-player game every deal is
    played in both seatings.

    Deals of an evaluation have seeds of ``FIRST_DEAL`` (2**62) and above. Training must seed its games below that: no deal is
    then ever both trained on and evaluated on.

    An agent that raises an error, or returns actions of a wrong shape or type, or an illegal action, forfeits the games
    it did so in: it comes last in all its seats and scores 0, the others share the victory. The tournament goes on
    (``evaluation.batch``).
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.agent import Agent
from envs.game import Game
from evaluation.batch import GameBatch, outcome_dtype
from evaluation.guarded import GuardedAgent, Player
from evaluation.keyed import FIRST_DEAL, Secret
from evaluation.ratings import Results

BATCH = 1024


@dataclass(frozen=True, eq=False)
class Match(Results):
    """The results of a tournament, and what went wrong in it.

    Attributes:
        forfeits: ``(K,) int64``: games each agent lost by an illegal action, an error or for being slow.
        slow: ``(K,) int64``: those among them that it lost for being slow.
        faults: For each agent what it did wrong in the first game that it forfeited, in one line; empty if it forfeited none.
        offender: ``(M,) int16``: the agent that forfeited each game, -1 where none did.
        chunk: All games, and what the agents cost.
    """

    forfeits: np.ndarray
    slow: np.ndarray
    faults: tuple[str, ...]
    offender: np.ndarray
    chunk: "Chunk"


# --- who plays whom -----------------------------------------------------------------------------------------------------


def schedule(
    num_agents: int, num_players: int, deals: int, seed: int = 0, secret: Secret | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Balanced line-ups, every deal with all rotations of its line-up.

    Args:
        num_agents: K.
        num_players: Seats, P.
        deals: D, different deals.
        seed: Seed of the line-ups and, unless a secret is given, of the deals; other seeds give other deals.
        secret: What the deals are made from; None: the secret of the seed.

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
        raise ValueError(f"seed {seed} is not an integer from 0 to 2**62 - 1")
    rng = np.random.default_rng(seed)
    tables = _tables(num_agents, num_players, deals, rng)
    rotations = [np.roll(tables, shift, axis=1) for shift in range(num_players)]
    lineup = np.stack(rotations, axis=1).reshape(-1, num_players).astype(np.int16)
    return lineup, np.repeat((secret or Secret.from_seed(seed)).deal_seeds(deals), num_players)


def deal_seeds(deals: int, seed: int) -> np.ndarray:
    """The seeds of the deals of a seed's secret, ``(D,) int64``, all from ``FIRST_DEAL`` up."""
    return Secret.from_seed(seed).deal_seeds(deals)


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
    """Agents for a table: those who have played least, then those who have met the others there least; ties at random.

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


class Chunk(NamedTuple):
    """What is known of some games of a schedule, n of them.

    Attributes:
        outcomes: ``(n,)`` records of ``evaluation.batch.outcome_dtype``.
        faults: By number in the chunk: what the offender of a game did wrong, in one line.
        seconds: ``(K,) float64``: wall time each agent took, first calls aside.
        decisions: ``(K,) int64``: decisions each agent was asked for in that time.
    """

    outcomes: np.ndarray
    faults: dict[int, str]
    seconds: np.ndarray
    decisions: np.ndarray

    @classmethod
    def blank(cls, games: int, num_players: int, agents: int) -> "Chunk":
        """Games of which nothing is known yet."""
        return cls(np.zeros(games, outcome_dtype(num_players)), {}, np.zeros(agents), np.zeros(agents, np.int64))

    def put(self, games: slice, part: "Chunk") -> None:
        """Takes what is known of some of its games."""
        self.outcomes[games] = part.outcomes
        self.faults.update({games.start + row: fault for row, fault in part.faults.items()})
        self.seconds[:] += part.seconds
        self.decisions[:] += part.decisions


def play_chunk(
    game: Game,
    players: Sequence[Player],
    lineup: np.ndarray,
    deals: np.ndarray,
    secret: Secret,
    progress: Callable[[int], object] | None = None,
) -> Chunk:
    """Plays some games of a schedule side by side; arguments as for ``play``."""
    for k, player in enumerate(players):
        if (lineup == k).any():
            player.begin()
        else:
            player.close()  # its processes: of all agents of a board they would be hundreds
    before = [(player.seconds, player.decisions) for player in players]
    table = GameBatch(game, players, lineup, deals, secret).play(progress)
    seconds = [player.seconds - old for player, (old, _) in zip(players, before, strict=True)]
    decisions = [player.decisions - old for player, (_, old) in zip(players, before, strict=True)]
    return Chunk(table.outcomes, table.faults, np.array(seconds), np.array(decisions))


def play(
    game: Game,
    agents: Sequence[Agent],
    lineup: np.ndarray,
    deals: np.ndarray,
    *,
    names: Sequence[str] | None = None,
    batch: int = BATCH,
    progress: Callable[[int], object] | None = None,
    move_time: float | None = None,
    secret: Secret | None = None,
) -> Match:
    """Plays every game of a schedule in this process, the agents with it: they are the caller's own code.

    Those of others are hosted by processes of their own, see ``evaluation.hosted`` and ``evaluation.workers``.

    Args:
        game: The rule set.
        agents: K agents, all made for it.
        lineup: ``(M, P)``: index of the agent in each seat of each game.
        deals: ``(M,)``: seed of each game's deal, 0 or more; see ``schedule``.
        names: K different names for the results; the agents' own unless given.
        batch: Games played at a time. Results do not depend on it, if agents keep to what ``Agent`` asks of them.
        progress: Called with the number of games each time some have ended.
        move_time: Seconds an agent has for a decision, see ``evaluation.guarded``; None: no limit. With a limit, who is too slow
            depends on the machine.
        secret: What the agents' random words are made from, with the deals; None: the secret of seed 0.

    Returns:
        The results, in the order of the games.

    Raises:
        ValueError: Line-up, deals or names do not fit together.
    """
    names = [agent.name for agent in agents] if names is None else list(names)
    lineup, deals = check_schedule(game, names, len(agents), lineup, deals)
    secret = secret or Secret.from_seed(0)
    players = [GuardedAgent(agent, move_time) for agent in agents]
    whole = Chunk.blank(len(deals), game.num_players, len(players))
    for start in range(0, len(deals), batch):
        games = slice(start, start + batch)
        whole.put(games, play_chunk(game, players, lineup[games], deals[games], secret, progress))
    return to_match(names, lineup, deals, whole)


def check_schedule(
    game: Game, names: Sequence[str], num_agents: int, lineup: np.ndarray, deals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Line-up and deals as arrays.

    Raises:
        ValueError: Line-up, deals or names do not fit together.
    """
    lineup, deals = np.asarray(lineup), np.asarray(deals)
    if lineup.shape != (len(deals), game.num_players):
        raise ValueError(f"lineup must be ({len(deals)}, {game.num_players}), got shape {lineup.shape}")
    if lineup.size == 0 or lineup.min() < 0 or lineup.max() >= num_agents:
        raise ValueError(f"lineup must hold integers from 0 to {num_agents - 1}")
    if len(names) != num_agents or len(set(names)) < num_agents:
        raise ValueError(f"the {num_agents} agents need different names, got {', '.join(names)}")
    return lineup, deals


def to_match(names: Sequence[str], lineup: np.ndarray, deals: np.ndarray, whole: Chunk) -> Match:
    """The results of a schedule whose games are all played."""
    outcomes, agents = whole.outcomes, range(len(names))
    offender, slow = outcomes["offender"], outcomes["slow"]
    first = [next(iter(np.flatnonzero(offender == k)), None) for k in agents]
    return Match(
        agents=tuple(names),
        deals=deals,
        lineup=lineup,
        rewards=outcomes["rewards"],
        wins=outcomes["wins"],
        scores=outcomes["scores"],
        lengths=outcomes["length"],
        forfeits=np.array([np.count_nonzero(offender == k) for k in agents]),
        slow=np.array([np.count_nonzero(slow & (offender == k)) for k in agents]),
        faults=tuple("" if row is None else whole.faults[int(row)] for row in first),
        offender=offender,
        chunk=whole,
    )
