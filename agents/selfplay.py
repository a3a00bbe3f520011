"""N games of one rule set as an environment of stable-baselines3, with one learning seat in each.

:class:`SelfPlayVecEnv`: any agents play the other seats, so that it has plain single-agent semantics, for any algorithm; a
learner against fixed agents becomes their best response. ``agents.allseats`` has its sister, in which all seats learn.

N games, P seats, D observation length, A actions.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from agents.agent import Agent
from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv

NO_ROWS = np.zeros(0, np.int64)
_WORLD = np.uint64(0x576F726C64)  # tells this use of a random word from all others


@engine.kernel
def decision_words(states, words):
    """A random word for the decision that each game is about to take, made from nothing but the game."""
    for i in range(len(states)):
        words[i] = engine.mix_in(engine.mix_in(states[i]["rng"], _WORLD), states[i]["decisions"])


def leads_of(standings: np.ndarray) -> np.ndarray:
    """By how much each seat leads the mean of the others, ``(K, P) float32``, from ``(K, P)`` standings."""
    own = standings.astype(np.float32)
    return own - (own.sum(axis=1, keepdims=True) - own) / np.float32(own.shape[1] - 1)


class Games(VectorAECEnv):
    """``VectorAECEnv`` of which a part of the games can be stepped while the others wait."""

    def step_rows(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Plays one decision in the games ``rows (K,)`` with ``actions (K,)``; the others stay as they are.

        Raises:
            ValueError: An illegal action; nothing has changed then.
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
        """Deals the next game in some rows; a deal that is over before anybody decides is passed over."""
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

    def ended_rows(self) -> np.ndarray:
        """The games that the last step ended, ``(K,)``."""
        return np.flatnonzero(self._codes) if self._ended else NO_ROWS

    def view_of(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What ``seats (K,)`` see in the games ``rows (K,)``: ``(K, D) float32``, a fresh array."""
        views = np.empty((len(rows), self.game.observation_size), np.float32)
        self.game.kernels.observe_batch(self.states[rows], self.game.rules, seats.astype(np.int64), engine.rows(views))
        return views

    def words(self, rows: np.ndarray) -> np.ndarray:
        """A random word for the next decision in the games ``rows (K,)``: ``(K,) uint64``."""
        words = np.empty(len(rows), np.uint64)
        decision_words(self.states[rows], words)
        return words

    def worlds_of(self, rows: np.ndarray) -> np.ndarray:
        """Copies of the games ``rows (K,)``, re-dealt for the seat to act; see ``worlds``."""
        worlds = np.empty(len(rows), self.states.dtype)
        seats = self._seats[rows].astype(np.int64)
        self.game.kernels.redeal_batch(self.states[rows], self.game.rules, seats, self.words(rows), worlds)
        return worlds

    def leads(self) -> np.ndarray:
        """By how much each seat leads the mean of the others now, ``(N, P) float32``."""
        now = np.empty_like(self._results)
        self.game.kernels.standings_batch(self.states, self.game.rules, now)
        return leads_of(now["standings"])

    @property
    def results(self) -> np.ndarray:
        """``(N,)`` records of ``engine.result_dtype``: what the latest end of each game left."""
        return self._results

    @property
    def codes(self) -> np.ndarray:
        """``(N,) int8``: how the last step left each game."""
        return self._codes

    @property
    def episodes(self) -> np.ndarray:
        """``(N,) int64``: the running number of each row's game."""
        return self._streams["episode"]

    def last_views(self, rows: np.ndarray) -> np.ndarray:
        """Every seat's last view in games that the last step cut by a limit: ``(K, P, D) float32``, a fresh array."""
        return self._finals.reshape(self.num_envs, self.num_players, -1)[rows]


class SeatsVecEnv(VecEnv):
    """What both self-play environments share: one Python object in place of N environments."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self.game = games.game
        self.num_players = games.num_players
        self.render_mode = None  # the base class asks for it
        space = games.single_observation_space["observation"]
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
        return self.games.last()[0]["observation"].copy()

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
        """Does nothing: there is nothing to give back."""

    def _deal_all(self) -> None:
        self.games.reset(self._next_seed)
        self._next_seed = None


class SelfPlayVecEnv(SeatsVecEnv):
    """N games with one learning seat each; agents play the others inside ``step``.

    Args:
        game: The rule set.
        num_envs: N.
        opponents: One agent for all other seats, or P - 1 of them, in the order in which they follow the learner.
        seat: The learner's seat; None: another one in each game.
        seed: Of the games.
        reward: See ``VectorAECEnv``.
        illegal: See ``VectorAECEnv``; for algorithms that know no masks, "forfeit" or "random".

    Raises:
        ValueError: A seat or a number of opponents that does not fit the table.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Agent | Iterable[Agent],
        *,
        seat: int | None = None,
        seed: int = 0,
        reward: str = "placement",
        illegal: str = "raise",
    ) -> None:
        if seat is not None and seat not in range(game.num_players):
            raise ValueError(f"seat {seat!r} is not one of 0 to {game.num_players - 1}")
        others = game.num_players - 1
        self.opponents = [opponents] * others if hasattr(opponents, "act") else list(opponents)
        if len(self.opponents) != others:
            raise ValueError(f"{len(self.opponents)} opponents for {others} seats")
        self.seat = seat
        self.illegal_actions = 0
        super().__init__(Games(game, num_envs, seed=seed, reward=reward, illegal=illegal, autoreset=False))
        self._next_seed = seed
        self._learner = np.zeros(num_envs, np.int8)

    @property
    def learner_seats(self) -> np.ndarray:
        """``(N,) int8``: the learner's seat in each game."""
        return self._learner

    def reset(self) -> np.ndarray:
        """Deals all games anew and plays them to the learner's first turn; its observations ``(N, D)``."""
        self._deal_all()
        self._begin_turn()
        self._is_over[:] = True  # no learner has decided anything yet: what ends now is no episode
        rows = np.arange(self.num_envs)
        self._seat_learners(rows)
        over = rows[self.games.agent_selection == engine.NO_PLAYER]
        self._deal_again(over)
        self._play_opponents()
        return self._observations()

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Plays the learner's actions, then the opponents to its next turn; a game that ends is followed by the next one."""
        self._begin_turn()
        self.games.step(self._actions)
        self.illegal_actions += int(np.count_nonzero(self.games.results["illegal"]))
        self._note_ends()
        self._play_opponents()
        return self._observations(), self._rewards, self._is_over, self._infos

    def _begin_turn(self) -> None:
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        self._infos = self._no_infos

    def _seat_learners(self, rows: np.ndarray) -> None:
        seats = (rows + self.games.episodes[rows]) % self.num_players if self.seat is None else self.seat
        self._learner[rows] = seats

    def _play_opponents(self) -> None:
        while True:
            acting = self.games.agent_selection
            rows = np.flatnonzero(acting != self._learner)
            if not len(rows):
                return
            places = (acting[rows] - self._learner[rows]) % self.num_players - 1
            self.games.step_rows(rows, self._ask(rows, places))
            self._note_ends()

    def _ask(self, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
        """The opponents' actions; an agent that sits on several seats is asked once for all its games."""
        shown, actions = self.games.last()[0], np.zeros(len(rows), np.int64)
        for agent in {id(agent): agent for agent in self.opponents}.values():
            seats = [place for place, other in enumerate(self.opponents) if other is agent]
            asked = np.isin(places, seats)
            part = rows[asked]
            if len(part):
                actions[asked] = agent.act(shown["observation"][part], shown["action_mask"][part], self.games.worlds_of(part))
        return actions

    def _note_ends(self) -> None:
        rows = self.games.ended_rows()
        if not len(rows):
            return
        is_first = ~self._is_over[rows]
        self.dropped_games += int(np.count_nonzero(~is_first))
        self._note_episodes(rows[is_first])
        self._deal_again(rows)

    def _note_episodes(self, rows: np.ndarray) -> None:
        seats = self._learner[rows]
        views, results = self.games.view_of(rows, seats), self.games.results[rows]
        self._rewards[rows] = results["rewards"][np.arange(len(rows)), seats]
        self._is_over[rows] = True
        self._infos = self._infos.copy()
        for row, view, result in zip(rows, views, results, strict=True):
            self._infos[row] = {
                "terminal_observation": view,
                "TimeLimit.truncated": bool(self.games.codes[row] == engine.TRUNCATED),
                "episode": {"r": float(self._rewards[row]), "l": int(result["length"]), "t": 0.0},
                "rank": result["ranks"].copy(),
                "score": result["scores"].copy(),
            }

    def _deal_again(self, rows: np.ndarray) -> None:
        if len(rows):
            self.games.deal_rows(rows)
            self._seat_learners(rows)
