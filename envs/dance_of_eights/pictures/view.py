"""What pictures of Dance of Eights show: read from a state dict, whole or as one seat sees it, and no more than it says."""

from collections.abc import Sequence
from typing import NamedTuple

from envs.dance_of_eights.cards import ATTRIBUTES, VALUES
from envs.events import View
from envs.game import Game

_DOES = {"gain": "gains a card", "discard": "discards a card"}


class Counter(NamedTuple):
    """How many dancers of a hand have a value, and whether a Ring may have that many."""

    word: str
    number: int
    fits: bool


def hand_size(game: Game, view: View, player: int) -> int:
    """The number of cards a player holds."""
    return game.facts["hand"] + (view["phase"] == "discard" and view["current_player"] == player)


def hand_in_sight(game: Game, view: View, player: int) -> Sequence[int] | None:
    """The copies of each card a player holds; None if one of them is not known."""
    hand, known = view["hands"][player], view["known"][player]
    return known if hand is None and sum(known) == hand_size(game, view, player) else hand


def counters(game: Game, hand: Sequence[int]) -> list[Counter]:
    """How many dancers of a hand have each value, and whether a Ring may have that many."""
    cards, dancers = game.facts["cards"], game.facts["hand"]
    found = []
    for attribute, letter in VALUES:
        count = sum(copies for card, copies in zip(cards, hand, strict=True) if getattr(card, attribute) == letter)
        # All of them may be of one size or alignment, but not of one element.
        even = count % 2 == 0 and not (attribute == "element" and count == dancers)
        fits = count == dancers // 2 if attribute == "sex" else even
        found.append(Counter(ATTRIBUTES[attribute][letter], count, fits))
    return found


def headline(game: Game, view: View) -> str:
    """How far the game has gone."""
    return f"Turn {view['turn']} of {game.options['max_turns']}"


def status(view: View) -> str:
    """Whose turn it is and what for, or who has won."""
    if view["phase"] != "over":
        return f"Player {view['current_player']} {_DOES[view['phase']]}"
    return "Game over: nobody wins" if view["winner"] is None else f"Game over: player {view['winner']} wins"


def discard_size(view: View) -> int:
    """Cards in the discard area."""
    return sum(view["discard"])
