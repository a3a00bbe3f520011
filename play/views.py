"""What a table shows of a game: to whom what may be shown (``envs.views``), and the marks of a picture."""

from collections.abc import Mapping, Sequence

from envs.drawing.marks import Marks
from envs.events import MOVE, Event
from envs.views import ALL, PUBLIC, Viewer, view_of

__all__ = ["ALL", "PUBLIC", "Viewer", "marks_of", "view_of"]


def marks_of(events: Sequence[Event], choices: Mapping[str, Sequence[int]]) -> Marks:
    """The marks of a picture after these events, with what can be clicked."""
    pieces = [piece for event in events for piece in event.pieces]
    path = next((event.path for event in events if event.kind == MOVE and event.path), ())
    return Marks(pieces, path, choices)
