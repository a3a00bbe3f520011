"""The game as a picture: characters for a terminal, SVG for a window, a page or a paper.

Both draw the state dict alone, whole or as one seat sees it, and know no more than it says.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from envs.dance_of_eights import pieces
from envs.dance_of_eights.cards import ATTRIBUTES, VALUES, Card
from envs.dance_of_eights.pieces import CARD_WIDTH, INK, PAPER, PLAYER_COLOURS, QUIET, Counter
from envs.dance_of_eights.state import HAND
from envs.game import Game
from envs.svg import Svg, lighter

View = Mapping[str, Any]

_DOES = {"gain": "gains a card", "discard": "discards a card"}
_SHORT = {"mischievous": "misch."}


def hand_size(view: View, player: int) -> int:
    """The number of cards a player holds."""
    return HAND + (view["phase"] == "discard" and view["current_player"] == player)


def hand_in_sight(view: View, player: int) -> Sequence[int] | None:
    """The copies of each card a player holds; None if one of them is not known."""
    hand, known = view["hands"][player], view["known"][player]
    return known if hand is None and sum(known) == hand_size(view, player) else hand


def counters(cards: Sequence[Card], hand: Sequence[int]) -> list[Counter]:
    """How many dancers of a hand have each value, and whether a Ring may have so many."""
    found = []
    for attribute, letter in VALUES:
        count = sum(copies for card, copies in zip(cards, hand, strict=True) if getattr(card, attribute) == letter)
        # All eight may be of one size or alignment, but not of one element.
        even = count % 2 == 0 and not (attribute == "element" and count == HAND)
        fits = count == HAND // 2 if attribute == "sex" else even
        found.append(Counter(ATTRIBUTES[attribute][letter], count, fits))
    return found


def _headline(game: Game, view: View) -> str:
    return f"Turn {view['turn']} of {game.options['max_turns']}"


def _status(view: View) -> str:
    if view["phase"] != "over":
        return f"Player {view['current_player']} {_DOES[view['phase']]}"
    return "Game over: nobody wins" if view["winner"] is None else f"Game over: player {view['winner']} wins"


def _discard_size(view: View) -> int:
    return sum(view["discard"])


def _copies(cards: Sequence[Card], counts: Sequence[int]) -> list[Card]:
    """Every card of a list of counts, one by one."""
    return [card for card, copies in zip(cards, counts, strict=True) for _ in range(copies)]


# --- Text ---

_LABEL = 10


def text(game: Game, view: View) -> str:
    """Draw a state dict in plain characters."""
    cards = game.facts["cards"]
    lines = [
        f"{_headline(game, view)}: {_status(view)}",
        f"{'deck':{_LABEL}}{view['deck_size']} cards",
        f"{'discard':{_LABEL}}{_discard_size(view)} cards: {_cards_text(cards, view['discard'])}",
    ]
    for player in range(game.num_players):
        lines += ["", *_player_text(view, cards, player)]
    lines += ["", "Cards: name:sex,size,alignment,element by first letters. ! marks a number that no Ring has."]
    return "\n".join(lines) + "\n"


def _cards_text(cards: Sequence[Card], counts: Sequence[int]) -> str:
    shown = []
    for card, copies in zip(cards, counts, strict=True):
        times = f" x{copies}" if copies > 1 else ""
        if copies:
            shown.append(f"{card.name}:{card.sex}{card.size}{card.alignment}{card.element}{times}")
    return ", ".join(shown) or "-"


def _player_text(view: View, cards: Sequence[Card], player: int) -> list[str]:
    hand, known = hand_in_sight(view, player), view["known"][player]
    marks = [("to act", view["current_player"]), ("winner", view["winner"])]
    names = ", ".join(name for name, seat in marks if seat == player)
    lines = [f"Player {player}" + (f" ({names})" if names else "")]
    if hand is None:
        lines.append(f"{'hand':{_LABEL}}{hand_size(view, player) - sum(known)} hidden and those taken in the open")
    else:
        lines.append(f"{'hand':{_LABEL}}{_cards_text(cards, hand)}")
        lines.append(f"{'values':{_LABEL}}" + " ".join(_counter_text(shown) for shown in counters(cards, hand)))
    lines.append(f"{'open':{_LABEL}}{_cards_text(cards, known)}")
    return lines


def _counter_text(shown: Counter) -> str:
    return f"{shown.word}:{shown.number}{'' if shown.fits else '!'}"


# --- SVG ---

_WIDTH, _MARGIN = 1400, 14
_TOP = 52
_SMALL = 0.8
_SMALL_STEP, _SMALL_ROW = 60, 82
_IN_A_ROW = 21
_AREA_HEIGHT = 30 + 2 * _SMALL_ROW
_PANEL_WIDTH, _PANEL_HEIGHT = 679, 168
_STEP = CARD_WIDTH + 3
_PANELS = _TOP + _AREA_HEIGHT + 2 * _MARGIN


def svg(game: Game, view: View) -> str:
    """Draw a state dict as SVG: the open cards above, a panel for each player below; one size for a number of players."""
    cards, rows = game.facts["cards"], -(-game.num_players // 2)
    height = _PANELS + rows * (_PANEL_HEIGHT + _MARGIN)
    picture = Svg(_WIDTH, height, f"{game.title}. {_headline(game, view)}. {_status(view)}")
    picture.rect(0, 0, _WIDTH, height, fill=PAPER)
    _draw_headline(picture, game, view)
    _draw_table(picture, view, cards)
    for player in range(game.num_players):
        x = _MARGIN + player % 2 * (_PANEL_WIDTH + _MARGIN)
        y = _PANELS + player // 2 * (_PANEL_HEIGHT + _MARGIN)
        _draw_panel(picture, view, cards, player, x, y)
    return picture.to_string()


def _draw_headline(picture: Svg, game: Game, view: View) -> None:
    picture.text(_MARGIN + 4, 36, game.title, 26, font_weight="bold", fill=INK)
    picture.text(_MARGIN + 262, 36, _headline(game, view), 16, fill=QUIET)
    actor = view["winner"] if view["current_player"] is None else view["current_player"]
    colour = INK if actor is None else PLAYER_COLOURS[actor]
    picture.text(_MARGIN + 420, 36, _status(view), 18, font_weight="bold", fill=colour)
    picture.circle(_WIDTH - 190, 30, 5.5, fill=pieces.OPEN, stroke=INK, stroke_width=1)
    picture.text(_WIDTH - 178, 34, "taken in the open", 12, fill=QUIET)


def _draw_table(picture: Svg, view: View, cards: Sequence[Card]) -> None:
    """Draw the deck and the discard area; several copies of a card lie on each other."""
    picture.rect(_MARGIN, _TOP, _WIDTH - 2 * _MARGIN, _AREA_HEIGHT + 6, rx=12, fill="#eef3e2", stroke="#c6d2a8", stroke_width=1.2)
    x, y = _MARGIN + 14, _TOP + 30
    picture.text(x, _TOP + 20, f"deck: {view['deck_size']}", 13, fill=INK, font_weight="bold")
    if view["deck_size"]:
        pieces.card_back(picture, x, y, scale=_SMALL, title=f"deck of {view['deck_size']} cards")
    x += _SMALL_STEP + 28
    picture.text(x, _TOP + 20, f"discard area: {_discard_size(view)}", 13, fill=INK, font_weight="bold")
    lying = [(card, copies) for card, copies in zip(cards, view["discard"], strict=True) if copies]
    for place, (card, copies) in enumerate(lying):
        row, column = divmod(place, _IN_A_ROW)
        pieces.card_face(picture, x + column * _SMALL_STEP, y + row * _SMALL_ROW, card, scale=_SMALL, copies=copies)


def _draw_panel(picture: Svg, view: View, cards: Sequence[Card], player: int, x: float, y: float) -> None:
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
        _draw_hand(picture, view, cards, player, x + 11, y + 35)
        _draw_counters(picture, view, cards, player, x + 11, y + 140)


def _draw_hand(picture: Svg, view: View, cards: Sequence[Card], player: int, x: float, y: float) -> None:
    """Draw the cards in sight, those taken in the open first, then the others face down."""
    known = view["known"][player]
    hand = hand_in_sight(view, player) or known
    shown = [(card, True) for card in _copies(cards, known)]
    shown += [(card, False) for card in _copies(cards, [held - taken for held, taken in zip(hand, known, strict=True)])]
    for place in range(hand_size(view, player)):
        if place < len(shown):
            card, opened = shown[place]
            pieces.card_face(picture, x + place * _STEP, y, card, opened=opened)
        else:
            pieces.card_back(picture, x + place * _STEP, y)


def _draw_counters(picture: Svg, view: View, cards: Sequence[Card], player: int, x: float, y: float) -> None:
    """Draw the counters of a hand in sight; the attributes stand a little apart."""
    hand = hand_in_sight(view, player)
    if hand is None:
        hidden = hand_size(view, player) - sum(view["known"][player])
        picture.text(x, y + 14, f"{hidden} hidden, {sum(view['known'][player])} taken in the open", 11, fill=QUIET)
        return
    for (attribute, _), shown in zip(VALUES, counters(cards, hand), strict=True):
        short = shown._replace(word=_SHORT.get(shown.word, shown.word))
        gap = 3 * list(ATTRIBUTES).index(attribute)
        pieces.counter(picture, x + gap, y, 51, short)
        x += 54
