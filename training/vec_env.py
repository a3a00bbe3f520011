"""What the self-play environments share towards stable-baselines3: one Python object in place of N environments.

N games, A actions.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from agents.networks.inputs import Inputs
from envs.vector import VectorAECEnv


class SeatsVecEnv(VecEnv):
    """N games that are one environment of stable-baselines3; what a step is, its heirs say.

    Args:
        games: The games.
        inputs: Makes of positions what is observed; None: the observations of the games.
    """

    def __init__(self, games: VectorAECEnv, inputs: Inputs | None = None) -> None:
        self.games, self.inputs = games, inputs or Inputs(games.game)
        self.game = games.game
        self.num_players = games.num_players
        self.render_mode = None  # the base class asks for it
        space = games.single_observation_space["observation"]
        if self.inputs.size != self.game.observation_size:
            space = gymnasium.spaces.Box(-np.inf, np.inf, (self.inputs.size,), np.float32)
        super().__init__(games.num_envs, space, games.single_action_space)
        self._no_infos: list[dict[str, Any]] = [{}] * games.num_envs  # one dict for all rows: nobody writes into it
        self._actions = np.zeros(games.num_envs, np.int64)
        self._next_seed: int | None = None
        self.dropped_games = 0
        """Games that were over before a learning seat had decided anything; they are not episodes."""

    def step_async(self, actions: np.ndarray) -> None:
        """Takes the actions ``(N,)`` of the seats to act."""
        self._actions = np.asarray(actions).reshape(-1)

    def action_masks(self) -> np.ndarray:
        """``(N, A) int8``: the legal actions that belong to the observations returned last; a copy."""
        return self.games.last()[0]["action_mask"].copy()

    def _observations(self) -> np.ndarray:
        # A copy: stable-baselines3 puts observations into its buffer after the next step.
        shown = self.games.last()[0]
        inputs = self.inputs(shown["observation"], shown["action_mask"], self.games.states)
        return inputs.copy() if inputs is shown["observation"] else inputs

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Calls a method. For the action masks of all games: one ``(N, A)`` block, a list of N would cost 50 times more."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        if method_name == "action_masks":
            return [result] if indices is None else list(result[self._get_indices(indices)])
        return [result] * len(list(self._get_indices(indices)))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, once for each index."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def has_attr(self, attr_name: str) -> bool:
        """Whether there is such an attribute."""
        return hasattr(self, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute for all games."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False] * len(list(self._get_indices(indices)))

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The seed of the next ``reset``."""
        self._next_seed = seed
        return [seed] * self.num_envs

    def close(self) -> None:
        """Ends the threads of the games, if there are any."""
        self.games.close()

    def _deal_all(self) -> None:
        self.games.reset(self._next_seed)
        self._next_seed = None
