"""The pieces of the game as drawings: dancers on cards, card backs and counters."""

from math import cos, radians, sin

from envs.dance_of_eights.cards import ATTRIBUTES, Card
from envs.dance_of_eights.pictures.view import Counter
from envs.drawing.svg import Svg, darker, lighter, number

INK = "#33312b"
QUIET = "#77736a"
PAPER = "#fffdf8"
OPEN = "#f2a900"
MISSED = "#9c2f2f"
PLAYER_COLOURS = ("#2b4a9b", "#b3243b", "#0b7565", "#8a560c", "#6a3d9a", "#4d5b66", "#a3386c")
ELEMENT_COLOURS = {"E": "#8a5a2b", "W": "#2f6fb5", "S": "#5b6fc4", "F": "#3d7d34"}
ALIGNMENT_COLOURS = {"M": "#a86400", "G": "#2c7a3f", "E": "#7a2350"}
SEX_COLOURS = {"F": "#b03a6e", "M": "#2c5d8f"}
SEX_SIGNS = {"F": "\u2640", "M": "\u2642"}
FIGURE_SCALES = {"T": 0.42, "S": 0.7, "B": 1.0}

CARD_WIDTH, CARD_HEIGHT = 70, 96
_BAND = 17
_BAND_OUTLINE = f"M0.7,{_BAND}V6Q0.7,0.7 6,0.7H{CARD_WIDTH - 6}Q{CARD_WIDTH - 0.7},0.7 {CARD_WIDTH - 0.7},6V{_BAND}Z"
_LONG_NAME = 11


def _ring_of_dancers(radius: float, size: float) -> str:
    """Eight dots in a circle, as path data."""
    dots = []
    for angle in (radians(45 * dancer) for dancer in range(8)):
        x, y = CARD_WIDTH / 2 + radius * sin(angle) - size, CARD_HEIGHT / 2 - radius * cos(angle)
        dots.append(f"M{number(x)},{number(y)}a{size},{size} 0 1 0 {2 * size},0a{size},{size} 0 1 0 {-2 * size},0Z")
    return "".join(dots)


_DANCERS = _ring_of_dancers(18, 3.6)


def card_face(picture: Svg, x: float, y: float, card: Card, *, scale: float = 1, opened: bool = False, copies: int = 1) -> None:
    """Draw a card face up, by its top left corner.

    Args:
        picture: The picture to draw into.
        x: Left edge.
        y: Top edge.
        card: The card.
        scale: 1 for the full size.
        opened: Whether to mark it as taken in the open.
        copies: A number above 1 is written on it.
    """
    colour = ELEMENT_COLOURS[card.element]
    title = f"card {card.id}: {card.name}, {card.words}" + (", taken in the open" if opened else "")
    with picture.group(title, transform=f"translate({x:g},{y:g}) scale({scale:g})"):
        picture.rect(0, 0, CARD_WIDTH, CARD_HEIGHT, rx=6, fill=lighter(colour, 0.9), stroke=colour, stroke_width=1.4)
        picture.path(_BAND_OUTLINE, fill=colour)
        size = 9.5 if len(card.name) < _LONG_NAME else 8.2
        picture.text(CARD_WIDTH / 2, 12.5, card.name, size, fill="#ffffff", font_weight="bold", text_anchor="middle")
        _figure(picture, 22, 55, card)
        sign = SEX_SIGNS[card.sex]
        picture.text(50, 45, sign, 24, fill=SEX_COLOURS[card.sex], font_weight="bold", text_anchor="middle")
        _words(picture, card)
        if opened:
            picture.circle(CARD_WIDTH - 2, 2, 5.5, fill=OPEN, stroke=darker(OPEN, 0.5), stroke_width=1.2)
        if copies > 1:
            x, y = CARD_WIDTH - 6, CARD_HEIGHT - 6
            picture.circle(x, y, 10, fill=INK)
            picture.text(x, y + 4, f"\u00d7{copies}", 11, fill="#ffffff", font_weight="bold", text_anchor="middle")


def _figure(picture: Svg, x: float, foot: float, card: Card) -> None:
    """A dancer as tall as its size says: in a skirt or in trousers, arms up."""
    scale, colour = FIGURE_SCALES[card.size], SEX_COLOURS[card.sex]
    with picture.group(transform=f"translate({x:g},{foot:g}) scale({scale:g})"):
        picture.circle(0, -29, 4.6, fill=colour)
        body = "M-3,-24H3L10,0H-10Z" if card.sex == "F" else "M-5,-24H5V0H1V-11H-1V0H-5Z"
        picture.path(body, fill=colour)
        picture.path("M-4,-22L-12,-32M4,-22L12,-32", stroke=colour, stroke_width=3, stroke_linecap="round")


def _words(picture: Svg, card: Card) -> None:
    """Size, alignment and element in words, one under the other."""
    colours = {"size": INK, "alignment": ALIGNMENT_COLOURS[card.alignment], "element": ELEMENT_COLOURS[card.element]}
    for line, (attribute, colour) in enumerate(colours.items()):
        word = ATTRIBUTES[attribute][getattr(card, attribute)]
        picture.text(
            CARD_WIDTH / 2, 68 + 11 * line, word, 8.8, fill=darker(colour, 0.15), font_weight="bold", text_anchor="middle"
        )


def card_back(picture: Svg, x: float, y: float, *, scale: float = 1, title: str = "hidden card") -> None:
    """Draw a card face down, by its top left corner."""
    with picture.group(title, transform=f"translate({x:g},{y:g}) scale({scale:g})"):
        picture.rect(0, 0, CARD_WIDTH, CARD_HEIGHT, rx=6, fill="#46627a", stroke="#2b3f50", stroke_width=1.4)
        picture.rect(5, 5, CARD_WIDTH - 10, CARD_HEIGHT - 10, rx=4, fill="none", stroke="#b9c9d6", stroke_width=1)
        picture.circle(CARD_WIDTH / 2, CARD_HEIGHT / 2, 18, fill="none", stroke="#b9c9d6", stroke_width=1.5)
        picture.path(_DANCERS, fill="#e8eef3")


def counter(picture: Svg, x: float, y: float, width: float, shown: Counter) -> None:
    """Draw a counter: light if a Ring may have this many dancers of the value, dark if not."""
    fill, ink = ("#e4efd8", "#35601f") if shown.fits else (MISSED, "#ffffff")
    picture.rect(x, y, width, 19, rx=5, fill=fill, stroke=ink if shown.fits else MISSED, stroke_width=0.8)
    picture.text(x + width / 2, y + 13, f"{shown.word} {shown.number}", 9, fill=ink, font_weight="bold", text_anchor="middle")


def tag(picture: Svg, x: float, y: float, word: str, colour: str) -> None:
    """Draw a word on a coloured label."""
    width = 7.2 * len(word) + 14
    picture.rect(x, y - 13, width, 18, rx=9, fill=colour)
    picture.text(x + width / 2, y, word, 11, fill="#ffffff", font_weight="bold", text_anchor="middle")
