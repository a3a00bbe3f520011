"""The game as a picture: characters for a terminal, SVG for a window, a page or a paper.

Both draw the state dict alone, whole or as one seat sees it, and know no more than it says.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from envs.fairy_ring import pieces, ring
from envs.fairy_ring.cards import HAND_SIZE, TYPES, TYPES_WITH_MANA, Card
from envs.fairy_ring.pieces import CARD_HEIGHT, CARD_WIDTH, INK, MANA_PER_POINT, PAPER, PLAYER_COLOURS, QUIET
from envs.svg import Point, Svg, darker, lighter

View = Mapping[str, Any]

OBJECTIVES = {
    1: "10+ fireflies",
    2: "3 mushrooms of 2+ fireflies",
    3: "7 mushrooms",
    4: "6 types",
    5: "3 mushrooms of one type",
    6: "3 mushrooms of size 3+",
    7: "4 mushrooms of size 2+",
    8: "2 mushrooms of size 4",
}
_DOES = {"choose": "chooses a card", "place": "places a card", "fly": "picks a movement", "gather": "picks a mushroom"}


class Mushroom(NamedTuple):
    """What a picture shows of a mushroom; mana is None for the types that print none."""

    type: str
    size: int
    mana: int | None
    fireflies: int
    fairies: tuple[int, ...]


def mushrooms(view: View, cards: Sequence[Card], player: int, fireflies: str) -> list[Mushroom]:
    """The mushrooms of a player's village, from left to right."""
    found = []
    for index, planted in enumerate(view["players"][player]["village"]):
        stack = [cards[card] for card in planted["cards"]]
        visible = stack if fireflies == "all" else stack[-1:]
        place = {"player": player, "mushroom": index}
        found.append(
            Mushroom(
                type=planted["type"],
                size=len(stack),
                mana=sum(card.mana for card in stack) if planted["type"] in TYPES_WITH_MANA else None,
                fireflies=sum(card.fireflies for card in visible),
                fairies=tuple(p for p, other in enumerate(view["players"]) if other["fairy"] == place),
            )
        )
    return found


def has_chosen(view: View, player: int) -> bool:
    """Whether a player has chosen this turn's card, which everybody at the table can see."""
    if view["phase"] == "over":
        return False
    if view["phase"] != "choose":
        return True
    return _place_in_turn(view, player) < _place_in_turn(view, view["current_player"])


def waits_to_place(view: View, player: int) -> bool:
    """Whether a player has a chosen card lying before him that is not placed yet."""
    if view["phase"] in ("choose", "over"):
        return has_chosen(view, player)
    ahead = _place_in_turn(view, player) - _place_in_turn(view, view["current_player"])
    return ahead > 0 or (ahead == 0 and view["phase"] == "place")


def hand_size(view: View, player: int) -> int:
    """The number of cards a player still holds, the chosen card not counted."""
    if view["phase"] == "over":
        return 0
    turn: int = view["turn"]
    return HAND_SIZE + 1 - turn - has_chosen(view, player)


def _place_in_turn(view: View, player: int) -> int:
    return int((player - view["first_player"]) % len(view["players"]))


def _headline(view: View) -> str:
    return f"Round {view['round']} of 2, turn {view['turn']} of 6"


def _status(view: View) -> str:
    """Whose turn it is and what for, or who stands best at the end."""
    if view["phase"] != "over":
        flown = "" if view["movement"] is None else f" after flying {view['movement']}"
        return f"Player {view['current_player']} {_DOES[view['phase']]}{flown}"
    standings = [(player["points"], player["mana"]) for player in view["players"]]
    best = [str(seat) for seat, standing in enumerate(standings) if standing == max(standings)]
    return (
        f"Game over: player {best[0]} wins" if len(best) == 1 else f"Game over: players {', '.join(best)} share the win"
    )


def _card_in_play(view: View) -> int | None:
    """The revealed card of the player whose turn it is."""
    if view["phase"] == "place":
        card: int | None = view["players"][view["current_player"]]["chosen"]
        return card
    played: int | None = view["played"]
    return played


def _one_is_chosen(view: View, player: int) -> bool:
    """Whether the hand is known and the card chosen from it is not."""
    seat = view["players"][player]
    return seat["hand"] is not None and seat["chosen"] is None and waits_to_place(view, player)


# --- Text ---

_LABEL = 10
_CELL = 6


def text(view: View, cards: Sequence[Card], *, fireflies: str = "top") -> str:
    """Draw the game in plain characters.

    Args:
        view: The state as a dict, whole or as one seat sees it.
        cards: The cards by id.
        fireflies: The option of the game: those of the "top" card of a mushroom are visible, or of "all" its cards.

    Returns:
        Lines of text without colours.
    """
    lines = [f"{_headline(view)}: {_status(view)}"]
    played = _card_in_play(view)
    if played is not None:
        lines.append(f"{'in play':{_LABEL}}{_card_text(cards[played])}")
    for objective in view["objectives"]:
        done = [f"P{p}" for p, player in enumerate(view["players"]) if objective in player["objectives"]]
        lines.append(f"{'objective':{_LABEL}}{objective}: {OBJECTIVES[objective]:28} {' '.join(done) or '-'}")
    for player in range(len(view["players"])):
        lines += ["", *_player_text(view, cards, player, fireflies)]
    lines += [
        "",
        "Cards: id:type >movement +mana *fireflies. Fairies fly right to left, then to the right of the next player.",
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _card_text(card: Card) -> str:
    movement = ">" + "|".join(str(steps) for steps in card.movement) if card.movement else ""
    mana = f"+{card.mana}" if card.type in TYPES_WITH_MANA else ""
    return f"{card.id}:{card.type[:3]}{movement}{mana}{'*' * card.fireflies}"


def _player_text(view: View, cards: Sequence[Card], player: int, fireflies: str) -> list[str]:
    seat = view["players"][player]
    marks = [("first player", player == view["first_player"]), ("to act", player == view["current_player"])]
    names = ", ".join(name for name, given in marks if given)
    village = mushrooms(view, cards, player, fireflies)
    rows = {
        "village": [str(index) for index in range(len(village))],
        "  type": [f"{mushroom.type[:3]}x{mushroom.size}" for mushroom in village],
        "  mana": ["." if mushroom.mana is None else f"+{mushroom.mana}" for mushroom in village],
        "  flies": [_fireflies_text(mushroom.fireflies) for mushroom in village],
        "  fairies": ["".join(str(p) for p in mushroom.fairies) or "." for mushroom in village],
    }
    points = f"{seat['points']} point{'' if seat['points'] == 1 else 's'}"
    return [
        f"Player {player}: {points}, {seat['mana']} mana" + (f" ({names})" if names else ""),
        *(f"{label:{_LABEL}}" + "".join(f"{cell:{_CELL}}" for cell in cells) for label, cells in rows.items()),
        f"{'hand':{_LABEL}}{_hand_text(view, cards, player)}",
        f"{'chosen':{_LABEL}}{_chosen_text(view, cards, player)}",
    ]


def _fireflies_text(count: int) -> str:
    if count > _CELL - 2:
        return f"{count}*"
    return "*" * count or "."


def _hand_text(view: View, cards: Sequence[Card], player: int) -> str:
    hand = view["players"][player]["hand"]
    if hand is None:
        return f"{hand_size(view, player)} hidden"
    known = " ".join(_card_text(cards[card]) for card in hand) or "-"
    return known + (" (one of them is chosen)" if _one_is_chosen(view, player) else "")


def _chosen_text(view: View, cards: Sequence[Card], player: int) -> str:
    chosen = view["players"][player]["chosen"]
    if chosen is not None:
        return _card_text(cards[chosen])
    return "hidden" if waits_to_place(view, player) else "-"


# --- SVG ---

_WIDTH, _HEIGHT, _MARGIN = 1400, 860, 14
_PANEL_WIDTH, _PANEL_HEIGHT = 678, 134
_BAND = 24


def svg(view: View, cards: Sequence[Card], *, fireflies: str = "top") -> str:
    """Draw the game as SVG: the ring of all villages, flown clockwise, and a panel for each player.

    Args:
        view: The state as a dict, whole or as one seat sees it.
        cards: The cards by id.
        fireflies: The option of the game: those of the "top" card of a mushroom are visible, or of "all" its cards.

    Returns:
        An SVG document, always of the same size.
    """
    picture = Svg(_WIDTH, _HEIGHT, f"Fairy Ring. {_headline(view)}. {_status(view)}")
    picture.rect(0, 0, _WIDTH, _HEIGHT, fill=PAPER)
    spans = ring.SPANS[len(view["players"])]
    villages = [mushrooms(view, cards, player, fireflies) for player in range(len(spans))]
    feet, scale = ring.feet(spans, [len(village) for village in villages])
    _draw_ring(picture, spans, feet, scale)
    _draw_centre(picture, view, cards)
    _draw_legend(picture)
    for player, span in enumerate(spans):
        for index, mushroom in enumerate(villages[player]):
            _draw_mushroom(picture, feet[player][index], scale, index, mushroom)
        _draw_panel(picture, view, cards, player, span)
    return picture.to_string()


def _draw_ring(picture: Svg, spans: Sequence[ring.Span], feet: Sequence[Sequence[Point]], scale: float) -> None:
    picture.polygon(ring.outline(), fill="#f3f7e6", stroke="#d5dfb9", stroke_width=_BAND)
    for player, span in enumerate(spans):
        colour = lighter(PLAYER_COLOURS[player], 0.72)
        picture.polyline(span.line(), stroke=colour, stroke_width=_BAND, stroke_linecap="round")
    # The room of a mushroom ends just short of half way to the next one, where an arrow fits between the two.
    room = ring.SPACING * scale / 2 - 2
    taken = [*((foot, room) for village in feet for foot in village), *((span.gate, 20.0) for span in spans)]
    for head in ring.arrows(taken):
        picture.polyline(head, stroke="#6f7f4f", stroke_width=2.4, stroke_linecap="round", stroke_linejoin="round")
    for player, span in enumerate(spans):
        pieces.disc(picture, *span.gate, player, PLAYER_COLOURS[player], radius=12)


def _draw_mushroom(picture: Svg, foot: Point, scale: float, index: int, mushroom: Mushroom) -> None:
    x, y = foot
    with picture.group(f"{index}: {mushroom.type}, {mushroom.size} cards, {mushroom.fireflies} fireflies"):
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
    pieces.fairies(picture, x, top, ring.SPACING * scale, mushroom.fairies)


def _draw_centre(picture: Svg, view: View, cards: Sequence[Card]) -> None:
    """Draw what lies on the table: the time, the card in play and the objectives."""
    card, objectives = _card_in_play(view), view["objectives"]
    widths = [CARD_WIDTH * 1.2 + 24 if card is not None else 0, 370, 310 if objectives else 0]
    x, y = ring.CENTRE_X - sum(widths) / 2, ring.CENTRE_Y - 122
    if card is not None:
        pieces.card_face(picture, x, y, cards[card], 1.2)
    x += widths[0]
    anchor, middle = ("start", x) if card is not None or objectives else ("middle", ring.CENTRE_X)
    picture.text(middle, y + 46, _headline(view), 23, font_weight="bold", fill=INK, text_anchor=anchor)
    actor = view["current_player"]
    colour = INK if actor is None else PLAYER_COLOURS[actor]
    picture.text(middle, y + 76, _status(view), 16, fill=colour, font_weight="bold", text_anchor=anchor)
    for row, objective in enumerate(objectives):
        _draw_objective(picture, x + widths[1], y + 18 + 34 * row, view, objective)


def _draw_legend(picture: Svg) -> None:
    """Name the types by colour, and say what the two marks on mushrooms and cards are."""
    x, y, step = ring.CENTRE_X - 385, ring.CENTRE_Y - 5, 104
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
    pieces.disc(picture, x + 16, y, objective, "#77736a")
    picture.text(x + 32, y + 4.5, OBJECTIVES[objective], 12, fill=INK)
    done = [player for player, seat in enumerate(view["players"]) if objective in seat["objectives"]]
    for place, player in enumerate(reversed(done)):
        pieces.disc(picture, x + 296 - 20 * place, y, player, PLAYER_COLOURS[player], radius=8.5)


def _draw_panel(picture: Svg, view: View, cards: Sequence[Card], player: int, span: ring.Span) -> None:
    """Draw what a player has before him, outside the ring and beside his village."""
    lefts = (_MARGIN, (_WIDTH - _PANEL_WIDTH) / 2, _WIDTH - _MARGIN - _PANEL_WIDTH)
    x = min(lefts, key=lambda left: abs(left + _PANEL_WIDTH / 2 - span.middle))
    y = _MARGIN if span.far else _HEIGHT - _MARGIN - _PANEL_HEIGHT
    colour, acts = PLAYER_COLOURS[player], player == view["current_player"]
    with picture.group(f"player {player}"):
        fill = lighter(colour, 0.9) if acts else "#ffffff"
        line = {"stroke": colour, "stroke_width": 3 if acts else 1.2}
        picture.rect(x, y, _PANEL_WIDTH, _PANEL_HEIGHT, rx=10, fill=fill, **line)
        _draw_standing(picture, view, player, x + 14, y)
        _draw_hand(picture, view, cards, player, x + 222, y)


def _draw_standing(picture: Svg, view: View, player: int, x: float, y: float) -> None:
    """Draw a player's name, marks, points, mana and objectives."""
    seat, colour = view["players"][player], PLAYER_COLOURS[player]
    pieces.fairy(picture, x + 12, y + 36, 1, player)
    picture.text(x + 32, y + 28, f"Player {player}", 17, font_weight="bold", fill=colour)
    marks = (("first", "#a87700", "first_player"), ("to act", colour, "current_player"))
    given = [(label, fill) for label, fill, key in marks if view[key] == player]
    for row, (label, fill) in enumerate(given):
        pieces.tag(picture, x + 128, y + 22 + 23 * row, label, fill)
    pieces.star(picture, x + 12, y + 57, 11)
    points = f"{seat['points']} point{'' if seat['points'] == 1 else 's'}"
    picture.text(x + 32, y + 62, points, 14, font_weight="bold", fill=INK)
    pieces.mana_tokens(picture, x + 7, y + 83, seat["mana"])
    picture.text(x + 140, y + 88, f"{seat['mana']}/{MANA_PER_POINT}", 13, font_weight="bold", fill=INK)
    picture.text(x + 140, y + 101, "mana", 11, fill=QUIET)
    for place, objective in enumerate(view["objectives"]):
        filled = objective in seat["objectives"]
        pieces.disc(picture, x + 10 + 23 * place, y + 118, objective, colour, filled=filled, radius=8.5)
    if view["objectives"]:
        picture.text(x + 16 + 23 * len(view["objectives"]), y + 122, "objectives", 11, fill=QUIET)


def _draw_hand(picture: Svg, view: View, cards: Sequence[Card], player: int, x: float, y: float) -> None:
    """Draw the hand and the chosen card, face down where the view does not know them."""
    seat, size = view["players"][player], hand_size(view, player)
    hand = [None] * size if seat["hand"] is None else seat["hand"]
    label = f"hand: {size}" + (f" of these {len(hand)}, one is chosen" if _one_is_chosen(view, player) else "")
    step = CARD_WIDTH + 4
    picture.text(x, y + 24, label, 11, fill=QUIET)
    for place, card in enumerate(hand):
        _draw_card(picture, view, cards, card, x + step * place, y + 34)
    if seat["chosen"] is not None or waits_to_place(view, player):
        x += step * len(hand) + 12
        picture.text(x, y + 24, "chosen", 11, fill=QUIET)
        _draw_card(picture, view, cards, seat["chosen"], x, y + 34)


def _draw_card(picture: Svg, view: View, cards: Sequence[Card], card: int | None, x: float, y: float) -> None:
    if card is None:
        pieces.card_back(picture, x, y, view["round"])
    else:
        pieces.card_face(picture, x, y, cards[card])


assert _PANEL_HEIGHT >= 34 + CARD_HEIGHT + 8
