"""The game as an SVG picture: the garden as hexes with their paths, and round it all that lies on the table.

Drawn from the state dict alone, whole or as one seat sees it.
"""

import math
from collections.abc import Mapping, Sequence

from envs.drawing.marks import LAST, NO_MARKS, Marks
from envs.drawing.svg import Point, Svg, darker, lighter, number
from envs.events import View
from envs.mushroom_rings.components import COLORS, Components
from envs.mushroom_rings.components.tables import picture_edges
from envs.mushroom_rings.pictures.pieces import (
    FINISHED,
    INK,
    MUSHROOMS,
    PAPER,
    PATH,
    PLAYER_COLOURS,
    QUIET,
    SIZE,
    SMALL,
    SOIL,
    corners,
    draw_flower,
    draw_gnome,
    draw_loose_tile,
    draw_mushroom,
    draw_tile,
    edge_point,
    middle,
)
from envs.mushroom_rings.pictures.tray import TRAY_HEIGHT, draw_tray

_MARGIN, _PANEL, _TOP = 24.0, 400.0, 190.0
_GARDEN_WIDTH, _GARDEN_HEIGHT = 800.0, 560.0
_ASKED = {
    "place": "pick a tile to lay", "take": "take a tile from the offer", "cell": "say where it lies",
    "where": "say which tile the gnome goes to", "orientation": "turn the tile", "leave": "give leave or refuse it",
    "slot": "pick a slot for the ring marker", "signpost": "pick a signpost", "discard": "discard a stored tile",
    "mushroom": "pick a mushroom again", "gnome": "move a gnome or none", "destination": "say where the gnome goes",
    "edge": "say which path or ring", "sale": "sell mushrooms", "trade": "trade or not",
}  # fmt: skip
_BONUS = {"none": "", "signpost": "post", "tile": "tile", "flower": "flower", "mushroom": "+"}


def svg(view: View, components: Components, marks: Marks = NO_MARKS) -> str:
    """A picture of a state dict as SVG text, of one size for a number of players.

    Pieces are ``cell:Q:R``, ``offer:SLOT``, ``storage:PLAYER:SLOT``, ``slot:PLAYER:SLOT``, ``gnome:PLAYER:GNOME``,
    ``sale:COLOR:NUMBER`` and, below the garden, ``choice:...`` for what has no place on the table.
    """
    width = _GARDEN_WIDTH + _PANEL + 3 * _MARGIN
    height = _TOP + max(_GARDEN_HEIGHT + TRAY_HEIGHT, 190 * len(view["players"])) + 2 * _MARGIN
    picture = Svg(width, height, f"Mushroom Rings, round {view['round']}, {view['phase']}")
    picture.rect(0, 0, width, height, fill=PAPER)
    _draw_head(picture, view, components, marks)
    room = height - _TOP - TRAY_HEIGHT - _MARGIN
    picture.rect(_MARGIN / 2, _TOP, _GARDEN_WIDTH + _MARGIN, room, rx=10, fill="#eaf1dc", stroke="#c9d6ae")
    left, top, right, bottom = _bounds(view)
    scale = min(1.5, _GARDEN_WIDTH / (right - left), (room - 12) / (bottom - top))
    x = _MARGIN + (_GARDEN_WIDTH - scale * (right - left)) / 2 - scale * left
    y = _TOP + 6 + (room - 12 - scale * (bottom - top)) / 2 - scale * top
    with picture.group(None, transform=f"translate({number(x)} {number(y)}) scale({scale:.3f})"):
        _draw_garden(picture, view, components, marks)
    draw_tray(picture, view, components, marks, _MARGIN, height - TRAY_HEIGHT)
    for p in range(len(view["players"])):
        _draw_player(picture, view, components, p, width - _PANEL - _MARGIN, _TOP + 190 * p, marks)
    return picture.to_string()


def _bounds(view: View) -> tuple[float, float, float, float]:
    """The room of the garden and of the cells round it."""
    xs, ys = zip(*(middle(tile["q"], tile["r"]) for tile in view["garden"]), strict=True)
    return min(xs) - 2.8 * SIZE, min(ys) - 2.6 * SIZE, max(xs) + 2.8 * SIZE, max(ys) + 2.6 * SIZE


# --- the garden ---------------------------------------------------------------------------------------------------------


def _draw_garden(picture: Svg, view: View, components: Components, marks: Marks) -> None:
    colours = _path_colours(view)
    places = {(tile["q"], tile["r"]): middle(tile["q"], tile["r"]) for tile in view["garden"]}
    for tile in view["garden"]:
        cell = tile["q"], tile["r"]
        segments = picture_edges(components, tile["tile"], tile["side"], tile["rotation"])
        count = 6 if segments is None else len(segments)
        keys = [(*cell, 0 if segments is None else s) for s in range(count)]
        with picture.group(f"tile {tile['tile']} at {cell}", **marks.attributes(f"cell:{cell[0]}:{cell[1]}")):
            draw_tile(picture, *places[cell], SIZE, segments, [colours.get(key, FINISHED) for key in keys])
            if tile["tile"] == 0:
                picture.circle(*places[cell], SIZE * 0.3, fill=SOIL, stroke=darker(SOIL, 0.4), stroke_width=2)
    last = view["garden"][-1]
    picture.polygon(corners(*places[last["q"], last["r"]], SIZE), fill="none", stroke="#ffffff", stroke_width=3)
    for ring in view["rings"]:
        _draw_ring(picture, ring, [places[tuple(cell)] for cell in ring["tiles"]])
    _draw_claims(picture, view, places, marks)
    _draw_cells(picture, places, marks)
    _draw_hand(picture, view)


def _draw_cells(picture: Svg, places: Mapping[tuple[int, int], Point], marks: Marks) -> None:
    """Draw the frames of cells: those that can be chosen and those of the last move."""
    named = [piece for piece in (*marks.last, *marks.choices) if piece.startswith("cell:")]
    for piece in dict.fromkeys(named):
        q, r = map(int, piece.split(":")[1:])
        frame = {**(marks.frame(piece) or {}), "fill": "#ffffff", "fill_opacity": 0.01 if (q, r) in places else 0.55}
        with picture.group(f"({q}, {r})", **marks.attributes(piece)):
            picture.polygon(corners(*middle(q, r), SIZE - 2), **frame)


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
                draw_mushroom(picture, x + 18 * math.sin(angle), y - 18 * math.cos(angle), 5, color)
        if ring["signpost"]:
            picture.rect(x - 1.5, y - 34, 3, 24, fill=SOIL)
            picture.rect(x - 24, y - 38, 48, 14, rx=3, fill="#c79a5b", stroke=SOIL, stroke_width=1.2)
            picture.text(x, y - 27.5, ring["signpost"], 10, text_anchor="middle", fill=INK, font_weight="bold")
        for i, (player, _) in enumerate(ring["gnomes"]):
            draw_gnome(picture, x - 14 + 15 * i, y + 22, player)


def _draw_claims(picture: Svg, view: View, places: Mapping[tuple[int, int], Point], marks: Marks) -> None:
    """Draw each claiming gnome where its path has its name."""
    at_stump = 0
    for p, player in enumerate(view["players"]):
        for g, gnome in enumerate(player["gnomes"]):
            if gnome is not None and gnome["at"] == "path":
                x, y = places[gnome["q"], gnome["r"]]
                x, y = edge_point(x, y, SIZE, gnome["edge"], 0.7)
                draw_gnome(picture, x, y, p)
                if marks.frame(f"gnome:{p}:{g}"):
                    picture.circle(x, y - 4, 15, fill="none", stroke=LAST, stroke_width=3)
            elif gnome is not None and gnome["at"] == "stump":
                x, y = places[0, 0]
                draw_gnome(picture, x - 12 + 9 * at_stump, y + 2, p, 7)
                at_stump += 1


def _draw_hand(picture: Svg, view: View) -> None:
    """Draw a frame round the cell that is chosen."""
    if view["hand"]["cell"] is not None:
        where = corners(*middle(*view["hand"]["cell"]), SIZE)
        picture.polygon(where, fill="none", stroke=INK, stroke_width=3, stroke_dasharray="6 4")


# --- round the garden ---------------------------------------------------------------------------------------------------


def _draw_head(picture: Svg, view: View, components: Components, marks: Marks) -> None:
    """Draw the time, the offer, the flower market and the pinwheel market."""
    over = view["phase"] == "over"
    title = _victory(view, components) if over else f"player {view['current_player']}: {_ASKED[view['phase']]}"
    ends = ", last moves" if view["last_moves"] else ", last round" if view["ending"] else ""
    picture.text(_MARGIN, 36, f"Mushroom Rings, round {view['round']}{ends} - {title}", 20, font_weight="bold", fill=INK)
    for slot, tile in enumerate(view["offer"]):
        x, y = _MARGIN + SMALL + slot * (2 * SMALL + 8), 88.0
        chosen = tile is not None and tile == view["hand"]["tile"]
        if tile is None:
            picture.polygon(corners(x, y, SMALL), fill="none", stroke=QUIET, stroke_dasharray="4 4")
        else:
            _draw_marked_tile(picture, components, tile, f"offer:{slot}", x, y, marks)
        if chosen:
            picture.polygon(corners(x, y, SMALL + 3), fill="none", stroke=INK, stroke_width=2.5)
    picture.text(_MARGIN, 136, f"offer; {view['bag_size']} tiles in the bag", 12, fill=QUIET)
    _draw_flower_market(picture, view, _MARGIN, 166)
    _draw_market(picture, view, components, _MARGIN + 8 * (2 * SMALL + 8) + 30, 56, marks)


def _draw_marked_tile(picture: Svg, components: Components, tile: int, piece: str, x: float, y: float, marks: Marks) -> None:
    with picture.group(None, **marks.attributes(piece)):
        draw_loose_tile(picture, components, tile, x, y)
        if frame := marks.frame(piece):
            picture.polygon(corners(x, y, SMALL + 2), **frame)


def _victory(view: View, components: Components) -> str:
    """Who has won, and by what."""
    standings = [(_points(player, components), sum(player["mushrooms"].values())) for player in view["players"]]
    best = max(standings)
    winners = [str(p) for p, standing in enumerate(standings) if standing == best]
    tied = sum(points == best[0] for points, _ in standings) > 1
    by = f"{best[0]} points" + (f" and {best[1]} mushrooms unsold" if tied else "")
    return f"player {winners[0]} wins with {by}" if len(winners) == 1 else f"players {', '.join(winners)} share it with {by}"


def _points(player: View, components: Components) -> int:
    flowers, markers = components.flower_scores[len(player["flowers"])], components.marker_scores[len(player["markers"])]
    return int(flowers + markers + player["treasure"])


def _draw_flower_market(picture: Svg, view: View, x: float, y: float) -> None:
    picture.text(x, y + 4, "flower market", 12, fill=QUIET)
    for kind, count in enumerate(view["flower_market"]):
        cx = x + 110 + 46 * kind
        draw_flower(picture, cx, y, kind, faded=not count)
        stack = view["wildflowers"][kind]
        label = str(count) if count else "" if stack is None else f"({stack})"
        picture.text(cx + 12, y + 4, label, 11, fill=INK if count else QUIET)
    guests = [p for p, player in enumerate(view["players"]) for g in player["gnomes"] if g and g["at"] == "flower_market"]
    for i, player in enumerate(guests):
        draw_gnome(picture, x + 484 + 16 * i, y + 12, player)  # below the last row of the pinwheel market


def _draw_market(picture: Svg, view: View, components: Components, x: float, y: float, marks: Marks) -> None:
    """Draw the pinwheel market: what each number of each colour brings, and the blockers."""
    for n, size in enumerate(components.sizes):
        picture.text(x + 40 + 40 * n, y, size, 12, text_anchor="middle", fill=QUIET)
    for row, color in enumerate(COLORS):
        top = y + 16 + 20 * row
        draw_mushroom(picture, x + 8, top, 7, color)
        for n, size in enumerate(components.sizes):
            cx, blocked = x + 40 + 40 * n, size in view["market"]["blocked"][color]
            fill = darker(MUSHROOMS[color], 0.35) if blocked else "#ffffff"
            label, piece = "x" if blocked else components.payouts[color][n], f"sale:{color}:{size}"
            with picture.group(f"{size} {color} mushrooms", **marks.attributes(piece)):
                picture.rect(cx - 15, top - 9, 30, 18, rx=4, fill=fill, stroke=darker(MUSHROOMS[color], 0.2), stroke_width=1)
                picture.text(cx, top + 4.5, label, 11, text_anchor="middle", fill="#ffffff" if blocked else INK)
                if frame := marks.frame(piece):
                    picture.rect(cx - 16, top - 10, 32, 20, rx=5, **frame)
        left = f"{view['market']['blockers'][color]} blockers"
        picture.text(x + 40 + 40 * len(components.sizes), top + 4, left, 11, fill=QUIET)


def _draw_player(picture: Svg, view: View, components: Components, p: int, x: float, y: float, marks: Marks) -> None:
    player, colour = view["players"][p], PLAYER_COLOURS[p]
    acts = p == view["current_player"]
    with picture.group(f"player {p}"):
        stroke = {"stroke": colour, "stroke_width": 3 if acts else 1.2}
        picture.rect(x, y, _PANEL, 178, rx=10, fill=lighter(colour, 0.9) if acts else "#ffffff", **stroke)
        picture.text(x + 14, y + 24, f"Player {p}", 16, font_weight="bold", fill=colour)
        total, treasure = _points(player, components), player["treasure"]
        label = f"{total} points ({treasure} treasure)" + (", first" if p == view["first_player"] else "")
        picture.text(x + 92, y + 24, label, 13, fill=INK)
        for i in range(sum(gnome is None for gnome in player["gnomes"])):
            draw_gnome(picture, x + 300 - 20 * i, y + 24, p)
        for i, color in enumerate(COLORS):
            draw_mushroom(picture, x + 22 + 52 * i, y + 46, 8, color)
            picture.text(x + 34 + 52 * i, y + 52, player["mushrooms"][color], 14, font_weight="bold", fill=INK)
        for kind in range(len(view["flower_market"])):
            draw_flower(picture, x + 22 + 26 * kind, y + 76, kind, faded=kind not in player["flowers"])
        _draw_slots(picture, player, components, p, x + 14, y + 98, marks)
        for i, tile in enumerate(player["storage"]):
            _draw_marked_tile(picture, components, tile, f"storage:{p}:{i}", x + 366, y + 34 + 54 * i, marks)


def _draw_slots(picture: Svg, player: View, components: Components, p: int, x: float, y: float, marks: Marks) -> None:
    """Draw the player board: a column for each ring size, its slots with their bonus, and the markers on them."""
    columns = sorted({slot.column for slot in components.slots})
    for place, slot in enumerate(components.slots):
        row = sum(earlier.column == slot.column for earlier in components.slots[:place])
        left, top = x + 60 * columns.index(slot.column), y + 10 + 22 * row
        filled, piece = player["markers"].count(place), f"slot:{p}:{place}"
        fill = lighter(PLAYER_COLOURS[p], 0.5) if filled else "#f7f4ea"
        bonus = f"+{slot.mushrooms}" if slot.mushrooms else _BONUS[slot.bonus]
        with picture.group(None, **marks.attributes(piece)):
            picture.rect(left, top, 54, 18, rx=4, fill=fill, stroke=QUIET, stroke_width=1)
            picture.text(left + 4, top + 13, bonus + (" x2" if slot.spaces == 2 else ""), 10, fill=INK)
            for i in range(filled):
                picture.circle(left + 48 - 8 * i, top + 9, 5, fill=PLAYER_COLOURS[p], stroke=INK, stroke_width=0.8)
            if frame := marks.frame(piece):
                picture.rect(left - 1, top - 1, 56, 20, rx=5, **frame)
    for i, column in enumerate(columns):
        label = f"ring {column}" + ("+" if column == columns[-1] else "")
        picture.text(x + 60 * i, y + 4, label, 10, fill=QUIET)
