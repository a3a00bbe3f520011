"""The game as an SVG picture: the garden as hexes with their paths, and round it all that lies on the table.

Drawn from the state dict alone, whole or as one seat sees it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from envs.drawing.svg import Point, Svg, darker, lighter
from envs.mushroom_rings.components import COLORS, Components, Segment
from envs.mushroom_rings.components.tables import picture_edges

View = Mapping[str, Any]

PLAYER_COLOURS = ("#c8443a", "#2f6db5", "#d08a17", "#6a4ba3")
MUSHROOMS = {"red": "#d8342c", "yellow": "#f2c230", "blue": "#58a9e0", "pink": "#f08fb8", "purple": "#7d4bb0"}
GRASS, SOIL, PATH, FINISHED, INK, QUIET, PAPER = "#8fb56a", "#6f4f32", "#fbf7ea", "#e3d6b8", "#2c2a26", "#77736a", "#f4f0e4"
SIZE = 34.0  # from the middle of a garden hex to a corner
SMALL = 25.0  # the same of a tile on offer or stored
_MARGIN, _PANEL, _TOP = 24.0, 400.0, 190.0
_BONUS = {"none": "", "signpost": "post", "tile": "tile", "flower": "flower", "mushroom": "+"}


def svg(view: View, components: Components) -> str:
    """A picture of a state dict as SVG text."""
    left, top, right, bottom = _bounds(view)
    board_height = 30 + 190 * len(view["players"])
    width = max(right - left, 8 * (2 * SMALL + 14) + 380) + _PANEL + 3 * _MARGIN
    height = max(bottom - top + 40, board_height) + _TOP + 2 * _MARGIN
    picture = Svg(width, height, f"Mushroom Rings, round {view['round']}, {view['phase']}")
    picture.rect(0, 0, width, height, fill=PAPER)
    _draw_head(picture, view, components)
    _draw_garden(picture, view, components, _MARGIN - left, _TOP + _MARGIN - top)
    for p in range(len(view["players"])):
        _draw_player(picture, view, components, p, width - _PANEL - _MARGIN, _TOP + 190 * p)
    return picture.to_string()


# --- hexes --------------------------------------------------------------------------------------------------------------


def _middle(q: int, r: int) -> Point:
    """The middle of a cell: hexes stand on a corner, edge 0 faces right."""
    return math.sqrt(3) * SIZE * (q + r / 2), 1.5 * SIZE * r


def _bounds(view: View) -> tuple[float, float, float, float]:
    middles = [_middle(tile["q"], tile["r"]) for tile in view["garden"]]
    xs, ys = zip(*middles, strict=True)
    return min(xs) - SIZE, min(ys) - SIZE, max(xs) + SIZE, max(ys) + SIZE


def _corners(x: float, y: float, size: float) -> list[Point]:
    return [(x + size * math.sin(math.pi / 3 * i), y - size * math.cos(math.pi / 3 * i)) for i in range(6)]


def _edge(x: float, y: float, size: float, edge: int, share: float = 1.0) -> Point:
    """The middle of an edge of a hex, or a point on the way there."""
    reach, angle = size * math.sqrt(3) / 2 * share, math.pi / 3 * edge
    return x + reach * math.cos(angle), y + reach * math.sin(angle)


def _curve(x: float, y: float, size: float, first: int, second: int) -> str:
    (x1, y1), (x2, y2) = _edge(x, y, size, first), _edge(x, y, size, second)
    (a1, b1), (a2, b2) = _edge(x, y, size, first, 0.35), _edge(x, y, size, second, 0.35)
    return f"M{x1:.1f},{y1:.1f} C{a1:.1f},{b1:.1f} {a2:.1f},{b2:.1f} {x2:.1f},{y2:.1f}"


def _between(x: float, y: float, size: float, edges: Sequence[int]) -> Point:
    """A point on the curve between two edges, half way."""
    ends = [_edge(x, y, size, edge) for edge in edges]
    bends = [_edge(x, y, size, edge, 0.35) for edge in edges]
    return tuple(sum(p[i] for p in ends) / 8 + 3 * sum(p[i] for p in bends) / 8 for i in (0, 1))  # type: ignore[return-value]


def _draw_tile(picture: Svg, x: float, y: float, size: float, segments: Sequence[Segment] | None, colours: Sequence[str]) -> None:
    """Draw a tile as it lies: each segment in its colour, a wildflower (None) as a hub."""
    picture.polygon(_corners(x, y, size - 0.8), fill=GRASS, stroke=darker(GRASS, 0.35), stroke_width=1.2)
    if segments is None:
        for edge in range(6):
            ex, ey = _edge(x, y, size, edge)
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
            _draw_mushroom(picture, mx + shift, my, size * 0.2, color)


def _draw_mushroom(picture: Svg, x: float, y: float, size: float, color: str) -> None:
    cap = MUSHROOMS[color]
    picture.rect(x - size * 0.35, y, size * 0.7, size * 0.95, rx=size * 0.25, fill="#fffdf5", stroke=INK, stroke_width=0.6)
    data = f"M{x - size:.1f},{y + size * 0.2:.1f} A{size:.1f},{size:.1f} 0 0 1 {x + size:.1f},{y + size * 0.2:.1f} Z"
    picture.path(data, fill=cap, stroke=darker(cap, 0.5), stroke_width=0.9)


def _draw_gnome(picture: Svg, x: float, y: float, player: int, size: float = 9) -> None:
    colour = PLAYER_COLOURS[player]
    hat = [(x - size * 0.75, y), (x + size * 0.75, y), (x, y - size * 1.7)]
    picture.circle(x, y + size * 0.25, size * 0.62, fill="#f6d9b8", stroke=INK, stroke_width=0.8)
    picture.polygon(hat, fill=colour, stroke=darker(colour, 0.5), stroke_width=1)


# --- the garden ---------------------------------------------------------------------------------------------------------


def _draw_garden(picture: Svg, view: View, components: Components, dx: float, dy: float) -> None:
    colours = _path_colours(view)
    places = {}
    for tile in view["garden"]:
        x, y = _middle(tile["q"], tile["r"])
        places[tile["q"], tile["r"]] = x + dx, y + dy
    for tile in view["garden"]:
        cell = tile["q"], tile["r"]
        segments = picture_edges(components, tile["tile"], tile["side"], tile["rotation"])
        count = 6 if segments is None else len(segments)
        keys = [(*cell, 0 if segments is None else s) for s in range(count)]
        with picture.group(f"tile {tile['tile']} at {cell}"):
            _draw_tile(picture, *places[cell], SIZE, segments, [colours.get(key, FINISHED) for key in keys])
            if tile["tile"] == 0:
                picture.circle(*places[cell], SIZE * 0.3, fill=SOIL, stroke=darker(SOIL, 0.4), stroke_width=2)
    if view["garden"]:
        last = view["garden"][-1]
        picture.polygon(_corners(*places[last["q"], last["r"]], SIZE), fill="none", stroke="#ffffff", stroke_width=3)
    for ring in view["rings"]:
        _draw_ring(picture, ring, [places[tuple(cell)] for cell in ring["tiles"]])
    _draw_claims(picture, view, components, places)
    _draw_hand(picture, view, places, dx, dy)


def _path_colours(view: View) -> dict[tuple[int, int, int], str]:
    """The colour of each segment in play: plain, or that of the player who claims it."""
    colours = {}
    for path in view["paths"]:
        colour = PATH if path["gnome"] is None else lighter(PLAYER_COLOURS[path["gnome"][0]], 0.35)
        for q, r, segment in path["segments"]:
            colours[q, r, segment] = colour
    return colours


def _draw_ring(picture: Svg, ring: View, middles: Sequence[Point]) -> None:
    """Draw in the middle of a ring what is in it: waiting mushrooms, a signpost, gnomes."""
    x, y = (sum(point[i] for point in middles) / len(middles) for i in (0, 1))
    mushrooms = [color for color, number in ring["mushrooms"].items() for _ in range(number)]
    notes = " ".join(word for word in ("waiting", "owed") if ring[word])
    with picture.group(f"ring of {ring['size']} {notes}"):
        picture.circle(x, y, 11, fill="#ffffff", stroke=SOIL, stroke_width=1.5, opacity=0.9)
        picture.text(x, y + 4.5, ring["size"], 12, text_anchor="middle", font_weight="bold", fill=INK)
        if ring["waiting"] or ring["owed"]:
            for i, color in enumerate(mushrooms):
                angle = 2 * math.pi * i / len(mushrooms)
                _draw_mushroom(picture, x + 18 * math.sin(angle), y - 18 * math.cos(angle), 5, color)
        if ring["signpost"]:
            picture.rect(x - 1.5, y - 34, 3, 24, fill=SOIL)
            picture.rect(x - 24, y - 38, 48, 14, rx=3, fill="#c79a5b", stroke=SOIL, stroke_width=1.2)
            picture.text(x, y - 27.5, ring["signpost"], 10, text_anchor="middle", fill=INK, font_weight="bold")
        for i, (player, _) in enumerate(ring["gnomes"]):
            _draw_gnome(picture, x - 14 + 15 * i, y + 22, player)


def _draw_claims(picture: Svg, view: View, components: Components, places: Mapping[tuple[int, int], Point]) -> None:
    """Draw each claiming gnome where its path has its name."""
    at_stump = 0
    for p, player in enumerate(view["players"]):
        for gnome in player["gnomes"]:
            if gnome is not None and gnome["at"] == "path":
                x, y = places[gnome["q"], gnome["r"]]
                _draw_gnome(picture, *_edge(x, y, SIZE, gnome["edge"], 0.7), p)
            elif gnome is not None and gnome["at"] == "stump":
                x, y = places[0, 0]
                _draw_gnome(picture, x - 12 + 9 * at_stump, y + 2, p, 7)
                at_stump += 1


def _draw_hand(picture: Svg, view: View, places: Mapping[tuple[int, int], Point], dx: float, dy: float) -> None:
    """Draw a frame round the cell that is chosen."""
    if view["hand"]["cell"] is not None:
        x, y = _middle(*view["hand"]["cell"])
        picture.polygon(_corners(x + dx, y + dy, SIZE), fill="none", stroke=INK, stroke_width=3, stroke_dasharray="6 4")


# --- round the garden ---------------------------------------------------------------------------------------------------


def _draw_head(picture: Svg, view: View, components: Components) -> None:
    """Draw the time, the offer, the flower market and the pinwheel market."""
    over = view["phase"] == "over"
    title = "over" if over else f"player {view['current_player']}: {view['phase'].replace('_', ' ')}"
    ends = ", last moves" if view["last_moves"] else ", last round" if view["ending"] else ""
    picture.text(_MARGIN, 36, f"Mushroom Rings, round {view['round']}{ends} - {title}", 20, font_weight="bold", fill=INK)
    for slot, tile in enumerate(view["offer"]):
        x, y = _MARGIN + SMALL + slot * (2 * SMALL + 8), 88.0
        chosen = tile is not None and tile == view["hand"]["tile"]
        if tile is None:
            picture.polygon(_corners(x, y, SMALL), fill="none", stroke=QUIET, stroke_dasharray="4 4")
        else:
            _draw_loose_tile(picture, components, tile, x, y)
        if chosen:
            picture.polygon(_corners(x, y, SMALL + 3), fill="none", stroke=INK, stroke_width=2.5)
    picture.text(_MARGIN, 136, f"offer; {view['bag_size']} tiles in the bag", 12, fill=QUIET)
    _draw_flower_market(picture, view, _MARGIN, 166)
    _draw_market(picture, view, components, _MARGIN + 8 * (2 * SMALL + 8) + 30, 56)


def _draw_loose_tile(picture: Svg, components: Components, tile: int, x: float, y: float) -> None:
    with picture.group(f"tile {tile}"):
        _draw_tile(picture, x, y, SMALL, picture_edges(components, tile, 0, 0), [PATH] * 6)


def _draw_flower_market(picture: Svg, view: View, x: float, y: float) -> None:
    picture.text(x, y + 4, "flower market", 12, fill=QUIET)
    for kind, count in enumerate(view["flower_market"]):
        cx = x + 110 + 46 * kind
        _draw_flower(picture, cx, y, kind, faded=not count)
        stack = view["wildflowers"][kind]
        label = str(count) if count else "" if stack is None else f"({stack})"
        picture.text(cx + 12, y + 4, label, 11, fill=INK if count else QUIET)
    guests = [p for p, player in enumerate(view["players"]) for g in player["gnomes"] if g and g["at"] == "flower_market"]
    for i, player in enumerate(guests):
        _draw_gnome(picture, x + 484 + 16 * i, y + 12, player)  # below the last row of the pinwheel market


def _draw_flower(picture: Svg, x: float, y: float, kind: int, faded: bool = False) -> None:
    colour = ("#e4572e", "#f3a712", "#a8c686", "#669bbc", "#9d4edd", "#ef7a85", "#3d5a80", "#8d6346")[kind]
    for i in range(5):
        angle = 2 * math.pi * i / 5
        fill = lighter(colour, 0.75) if faded else colour
        picture.circle(x + 5 * math.sin(angle), y - 5 * math.cos(angle), 4, fill=fill)
    picture.circle(x, y, 3, fill="#fff6c9", stroke=colour, stroke_width=0.8)


def _draw_market(picture: Svg, view: View, components: Components, x: float, y: float) -> None:
    """Draw the pinwheel market: what each number of each colour brings, and the blockers."""
    for n, size in enumerate(components.sizes):
        picture.text(x + 40 + 40 * n, y, size, 12, text_anchor="middle", fill=QUIET)
    for row, color in enumerate(COLORS):
        top = y + 16 + 20 * row
        _draw_mushroom(picture, x + 8, top, 7, color)
        for n, size in enumerate(components.sizes):
            cx, blocked = x + 40 + 40 * n, size in view["market"]["blocked"][color]
            fill = darker(MUSHROOMS[color], 0.35) if blocked else "#ffffff"
            picture.rect(cx - 15, top - 9, 30, 18, rx=4, fill=fill, stroke=darker(MUSHROOMS[color], 0.2), stroke_width=1)
            label = "x" if blocked else components.payouts[color][n]
            picture.text(cx, top + 4.5, label, 11, text_anchor="middle", fill="#ffffff" if blocked else INK)
        left = f"{view['market']['blockers'][color]} blockers"
        picture.text(x + 40 + 40 * len(components.sizes), top + 4, left, 11, fill=QUIET)


def _draw_player(picture: Svg, view: View, components: Components, p: int, x: float, y: float) -> None:
    player, colour = view["players"][p], PLAYER_COLOURS[p]
    acts = p == view["current_player"]
    with picture.group(f"player {p}"):
        stroke = {"stroke": colour, "stroke_width": 3 if acts else 1.2}
        picture.rect(x, y, _PANEL, 178, rx=10, fill=lighter(colour, 0.9) if acts else "#ffffff", **stroke)
        points = components.flower_scores[len(player["flowers"])] + components.marker_scores[len(player["markers"])]
        picture.text(x + 14, y + 24, f"Player {p}", 16, font_weight="bold", fill=colour)
        total, treasure = points + player["treasure"], player["treasure"]
        label = f"{total} points ({treasure} treasure)" + (", first" if p == view["first_player"] else "")
        picture.text(x + 92, y + 24, label, 13, fill=INK)
        for i in range(sum(gnome is None for gnome in player["gnomes"])):
            _draw_gnome(picture, x + 300 - 20 * i, y + 24, p)
        for i, color in enumerate(COLORS):
            _draw_mushroom(picture, x + 22 + 52 * i, y + 46, 8, color)
            picture.text(x + 34 + 52 * i, y + 52, player["mushrooms"][color], 14, font_weight="bold", fill=INK)
        for kind in range(len(view["flower_market"])):
            _draw_flower(picture, x + 22 + 26 * kind, y + 76, kind, faded=kind not in player["flowers"])
        _draw_slots(picture, player, components, p, x + 14, y + 98)
        for i, tile in enumerate(player["storage"]):
            _draw_loose_tile(picture, components, tile, x + 354, y + 58 + 54 * i)


def _draw_slots(picture: Svg, player: View, components: Components, p: int, x: float, y: float) -> None:
    """Draw the player board: a column for each ring size, its slots with their bonus, and the markers on them."""
    columns = sorted({slot.column for slot in components.slots})
    for number, slot in enumerate(components.slots):
        row = sum(earlier.column == slot.column for earlier in components.slots[:number])
        left, top = x + 60 * columns.index(slot.column), y + 10 + 22 * row
        filled = player["markers"].count(number)
        fill = lighter(PLAYER_COLOURS[p], 0.5) if filled else "#f7f4ea"
        picture.rect(left, top, 54, 18, rx=4, fill=fill, stroke=QUIET, stroke_width=1)
        bonus = f"+{slot.mushrooms}" if slot.mushrooms else _BONUS[slot.bonus]
        picture.text(left + 4, top + 13, bonus + (" x2" if slot.spaces == 2 else ""), 10, fill=INK)
        for i in range(filled):
            picture.circle(left + 48 - 8 * i, top + 9, 5, fill=PLAYER_COLOURS[p], stroke=INK, stroke_width=0.8)
    for i, column in enumerate(columns):
        label = f"ring {column}" + ("+" if column == columns[-1] else "")
        picture.text(x + 60 * i, y + 4, label, 10, fill=QUIET)
