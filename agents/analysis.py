"""What an agent thinks of a position, move by move: ``agents.analyse(env, "ismcts:400")``."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.hints import hints
from agents.registry import make_agent
from envs import engine, make_game
from envs.checks import MAX_SEED, integer, seat_or_none, show
from envs.game import Game
from envs.position import Position, describe
from envs.vector import VectorAECEnv


class Move(NamedTuple):
    """What an agent thinks of a legal move.

    Attributes:
        action: Its number.
        sentence: It in words.
        share: Part of the policy, 0 to 1: of a trained network its probability, of a search its part of the visits, of others
            1 for the move that they choose.
        visits: Simulations of a search that began with it; None for other agents.
        value: Mean placement in them for the seat to act, -1 to 1; None where there were none.
        error: At most the standard error of the value, sqrt((1 - value**2) / visits): values lie in [-1, 1]. The simulations of
            a search are not independent, so it is a guide and no interval.
    """

    action: int
    sentence: str
    share: float
    visits: int | None
    value: float | None
    error: float | None


class Analysis:
    """The legal moves of a position as an agent sees them. In a notebook it is a table.

    Attributes:
        position: The position, as the seat to act sees it.
        agent: The agent's name.
        seat: The seat to act.
        moves: The legal moves, the best first.
    """

    def __init__(self, position: Position, agent: str, seat: int, moves: Sequence[Move]) -> None:
        self.position, self.agent, self.seat = position, agent, seat
        self.moves = sorted(moves, key=lambda move: (-move.share, move.action))

    @property
    def best(self) -> Move:
        """The move that the agent prefers."""
        return self.moves[0]

    @property
    def table(self) -> list[dict[str, Any]]:
        """A dict for each move, ready for ``pandas.DataFrame``."""
        return [move._asdict() for move in self.moves]

    def __repr__(self) -> str:
        where = describe(self.position.game, self.position.record[0])
        return f"Analysis({where}, by {self.agent}: {len(self.moves)} moves, best {self.best.sentence!r})"

    def __str__(self) -> str:
        rows = [["share", "visits", "value", "move"], *(_cells(move) for move in self.moves)]
        widths = [max(len(row[place]) for row in rows) for place in range(3)]
        return "\n".join("  ".join([*(f"{row[i]:>{widths[i]}}" for i in range(3)), row[3]]) for row in rows)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in ("share", "visits", "value", "move"))
        rows = "".join(_html_row(move) for move in self.moves)
        caption = f"player {self.seat} to act, by {escape(self.agent)}"
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(move: Move) -> list[str]:
    value = "" if move.value is None else f"{move.value:+.2f} \N{PLUS-MINUS SIGN}{move.error:.2f}"
    return [f"{move.share:.1%}", "" if move.visits is None else f"{move.visits:,}", value, move.sentence]


def _html_row(move: Move) -> str:
    share, *others = map(escape, _cells(move))
    bar = f"linear-gradient(to right, rgb(36 86 192 / .35) {100 * move.share:.1f}%, transparent 0)"
    sides = ("right", "right", "left")
    cells = "".join(f'<td style="text-align:{side}">{cell}</td>' for cell, side in zip(others, sides, strict=True))
    return f'<tr><td style="text-align:right; min-width:6em; background:{bar}">{share}</td>{cells}</tr>'


def analyse(
    position: Any,
    agent: "str | Agent" = "ismcts:400",
    seat: int | None = None,
    *,
    game: "str | Game | None" = None,
    seed: int = 0,
) -> Analysis:
    """What an agent thinks of each legal move of a position; it is told nothing that the seat to act does not know.

    Args:
        position: An environment of ``envs.make`` in the middle of a game, an ``envs.position.Position``, or one record of a game;
            none of them is changed.
        agent: A word such as ``"ismcts:400"``, ``"ppo"`` or a checkpoint's path, see ``agents.registry.make_agent``, or an agent.
        seat: Who asks; the moves of others are not told. None: the seat to act.
        game: The rule set of a record; two players where it is a name.
        seed: Of the noise of agents that have some; the same seed gives the same answer.

    Raises:
        ValueError: No such position, game, agent or seat, the game is over, or another seat is to act.
    """
    game, record = _game_and_record(position, game)
    seen = Position(game, record)
    asked = seat_or_none(seat, game.num_players)
    if seen.seat is None:
        raise ValueError("the game is over: there is no move to analyse")
    if asked not in (None, seen.seat):
        raise ValueError(f"player {seen.seat} is to act, so there is nothing to analyse for seat {asked}")
    player = make_agent(agent, game) if isinstance(agent, str) else agent
    if not callable(getattr(player, "act", None)):
        raise ValueError(f"agent is {show(agent)}; it must be a word such as 'greedy', or have a method act")
    seen = seen.seen_by(seen.seat)
    told = hints(game, player, *_question(seen, integer("seed", seed, 0, MAX_SEED)))
    sentences = seen.moves()
    blank = {"visits": None, "value": None, "error": None}
    moves = [Move(action, sentence, **{**blank, **told[action]}) for action, sentence in sentences.items()]
    return Analysis(seen, str(getattr(player, "name", type(player).__name__)), int(seen.seat or 0), moves)


def _game_and_record(position: Any, game: "str | Game | None") -> tuple[Game, Any]:
    own = getattr(position, "unwrapped", position)
    if isinstance(getattr(own, "game", None), Game) and hasattr(own, "record"):
        return own.game, _dealt(own)
    if game is None:
        kind = type(position).__name__
        raise ValueError(f"position is a {kind}; it must be an environment of envs.make, a Position, or a record with game=")
    return make_game(game), position


def _dealt(own: Any) -> Any:
    if not getattr(own, "is_dealt", True):
        raise ValueError("there is no position before the first reset(): call it first")
    return own.record


def _question(position: Position, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What an agent in the seat to act is asked with: observation, mask and a world dealt anew for it."""
    env = VectorAECEnv(position.game, 1, seed=0, autoreset=False)
    env.set_records(position.record)
    word = engine.word_of(seed, int(position.seat or 0), int(position.record["decisions"][0]))
    view = env.last()[0]
    return view["observation"].copy(), view["action_mask"].copy(), env.worlds(np.array([word], np.uint64))
