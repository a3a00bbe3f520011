"""A game as OpenSpiel sees it: events of chance and decisions, one after another, as nodes that never change.

How chance comes into a game
    * Most games have one event of chance: the seed, dealt as eight bytes of 256 equally likely outcomes each, the highest
      first. It is the seed of every other door: the same bytes and actions are the same game there. All luck follows from it,
      draws to come too; as nobody sees it, that is the same game as one in which chance decides later (Harsanyi's move of
      nature). A search that goes on from a copy of a state would know what comes, hands and draws; it is to go on from a
      resampled one.
    * A game that names its events of chance (``Game.chance``) has them one by one, each with all its outcomes. Such games are
      small, and their nodes are kept, so that walking through the whole tree again and again costs no rules.

What a seat knows
    Its information state is the list of all it was told: its view of the deal, then for every decision who made it, the own
    actions and what has changed in its view. A view is ``Game.to_dict`` for the seat.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
import pyspiel

from envs import engine
from envs.aec import single_memory
from envs.checks import integer
from envs.dicts import changes
from envs.game import Chance, Game, Outcome

MOST_NUMBERS = 1 << 20
"""Most numbers of the array of information states; a game in which it would have more has none."""
SEED_BYTES = 8
_BYTE = 256
_BYTES = [(value, 1 / _BYTE) for value in range(_BYTE)]
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)

Made = tuple[int, int]
"""Who acted, a seat or ``CHANCE``, and the action."""


class Table:
    """Where the games of one rule set are played: its rules, with the memory they work in, and the node with which all begin.

    Attributes:
        rows: Rows of the array of information states: one for every decision, and one for now.
        columns: Its columns: whether a row is filled, the own action, and what the seat saw; 0 where there is no such array.

    Args:
        game: The rule set.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rows, self.columns = 1 + game.max_decisions, 2 + game.observation_size
        if self.rows * self.columns > MOST_NUMBERS:
            self.columns = 0
        self.chance = cast(Chance, import_module(game.chance)) if game.chance else None
        self._memory, self._turn = single_memory(game), threading.Lock()
        self.root: Node = Seed(self) if self.chance is None else self._deal(None, None, self.chance.before_deal(game), 0)

    def _deal(self, parent: "Node | None", made: Made | None, record: np.ndarray, number: int) -> "Node":
        """An event of the deal; after the last one the first position."""
        assert self.chance
        if number < self.chance.num_deals(self.game):
            return Event(self, parent, made, self.chance.deal_outcomes(self.game, record, number), number + 1)
        return Position(self, parent, made, record, *self.arrive(record))

    def happen(self, event: "Event", number: int) -> "Node":
        """What comes after an outcome of an event of chance."""
        record, made = event.outcomes[number].record, (CHANCE, number)
        if event.next_deal is not None:
            return self._deal(event, made, record, event.next_deal)
        return Position(self, event, made, record, *self.arrive(record))

    def seeded(self, parent: "Node", made: Made, seed: int) -> "Position":
        """The first position of a game with a seed."""
        stream = np.zeros(1, engine.STREAM)
        stream["seed"] = seed
        with self._turn:
            self.game.kernels.single_reset(self._memory, stream, engine.PLACEMENT)
            return Position(self, parent, made, *self._left())

    def decide(self, position: "Position", action: int) -> "Node":
        """What comes after a legal action."""
        if self.chance and (outcomes := self.chance.action_outcomes(self.game, position.record, action)):
            return Event(self, position, (position.player, action), outcomes, None)
        with self._turn:
            self._memory["state"], self._memory["mask"] = position.record, position.mask
            self.game.kernels.single_step(self._memory, action, engine.PLACEMENT, engine.RAISE)
            return Position(self, position, (position.player, action), *self._left())

    def _left(self) -> tuple[np.ndarray, np.ndarray, list[float]]:
        """Record, mask and, of a game that is over, rewards as the rules have left them."""
        memory = self._memory[0]
        over = memory["state"]["current_player"] < 0
        rewards = memory["result"]["rewards"].tolist() if over else [0.0] * self.game.num_players
        return self._memory["state"].copy(), memory["mask"].copy(), rewards

    def arrive(self, record: np.ndarray) -> tuple[np.ndarray, list[float]]:
        """Mask and rewards of a record to which no action led."""
        with self._turn:
            self._memory["state"] = record
            self.game.kernels.single_show(self._memory)
            mask = self._memory[0]["mask"].copy()
        if record["current_player"][0] >= 0:
            return mask, [0.0] * self.game.num_players
        results = np.zeros(1, engine.result_dtype(self.game.num_players))
        self.game.kernels.standings_batch(record.copy(), self.game.rules, results)
        result = results[0]
        engine.uncompiled(engine.write_results)(
            engine.PLACEMENT, result["standings"], result["scores"], result["rewards"], result["ranks"]
        )
        return mask, result["rewards"].tolist()

    def views(self, records: Sequence[np.ndarray], seat: int) -> np.ndarray:
        """``(N, D) float32``: what a seat sees in N records, each ``(1,)``."""
        found = np.empty((len(records), self.game.observation_size), np.float32)
        seats = np.full(len(records), seat, np.int64)
        self.game.kernels.observe_batch(np.concatenate(records), self.game.rules, seats, engine.rows(found))
        return found


class Node:
    """A point in the history of a game. It never changes, and copies of a state share it.

    Attributes:
        table: Where it is played.
        parent: The point before; None at the beginning.
        made: Who did what there.
        player: The seat to act, ``CHANCE`` or ``TERMINAL``.
        position: The latest position, this one or one before; None while the deal goes on.
    """

    __slots__ = ("_children", "made", "parent", "player", "position", "table")

    def __init__(self, table: Table, parent: "Node | None", made: Made | None, player: int) -> None:
        self.table, self.parent, self.made, self.player = table, parent, made, player
        self.position: Position | None = parent.position if parent else None
        self._children: dict[int, Node] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Node":
        return self

    def legal(self) -> list[int]:
        """The actions or outcomes that may follow, in order."""
        return [action for action, _ in self.chances()]

    def chances(self) -> list[tuple[int, float]]:
        """Outcomes of an event of chance and their probabilities; none where chance is not to act."""
        return []

    def words(self, action: int) -> str:
        """An action or outcome in words; no two that are legal are called the same."""
        raise NotImplementedError

    def child(self, action: int) -> "Node":
        """The point after an action or an outcome.

        Raises:
            ValueError: It is not legal here.
        """
        found = self._children.get(action)
        if found is None:
            found = self._follow(self._allowed(action))
            if self.table.chance:
                self._children[action] = found
        return found

    def _allowed(self, action: int) -> int:
        legal = self.legal()
        if integer("action", action, 0) not in legal:
            raise ValueError(f"action {action} is not legal here; legal are {legal}")
        return int(action)

    def _follow(self, action: int) -> "Node":
        raise NotImplementedError

    def history(self) -> list[Made]:
        """All that was done so far."""
        made, node = [], self
        while node.made is not None and node.parent is not None:
            made.append(node.made)
            node = node.parent
        return [*node.earlier(), *reversed(made)]

    def earlier(self) -> Sequence[Made]:
        """What was done before a node without a parent."""
        return ()


class Seed(Node):
    """The seed is being dealt."""

    __slots__ = ("_known", "_word")

    def __init__(self, table: Table, parent: "Seed | None" = None, made: Made | None = None) -> None:
        super().__init__(table, parent, made, CHANCE)
        self._word: int = parent._word * _BYTE + made[1] if parent and made else 0
        self._known: int = parent._known + 1 if parent else 0

    def legal(self) -> list[int]:
        """All bytes."""
        return list(range(_BYTE))

    def chances(self) -> list[tuple[int, float]]:
        """All bytes are equally likely."""
        return _BYTES

    def words(self, action: int) -> str:
        """The byte."""
        return f"byte {self._known} of the seed is {self._allowed(action)}"

    def _follow(self, action: int) -> Node:
        made = (CHANCE, action)
        if self._known + 1 < SEED_BYTES:
            return Seed(self.table, self, made)
        return self.table.seeded(self, made, self._word * _BYTE + action)


class Event(Node):
    """An event of chance with all its outcomes.

    Args:
        table: As of ``Node``.
        parent: As of ``Node``.
        made: As of ``Node``.
        outcomes: What may happen.
        next_deal: The number of the next event if this one is part of the deal.
    """

    __slots__ = ("next_deal", "outcomes")

    def __init__(
        self, table: Table, parent: Node | None, made: Made | None, outcomes: Sequence[Outcome], next_deal: int | None
    ) -> None:
        super().__init__(table, parent, made, CHANCE)
        self.outcomes, self.next_deal = outcomes, next_deal

    def chances(self) -> list[tuple[int, float]]:
        """The outcomes by number."""
        return [(number, outcome.probability) for number, outcome in enumerate(self.outcomes)]

    def words(self, action: int) -> str:
        """The outcome in words."""
        return self.outcomes[self._allowed(action)].words

    def _follow(self, action: int) -> Node:
        return self.table.happen(self, action)


class Position(Node):
    """A position: somebody is to decide, or the game is over.

    Attributes:
        record: ``(1,)``, as after the last decision.
        mask: ``(A,) int8``, 1 = legal.
        rewards: What every seat is paid at the end, zeros before it.
    """

    __slots__ = ("_legal", "_lines", "before", "mask", "record", "rewards")

    def __init__(
        self, table: Table, parent: Node | None, made: Made | None, record: np.ndarray, mask: np.ndarray, rewards: list[float]
    ) -> None:
        seat = int(record["current_player"][0])
        super().__init__(table, parent, made, TERMINAL if seat < 0 else seat)
        self.before = self.position
        self.record, self.mask, self.rewards = record, mask, rewards
        self.position = self
        self._legal: list[int] | None = None
        self._lines: dict[int, str] = {}

    def legal(self) -> list[int]:
        """The legal actions."""
        if self._legal is None:
            self._legal = [] if self.player == TERMINAL else np.flatnonzero(self.mask).tolist()
        return self._legal

    def words(self, action: int) -> str:
        """The sentence of an action; of actions that have the same one, all but the first are numbered."""
        game = self.table.game
        sentence = game.sentence(self.record, action)
        before = [other for other in self.legal() if other < action]
        twins = [other for other in before if game.words.sentence(game, self.record[0], other) == sentence]
        return f"{sentence} (action {action})" if twins else sentence

    def _follow(self, action: int) -> Node:
        return self.table.decide(self, action)

    # --- what a seat knows ---

    def told(self, seat: int) -> list[str]:
        """All that a seat was told so far, line by line."""
        passed = list(self._passed())
        return [*passed[-1].opening(seat), *(position.line(seat) for position in reversed(passed[:-1]))]

    def _passed(self) -> Iterator["Position"]:
        """This position and all before, back to the first."""
        node: Position | None = self
        while node:
            yield node
            node = node.before

    def opening(self, seat: int) -> list[str]:
        """What a seat knows at the first position."""
        return [_text(self.table.game.to_dict(self.record, seat))]

    def line(self, seat: int) -> str:
        """What a seat was told of the decision that led here."""
        if seat not in self._lines:
            before, game = self.before, self.table.game
            assert before
            view, new = game.to_dict(before.record, seat), game.to_dict(self.record, seat)
            own = {"action": self._decision()} if before.player == seat else {}
            line = {"decision": int(before.record["decisions"][0]), "player": before.player, **own, "changes": changes(view, new)}
            self._lines[seat] = _text(line)
        return self._lines[seat]

    def _decision(self) -> int:
        """The action that led here from the position before."""
        node: Node = self
        while node.parent and node.parent is not self.before:
            node = node.parent
        assert node.made
        return node.made[1]

    def seen(self, seat: int) -> np.ndarray:
        """``(decisions + 1, columns) float32``: what a seat saw before every decision and now, see ``observer``."""
        passed = list(reversed(list(self._passed())))
        rows = np.concatenate([passed[0].seen_before(seat), np.zeros((len(passed), self.table.columns), np.float32)])
        if self.table.columns == 0:
            return rows
        own = rows[len(rows) - len(passed) :]
        own[:, 0] = 1
        own[:, 2:] = self.table.views([position.record for position in passed], seat)
        for i, position in enumerate(passed[:-1]):
            if position.player == seat:
                own[i, 1] = (1 + passed[i + 1]._decision()) / self.table.game.num_actions
        return rows

    def seen_before(self, seat: int) -> np.ndarray:
        """The rows before the first position."""
        return np.zeros((0, self.table.columns), np.float32)


class Redealt(Position):
    """A position in which all that one seat cannot know was dealt anew; the history goes on from here.

    That seat remembers all that it was told. The others' memory begins here, with what they see; for what they were told before
    does not fit to hands that they were dealt anew.

    Args:
        table: As of ``Node``.
        record: ``(1,)``, dealt anew.
        seat: The seat that knows so far.
        lines: What it was told.
        rows: ``(decisions, columns) float32``, what it saw before.
        earlier: What was done so far; of events of chance, what nobody knows is 0.
    """

    __slots__ = ("_earlier", "lines", "rows", "seat")

    def __init__(
        self, table: Table, record: np.ndarray, seat: int, lines: Sequence[str], rows: np.ndarray, earlier: Sequence[Made]
    ) -> None:
        super().__init__(table, None, None, record, *table.arrive(record))
        self.seat, self.lines, self.rows, self._earlier = seat, tuple(lines), rows, tuple(earlier)

    def earlier(self) -> Sequence[Made]:
        """What was done before."""
        return self._earlier

    def opening(self, seat: int) -> list[str]:
        """What a seat knows here."""
        return list(self.lines) if seat == self.seat else [_text({"redealt": len(self.rows)}), *super().opening(seat)]

    def seen_before(self, seat: int) -> np.ndarray:
        """What the seat saw; zeros for others."""
        return self.rows if seat == self.seat else np.zeros_like(self.rows)


class Past(Node):
    """Stands for a point that was passed, where a history is told again; its last point is ``end``."""

    __slots__ = ("_end", "_made", "_number")

    def __init__(self, table: Table, made: Sequence[Made], end: Node, number: int = 0) -> None:
        super().__init__(table, None, None, made[number][0])
        self._made, self._end, self._number = made, end, number

    def legal(self) -> list[int]:
        """What was done."""
        return [self._made[self._number][1]]

    def _follow(self, action: int) -> Node:
        number = self._number + 1
        return self._end if number == len(self._made) else Past(self.table, self._made, self._end, number)


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
