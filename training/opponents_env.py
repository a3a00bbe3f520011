"""N games of one rule set as an environment of stable-baselines3, with one learning seat in each.

:class:`FixedOpponentsVecEnv`: any agents play the other seats, so that it has plain single-agent semantics, for any algorithm; a
learner against fixed agents becomes their best response. In ``training.selfplay_env`` all seats learn.

N games, P seats, D observation length, A actions.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from agents.agent import Agent
from envs import engine
from envs.game import Game
from training.games import Games
from training.vec_env import SeatsVecEnv


class FixedOpponentsVecEnv(SeatsVecEnv):
    """N games with one learning seat each; agents play the others inside ``step``.

    Args:
        game: The rule set.
        num_envs: N.
        opponents: One agent for all other seats, or P - 1 of them, in the order in which they follow the learner.
        seat: The learner's seat; None: another one in each game.
        seed: Of the games.
        reward: See ``VectorAECEnv``.
        illegal: See ``VectorAECEnv``; for algorithms that know no masks, "forfeit" or "random".

    Raises:
        ValueError: A seat or a number of opponents that does not fit the table.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Agent | Iterable[Agent],
        *,
        seat: int | None = None,
        seed: int = 0,
        reward: str = "placement",
        illegal: str = "raise",
    ) -> None:
        if seat is not None and seat not in range(game.num_players):
            raise ValueError(f"seat {seat!r} is not one of 0 to {game.num_players - 1}")
        others = game.num_players - 1
        self.opponents = [opponents] * others if hasattr(opponents, "act") else list(opponents)
        if len(self.opponents) != others:
            raise ValueError(f"{len(self.opponents)} opponents for {others} seats")
        self.seat = seat
        self.illegal_actions = 0
        super().__init__(Games(game, num_envs, seed=seed, reward=reward, illegal=illegal, autoreset=False))
        self._next_seed = seed
        self._learner = np.zeros(num_envs, np.int8)

    @property
    def learner_seats(self) -> np.ndarray:
        """``(N,) int8``: the learner's seat in each game."""
        return self._learner

    def reset(self) -> np.ndarray:
        """Deals all games anew and plays them to the learner's first turn; its observations ``(N, D)``."""
        self._deal_all()
        self._begin_turn()
        self._is_over[:] = True  # no learner has decided anything yet: what ends now is no episode
        rows = np.arange(self.num_envs)
        self._seat_learners(rows)
        over = rows[self.games.agent_selection == engine.NO_PLAYER]
        self._deal_again(over)
        self._play_opponents()
        return self._observations()

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Plays the learner's actions, then the opponents to its next turn; a game that ends is followed by the next one."""
        self._begin_turn()
        self.games.step(self._actions)
        self.illegal_actions += int(np.count_nonzero(self.games.results["illegal"]))
        self._note_ends()
        self._play_opponents()
        return self._observations(), self._rewards, self._is_over, self._infos

    def _begin_turn(self) -> None:
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        self._infos = self._no_infos

    def _seat_learners(self, rows: np.ndarray) -> None:
        seats = (rows + self.games.episodes[rows]) % self.num_players if self.seat is None else self.seat
        self._learner[rows] = seats

    def _play_opponents(self) -> None:
        while True:
            acting = self.games.agent_selection
            rows = np.flatnonzero(acting != self._learner)
            if not len(rows):
                return
            places = (acting[rows] - self._learner[rows]) % self.num_players - 1
            self.games.step_rows(rows, self._ask(rows, places))
            self._note_ends()

    def _ask(self, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
        """The opponents' actions; an agent that sits on several seats is asked once for all its games."""
        shown, actions = self.games.last()[0], np.zeros(len(rows), np.int64)
        for agent in {id(agent): agent for agent in self.opponents}.values():
            seats = [place for place, other in enumerate(self.opponents) if other is agent]
            asked = np.isin(places, seats)
            part = rows[asked]
            if len(part):
                actions[asked] = agent.act(shown["observation"][part], shown["action_mask"][part], self.games.worlds_of(part))
        return actions

    def _note_ends(self) -> None:
        rows = self.games.ended_rows()
        if not len(rows):
            return
        is_first = ~self._is_over[rows]
        self.dropped_games += int(np.count_nonzero(~is_first))
        self._note_episodes(rows[is_first])
        self._deal_again(rows)

    def _note_episodes(self, rows: np.ndarray) -> None:
        seats = self._learner[rows]
        views, results = self.games.observe_rows(rows, seats), self.games.results[rows]
        self._rewards[rows] = results["rewards"][np.arange(len(rows)), seats]
        self._is_over[rows] = True
        self._infos = self._infos.copy()
        for row, view, result in zip(rows, views, results, strict=True):
            self._infos[row] = {
                "terminal_observation": view,
                "TimeLimit.truncated": bool(self.games.codes[row] == engine.TRUNCATED),
                "episode": {"r": float(self._rewards[row]), "l": int(result["length"]), "t": 0.0},
                "rank": result["ranks"].copy(),
                "score": result["scores"].copy(),
            }

    def _deal_again(self, rows: np.ndarray) -> None:
        if len(rows):
            self.games.deal_rows(rows)
            self._seat_learners(rows)
