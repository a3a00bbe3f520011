"""A position to look at: a game's record, and who sees it. In a notebook it is a picture."""

from typing import Any

import numpy as np

from envs.checks import integer, show
from envs.game import Game
from envs.views import ALL, PUBLIC, Viewer, view_of


class Position:
    """A record of a game as somebody sees it.

    Args:
        game: The rule set.
        record: One record of it; it is copied.
        viewer: A seat; ``"public"``, only what every seat sees; or ``"all"``, everything.

    Attributes:
        record: ``(1,)`` record, of its own.

    Raises:
        ValueError: It is no possible record of this game, or there is no such viewer.
    """

    def __init__(self, game: Game, record: Any, viewer: Viewer = PUBLIC) -> None:
        self.game, self.viewer = game, checked_viewer(viewer, game.num_players)
        self.record = np.array([game.one_record(record)], game.state_dtype)
        game.check_records(self.record)

    @property
    def seat(self) -> int | None:
        """The seat to act; None when the game is over."""
        seat = int(self.record["current_player"][0])
        return None if seat < 0 else seat

    @property
    def view(self) -> dict[str, Any]:
        """The position as plain data; what the viewer does not see is None."""
        return view_of(self.game, self.record, self.viewer)

    def seen_by(self, viewer: Viewer) -> "Position":
        """The same position in the eyes of somebody else."""
        return Position(self.game, self.record, viewer)

    def moves(self) -> dict[int, str]:
        """The legal actions with their sentences, in order; none where the viewer is not to act, for moves tell a hand."""
        if self.seat is None or self.viewer not in (ALL, self.seat):
            return {}
        words, record = self.game.words, self.record[0]
        return {action: words.sentence(self.game, record, action) for action in self.game.legal_actions(self.record)}

    def text(self) -> str:
        """The picture in plain characters."""
        return self.game.pictures.text(self.game, self.view)

    def svg(self) -> str:
        """The picture as an SVG document."""
        return self.game.draw(self.view)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Position({describe(self.game, self.record[0])}, seen by {eyes(self.viewer)})"

    def _repr_svg_(self) -> str:
        return self.svg()


def checked_viewer(viewer: Any, num_players: int) -> Viewer:
    """A seat, or one of the two words.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(viewer, str):
        if viewer not in (PUBLIC, ALL):
            raise ValueError(f"viewer is {show(viewer)}; choose from {PUBLIC}, {ALL}, or a seat from 0 to {num_players - 1}")
        return viewer
    return integer("viewer", viewer, 0, num_players - 1)


def describe(game: Game, record: Any) -> str:
    """A game as it stands, in a few words."""
    seat = int(record["current_player"])
    stands = "over" if seat < 0 else f"player {seat} to act"
    return f"{game.id}, {game.num_players} players, decision {int(record['decisions'])}, {stands}"


def eyes(viewer: Viewer) -> str:
    """Who sees, in words."""
    return {PUBLIC: "everybody", ALL: "one who knows everything"}.get(str(viewer), f"player {viewer}")
