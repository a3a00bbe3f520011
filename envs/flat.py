"""The PettingZoo door with flat observations and the action mask in infos, for wrappers that know no dictionaries."""

from typing import Any

from envs.aec import TurnBasedEnv
from envs.game import Game
from envs.vector import observation_space


class FlatTurnBasedEnv(TurnBasedEnv):
    """``TurnBasedEnv`` whose observations are ``(D,) float32``.

    The action mask ``(A,) int8`` is ``infos[agent]["action_mask"]``, the caller's own, all zero for a seat that is not to act.

    Args:
        game: The rule set.
        **parameters: Those of ``TurnBasedEnv``, but for ``action_features``, which are a part of dictionaries.

    Raises:
        ValueError: A wrong parameter.
    """

    def __init__(self, game: Game, **parameters: Any) -> None:
        if parameters.get("action_features"):
            raise ValueError('action_features are a part of observations that are dicts: they need mask_in="observation"')
        super().__init__(game, **parameters)
        space: Any = observation_space(game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space["observation"])

    def observe(self, agent: str) -> Any:
        """The view of any agent, ``(D,) float32``, at any time after ``reset``.

        Raises:
            ValueError: There is no such agent.
        """
        return super().observe(agent)["observation"]

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last decision, ends and info of the agent to act; the mask is in the info."""
        seen = self.observe(self.agent_selection) if observe else None
        _, reward, termination, truncation, info = super().last(observe=False)
        return seen, reward, termination, truncation, info

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """As of ``TurnBasedEnv``."""
        super().reset(seed, options)
        self._tell_masks()

    def step(self, action: Any) -> None:
        """As of ``TurnBasedEnv``."""
        super().step(action)
        self._tell_masks()

    def _tell_masks(self) -> None:
        for agent in self.agents:
            is_to_act = agent == self.agent_selection and not (self.terminations[agent] or self.truncations[agent])
            mask = (self._mask if is_to_act else self._no_mask).copy()
            self.infos[agent] = {**self.infos[agent], "action_mask": mask}

    def set_state(self, state: bytes) -> None:
        """As of ``TurnBasedEnv``, which takes the same states."""
        super().set_state(state)
        self._tell_masks()

    def _door(self) -> dict[str, Any]:
        door = super()._door()
        infos = {agent: {key: info[key] for key in info if key != "action_mask"} for agent, info in door["infos"].items()}
        return door | {"infos": infos}

    def __deepcopy__(self, memo: dict[int, Any]) -> "TurnBasedEnv":
        made: Any = super().__deepcopy__(memo)
        if "agents" in made.__dict__:
            made._tell_masks()  # of its own
        return made

