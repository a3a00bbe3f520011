"""N games of one rule set in memory: their records and what is shown of them, saving them, and putting others in their place."""

from typing import Any, NamedTuple

import numpy as np

from envs import engine, saving
from envs.checks import boolean, distinct_rows, integer, read_only, show
from envs.describing import Describer
from envs.game import Game
from envs.stripes import MOST_THREADS, Stripes, cut
from envs.turns import Turn

MOST_GAMES = 2**31 - 1
_NO_ROWS = read_only(np.zeros(0, np.int64))
_MEMORY = (
    "_states", "_streams", "_observations", "_masks", "_seats", "_results", "_codes", "_view", "_finals", "_traces",
    "_observation_rows", "_trace_rows", "_mask_rows", "_view_rows", "_final_rows", "_shown", "_turn",
    "_features", "_stripes",
)  # fmt: skip
"""The environment's own memory, which copies have anew."""
_SAVED = ("_states", "_streams", "_results", "_codes", "_finals")


class _Stripe(NamedTuple):
    """The memory of some rows, which follow each other; see ``Batch``, whose arrays these are parts of."""

    rows: slice
    states: np.ndarray
    streams: np.ndarray
    observations: np.ndarray
    traces: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    results: np.ndarray
    codes: np.ndarray
    views: np.ndarray
    finals: np.ndarray
    features: np.ndarray
    describer: Describer | None


class Batch:
    """The memory of ``VectorAECEnv``, which has the verbs. N games, P seats, D observation length, A actions.

    Args:
        game: The rule set.
        num_envs: N.
        copy: Whether fresh arrays are given, not views of the memory.
        autoreset: Whether a finished game restarts in the same step.
        action_features: Whether actions are described.
        threads: How many threads share the rows.

    Raises:
        ValueError: ``num_envs`` or ``threads`` is no integer from 1, there is not enough memory for them, or the game does not
            describe its actions.
    """

    def __init__(
        self, game: Game, num_envs: int, *, copy: bool, autoreset: bool, action_features: bool = False, threads: int = 1
    ) -> None:
        if not isinstance(game, Game):
            raise ValueError(f"game is {show(game)}; it must be an envs.game.Game, see envs.make_game")
        self.game = game
        self.num_envs = integer("num_envs", num_envs, 1, MOST_GAMES)
        self.num_players = game.num_players
        self.copy = boolean("copy", copy)
        self.autoreset = boolean("autoreset", autoreset)
        self.action_features = boolean("action_features", action_features)
        self.threads = integer("threads", threads, 1, MOST_THREADS)
        try:
            self._allocate()
        except MemoryError as error:
            raise ValueError(f"num_envs is {self.num_envs}; there is not enough memory for them") from error

    def _allocate(self) -> None:
        game, n = self.game, self.num_envs
        self._turn = Turn()
        self._is_seeded = False
        self._states = np.zeros(n, game.state_dtype)
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
        describers = [Describer(game) if self.action_features else None for _ in range(min(self.threads, n))]
        self._features = np.zeros((0, 0, 0), np.float32) if describers[0] is None else describers[0].empty(n)
        self._stripes = Stripes(list(map(self._stripe, cut(n, self.threads), describers)))
        arrays = {name: getattr(self, name) for name in ("_states", "_observations", "_masks", "_seats", "_codes", "_view")}
        self._shown = {name: read_only(array) for name, array in arrays.items()}
        self._shown["_features"] = read_only(self._features)
        self._shown["rewards"] = read_only(self._results)["rewards"]
        self._ended = 0
        self.passed_over = 0
        """Deals that were over before anybody decided anything, and were dealt again."""

    def _stripe(self, rows: slice, describer: Describer | None) -> _Stripe:
        finals = slice(rows.start * self.num_players, rows.stop * self.num_players) if self.game.can_truncate else slice(None)
        return _Stripe(
            rows, self._states[rows], self._streams[rows], self._observation_rows[rows], self._trace_rows[rows],
            self._mask_rows[rows], self._seats[rows], self._results[rows], self._codes[rows], self._view_rows[rows],
            self._final_rows[finals], engine.rows(self._features)[rows] if describer else self._features, describer,
        )  # fmt: skip

    # --- what is there ---

    @property
    def states(self) -> np.ndarray:
        """``(N,)`` records: the games themselves; read only, see ``set_records``."""
        return self._shown["_states"]

    def ended_rows(self) -> np.ndarray:
        """The games that the last step ended, ``(K,) int64``."""
        return np.flatnonzero(self._codes) if self._ended else _NO_ROWS

    def final_observations(self, rows: np.ndarray) -> np.ndarray:
        """Every seat's last view in games that the last step cut by a limit: ``(K, P, D) float32``, a fresh array.

        Raises:
            ValueError: Rows that are not there, or a game that no limit ends.
        """
        if not self.game.can_truncate:
            raise ValueError(f"no limit ends a game of {self.game.name}")
        rows = distinct_rows("rows", rows, self.num_envs)
        return self._finals.reshape(self.num_envs, self.num_players, -1)[rows]

    @property
    def results(self) -> np.ndarray:
        """``(N,)`` records of ``engine.result_dtype``: what the latest end of each game left; read only."""
        return read_only(self._results)

    @property
    def codes(self) -> np.ndarray:
        """``(N,) int8``: how the last step left each game (``engine.RUNNING`` and others); read only."""
        return self._shown["_codes"]

    @property
    def episodes(self) -> np.ndarray:
        """``(N,) int64``: the running number of each row's game; read only."""
        return read_only(self._streams["episode"])

    def standings(self) -> np.ndarray:
        """``(N, P) int64``: how the seats stand now, higher is better; a fresh array."""
        now = np.empty_like(self._results)
        self.game.kernels.standings_batch(self._states, self.game.rules, now)
        return now["standings"]

    # --- saving ---

    def get_state(self) -> bytes:
        """All games and where their seeding stands, as bytes that hold no code; see ``envs.saving``."""
        header = self._header() | {"passed_over": self.passed_over, "is_seeded": self._is_seeded}
        return saving.pack(header, [getattr(self, name) for name in _SAVED])

    def _header(self) -> dict[str, Any]:
        return saving.header_of(self.game, num_envs=self.num_envs, autoreset=self.autoreset)

    def set_state(self, state: bytes) -> None:
        """Goes on from what ``get_state`` gave, of the same game, options and number of games.

        The bytes may come from anywhere: they are checked as a whole before anything is taken from them.

        Raises:
            ValueError: They are of something else, or hold positions that no game leads to. Nothing has changed then.
        """
        facts, arrays = saving.unpack(state, self._header(), [getattr(self, name) for name in _SAVED])
        parts = dict(zip(_SAVED, arrays, strict=True))
        self._check_saved(parts)
        with self._turn:
            for name, part in parts.items():
                getattr(self, name)[:] = part
            self.passed_over = facts["passed_over"]
            self._is_seeded = facts["is_seeded"]
            self._ended = int(np.count_nonzero(self._codes))
            self._show()

    def _check_saved(self, parts: dict[str, np.ndarray]) -> None:
        game, streams, finals = self.game, parts["_streams"], parts["_finals"]
        self._check_records(parts["_states"])
        saving.check_results(parts["_results"], self.num_players)
        if (streams["row"] < 0).any() or (streams["episode"] < 0).any():
            raise ValueError("the state holds a row or an episode below 0")
        if not np.isin(parts["_codes"], (engine.RUNNING, engine.TERMINATED, engine.TRUNCATED)).all():
            raise ValueError("the state holds ends of games that there are not")
        if not ((finals >= min(0.0, game.observation_low)) & (finals <= game.observation_high)).all():
            raise ValueError("the state holds final observations out of bounds")

    def set_records(self, records: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Puts positions on the tables, such as those of ``Game.from_dict``; they may come from anywhere.

        Args:
            records: ``(K,)`` records of ``game.state_dtype``.
            rows: ``(K,)`` integers, the rows they go to; None: all N.

        Raises:
            ValueError: Records that are no possible positions, or that are over where finished games restart, or rows that are
                not there. Nothing has changed then.
        """
        places = np.arange(self.num_envs) if rows is None else distinct_rows("rows", rows, self.num_envs)
        records = np.ascontiguousarray(records)
        if records.shape != places.shape:
            raise ValueError(f"records have shape {records.shape}; they must be {places.shape}")
        self._check_records(records)
        with self._turn:
            self._states[places] = records
            self._show()

    def _check_records(self, records: np.ndarray) -> None:
        self.game.check_records(records)
        over = np.flatnonzero(records["current_player"] < 0)
        if self.autoreset and len(over):
            raise ValueError(f"row {over[0]}: the game is over, but here finished games restart")

    def _show(self) -> None:
        """Writes observations, masks and seats to act anew, after the records were changed."""
        show, rules = self.game.kernels.show_batch, self.game.rules
        self._stripes.each(lambda part: show(part.states, rules, part.observations, part.traces, part.masks, part.seats))

    def _describe(self) -> None:
        """Writes the features of the actions as the games stand; so that nobody pays for them who does not look."""

        def write(part: _Stripe) -> None:
            if part.describer is not None:
                part.describer.write(part.states, part.masks, part.features)

        self._stripes.each(write)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _MEMORY} | {"saved": self.get_state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("saved")
        self.__dict__.update(state)
        self._allocate()
        self.set_state(saved)

    def _give(self, name: str) -> np.ndarray:
        shown = self._shown[name]
        return shown.copy() if self.copy else shown
