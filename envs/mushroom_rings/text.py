"""Mushroom Rings in words: records as plain data, moves in structured form, sentences (rule text: Decisions, State as a dict)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from envs.game import Game
from envs.mushroom_rings.components import COLORS, SIGNPOSTS, Components
from envs.mushroom_rings.reading import from_dict
from envs.mushroom_rings.relaying import lay_in_hand
from envs.mushroom_rings.state import (
    AFTER_CELLS,
    CELL_ACTION,
    EDGES,
    ENOUGH_CHOICE,
    GIVE,
    NO_TRADE_CHOICE,
    NONE,
    NUM_GNOMES,
    NUM_KINDS,
    NUM_SIZES,
    SEGMENTS,
    STAY_CHOICE,
    STOP_CHOICE,
    STORED_CHOICE,
    TO_SIGNPOST,
    Phase,
    Place,
)

__all__ = ["from_dict", "move", "sentence", "to_dict"]

PHASES = [phase.name.lower() for phase in Phase]
DESTINATIONS = ("path", "ring", "flower_market", *["signpost"] * len(SIGNPOSTS), "stump")


def components_of(game: Game) -> Components:
    """The component data of a game."""
    return game.facts["components"]


# --- a record as plain data ---------------------------------------------------------------------------------------------


def to_dict(game: Game, state: Any, seat: int | None) -> dict[str, Any]:
    """A record as plain data; what ``seat`` cannot know is None."""
    current, top, end = int(state["current_player"]), int(state["top"]), int(game.rules[0]["bag_end"])
    pile = [int(tile) for tile in state["pile"]]
    return {
        "round": int(state["round"]),
        "phase": PHASES[int(state["phase"])],
        "turn_player": int(state["turn_player"]),
        "current_player": None if current < 0 else current,
        "first_player": int(state["first_player"]),
        "ending": bool(state["ending"]),
        "last_moves": bool(state["last_moves"]),
        "laid": int(state["laid"]),
        "refused": bool(state["refused"]),
        "hand": _hand(game, state),
        "closed": [ring for ring in range(int(state["num_rings"])) if state["ring_closed"][ring]],
        "bag_size": max(end - top, 0),
        "bag": pile[top:end] if seat is None else None,
        "set_aside": pile[max(top, end) :] if seat is None else None,
        "offer": [_or_none(tile) for tile in state["offer"]],
        "garden": [_laid_tile(game, state, index) for index in range(int(state["num_laid"]))],
        "paths": _paths(game, state),
        "rings": [_ring(game, state, ring) for ring in range(int(state["num_rings"]))],
        "flower_market": [int(count) for count in state["flower_market"]],
        "wildflowers": [_or_none(count) for count in state["wildflowers"]],
        "market": _market(game, state),
        "players": [_player(game, state, p) for p in range(game.num_players)],
    }


def _or_none(number: Any) -> int | None:
    return None if int(number) == NONE else int(number)


def _by_color(amounts: Iterable[Any]) -> dict[str, int]:
    return {color: int(amount) for color, amount in zip(COLORS, amounts, strict=True)}


def _cell(game: Game, cell: Any) -> list[int]:
    return [int(game.rules[0]["q"][cell]), int(game.rules[0]["r"][cell])]


def _hand(game: Game, state: Any) -> dict[str, Any]:
    orientation, place, sold = int(state["hand_orientation"]), int(state["hand_place"]), int(state["hand_sold"])
    picked = [COLORS[color] for color in state["picked"][: int(state["num_picked"])]]
    return {
        "tile": _or_none(state["hand_tile"]),
        "cell": None if state["hand_cell"] == NONE else _cell(game, state["hand_cell"]),
        "side": None if orientation == NONE else orientation // EDGES,
        "rotation": None if orientation == NONE else orientation % EDGES,
        "ring": _or_none(state["hand_ring"]),
        "picked": picked or None,
        "gnome": _or_none(state["hand_gnome"]),
        "place": None if place == NONE else DESTINATIONS[place],
        "sold": None if sold == NONE else COLORS[sold],
    }


def _laid_tile(game: Game, state: Any, index: int) -> dict[str, int]:
    side, rotation = divmod(int(state["orientation"][index]), EDGES)
    q, r = _cell(game, state["cell"][index])
    return {"q": q, "r": r, "tile": int(state["tile"][index]), "side": side, "rotation": rotation}


def _paths(game: Game, state: Any) -> list[dict[str, Any]]:
    """The paths in the order of their names, their segments in laying order."""
    members: dict[int, list[int]] = {}
    for part in range(SEGMENTS * int(state["num_laid"])):
        if state["path"][part] != NONE:
            members.setdefault(int(state["path"][part]), []).append(part)
    named = sorted(members, key=lambda path: _path_name(game, state, path))
    return [
        {"segments": [_segment(game, state, part) for part in members[path]], "gnome": _gnome(state["gnome_of"][path])}
        for path in named
    ]


def _path_name(game: Game, state: Any, path: int) -> tuple[int, int]:
    """The first laid tile of a path, by laying order, and the lowest edge of that tile that belongs to it."""
    index = path // SEGMENTS
    segment_at = game.rules[0]["edge_segment"][state["tile"][index], state["orientation"][index]]
    for edge in range(EDGES):
        in_play = state["edge_ring"][index, edge] == NONE and segment_at[edge] >= 0
        if in_play and state["path"][SEGMENTS * index + int(segment_at[edge])] == path:
            return index, edge
    raise AssertionError(f"path {path} has no edge on its first tile")


def _segment(game: Game, state: Any, part: int) -> list[int]:
    return [*_cell(game, state["cell"][part // SEGMENTS]), part % SEGMENTS]


def _gnome(gnome: Any) -> list[int] | None:
    return None if int(gnome) == NONE else list(divmod(int(gnome), NUM_GNOMES))


def ring_tiles(state: Any, ring: int) -> list[int]:
    """The tiles of a ring, by laying order."""
    return np.flatnonzero((state["edge_ring"][: int(state["num_laid"])] == ring).any(axis=1)).tolist()


def _ring(game: Game, state: Any, ring: int) -> dict[str, Any]:
    signpost = int(state["ring_signpost"][ring])
    inside = [
        gnome
        for gnome in range(len(state["gnome_at"]))
        if state["gnome_at"][gnome] == Place.RING and state["gnome_ring"][gnome] == ring
    ]
    return {
        "tiles": [_cell(game, state["cell"][index]) for index in ring_tiles(state, ring)],
        "size": int(state["ring_size"][ring]),
        "mushrooms": _by_color(state["ring_mushrooms"][ring]),
        "waiting": bool(state["ring_waiting"][ring]),
        "owner": _or_none(state["ring_owner"][ring]),
        "owed": bool(state["ring_owed"][ring]),
        "signpost": None if signpost == NONE else SIGNPOSTS[signpost],
        "gnomes": [_gnome(gnome) for gnome in inside],
    }


def _market(game: Game, state: Any) -> dict[str, Any]:
    sizes = components_of(game).sizes
    blocked = {
        color: [size for n, size in enumerate(sizes) if int(state["blocked"][i]) >> n & 1] for i, color in enumerate(COLORS)
    }
    return {"blocked": blocked, "blockers": _by_color(state["blockers"])}


def _player(game: Game, state: Any, p: int) -> dict[str, Any]:
    return {
        "mushrooms": _by_color(state["mushrooms"][p]),
        "flowers": [kind for kind in range(NUM_KINDS) if int(state["flowers"][p]) >> kind & 1],
        "markers": [int(slot) for slot in state["markers"][p, : state["num_markers"][p]]],
        "storage": [int(tile) for tile in state["storage"][p, : state["storage_size"][p]]],
        "treasure": int(state["treasure"][p]),
        "gnomes": [_place(game, state, NUM_GNOMES * p + g) for g in range(NUM_GNOMES)],
    }


def _place(game: Game, state: Any, gnome: int) -> dict[str, Any] | None:
    at = int(state["gnome_at"][gnome])
    if at == Place.HAND:
        return None
    if at == Place.PATH:
        first_part = int(np.flatnonzero(state["gnome_of"] == gnome)[0])
        index, edge = _path_name(game, state, int(state["path"][first_part]))
        q, r = _cell(game, state["cell"][index])
        return {"at": "path", "q": q, "r": r, "edge": edge}
    if at == Place.RING:
        return {"at": "ring", "ring": int(state["gnome_ring"][gnome])}
    return {"at": Place(at).name.lower()}


# --- moves --------------------------------------------------------------------------------------------------------------


def move(game: Game, state: Any, action: int) -> dict[str, Any]:
    """The structured form of a legal action."""
    phase = Phase(int(state["phase"]))
    return _FORMS[phase](game, action - _first_action(state, phase))


def _first_action(state: Any, phase: Phase) -> int:
    """The action id of the first choice of a phase."""
    if phase in (Phase.PLACE, Phase.TAKE):
        return 0
    return CELL_ACTION + (0 if phase in (Phase.CELL, Phase.WHERE) else len(state["place"]) + int(AFTER_CELLS[phase]))


def _tile_form(game: Game, choice: int) -> dict[str, Any]:
    if choice == STOP_CHOICE:
        return {"type": "stop"}
    if choice >= STORED_CHOICE:
        return {"type": "stored", "slot": choice - STORED_CHOICE}
    return {"type": "tile", "slot": choice}


def _cell_form(game: Game, choice: int) -> dict[str, Any]:
    q, r = _cell(game, choice)
    return {"type": "cell", "q": q, "r": r}


def _gnome_form(game: Game, choice: int) -> dict[str, Any]:
    return {"type": "stay"} if choice == STAY_CHOICE else {"type": "gnome", "gnome": choice}


def _destination_form(game: Game, choice: int) -> dict[str, Any]:
    form = {"type": "destination", "place": DESTINATIONS[choice]}
    return form | {"name": SIGNPOSTS[choice - TO_SIGNPOST]} if DESTINATIONS[choice] == "signpost" else form


def _sale_form(game: Game, choice: int) -> dict[str, Any]:
    if choice == ENOUGH_CHOICE:
        return {"type": "enough"}
    color, n = divmod(choice, NUM_SIZES)
    return {"type": "sale", "color": COLORS[color], "number": components_of(game).sizes[n]}


_FORMS: dict[Phase, Callable[[Game, int], dict[str, Any]]] = {
    Phase.PLACE: _tile_form,
    Phase.TAKE: _tile_form,
    Phase.CELL: _cell_form,
    Phase.WHERE: _cell_form,
    Phase.ORIENTATION: lambda game, choice: {"type": "orientation", "side": choice // EDGES, "rotation": choice % EDGES},
    Phase.LEAVE: lambda game, choice: {"type": "leave", "give": choice == GIVE},
    Phase.SLOT: lambda game, choice: {"type": "slot", "slot": choice},
    Phase.SIGNPOST: lambda game, choice: {"type": "signpost", "name": SIGNPOSTS[choice]},
    Phase.DISCARD: lambda game, choice: {"type": "discard", "slot": choice},
    Phase.MUSHROOM: lambda game, choice: {"type": "mushroom", "color": COLORS[choice]},
    Phase.GNOME: _gnome_form,
    Phase.DESTINATION: _destination_form,
    Phase.EDGE: lambda game, choice: {"type": "edge", "edge": choice},
    Phase.SALE: _sale_form,
    Phase.TRADE: lambda game, choice: {"type": "trade", "choice": "none" if choice == NO_TRADE_CHOICE else "AB"[choice]},
}


# --- sentences ----------------------------------------------------------------------------------------------------------


def sentence(game: Game, state: Any, action: int) -> str:
    """A legal action in words."""
    form = move(game, state, action)
    return f"player {int(state['current_player'])} {_SENTENCES[form['type']](game, state, form)}"


def describe_tile(game: Game, tile: int) -> str:
    """A tile in words: its number, its shape and the mushrooms on its paths."""
    components = components_of(game)
    if tile > components.num_garden_tiles:
        return f"wildflower {tile - components.num_garden_tiles - 1}"
    paths = [
        "-".join(map(str, segment.edges)) + (f" {' '.join(segment.mushrooms)}" if segment.mushrooms else "")
        for segment in components.tiles[tile]
    ]
    return f"tile {tile} ({', '.join(paths)})"


def _tile_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    player = int(state["turn_player"])
    if form["type"] == "stored":
        return f"picks the stored {describe_tile(game, int(state['storage'][player, form['slot']]))} to lay"
    tile = describe_tile(game, int(state["offer"][form["slot"]]))
    return f"picks {tile} to lay" if int(state["phase"]) == Phase.PLACE else f"takes {tile} from the offer"


def _cell_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    cell = f"({form['q']}, {form['r']})"
    if int(state["phase"]) == Phase.CELL:
        return f"lays {describe_tile(game, int(state['hand_tile']))} at {cell}"
    return f"sends the gnome to a {DESTINATIONS[int(state['hand_place'])]} of the tile at {cell}"


def _orientation_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    """How the tile is turned, and the rings that it would close."""
    tile, (q, r) = describe_tile(game, int(state["hand_tile"])), _cell(game, state["hand_cell"])
    flipped = "flipped and " if form["side"] else ""
    after = np.array([state], game.state_dtype)
    after[0]["hand_orientation"] = form["side"] * EDGES + form["rotation"]
    lay_in_hand(after, game.rules)
    sizes = [int(size) for size in after[0]["ring_size"][int(state["num_rings"]) : int(after[0]["num_rings"])]]
    rings = f", closing {' and '.join(f'a ring of {size}' for size in sizes)}" if sizes else ""
    return f"lays {tile} {flipped}turned {form['rotation']} at ({q}, {r}){rings}"


def _slot_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    slot = components_of(game).slots[form["slot"]]
    bonus = {"none": "no bonus", "mushroom": f"bonus mushroom {slot.mushrooms}"}.get(slot.bonus, f"bonus {slot.bonus}")
    markers = "two markers" if slot.spaces == 2 else "a marker"
    size = int(state["ring_size"][int(state["hand_ring"])])
    return f"puts {markers} on slot {form['slot']} ({bonus}) for the ring of {size}"


def _discard_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    tile = int(state["storage"][int(state["turn_player"]), form["slot"]])
    return f"discards the stored {describe_tile(game, tile)}"


def _destination_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    gnome = f"sends gnome {int(state['hand_gnome'])}"
    if form["place"] == "signpost":
        return f"{gnome} to the signpost {form['name']}"
    return f"{gnome} to " + {"path": "a path", "ring": "a ring"}.get(form["place"], f"the {form['place'].replace('_', ' ')}")


def _sale_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    components = components_of(game)
    treasure = components.payouts[form["color"]][components.sizes.index(form["number"])]
    return f"sells {form['number']} {form['color']} mushrooms for {treasure}"


def _trade_words(game: Game, state: Any, form: Mapping[str, Any]) -> str:
    if form["choice"] == "none":
        return "trades nothing"
    name = SIGNPOSTS[int(state["hand_place"]) - TO_SIGNPOST]
    trade = components_of(game).trades[name]["AB".index(form["choice"])]
    paid, brought = (" and ".join(f"{n} {what}" for what, n in part.items()) for part in (trade.pay, trade.get))
    return f"trades {paid} for {brought}"


_SENTENCES: dict[str, Callable[[Game, Any, Mapping[str, Any]], str]] = {
    "tile": _tile_words,
    "stored": _tile_words,
    "stop": lambda game, state, form: "stops laying tiles",
    "cell": _cell_words,
    "orientation": _orientation_words,
    "leave": lambda game, state, form: ("gives" if form["give"] else "refuses") + f" player {int(state['turn_player'])} leave",
    "slot": _slot_words,
    "signpost": lambda game, state, form: f"picks the signpost {form['name']}",
    "discard": _discard_words,
    "mushroom": lambda game, state, form: f"picks a {form['color']} mushroom of the ring again",
    "gnome": lambda game, state, form: f"moves gnome {form['gnome']}",
    "stay": lambda game, state, form: "moves no gnome",
    "destination": _destination_words,
    "edge": lambda game, state, form: f"chooses the {DESTINATIONS[int(state['hand_place'])]} at edge {form['edge']}",
    "sale": _sale_words,
    "enough": lambda game, state, form: "sells no more",
    "trade": _trade_words,
}
