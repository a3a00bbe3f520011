"""The tray below the garden: choices that have no place of their own on the table."""

from envs.drawing.marks import Marks
from envs.drawing.svg import Svg
from envs.events import View
from envs.game import Game
from envs.mushroom_rings.components import COLORS, COMPASS, Components
from envs.mushroom_rings.pictures.pieces import (
    INK,
    PLAYER_COLOURS,
    QUIET,
    SMALL,
    corners,
    draw_gnome,
    draw_loose_tile,
    draw_mushroom,
)

TRAY_HEIGHT = 92.0
_SLOTTED = {
    "tile": "offer:{slot}",
    "stored": "storage:{player}:{slot}",
    "discard": "storage:{player}:{slot}",
    "slot": "slot:{player}:{slot}",
}


def target(game: Game, view: View, move: View) -> str:
    """The piece that a structured move acts on; ``choice:...`` where it has none but in the tray."""
    kind, p = move["type"], view["turn_player"]
    if kind == "cell":
        return f"cell:{move['q']}:{move['r']}"
    if kind in _SLOTTED:
        return _SLOTTED[kind].format(player=p, slot=move["slot"])
    if kind == "sale":
        return f"sale:{move['color']}:{move['number']}"
    return ":".join(["choice", *(str(value) for value in move.values())])


def draw_tray(picture: Svg, view: View, components: Components, marks: Marks, x: float, y: float) -> None:
    """Draw a button for every choice of the tray."""
    waiting = [piece for piece in marks.choices if piece.startswith("choice:")]
    if waiting:
        picture.text(x, y + 10, "choose:", 12, fill=QUIET)
    for place, piece in enumerate(waiting):
        kind, *values = piece.split(":")[1:]
        step = 66 if kind == "orientation" else 116
        left, top = x + place % (800 // step) * step, y + 16 + 36 * (place // (800 // step))
        with picture.group(None, **marks.attributes(piece)):
            if kind == "orientation":
                _draw_turned(picture, view, components, marks, piece, left + SMALL + 4, y + 46)
            else:
                picture.rect(left, top, step - 8, 30, rx=8, **{**(marks.frame(piece) or {}), "fill": "#ffffff"})
                _draw_label(picture, view, kind, values, left + 8, top + 20)


def _draw_turned(picture: Svg, view: View, components: Components, marks: Marks, piece: str, x: float, y: float) -> None:
    side, rotation = map(int, piece.split(":")[2:])
    draw_loose_tile(picture, components, view["hand"]["tile"], x, y, side, rotation)
    picture.polygon(corners(x, y, SMALL + 3), **(marks.frame(piece) or {}))


def _draw_label(picture: Svg, view: View, kind: str, values: list[str], x: float, y: float) -> None:
    """Draw what a button says: a word, with the mushroom or gnome it is about."""
    word = _WORDS.get(kind, kind) if not values else values[-1].replace("_", " ")
    if kind == "leave":
        word = "give leave" if values[0] == "True" else "refuse"
    elif kind == "edge":
        word = f"edge {COMPASS[int(values[0])]}"
    elif kind == "gnome":
        draw_gnome(picture, x + 8, y - 4, view["turn_player"], 8)
        word, x = f"gnome {values[0]}", x + 20
    elif kind == "trade":
        word = "no trade" if values[0] == "none" else f"trade {values[0]}"
    elif word in COLORS:
        draw_mushroom(picture, x + 8, y - 6, 7, word)
        x += 20
        word = f"{word} post" if kind in ("destination", "signpost") else word
    picture.text(x, y, word, 13, fill=INK if kind != "stay" else PLAYER_COLOURS[view["turn_player"]])


_WORDS = {"stop": "stop laying", "stay": "no gnome", "enough": "sell no more"}
