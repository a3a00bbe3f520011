"""Marks in pictures: the last move, and what can be clicked."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from envs.drawing.svg import Attribute

CHOICE, LAST = "#e6007e", "#ff8c00"
"""Colours of a legal choice and of the last move, which no game uses for anything else."""


class Marks(NamedTuple):
    """What a picture marks. Pieces have names, such as ``"deck"`` or ``"mushroom:0:3"``, which the game's pictures give them.

    Attributes:
        last: Pieces that the last move touched.
        path: Pieces that the last move led something over, in this order.
        choices: By piece the actions that clicking it means.
    """

    last: Sequence[str] = ()
    path: Sequence[str] = ()
    choices: Mapping[str, Sequence[int]] = {}

    def attributes(self, piece: str) -> dict[str, Attribute]:
        """Attributes of the group that draws a piece: ``data-piece``, and ``data-action`` where it can be clicked."""
        actions = " ".join(map(str, self.choices.get(piece, ()))) or None
        return {"data_piece": piece, "data_action": actions}

    def frame(self, piece: str) -> dict[str, Attribute] | None:
        """How to draw a frame round a piece; None where it has none."""
        if piece in self.choices:
            return {"fill": "none", "stroke": CHOICE, "stroke_width": 3, "stroke_dasharray": "7 4", "class": "choice"}
        if piece in self.last:
            return {"fill": "none", "stroke": LAST, "stroke_width": 3, "class": "last"}
        return None


NO_MARKS = Marks()
