"""Dance of Eights in plain characters, for a terminal."""

from collections.abc import Sequence

from envs.dance_of_eights.cards import Card
from envs.dance_of_eights.pictures.view import Counter, View, counters, discard_size, hand_in_sight, hand_size, headline, status
from envs.game import Game

_LABEL = 10


def text(game: Game, view: View) -> str:
    """Draw a state dict in plain characters."""
    cards = game.facts["cards"]
    lines = [
        f"{headline(game, view)}: {status(view)}",
        f"{'deck':{_LABEL}}{view['deck_size']} cards",
        f"{'discard':{_LABEL}}{discard_size(view)} cards: {_cards_text(cards, view['discard'])}",
    ]
    for player in range(game.num_players):
        lines += ["", *_player_text(game, view, player)]
    lines += ["", "Cards: name:sex,size,alignment,element by first letters. ! marks a number that no Ring has."]
    return "\n".join(lines) + "\n"


def _cards_text(cards: Sequence[Card], counts: Sequence[int]) -> str:
    shown = []
    for card, copies in zip(cards, counts, strict=True):
        times = f" x{copies}" if copies > 1 else ""
        if copies:
            shown.append(f"{card.name}:{card.sex}{card.size}{card.alignment}{card.element}{times}")
    return ", ".join(shown) or "-"


def _player_text(game: Game, view: View, player: int) -> list[str]:
    cards, hand, known = game.facts["cards"], hand_in_sight(game, view, player), view["known"][player]
    marks = [("to act", view["current_player"]), ("winner", view["winner"])]
    names = ", ".join(name for name, seat in marks if seat == player)
    lines = [f"Player {player}" + (f" ({names})" if names else "")]
    if hand is None:
        lines.append(f"{'hand':{_LABEL}}{hand_size(game, view, player) - sum(known)} hidden and those taken in the open")
    else:
        lines.append(f"{'hand':{_LABEL}}{_cards_text(cards, hand)}")
        lines.append(f"{'values':{_LABEL}}" + " ".join(_counter_text(shown) for shown in counters(game, hand)))
    lines.append(f"{'open':{_LABEL}}{_cards_text(cards, known)}")
    return lines


def _counter_text(shown: Counter) -> str:
    return f"{shown.word}:{shown.number}{'' if shown.fits else '!'}"
