"""How a game stands as an agent sees it, and what each move lost."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from agents.registry import check_spec, make_agent
from agents.search import SearchAgent, parse_settings
from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv
from play.frames import Moments

WORLDS = 8
"""How many worlds a move is compared with the best one in: each of them deals anew all that the player cannot know."""
LIMITS = ((0.15, "blunder"), (0.10, "mistake"), (0.05, "inaccuracy"))
"""The parts of the chances from which a move is called so, where its error leaves no doubt; those of lichess.org for Chess."""
DOUBT = 2.0
"""Standard errors that a loss must be larger than."""


class Question(NamedTuple):
    """A decision to be judged: ``(1,)`` record, the action played, and a random word."""

    record: np.ndarray
    action: int
    word: int


class Judge:
    """Judges positions and moves of one game.

    A position is worth to a seat its chance to be ahead of another one at the end, a tie counting half: with two players the
    chance to win. For that a search counts games to their ends, even where it looks at the lead when it plays. One that does not
    look to the end at all (``depth``) is asked for the lead that it sees; ``meaning`` says which of the two it is.

    Args:
        game: The rule set.
        spec: A search with a number of simulations, as ``"ismcts:200"``, or a checkpoint, which judges positions alone.

    Raises:
        ValueError: There is no such agent, or it has no opinion of positions.
    """

    def __init__(self, game: Game, spec: str) -> None:
        check_judge(spec, game)
        self.game, self.agent = game, make_agent(spec, game)
        self._root = VectorAECEnv(game, 1, seed=0, autoreset=False)
        self._worlds = VectorAECEnv(game, WORLDS, seed=0, autoreset=False)
        if isinstance(self.agent, SearchAgent):
            self._own = self.agent.settings
            counting = self._own if self._own.depth is not None else replace(self._own, scale=0.0)
            few = max(1, int(counting.simulations or 1) // 4)
            self._long, self._short = (SearchAgent(game, it) for it in (counting, replace(counting, simulations=few)))

    def __call__(self, question: Question) -> dict[str, Any]:
        """Judges a position and the move played there.

        Returns:
            ``chances``: for each seat from 0 to 1, None where the agent has no opinion. For a move that is not the one the agent
            likes best also ``lost`` and its standard ``error``, ``better`` (a sentence) and ``kind`` (a word, or None).
        """
        self._root.set_records(question.record)
        world = self._root.worlds(np.array([question.word], np.uint64))
        if not isinstance(self.agent, SearchAgent):
            return {"chances": self._by_network(int(question.record["current_player"][0]))}
        found = self._long.search(world, with_values=True)
        assert found.outlook is not None
        judged = {"chances": [None if np.isnan(value) else _chance(value) for value in found.outlook[0]]}
        best = int((found if self._own == self._long.settings else self.agent.search(world)).actions[0])
        return judged | self._compared(question, best)

    def _by_network(self, seat: int) -> list[float | None]:
        """The value function, which knows positions from the seat to act alone; of two players that tells both."""
        observation = self._root.last()[0]["observation"]
        value = float(np.clip(self.agent.network.values(observation)[0], -1, 1))  # type: ignore[attr-defined]
        if self.game.num_players == 2:
            return [_chance(value if p == seat else -value) for p in range(2)]
        return [_chance(value) if p == seat else None for p in range(self.game.num_players)]

    def _compared(self, question: Question, best: int) -> dict[str, Any]:
        """What the move played lost against the best one: both are played in the same worlds, and what follows is searched."""
        sentences = [self.game.sentence(question.record, action) for action in (question.action, best)]
        if sentences[0] == sentences[1]:
            return {}
        lost = (self._after(question, best) - self._after(question, question.action)) / 2
        mean, error = float(lost.mean()), float(lost.std(ddof=1) / np.sqrt(WORLDS))
        sure = max(0.0, mean) > DOUBT * error
        kind = next((word for limit, word in LIMITS if sure and mean >= limit), None)
        return {"lost": mean, "error": error, "better": sentences[1], "kind": kind}

    def _after(self, question: Question, action: int) -> np.ndarray:
        """``(WORLDS,)``: what the seat to act may expect after an action, from -1 to 1, in each world."""
        env, seat = self._worlds, int(question.record["current_player"][0])
        env.set_records(np.repeat(question.record, WORLDS))
        words = np.array([engine.word_of(question.word, number) for number in range(WORLDS)], np.uint64)
        env.set_records(env.worlds(words))
        env.step(np.full(WORLDS, action))
        _, rewards, ended, cut, _ = env.last()
        expected, goes_on = rewards[:, seat].astype(np.float64), ~(ended | cut)
        if goes_on.any():
            expected[goes_on] = self._outlook(env.worlds(words)[goes_on])[:, seat]
        return expected

    def _outlook(self, worlds: np.ndarray) -> np.ndarray:
        """``(K, P)``: what a search expects; where only one action is legal, of the position that it leads to."""
        found = self._short.search(worlds, with_values=True)
        assert found.outlook is not None
        outlook = found.outlook
        for row in np.flatnonzero(np.isnan(outlook[:, 0])):
            outlook[row] = self._forced(worlds[row : row + 1])
        return outlook

    def _forced(self, world: np.ndarray) -> np.ndarray:
        """``(P,)``: the same from a position with one legal action, played until there is a choice or the game is over."""
        env = self._root
        env.set_records(world)
        while env.agent_selection[0] >= 0:
            legal = np.flatnonzero(env.last()[0]["action_mask"][0])
            if len(legal) > 1:
                found = self._short.search(env.states.copy(), with_values=True)
                assert found.outlook is not None
                return found.outlook[0]
            env.step(legal[:1])
        return env.last()[1][0].astype(np.float64)


def check_judge(spec: str, game: Game) -> None:
    """Refuses an agent that has no opinion of positions, without making it.

    Raises:
        ValueError: There is no such agent, or it cannot judge.
    """
    check_spec(spec, game)
    head, _, tail = spec.partition(":")
    if head == "ismcts" and parse_settings(tail, game).simulations is None:
        raise ValueError(f"{spec} depends on the clock; name a number of simulations, as ismcts:200")
    if head not in ("ismcts", "ppo") and not spec.removesuffix(":sample").endswith(".zip"):
        raise ValueError(f"{spec} has no opinion of positions; name a search, as ismcts:200, or a checkpoint")


def meaning(spec: str, game: Game) -> str:
    """What the chances are that an agent gives, in words."""
    if spec.startswith("ismcts") and (depth := parse_settings(spec.partition(":")[2], game).depth) is not None:
        return f"who is ahead {depth} decisions on"
    return "chance to win" if game.num_players == 2 else "chance to be ahead of another player"


def questions(moments: Moments) -> list[Question]:
    """The decisions of a game, each with a word of its own."""
    words = (int(engine.word_of(moments.seed, number)) for number in range(len(moments.actions)))
    return [Question(*parts) for parts in zip(moments.records, moments.actions, words, strict=False)]


def judge_game(moments: Moments, ask: Callable[[Question], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What an agent says of every moment of a game, one after the other, and at its end how it came out."""
    yield from map(ask, questions(moments))
    yield {"chances": _result(moments)}


def _chance(value: float) -> float:
    return round((float(value) + 1) / 2, 4)


def _result(moments: Moments) -> list[float] | None:
    """How the last moment leaves each seat; None where the game goes on there. A game that was cut off has no winner."""
    game, record, seats = moments.game, moments.records[-1], moments.game.num_players
    if record["current_player"][0] >= 0 or moments.truncated:
        return [0.5] * seats if moments.truncated else None
    results = np.zeros(1, engine.result_dtype(seats))
    game.kernels.standings_batch(record, game.rules, results)
    standings = results["standings"][0]
    return [_chance(np.sign(own - np.delete(standings, seat)).mean()) for seat, own in enumerate(standings)]
