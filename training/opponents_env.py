"""N games of one rule set as an environment of stable-baselines3, with one learning seat in each.

:class:`FixedOpponentsVecEnv`: any agents play the other seats, so that it has plain single-agent semantics, for any algorithm; a
learner against fixed agents becomes their best response. In ``training.selfplay_env`` all seats learn.

N games, P seats, D observation length, A actions.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.opponents import OneSeatGames
from envs import engine
from envs.game import Game
from training.vec_env import SeatsVecEnv


class FixedOpponentsVecEnv(SeatsVecEnv):
    """N games with one learning seat each; agents play the others inside ``step``.

    Args:
        game: The rule set.
        num_envs: N.
        opponents: One agent for all other seats, or P - 1 of them, in the order in which they follow the learner; each an agent
            or a name of one, see ``agents.registry.make_agent``.
        seat: The learner's seat; None: drawn for each game.
        seed: Of the games.
        reward: See ``VectorAECEnv``.
        illegal: See ``VectorAECEnv``; for algorithms that know no masks, "forfeit" or "random".

    Raises:
        ValueError: A seat or a number of opponents that does not fit the table, or no such agent.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: str | Agent | Iterable[str | Agent],
        *,
        seat: int | None = None,
        seed: int = 0,
        reward: str = "placement",
        illegal: str = "raise",
    ) -> None:
        self.table = OneSeatGames(game, num_envs, opponents, seat=seat, reward=reward, illegal=illegal)
        super().__init__(self.table.games)
        self.opponents = self.table.opponents
        self.illegal_actions = 0
        self._next_seed = seed

    @property
    def learner_seats(self) -> np.ndarray:
        """``(N,) int8``: the learner's seat in each game."""
        return self.table.learner

    def reset(self) -> np.ndarray:
        """Deals all games anew and plays them to the learner's first turn; its observations ``(N, D)``."""
        self._deal_all()
        return self._observations()

    def _deal_all(self) -> None:
        self.table.reset(self._next_seed)
        self._next_seed = None
        self.dropped_games = self.table.dropped_games

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Plays the learner's actions, then the opponents to its next turn; a game that ends is followed by the next one."""
        self.table.step(self._actions)
        self.illegal_actions += int(np.count_nonzero(self.table.illegal))
        self.dropped_games = self.table.dropped_games
        is_over = np.zeros(self.num_envs, np.bool_)
        is_over[self.table.ends.rows] = True
        return self._observations(), self.table.rewards, is_over, self._told()

    def _told(self) -> list[dict[str, Any]]:
        """What stable-baselines3 is told of each game: something of those that ended."""
        ends = self.table.ends
        if not len(ends.rows):
            return self._no_infos
        infos = self._no_infos.copy()
        for row, code, view, result in zip(ends.rows, ends.codes, ends.views, ends.results, strict=True):
            infos[row] = {
                "terminal_observation": view,
                "TimeLimit.truncated": bool(code == engine.TRUNCATED),
                "episode": {"r": float(self.table.rewards[row]), "l": int(result["length"]), "t": 0.0},
                "rank": result["ranks"].copy(),
                "score": result["scores"].copy(),
            }
        return infos
