"""Where the villages stand in the picture: round a ring, which the fairies fly clockwise."""

from collections.abc import Sequence
from functools import cache
from math import atan2, cos, hypot, pi, sin
from typing import NamedTuple

from envs.drawing.svg import Point
from envs.fairy_ring.pictures.pieces import MUSHROOM_WIDTH

CENTRE_X, CENTRE_Y = 700.0, 486.0
SPACING = MUSHROOM_WIDTH + 12

# The ring is a superellipse: flat enough for long villages, round enough to be a ring.
_RADIUS_X, _RADIUS_Y, _ROUNDNESS = 676.0, 176.0, 3.0
# How far from the middle villages reach, the gap between two on one side, and the room of the disc at an entry.
_REACH, _GAP, _GATE = 618.0, 12.0, 32.0
_ARROW_SPACING, _ARROW_SIZE = 40, 8


class Span(NamedTuple):
    """The part of the ring that is one player's: flown through from entry to exit (x), on the far or the near side."""

    entry: float
    exit: float
    far: bool

    @property
    def direction(self) -> int:
        """1 where fairies fly to the right, on the far side; -1 on the near side."""
        return 1 if self.far else -1

    @property
    def middle(self) -> float:
        """The middle column."""
        return (self.entry + self.exit) / 2

    @property
    def gate(self) -> Point:
        """Where the disc stands that names the player, at the entry."""
        x = self.entry + 4 * self.direction
        return x, _height(x, self.far)

    def line(self) -> list[Point]:
        """The ring from entry to exit."""
        columns = [self.entry + (self.exit - self.entry) * step / 60 for step in range(61)]
        return [(x, _height(x, self.far)) for x in columns]


_LEFT, _RIGHT = CENTRE_X - _REACH, CENTRE_X + _REACH
_NEAR, _FAR = Span(_RIGHT, _LEFT, False), Span(_LEFT, _RIGHT, True)
_NEAR_LEFT, _NEAR_RIGHT = Span(CENTRE_X - _GAP, _LEFT, False), Span(_RIGHT, CENTRE_X + _GAP, False)
_FAR_LEFT, _FAR_RIGHT = Span(_LEFT, CENTRE_X - _GAP, True), Span(CENTRE_X + _GAP, _RIGHT, True)
# By number of players; seats sit clockwise, seat 0 in front.
SPANS = {
    2: (_NEAR, _FAR),
    3: (_NEAR, _FAR_LEFT, _FAR_RIGHT),
    4: (_NEAR_LEFT, _FAR_LEFT, _FAR_RIGHT, _NEAR_RIGHT),
}


@cache
def outline() -> tuple[Point, ...]:
    """The whole ring, clockwise."""
    return tuple(_point(2 * pi * step / 720) for step in range(720))


@cache
def _walk() -> tuple[Point, ...]:
    """The same in small steps, back to where it began."""
    return tuple(_point(2 * pi * step / 7200) for step in range(7201))


def feet(spans: Sequence[Span], sizes: Sequence[int]) -> tuple[list[list[Point]], float]:
    """Where each mushroom of each village stands, from its owner's left to right.

    Args:
        spans: The part of the ring of each player.
        sizes: The number of mushrooms in each village.

    Returns:
        The points by player, and the scale (at most 1) of all mushrooms at which the fullest village fits.
    """
    room = [abs(span.exit - span.entry) - _GATE for span in spans]
    scale = min(1.0, *(width / (SPACING * size) for width, size in zip(room, sizes, strict=True)))
    villages = []
    for span, size in zip(spans, sizes, strict=True):
        middle = span.middle + span.direction * _GATE / 2
        # Fairies come in at the right end of a village, so that its leftmost mushroom is the last on their way.
        steps = [(size - 1) / 2 - index for index in range(size)]
        columns = [middle + span.direction * step * SPACING * scale for step in steps]
        villages.append([(x, _height(x, span.far)) for x in columns])
    return villages, scale


def end_of_village(span: Span, feet: Sequence[Point], scale: float, side: str) -> Point:
    """Where a mushroom would be planted: beside the village, left or right as its owner sees it."""
    left = side == "left"
    x = (feet[0] if left else feet[-1])[0] + (1 if left else -1) * span.direction * SPACING * scale * 0.68
    return x, _height(x, span.far)


def arrows(taken: Sequence[tuple[Point, float]]) -> list[list[Point]]:
    """Arrow heads along the flight all round the ring, but for the places (point, radius) that are taken."""
    heads = []
    since = 0.0
    walk = _walk()
    for (x, y), (next_x, next_y) in zip(walk, walk[1:], strict=False):
        since += hypot(next_x - x, next_y - y)
        if since > _ARROW_SPACING and all(hypot(x - a, y - b) > radius for (a, b), radius in taken):
            heading = atan2(next_y - y, next_x - x)
            turns = (heading - 2.3, heading, heading + 2.3)
            heads.append([(x + _ARROW_SIZE * cos(turn), y + _ARROW_SIZE * sin(turn)) for turn in turns])
            since = 0.0
    return heads


def _height(x: float, far: bool) -> float:
    """The height (y) of the ring at a column."""
    share = 1 - abs((x - CENTRE_X) / _RADIUS_X) ** _ROUNDNESS
    rise = _RADIUS_Y * float(max(0.0, share) ** (1 / _ROUNDNESS))
    return CENTRE_Y - rise if far else CENTRE_Y + rise


def _point(angle: float) -> Point:
    """A point of the ring; growing angles run clockwise."""
    across, down = cos(angle), sin(angle)
    x = abs(across) ** (2 / _ROUNDNESS) * (1 if across > 0 else -1)
    y = abs(down) ** (2 / _ROUNDNESS) * (1 if down > 0 else -1)
    return CENTRE_X + _RADIUS_X * x, CENTRE_Y + _RADIUS_Y * y
