"""Fairy Ring in plain characters, for a terminal."""

from collections.abc import Sequence

from envs.events import plural
from envs.fairy_ring.cards import TYPES_WITH_MANA, Card
from envs.fairy_ring.pictures.view import (
    OBJECTIVES,
    View,
    card_in_play,
    hand_size,
    headline,
    mushrooms,
    one_is_chosen,
    status,
    waits_to_place,
)

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
    lines = [f"{headline(view)}: {status(view)}"]
    played = card_in_play(view)
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
    points = plural(seat["points"], "point")
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
    return known + (" (one of them is chosen)" if one_is_chosen(view, player) else "")


def _chosen_text(view: View, cards: Sequence[Card], player: int) -> str:
    chosen = view["players"][player]["chosen"]
    if chosen is not None:
        return _card_text(cards[chosen])
    return "hidden" if waits_to_place(view, player) else "-"
