"""What happened in Fairy Ring, told from what a seat sees before and after a decision."""

from typing import Any

from envs.events import EFFECT, HEADING, MOVE, Event, View, plural, reckoning
from envs.fairy_ring.pictures.view import OBJECTIVES, Place, flight, mushroom_piece
from envs.fairy_ring.state import MANA_PER_POINT
from envs.fairy_ring.words import cards_of, describe
from envs.game import Game


def tell(game: Game, before: View | None, move: View | None, after: View, sentence: str) -> list[Event]:
    """What a move led to; of the deal, where there is neither a move nor anything before."""
    if before is None or move is None:
        return [_heading(after)]
    is_choice = move["type"] == "choose"
    told = _choice(before, after, sentence) if is_choice else _resolution(game, before, move, after, sentence)
    if after["phase"] == "over":
        return told + _reckoning(after)
    if (before["round"], before["turn"]) != (after["round"], after["turn"]):
        told.append(_heading(after))
    if after["phase"] == "place":
        told.append(_reveal(game, after))
    return told


def _heading(view: View) -> Event:
    first = view["first_player"]
    return Event(HEADING, f"Round {view['round']}, turn {view['turn']}: player {first} goes first", first)


def _choice(before: View, after: View, sentence: str) -> list[Event]:
    p = before["current_player"]
    seen = after["players"][p]["chosen"] is not None
    return [Event(MOVE, sentence if seen else f"player {p} chooses a card", p, (f"chosen:{p}",))]


def _reveal(game: Game, after: View) -> Event:
    p = after["current_player"]
    card = describe(cards_of(game)[after["players"][p]["chosen"]])
    return Event(MOVE, f"player {p} reveals {card}", p, ("played",))


# --- a card is placed, the fairy flies and gathers -----------------------------------------------------------------------


def _resolution(game: Game, before: View, move: View, after: View, sentence: str) -> list[Event]:
    p = before["current_player"]
    told, start = _placing(game, before, move, after, sentence)
    gains = _gains(before, after)
    steps = _steps(game, before, move, after)
    if steps:
        told += _flying(game, after, p, start, steps, gains)
    elif move["type"] == "gather":
        piece = mushroom_piece(p, move["mushroom"])
        told.append(Event(MOVE, f"player {p} gathers from {_name(after, p, (p, move['mushroom']))}", p, (piece,)))
    told += [Event(EFFECT, f"player {q} gathers {gain} mana", q) for q, gain in enumerate(gains) if gain > 0]
    told += _points(before, after)
    return told


def _placing(game: Game, before: View, move: View, after: View, sentence: str) -> tuple[list[Event], Place]:
    """What is told of the card that is placed, and where the fairy stands then."""
    p = before["current_player"]
    fairy = before["players"][p]["fairy"]
    start = fairy["player"], fairy["mushroom"]
    if move["type"] not in ("plant", "grow"):
        return [], start
    if move["type"] == "grow":
        card = cards_of(game)[before["players"][p]["chosen"]]
        at, size = move["mushroom"], len(after["players"][p]["village"][move["mushroom"]]["cards"])
        text = f"player {p} grows the {card.type} at place {at + 1} to {plural(size, 'card')}"
    else:
        left = move["side"] == "left"
        at = 0 if left else len(after["players"][p]["village"]) - 1
        text = sentence
        if left and start[0] == p:
            start = p, start[1] + 1
    told = [Event(MOVE, text, p, (mushroom_piece(p, at),))]
    done = [n for n in after["players"][p]["objectives"] if n not in before["players"][p]["objectives"]]
    told += [Event(EFFECT, f"player {p} completes the objective {OBJECTIVES[n]}: +1 point", p) for n in done]
    return told, start


def _steps(game: Game, before: View, move: View, after: View) -> int:
    """How far the fairy flies with this move: a Spring's owner says so in a move of its own."""
    if move["type"] == "fly":
        return int(move["movement"])
    if move["type"] == "gather" or after["phase"] == "fly":
        return 0
    return cards_of(game)[before["players"][before["current_player"]]["chosen"]].movement[0]


def _flying(game: Game, after: View, p: int, start: Place, steps: int, gains: list[int]) -> list[Event]:
    """The flight, and what Springs on the way pay; that is taken off the gains."""
    places = flight(after, start, steps)
    path = tuple(mushroom_piece(*place) for place in (start, *places))
    text = f"player {p} flies {steps} to {_name(after, p, places[-1])}"
    told = [Event(MOVE, text, p, (path[-1],), path)]
    for owner, mushroom in places[:-1]:
        passed = after["players"][owner]["village"][mushroom]
        if passed["type"] == "Spring":
            mana = sum(cards_of(game)[card].mana for card in passed["cards"])
            gains[owner] -= mana
            text = f"passes {_name(after, p, (owner, mushroom))}: player {owner} gets {mana} mana"
            told.append(Event(EFFECT, text, owner, (mushroom_piece(owner, mushroom),)))
    return told


def _name(view: View, p: int, place: Place) -> str:
    owner, mushroom = place
    whose = "their own" if owner == p else f"player {owner}'s"
    return f"{whose} {view['players'][owner]['village'][mushroom]['type']} at place {mushroom + 1}"


def _gains(before: View, after: View) -> list[int]:
    """Mana that each player got, with what became points; points for objectives are none of it."""
    return [_worth(new) - _worth(old) for old, new in zip(before["players"], after["players"], strict=True)]


def _worth(player: Any) -> int:
    return MANA_PER_POINT * (player["points"] - len(player["objectives"])) + player["mana"]


def _points(before: View, after: View) -> list[Event]:
    told = []
    for p, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        if old["points"] != new["points"]:
            told.append(Event(EFFECT, f"player {p} now has {plural(new['points'], 'point')} and {new['mana']} mana", p))
    return told


def _reckoning(after: View) -> list[Event]:
    lines = [
        ((player["points"], player["mana"]), f"{plural(player['points'], 'point')}, {player['mana']} mana")
        for player in after["players"]
    ]
    return reckoning(lines, ("points", "mana"))
