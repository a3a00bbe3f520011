"""The pieces of the game as drawings: hexes, tiles, mushrooms, gnomes, flowers."""

import math
from collections.abc import Sequence

from envs.drawing.svg import Point, Svg, darker, lighter
from envs.mushroom_rings.components import Components, Segment
from envs.mushroom_rings.components.tables import picture_edges

PLAYER_COLOURS = ("#c8443a", "#2f6db5", "#d08a17", "#6a4ba3")
MUSHROOMS = {"red": "#d8342c", "yellow": "#f2c230", "blue": "#58a9e0", "pink": "#f08fb8", "purple": "#7d4bb0"}
GRASS, SOIL, PATH, FINISHED, INK, QUIET, PAPER = "#8fb56a", "#6f4f32", "#fbf7ea", "#e3d6b8", "#2c2a26", "#77736a", "#f4f0e4"
SIZE = 34.0  # from the middle of a garden hex to a corner
SMALL = 25.0  # the same of a tile on offer or stored


def middle(q: int, r: int) -> Point:
    """The middle of a cell: hexes stand on a corner, edge 0 faces right."""
    return math.sqrt(3) * SIZE * (q + r / 2), 1.5 * SIZE * r


def corners(x: float, y: float, size: float) -> list[Point]:
    """The corners of a hex round (x, y)."""
    return [(x + size * math.sin(math.pi / 3 * i), y - size * math.cos(math.pi / 3 * i)) for i in range(6)]


def edge_point(x: float, y: float, size: float, edge: int, share: float = 1.0) -> Point:
    """The middle of an edge of a hex, or a point on the way there."""
    reach, angle = size * math.sqrt(3) / 2 * share, math.pi / 3 * edge
    return x + reach * math.cos(angle), y + reach * math.sin(angle)


def _curve(x: float, y: float, size: float, first: int, second: int) -> str:
    (x1, y1), (x2, y2) = edge_point(x, y, size, first), edge_point(x, y, size, second)
    (a1, b1), (a2, b2) = edge_point(x, y, size, first, 0.35), edge_point(x, y, size, second, 0.35)
    return f"M{x1:.1f},{y1:.1f} C{a1:.1f},{b1:.1f} {a2:.1f},{b2:.1f} {x2:.1f},{y2:.1f}"


def _between(x: float, y: float, size: float, edges: Sequence[int]) -> Point:
    """A point on the curve between two edges, half way."""
    ends = [edge_point(x, y, size, edge) for edge in edges]
    bends = [edge_point(x, y, size, edge, 0.35) for edge in edges]
    return tuple(sum(p[i] for p in ends) / 8 + 3 * sum(p[i] for p in bends) / 8 for i in (0, 1))  # type: ignore[return-value]


def draw_tile(picture: Svg, x: float, y: float, size: float, segments: Sequence[Segment] | None, colours: Sequence[str]) -> None:
    """Draw a tile as it lies: each segment in its colour, a wildflower (None) as a hub."""
    picture.polygon(corners(x, y, size - 0.8), fill=GRASS, stroke=darker(GRASS, 0.35), stroke_width=1.2)
    if segments is None:
        for edge in range(6):
            ex, ey = edge_point(x, y, size, edge)
            picture.polyline([(x, y), (ex, ey)], stroke=colours[edge], stroke_width=size / 4.5)
        picture.circle(x, y, size * 0.42, fill=PATH, stroke="#b04f9c", stroke_width=2.5)
        picture.circle(x, y, size * 0.16, fill="#f2c230")
        return
    for segment, colour in zip(segments, colours, strict=False):
        data = _curve(x, y, size, *segment.edges)
        picture.path(data, fill="none", stroke=SOIL, stroke_width=size / 3.6)
        picture.path(data, fill="none", stroke=colour, stroke_width=size / 5)
    for segment in segments:
        mx, my = _between(x, y, size, segment.edges)
        for i, color in enumerate(segment.mushrooms):
            shift = (i - (len(segment.mushrooms) - 1) / 2) * size * 0.42
            draw_mushroom(picture, mx + shift, my, size * 0.2, color)


def draw_mushroom(picture: Svg, x: float, y: float, size: float, color: str) -> None:
    """Draw a mushroom of a colour, its middle at (x, y)."""
    cap = MUSHROOMS[color]
    picture.rect(x - size * 0.35, y, size * 0.7, size * 0.95, rx=size * 0.25, fill="#fffdf5", stroke=INK, stroke_width=0.6)
    data = f"M{x - size:.1f},{y + size * 0.2:.1f} A{size:.1f},{size:.1f} 0 0 1 {x + size:.1f},{y + size * 0.2:.1f} Z"
    picture.path(data, fill=cap, stroke=darker(cap, 0.5), stroke_width=0.9)


def draw_gnome(picture: Svg, x: float, y: float, player: int, size: float = 9) -> None:
    """Draw a player's gnome, its face at (x, y)."""
    colour = PLAYER_COLOURS[player]
    hat = [(x - size * 0.75, y), (x + size * 0.75, y), (x, y - size * 1.7)]
    picture.circle(x, y + size * 0.25, size * 0.62, fill="#f6d9b8", stroke=INK, stroke_width=0.8)
    picture.polygon(hat, fill=colour, stroke=darker(colour, 0.5), stroke_width=1)


def draw_flower(picture: Svg, x: float, y: float, kind: int, faded: bool = False) -> None:
    """Draw a flower of a kind, its middle at (x, y)."""
    colour = ("#e4572e", "#f3a712", "#a8c686", "#669bbc", "#9d4edd", "#ef7a85", "#3d5a80", "#8d6346")[kind]
    for i in range(5):
        angle = 2 * math.pi * i / 5
        fill = lighter(colour, 0.75) if faded else colour
        picture.circle(x + 5 * math.sin(angle), y - 5 * math.cos(angle), 4, fill=fill)
    picture.circle(x, y, 3, fill="#fff6c9", stroke=colour, stroke_width=0.8)


def draw_loose_tile(
    picture: Svg, components: Components, tile: int, x: float, y: float, side: int = 0, rotation: int = 0
) -> None:
    """Draw a tile that lies nowhere yet, its middle at (x, y), as it is listed or flipped and turned."""
    with picture.group(f"tile {tile}"):
        draw_tile(picture, x, y, SMALL, picture_edges(components, tile, side, rotation), [PATH] * 6)
