"""Gymnasium's door: one seat of one game, the others played by agents.

::

    env = gymnasium.make("envs:fairy_rings/dance_of_eights-v0", opponents="greedy", num_players=3)
"""

import warnings
from typing import Any

import gymnasium
import numpy as np

from doors.one_seat import Opponents, Table, check_reset_options, flags_of, told_at_end
from envs.aec import RENDER_MODES
from envs.checks import MAX_SEED, index_of, integer
from envs.game import Game


class OneSeatEnv(gymnasium.Env):
    """One learning seat of one game as an environment of Gymnasium.

    A step is a decision of the learner and all that the opponents do until its next one, or until the game is over. The reward
    comes at the end. ``info`` has ``action_mask (A,) int8`` and ``seat``, the learner's; after a step ``illegal``, whether its
    action was; and at the end ``rank`` from 1, ``score`` and ``length``, the decisions of all seats. Observations and masks are
    the caller's own. ``reset(seed=s)`` deals the game that ``envs.raw_env`` deals with that seed; without a seed the next one.

    Args:
        game: As of ``envs.make_game``.
        opponents: Who plays the other seats: an agent or a name of one (``"random"``, ``"greedy"``, ``"ppo"``, ``"ismcts:100"``,
            ``"PATH.zip"``, ``"package.module:Class"``) for all of them, or a list with one for each, in the order in which they
            follow the learner.
        num_players: Seats, P, as of ``envs.make_game``: None: two, or those of the game.
        seat: The learner's seat; None: drawn for each game.
        reward: As of ``envs.vector.VectorAECEnv``.
        illegal: What an illegal action of the learner does: ``"forfeit"`` the game, ``"raise"`` a ValueError, or have a
            ``"random"`` legal action played instead.
        mask_in: Where the action mask is: in ``"info"``, and observations are ``(D,) float32``; or in the ``"observation"`` as
            well, a dict with ``observation`` and ``action_mask``.
        render_mode: None, ``"ansi"``, ``"svg"``, ``"rgb_array"`` or ``"human"``, as of ``envs.aec.TurnBasedEnv``.
        view: The seat whose view is drawn; ``"learner"``: the learner's; None: everything.
        **options: Rule options of the game.

    Raises:
        ValueError: A parameter that there is not (the message lists all), or one with a wrong value.
        RuntimeError: From ``reset`` and ``step``: an opponent gave no legal action.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Opponents = "random",
        num_players: int | None = None,
        seat: int | None = None,
        reward: str = "placement",
        illegal: str = "forfeit",
        mask_in: str = "info",
        render_mode: str | None = None,
        view: int | str | None = None,
        **options: Any,
    ) -> None:
        given = {
            "opponents": opponents, "num_players": num_players, "seat": seat, "reward": reward, "illegal": illegal,
            "mask_in": mask_in, "view": view,
        }  # fmt: skip
        if render_mode is not None:
            index_of("render_mode", render_mode, RENDER_MODES)
        self._table = Table(game, 1, given, options, autoreset=False)
        self.game = self._table.game
        self.observation_space, self.action_space = self._table.observation_space, self._table.action_space
        self.render_mode = render_mode
        self._window: Any = None
        self._is_on = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deals a game and plays it to the learner's first decision; what it sees, and the info.

        Raises:
            ValueError: The seed is no integer from 0 to 2**64 - 1, or there are options. Nothing has changed then.
        """
        check_reset_options(options)
        seed = None if seed is None else integer("seed", seed, 0, MAX_SEED)
        super().reset(seed=seed)
        self._table.seats.reset(seed)
        self._is_on = True
        observation, info = self._observed(self._table.seats.observations()[0].copy(), self.action_masks())
        self._draw()
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action and what follows until its next decision.

        Raises:
            ValueError: It is no integer, or an illegal action with ``illegal="raise"``. Nothing has changed then.
            RuntimeError: The game is over, or was never dealt.
        """
        if not self._is_on:
            raise RuntimeError("the game is over, or was never dealt: call reset() first")
        seats = self._table.seats
        seats.step(np.array([integer("action", action, -(2**63), 2**63 - 1)], np.int64))
        (terminated,), (truncated,) = flags_of(seats.ends, 1)
        self._is_on = not (terminated or truncated)
        seen = seats.observations()[0].copy() if self._is_on else seats.ends.views[0]
        observation, info = self._observed(seen, self.action_masks())
        info["illegal"] = bool(seats.illegal[0])
        info |= {name: values[0].item() for name, values in told_at_end(seats.ends).items() if not self._is_on}
        self._draw()
        return observation, float(seats.rewards[0]), bool(terminated), bool(truncated), info

    def _observed(self, observation: np.ndarray, mask: np.ndarray) -> tuple[Any, dict[str, Any]]:
        info = {"action_mask": mask, "seat": int(self._table.seats.learner[0])}
        return self._table.shown(observation, mask.copy()), info

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, ``(A,) int8``, a fresh array; all 0 when the game is over."""
        return self._table.seats.masks()[0].copy()

    def render(self) -> Any:
        """A picture of the game in the environment's ``render_mode``; None in a window."""
        if self.render_mode is None:
            warnings.warn("render() needs a render_mode: " + ", ".join(RENDER_MODES), stacklevel=2)
            return None
        if self.render_mode != "human":
            return self._table.picture(0, self.render_mode)
        from envs.drawing.raster import Window

        if self._window is None:
            self._window = Window(self.game.title)
        self._window.show(self._table.picture(0, "rgb_array"))
        return None

    def _draw(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
