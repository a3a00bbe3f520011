"""N games of one rule set as an environment of stable-baselines3 in which all seats learn.

:class:`SelfPlayVecEnv`: a row is a game, and each observation is that of the seat to act. It needs ``training.rollout_buffer``,
for only that buffer knows whose decision was whose. In a share of the games an earlier snapshot of the policy plays one seat.

N games, P seats, D observation length, A actions.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.networks.blueprint import Blueprint
from agents.networks.inputs import Inputs
from envs import engine
from envs.game import Game
from training.games import Games, leads_of
from training.rollout_buffer import Turn
from training.snapshots import NO_SNAPSHOT, SnapshotPool
from training.stagger import move_apart
from training.vec_env import SeatsVecEnv

NO_ROWS = np.zeros(0, np.int64)


class SelfPlayVecEnv(SeatsVecEnv):
    """N games in which every decision of every learning seat is a sample.

    The reward returned to the algorithm is always 0, for one number cannot say what each seat was paid: ``last_turn`` does, and
    ``SeatRolloutBuffer`` reads it. In the first ``snapshot_share`` of the rows one seat, another one in each game, is played by
    a snapshot from the pool: its decisions are made inside ``step`` and never leave it. One snapshot plays at a time, drawn by
    ``draw_snapshot``, so that its games are one batch for the network. With ``against`` one seat learns in every game, another
    one in each, and that agent plays all the others: what is learned is a best response to it.

    Args:
        game: The rule set.
        num_envs: N.
        seed: Of the games and of the draws from the pool.
        reward: See ``VectorAECEnv``.
        snapshot_share: Part of the games with a snapshot, 0 to 1; without effect as long as the pool is empty.
        pool: The snapshots.
        against: The agent to learn against, see ``agents.agent.Agent``; None for self-play. Snapshots do not play then.
        shaping: Paid for each unit by which a seat's standing gains on the mean of the others', as the game goes; in all
            ``shaping`` times the final lead, less the lead at the first decision of a learning seat: what a snapshot that
            begins has gained by then is paid to nobody. Standings are those of the game's ``score``. It sums to 0 over the seats.
        staggered: Whether fresh games are played on at random, each to another decision, so that not all end at once, see
            ``training.stagger``.
        inputs: Makes of positions what is observed, D numbers; None: the observations of the games.

    Raises:
        ValueError: A share outside of 0 to 1, or an argument that ``VectorAECEnv`` does not take.
    """

    games: Games

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        seed: int = 0,
        reward: str = "placement",
        snapshot_share: float = 0.0,
        pool: SnapshotPool | None = None,
        against: Agent | None = None,
        shaping: float = 0.0,
        staggered: bool = False,
        inputs: Inputs | None = None,
    ) -> None:
        if not 0 <= snapshot_share <= 1:
            raise ValueError(f"snapshot_share is {snapshot_share}; it must be from 0 to 1")
        super().__init__(Games(game, num_envs, seed=seed, reward=reward), inputs)
        self.pool = SnapshotPool(Blueprint(game), seed=seed) if pool is None else pool
        self.shaping = shaping
        self.against = against
        self._rows = np.arange(num_envs)
        self._is_for_snapshot = self._rows < round(snapshot_share * num_envs)
        self._playing = NO_SNAPSHOT
        self._final_leads = np.zeros((num_envs, self.num_players), np.float32)
        self._learns = np.ones((num_envs, self.num_players), np.bool_)
        self._statistics = np.zeros(4)  # games, decisions in them, learning seats in games with others, what those were paid
        self._next_seed = seed
        self._seed = seed
        self._is_staggered = staggered
        self.played_ahead = np.zeros(num_envs, np.int64)
        """``(N,) int64``: how many decisions of its first game each row was played on before anybody learned."""

    @property
    def seats_to_move(self) -> np.ndarray:
        """``(N,) int8``: the learning seat to act in each game."""
        return self.games.agent_selection

    @property
    def learning_seats(self) -> np.ndarray:
        """``(N, P) bool``: which seats learn in each game; the others are played by a snapshot or ``against``."""
        return self._learns

    def draw_snapshot(self) -> None:
        """Lets another snapshot play from now on."""
        self._playing = self.pool.draw()

    def reset(self) -> np.ndarray:
        """Deals all games anew; the observations ``(N, D)`` of the seats to act."""
        self._deal_all()
        if self._is_staggered:
            self.played_ahead = move_apart(self.games, self._seed)
        self._seat_others(np.arange(self.num_envs))
        self._begin_turn()
        self.last_turn.codes[:] = engine.TERMINATED  # no learning seat has decided anything yet: what ends now is no episode
        self._play_others()
        return self._observations()

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Plays the actions, then those of the others until a learning seat is to act in every game."""
        self._begin_turn()
        before = self.games.leads() if self.shaping else None
        self.games.step(self._actions)
        self._note_ends()
        self._play_others()
        turn = self.last_turn
        if before is not None:
            turn.payoffs += np.float32(self.shaping) * (self._leads_after() - before)
        return self._observations(), np.zeros(self.num_envs, np.float32), turn.codes != engine.RUNNING, self._infos

    def _leads_after(self) -> np.ndarray:
        """By how much each seat leads, ``(N, P) float32``: now, or at the end of a game that this turn has ended."""
        leads = self.games.leads()
        ended = self.last_turn.codes != engine.RUNNING
        leads[ended] = self._final_leads[ended]
        return leads

    def _begin_turn(self) -> None:
        shape = (self.num_envs, self.num_players)
        acted = self.games.agent_selection.copy()
        no_views = np.zeros((0, self.num_players, self.inputs.size), np.float32)
        self.last_turn = Turn(acted, np.zeros(len(acted), np.int8), np.zeros(shape, np.float32), NO_ROWS, no_views)
        self._infos = self._no_infos

    def _play_others(self) -> None:
        """Plays the seats that do not learn until none of them is to act."""
        while True:
            seats = self.games.agent_selection
            rows = np.flatnonzero((seats != engine.NO_PLAYER) & ~self._learns[self._rows, seats])
            if not len(rows):
                return
            shown = self.games.last()[0]
            self.games.step_rows(rows, self._actions_of_others(rows, shown["observation"][rows], shown["action_mask"][rows]))
            self._note_ends()

    def _actions_of_others(self, rows: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        if self.against is not None:
            return self.against.act(observations, masks, self.games.worlds_of(rows))
        return self.pool[self._playing].act(observations, masks, self.games.states[rows], self.games.words(rows), sample=True)

    def _note_ends(self) -> None:
        """Books the games that the last step ended, and seats the others in those that began."""
        rows = self.games.ended_rows()
        if not len(rows):
            return
        turn, games = self.last_turn, self.games
        # A second end in the same turn is of a game in which no learning seat has decided anything: it is nobody's.
        is_first = turn.codes[rows] == engine.RUNNING
        self.dropped_games += int(np.count_nonzero(~is_first))
        first = rows[is_first]
        turn.codes[first] = games.codes[first]
        turn.payoffs[first] = games.results["rewards"][first]
        self._final_leads[first] = leads_of(games.results["standings"][first])
        cut = first[games.codes[first] == engine.TRUNCATED]
        if len(cut):
            turn.cut_rows = np.concatenate([turn.cut_rows, cut])
            turn.cut_observations = np.concatenate([turn.cut_observations, self.inputs.of_views(games.final_observations(cut))])
        self._note_results(first)
        self._seat_others(rows)

    def _note_results(self, rows: np.ndarray) -> None:
        results = self.games.results[rows]
        self._infos = self._infos.copy()
        for row, result in zip(rows, results, strict=True):
            self._infos[row] = {
                "rank": result["ranks"].copy(), "score": result["scores"].copy(), "length": int(result["length"])
            }  # fmt: skip
        learns = self._learns[rows] & ~self._learns[rows].all(1, keepdims=True)
        paid = results["rewards"][learns].sum()
        self._statistics += np.array([len(rows), results["length"].sum(), np.count_nonzero(learns), paid])

    def _seat_others(self, rows: np.ndarray) -> None:
        """Says which seats learn in games that have just begun: all, all but the snapshot's, or one."""
        is_seat = self._own_seats(rows)
        if self.against is not None:
            self._learns[rows] = is_seat
        else:
            is_played = self._is_for_snapshot[rows] & (self._playing != NO_SNAPSHOT)
            self._learns[rows] = ~(is_seat & is_played[:, None])

    def _own_seats(self, rows: np.ndarray) -> np.ndarray:
        """Which seat is the one that is not like the others, in each of some games: ``(K, P) bool``."""
        seats = (rows + self.games.episodes[rows]) % self.num_players
        return seats[:, None] == np.arange(self.num_players)

    def take_statistics(self) -> dict[str, float]:
        """What was counted since the last call: games, their mean length, and the learners' mean reward against others."""
        games, decisions, seats, paid = self._statistics
        self._statistics = np.zeros(4)
        statistics: dict[str, float] = {"games": int(games)}
        if games:
            statistics["length"] = float(decisions / games)
        if seats:
            statistics["reward_against_others"] = float(paid / seats)
        return statistics

    def get_state(self) -> dict[str, Any]:
        """All that decides how the games go on: bytes, an array, and data that JSON can say."""
        return {
            "games": self.games.get_state(),
            "learns": self._learns.copy(),
            "playing": self._playing,
            "pool": self.pool.numbers,
            "pool_rng": self.pool.rng.bit_generator.state,
            "statistics": self._statistics.tolist(),
            "dropped_games": self.dropped_games,
        }

    def set_state(self, state: Mapping[str, Any]) -> np.ndarray:
        """Goes on from ``get_state``, after the pool was filled with the same snapshots; the observations ``(N, D)``.

        Raises:
            ValueError: The state is of other games or another pool, or seats learn in it that cannot.
        """
        if state["pool"] != self.pool.numbers or state["playing"] not in [NO_SNAPSHOT, *self.pool.numbers]:
            raise ValueError(f"the pool holds snapshots {self.pool.numbers}, the state is of {state['pool']}")
        self.games.set_state(state["games"])
        self._check_learners(state["learns"], state["playing"] != NO_SNAPSHOT)
        self._learns[:] = state["learns"]
        self._playing = state["playing"]
        self.pool.rng.bit_generator.state = state["pool_rng"]
        self._statistics = np.array(state["statistics"])
        self.dropped_games = state["dropped_games"]
        return self._observations()

    def _check_learners(self, learns: np.ndarray, has_snapshot: bool) -> None:
        """Refuses seats for which there would be no player, and games in which nobody would ever learn."""
        is_seat = self._own_seats(self._rows)
        if self.against is not None:
            possible = (learns == is_seat).all(1)
        else:
            others = (learns == ~is_seat).all(1) & self._is_for_snapshot & has_snapshot
            possible = learns.all(1) | others
        acts = learns[self._rows, self.games.agent_selection]
        if not (possible & acts).all():
            raise ValueError(f"game {int(np.argmin(possible & acts))} of the state has learning seats that it cannot have")
