"""N games in which one seat is somebody else's and agents play the others: what single-agent environments are made of.

:class:`OneSeatGames` plays the opponents between two decisions of that seat, which is called the learner here. An opponent is
asked as in a tournament: it gets the view of its seat and re-dealt worlds. Its random words are outputs of a function keyed by
the seed (``envs.engine.siphash``): the same seed and actions lead to the same games, and a word tells nothing of the deal, which
is made from the same seed.

N games, P seats, D observation length, A actions.
"""

import copy
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from agents.agent import Agent, NoActionsError, as_actions
from agents.registry import make_agent
from envs import engine
from envs.checks import MAX_SEED, integer, seat_or_none, show, word_array
from envs.engine.siphash import siphash_pair
from envs.game import Game
from envs.turns import Turn
from envs.vector import VectorAECEnv, random_seed

_PURPOSE = b"opponents"
_SEAT = 2**64 - 1  # stands where the number of a decision stands in the messages of words


class Ends(NamedTuple):
    """The games that ended in a step of the learner; K games, in no order.

    Attributes:
        rows: ``(K,) int64``.
        seats: ``(K,) int64``, the learner's seats in them.
        codes: ``(K,) int8``, ``engine.TERMINATED`` or ``engine.TRUNCATED``.
        views: ``(K, D) float32``, what the learner sees at the end.
        results: ``(K,)`` records of ``engine.result_dtype``.
    """

    rows: np.ndarray
    seats: np.ndarray
    codes: np.ndarray
    views: np.ndarray
    results: np.ndarray


class _Games(VectorAECEnv):
    """The games of :class:`OneSeatGames`, which says only what is right: nothing is checked here a second time."""

    @property
    def observations(self) -> np.ndarray:
        """``(N, D) float32`` of the seats to act; read only."""
        return self._shown["_observations"]

    @property
    def masks(self) -> np.ndarray:
        """``(N, A) int8`` of the seats to act; read only."""
        return self._shown["_masks"]

    def views_of(self, rows: np.ndarray, seats: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Observations, masks and re-dealt worlds of ``seats``, who are to act in the games ``rows (K,)``; fresh arrays."""
        states, words = self._records(rows), np.empty(len(rows), np.uint64)
        _write_words(keys, self._streams["episode"], states["decisions"], rows, words)
        worlds = np.zeros(len(rows), states.dtype)  # so that the gaps between fields are the same bytes with the compiler off
        self.game.kernels.redeal_batch(states, self.game.rules, seats, words, worlds)
        return np.take(self._observations, rows, axis=0), np.take(self._masks, rows, axis=0), worlds

    def _records(self, rows: np.ndarray) -> np.ndarray:
        # As bytes: numpy copies records field by field.
        plain = self._states.view(np.uint8).reshape(self.num_envs, -1)
        return np.take(plain, rows, axis=0).reshape(-1).view(self._states.dtype)

    def play_rows(self, rows: np.ndarray, actions: np.ndarray) -> int:
        """Plays actions ``(K,) int64`` in the games ``rows (K,)``; -1, or a row with an illegal one: then none is played."""
        waiting = np.ones(self.num_envs, np.bool_)
        waiting[rows] = False
        everyone = np.zeros(self.num_envs, np.int64)
        everyone[rows] = actions
        seats = self._seats.copy()
        self._seats[waiting] = engine.NO_PLAYER  # the loops pass over a game in which nobody is to act
        try:
            wrong = self.game.kernels.first_illegal(self._mask_rows, self._seats, everyone)
            if wrong < 0:
                self._step(everyone)
        finally:
            np.copyto(self._seats, seats, where=waiting)
        return int(wrong)

    def deal_again(self, rows: np.ndarray) -> None:
        """Deals the next game in some rows."""
        self._deal_rows(rows)

    def seen(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What ``seats (K,)`` see in the games ``rows (K,)``: ``(K, D) float32``."""
        views = np.empty((len(rows), self.game.observation_size), np.float32)
        self.game.kernels.observe_batch(self._records(rows), self.game.rules, seats, engine.rows(views))
        return views


class OneSeatGames:
    """N games with one learning seat each; agents play the others inside ``step``.

    Args:
        game: The rule set.
        num_envs: N.
        opponents: One agent for all other seats, or P - 1 of them, in the order in which they follow the learner; each an
            agent or a name of one, see ``agents.registry.make_agent``.
        seat: The learner's seat; None: drawn for each game.
        reward: See ``VectorAECEnv``.
        illegal: What an illegal action of the learner does, see ``VectorAECEnv``.
        autoreset: Whether a finished game is followed by the next one in the same step.
        threads: See ``VectorAECEnv``; agents are asked by the thread that steps.

    Attributes:
        games: The games; they are to be looked at, not to be stepped.
        rewards: ``(N,) float32``: what the last step paid to the learners.
        illegal: ``(N,) bool``: whether the learner's last action was illegal.
        ends: The games that the last step ended.
        dropped_games: Games that were over before a learner had decided anything; they are nobody's and another one was dealt.

    Raises:
        ValueError: A seat or a number of opponents that does not fit the table, or no such agent.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: str | Agent | Iterable[str | Agent],
        *,
        seat: int | None = None,
        reward: str = "placement",
        illegal: str = "raise",
        autoreset: bool = True,
        threads: int = 1,
    ) -> None:
        self.game = game
        self.seat = seat_or_none(seat, game.num_players)
        self.autoreset = bool(autoreset)
        self.games = _Games(game, num_envs, seed=0, reward=reward, illegal=illegal, autoreset=False, threads=threads)
        self.num_envs = self.games.num_envs
        self.opponents = seat_opponents(opponents, game)
        distinct = list({id(agent): agent for agent in self.opponents}.values())
        self._asked = [(agent, [place for place, other in enumerate(self.opponents) if other is agent]) for agent in distinct]
        self.dropped_games = 0
        self._rows = np.arange(self.num_envs)
        self._learner = np.zeros(self.num_envs, np.int8)
        self._keys = np.zeros((self.num_envs, 2), np.uint64)
        self._is_over = np.zeros(self.num_envs, np.bool_)
        self._is_seeded = self._is_ready = False
        self._turn = Turn()
        self._begin()

    # --- what there is to see ---

    @property
    def learner(self) -> np.ndarray:
        """``(N,) int8``: the learner's seat in each game."""
        return self._learner

    def observations(self) -> np.ndarray:
        """What the learners see, ``(N, D) float32``: a view that can be read, and that the next step writes anew."""
        return self.games.observations

    def masks(self) -> np.ndarray:
        """Their legal actions, ``(N, A) int8``: such a view too; zero in a game that is over."""
        return self.games.masks

    # --- playing ---

    def reset(self, seed: int | Sequence[int] | np.ndarray | None = None) -> None:
        """Deals all games anew and plays them to the learner's first decision.

        Args:
            seed: As of ``VectorAECEnv.reset``: one integer for all rows, or ``(N,)`` integers, or None: the next games.

        Raises:
            ValueError: The seed is none. Nothing has changed then.
        """
        if seed is None and not self._is_seeded:
            seed = random_seed()
        keys = self._keys if seed is None else _keys_of(seed, self.num_envs)
        with self._turn:
            self.games.reset(seed)
            self._keys, self._is_seeded, self._is_ready = keys, True, False
            self._begin()
            self._is_over[:] = True  # no learner has decided anything yet: what ends now is nobody's game
            self._seat_learners(self._rows)
            over = self._rows[self.games.agent_selection == engine.NO_PLAYER]
            self.dropped_games += len(over)
            self._deal_again(over)
            self._play_opponents()
            self._is_over[:] = False

    def step(self, actions: np.ndarray) -> None:
        """Plays an action of every learner, then the opponents to its next decision or to the end of the game.

        Args:
            actions: ``(N,)`` integers; not looked at in a game that is over.

        Raises:
            ValueError: As of ``VectorAECEnv.step``. Nothing has changed then.
            RuntimeError: An opponent failed in this step or the last one; ``reset`` deals anew.
        """
        with self._turn:
            if not self._is_ready:
                raise RuntimeError("there are no games in which the learner is to act: call reset() first")
            self.games.step(actions)
            self._is_ready = False
            self._begin()
            np.copyto(self.illegal, self.games.results["illegal"])
            self._note_ends()
            self._play_opponents()

    def _begin(self) -> None:
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.illegal = np.zeros(self.num_envs, np.bool_)
        self._is_over[:] = False
        self._parts: list[Ends] = []
        self.ends = self._no_ends()

    def _no_ends(self) -> Ends:
        none, results = np.zeros(0, np.int64), engine.result_dtype(self.game.num_players)
        return Ends(none, none, np.zeros(0, np.int8), np.zeros((0, self.game.observation_size), np.float32), np.zeros(0, results))

    def _seat_learners(self, rows: np.ndarray) -> None:
        if self.seat is None:
            _draw_seats(self._keys, self.games.episodes, rows, self.game.num_players, self._learner)
        else:
            self._learner[rows] = self.seat

    def _play_opponents(self) -> None:
        """Plays the other seats until none of them is to act."""
        acting = self.games.agent_selection
        while len(rows := np.flatnonzero((acting != self._learner) & (acting != engine.NO_PLAYER))):
            self._play(rows, acting[rows].astype(np.int64))
            self._note_ends()
        if self._parts:
            self.ends = self._parts[0] if len(self._parts) == 1 else Ends(*map(_joined, zip(*self._parts, strict=True)))
        self._is_ready = True

    def _play(self, rows: np.ndarray, seats: np.ndarray) -> None:
        """Plays a decision of an opponent in some games; an agent that sits on several seats is asked once for all its games."""
        views = self.games.views_of(rows, seats, self._keys)
        places = (seats - self._learner[rows]) % self.game.num_players - 1
        actions = np.zeros(len(rows), np.int64)
        for agent, own in self._asked:
            part = np.flatnonzero(np.isin(places, own)) if len(self._asked) > 1 else None
            if part is None:
                actions = _answer(agent, *views)
            elif len(part):
                actions[part] = _answer(agent, *(view[part] for view in views))
        wrong = self.games.play_rows(rows, actions)
        if wrong >= 0:
            place = int(np.flatnonzero(rows == wrong)[0])
            name, legal = _name(self.opponents[places[place]]), np.flatnonzero(self.masks()[wrong]).tolist()
            raise RuntimeError(f"opponent {name} has played action {actions[place]}, which is illegal; legal are {legal}")

    def _note_ends(self) -> None:
        rows = self.games.ended_rows()
        if not len(rows):
            return
        is_first = ~self._is_over[rows]
        if is_first.any():
            self._note(rows[is_first])
        # A second end in the same step is of a game in which the learner has decided nothing.
        self.dropped_games += int(np.count_nonzero(~is_first))
        self._deal_again(rows if self.autoreset else rows[~is_first])

    def _note(self, rows: np.ndarray) -> None:
        seats, results = self._learner[rows].astype(np.int64), self.games.results[rows]
        self.rewards[rows] = results["rewards"][np.arange(len(rows)), seats]
        self._is_over[rows] = True
        self._parts.append(Ends(rows, seats, self.games.codes[rows], self.games.seen(rows, seats), results))

    def _deal_again(self, rows: np.ndarray) -> None:
        if len(rows):
            self.games.deal_again(rows)
            self._seat_learners(rows)

    # --- copies ---

    def __deepcopy__(self, memo: dict[int, Any]) -> "OneSeatGames":
        memo |= {id(agent): agent for agent in self.opponents}  # an agent plays every decision on its own: copies share it
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_turn"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._turn = Turn()


def seat_opponents(opponents: Any, game: Game) -> list[Agent]:
    """The agents of the P - 1 other seats.

    Args:
        opponents: One for all of them, or one for each; an agent or its name.
        game: The rule set.

    Raises:
        ValueError: Another number of them, no such agent, or something that is no agent.
    """
    others = game.num_players - 1
    is_one = isinstance(opponents, str) or hasattr(opponents, "act")
    if not is_one and not isinstance(opponents, Iterable):
        raise ValueError(f"opponents is {show(opponents)}; it must be an agent, a name of one, or {others} of them")
    given = [opponents] * others if is_one else list(opponents)
    if len(given) != others:
        raise ValueError(f"{len(given)} opponents for {others} seats")
    made: dict[Any, Agent] = {}
    for each in given:
        if isinstance(each, str) and each not in made:
            made[each] = make_agent(each, game)
        elif not isinstance(each, str) and not callable(getattr(each, "act", None)):
            raise ValueError(f"opponent {show(each)} is no agent: it has no method act")
    return [made[each] if isinstance(each, str) else each for each in given]


def _answer(agent: Agent, observations: np.ndarray, masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
    """An agent's actions, legal or not.

    Raises:
        RuntimeError: It has given something else: an environment goes on with no move that its opponent did not make.
    """
    try:
        return as_actions(agent.act(observations, masks, worlds), len(worlds))
    except NoActionsError as error:
        raise RuntimeError(f"opponent {_name(agent)} has answered {error}") from error


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays one behind the other; records as bytes, for numpy joins them field by field."""
    if parts[0].dtype.names is None:
        return np.concatenate(parts)
    return np.concatenate([part.view(np.uint8) for part in parts]).view(parts[0].dtype)


def _name(agent: Agent) -> str:
    return str(getattr(agent, "name", type(agent).__name__))


def _keys_of(seed: Any, num_envs: int) -> np.ndarray:
    """The keys of the words of every row, ``(N, 2) uint64``, from seeds as ``VectorAECEnv.reset`` takes them."""
    is_one = np.ndim(seed) == 0
    if is_one:
        pairs: Iterable[tuple[int, int]] = ((integer("seed", seed, 0, MAX_SEED), row) for row in range(num_envs))
    else:
        pairs = ((each, 0) for each in word_array("seed", seed, num_envs).tolist())
    texts = (f"{each} {row}".encode() for each, row in pairs)
    content = b"".join(hashlib.blake2b(text, digest_size=16, person=_PURPOSE).digest() for text in texts)
    return np.frombuffer(content, "<u8").astype(np.uint64).reshape(num_envs, 2)


@engine.kernel
def _write_words(keys, episodes, decisions, rows, words):
    """A word for the next decision of each game: of its row's key, its number and how many decisions there were in it."""
    for i in range(len(rows)):
        row = rows[i]
        words[i] = siphash_pair(keys[row, 0], keys[row, 1], np.uint64(episodes[row]), np.uint64(decisions[i]))


@engine.kernel
def _draw_seats(keys, episodes, rows, num_players, seats):
    """The learner's seat in some games, each seat with the same chance."""
    for i in range(len(rows)):
        row = rows[i]
        word = siphash_pair(keys[row, 0], keys[row, 1], np.uint64(episodes[row]), np.uint64(_SEAT))
        seats[row] = engine.scaled(word, num_players)
