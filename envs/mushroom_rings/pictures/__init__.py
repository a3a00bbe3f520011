"""Pictures of a game of Mushroom Rings: characters for a terminal, SVG for a page.

Both draw the state dict alone, whole or as one seat sees it, and know no more than it says.
"""

from envs.drawing.marks import NO_MARKS, Marks
from envs.events import View
from envs.game import Game
from envs.mushroom_rings.pictures import svg as drawing
from envs.mushroom_rings.pictures import terminal as render
from envs.mushroom_rings.pictures.tray import target

__all__ = ["svg", "target", "text"]


def text(game: Game, view: View) -> str:
    """A picture of a state dict for a terminal."""
    return render.text(view, game.facts["components"])


def svg(game: Game, view: View, marks: Marks = NO_MARKS) -> str:
    """A picture of a state dict as SVG text."""
    return drawing.svg(view, game.facts["components"], marks)
