"""Fairy Ring in words: records as plain data and back, moves in structured form, sentences."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from envs.checks import integer, show
from envs.engine import NO_PLAYER
from envs.events import plural
from envs.fairy_ring.cards import TYPES, Card
from envs.fairy_ring.guide import guide as guide
from envs.fairy_ring.rules.seats import is_hidden, knows_hand
from envs.fairy_ring.rules.villages import grow, plant
from envs.fairy_ring.state import (
    CHOOSE_ACTION,
    FLY_ACTION,
    GATHER_ACTION,
    GROW_ACTION,
    HAND,
    MAGIDROME,
    MANA_PER_POINT,
    MOST_POINTS,
    MUSHROOMS,
    NO_CARD,
    NUM_OBJECTIVES,
    PLANT_LEFT_ACTION,
    PLANT_RIGHT_ACTION,
    ROUNDS,
    SPRING,
    STACK,
    TURNS,
    Phase,
)
from envs.game import Game

PHASES = [phase.name.lower() for phase in Phase]


def cards_of(game: Game) -> tuple[Card, ...]:
    """The card list of a game."""
    return game.facts["cards"]


# --- a record as plain data ---------------------------------------------------------------------------------------------


def to_dict(game: Game, state: Any, seat: int | None) -> dict[str, Any]:
    """A record as plain data; what ``seat`` cannot know is None."""
    phase, current = int(state["phase"]), int(state["current_player"])
    return {
        "round": int(state["round"]),
        "turn": int(state["turn"]),
        "phase": PHASES[phase],
        "first_player": int(state["first_player"]),
        "current_player": None if current < 0 else current,
        "played": _or_none(state["played"]),
        "movement": int(state["movement"]) or None,
        "objectives": _objectives(state["objectives"]),
        "players": [_player(game, state, p, seat) for p in range(game.num_players)],
    }


def _player(game: Game, state: Any, p: int, seat: int | None) -> dict[str, Any]:
    hidden_hand = seat is not None and phase_is_live(state) and not knows_hand(state, seat, p)
    hidden_choice = seat is not None and is_hidden(state, seat, p)
    hand = [int(card) for card in state["hand"][p, : state["hand_size"][p]]]
    chosen = _or_none(state["chosen"][p])
    if not hidden_choice and chosen is not None and not _is_revealed(state, p):
        # The record keeps a chosen card in the hand until it is revealed; on the table it lies beside it.
        hand.remove(chosen)
    return {
        "village": _village(game, state, p),
        "hand": None if hidden_hand else hand,
        "chosen": None if hidden_choice else chosen,
        "fairy": {"player": int(state["fairy_village"][p]), "mushroom": int(state["fairy_mushroom"][p])},
        "mana": int(state["mana"][p]),
        "points": int(state["points"][p]),
        "objectives": _objectives(state["completed"][p]),
    }


def phase_is_live(state: Any) -> bool:
    """Whether the game still goes on."""
    return int(state["phase"]) != Phase.OVER


def _is_revealed(state: Any, p: int) -> bool:
    return int(state["phase"]) == Phase.PLACE and int(state["current_player"]) == p


def _village(game: Game, state: Any, p: int) -> list[dict[str, Any]]:
    stacks = [[int(card) for card in stack if card != NO_CARD] for stack in state["cards"][p]]
    return [{"type": cards_of(game)[stack[0]].type, "cards": stack} for stack in stacks[: int(state["num_mushrooms"][p])]]


def _objectives(bits: Any) -> list[int]:
    return [n + 1 for n in range(NUM_OBJECTIVES) if int(bits) >> n & 1]


def _or_none(card: Any) -> int | None:
    return None if int(card) == NO_CARD else int(card)


# --- and back -----------------------------------------------------------------------------------------------------------


class _Reader:
    """Takes values out of a state dict and says where a wrong one stands."""

    def __init__(self, game: Game) -> None:
        self.cards = cards_of(game)

    def card(self, place: str, value: Any, deck: str | None = None) -> int:
        card = integer(place, value, 0, len(self.cards) - 1)
        if deck is not None and self.cards[card].deck != deck:
            raise ValueError(f"{place} is card {card}, which is not of deck {deck}")
        return card

    def bits(self, place: str, value: Any) -> int:
        bits = 0
        for number in value:
            bits |= 1 << integer(place, number, 1, NUM_OBJECTIVES) - 1
        return bits


def from_dict(game: Game, view: Mapping[str, Any], state: Any) -> None:
    """Fills a record from a full dict.

    Raises:
        ValueError: The dict is not a possible state; the message names the place.
    """
    players, reader = view["players"], _Reader(game)
    if len(players) != game.num_players:
        raise ValueError(f"players has {len(players)} entries; the game has {game.num_players} players")
    if view["phase"] not in PHASES:
        raise ValueError(f"phase is {show(view['phase'])}; it must be one of {', '.join(PHASES)}")
    seats = game.num_players - 1
    phase = PHASES.index(view["phase"])
    current = NO_PLAYER if phase == Phase.OVER else integer("current_player", view["current_player"], 0, seats)
    state["phase"], state["current_player"] = phase, current
    state["round"] = integer("round", view["round"], 1, ROUNDS)
    state["turn"] = integer("turn", view["turn"], 1, TURNS)
    state["first_player"] = integer("first_player", view["first_player"], 0, seats)
    state["played"] = NO_CARD if view["played"] is None else reader.card("played", view["played"])
    state["movement"] = 0 if view["movement"] is None else integer("movement", view["movement"], 1, 99)
    state["objectives"] = reader.bits("objectives", view["objectives"])
    for p, player in enumerate(players):
        _read_player(game, reader, state, p, player)
    for p in range(game.num_players):
        _check_fairy(state, p)
        _check_cards_of(state, p)
    _check_play(reader, state)
    _read_unseen(game, state)


def _read_player(game: Game, reader: _Reader, state: Any, p: int, player: Mapping[str, Any]) -> None:
    place = f"players[{p}]"
    state["mana"][p] = integer(f"{place}.mana", player["mana"], 0, MANA_PER_POINT - 1)
    state["points"][p] = integer(f"{place}.points", player["points"], 0, MOST_POINTS)
    state["completed"][p] = reader.bits(f"{place}.objectives", player["objectives"])
    state["fairy_village"][p] = integer(f"{place}.fairy.player", player["fairy"]["player"], 0, game.num_players - 1)
    state["fairy_mushroom"][p] = integer(f"{place}.fairy.mushroom", player["fairy"]["mushroom"], 0, MUSHROOMS - 1)
    _read_village(game, reader, state, p, player["village"])
    _read_hand(reader, state, p, player)


def _read_village(game: Game, reader: _Reader, state: Any, p: int, village: Any) -> None:
    place = f"players[{p}].village"
    integer(f"the length of {place}", len(village), 1, MUSHROOMS)
    state["cards"][p] = NO_CARD
    state["village"][p] = 0
    state["type"][p] = 0
    state["num_mushrooms"][p] = 0
    for i, mushroom in enumerate(village):
        stack = mushroom["cards"]
        integer(f"the size of {place}[{i}]", len(stack), 1, STACK)
        for j, number in enumerate(stack):
            card = reader.card(f"{place}[{i}].cards[{j}]", number)
            if reader.cards[card].deck not in ("start", *map(str, range(1, int(state["round"]) + 1))):
                raise ValueError(f"{place}[{i}].cards[{j}] is card {card} of deck {reader.cards[card].deck}, not dealt yet")
            if reader.cards[card].type != mushroom["type"]:
                raise ValueError(f"{place}[{i}].cards[{j}] is card {card}, which is no {show(mushroom['type'])}")
            if j == 0:
                plant(state, game.rules[0], p, i, card)
            else:
                grow(state, game.rules[0], p, i, card)


def _read_hand(reader: _Reader, state: Any, p: int, player: Mapping[str, Any]) -> None:
    place, deck = f"players[{p}].hand", str(int(state["round"]))
    cards = [reader.card(f"{place}[{i}]", card, deck) for i, card in enumerate(player["hand"])]
    chosen = player["chosen"]
    state["chosen"][p] = NO_CARD if chosen is None else reader.card(f"players[{p}].chosen", chosen, deck)
    if chosen is not None and not _is_revealed(state, p):
        cards.append(chosen)
    integer(f"the length of {place}", len(cards), 0, HAND)
    state["hand"][p] = NO_CARD
    state["hand"][p, : len(cards)] = sorted(cards)
    state["hand_size"][p] = len(cards)


def _check_fairy(state: Any, p: int) -> None:
    village, mushroom = int(state["fairy_village"][p]), int(state["fairy_mushroom"][p])
    if mushroom >= state["num_mushrooms"][village]:
        raise ValueError(f"players[{p}].fairy stands on mushroom {mushroom}, which player {village} does not have")


def _check_cards_of(state: Any, p: int) -> None:
    """A hand has as many cards as turn and phase say, and a card is chosen in its time."""
    phase, players = int(state["phase"]), len(state["points"])
    if phase == Phase.OVER:
        held, has_choice = 0, False
    else:
        first, current = int(state["first_player"]), int(state["current_player"])
        order, now = (p - first) % players, (current - first) % players
        if phase == Phase.CHOOSE:
            has_choice = order < now
            revealed = False
        else:
            has_choice = order > now or (order == now and phase == Phase.PLACE)
            revealed = order <= now
        held = HAND + 1 - int(state["turn"]) - revealed
    if (state["chosen"][p] != NO_CARD) != has_choice:
        raise ValueError(f"players[{p}].chosen must {'be a card' if has_choice else 'be None'} in this phase")
    if state["hand_size"][p] != held:
        raise ValueError(f"players[{p}] holds {state['hand_size'][p]} cards, a chosen one included; it must be {held}")


def _check_play(reader: _Reader, state: Any) -> None:
    """The card just placed and the flight are told in the phases that need them."""
    phase, played, movement = int(state["phase"]), int(state["played"]), int(state["movement"])
    if (played != NO_CARD) != (phase in (Phase.FLY, Phase.GATHER)):
        raise ValueError(f"played is {_or_none(played)} in phase {PHASES[phase]}")
    if (movement != 0) != (phase == Phase.GATHER):
        raise ValueError(f"movement is {movement or None} in phase {PHASES[phase]}")
    if phase == Phase.FLY and reader.cards[played].type != TYPES[SPRING]:
        raise ValueError(f"played is card {played}, which is no Spring, in phase fly")


def _read_unseen(game: Game, state: Any) -> None:
    """Works out, from the cards in sight, what was not dealt and what each seat has not seen; nothing when the game is over."""
    tables, number = game.rules[0], int(state["round"]) - 1
    copies, deck = tables["copies"][number].astype(int), tables["deck"][number]
    held = [Counter(int(card) for card in hand if card != NO_CARD) for hand in state["hand"]]
    revealed = Counter(int(card) for card in state["cards"].ravel() if card != NO_CARD)
    if state["phase"] == Phase.PLACE:
        revealed[int(state["chosen"][int(state["current_player"])])] += 1
    live = phase_is_live(state)
    for slot, card in enumerate(map(int, deck)):
        left = copies[slot] - revealed[card]
        undealt = left - sum(hand[card] for hand in held)
        if undealt < 0:
            raise ValueError(f"card {card} is there more than {copies[slot]} times")
        state["box"][slot] = undealt if live else 0
        for seat in range(game.num_players):
            seen = sum(held[p][card] for p in range(game.num_players) if knows_hand(state, seat, p))
            state["unseen"][seat, slot] = left - seen if live else 0


# --- moves --------------------------------------------------------------------------------------------------------------


def move(game: Game, state: Any, action: int) -> dict[str, Any]:
    """The structured form of a legal action."""
    p = int(state["current_player"])
    if action < PLANT_LEFT_ACTION:
        return {"type": "choose", "card": int(state["hand"][p, action - CHOOSE_ACTION])}
    if action <= PLANT_RIGHT_ACTION:
        return {"type": "plant", "side": "left" if action == PLANT_LEFT_ACTION else "right"}
    if action < FLY_ACTION:
        return {"type": "grow", "mushroom": action - GROW_ACTION}
    if action < GATHER_ACTION:
        return {"type": "fly", "movement": cards_of(game)[int(state["played"])].movement[action - FLY_ACTION]}
    return {"type": "gather", "mushroom": action - GATHER_ACTION}


def sentence(game: Game, state: Any, action: int) -> str:
    """A legal action in words."""
    p = int(state["current_player"])
    kind = move(game, state, action)
    who = f"player {p}"
    if kind["type"] == "choose":
        return f"{who} chooses {describe(cards_of(game)[kind['card']])}"
    if kind["type"] == "fly":
        return f"{who} sends the fairy {kind['movement']} mushrooms on"
    if kind["type"] == "gather":
        return f"{who} gathers from their own {_mushroom_name(game, state, p, kind['mushroom'])}"
    card = describe(cards_of(game)[int(state["chosen"][p])])
    if kind["type"] == "plant":
        return f"{who} plants {card} on the {kind['side']}"
    return f"{who} grows the {_mushroom_name(game, state, p, kind['mushroom'])} with {card}"


def _mushroom_name(game: Game, state: Any, p: int, mushroom: int) -> str:
    stack = _village(game, state, p)[mushroom]
    size = len(stack["cards"])
    return f"{stack['type']} at place {mushroom + 1} ({plural(size, 'card')})"


def describe(card: Card) -> str:
    """A card in words: type, movement, and what else is printed on it."""
    parts = ["moves " + " or ".join(map(str, card.movement))] if card.movement else []
    if card.type in (TYPES[MAGIDROME], TYPES[SPRING]):
        parts.append(f"{card.mana} mana")
    if card.fireflies:
        parts.append(plural(card.fireflies, "firefly", "fireflies"))
    return f"{card.type} {card.id} ({', '.join(parts)})" if parts else f"{card.type} {card.id}"
