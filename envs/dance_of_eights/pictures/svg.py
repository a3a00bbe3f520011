"""Dance of Eights as SVG, for a window, a page or a paper."""

from collections.abc import Sequence

from envs.dance_of_eights.cards import ATTRIBUTES, VALUES, Card
from envs.dance_of_eights.pictures import pieces
from envs.dance_of_eights.pictures.pieces import CARD_HEIGHT, CARD_WIDTH, INK, PAPER, PLAYER_COLOURS, QUIET
from envs.dance_of_eights.pictures.view import View, counters, discard_size, hand_in_sight, hand_size, headline, status
from envs.drawing.marks import NO_MARKS, Marks
from envs.drawing.svg import Svg, lighter
from envs.game import Game

_WIDTH, _MARGIN = 1400, 14
_TOP = 76
_SMALL = 0.8
_SMALL_STEP, _SMALL_ROW = 60, 82
_IN_A_ROW = 21
_AREA_HEIGHT = 30 + 2 * _SMALL_ROW
_PANEL_WIDTH, _PANEL_HEIGHT = 679, 168
_STEP = CARD_WIDTH + 3
_PANELS = _TOP + _AREA_HEIGHT + 2 * _MARGIN
_SHORT = {"mischievous": "misch."}


_NEEDS = "A Ring: {0} female and {0} male; of every size, alignment and element an even number or none; at least two elements."
_CHIPS = "The chips under a hand count its dancers: green where a Ring may have that many, red where not."


def target(game: Game, view: View, move: View) -> str:
    """The piece that a structured move acts on."""
    if move["type"] == "draw":
        return "deck"
    return f"discard:{move['card']}" if move["type"] == "take" else f"hand:{view['current_player']}:{move['card']}"


def svg(game: Game, view: View, marks: Marks = NO_MARKS) -> str:
    """Draw a state dict as SVG: the open cards above, a panel for each player below; one size for a number of players.

    Pieces are ``deck``, ``discard:CARD``, ``hand:PLAYER:CARD`` and ``player:PLAYER``.
    """
    cards, rows = game.facts["cards"], -(-game.num_players // 2)
    height = _PANELS + rows * (_PANEL_HEIGHT + _MARGIN)
    picture = Svg(_WIDTH, height, f"{game.title}. {headline(game, view)}. {status(view)}")
    picture.rect(0, 0, _WIDTH, height, fill=PAPER)
    _draw_headline(picture, game, view)
    _draw_table(picture, view, cards, marks)
    for player in range(game.num_players):
        x = _MARGIN + player % 2 * (_PANEL_WIDTH + _MARGIN)
        y = _PANELS + player // 2 * (_PANEL_HEIGHT + _MARGIN)
        _draw_panel(picture, game, view, player, x, y, marks)
    return picture.to_string()


def _draw_headline(picture: Svg, game: Game, view: View) -> None:
    picture.text(_MARGIN + 4, 36, game.title, 26, font_weight="bold", fill=INK)
    picture.text(_MARGIN + 262, 36, headline(game, view), 16, fill=QUIET)
    actor = view["winner"] if view["current_player"] is None else view["current_player"]
    colour = INK if actor is None else PLAYER_COLOURS[actor]
    picture.text(_MARGIN + 420, 36, status(view), 18, font_weight="bold", fill=colour)
    picture.circle(_WIDTH - 190, 30, 5.5, fill=pieces.OPEN, stroke=INK, stroke_width=1)
    picture.text(_WIDTH - 178, 34, "taken in the open", 12, fill=QUIET)
    picture.text(_MARGIN + 4, 62, f"{_NEEDS.format(game.facts['hand'] // 2)} {_CHIPS}", 12.5, fill=QUIET)


def _draw_table(picture: Svg, view: View, cards: Sequence[Card], marks: Marks) -> None:
    """Draw the deck and the discard area; several copies of a card lie on each other."""
    picture.rect(_MARGIN, _TOP, _WIDTH - 2 * _MARGIN, _AREA_HEIGHT + 6, rx=12, fill="#eef3e2", stroke="#c6d2a8", stroke_width=1.2)
    x, y = _MARGIN + 14, _TOP + 30
    picture.text(x, _TOP + 20, f"deck: {view['deck_size']}", 13, fill=INK, font_weight="bold")
    if view["deck_size"]:
        with picture.group(None, **marks.attributes("deck")):
            pieces.card_back(picture, x, y, scale=_SMALL, title=f"deck of {view['deck_size']} cards")
            _draw_frame(picture, "deck", x, y, _SMALL, marks)
    x += _SMALL_STEP + 28
    picture.text(x, _TOP + 20, f"discard area: {discard_size(view)}", 13, fill=INK, font_weight="bold")
    lying = [(card, copies) for card, copies in zip(cards, view["discard"], strict=True) if copies]
    for place, (card, copies) in enumerate(lying):
        row, column = divmod(place, _IN_A_ROW)
        left, top, piece = x + column * _SMALL_STEP, y + row * _SMALL_ROW, f"discard:{card.id}"
        with picture.group(None, **marks.attributes(piece)):
            pieces.card_face(picture, left, top, card, scale=_SMALL, copies=copies)
            _draw_frame(picture, piece, left, top, _SMALL, marks)


def _draw_frame(picture: Svg, piece: str, x: float, y: float, scale: float, marks: Marks) -> None:
    """Draw the mark of a card, if it has one."""
    if frame := marks.frame(piece):
        picture.rect(x - 1, y - 1, CARD_WIDTH * scale + 2, CARD_HEIGHT * scale + 2, rx=6, **frame)


def _draw_panel(picture: Svg, game: Game, view: View, player: int, x: float, y: float, marks: Marks) -> None:
    """Draw what a player holds and, of a hand in sight, how it stands to a Ring."""
    colour = PLAYER_COLOURS[player]
    acts, wins = view["current_player"] == player, view["winner"] == player
    with picture.group(f"player {player}"):
        fill = lighter(colour, 0.9) if acts or wins else "#ffffff"
        width = 3 if acts or wins else 1.2
        picture.rect(x, y, _PANEL_WIDTH, _PANEL_HEIGHT, rx=10, fill=fill, stroke=colour, stroke_width=width)
        picture.text(x + 12, y + 23, f"Player {player}", 17, font_weight="bold", fill=colour)
        if acts or wins:
            pieces.tag(picture, x + 102, y + 22, "to act" if acts else "winner", colour)
        _draw_hand(picture, game, view, player, x + 11, y + 35, marks)
        _draw_counters(picture, game, view, player, x + 11, y + 140)


def _draw_hand(picture: Svg, game: Game, view: View, player: int, x: float, y: float, marks: Marks) -> None:
    """Draw the cards in sight, those taken in the open first, then the others face down."""
    cards, known = game.facts["cards"], view["known"][player]
    hand = hand_in_sight(game, view, player) or known
    shown = [(card, True) for card in _copies(cards, known)]
    shown += [(card, False) for card in _copies(cards, [held - taken for held, taken in zip(hand, known, strict=True)])]
    for place in range(hand_size(game, view, player)):
        if place < len(shown):
            card, opened = shown[place]
            piece = f"hand:{player}:{card.id}"
            with picture.group(None, **marks.attributes(piece)):
                pieces.card_face(picture, x + place * _STEP, y, card, opened=opened)
                _draw_frame(picture, piece, x + place * _STEP, y, 1, marks)
        else:
            pieces.card_back(picture, x + place * _STEP, y)


def _draw_counters(picture: Svg, game: Game, view: View, player: int, x: float, y: float) -> None:
    """Draw the counters of a hand in sight; the attributes stand a little apart."""
    hand = hand_in_sight(game, view, player)
    if hand is None:
        hidden = hand_size(game, view, player) - sum(view["known"][player])
        picture.text(x, y + 14, f"{hidden} hidden, {sum(view['known'][player])} taken in the open", 11, fill=QUIET)
        return
    for (attribute, _), shown in zip(VALUES, counters(game, hand), strict=True):
        short = shown._replace(word=_SHORT.get(shown.word, shown.word))
        gap = 3 * list(ATTRIBUTES).index(attribute)
        pieces.counter(picture, x + gap, y, 51, short)
        x += 54


def _copies(cards: Sequence[Card], counts: Sequence[int]) -> list[Card]:
    """Every card of a list of counts, one by one."""
    return [card for card, copies in zip(cards, counts, strict=True) for _ in range(copies)]
