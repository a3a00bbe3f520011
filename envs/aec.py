"""The PettingZoo door: one AEC environment for every game of the suite."""

import copy
import threading
import warnings
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from envs import engine, saving
from envs.checks import MAX_SEED, any_integer, boolean, index_of, integer, read_only, show
from envs.describing import Describer
from envs.display import Shown
from envs.game import Game
from envs.spoken import Spoken
from envs.turns import BUSY
from envs.vector import PICTURE_MODES, observation_space, random_seed, render

RENDER_MODES = [*PICTURE_MODES, "human"]
MASK_PLACES = ("observation", "info")
"""Where the action mask is: in observations that are dicts; or in infos, and observations are flat, see ``envs.flat``."""
_MEMORY = (
    "_io", "_shown", "_stream", "_observation", "_mask", "_no_mask", "_other_rows", "_other", "_turn",
    "_step_kernel", "_observe_kernel", "_window", "_describer", "_features", "_feature_rows",
)  # fmt: skip
"""What copies have anew."""
_SHARED = (
    "game", "__doc__", "observation_spaces", "action_spaces", "state_space", "metadata", "possible_agents", "_agent_of_turn",
    "_seat_of",
)  # fmt: skip
"""What copies in the same process share: nobody changes it. Spaces have random generators, but no game depends on them."""


def single_memory(game: Game) -> np.ndarray:
    """``(1,)`` record with everything that the loops over a single game touch, of which ``rules`` are filled in.

    One array, because each further argument of a compiled function costs a quarter microsecond.
    """
    fields = [
        ("state", game.state_dtype),
        ("rules", game.rules.dtype),
        ("result", engine.result_dtype(game.num_players)),
        ("observation", np.float32, (game.observation_size,)),
        ("mask", np.int8, (game.num_actions,)),
    ]
    memory = np.zeros(1, engine.interned(np.dtype(fields, align=True)))
    memory[0]["rules"] = game.rules[0]
    return memory


class _FromReset:
    """An attribute that environments have from their first ``reset`` on: until then it says so.

    Not a ``__getattr__`` of the class: that makes every attribute slower to read, and a step half as slow again.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        raise AttributeError(f"there is no {self._name} before the first reset(): call it first")


class TurnBasedEnv(Shown, Spoken, AECEnv):
    """One game as a PettingZoo AEC environment.

    Observations are ``{"observation": (D,) float32, "action_mask": (A,) int8}`` with the same spaces for every seat; the mask
    of a seat that is not to act is all zero. All seats are paid and end together, on the last step. It begins seeded at
    random, or by ``seed``; ``reset()`` without a seed goes on to the next episode of the last one.

    Args:
        game: The rule set, see ``envs.make_game``.
        render_mode: None, ``"ansi"`` (text), ``"svg"`` (SVG text), ``"rgb_array"`` (``(H, W, 3) uint8``) or ``"human"``
            (a window, drawn by ``reset`` and every ``step``).
        reward: As of ``VectorAECEnv``.
        illegal: As of ``VectorAECEnv``.
        copy: Whether observations are fresh arrays. Without, ``last`` is twice as fast, and gives views that can be read but not
            written to, into which the next step writes.
        view: The seat whose view ``render`` shows; None shows everything. A notebook shows the environment in the eyes of this
            seat too, but with None only what every seat sees, see ``envs.display``.
        max_cycles: The game is truncated after this number of decisions; None: it is not.
        action_features: Whether observations have ``"action_features": (A, F) float32`` too, see ``VectorAECEnv``.

    Raises:
        ValueError: An unknown reward, policy, render mode or seat, ``max_cycles`` that is no integer from 1, or features of a
            game that does not describe its actions.
    """

    agents: Any = _FromReset()
    rewards: Any = _FromReset()
    _cumulative_rewards: Any = _FromReset()
    terminations: Any = _FromReset()
    truncations: Any = _FromReset()
    infos: Any = _FromReset()
    agent_selection: Any = _FromReset()

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
        action_features: bool = False,
    ) -> None:
        super().__init__()
        if render_mode is not None:
            index_of("render_mode", render_mode, RENDER_MODES)
        if not isinstance(game, Game):
            raise ValueError(f"game is {show(game)}; it must be an envs.game.Game, see envs.make_game")
        self.game = game
        self.__doc__ = game.guide  # where tools for language models look for the rules
        self.render_mode = render_mode
        self.view = None if view is None else integer("view", view, 0, game.num_players - 1)
        self.copy = boolean("copy", copy)
        self.max_cycles = None if max_cycles is None else integer("max_cycles", max_cycles, 1)
        self.action_features = boolean("action_features", action_features)
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
        space = observation_space(game, self.action_features)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        size = (game.num_players * game.observation_size,)
        self.state_space = gymnasium.spaces.Box(game.observation_low, game.observation_high, size, np.float32)
        self._allocate()
        self._stream["seed"] = random_seed()
        self._stream["episode"] = -1

    def _allocate(self) -> None:
        self._use(single_memory(self.game), np.zeros(1, engine.STREAM))

    def _use(self, io: np.ndarray, stream: np.ndarray) -> None:
        """Has these as its memory from now on: the game with all that is shown of it, and where its seeding stands."""
        game = self.game
        self._io, self._stream = io, stream
        self._shown = read_only(io)  # what is given away: nobody writes to the environment's memory by it
        self._observation = self._shown[0]["observation"]
        self._mask = self._shown[0]["mask"]
        self._turn = threading.Lock()
        self._window: Any = None
        self._no_mask = np.zeros(game.num_actions, np.int8)
        # Making record rows of a fresh array takes as long as all the rest of `observe`: these are written and then copied.
        self._other_rows = engine.rows(np.zeros((1, game.observation_size), np.float32))
        self._other = self._other_rows[0]["row"]
        self._describer = Describer(game) if self.action_features else None
        self._features = self._describer.empty(1) if self._describer else None
        self._feature_rows = None if self._features is None else engine.rows(self._features)
        self._step_kernel = game.kernels.single_step
        self._observe_kernel = game.kernels.single_observe

    @property
    def record(self) -> Any:
        """The game itself, one record; read only."""
        return self._shown[0]["state"]

    @property
    def is_dealt(self) -> bool:
        """Whether there is a game: not before the first ``reset``."""
        return "agents" in self.__dict__

    def observation_space(self, agent: str) -> gymnasium.spaces.Space:
        """The space of an agent's observation, the same object at every call; ValueError if there is no such agent."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> gymnasium.spaces.Space:
        """The space of an agent's actions, the same object at every call; ValueError if there is no such agent."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    def _seat(self, agent: Any) -> int:
        if not isinstance(agent, str) or agent not in self._seat_of:
            raise ValueError(f"there is no agent {show(agent)}; choose from {', '.join(self.possible_agents)}")
        return self._seat_of[agent]

    # --- the AEC verbs ---

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Deals a new game.

        Args:
            seed: Seed of the game; None for the next episode of the last seed.
            options: Not used; there for PettingZoo.

        Raises:
            ValueError: The seed is no integer from 0 to 2**64 - 1. Nothing has changed then.
        """
        if seed is not None:
            self._stream["seed"] = integer("seed", seed, 0, MAX_SEED)
            self._stream["episode"] = 0
        else:
            self._stream["episode"] += 1
        code, seat = engine.unpack_turn(self.game.kernels.single_reset(self._io, self._stream, self._kind))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[max(0, seat)]
        if code != engine.RUNNING:
            self._end(code)
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The view of any agent, at any time after ``reset``; the mask is zero unless it is to act.

        Raises:
            ValueError: There is no such agent.
        """
        if agent is not self.agent_selection:
            agent = self.possible_agents[self._seat(agent)]
        # After the last dead step there are no flags any more: whoever has none is over.
        if agent == self.agent_selection and not (self.terminations.get(agent, True) or self.truncations[agent]):
            if self.copy:
                return self._described({"observation": self._observation.copy(), "action_mask": self._mask.copy()}, True)
            return self._described({"observation": self._observation, "action_mask": self._mask}, True)
        self._observe_kernel(self._io, self._seat_of[agent], self._other_rows)
        return self._described({"observation": self._other.copy(), "action_mask": self._no_mask.copy()}, False)

    def _described(self, view: dict[str, np.ndarray], acts: bool) -> dict[str, np.ndarray]:
        """A view with the features of the actions if they are asked for; of an agent that is not to act zeros."""
        if self._describer is not None and self._features is not None:
            if acts:
                self.game.kernels.single_describe(self._io, self._describer.tools, self._feature_rows)
            view["action_features"] = self._features[0].copy() if acts else np.zeros_like(self._features[0])
        return view

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last decision, ends and info of the agent to act."""
        if observe is not True:
            observe = boolean("observe", observe)
        agent = self.agent_selection
        terminated, truncated = self.terminations[agent], self.truncations[agent]
        observation = None
        if observe:
            if self.copy or terminated or truncated:
                observation = self.observe(agent)
            else:
                observation = {"observation": self._observation, "action_mask": self._mask}
                if self._describer is not None:
                    observation = self._described(observation, True)
        return observation, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]

    def step(self, action: Any) -> None:
        """Plays an action of the agent to act; None for an agent that is over.

        Raises:
            ValueError: No integer, or an illegal action with ``illegal="raise"``. Nothing has changed then.
            RuntimeError: Another thread is at work in this environment.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = action if type(action) is int else any_integer("action", action, 0, len(self._no_mask) - 1)
        choice = number if 0 <= number < len(self._no_mask) else engine.NO_ACTION
        lock = self._turn
        if not lock.acquire(False):  # not a Turn: its `with` would cost a twentieth of the step
            raise RuntimeError(BUSY)
        try:
            turn = self._step_kernel(self._io, choice, self._kind, self._policy)
        finally:
            lock.release()
        if turn < 0:
            raise ValueError(f"action {show(number)} of {agent} is illegal; legal are {np.flatnonzero(self._mask).tolist()}")
        self._cumulative_rewards[agent] = 0.0
        if turn < engine.OVER:
            self.agent_selection = self._agent_of_turn[turn]
            if self.max_cycles is not None and self.record["decisions"] >= self.max_cycles:
                self._cut()
        else:
            self._end(engine.unpack_turn(turn)[0])
            self._accumulate_rewards()
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _end(self, code: int) -> None:
        """Pays every seat and ends the game for all of them at once."""
        result = self._io[0]["result"]
        scores, ranks, length = result["scores"].tolist(), result["ranks"].tolist(), int(result["length"])
        self.rewards = dict(zip(self.possible_agents, result["rewards"].tolist(), strict=True))
        for seat, agent in enumerate(self.possible_agents):
            self.infos[agent] = {"rank": ranks[seat], "score": scores[seat], "length": length}
        self.terminations = dict.fromkeys(self.agents, code == engine.TERMINATED)
        self.truncations = dict.fromkeys(self.agents, code == engine.TRUNCATED)

    def _cut(self) -> None:
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def state(self) -> np.ndarray:
        """The full view for central critics: all seats' observations, ``(P * D,) float32``."""
        self._require_reset()
        full = np.empty((self.game.num_players, self.game.observation_size), np.float32)
        for seat in range(self.game.num_players):
            self._observe_kernel(self._io, seat, self._other_rows)
            full[seat] = self._other
        return full.reshape(-1)

    # --- pictures ---

    def render(self) -> Any:
        """A picture of the game in the environment's ``render_mode``; None in a window."""
        self._require_reset()
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

    def _require_reset(self) -> None:
        self.agents  # noqa: B018 (missing before the first reset)

    # --- copies ---

    def get_state(self) -> bytes:
        """The running game and where its seeding stands, as bytes that hold no code; see ``envs.saving``.

        Raises:
            AttributeError: No game was dealt yet.
        """
        self._require_reset()
        header = self._header() | {"passed_over": 0, "is_seeded": True, "door": self._door()}
        return saving.pack(header, self._parts())

    def set_state(self, state: bytes) -> None:
        """Goes on from what ``get_state`` gave, of the same game and options.

        The bytes may come from anywhere: they are checked as a whole before anything is taken from them.

        Raises:
            ValueError: They are of something else, or hold a position that no game leads to. Nothing has changed then.
        """
        facts, (record, results, stream) = saving.unpack(state, self._header(), self._parts(), more=("door",))
        if (facts["passed_over"], facts["is_seeded"]) != (0, True):
            raise ValueError("the state is of other games: one game passes over no deals and is always seeded")
        is_dealt = facts["door"] is not None
        if is_dealt:
            self.game.check_records(record)
        elif record.tobytes().strip(b"\0"):
            raise ValueError("the state holds a game, but nobody plays it")
        saving.check_results(results, self.game.num_players)
        door = saving.check_door(facts["door"], self.possible_agents, int(record["current_player"][0]))
        self._io["state"], self._io["result"], self._stream[:] = record, results, stream
        for name in _FROM_RESET:
            self.__dict__.pop(name, None)
        for name, by_agent in door.items():
            setattr(self, name, by_agent)
        if is_dealt:
            self.game.kernels.single_show(self._io)

    def _header(self) -> dict[str, Any]:
        return saving.header_of(self.game, num_envs=1)

    def _parts(self) -> list[np.ndarray]:
        parts = [np.zeros(1, self._io[name].dtype) for name in ("state", "result")]  # zeros, for numpy leaves gaps as they are
        parts[0][:], parts[1][:] = self._io["state"], self._io["result"]
        return [*parts, self._stream]

    def _door(self) -> dict[str, Any]:
        """What PettingZoo's environments keep for each agent."""
        return {name: self.__dict__[name] for name in _FROM_RESET}

    def __deepcopy__(self, memo: dict[int, Any]) -> "TurnBasedEnv":
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            if name in _SHARED:
                made.__dict__[name] = value
            elif name in _FROM_RESET:
                made.__dict__[name] = _copy_by_agent(value)
            elif name not in _MEMORY:
                made.__dict__[name] = copy.deepcopy(value, memo)
        made._use(_copy_of(self._io), _copy_of(self._stream))
        return made

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in _MEMORY}
        return kept | {"saved": (self._io.tobytes(), self._stream.tobytes())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        io, stream = state.pop("saved")
        self.__dict__.update(state)
        self._allocate()
        self._io[:] = np.frombuffer(io, self._io.dtype)
        self._stream[:] = np.frombuffer(stream, engine.STREAM)


_FROM_RESET = tuple(name for name, value in vars(TurnBasedEnv).items() if isinstance(value, _FromReset))


def _copy_of(array: np.ndarray) -> np.ndarray:
    """A copy to the byte: numpy's own leaves gaps between the fields of records as that memory was."""
    made = np.empty_like(array)
    made.view(np.uint8)[:] = array.view(np.uint8)
    return made


def _copy_by_agent(value: Any) -> Any:
    """A list of agents, a table by agents, or a table of tables, copied; their numbers and flags are not changed in place."""
    if isinstance(value, dict):
        return {agent: dict(entry) if isinstance(entry, dict) else entry for agent, entry in value.items()}
    return list(value) if isinstance(value, list) else value
