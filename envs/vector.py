"""VectorAECEnv: N games of one rule set, one decision in each per step."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from envs import engine
from envs.batch import Batch
from envs.checks import MAX_SEED, distinct_rows, index_of, integer, integer_array, integers_between, is_single, word_array
from envs.game import MOST_FEATURE, Game

PICTURE_MODES = ("ansi", "svg", "rgb_array")


class VectorAECEnv(Batch):
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
        copy: Whether ``last``, ``observe`` and ``state`` give fresh arrays; otherwise they give views of the environment's
            memory, which the next call writes anew. Those can be read, but not written to.
        autoreset: Whether a finished game restarts in the same step.
        action_features: Whether observations have ``"action_features": (N, A, F) float32`` too: what the seat to act can know of
            the immediate result of each legal action (``game.action_table()``), zeros for all others.
        threads: How many threads share the rows, for batches of some thousand games; the bytes are the same for any number.

    One thread at a time: a call that finds another one at work in the same environment raises a RuntimeError.

    Raises:
        ValueError: An unknown reward, policy, or a number of games or threads below 1, or features of a game that does not
            describe its actions.
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
        action_features: bool = False,
        threads: int = 1,
    ) -> None:
        super().__init__(
            game, num_envs, copy=copy, autoreset=autoreset, action_features=action_features, threads=threads
        )
        self.reward = reward
        self._reward_kind = index_of("reward", reward, engine.REWARD_KINDS)
        self._illegal = index_of("illegal", illegal, engine.ILLEGAL_POLICIES)
        self.possible_agents = [f"player_{p}" for p in range(game.num_players)]
        mode = AutoresetMode.SAME_STEP if autoreset else AutoresetMode.DISABLED
        self.metadata = {"name": game.id, "autoreset_mode": mode, "render_modes": list(PICTURE_MODES)}
        self.single_observation_space = observation_space(game, self.action_features)
        self.single_action_space = gymnasium.spaces.Discrete(game.num_actions)
        self.reset(seed)

    # --- the AEC verbs ---

    @property
    def agent_selection(self) -> np.ndarray:
        """``(N,) int8``: the seat to act in each game, -1 in a game that is over."""
        return self._give("_seats")

    def reset(self, seed: int | Sequence[int] | np.ndarray | None = None) -> None:
        """Deals a new game in every row.

        Args:
            seed: One integer for all rows; or ``(N,)`` integers, and row i plays the game that a single environment plays
                with seed[i]; or None: the next episode of every row.

        Raises:
            ValueError: Another number of seeds, or one that is no integer from 0 to 2**64 - 1. Nothing has changed then.
        """
        if seed is None and not self._is_seeded:
            seed = random_seed()
        is_one = seed is None or is_single(seed)
        seeds: Any = None
        if seed is not None:
            seeds = integer("seed", seed, 0, MAX_SEED) if is_one else word_array("seed", seed, self.num_envs)
        with self._turn:
            self._deal_all(seeds, is_one)

    def _deal_all(self, seeds: Any, is_one: bool) -> None:
        if seeds is None:
            self._streams["episode"] += 1
        else:
            self._streams["seed"] = seeds
            self._streams["row"] = np.arange(self.num_envs) if is_one else 0
            self._streams["episode"] = 0
            self._is_seeded = True
        self._results[:] = np.zeros((), self._results.dtype)
        deal, rules, kind, autoreset = self.game.kernels.reset_batch, self.game.rules, self._reward_kind, self.autoreset
        self.passed_over += sum(self._stripes.each(lambda part: deal(
            part.states, rules, part.streams, kind, autoreset,
            part.observations, part.traces, part.masks, part.seats, part.results, part.codes,
        )))  # fmt: skip
        self._ended = int(np.count_nonzero(self._codes))

    def last(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """What the last step led to.

        Returns:
            observation: ``{"observation": (N, D) float32, "action_mask": (N, A) int8}`` for the seat to act in each game; with
                ``action_features`` also ``"action_features": (N, A, F) float32``.
            rewards: ``(N, P) float32``: what the last step paid to every seat.
            terminations: ``(N,) bool``: the step ended the game by the rules.
            truncations: ``(N,) bool``: the step ended the game by a limit.
            infos: Empty, or with ``rows (K,)``, the games that ended, and for each of them ``rank (K, P) int8`` from 1,
                ``score (K, P) float32`` and ``length (K,) int32`` in decisions; with ``truncated_rows (L,)`` and
                ``final_observation (L, P, D)`` if some were truncated; and with ``illegal (N,) bool`` if a policy other than
                "raise" was given.
        """
        observation = {"observation": self._give("_observations"), "action_mask": self._give("_masks")}
        if self.action_features:
            self._describe()
            observation["action_features"] = self._give("_features")
        terminations, truncations = self._codes == engine.TERMINATED, self._codes == engine.TRUNCATED
        return observation, self._give("rewards"), terminations, truncations, self._infos(truncations)

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
            actions: ``(N,)`` integers.

        Raises:
            ValueError: A wrong shape or type, or, with ``illegal="raise"``, an illegal action. Nothing has changed then.
        """
        actions = integer_array("actions", actions, self.num_envs)
        with self._turn:
            self._step(actions)

    def _step(self, actions: np.ndarray) -> None:
        kernels = self.game.kernels
        if self._illegal == engine.RAISE and kernels.first_illegal(self._mask_rows, self._seats, actions) >= 0:
            raise ValueError(self._illegal_message(actions))
        step, rules, kind, policy, autoreset = (
            kernels.step_batch, self.game.rules, self._reward_kind, self._illegal, self.autoreset,
        )  # fmt: skip
        counts = self._stripes.each(lambda part: step(
            part.states, rules, part.streams, actions[part.rows], kind, policy, autoreset,
            part.observations, part.traces, part.masks, part.seats, part.results, part.codes, part.finals,
        ))  # fmt: skip
        self._ended = sum(ended for ended, _ in counts)
        self.passed_over += sum(passed_over for _, passed_over in counts)

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
            ValueError: Rows that are not there, or as of ``step``. Nothing has changed then.
        """
        rows = distinct_rows("rows", rows, self.num_envs)
        actions = integer_array("actions", actions, len(rows))
        with self._turn:
            self._step_rows(rows, actions)

    def _step_rows(self, rows: np.ndarray, actions: np.ndarray) -> None:
        waiting = np.ones(self.num_envs, np.bool_)
        waiting[rows] = False
        seats = self._seats[waiting]
        everyone = np.zeros(self.num_envs, np.int64)
        everyone[rows] = actions
        self._seats[waiting] = engine.NO_PLAYER  # the loops pass over a game in which nobody is to act
        try:
            self._step(everyone)
        finally:
            self._seats[waiting] = seats

    def deal_rows(self, rows: np.ndarray) -> None:
        """Deals the next game in some rows ``(K,)``; a deal that is over before anybody decides is passed over.

        Raises:
            ValueError: Rows that are not there. Nothing has changed then.
        """
        rows = distinct_rows("rows", rows, self.num_envs)
        with self._turn:
            self._deal_rows(rows)

    def _deal_rows(self, rows: np.ndarray) -> None:
        self._streams["episode"][rows] += 1
        arrays: list[np.ndarray] = [
            self._states, self._streams, self._observations, self._traces,
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
        """What ``seats (K,)`` see in the games ``rows (K,)``: ``(K, D) float32``, a fresh array.

        Raises:
            ValueError: Rows or seats that are not there.
        """
        rows = distinct_rows("rows", rows, self.num_envs)
        seats = integers_between("seats", seats, len(rows), 0, self.num_players - 1)
        views = np.empty((len(rows), self.game.observation_size), np.float32)
        self.game.kernels.observe_batch(self._states[rows], self.game.rules, seats, engine.rows(views))
        return views

    # --- views ---

    def observe(self, seat: int | np.ndarray) -> dict[str, np.ndarray]:
        """The view of any seat.

        Args:
            seat: One seat for all games, or ``(N,)`` seats.

        Returns:
            ``{"observation": (N, D) float32, "action_mask": (N, A) int8}``; the mask is zero where another seat is to act, and
            so are the ``"action_features"`` if there are any.

        Raises:
            ValueError: A seat that is not at the table.
        """
        last = self.num_players - 1
        if is_single(seat):
            seats = np.full(self.num_envs, integer("seat", seat, 0, last), np.int64)
        else:
            seats = integers_between("seat", seat, self.num_envs, 0, last)
        look, rules = self.game.kernels.observe_batch, self.game.rules
        self._stripes.each(lambda part: look(part.states, rules, seats[part.rows], part.views))
        masks = np.where((seats == self._seats)[:, None], self._masks, np.int8(0))
        view = {"observation": self._give("_view"), "action_mask": masks}
        if self.action_features:
            self._describe()
            view["action_features"] = np.where((seats == self._seats)[:, None, None], self._features, np.float32(0))
        return view

    def state(self) -> np.ndarray:
        """The full view for central critics: all seats' observations, ``(N, P * D) float32``, a fresh array."""
        full = np.empty((self.num_envs, self.num_players, self.game.observation_size), np.float32)
        for seat in range(self.num_players):
            full[:, seat] = self.observe(seat)["observation"]
        return full.reshape(self.num_envs, -1)

    def worlds(self, words: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """Copies of the games in which all that the seat to act cannot know has been dealt anew.

        Args:
            words: ``(N,)`` integers from 0 to 2**64 - 1: the random words to deal from.
            seats: ``(N,)`` other seats to deal for, or None: the seat to act (0 in a game that is over).

        Returns:
            ``(N,)`` records, a fresh array.

        Raises:
            ValueError: Words or seats of a wrong type, number or range.
        """
        words = word_array("words", words, self.num_envs)
        if seats is None:
            seats = np.maximum(self._seats, 0).astype(np.int64)
        else:
            seats = integers_between("seats", seats, self.num_envs, 0, self.num_players - 1)
        worlds = np.zeros_like(self._states)  # so that the gaps between fields are the same bytes with the compiler off
        redeal, rules = self.game.kernels.redeal_batch, self.game.rules
        self._stripes.each(
            lambda part: redeal(part.states, rules, seats[part.rows], words[part.rows], worlds[part.rows])
        )
        return worlds

    def render(self, row: int = 0, mode: str = "ansi", seat: int | None = None) -> Any:
        """A picture of one game: text ("ansi"), SVG text ("svg") or ``(H, W, 3) uint8`` ("rgb_array").

        Args:
            row: Which game.
            mode: The kind of picture.
            seat: The seat that sees it; None: everything is shown.

        Raises:
            ValueError: No such row, mode or seat.
        """
        index_of("mode", mode, PICTURE_MODES)
        return render(self.game, self.states[integer("row", row, 0, self.num_envs - 1)], mode, seat)

    def close(self) -> None:
        """Ends the threads, if there are any; a call that needs them starts them anew."""
        self._stripes.close()


def observation_space(game: Game, action_features: bool = False) -> gymnasium.spaces.Dict:
    """The space of one seat's observation: the flat vector, the action mask, and perhaps the features of the actions."""
    shape = (game.observation_size,)
    box = gymnasium.spaces.Box(game.observation_low, game.observation_high, shape, np.float32)
    spaces: dict[str, gymnasium.Space] = {"observation": box, "action_mask": gymnasium.spaces.MultiBinary(game.num_actions)}
    if action_features:
        of_actions = (game.num_actions, game.num_features)
        spaces["action_features"] = gymnasium.spaces.Box(-MOST_FEATURE, MOST_FEATURE, of_actions, np.float32)
    return gymnasium.spaces.Dict(spaces)


def random_seed() -> int:
    """A seed that nobody chose, from 0 to 2**63 - 1."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def render(game: Game, record: Any, mode: str, seat: int | None) -> Any:
    """A picture of a record, whole or as one seat sees it, as text, SVG or pixels."""
    if mode == "ansi":
        return game.text(record, seat)
    svg = game.svg(record, seat)
    if mode == "svg":
        return svg
    from envs.drawing.raster import svg_to_rgb

    return svg_to_rgb(svg)
