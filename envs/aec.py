"""The PettingZoo door: one AEC environment for every game of the suite."""

import warnings
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from envs import engine
from envs.game import Game
from envs.vector import index_of, observation_space, render

RENDER_MODES = ["ansi", "svg", "rgb_array", "human"]


class TurnBasedEnv(AECEnv):
    """One game as a PettingZoo AEC environment.

    Observations are ``{"observation": (D,) float32, "action_mask": (A,) int8}`` with the same spaces for every seat; the mask
    of a seat that is not to act is all zero. All seats are paid and end together, on the last step. It begins seeded at
    random, or by ``seed``; ``reset()`` without a seed goes on to the next episode of the last one.

    Args:
        game: The rule set, see ``envs.make_game``.
        render_mode: None, ``"ansi"`` (text), ``"svg"`` (SVG text), ``"rgb_array"`` (``(H, W, 3) uint8``) or ``"human"``
            (a window, redrawn by every ``render``).
        reward: As of ``VectorAECEnv``.
        illegal: As of ``VectorAECEnv``.
        copy: Whether observations are fresh arrays. Without, ``last`` is twice as fast and the next step writes into them.
        view: The seat whose view ``render`` shows; None shows everything.
        max_cycles: Accepted for PettingZoo's ``make``; the game is truncated after so many decisions when it is not None.

    Raises:
        ValueError: An unknown reward, policy, render mode or seat.
    """

    def __init__(
        self,
        game: Game,
        *,
        render_mode: str | None = None,
        reward: str = "placement",
        illegal: str = "raise",
        copy: bool = True,
        view: int | None = None,
        max_cycles: int | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None:
            index_of("render_mode", render_mode, RENDER_MODES)
        if view is not None and view not in range(game.num_players):
            raise ValueError(f"view is {view!r}; it must be a seat from 0 to {game.num_players - 1}, or None")
        self.game = game
        self.render_mode = render_mode
        self.view = view
        self.copy = copy
        self.max_cycles = max_cycles
        self._kind = index_of("reward", reward, engine.REWARD_KINDS)
        self._policy = index_of("illegal", illegal, engine.ILLEGAL_POLICIES)
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = [f"player_{p}" for p in range(game.num_players)]
        self._agent_of_turn = ["", *self.possible_agents]  # by the packed turn of a game that goes on
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = observation_space(game)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        size = (game.num_players * game.observation_size,)
        self.state_space = gymnasium.spaces.Box(game.observation_low, game.observation_high, size, np.float32)
        self._window: Any = None
        self._is_live = False  # whether a seat is to act
        self._allocate()
        self._stream["seed"] = np.random.SeedSequence().generate_state(1, np.uint64) >> np.uint64(1)
        self._stream["episode"] = -1

    def _allocate(self) -> None:
        # One array for everything a step touches: each further argument of a compiled function costs a quarter microsecond.
        game = self.game
        fields = [
            ("state", game.state_dtype),
            ("rules", game.rules.dtype),
            ("result", engine.result_dtype(game.num_players)),
            ("observation", np.float32, (game.observation_size,)),
            ("mask", np.int8, (game.num_actions,)),
        ]
        self._io = np.zeros(1, engine.interned(np.dtype(fields, align=True)))
        self._io[0]["rules"] = game.rules[0]
        self._observation = self._io[0]["observation"]
        self._mask = self._io[0]["mask"]
        self._no_mask = np.zeros(game.num_actions, np.int8)
        # Making record rows of a fresh array takes as long as all the rest of `observe`: these are written and then copied.
        self._other_rows = engine.rows(np.zeros((1, game.observation_size), np.float32))
        self._other = self._other_rows[0]["row"]
        self._stream = np.zeros(1, engine.STREAM)
        self._step_kernel = game.kernels.single_step
        self._observe_kernel = game.kernels.single_observe

    @property
    def record(self) -> Any:
        """The game itself, one record; the environment's own memory."""
        return self._io[0]["state"]

    def observation_space(self, agent: str) -> gymnasium.spaces.Space:
        """The space of an agent's observation, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space:
        """The space of an agent's actions, the same object at every call."""
        return self.action_spaces[agent]

    # --- the AEC verbs ---

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Deals a new game.

        Args:
            seed: Seed of the game; None for the next episode of the last seed.
            options: Not used; there for PettingZoo.

        Raises:
            ValueError: The seed is below 0.
        """
        if seed is not None:
            if seed < 0:
                raise ValueError(f"seed {seed} is below 0")
            self._stream["seed"] = seed
            self._stream["episode"] = 0
        else:
            self._stream["episode"] += 1
        code, seat = engine.unpack_turn(self.game.kernels.single_reset(self._io, self._stream, self._kind))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[max(0, seat)]
        self._is_live = True
        if code != engine.RUNNING:
            self._end(code)
            self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The view of any agent, at any time."""
        if self._is_live and agent == self.agent_selection:
            observation, mask = self._observation, self._mask
            if self.copy:
                return {"observation": observation.copy(), "action_mask": mask.copy()}
            return {"observation": observation, "action_mask": mask}
        self._observe_kernel(self._io, self._seat_of[agent], self._other_rows)
        return {"observation": self._other.copy(), "action_mask": self._no_mask.copy()}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last decision, ends and info of the agent to act."""
        agent = self.agent_selection
        observation = None
        if observe:
            if self._is_live and not self.copy:
                observation = {"observation": self._observation, "action_mask": self._mask}
            else:
                observation = self.observe(agent)
        return (
            observation,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: Any) -> None:
        """Plays an action of the agent to act; None for an agent that is over.

        Raises:
            ValueError: An illegal action with ``illegal="raise"``; nothing has changed then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        turn = self._step_kernel(self._io, int(action), self._kind, self._policy)
        if turn < 0:
            raise ValueError(f"action {action} of {agent} is illegal; legal are {np.flatnonzero(self._mask).tolist()}")
        self._cumulative_rewards[agent] = 0.0
        if turn < engine.OVER:
            self.agent_selection = self._agent_of_turn[turn]
            if self.max_cycles is not None and self.record["decisions"] >= self.max_cycles:
                self._cut()
            return
        self._end(engine.unpack_turn(turn)[0])
        self._accumulate_rewards()
        self._deads_step_first()

    def _end(self, code: int) -> None:
        """Pays every seat and ends the game for all of them at once."""
        self._is_live = False
        result = self._io[0]["result"]
        scores, ranks, length = result["scores"].tolist(), result["ranks"].tolist(), int(result["length"])
        self.rewards = dict(zip(self.possible_agents, result["rewards"].tolist(), strict=True))
        for seat, agent in enumerate(self.possible_agents):
            self.infos[agent] = {"rank": ranks[seat], "score": scores[seat], "length": length}
        self.terminations = dict.fromkeys(self.agents, code == engine.TERMINATED)
        self.truncations = dict.fromkeys(self.agents, code == engine.TRUNCATED)

    def _cut(self) -> None:
        self._is_live = False
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def state(self) -> np.ndarray:
        """The full view for central critics: all seats' observations, ``(P * D,) float32``."""
        full = np.empty((self.game.num_players, self.game.observation_size), np.float32)
        for seat in range(self.game.num_players):
            self._observe_kernel(self._io, seat, self._other_rows)
            full[seat] = self._other
        return full.reshape(-1)

    # --- pictures ---

    def render(self) -> Any:
        """A picture of the game in the environment's ``render_mode``; None in a window."""
        if self.render_mode is None:
            warnings.warn("render() needs a render_mode: " + ", ".join(RENDER_MODES), stacklevel=2)
            return None
        if self.render_mode != "human":
            return render(self.game, self.record, self.render_mode, self.view)
        from envs.drawing.raster import Window

        if self._window is None:
            self._window = Window(self.game.title)
        self._window.show(render(self.game, self.record, "rgb_array", self.view))
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    # --- copies ---

    def __getstate__(self) -> dict[str, Any]:
        left_out = (
            "_io", "_stream", "_observation", "_mask", "_no_mask", "_other_rows", "_other",
            "_step_kernel", "_observe_kernel", "_window",
        )  # fmt: skip
        kept = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return kept | {"saved": (self._io.tobytes(), self._stream.tobytes())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        io, stream = state.pop("saved")
        self.__dict__.update(state)
        self._window = None
        self._allocate()
        self._io[:] = np.frombuffer(io, self._io.dtype)
        self._stream[:] = np.frombuffer(stream, engine.STREAM)


def wrap(env: TurnBasedEnv) -> AECEnv:
    """Wraps an environment as PettingZoo's classic games are: an illegal action ends the game."""
    wrapped: AECEnv = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)
