"""Dance of Eights in words: records as plain data and back, moves in structured form, sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envs.checks import integer, show
from envs.dance_of_eights import rules
from envs.dance_of_eights.cards import Card
from envs.dance_of_eights.guide import guide as guide
from envs.dance_of_eights.ring_test import is_ring, tally_of_hand
from envs.dance_of_eights.state import DISCARD_ACTION, DRAW_ACTION, NUM_CARDS, TAKE_ACTION, Phase
from envs.engine import NO_PLAYER, uncompiled
from envs.game import Game

PHASES = [phase.name.lower() for phase in Phase]
_tally_of_hand = uncompiled(tally_of_hand)


def cards_of(game: Game) -> tuple[Card, ...]:
    """The distinct cards of a game."""
    return game.facts["cards"]


# --- a record as plain data ---------------------------------------------------------------------------------------------


def to_dict(game: Game, state: Any, seat: int | None) -> dict[str, Any]:
    """A record as plain data; what ``seat`` cannot know is None."""
    return {
        "turn": int(state["turn"]),
        "phase": PHASES[int(state["phase"])],
        "current_player": _seat_or_none(state["current_player"]),
        "deck_size": int(state["deck_size"]),
        "deck": _deck(state) if seat is None else None,
        "discard": _counts(state["discard"]),
        "hands": [_counts(hand) if seat in (None, p) else None for p, hand in enumerate(state["hands"])],
        "known": [_counts(known) for known in state["known"]],
        "winner": _seat_or_none(state["winner"]),
    }


def _counts(row: Any) -> list[int]:
    return row[:NUM_CARDS].tolist()


def _deck(state: Any) -> list[int]:
    """The packed counts one by one; the first is the lowest byte of the first word."""
    return _counts(np.asarray(state["deck"], "<u8").view(np.uint8))


def _seat_or_none(seat: Any) -> int | None:
    return None if int(seat) == NO_PLAYER else int(seat)


# --- and back -----------------------------------------------------------------------------------------------------------


def from_dict(game: Game, view: Mapping[str, Any], state: Any) -> None:
    """Fills a record from a full dict.

    Raises:
        ValueError: The dict is not a possible state; the message names the place.
    """
    seats, copies = game.num_players - 1, _counts(game.rules[0]["copies"])
    if view["phase"] not in PHASES:
        raise ValueError(f"phase is {show(view['phase'])}; it must be one of {', '.join(PHASES)}")
    phase = PHASES.index(view["phase"])
    over = phase == Phase.OVER
    state["phase"] = phase
    state["turn"] = integer("turn", view["turn"], 1, game.options["max_turns"])
    state["current_player"] = _seat("current_player", view["current_player"], seats, missing=over)
    state["winner"] = _seat("winner", view["winner"], seats, missing=not over or view["winner"] is None)
    deck = _read_counts("deck", view["deck"], copies)
    state["deck"] = 0
    for card, count in enumerate(deck):
        rules.add_to_deck(state, card, count)
    state["deck_size"] = integer("deck_size", view["deck_size"], sum(deck), sum(deck))
    state["discard"][:NUM_CARDS] = _read_counts("discard", view["discard"], copies)
    for name in ("hands", "known"):
        integer(f"the length of {name}", len(view[name]), game.num_players, game.num_players)
    for p in range(game.num_players):
        _read_hand(game, state, p, view["hands"][p], view["known"][p])
    _check_pack(game, state, deck)
    _check_winner(state)


def _seat(place: str, value: Any, last: int, *, missing: bool) -> int:
    if not missing:
        return integer(place, value, 0, last)
    if value is not None:
        raise ValueError(f"{place} is {show(value)}; it must be None")
    return NO_PLAYER


def _read_counts(place: str, counts: Any, most: Sequence[int]) -> list[int]:
    integer(f"the length of {place}", len(counts), NUM_CARDS, NUM_CARDS)
    return [integer(f"{place}[{card}]", count, 0, most[card]) for card, count in enumerate(counts)]


def _read_hand(game: Game, state: Any, p: int, hand: Any, known: Any) -> None:
    tables = game.rules[0]
    held = _read_counts(f"hands[{p}]", hand, _counts(tables["copies"]))
    cards = int(rules.hand_size(tables)) + int(state["phase"] == Phase.DISCARD and state["current_player"] == p)
    integer(f"the number of cards of hands[{p}]", sum(held), cards, cards)
    state["hands"][p, :NUM_CARDS] = held
    state["known"][p, :NUM_CARDS] = _read_counts(f"known[{p}]", known, held)
    state["tally"][p] = _tally_of_hand(state["hands"][p], tables)


def _check_pack(game: Game, state: Any, deck: Sequence[int]) -> None:
    """Works out the cards in no open place, after a check that every copy is somewhere."""
    for card, copies in enumerate(_counts(game.rules[0]["copies"])):
        lies, held = int(state["discard"][card]), int(state["hands"][:, card].sum())
        integer(f"the number of copies of card {card}", deck[card] + lies + held, copies, copies)
        state["unplaced"][card] = copies - lies - int(state["known"][:, card].sum())


def _check_winner(state: Any) -> None:
    """A Ring of eight cards ends the game for its holder."""
    rings = [p for p, tally in enumerate(state["tally"]) if is_ring(tally)]
    winner = _seat_or_none(state["winner"])
    if winner is not None and winner not in rings:
        raise ValueError(f"winner is {winner}, but hands[{winner}] is no Ring")
    if winner is None and rings and rings[0] != (state["current_player"] if state["phase"] == Phase.DISCARD else None):
        raise ValueError(f"hands[{rings[0]}] is a Ring, but nobody has won")


# --- moves --------------------------------------------------------------------------------------------------------------


def move(game: Game, state: Any, action: int) -> dict[str, Any]:
    """The structured form of a legal action."""
    if action == DRAW_ACTION:
        return {"type": "draw"}
    if action < DISCARD_ACTION:
        return {"type": "take", "card": action - TAKE_ACTION}
    return {"type": "discard", "card": action - DISCARD_ACTION}


def sentence(game: Game, state: Any, action: int) -> str:
    """A legal action in words."""
    kind, who = move(game, state, action), f"player {int(state['current_player'])}"
    if kind["type"] == "draw":
        return f"{who} draws a card"
    card = describe(cards_of(game)[kind["card"]])
    if kind["type"] == "take":
        return f"{who} takes the {card} from the discard area"
    return f"{who} discards the {card}"


def describe(card: Card) -> str:
    """A card in words: what Fey it is, and its attributes."""
    return f"{card.name} ({card.words})"
