"""From a state dict back to a record: what it says is read, and the position is made anew from that."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from envs.checks import integer, show
from envs.game import Game
from envs.mushroom_rings.components import COLORS, SIGNPOSTS
from envs.mushroom_rings.state import (
    EDGES,
    MAX_PICKS,
    MOST,
    NONE,
    NUM_GNOMES,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SLOTS,
    OFFER,
    SEGMENTS,
    STORAGE,
    STUMP,
    TILES_PER_TURN,
    TO_FLOWER_MARKET,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    Phase,
    Place,
)
from envs.mushroom_rings.words.reader import Reader
from envs.mushroom_rings.words.rebuild import rebuild_single
from envs.mushroom_rings.words.to_dict import PHASES

PLACES = {"path": TO_PATH, "ring": TO_RING, "flower_market": TO_FLOWER_MARKET, "stump": TO_STUMP}


def from_dict(game: Game, view: Mapping[str, Any], state: Any) -> None:
    """Fills a record from a full dict.

    What follows from the rest (paths, the tiles of a ring, the gnomes in it) is not looked at: that the record has the same dict
    is for the caller to see.

    Raises:
        ValueError: The dict is not a possible state; the message names the place.
    """
    reader = Reader(game, view)
    if not isinstance(view, Mapping) or view.get("bag") is None or view.get("set_aside") is None:
        raise ValueError("bag or set_aside is missing; only the full dict of a state can be read")
    given, rebuilt = np.zeros(1, game.state_dtype), np.zeros(1, game.state_dtype)
    given[0]["rng"], given[0]["decisions"] = state["rng"], state["decisions"]
    given[0]["gnome_of"], given[0]["gnome_ring"] = NONE, NONE
    _read_garden(reader, given[0])
    _read_pile(reader, given[0])
    _read_course(reader, given[0])
    _read_rings(reader, given[0])
    _read_markets(reader, given[0])
    players = reader.entries("players", reader.get("", view, "players"), game.num_players, game.num_players)
    for p, player in enumerate(players):
        _read_player(reader, given[0], p, player)
    _read_hand(reader, given[0])
    names = game.state_dtype.names or ()
    fault = rebuild_single(given, game.rules, rebuilt)
    if fault:
        raise ValueError(_explanation(view, names[fault - 1], rebuilt[0]))
    for name in names:
        state[name] = rebuilt[0][name]


# --- the garden ---------------------------------------------------------------------------------------------------------


def _read_garden(reader: Reader, state: Any) -> None:
    most = len(reader.components.tiles) + NUM_KINDS
    rows = reader.entries("garden", reader.get("", reader.view, "garden"), 1, most)
    for i, row in enumerate(rows):
        place = f"garden[{i}]"
        q, r, tile, side, rotation = (reader.get(place, row, key) for key in ("q", "r", "tile", "side", "rotation"))
        side, rotation = integer(f"{place}.side", side, 0, 1), integer(f"{place}.rotation", rotation, 0, EDGES - 1)
        low, high = (STUMP, STUMP) if i == 0 else (STUMP + 1, most - 1)
        state["tile"][i] = integer(f"{place}.tile", tile, low, high)
        state["cell"][i] = reader.cell(place, q, r)
        state["orientation"][i] = side * EDGES + rotation
    state["num_laid"] = len(rows)


def _read_rings(reader: Reader, state: Any) -> None:
    """Reads how many rings closed and what became of them."""
    rows = reader.entries("rings", reader.get("", reader.view, "rings"), 0, len(state["ring_size"]))
    state["num_rings"] = len(rows)
    for ring, row in enumerate(rows):
        place = f"rings[{ring}]"
        owner, signpost = reader.get(place, row, "owner"), reader.get(place, row, "signpost")
        state["ring_owner"][ring] = reader.integer_or_none(f"{place}.owner", owner, 0, reader.game.num_players - 1)
        state["ring_waiting"][ring] = reader.boolean(f"{place}.waiting", reader.get(place, row, "waiting"))
        state["ring_owed"][ring] = reader.boolean(f"{place}.owed", reader.get(place, row, "owed"))
        state["ring_signpost"][ring] = NONE if signpost is None else reader.word(f"{place}.signpost", signpost, SIGNPOSTS)
    last = len(rows) - 1
    closed = reader.integers("closed", reader.get("", reader.view, "closed"), (0, len(rows)), 0, last)
    state["ring_closed"][closed] = 1


# --- the course of the game ---------------------------------------------------------------------------------------------


def _read_pile(reader: Reader, state: Any) -> None:
    high = len(reader.components.tiles) - 1
    end = int(reader.rules["bag_end"])
    bag = reader.integers("bag", reader.view["bag"], (0, end), 1, high)
    aside = reader.integers("set_aside", reader.view["set_aside"], (0, high - end), 1, high)
    if bag and len(aside) < high - end:
        raise ValueError(f"set_aside has {len(aside)} tiles; while the bag has some it must have {high - end}")
    integer("bag_size", reader.get("", reader.view, "bag_size"), len(bag), len(bag))
    pile = bag + aside
    state["top"] = high - len(pile)
    state["pile"][high - len(pile) :] = pile
    offer = reader.entries("offer", reader.get("", reader.view, "offer"), OFFER, OFFER)
    state["offer"] = [reader.integer_or_none(f"offer[{i}]", tile, 1, high) for i, tile in enumerate(offer)]


def _read_course(reader: Reader, state: Any) -> None:
    view, seats = reader.view, reader.game.num_players - 1
    state["phase"] = phase = reader.word("phase", reader.get("", view, "phase"), PHASES)
    state["round"] = integer("round", reader.get("", view, "round"), 1, MOST)
    for key in ("turn_player", "first_player"):
        state[key] = integer(key, reader.get("", view, key), 0, seats)
    current = reader.get("", view, "current_player")
    low, high = (0, seats) if phase == Phase.LEAVE else (int(state["turn_player"]), int(state["turn_player"]))
    low, high = (NONE, NONE) if phase == Phase.OVER else (low, high)
    state["current_player"] = reader.integer_or_none("current_player", current, low, high)
    for key in ("ending", "last_moves", "refused"):
        state[key] = reader.boolean(key, reader.get("", view, key))
    state["laid"] = integer("laid", reader.get("", view, "laid"), 0, TILES_PER_TURN)


def _read_hand(reader: Reader, state: Any) -> None:
    hand = reader.get("", reader.view, "hand")
    tile = reader.get("hand", hand, "tile")
    state["hand_tile"] = reader.integer_or_none("hand.tile", tile, 1, len(reader.rules["segments"]) - 1)
    cell = reader.get("hand", hand, "cell")
    state["hand_cell"] = NONE if cell is None else reader.cell("hand.cell", *reader.entries("hand.cell", cell, 2, 2))
    state["hand_orientation"] = NONE
    if reader.get("hand", hand, "side") is not None:
        side = integer("hand.side", hand["side"], 0, 1)
        rotation = integer("hand.rotation", reader.get("hand", hand, "rotation"), 0, EDGES - 1)
        state["hand_orientation"] = side * EDGES + rotation
    state["hand_ring"] = reader.integer_or_none("hand.ring", reader.get("hand", hand, "ring"), 0, int(state["num_rings"]) - 1)
    picked = reader.entries("hand.picked", reader.get("hand", hand, "picked") or [], 0, MAX_PICKS)
    state["num_picked"] = len(picked)
    state["picked"][: len(picked)] = [reader.word(f"hand.picked[{i}]", color, COLORS) for i, color in enumerate(picked)]
    state["hand_gnome"] = reader.integer_or_none("hand.gnome", reader.get("hand", hand, "gnome"), 0, NUM_GNOMES - 1)
    sold = reader.get("hand", hand, "sold")
    state["hand_sold"] = NONE if sold is None else reader.word("hand.sold", sold, COLORS)
    place = reader.get("hand", hand, "place")
    state["hand_place"] = NONE if place is None else _destination(reader, state, place)


def _destination(reader: Reader, state: Any, place: str) -> int:
    """The destination chosen; which signpost is told by the ring that the gnome is in."""
    reader.word("hand.place", place, (*PLACES, "signpost"))
    if place != "signpost":
        return PLACES[place]
    gnome = NUM_GNOMES * int(state["turn_player"]) + int(state["hand_gnome"])
    ring = int(state["gnome_ring"][gnome])
    if state["hand_gnome"] == NONE or ring == NONE or state["ring_signpost"][ring] == NONE:
        raise ValueError("hand.place is 'signpost', but the gnome in hand is in no ring with a signpost")
    return TO_SIGNPOST + int(state["ring_signpost"][ring])


# --- markets and players ------------------------------------------------------------------------------------------------


def _read_markets(reader: Reader, state: Any) -> None:
    tokens = int(reader.rules["tokens"])
    market = reader.get("", reader.view, "flower_market")
    state["flower_market"] = reader.integers("flower_market", market, (NUM_KINDS, NUM_KINDS), 0, tokens)
    stacks = reader.entries("wildflowers", reader.get("", reader.view, "wildflowers"), NUM_KINDS, NUM_KINDS)
    state["wildflowers"] = [reader.integer_or_none(f"wildflowers[{i}]", stack, 1, tokens) for i, stack in enumerate(stacks)]
    market = reader.get("", reader.view, "market")
    blocked, sizes = reader.get("market", market, "blocked"), list(reader.components.sizes)
    for i, color in enumerate(COLORS):
        place = f"market.blocked.{color}"
        numbers = reader.integers(place, reader.get("market.blocked", blocked, color), (0, len(sizes)), sizes[0], sizes[-1])
        if not set(numbers) <= set(sizes):
            raise ValueError(f"{place} is {show(numbers)}; the spaces are {sizes}")
        state["blocked"][i] = sum(1 << sizes.index(number) for number in set(numbers))
    state["blockers"] = reader.by_color("market.blockers", reader.get("market", market, "blockers"), 99)


def _read_player(reader: Reader, state: Any, p: int, player: Mapping[str, Any]) -> None:
    place = f"players[{p}]"
    state["mushrooms"][p] = reader.by_color(f"{place}.mushrooms", reader.get(place, player, "mushrooms"), MOST)
    state["treasure"][p] = integer(f"{place}.treasure", reader.get(place, player, "treasure"), 0, MOST)
    flowers = reader.integers(f"{place}.flowers", reader.get(place, player, "flowers"), (0, NUM_KINDS), 0, NUM_KINDS - 1)
    if len(set(flowers)) < len(flowers):
        raise ValueError(f"{place}.flowers is {show(flowers)}; a kind is there twice")
    state["flowers"][p] = sum(1 << kind for kind in flowers)
    markers = reader.integers(f"{place}.markers", reader.get(place, player, "markers"), (0, NUM_MARKERS), 0, NUM_SLOTS - 1)
    state["markers"][p, : len(markers)], state["num_markers"][p] = markers, len(markers)
    most = len(reader.rules["segments"]) - 1
    storage = reader.integers(f"{place}.storage", reader.get(place, player, "storage"), (0, STORAGE + 1), 1, most)
    state["storage"][p, : len(storage)], state["storage_size"][p] = storage, len(storage)
    gnomes = reader.entries(f"{place}.gnomes", reader.get(place, player, "gnomes"), NUM_GNOMES, NUM_GNOMES)
    for g, gnome in enumerate(gnomes):
        if gnome is not None:
            _read_gnome(reader, state, f"{place}.gnomes[{g}]", NUM_GNOMES * p + g, gnome)


def _read_gnome(reader: Reader, state: Any, place: str, gnome: int, row: Mapping[str, Any]) -> None:
    names = {"path": Place.PATH, "ring": Place.RING, "flower_market": Place.FLOWER_MARKET, "stump": Place.STUMP}
    at = reader.get(place, row, "at")
    reader.word(f"{place}.at", at, list(names))
    state["gnome_at"][gnome] = names[at]
    if at == "ring":
        ring = integer(f"{place}.ring", reader.get(place, row, "ring"), 0, int(state["num_rings"]) - 1)
        state["gnome_ring"][gnome] = ring
    elif at == "path":
        cell = reader.cell(place, reader.get(place, row, "q"), reader.get(place, row, "r"))
        edge = integer(f"{place}.edge", reader.get(place, row, "edge"), 0, EDGES - 1)
        segments = [
            SEGMENTS * index + int(segment)
            for index in np.flatnonzero(state["cell"][: int(state["num_laid"])] == cell)
            if (segment := reader.rules["edge_segment"][state["tile"][index], state["orientation"][index], edge]) != NONE
        ]
        if not segments:
            raise ValueError(f"{place} is {show(dict(row))}, where no path is")
        state["gnome_of"][segments[0]] = gnome


# --- what is impossible -------------------------------------------------------------------------------------------------

_STUMP_IS_NOT_FIRST = "garden[0] is not the stump at (0, 0), side 0, rotation 0"
_WHY = {
    "phase": "tiles are laid, but last_moves is True",
    "laid": "laid is not 0, but last_moves is True",
    "refused": "refused is True, but last_moves is True",
    "cell": _STUMP_IS_NOT_FIRST,
    "orientation": _STUMP_IS_NOT_FIRST,
    "ring_closed": "closed has rings, but all are scored before a gnome moves",
    "ring_signpost": "rings have a signpost twice, or have one that is still to score",
    "gnome_of": "players have a gnome on a path that is not there or that another gnome claims",
    "flowers": "players have a flower that lies on its wildflower tile",
    "flower_market": "flower_market has more flowers of a kind than there are, or some that lie on their wildflower tile",
    "wildflowers": "wildflowers has a tile that has left",
    "blocked": "market.blocked has the space of the pair, which is never blocked",
    "blockers": "market.blockers has more than there are, those on spaces counted",
    "storage_size": "players must have a third tile in the storage in phase 'discard', the turn player alone, and not else",
    "num_markers": "players have no marker for hand.ring",
    "markers": "players have the last marker on a slot that lets nobody pick mushrooms, but the phase is 'mushroom'",
}
"""By field of the record: why a dict whose numbers are in range is no possible state."""


def _explanation(view: Mapping[str, Any], field: str, rebuilt: Any) -> str:
    """Why a dict is no possible state, if this field of the record is wrong."""
    twice = [tile for tile, count in Counter(_tiles(view)).items() if count > 1]
    if twice:
        return f"tile {show(twice[0])} is in two places"
    if field == "num_laid":
        lain = int(rebuilt["num_laid"])
        return f"garden[{lain}] is {show(view['garden'][lain])}, which does not fit there"
    if field == "num_rings":
        return f"rings has {len(view['rings'])} entries; it must be a list of {int(rebuilt['num_rings'])}"
    if field == "options":
        return f"phase is {show(view['phase'])}, but there is at most one choice"
    return _WHY.get(field) or f"{_value(view, field)}, which does not fit phase {show(view['phase'])}"


def _tiles(view: Mapping[str, Any]) -> Iterator[int]:
    """The tiles of a dict, wherever they are."""
    yield from view["bag"]
    yield from view["set_aside"]
    yield from (tile for tile in view["offer"] if tile is not None)
    yield from (row["tile"] for row in view["garden"])
    for player in view["players"]:
        yield from player["storage"]
    if view["phase"] == "trade" and view["hand"]["tile"] is not None:
        yield view["hand"]["tile"]


def _value(view: Mapping[str, Any], field: str) -> str:
    if field == "current_player":
        return f"current_player is {show(view['current_player'])}"
    name = field.removeprefix("hand_").removeprefix("num_")
    name = "side" if name == "orientation" else name
    return f"hand.{name} is {show(view['hand'][name])}"
