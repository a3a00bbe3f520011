"""A recorded game in a notebook: a small player, and its positions one by one."""

import html
from os import PathLike
from pathlib import Path

from envs.position import Position
from envs.replay import NOTHING, Named
from envs.views import ALL, Viewer
from play.frames import frames, moments
from play.page import page

_FRAME = (
    '<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts" loading="lazy" '
    'style="width:100%; height:{height}px; border:1px solid #8884"></iframe>'
)


class Replay:
    """A recorded game. In a notebook it is the page of ``python -m play watch``; by itself it gives its positions.

    The game is over, so the page shows everything first; whose eyes it is seen by can be chosen there.

    Args:
        path: The file.
        named: What the person at the keyboard names besides it, see ``envs.replay.Named``.
        height: Of the player, in pixels.

    Attributes:
        game: The rule set.
        actions: What was decided, one after the other.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """

    def __init__(self, path: str | PathLike[str], named: Named = NOTHING, height: int = 720) -> None:
        self.path, self.height = Path(path), int(height)
        self._moments = moments(self.path, named)
        self.game, self.actions = self._moments.game, list(self._moments.actions)

    def __len__(self) -> int:
        return len(self._moments.records)

    def __getitem__(self, number: int) -> Position:
        return self.position(number)

    def position(self, number: int, viewer: Viewer = ALL) -> Position:
        """A position of the game, 0 the deal and -1 the end, as somebody sees it; ``agents.analyse`` takes it.

        Raises:
            IndexError: There is no such position.
            ValueError: There is no such viewer.
        """
        return Position(self.game, self._moments.records[number], viewer)

    def page(self) -> str:
        """The player as a page that needs nothing from outside."""
        return page(frames(self.path.name, self._moments))

    def __repr__(self) -> str:
        return f"Replay({self.path.name!r}, {self.game.id}, {self.game.num_players} players, {len(self.actions)} decisions)"

    def _repr_html_(self) -> str:
        return _FRAME.format(title=html.escape(repr(self)), page=html.escape(self.page()), height=self.height)
