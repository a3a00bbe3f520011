"""VectorAECEnv: N games of one rule set, one decision in each per step."""

import pickle
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from envs import engine
from envs.game import Game

_NO_ROWS = np.zeros(0, np.int64)
_NO_ROWS.flags.writeable = False


class VectorAECEnv:
    """PettingZoo's AEC verbs over N games at a time.

    In every game one seat is to act (``agent_selection``); ``step`` takes one action for each game. ``last`` keeps the seat axis:
    it tells what the last step paid to *every* seat. N games, P seats, D observation length, A actions.

    A finished game restarts in the same call: its final rewards and its end are in ``last()`` beside the first observation of
    the next game. With ``autoreset=False`` it stays as it is until ``reset``: its seat to act is -1, its mask all zero, and its
    action is not looked at.

    Every game is seeded from (seed, row, episode), so it does not depend on ``num_envs`` or on its neighbours.

    Args:
        game: The rule set, see ``envs.make_game``.
        num_envs: N.
        seed: Seed of the first ``reset``; drawn at random when None.
        reward: ``"placement"`` (players beaten - players lost to) / (P - 1): in [-1, 1], sums to 0; ``"win"``: 1 shared among
            the winners: in [0, 1], sums to 1; ``"score"``: the rulebook's points. Paid when a game ends. A truncated game pays 0.
        illegal: What an illegal action does: ``"raise"`` a ValueError before anything has changed; ``"forfeit"`` the game: the
            offender is last (placement -1, win 0, score 0), the others share the victory; ``"random"``: a random legal action
            is played instead. ``infos["illegal"]`` tells the rows.
        copy: Whether ``last``, ``observe`` and ``state`` give fresh arrays; otherwise the next call writes into the same ones,
            and maybe only what has changed: read them, but do not write into them.
        autoreset: Whether a finished game restarts in the same step.

    Raises:
        ValueError: An unknown reward, policy or a number of games below 1.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        seed: int | None = None,
        reward: str = "placement",
        illegal: str = "raise",
        copy: bool = False,
        autoreset: bool = True,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}; it must be at least 1")
        self.game = game
        self.num_envs = int(num_envs)
        self.num_players = game.num_players
        self.copy = copy
        self.autoreset = autoreset
        self.reward = reward
        self._reward_kind = index_of("reward", reward, engine.REWARD_KINDS)
        self._illegal = index_of("illegal", illegal, engine.ILLEGAL_POLICIES)
        self.possible_agents = [f"player_{p}" for p in range(game.num_players)]
        mode = AutoresetMode.SAME_STEP if autoreset else AutoresetMode.DISABLED
        self.metadata = {"name": game.id, "autoreset_mode": mode, "render_modes": ["ansi", "svg", "rgb_array"]}
        self.single_observation_space = observation_space(game)
        self.single_action_space = gymnasium.spaces.Discrete(game.num_actions)
        self._allocate()
        self.reset(seed)

    def _allocate(self) -> None:
        game, n = self.game, self.num_envs
        self.states = np.zeros(n, game.state_dtype)
        """The games themselves, ``(N,)`` records; the environment's own memory."""
        self._streams = np.zeros(n, engine.STREAM)
        self._streams["row"] = np.arange(n)
        self._observations = np.zeros((n, game.observation_size), np.float32)
        self._masks = np.zeros((n, game.num_actions), np.int8)
        self._seats = np.zeros(n, np.int8)
        self._results = np.zeros(n, engine.result_dtype(game.num_players))
        self._codes = np.zeros(n, np.int8)
        self._view = np.zeros_like(self._observations)
        finals = n * game.num_players if game.can_truncate else 1
        self._finals = np.zeros((finals, game.observation_size), np.float32)
        self._observation_rows = engine.rows(self._observations)
        self._traces = np.zeros((n, game.trace_size), np.int64)
        self._trace_rows = engine.rows(self._traces)
        self._mask_rows = engine.rows(self._masks)
        self._view_rows = engine.rows(self._view)
        self._final_rows = engine.rows(self._finals)
        self._ended = 0
        self.passed_over = 0
        """Deals that were over before anybody decided anything, and were dealt again."""

    # --- the AEC verbs ---

    @property
    def agent_selection(self) -> np.ndarray:
        """``(N,) int8``: the seat to act in each game, -1 in a game that is over."""
        return self._give(self._seats)

    def reset(self, seed: int | Sequence[int] | np.ndarray | None = None) -> None:
        """Deals a new game in every row.

        Args:
            seed: One number for all rows; or ``(N,)`` numbers, and row i plays the game that a single environment plays
                with seed[i]; or None: the next episode of every row.

        Raises:
            ValueError: A wrong number of seeds or a seed below 0.
        """
        if seed is None and not self._streams["seed"].any():
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
        if seed is None:
            self._streams["episode"] += 1
        else:
            self._seed(seed)
        self._results[:] = np.zeros((), self._results.dtype)
        self.passed_over += self.game.kernels.reset_batch(
            self.states, self.game.rules, self._streams, self._reward_kind, self.autoreset,
            self._observation_rows, self._trace_rows, self._mask_rows, self._seats, self._results, self._codes,
        )  # fmt: skip
        self._ended = int(np.count_nonzero(self._codes))

    def _seed(self, seed: int | Sequence[int] | np.ndarray) -> None:
        seeds = np.asarray(seed)
        if seeds.ndim > 1 or seeds.dtype.kind not in "iu" or (seeds.ndim == 1 and len(seeds) != self.num_envs):
            raise ValueError(f"seed must be a whole number or {self.num_envs} of them, not {seed!r}")
        if (seeds < 0).any():
            raise ValueError(f"seed {int(seeds.min())} is below 0")
        self._streams["seed"] = seeds
        self._streams["row"] = np.arange(self.num_envs) if seeds.ndim == 0 else 0
        self._streams["episode"] = 0

    def last(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """What the last step led to.

        Returns:
            observation: ``{"observation": (N, D) float32, "action_mask": (N, A) int8}`` for the seat to act in each game.
            rewards: ``(N, P) float32``: what the last step paid to every seat.
            terminations: ``(N,) bool``: the step ended the game by the rules.
            truncations: ``(N,) bool``: the step ended the game by a limit.
            infos: Empty, or with ``rows (K,)``, the games that ended, and for each of them ``rank (K, P) int8`` from 1,
                ``score (K, P) float32`` and ``length (K,) int32`` in decisions; with ``truncated_rows (L,)`` and
                ``final_observation (L, P, D)`` if some were truncated; and with ``illegal (N,) bool`` if a policy other than
                "raise" was given.
        """
        observation = {"observation": self._give(self._observations), "action_mask": self._give(self._masks)}
        terminations, truncations = self._codes == engine.TERMINATED, self._codes == engine.TRUNCATED
        return observation, self._give(self._results["rewards"]), terminations, truncations, self._infos(truncations)

    def _infos(self, truncations: np.ndarray) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        if self._illegal != engine.RAISE:
            infos["illegal"] = self._results["illegal"].copy()
        if self._ended == 0:
            return infos
        rows = np.flatnonzero(self._codes)
        ended = self._results[rows]
        infos |= {"rows": rows, "rank": ended["ranks"], "score": ended["scores"], "length": ended["length"]}
        if truncations.any():
            cut = np.flatnonzero(truncations)
            finals = self._finals.reshape(self.num_envs, self.num_players, -1)
            infos |= {"truncated_rows": cut, "final_observation": finals[cut]}
        return infos

    def step(self, actions: np.ndarray) -> None:
        """Plays one decision in every game.

        Args:
            actions: ``(N,)`` whole numbers.

        Raises:
            ValueError: A wrong shape or type, or, with ``illegal="raise"``, an illegal action. Nothing has changed then.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_envs} whole numbers, not {actions.dtype} of shape {actions.shape}"
            )
        if actions.dtype != np.int64:
            actions = actions.astype(np.int64)
        kernels = self.game.kernels
        if self._illegal == engine.RAISE and kernels.first_illegal(self._mask_rows, self._seats, actions) >= 0:
            raise ValueError(self._illegal_message(actions))
        ended, passed_over = kernels.step_batch(
            self.states, self.game.rules, self._streams, actions, self._reward_kind, self._illegal, self.autoreset,
            self._observation_rows, self._trace_rows, self._mask_rows, self._seats, self._results, self._codes, self._final_rows,
        )  # fmt: skip
        self._ended = ended
        self.passed_over += passed_over

    def _illegal_message(self, actions: np.ndarray) -> str:
        inside = (actions >= 0) & (actions < self.game.num_actions)
        legal = self._masks[np.arange(self.num_envs), np.where(inside, actions, 0)].astype(bool) & inside
        rows = np.flatnonzero(~legal & (self._seats >= 0))
        named = ", ".join(f"row {row}: action {actions[row]} of player {self._seats[row]}" for row in rows[:5])
        return f"illegal actions in {len(rows)} rows: {named}{', ...' if len(rows) > 5 else ''}"

    # --- a part of the games ---

    def step_rows(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Plays one decision in some games; the others stay as they are.

        Args:
            rows: ``(K,)`` integers, different ones.
            actions: ``(K,)`` integers.

        Raises:
            ValueError: As of ``step``. Nothing has changed then.
        """
        waiting = np.ones(self.num_envs, np.bool_)
        waiting[rows] = False
        seats = self._seats[waiting]
        everyone = np.zeros(self.num_envs, np.int64)
        everyone[rows] = actions
        self._seats[waiting] = engine.NO_PLAYER  # the loops pass over a game in which nobody is to act
        try:
            self.step(everyone)
        finally:
            self._seats[waiting] = seats

    def deal_rows(self, rows: np.ndarray) -> None:
        """Deals the next game in some rows ``(K,)``; a deal that is over before anybody decides is passed over."""
        self._streams["episode"][rows] += 1
        arrays: list[np.ndarray] = [
            self.states, self._streams, self._observations, self._traces,
            self._masks, self._seats, self._results, self._codes,
        ]  # fmt: skip
        parts = [array[rows] for array in arrays]
        states, streams, observations, traces, masks, seats, results, codes = parts
        self.passed_over += self.game.kernels.reset_batch(
            states, self.game.rules, streams, self._reward_kind, True,
            engine.rows(observations), engine.rows(traces), engine.rows(masks), seats, results, codes,
        )  # fmt: skip
        for array, part in zip(arrays, parts, strict=True):
            array[rows] = part

    def observe_rows(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What ``seats (K,)`` see in the games ``rows (K,)``: ``(K, D) float32``, a fresh array."""
        views = np.empty((len(rows), self.game.observation_size), np.float32)
        self.game.kernels.observe_batch(self.states[rows], self.game.rules, seats.astype(np.int64), engine.rows(views))
        return views

    def ended_rows(self) -> np.ndarray:
        """The games that the last step ended, ``(K,) int64``."""
        return np.flatnonzero(self._codes) if self._ended else _NO_ROWS

    def final_observations(self, rows: np.ndarray) -> np.ndarray:
        """Every seat's last view in games that the last step cut by a limit: ``(K, P, D) float32``, a fresh array."""
        return self._finals.reshape(self.num_envs, self.num_players, -1)[rows]

    @property
    def results(self) -> np.ndarray:
        """``(N,)`` records of ``engine.result_dtype``: what the latest end of each game left; the environment's memory."""
        return self._results

    @property
    def codes(self) -> np.ndarray:
        """``(N,) int8``: how the last step left each game (``engine.RUNNING`` and others); the environment's memory."""
        return self._codes

    @property
    def episodes(self) -> np.ndarray:
        """``(N,) int64``: the running number of each row's game; the environment's memory."""
        return self._streams["episode"]

    def standings(self) -> np.ndarray:
        """``(N, P) int64``: how the seats stand now, higher is better; a fresh array."""
        now = np.empty_like(self._results)
        self.game.kernels.standings_batch(self.states, self.game.rules, now)
        return now["standings"]

    # --- views ---

    def observe(self, seat: int | np.ndarray) -> dict[str, np.ndarray]:
        """The view of any seat.

        Args:
            seat: One seat for all games, or ``(N,)`` seats.

        Returns:
            ``{"observation": (N, D) float32, "action_mask": (N, A) int8}``; the mask is zero where another seat is to act.

        Raises:
            ValueError: A seat that is not at the table.
        """
        seats = np.broadcast_to(np.asarray(seat, np.int64), (self.num_envs,))
        if seats.min() < 0 or seats.max() >= self.num_players:
            raise ValueError(f"seat {seat!r} is not one of 0 to {self.num_players - 1}")
        seats = np.ascontiguousarray(seats)
        self.game.kernels.observe_batch(self.states, self.game.rules, seats, self._view_rows)
        masks = np.where((seats == self._seats)[:, None], self._masks, np.int8(0))
        return {"observation": self._give(self._view), "action_mask": masks}

    def state(self) -> np.ndarray:
        """The full view for central critics: all seats' observations, ``(N, P * D) float32``, a fresh array."""
        full = np.empty((self.num_envs, self.num_players, self.game.observation_size), np.float32)
        for seat in range(self.num_players):
            full[:, seat] = self.observe(seat)["observation"]
        return full.reshape(self.num_envs, -1)

    def worlds(self, words: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """Copies of the games in which all that the seat to act cannot know has been dealt anew.

        Args:
            words: ``(N,) uint64``: the random words to deal from.
            seats: ``(N,)`` other seats to deal for, or None: the seat to act (0 in a game that is over).

        Returns:
            ``(N,)`` records, a fresh array.
        """
        seats = np.maximum(self._seats, 0) if seats is None else np.asarray(seats)
        worlds = np.zeros_like(self.states)  # so that the gaps between fields are the same bytes with the compiler off
        self.game.kernels.redeal_batch(
            self.states, self.game.rules, seats.astype(np.int64), np.asarray(words, np.uint64), worlds
        )
        return worlds

    # --- saving ---

    def get_state(self) -> bytes:
        """All games and where their seeding stands, as bytes."""
        parts = (self.states, self._streams, self._seats, self._results, self._codes, self._finals)
        return pickle.dumps((self.game.id, self.num_players, [part.tobytes() for part in parts], self.passed_over))

    def set_state(self, state: bytes) -> None:
        """Goes on from what ``get_state`` gave, of the same game and number of games.

        Raises:
            ValueError: The bytes are of another game, number of players or games; nothing has changed then.
        """
        game_id, num_players, parts, passed_over = pickle.loads(state)
        own: list[np.ndarray] = [
            self.states, self._streams, self._seats, self._results, self._codes, self._finals
        ]
        if (game_id, num_players) != (self.game.id, self.num_players):
            raise ValueError(f"the state is of {game_id} with {num_players} players, not of {self.game!r}")
        if [len(part) for part in parts] != [part.nbytes for part in own]:
            raise ValueError(f"the state is not of {self.num_envs} games of {self.game!r}")
        for part, saved in zip(own, parts, strict=True):
            part[:] = np.frombuffer(saved, part.dtype).reshape(part.shape)
        self.passed_over = passed_over
        self._ended = int(np.count_nonzero(self._codes))
        self.refresh()

    def refresh(self) -> None:
        """Writes observations, masks and seats to act anew, after ``states`` was changed from outside."""
        self.game.kernels.show_batch(
            self.states, self.game.rules, self._observation_rows, self._trace_rows, self._mask_rows, self._seats
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if not isinstance(value, np.ndarray)}
        return kept | {"saved": self.get_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("saved")
        self.__dict__.update(state)
        self._allocate()
        self.set_state(saved)

    def render(self, row: int = 0, mode: str = "ansi", seat: int | None = None) -> Any:
        """A picture of one game: text ("ansi"), SVG text ("svg") or ``(H, W, 3) uint8`` ("rgb_array")."""
        return render(self.game, self.states[row], mode, seat)

    def close(self) -> None:
        """Does nothing: there is nothing to give back."""

    def _give(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array


def observation_space(game: Game) -> gymnasium.spaces.Dict:
    """The space of one seat's observation: the flat vector and the action mask."""
    shape = (game.observation_size,)
    box = gymnasium.spaces.Box(game.observation_low, game.observation_high, shape, np.float32)
    return gymnasium.spaces.Dict({"observation": box, "action_mask": gymnasium.spaces.MultiBinary(game.num_actions)})


def index_of(name: str, word: str, words: Sequence[str]) -> int:
    """The place of a word among the allowed ones.

    Raises:
        ValueError: It is none of them.
    """
    if word not in words:
        raise ValueError(f"{name} is {word!r}; choose from {', '.join(words)}")
    return words.index(word)


def render(game: Game, record: Any, mode: str, seat: int | None) -> Any:
    """A picture of a record, whole or as one seat sees it, as text, SVG or pixels."""
    if mode == "ansi":
        return game.text(record, seat)
    svg = game.svg(record, seat)
    if mode == "svg":
        return svg
    from envs.drawing.raster import svg_to_rgb

    return svg_to_rgb(svg)
