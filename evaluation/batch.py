"""A batch of games played to their ends side by side, whatever the agents at them do.

An agent that fails (see ``evaluation.guarded``) or plays an illegal action forfeits the games it did so in: it comes last in all
seats that it has there and scores 0, the others share the victory. So nobody throws one seat away to win with another. When a
call for several games fails, each of them is asked for again on its own, so that an agent loses no game but those it fails in,
and what it loses does not depend on how games are divided into batches. Only a call that took too long is lost for all its games.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv
from evaluation.guarded import Failure, Player
from evaluation.keyed import Secret

NOBODY = -1


def outcome_dtype(num_players: int) -> np.dtype:
    """How a game came out.

    ``rewards``, ``wins`` and ``scores (P,) float64`` are placement rewards, shares of the victory and rulebook points,
    ``length int64`` the decisions, ``offender int16`` the agent that forfeited the game or ``NOBODY``, ``slow bool`` whether by
    taking too long.
    """
    fields: list[Any] = [(name, "<f8", (num_players,)) for name in ("rewards", "wins", "scores")]
    return np.dtype([*fields, ("length", "<i8"), ("offender", "<i2"), ("slow", "?")])


class GameBatch:
    """A batch of games, N, played to their ends side by side.

    Args:
        game: The rule set.
        players: K agents, all made for it.
        lineup: ``(N, P)``: index of the agent in each seat of each game.
        deals: ``(N,)``: seed of each game's deal.
        secret: What the agents' random words are made from, with the deals.

    Attributes:
        outcomes: ``(N,)`` records of ``outcome_dtype``.
        faults: By row: what its offender did wrong, in one line.
    """

    def __init__(self, game: Game, players: Sequence[Player], lineup: np.ndarray, deals: np.ndarray, secret: Secret) -> None:
        self.players, self.lineup, self.secret = players, lineup, secret
        self.deals = deals.astype(np.int64)
        self.env = VectorAECEnv(game, len(deals), reward="placement", illegal="forfeit", autoreset=False)
        self.env.reset(deals)
        self.outcomes = np.zeros(len(deals), outcome_dtype(game.num_players))
        self.outcomes["offender"] = NOBODY
        self.faults: dict[int, str] = {}
        self._decisions = np.zeros(lineup.shape, np.int64)
        self._rotations = times_before(self.deals)
        self._actions = np.full(len(deals), engine.NO_ACTION, np.int64)

    def play(self, progress: Callable[[int], object] | None = None) -> "GameBatch":
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
            self.secret.write_words(self.deals, seats, self._decisions, words)
            self._ask_all(seats, self.env.worlds(words))
            self.env.step(self._actions)

    def _ask_all(self, seats: np.ndarray, worlds: np.ndarray) -> None:
        """Asks every agent for the games in which it is to act."""
        observation = self.env.last()[0]
        views = observation["observation"], observation["action_mask"], worlds
        acting = np.where(seats >= 0, self.lineup[np.arange(len(seats)), seats], NOBODY)
        for k, player in enumerate(self.players):
            for view, rows in self._apart(player, np.flatnonzero(acting == k), seats):
                player.turn_to(view)
                self._ask(player, rows, views)

    def _apart(self, player: Player, rows: np.ndarray, seats: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """The rows of each ask: for an agent of others those of one view of their deals, by rotation and seat."""
        if not player.is_foreign:
            return [(0, rows)] if len(rows) else []
        views = self._rotations[rows] * self.lineup.shape[1] + seats[rows]
        return [(view, rows[views == view]) for view in np.unique(views).tolist()]

    def _ask(self, player: Player, rows: np.ndarray, views: tuple[np.ndarray, ...]) -> None:
        """Writes down an agent's actions in some games, and an illegal one where it fails."""
        try:
            self._actions[rows] = player.ask(*(view[rows] for view in views))
        except Failure as failure:
            if len(rows) > 1 and not failure.is_slow:
                for row in rows:
                    self._ask(player, np.array([row]), views)
                return
            self._actions[rows] = engine.NO_ACTION
            self.outcomes["slow"][rows] = failure.is_slow
            self.faults |= dict.fromkeys(rows.tolist(), str(failure))

    def _book(self, seats: np.ndarray) -> int:
        """Writes down the games that have ended since the last step, in which ``seats`` acted; returns how many."""
        _, rewards, _, truncations, infos = self.env.last()
        rows = infos.get("rows", np.arange(0))
        if len(rows) == 0:
            return 0
        rivals = rewards.shape[1] - 1
        first = (infos["rank"] == 1) & ~truncations[rows, None]
        outcomes = self.outcomes
        # From float32 to the nearest float64 of the same fraction, so that rewards that cancel out do so exactly.
        outcomes["rewards"][rows] = np.rint(rewards[rows].astype(np.float64) * rivals) / rivals
        outcomes["wins"][rows] = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
        outcomes["scores"][rows] = infos["score"]
        outcomes["length"][rows] = infos["length"]
        for row in rows[infos["illegal"][rows]].tolist():
            outcomes["offender"][row] = self.lineup[row, seats[row]]
            _forfeit(outcomes[row], self.lineup[row] == outcomes["offender"][row], seats[row])
            self.faults.setdefault(row, f"an illegal action, {self._actions[row]}")
        return len(rows)


def _forfeit(outcome: np.void, own: np.ndarray, seat: int) -> None:
    """Has an agent lose a game in all its seats, ``own (P,) bool``; one that plays against itself loses in the seat to act."""
    outcome["scores"][seat] = 0
    others = ~own
    if not others.any():
        return
    rivals = len(own) - 1
    outcome["rewards"] = np.where(own, -others.sum(), own.sum()) / rivals
    outcome["wins"] = others / others.sum()
    outcome["scores"][own] = 0


def times_before(values: np.ndarray) -> np.ndarray:
    """How often each value came before: the number of the rotation where values are deals, ``(N,) int64``."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    times = np.empty(len(values), np.int64)
    times[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return times
