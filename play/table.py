"""A table: one game, who sits where, and what has happened so far."""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from envs import engine
from envs.events import Event
from envs.game import Game
from envs.vector import VectorAECEnv
from play.views import ALL, PUBLIC, Viewer, marks_of, view_of

PERSON = "person"
MAX_NAME = 24


class Refused(ValueError):
    """Something that a guest of the table may not do; nothing has changed."""


class Moment(NamedTuple):
    """A position, and the decision that led to it (None for the deal)."""

    record: np.ndarray
    action: int | None


def _is_same(token: str, shown: str) -> bool:
    """Whether somebody shows this token; takes as long for a wrong one."""
    return secrets.compare_digest(token.encode(), shown.encode("utf-8", "surrogatepass"))


class Table:
    """One game that people and agents play, decision by decision.

    Args:
        game: The rule set.
        seats: For each seat ``PERSON`` or the name of an agent.
        seed: Of the first game; the next ones count up.
        moments: What has been played of the first game, to go on from there; None: it is dealt.
    """

    def __init__(self, game: Game, seats: Sequence[str], seed: int = 0, moments: Sequence[Moment] | None = None) -> None:
        self.game, self.seats, self.seed = game, list(seats), seed
        self.names = [f"Player {p}" if who == PERSON else f"{who} ({p})" for p, who in enumerate(seats)]
        self.people = [p for p, who in enumerate(seats) if who == PERSON]
        self.tokens = {secrets.token_urlsafe(16): p for p in self.people}
        self.watcher = secrets.token_urlsafe(16)
        self.revision = 0
        self._env = VectorAECEnv(game, 1, seed=seed, autoreset=False)
        self._deal()
        if moments is not None:
            self.moments = list(moments)
            self._env.set_records(self.moments[-1].record)

    def _deal(self) -> None:
        self._env.reset(np.array([self.seed]))
        self.moments = [Moment(self._env.states.copy(), None)]
        self._told = dict[Viewer, list[list[Event]]]()

    # --- who may see and do what ---

    def viewer(self, token: str) -> Viewer:
        """Who shows a token: a seat, or a watcher, who sees all only where nobody plays by hand.

        Raises:
            Refused: It is no token of this table.
        """
        for known, seat in self.tokens.items():
            if _is_same(known, token):
                return seat
        if _is_same(self.watcher, token):
            return PUBLIC if self.people else ALL
        raise Refused("this link is not one of this table")

    def _seat(self, token: str) -> int:
        viewer = self.viewer(token)
        if not isinstance(viewer, int):
            raise Refused("who only watches cannot do that")
        return viewer

    @property
    def to_act(self) -> int:
        """The seat to act, -1 when the game is over."""
        return int(self._env.agent_selection[0])

    @property
    def number(self) -> int:
        """How many decisions have been made."""
        return len(self.moments) - 1

    # --- what changes the game ---

    def move(self, token: str, action: Any, number: Any) -> None:
        """Plays for a person.

        Args:
            token: Who plays.
            action: A legal action.
            number: How many decisions had been made when the person chose; a late move is refused.

        Raises:
            Refused: Not this person's turn, a late move or an illegal action.
        """
        seat = self._seat(token)
        if type(action) is not int or type(number) is not int:
            raise Refused("action and number must be integers")
        if number != self.number:
            raise Refused(f"the game has gone on: this is decision {self.number}, not {number}")
        if seat != self.to_act:
            raise Refused("it is not your turn")
        self.play(action)

    def play(self, action: int) -> None:
        """Plays an action of the seat to act.

        Raises:
            Refused: The action is illegal.
        """
        if action not in self.legal_actions():
            raise Refused(f"action {action} is not legal here")
        self._env.step(np.array([action]))
        self.moments.append(Moment(self._env.states.copy(), action))
        self.revision += 1

    def undo(self, token: str) -> None:
        """Goes back to the latest earlier decision of a person who plays against agents alone.

        Raises:
            Refused: Other people play too, or there is nothing to take back.
        """
        seat = self._seat(token)
        if len(self.people) > 1:
            raise Refused("moves can be taken back only by one person who plays against agents")
        earlier = self._decisions_of(seat)
        if not earlier:
            raise Refused("there is nothing to take back")
        del self.moments[earlier[-1] + 1 :]
        for told in self._told.values():
            del told[len(self.moments) :]
        self._env.set_records(self.moments[-1].record)
        self.revision += 1

    def _may_undo(self, viewer: Viewer) -> bool:
        return self.people == [viewer] and self.to_act in (viewer, -1) and bool(self._decisions_of(self.people[0]))

    def _decisions_of(self, seat: int) -> list[int]:
        """The moments at which a seat has decided."""
        return [i for i, moment in enumerate(self.moments[:-1]) if moment.record["current_player"][0] == seat]

    def again(self, token: str) -> None:
        """Deals the next game, when this one is over or one person plays against agents.

        Raises:
            Refused: Several people are in the middle of a game.
        """
        if self.viewer(token) == PUBLIC or (len(self.people) > 1 and self.to_act >= 0):
            raise Refused("a new game is dealt when this one is over")
        self.seed += 1
        self._deal()
        self.revision += 1

    def rename(self, token: str, name: Any) -> None:
        """Gives a person's seat a name.

        Raises:
            Refused: It is no text, or too long.
        """
        seat = self._seat(token)
        if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME or not name.isprintable():
            raise Refused(f"a name has 1 to {MAX_NAME} printable characters")
        self.names[seat] = name.strip()
        self.revision += 1

    # --- what is seen ---

    def question(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What an agent in the seat to act is asked with: observation, mask and a world dealt anew for it."""
        seat = self.to_act
        word = engine.word_of(self.seed, seat, len(self._decisions_of(seat)))
        view = self._env.last()[0]
        return view["observation"].copy(), view["action_mask"].copy(), self._env.worlds(np.array([word], np.uint64))

    def events(self, viewer: Viewer) -> list[list[Event]]:
        """What a viewer is told of each moment."""
        told = self._told.setdefault(viewer, [])
        if not told:
            told.append(self.game.told_of_deal(view_of(self.game, self.moments[0].record, viewer)))
        for number in range(len(told), len(self.moments)):
            before, after = self.moments[number - 1].record, self.moments[number].record
            views = [view_of(self.game, record, viewer) for record in (before, after)]
            told.append(self.game.told_of_move(before[0], int(self.moments[number].action or 0), *views))
        return told

    def state(self, token: str, since: int = 0) -> dict[str, Any]:
        """Everything that is sent to a guest: picture, dict, legal moves in words, and what happened since a moment.

        Raises:
            Refused: It is no token of this table.
        """
        viewer = self.viewer(token)
        since = min(max(0, since), self.number)
        record, told = self.moments[-1].record, self.events(viewer)
        acts = viewer == self.to_act
        view = view_of(self.game, record, viewer)
        choices = self.game.choices(record, int(viewer)) if acts else {}
        return {
            "revision": self.revision,
            "number": self.number,
            "title": self.game.title,
            "seat": viewer,
            "to_act": self.to_act,
            "over": self.to_act < 0,
            "names": self.names,
            "people": self.people,
            "may_undo": self._may_undo(viewer),
            "moves": self.moves() if acts else [],
            "svg": self.game.draw(view, marks_of(told[-1], choices)),
            "state": view,
            "since": since,
            "events": [[event.to_dict() for event in events] for events in told[since:]],
        }

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to act, in order."""
        return np.flatnonzero(self._env.last()[0]["action_mask"][0]).tolist()

    def moves(self) -> list[dict[str, Any]]:
        """The legal moves as sentences; equal moves once."""
        found, sentences, record = [], set[str](), self.moments[-1].record
        for action in self.legal_actions():
            sentence = self.game.words.sentence(self.game, record[0], action)  # the table's own records need no check
            if sentence not in sentences:
                sentences.add(sentence)
                found.append({"action": action, "text": sentence})
        return found
