"""The pieces of the game as drawings: mushrooms, fairies, cards, mana and marks."""

from collections.abc import Sequence
from typing import NamedTuple

from envs.drawing.svg import Attribute, Svg, darker, lighter, number
from envs.fairy_ring.cards import TYPES_WITH_MANA, Card
from envs.fairy_ring.state import MANA_PER_POINT

INK = "#33312b"
QUIET = "#77736a"
PAPER = "#fffdf8"
GLOW = "#ffd43b"
PLAYER_COLOURS = ("#2b4a9b", "#b3243b", "#0b7565", "#8a560c")
CARD_WIDTH, CARD_HEIGHT = 58, 86

# Sizes of a mushroom at scale 1, upwards from its foot.
MUSHROOM_WIDTH = 72
_STEM, _CAP, _STEP = 27, 35, 11
_FAIRY_HEIGHT = 30


class _Cap(NamedTuple):
    """How a type of mushroom looks: colour, outline of the cap above the stem's top at (0, 0), and its decoration."""

    colour: str
    outline: str
    decoration: tuple[str, ...]


def _dots(*centres: tuple[float, float, float]) -> tuple[str, ...]:
    """Circles (x, y, radius) as path data."""
    return tuple(f"M{x - r},{y}a{r},{r} 0 1 0 {2 * r},0a{r},{r} 0 1 0 {-2 * r},0Z" for x, y, r in centres)


# Each type has a shape of its own too, for readers who do not see colours and for prints without them.
CAPS = {
    "Magidrome": _Cap(
        "#8257c2",
        "M-36,1C-36,-22 -20,-35 0,-35C20,-35 36,-22 36,1Q0,10 -36,1Z",
        _dots((-24, -8, 4.5), (-13, -24, 4), (14, -25, 4.5), (25, -9, 4), (0, -31, 2)),
    ),
    "Academy": _Cap(
        "#e0567c",
        "M-35,2C-22,-5 -15,-24 0,-37C15,-24 22,-5 35,2Q0,10 -35,2Z",
        (
            "M-24,-3.5Q0,4 24,-3.5L20.5,-8Q0,-1.5 -20.5,-8Z",
            "M-11.5,-23.5Q0,-19 11.5,-23.5L8.5,-27.5Q0,-24.5 -8.5,-27.5Z",
        ),
    ),
    "Lookout": _Cap(
        "#ee8a2e",
        "M-36,1L-32,-17Q-31,-21 -27,-21L-27,-28L-18,-28L-18,-23L-9,-25L-9,-33L9,-33L9,-25L18,-23L18,-28L27,-28L27,-21"
        "Q31,-21 32,-17L36,1Q0,10 -36,1Z",
        ("M-27,-14h6v8h-6Z", "M21,-14h6v8h-6Z"),
    ),
    "Luminarium": _Cap(
        "#55a84f",
        "M-32,0C-33,-27 -16,-35 0,-35C16,-35 33,-27 32,0Q25,8 17,2Q9,10 0,3Q-9,10 -17,2Q-25,8 -32,0Z",
        _dots((-21, -14, 3), (-13, -26, 2.4), (13, -26, 2.4), (21, -14, 3), (-24, -3, 2.2), (24, -3, 2.2)),
    ),
    "Pollenarium": _Cap(
        "#efc62f",
        "M-34,-12C-34,-28 -17,-36 0,-36C17,-36 34,-28 34,-12C34,2 18,7 0,7C-18,7 -34,2 -34,-12Z",
        _dots(
            (-24, -18, 2),
            (-18, -6, 2),
            (-12, -27, 2),
            (0, -31, 1.8),
            (12, -27, 2),
            (24, -18, 2),
            (18, -6, 2),
            (-29, -9, 1.6),
        )
        + _dots((29, -9, 1.6), (0, 1, 1.8)),
    ),
    "Spring": _Cap(
        "#3f93d8",
        "M-36,-27Q0,-43 36,-27C32,-10 17,-5 12,5Q0,9 -12,5C-17,-5 -32,-10 -36,-27Z",
        ("M-31,-27Q0,-37 31,-27Q0,-18 -31,-27Z",),
    ),
}


def mushroom_height(size: int, scale: float) -> float:
    """Height of a mushroom of this many cards, from its foot."""
    return (_STEM + _STEP * (size - 1) + _CAP) * scale


def mushroom(svg: Svg, x: float, y: float, scale: float, kind: str, size: int) -> None:
    """Draw a mushroom with its foot at (x, y): one cap for each of its cards."""
    cap = CAPS[kind]
    with svg.group(transform=f"translate({number(x)} {number(y)}) scale({scale:.3f})", stroke_linejoin="round"):
        svg.ellipse(0, 1, 24, 5, fill="#000000", fill_opacity=0.13)
        svg.path(
            "M-9,-29C-8,-16 -10,-6 -13,0Q0,5 13,0C10,-6 8,-16 9,-29Z",
            fill="#f7eedb",
            stroke="#8d7f63",
            stroke_width=1.6,
        )
        svg.path("M-3,-20Q-3.5,-9 -5,-3", fill="none", stroke="#d9cbae", stroke_width=2)
        for level in range(size):
            with svg.group(transform=f"translate(0 {-_STEM - _STEP * level})"):
                top = level == size - 1
                fill = lighter(cap.colour, 0.06) if top else darker(cap.colour, 0.12)
                svg.path(cap.outline, fill=fill, stroke=darker(cap.colour, 0.45), stroke_width=1.8)
                if top:
                    svg.path("".join(cap.decoration), fill=lighter(cap.colour, 0.62))


def number_badge(svg: Svg, x: float, y: float, scale: float, size: int, value: int) -> None:
    """Write the mana of a mushroom that stands at (x, y) on its top cap."""
    font = max(11.0, 15 * scale)
    centre = y - (_STEM + _STEP * (size - 1) + 14) * scale
    drop(svg, x, centre, font, value)


def drop(svg: Svg, x: float, y: float, font: float, value: object) -> None:
    """Draw an amount of mana: a number on a white disc."""
    svg.circle(x, y, font * 0.8, fill="#ffffff", stroke="#26547c", stroke_width=1.3)
    svg.text(x, y + font * 0.36, value, font, text_anchor="middle", font_weight="bold", fill="#123a5c")


def firefly_lights(svg: Svg, x: float, y: float, scale: float, count: int) -> None:
    """Draw the visible fireflies of a mushroom that stands at (x, y), beside its stem."""
    radius = max(2.4, 3.6 * scale)
    for index in range(count):
        side, row, column = (-1, 1)[index % 2], index // 4, index // 2 % 2
        firefly(svg, x + side * (17 + 10 * column) * scale, y - (11 if count <= 4 else 5 + 12 * row) * scale, radius)


def firefly(svg: Svg, x: float, y: float, radius: float) -> None:
    """Draw one glowing firefly."""
    svg.circle(x, y, radius * 1.9, fill=GLOW, fill_opacity=0.35)
    svg.circle(x, y, radius, fill=GLOW, stroke="#b8860b", stroke_width=0.8)


def fairies(svg: Svg, x: float, top: float, width: float, players: Sequence[int]) -> None:
    """Draw fairies above a mushroom whose top is at (x, top), two in a row, within a width."""
    size = min(1.0, width / 56)
    for index, player in enumerate(players):
        row, place = divmod(index, 2)
        row_length = min(2, len(players) - 2 * row)
        fairy(svg, x + (place - (row_length - 1) / 2) * 27 * size, top - row * _FAIRY_HEIGHT * size, size, player)


def fairy(svg: Svg, x: float, y: float, scale: float, player: int) -> None:
    """Draw a player's fairy with its feet at (x, y)."""
    colour = PLAYER_COLOURS[player]
    wing: dict[str, Attribute] = {
        "fill": lighter(colour, 0.6),
        "fill_opacity": 0.85,
        "stroke": colour,
        "stroke_width": 0.9,
    }
    place = f"translate({number(x)} {number(y)}) scale({scale:.3f})"
    with svg.group(f"fairy of player {player}", transform=place):
        for side in (-1, 1):
            svg.ellipse(side * 7.5, -17, 6, 3.6, transform=f"rotate({side * -35} {side * 7.5} -17)", **wing)
            svg.ellipse(side * 7, -9.5, 5, 3, transform=f"rotate({side * 25} {side * 7} -9.5)", **wing)
        svg.path(
            "M0,-21C5,-17 7.5,-6 7,-1.5Q0,1 -7,-1.5C-7.5,-6 -5,-17 0,-21Z",
            fill=colour,
            stroke="#ffffff",
            stroke_width=0.8,
        )
        svg.circle(0, -23, 4.6, fill="#f6d7b8", stroke=darker(colour, 0.2), stroke_width=1)
        svg.text(0, -3.6, player, 10, text_anchor="middle", font_weight="bold", fill="#ffffff")


def card_face(svg: Svg, x: float, y: float, card: Card, scale: float = 1) -> None:
    """Draw a card face up: movement, fireflies, kind, mana and number, its top left corner at (x, y)."""
    cap = CAPS[card.type]
    with svg.group(f"card {card.id}: {card.type}", transform=f"translate({number(x)} {number(y)}) scale({scale:.3f})"):
        svg.rect(
            0,
            0,
            CARD_WIDTH,
            CARD_HEIGHT,
            rx=6,
            fill=lighter(cap.colour, 0.82),
            stroke=darker(cap.colour, 0.3),
            stroke_width=1.5,
        )
        moves = "\u00b7".join(str(steps) for steps in card.movement)
        svg.text(6, 17, moves, 13 if len(moves) > 2 else 15, font_weight="bold", fill=INK)
        for index in range(card.fireflies):
            firefly(svg, CARD_WIDTH - 9, 24 + 11 * index, 2.9)
        mushroom(svg, CARD_WIDTH / 2 - 2, 60, 0.56, card.type, 1)
        if card.type in TYPES_WITH_MANA:
            drop(svg, 12, 60, 10, card.mana)
        svg.text(6, CARD_HEIGHT - 7, card.type[:3], 10.5, font_weight="bold", fill=darker(cap.colour, 0.45))
        svg.text(CARD_WIDTH - 6, CARD_HEIGHT - 7, card.id, 9, text_anchor="end", fill=QUIET)


def card_back(svg: Svg, x: float, y: float, round_number: int) -> None:
    """Draw a card face down, its top left corner at (x, y)."""
    with svg.group("hidden card", transform=f"translate({number(x)} {number(y)})"):
        svg.rect(0, 0, CARD_WIDTH, CARD_HEIGHT, rx=6, fill="#5d6b57", stroke="#3c4638", stroke_width=1.5)
        svg.rect(5, 5, CARD_WIDTH - 10, CARD_HEIGHT - 10, rx=4, fill="none", stroke="#a9b59f", stroke_width=1)
        for x_spore, y_spore in ((16, 18), (42, 18), (16, 68), (42, 68)):
            svg.circle(x_spore, y_spore, 3, fill="#8b9a80")
        svg.circle(CARD_WIDTH / 2, CARD_HEIGHT / 2, 13, fill="#a9b59f")
        svg.text(
            CARD_WIDTH / 2,
            CARD_HEIGHT / 2 + 6,
            round_number,
            16,
            text_anchor="middle",
            font_weight="bold",
            fill="#3c4638",
        )


def mana_tokens(svg: Svg, x: float, y: float, mana: int) -> None:
    """Draw the mana of a player as filled places on the way to a point, two rows of ten."""
    for index in range(MANA_PER_POINT):
        row, column = divmod(index, 10)
        filled = index < mana
        fill, line = ("#3fa7d6", "#26547c") if filled else ("#f1efe8", "#c9c4b6")
        svg.circle(x + 12.5 * column, y + 12.5 * row, 5, fill=fill, stroke=line, stroke_width=1)


def tag(svg: Svg, x: float, y: float, label: str, colour: str) -> None:
    """Draw a small label, its left end at (x, y) half way up."""
    width = 12 + 6.4 * len(label)
    svg.rect(x, y - 9, width, 18, rx=9, fill=colour)
    svg.text(x + width / 2, y + 3.8, label, 10.5, text_anchor="middle", font_weight="bold", fill="#ffffff")


def disc(svg: Svg, x: float, y: float, label: object, colour: str, *, filled: bool = True, radius: float = 9) -> None:
    """Draw a disc with a short label, filled or as an empty place."""
    fill, ink = (colour, "#ffffff") if filled else ("#ffffff", QUIET)
    svg.circle(x, y, radius, fill=fill, stroke=colour if filled else "#c9c4b6", stroke_width=1.4)
    svg.text(x, y + radius * 0.4, label, radius * 1.15, text_anchor="middle", font_weight="bold", fill=ink)


def star(svg: Svg, x: float, y: float, radius: float) -> None:
    """Draw the star that stands for points, centred at (x, y)."""
    # Ten corners of a five-pointed star of radius 1, from the top, clockwise.
    corners = ((0, -1), (0.22, -0.31), (0.95, -0.31), (0.36, 0.12), (0.59, 0.81))
    mirrored = ((0, 0.38), *((-a, b) for a, b in reversed(corners[1:])))
    points = [(x + radius * a, y + radius * b) for a, b in (*corners, *mirrored)]
    svg.polygon(points, fill="#f2b705", stroke="#9a7200", stroke_width=1.2, stroke_linejoin="round")
