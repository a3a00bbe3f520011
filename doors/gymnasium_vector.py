"""Gymnasium's vector door: one seat of each of N games, the others played by agents, as one environment.

::

    env = gymnasium.make_vec("envs:fairy_rings/dance_of_eights-v0", num_envs=1024, opponents="greedy", num_players=3)
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from agents.opponents import Ends
from doors.one_seat import Opponents, Table, check_reset_options, flags_of, told_at_end
from envs.checks import MAX_SEED, index_of, integer
from envs.game import Game
from envs.vector import PICTURE_MODES

Infos = dict[str, Any]


class OneSeatVectorEnv(gymnasium.vector.VectorEnv):
    """One learning seat of each of N games as a vector environment of Gymnasium.

    It does what ``gymnasium.vector.SyncVectorEnv`` does with N of ``doors.gymnasium_env.OneSeatEnv`` and
    ``AutoresetMode.SAME_STEP``, number for number: a finished game is followed by the next one in the same step, what the learner
    saw at its end is in ``infos["final_obs"]``, and what was told of it in ``infos["final_info"]``. ``infos`` has
    ``action_mask (N, A) int8``, ``seat (N,)`` and, after a step, ``illegal (N,)``, each with ``_action_mask (N,) bool`` and so
    on, which say of what rows. N games, D observation length, A actions.

    Args:
        game: As of ``envs.make_game``.
        num_envs: N.
        copy: Whether observations and masks are fresh arrays. Without they are views of the environment's memory, which can be
            read, and into which the next step writes.
        opponents: This and the others are those of ``OneSeatEnv``; render modes are ``"ansi"``, ``"svg"`` and ``"rgb_array"``.

    Raises:
        ValueError: A parameter that there is not (the message lists all), or one with a wrong value.
        RuntimeError: From ``reset`` and ``step``: an opponent gave no legal action.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Opponents = "random",
        num_players: int | None = None,
        seat: int | None = None,
        reward: str = "placement",
        illegal: str = "forfeit",
        mask_in: str = "info",
        render_mode: str | None = None,
        view: int | str | None = None,
        copy: bool = True,
        threads: int = 1,
        **options: Any,
    ) -> None:
        given = {
            "opponents": opponents, "num_players": num_players, "seat": seat, "reward": reward, "illegal": illegal,
            "mask_in": mask_in, "view": view,
        }  # fmt: skip
        if render_mode is not None:
            index_of("render_mode", render_mode, PICTURE_MODES)
        self._table = Table(game, num_envs, given, options, autoreset=True, threads=threads)
        self.game, self.num_envs, self.copy = self._table.game, self._table.num_envs, bool(copy)
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": list(PICTURE_MODES), "render_fps": 2, "autoreset_mode": AutoresetMode.SAME_STEP
        }  # fmt: skip
        self.single_observation_space, self.single_action_space = self._table.observation_space, self._table.action_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._everywhere = np.ones(self.num_envs, np.bool_)

    @cached_property
    def observation_space(self) -> gymnasium.Space:  # type: ignore[override]
        """The space of all observations; made when asked for, because its bounds take twice the memory of the observations."""
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | np.ndarray | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Infos]:
        """Deals a game in every row and plays it to the learner's first decision.

        Args:
            seed: Row i plays the game that ``OneSeatEnv`` plays with seed + i; or with seed[i] if N integers are given; or,
                with None, its next game.
            options: None.

        Raises:
            ValueError: A seed that is no integer from 0 to 2**64 - 1, or options. Nothing has changed then.
        """
        check_reset_options(options)
        seeds: Any = seed
        if seed is not None and np.ndim(seed) == 0:
            first = integer("seed", seed, 0, MAX_SEED - self.num_envs + 1)
            super().reset(seed=first)
            seeds = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(first)
        self._table.seats.reset(seeds)
        return self._observed()

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Plays a decision of every learner and what follows until its next one.

        Args:
            actions: ``(N,)`` integers.

        Returns:
            Observations; rewards ``(N,) float64``; terminations and truncations ``(N,) bool``; infos.

        Raises:
            ValueError: A wrong shape or type, or, with ``illegal="raise"``, an illegal action. Nothing has changed then.
        """
        seats = self._table.seats
        seats.step(actions)
        terminations, truncations = flags_of(seats.ends, self.num_envs)
        observations, infos = self._observed()
        is_over = terminations | truncations
        if not is_over.all():
            infos["illegal"], infos["_illegal"] = seats.illegal & ~is_over, ~is_over
        if len(seats.ends.rows):
            infos |= self._final(seats.ends, is_over)
        return observations, seats.rewards.astype(np.float64), terminations, truncations, infos

    def _observed(self) -> tuple[Any, Infos]:
        seats = self._table.seats
        observations, masks = seats.observations(), seats.masks()
        if self.copy:
            observations, masks = observations.copy(), masks.copy()
        infos = {
            "action_mask": masks, "_action_mask": self._everywhere.copy(),
            "seat": seats.learner.astype(np.int64), "_seat": self._everywhere.copy(),
        }  # fmt: skip
        return self._table.shown(observations, masks), infos

    def _final(self, ends: Ends, is_over: np.ndarray) -> Infos:
        """What Gymnasium tells of games that ended: the last observation of each, and its info by rows."""
        n, rows = self.num_envs, ends.rows
        observations = np.full(n, None, object)
        for row, view in zip(rows.tolist(), ends.views, strict=True):
            observations[row] = self._table.shown(view, np.zeros(self.game.num_actions, np.int8))
        told: Infos = {"action_mask": np.zeros((n, self.game.num_actions), np.int8)}
        for name, values in (told_at_end(ends) | {"seat": ends.seats, "illegal": self._table.seats.illegal[rows]}).items():
            told[name] = np.zeros(n, values.dtype)
            told[name][rows] = values
        told |= {f"_{name}": is_over.copy() for name in tuple(told)}
        return {"final_obs": observations, "_final_obs": is_over.copy(), "final_info": told, "_final_info": is_over.copy()}

    def action_masks(self) -> np.ndarray:
        """The learners' legal actions, ``(N, A) int8``, a fresh array."""
        return self._table.seats.masks().copy()

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads of the games, if there are any."""
        self._table.seats.games.close()

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every game in the environment's ``render_mode``; None without one."""
        if self.render_mode is None:
            return None
        return tuple(self._table.picture(row, self.render_mode) for row in range(self.num_envs))
