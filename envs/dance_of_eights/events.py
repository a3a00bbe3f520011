"""What happened in Dance of Eights, told from what a seat sees before and after a decision."""

from envs.dance_of_eights.pictures.view import counters
from envs.dance_of_eights.words import cards_of, describe
from envs.events import EFFECT, END, HEADING, MOVE, Event, View, listed
from envs.game import Game


def tell(game: Game, before: View | None, move: View | None, after: View, sentence: str) -> list[Event]:
    """What a move led to; of the deal, where there is neither a move nor anything before."""
    if before is None or move is None:
        begins = [Event(HEADING, "Turn 1: player 0 begins", 0)]
        return begins if after["phase"] != "over" else _end(game, after)
    told = [_move(game, before, move, after, sentence)]
    if before["deck_size"] and not after["deck_size"]:
        told.append(Event(EFFECT, "the deck is empty: from now on cards come from the discard area only", None, ("deck",)))
    if after["phase"] == "over":
        return told + _end(game, after)
    if before["turn"] != after["turn"]:
        told.append(Event(HEADING, f"Turn {after['turn']}"))
    return told


def _move(game: Game, before: View, move: View, after: View, sentence: str) -> Event:
    p = before["current_player"]
    if move["type"] == "draw":
        card = _drawn(before, after, p)
        if card is None:
            return Event(MOVE, sentence, p, ("deck", f"player:{p}"))
        return Event(MOVE, f"player {p} draws the {describe(cards_of(game)[card])}", p, ("deck", f"hand:{p}:{card}"))
    piece = f"hand:{p}:{move['card']}" if move["type"] == "take" else f"discard:{move['card']}"
    return Event(MOVE, sentence, p, (piece,))


def _drawn(before: View, after: View, p: int) -> int | None:
    """The card that came into a hand; None where the hand is not seen."""
    old, new = before["hands"][p], after["hands"][p]
    if old is None or new is None:
        return None
    return next(card for card, (was, now) in enumerate(zip(old, new, strict=True)) if was != now)


def _end(game: Game, after: View) -> list[Event]:
    winner = after["winner"]
    if winner is None:
        limit = game.options["max_turns"]
        return [Event(END, f"nobody wins: no Ring in {limit} turns of each player")]
    told = [Event(END, f"player {winner} holds a Ring and wins", winner, (f"player:{winner}",))]
    hand = after["hands"][winner]
    if hand is not None:
        values = [f"{shown.number} {shown.word}" for shown in counters(game, hand) if shown.number]
        told.insert(0, Event(END, f"player {winner} shows {listed(values)}", winner))
    return told
