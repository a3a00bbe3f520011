"""What pictures of Fairy Ring show: read from a state dict, whole or as one seat sees it, and no more than it says."""

from collections.abc import Sequence
from typing import NamedTuple

from envs.events import View
from envs.fairy_ring.cards import HAND_SIZE, TYPES_WITH_MANA, Card

Place = tuple[int, int]
"""A mushroom: whose village, and which one of it from the left."""

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


def mushroom_piece(player: int, mushroom: int) -> str:
    """The name of a mushroom among the pieces of a picture."""
    return f"mushroom:{player}:{mushroom}"


def flight(view: View, start: Place, steps: int) -> list[Place]:
    """The mushrooms that a fairy flies over from where it stands: right to left, then on in the next seat's village."""
    player, mushroom = start
    places = []
    for _ in range(steps):
        mushroom -= 1
        if mushroom < 0:
            player = (player + 1) % len(view["players"])
            mushroom = len(view["players"][player]["village"]) - 1
        places.append((player, mushroom))
    return places


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


def headline(view: View) -> str:
    """How far the game has gone."""
    return f"Round {view['round']} of 2, turn {view['turn']} of 6"


def status(view: View) -> str:
    """Whose turn it is and what for, or who stands best at the end."""
    if view["phase"] != "over":
        flown = "" if view["movement"] is None else f" after flying {view['movement']}"
        return f"Player {view['current_player']} {_DOES[view['phase']]}{flown}"
    standings = [(player["points"], player["mana"]) for player in view["players"]]
    best = [str(seat) for seat, standing in enumerate(standings) if standing == max(standings)]
    return f"Game over: player {best[0]} wins" if len(best) == 1 else f"Game over: players {', '.join(best)} share the win"


def decided_by(view: View) -> str:
    """What decided a game that is over; nothing before."""
    if view["phase"] != "over":
        return ""
    points = [player["points"] for player in view["players"]]
    standings = sorted(((player["points"], player["mana"]) for player in view["players"]), reverse=True)
    if points.count(max(points)) == 1:
        return f"with most points: {max(points)}"
    return (
        "with equal points and mana" if standings[0] == standings[1] else f"with most mana: {standings[0][1]}, points are equal"
    )


def winners(view: View) -> list[int]:
    """Who has won a game that is over; nobody before."""
    standings = [(player["points"], player["mana"]) for player in view["players"]]
    return [p for p, standing in enumerate(standings) if view["phase"] == "over" and standing == max(standings)]


def card_in_play(view: View) -> int | None:
    """The revealed card of the player whose turn it is."""
    if view["phase"] == "place":
        card: int | None = view["players"][view["current_player"]]["chosen"]
        return card
    played: int | None = view["played"]
    return played


def one_is_chosen(view: View, player: int) -> bool:
    """Whether the hand is known and the card chosen from it is not."""
    seat = view["players"][player]
    return seat["hand"] is not None and seat["chosen"] is None and waits_to_place(view, player)
