"""Moves of Mushroom Rings in structured form and as sentences (Decisions)."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from envs import engine
from envs.game import Game
from envs.mushroom_rings.components import COLORS, COMPASS, SIGNPOSTS
from envs.mushroom_rings.components.tables import picture_edges
from envs.mushroom_rings.rules.decisions import first_action
from envs.mushroom_rings.state import (
    EDGES,
    ENOUGH_CHOICE,
    GIVE,
    NO_TRADE_CHOICE,
    NUM_SIZES,
    STAY_CHOICE,
    STOP_CHOICE,
    STORED_CHOICE,
    TO_SIGNPOST,
    Phase,
)
from envs.mushroom_rings.words.rebuild import lay_in_hand
from envs.mushroom_rings.words.to_dict import DESTINATIONS, cell_of, components_of

_first_action = engine.uncompiled(first_action)


def move(game: Game, state: Any, action: int) -> dict[str, Any]:
    """The structured form of a legal action."""
    phase = Phase(int(state["phase"]))
    return _FORMS[phase](game, action - int(_first_action(state)))


def _tile_form(game: Game, choice: int) -> dict[str, Any]:
    if choice == STOP_CHOICE:
        return {"type": "stop"}
    if choice >= STORED_CHOICE:
        return {"type": "stored", "slot": choice - STORED_CHOICE}
    return {"type": "tile", "slot": choice}


def _cell_form(game: Game, choice: int) -> dict[str, Any]:
    q, r = cell_of(game, choice)
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
    """A tile in words: its number, which edges its paths join as it is listed, and the mushrooms on them."""
    return describe_laid(game, tile, 0, 0)


def describe_laid(game: Game, tile: int, side: int, rotation: int) -> str:
    """A tile in words, flipped and turned; edges are called after the points of the compass."""
    components = components_of(game)
    segments = picture_edges(components, tile, side, rotation)
    if segments is None:
        return f"wildflower {tile - components.num_garden_tiles - 1}"
    paths = [
        "-".join(COMPASS[edge] for edge in segment.edges) + "".join(f" {color}" for color in segment.mushrooms)
        for segment in segments
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
    q, r = cell_of(game, state["hand_cell"])
    tile = describe_laid(game, int(state["hand_tile"]), form["side"], form["rotation"])
    after = np.array([state], game.state_dtype)
    after[0]["hand_orientation"] = form["side"] * EDGES + form["rotation"]
    lay_in_hand(after, game.rules)
    sizes = [int(size) for size in after[0]["ring_size"][int(state["num_rings"]) : int(after[0]["num_rings"])]]
    rings = f", closing {' and '.join(f'a ring of {size}' for size in sizes)}" if sizes else ""
    return f"lays {tile} at ({q}, {r}){rings}"


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
    "edge": lambda game, state, form: f"chooses the {DESTINATIONS[int(state['hand_place'])]} at edge {COMPASS[form['edge']]}",
    "sale": _sale_words,
    "enough": lambda game, state, form: "sells no more",
    "trade": _trade_words,
}
