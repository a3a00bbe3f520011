"""Fairy Ring as SVG, for a window, a page or a paper."""

from collections.abc import Sequence

from envs.drawing.marks import LAST, NO_MARKS, Marks
from envs.drawing.svg import Point, Svg, darker, lighter
from envs.events import plural
from envs.fairy_ring.cards import TYPES, Card
from envs.fairy_ring.pictures import pieces, ring_layout
from envs.fairy_ring.pictures.pieces import CARD_HEIGHT, CARD_WIDTH, INK, PAPER, PLAYER_COLOURS, QUIET
from envs.fairy_ring.pictures.view import (
    OBJECTIVES,
    Mushroom,
    View,
    card_in_play,
    decided_by,
    hand_size,
    headline,
    mushroom_piece,
    mushrooms,
    one_is_chosen,
    status,
    waits_to_place,
    winners,
)
from envs.fairy_ring.state import MANA_PER_POINT

_WIDTH, _HEIGHT, _MARGIN = 1400, 860, 14
_PANEL_WIDTH, _PANEL_HEIGHT = 678, 134
_BAND = 24


def svg(view: View, cards: Sequence[Card], *, fireflies: str = "top", marks: Marks = NO_MARKS) -> str:
    """Draw the game as SVG: the ring of all villages, flown clockwise, and a panel for each player.

    Args:
        view: The state as a dict, whole or as one seat sees it.
        cards: The cards by id.
        fireflies: The option of the game: those of the "top" card of a mushroom are visible, or of "all" its cards.
        marks: The last move and what can be clicked; pieces are ``mushroom:PLAYER:INDEX``, ``hand:PLAYER:CARD``,
            ``plant:PLAYER:SIDE``, ``chosen:PLAYER`` and ``played``.

    Returns:
        An SVG document, always of the same size.
    """
    picture = Svg(_WIDTH, _HEIGHT, f"Fairy Ring. {headline(view)}. {status(view)}")
    picture.rect(0, 0, _WIDTH, _HEIGHT, fill=PAPER)
    spans = ring_layout.SPANS[len(view["players"])]
    villages = [mushrooms(view, cards, player, fireflies) for player in range(len(spans))]
    feet, scale = ring_layout.feet(spans, [len(village) for village in villages])
    _draw_ring(picture, spans, feet, scale)
    _draw_centre(picture, view, cards, marks)
    _draw_legend(picture)
    _draw_flight(picture, feet, marks)
    for player, span in enumerate(spans):
        for index, mushroom in enumerate(villages[player]):
            _draw_mushroom(picture, feet[player][index], scale, (player, index), mushroom, marks)
        _draw_places(picture, player, span, feet[player], scale, marks)
        _draw_panel(picture, view, cards, player, span, marks)
    return picture.to_string()


def _draw_ring(picture: Svg, spans: Sequence[ring_layout.Span], feet: Sequence[Sequence[Point]], scale: float) -> None:
    picture.polygon(ring_layout.outline(), fill="#f3f7e6", stroke="#d5dfb9", stroke_width=_BAND)
    for player, span in enumerate(spans):
        colour = lighter(PLAYER_COLOURS[player], 0.72)
        picture.polyline(span.line(), stroke=colour, stroke_width=_BAND, stroke_linecap="round")
    # The room of a mushroom ends just short of half way to the next one, where an arrow fits between the two.
    room = ring_layout.SPACING * scale / 2 - 2
    taken = [*((foot, room) for village in feet for foot in village), *((span.gate, 20.0) for span in spans)]
    for head in ring_layout.arrows(taken):
        picture.polyline(head, stroke="#6f7f4f", stroke_width=2.4, stroke_linecap="round", stroke_linejoin="round")
    for player, span in enumerate(spans):
        pieces.disc(picture, *span.gate, player, PLAYER_COLOURS[player], radius=12)


def _draw_flight(picture: Svg, feet: Sequence[Sequence[Point]], marks: Marks) -> None:
    """Draw the way of the last flight over the ring."""
    places = [tuple(map(int, piece.split(":")[1:])) for piece in marks.path]
    if all(index < len(feet[player]) for player, index in places):
        points = [feet[player][index] for player, index in places]
        picture.polyline(
            points, stroke=LAST, stroke_width=5, stroke_opacity=0.75, stroke_linejoin="round", stroke_linecap="round"
        )


def _draw_places(picture: Svg, player: int, span: ring_layout.Span, feet: Sequence[Point], scale: float, marks: Marks) -> None:
    """Draw the places beside a village where the card in play may be planted, if it may."""
    for side in ("left", "right"):
        piece = f"plant:{player}:{side}"
        if piece in marks.choices:
            x, y = ring_layout.end_of_village(span, feet, scale, side)
            with picture.group(f"plant on the {side}", **marks.attributes(piece)):
                picture.circle(x, y - 12, 19, **{**(marks.frame(piece) or {}), "fill": "#ffffff"})
                picture.text(x, y - 5, "+", 20, text_anchor="middle", font_weight="bold", fill=INK)


def _draw_mushroom(picture: Svg, foot: Point, scale: float, place: tuple[int, int], mushroom: Mushroom, marks: Marks) -> None:
    (x, y), index, piece = foot, place[1] + 1, mushroom_piece(*place)
    with picture.group(
        f"{index}: {mushroom.type}, {mushroom.size} cards, {mushroom.fireflies} fireflies", **marks.attributes(piece)
    ):
        if frame := marks.frame(piece):
            width, height = ring_layout.SPACING * scale - 4, pieces.mushroom_height(mushroom.size, scale) + 8
            picture.rect(x - width / 2, y - height, width, height + 12, rx=9, **{**frame, "fill": "#ffffff", "fill_opacity": 0.6})
        pieces.mushroom(picture, x, y, scale, mushroom.type, mushroom.size)
        pieces.firefly_lights(picture, x, y, scale, mushroom.fireflies)
        if mushroom.mana is not None:
            pieces.number_badge(picture, x, y, scale, mushroom.size, mushroom.mana)
        colour = darker(pieces.CAPS[mushroom.type].colour, 0.5)
        size = f"\u00d7{mushroom.size}" if mushroom.size > 1 else ""
        label = mushroom.type[:3] + size
        picture.text(x, y + 25, label, 10 + 2.5 * scale, text_anchor="middle", font_weight="bold", fill=colour)
        picture.text(x, y + 37, index, 10, text_anchor="middle", fill=QUIET)
    top = y - pieces.mushroom_height(mushroom.size, scale)
    pieces.fairies(picture, x, top, ring_layout.SPACING * scale, mushroom.fairies)


def _draw_centre(picture: Svg, view: View, cards: Sequence[Card], marks: Marks) -> None:
    """Draw what lies on the table: the time, the card in play and the objectives."""
    card, objectives = card_in_play(view), view["objectives"]
    widths = [CARD_WIDTH * 1.2 + 24 if card is not None else 0, 370, 310 if objectives else 0]
    x, y = ring_layout.CENTRE_X - sum(widths) / 2, ring_layout.CENTRE_Y - 122
    if card is not None:
        with picture.group(None, **marks.attributes("played")):
            pieces.card_face(picture, x, y, cards[card], 1.2)
    x += widths[0]
    anchor, middle = ("start", x) if card is not None or objectives else ("middle", ring_layout.CENTRE_X)
    picture.text(middle, y + 46, headline(view), 23, font_weight="bold", fill=INK, text_anchor=anchor)
    actor = view["current_player"]
    colour = INK if actor is None else PLAYER_COLOURS[actor]
    picture.text(middle, y + 76, status(view), 16, fill=colour, font_weight="bold", text_anchor=anchor)
    picture.text(middle, y + 98, decided_by(view), 14, fill=INK, text_anchor=anchor)
    for row, objective in enumerate(objectives):
        _draw_objective(picture, x + widths[1], y + 18 + 34 * row, view, objective)


def _draw_legend(picture: Svg) -> None:
    """Name the types by colour, and say what the two marks on mushrooms and cards are."""
    x, y, step = ring_layout.CENTRE_X - 385, ring_layout.CENTRE_Y - 5, 104
    for place, kind in enumerate(TYPES):
        colour = pieces.CAPS[kind].colour
        picture.circle(x + step * place, y, 5, fill=colour, stroke=darker(colour, 0.45), stroke_width=1)
        picture.text(x + step * place + 10, y + 4, kind, 11, fill=QUIET)
    x += step * len(TYPES)
    pieces.drop(picture, x, y, 9, "")
    picture.text(x + 12, y + 4, "mana", 11, fill=QUIET)
    pieces.firefly(picture, x + 66, y, 3.2)
    picture.text(x + 76, y + 4, "firefly", 11, fill=QUIET)


def _draw_objective(picture: Svg, x: float, y: float, view: View, objective: int) -> None:
    picture.rect(x, y - 14, 310, 28, rx=8, fill="#ffffff", stroke="#b9b18f", stroke_width=1.2)
    pieces.disc(picture, x + 16, y, _letter(objective), "#77736a")
    picture.text(x + 32, y + 4.5, OBJECTIVES[objective], 12, fill=INK)
    done = [player for player, seat in enumerate(view["players"]) if objective in seat["objectives"]]
    for place, player in enumerate(reversed(done)):
        pieces.disc(picture, x + 296 - 20 * place, y, player, PLAYER_COLOURS[player], radius=8.5)


def _letter(objective: int) -> str:
    """What an objective is called: a number would be taken for points."""
    return "ABCDEFGH"[objective - 1]


def _draw_panel(picture: Svg, view: View, cards: Sequence[Card], player: int, span: ring_layout.Span, marks: Marks) -> None:
    """Draw what lies in front of a player, outside the ring and beside the own village."""
    lefts = (_MARGIN, (_WIDTH - _PANEL_WIDTH) / 2, _WIDTH - _MARGIN - _PANEL_WIDTH)
    x = min(lefts, key=lambda left: abs(left + _PANEL_WIDTH / 2 - span.middle))
    y = _MARGIN if span.far else _HEIGHT - _MARGIN - _PANEL_HEIGHT
    colour, acts = PLAYER_COLOURS[player], player == view["current_player"]
    with picture.group(f"player {player}"):
        fill = lighter(colour, 0.9) if acts else "#ffffff"
        line = {"stroke": colour, "stroke_width": 3 if acts else 1.2}
        picture.rect(x, y, _PANEL_WIDTH, _PANEL_HEIGHT, rx=10, fill=fill, **line)
        _draw_standing(picture, view, player, x + 14, y)
        _draw_hand(picture, view, cards, player, x + 222, y, marks)


def _draw_standing(picture: Svg, view: View, player: int, x: float, y: float) -> None:
    """Draw a player's name, marks, points, mana and objectives."""
    seat, colour = view["players"][player], PLAYER_COLOURS[player]
    pieces.fairy(picture, x + 12, y + 36, 1, player)
    picture.text(x + 32, y + 28, f"Player {player}", 17, font_weight="bold", fill=colour)
    tags = (("first", "#a87700", "first_player"), ("to act", colour, "current_player"))
    given = [(label, fill) for label, fill, key in tags if view[key] == player]
    if player in winners(view):
        given[:] = [("winner", colour)]
    for row, (label, fill) in enumerate(given):
        pieces.tag(picture, x + 128, y + 22 + 23 * row, label, fill)
    pieces.star(picture, x + 12, y + 57, 11)
    points = plural(seat["points"], "point")
    picture.text(x + 32, y + 62, points, 14, font_weight="bold", fill=INK)
    pieces.mana_tokens(picture, x + 7, y + 83, seat["mana"])
    picture.text(x + 140, y + 88, f"{seat['mana']}/{MANA_PER_POINT}", 13, font_weight="bold", fill=INK)
    picture.text(x + 140, y + 101, "mana", 11, fill=QUIET)
    for place, objective in enumerate(view["objectives"]):
        filled = objective in seat["objectives"]
        pieces.disc(picture, x + 10 + 23 * place, y + 118, _letter(objective), colour, filled=filled, radius=8.5)
    if view["objectives"]:
        picture.text(x + 16 + 23 * len(view["objectives"]), y + 122, "objectives", 11, fill=QUIET)


def _draw_hand(picture: Svg, view: View, cards: Sequence[Card], player: int, x: float, y: float, marks: Marks) -> None:
    """Draw the hand and the chosen card, face down where the view does not know them."""
    seat, size = view["players"][player], hand_size(view, player)
    hand = [None] * size if seat["hand"] is None else seat["hand"]
    label = f"hand: {size}" + (f" of these {len(hand)}, one is chosen" if one_is_chosen(view, player) else "")
    step = CARD_WIDTH + 4
    picture.text(x, y + 24, label, 11, fill=QUIET)
    for place, card in enumerate(hand):
        _draw_card(picture, view, cards, card, x + step * place, y + 34, f"hand:{player}:{card}", marks)
    if seat["chosen"] is not None or waits_to_place(view, player):
        x += step * len(hand) + 12
        picture.text(x, y + 24, "chosen", 11, fill=QUIET)
        _draw_card(picture, view, cards, seat["chosen"], x, y + 34, f"chosen:{player}", marks)


def _draw_card(
    picture: Svg, view: View, cards: Sequence[Card], card: int | None, x: float, y: float, piece: str, marks: Marks
) -> None:
    with picture.group(None, **(marks.attributes(piece) if card is not None else {})):
        if card is None:
            pieces.card_back(picture, x, y, view["round"])
        else:
            pieces.card_face(picture, x, y, cards[card])
        if frame := marks.frame(piece):
            picture.rect(x - 2, y - 2, CARD_WIDTH + 4, CARD_HEIGHT + 4, rx=7, **frame)


assert _PANEL_HEIGHT >= 34 + CARD_HEIGHT + 8
