"""From a state dict back to a record: the garden is laid again tile by tile, everything else is read and checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from envs import engine
from envs.game import Game
from envs.mushroom_rings.components import COLORS, SIGNPOSTS
from envs.mushroom_rings.state import (
    EDGES,
    FIRST_OPEN,
    GNOMES,
    MAX_PICKS,
    NONE,
    NUM_GNOMES,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SLOTS,
    OFFER,
    OWED,
    PLACING,
    RING_DONE,
    RINGS,
    STORAGE,
    STORED_CHOICE,
    STUMP,
    TILES_PER_TURN,
    TO_FLOWER_MARKET,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    WILDFLOWER,
    Phase,
    Place,
)
from envs.mushroom_rings.words.reader import Reader
from envs.mushroom_rings.words.rebuild import claim_again, keep_options, lay_again
from envs.mushroom_rings.words.to_dict import PHASES, to_dict

MOST = 30_000
PLACES = {"path": TO_PATH, "ring": TO_RING, "flower_market": TO_FLOWER_MARKET, "stump": TO_STUMP}


def from_dict(game: Game, view: Mapping[str, Any], state: Any) -> None:
    """Fills a record from a full dict.

    Raises:
        ValueError: The dict is not a possible state; the message names the place.
    """
    reader = Reader(game, view)
    if not isinstance(view, Mapping) or view.get("bag") is None or view.get("set_aside") is None:
        raise ValueError("bag or set_aside is missing; only the full dict of a state can be read")
    record = np.zeros(1, game.state_dtype)
    _read_garden(reader, record)
    _read_pile(reader, record[0])
    _read_course(reader, record[0])
    _read_rings(reader, record[0])
    _read_markets(reader, record[0])
    players = reader.entries("players", reader.get("", view, "players"), game.num_players, game.num_players)
    for p, player in enumerate(players):
        _read_player(reader, record, p, player)
    _read_hand(reader, record[0])
    _check_hand(reader, record[0])
    _check_tiles(reader, record[0])
    _find_step(record[0])
    _check_paths(reader, record)
    _find_options(record, game)
    kept = state["rng"].copy(), state["decisions"].copy()
    for name in game.state_dtype.names or ():
        state[name] = record[0][name]
    state["rng"], state["decisions"] = kept


# --- the garden ---------------------------------------------------------------------------------------------------------


def _read_garden(reader: Reader, record: np.ndarray) -> None:
    """Lays the garden again, which finds paths and rings anew."""
    most = len(reader.components.tiles) + NUM_KINDS
    rows = reader.entries("garden", reader.get("", reader.view, "garden"), 1, most)
    laid = np.zeros((3, len(rows)), np.int64)
    for i, row in enumerate(rows):
        place = f"garden[{i}]"
        q, r, tile, side, rotation = (reader.get(place, row, key) for key in ("q", "r", "tile", "side", "rotation"))
        side, rotation = reader.number(f"{place}.side", side, 0, 1), reader.number(f"{place}.rotation", rotation, 0, EDGES - 1)
        low, high = (STUMP, STUMP) if i == 0 else (STUMP + 1, most - 1)
        laid[:, i] = reader.number(f"{place}.tile", tile, low, high), reader.cell(place, q, r), side * EDGES + rotation
    if laid[1, 0] != reader.rules["origin"] or laid[2, 0]:
        raise ValueError("garden[0] is not the stump at (0, 0), side 0, rotation 0")
    lain = lay_again(record, reader.game.rules, *laid)
    if lain < len(rows):
        raise ValueError(f"garden[{lain}] is {rows[lain]}, which does not fit there")


def _read_rings(reader: Reader, state: Any) -> None:
    """Compares the rings with those that closed, and reads what became of them."""
    rows = reader.get("", reader.view, "rings")
    found = int(state["num_rings"])
    reader.entries("rings", rows, found, found)
    for ring, row in enumerate(rows):
        place = f"rings[{ring}]"
        tiles = {tuple(cell) for cell in reader.get(place, row, "tiles")}
        laid = [index for index in range(int(state["num_laid"])) if ring in state["edge_ring"][index]]
        if tiles != {_coordinates(reader, state["cell"][index]) for index in laid}:
            raise ValueError(f"{place}.tiles are not the tiles of the ring that closes there")
        reader.number(f"{place}.size", reader.get(place, row, "size"), len(laid), len(laid))
        if reader.by_color(f"{place}.mushrooms", row["mushrooms"], MOST) != state["ring_mushrooms"][ring].tolist():
            raise ValueError(f"{place}.mushrooms are {row['mushrooms']}, which are not those printed on it")
        owner = reader.get(place, row, "owner")
        state["ring_owner"][ring] = reader.number_or_none(f"{place}.owner", owner, 0, reader.game.num_players - 1)
        state["ring_waiting"][ring] = reader.truth(f"{place}.waiting", reader.get(place, row, "waiting"))
        state["ring_owed"][ring] = reader.truth(f"{place}.owed", reader.get(place, row, "owed"))
        _read_signpost(reader, state, ring, row)
    closed = reader.numbers("closed", reader.get("", reader.view, "closed"), (0, found), 0, found - 1)
    state["ring_closed"] = 0
    state["ring_closed"][closed] = 1


def _read_signpost(reader: Reader, state: Any, ring: int, row: Mapping[str, Any]) -> None:
    place, name = f"rings[{ring}].signpost", reader.get(f"rings[{ring}]", row, "signpost")
    state["ring_signpost"][ring] = NONE
    if name is not None:
        signpost = reader.word(place, name, SIGNPOSTS)
        if state["signpost_ring"][signpost] != NONE:
            raise ValueError(f"{place} is {name!r}, which is in another ring already")
        state["signpost_ring"][signpost] = ring
        state["ring_signpost"][ring] = signpost


def _coordinates(reader: Reader, cell: Any) -> tuple[int, int]:
    return int(reader.rules["q"][cell]), int(reader.rules["r"][cell])


def _check_paths(reader: Reader, record: np.ndarray) -> None:
    """Compares paths and the gnomes in rings with what the garden and the players' gnomes say."""
    built = to_dict(reader.game, record[0], None)
    paths = reader.get("", reader.view, "paths")
    if _path_set(paths) != _path_set(built["paths"]):
        raise ValueError("paths are not those of the garden, or the gnomes on them are not those of the players")
    for ring, row in enumerate(built["rings"]):
        gnomes = reader.get(f"rings[{ring}]", reader.view["rings"][ring], "gnomes")
        if sorted(map(list, gnomes)) != row["gnomes"]:
            raise ValueError(f"rings[{ring}].gnomes are {gnomes}, but the players' gnomes there are {row['gnomes']}")


def _path_set(paths: Any) -> set[Any]:
    return {
        (frozenset(map(tuple, path["segments"])), tuple(path["gnome"]) if path["gnome"] is not None else None)
        for path in paths
    }


# --- the course of the game ---------------------------------------------------------------------------------------------


def _read_pile(reader: Reader, state: Any) -> None:
    high = len(reader.components.tiles) - 1
    end = int(reader.rules["bag_end"])
    bag = reader.numbers("bag", reader.view["bag"], (0, end), 1, high)
    aside = reader.numbers("set_aside", reader.view["set_aside"], (0, high - end), 1, high)
    if bag and len(aside) < high - end:
        raise ValueError(f"set_aside has {len(aside)} tiles; while the bag has some it must have {high - end}")
    reader.number("bag_size", reader.get("", reader.view, "bag_size"), len(bag), len(bag))
    pile = bag + aside
    state["top"] = high - len(pile)
    state["pile"][high - len(pile) :] = pile
    for tile in pile:
        state["unseen"][reader.rules["type"][tile]] += 1
    offer = reader.entries("offer", reader.get("", reader.view, "offer"), OFFER, OFFER)
    state["offer"] = [reader.number_or_none(f"offer[{i}]", tile, 1, high) for i, tile in enumerate(offer)]


def _read_course(reader: Reader, state: Any) -> None:
    view, seats = reader.view, reader.game.num_players - 1
    state["phase"] = phase = reader.word("phase", reader.get("", view, "phase"), PHASES)
    state["round"] = reader.number("round", reader.get("", view, "round"), 1, MOST)
    for key in ("turn_player", "first_player"):
        state[key] = reader.number(key, reader.get("", view, key), 0, seats)
    current = reader.get("", view, "current_player")
    if phase == Phase.OVER:
        state["current_player"] = reader.number_or_none("current_player", current, NONE, NONE)
    elif phase == Phase.LEAVE:
        state["current_player"] = reader.number("current_player", current, 0, seats)
    else:
        state["current_player"] = reader.number("current_player", current, state["turn_player"], state["turn_player"])
    for key in ("ending", "last_moves", "refused"):
        state[key] = reader.truth(key, reader.get("", view, key))
    state["laid"] = reader.number("laid", reader.get("", view, "laid"), 0, TILES_PER_TURN)


def _read_hand(reader: Reader, state: Any) -> None:
    hand = reader.get("", reader.view, "hand")
    tile = reader.get("hand", hand, "tile")
    state["hand_tile"] = reader.number_or_none("hand.tile", tile, 1, len(reader.rules["segments"]) - 1)
    if tile is not None and int(state["phase"]) != Phase.TRADE:
        state["hand_slot"] = _slot_of(state, tile)
    cell = reader.get("hand", hand, "cell")
    if cell is not None:
        state["hand_cell"] = reader.cell("hand.cell", *reader.entries("hand.cell", cell, 2, 2))
    if reader.get("hand", hand, "side") is not None:
        side = reader.number("hand.side", hand["side"], 0, 1)
        rotation = reader.number("hand.rotation", reader.get("hand", hand, "rotation"), 0, EDGES - 1)
        state["hand_orientation"] = side * EDGES + rotation
    state["hand_ring"] = reader.number_or_none("hand.ring", reader.get("hand", hand, "ring"), 0, int(state["num_rings"]) - 1)
    picked = reader.entries("hand.picked", reader.get("hand", hand, "picked") or [], 0, MAX_PICKS)
    state["num_picked"] = len(picked)
    state["picked"][: len(picked)] = [reader.word(f"hand.picked[{i}]", color, COLORS) for i, color in enumerate(picked)]
    state["hand_gnome"] = reader.number_or_none("hand.gnome", reader.get("hand", hand, "gnome"), 0, NUM_GNOMES - 1)
    sold = reader.get("hand", hand, "sold")
    state["hand_sold"] = NONE if sold is None else reader.word("hand.sold", sold, COLORS)
    place = reader.get("hand", hand, "place")
    state["hand_place"] = NONE if place is None else _destination(reader, state, place)


def _slot_of(state: Any, tile: int) -> int:
    """Where a tile that is to be laid comes from."""
    storage = [int(stored) for stored in state["storage"][int(state["turn_player"])]]
    if tile in state["offer"]:
        return int(np.flatnonzero(state["offer"] == tile)[0])
    if tile in storage:
        return STORED_CHOICE + storage.index(tile)
    raise ValueError(f"hand.tile is {tile}, which is neither on offer nor in the storage of the turn player")


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


def _find_step(state: Any) -> None:
    """Works out which step of the turn, and what of a ring, goes on.

    A turn in which no offered tile could be laid and nobody refused leave looks like one that has not come to placing yet.
    """
    phase = Phase(int(state["phase"]))
    if phase in (Phase.PLACE, Phase.CELL, Phase.ORIENTATION, Phase.LEAVE):
        state["turn_step"] = PLACING
    elif state["hand_ring"] == NONE:
        state["turn_step"] = GNOMES
    else:
        state["turn_step"] = RINGS if state["laid"] or state["refused"] else OWED
        state["ring_step"] = RING_DONE if phase == Phase.SLOT or _ends_ring(state, phase) else WILDFLOWER


def _ends_ring(state: Any, phase: Phase) -> bool:
    """Whether the tile to discard for is a wildflower, which is the last bonus of a ring."""
    player = int(state["turn_player"])
    wildflower = int(state["storage"][player, STORAGE]) > len(state["pile"])
    return phase == Phase.DISCARD and wildflower


def _find_options(record: np.ndarray, game: Game) -> None:
    phase = int(record[0]["phase"])
    masks = engine.rows(np.zeros((1, game.num_actions), np.int8))
    if phase != Phase.OVER and not keep_options(record, game.rules, masks):
        raise ValueError(f"phase is {PHASES[phase]!r}, but there is at most one choice")


_IN_HAND: dict[Phase, tuple[set[str], ...]] = {
    Phase.CELL: ({"tile"},),
    Phase.ORIENTATION: ({"tile", "cell"},),
    Phase.LEAVE: ({"tile", "cell", "side", "rotation"},),
    Phase.SLOT: ({"ring"},),
    Phase.SIGNPOST: ({"ring"},),
    Phase.MUSHROOM: ({"ring"}, {"ring", "picked"}),
    Phase.TAKE: ({"ring"}, {"gnome", "place"}),
    Phase.DISCARD: ({"ring"}, {"gnome", "place"}),
    Phase.DESTINATION: ({"gnome"},),
    Phase.WHERE: ({"gnome", "place"},),
    Phase.EDGE: ({"gnome", "place", "cell"},),
    Phase.SALE: ({"gnome", "place"}, {"gnome", "place", "sold"}),
    Phase.TRADE: ({"gnome", "place"}, {"gnome", "place", "tile"}),
}
"""What may be in hand together in each phase; nothing in those that are not listed."""
_PLACES_OF = {Phase.WHERE: ("path", "ring"), Phase.EDGE: ("path", "ring"), Phase.SALE: ("stump",)}


def _check_hand(reader: Reader, state: Any) -> None:
    """Checks that what the phase needs is in hand and nothing else, before the rules look at it."""
    phase, hand = Phase(int(state["phase"])), reader.view["hand"]
    chosen = {key for key, value in hand.items() if value is not None}
    allowed = _IN_HAND.get(phase, (set(),))
    if chosen not in allowed:
        wanted = " or ".join("{" + ", ".join(sorted(each)) + "}" for each in allowed)
        raise ValueError(f"hand has {{{', '.join(sorted(chosen))}}}; in phase {reader.view['phase']!r} it must have {wanted}")
    if "place" in chosen and hand["place"] not in _PLACES_OF.get(phase, ("signpost",)):
        raise ValueError(f"hand.place is {hand['place']!r}, which does not fit phase {reader.view['phase']!r}")
    if "cell" in chosen:
        lies = int(state["place"][state["hand_cell"]])
        if lies < 0 if phase == Phase.EDGE else lies > FIRST_OPEN:
            raise ValueError(f"hand.cell is {hand['cell']}, where no tile can be what phase {reader.view['phase']!r} is about")
    if "ring" in chosen and not state["ring_closed"][state["hand_ring"]]:
        raise ValueError(f"hand.ring is {hand['ring']}, which is not in closed")
    player = int(state["turn_player"])
    if phase == Phase.DISCARD and state["storage_size"][player] != STORAGE + 1:
        raise ValueError(f"players[{player}].storage has no third tile, but the phase is 'discard'")
    if phase == Phase.MUSHROOM and not state["num_markers"][player]:
        raise ValueError(f"players[{player}].markers is empty, but the phase is 'mushroom'")


# --- markets and players ------------------------------------------------------------------------------------------------


def _read_markets(reader: Reader, state: Any) -> None:
    tokens = int(reader.rules["tokens"])
    market = reader.get("", reader.view, "flower_market")
    state["flower_market"] = reader.numbers("flower_market", market, (NUM_KINDS, NUM_KINDS), 0, tokens)
    stacks = reader.entries("wildflowers", reader.get("", reader.view, "wildflowers"), NUM_KINDS, NUM_KINDS)
    state["wildflowers"] = [reader.number_or_none(f"wildflowers[{i}]", stack, 1, tokens) for i, stack in enumerate(stacks)]
    market = reader.get("", reader.view, "market")
    blocked, sizes = reader.get("market", market, "blocked"), list(reader.components.sizes)
    for i, color in enumerate(COLORS):
        place = f"market.blocked.{color}"
        numbers = reader.numbers(place, reader.get("market.blocked", blocked, color), (0, len(sizes)), sizes[0], sizes[-1])
        if not set(numbers) <= set(sizes):
            raise ValueError(f"{place} is {numbers}; the spaces are {sizes}")
        state["blocked"][i] = sum(1 << sizes.index(number) for number in set(numbers))
    state["blockers"] = reader.by_color("market.blockers", reader.get("market", market, "blockers"), 99)


def _read_player(reader: Reader, record: np.ndarray, p: int, player: Mapping[str, Any]) -> None:
    place, state = f"players[{p}]", record[0]
    state["mushrooms"][p] = reader.by_color(f"{place}.mushrooms", reader.get(place, player, "mushrooms"), MOST)
    state["treasure"][p] = reader.number(f"{place}.treasure", reader.get(place, player, "treasure"), 0, MOST)
    flowers = reader.numbers(f"{place}.flowers", reader.get(place, player, "flowers"), (0, NUM_KINDS), 0, NUM_KINDS - 1)
    if len(set(flowers)) < len(flowers):
        raise ValueError(f"{place}.flowers is {flowers}; a kind is there twice")
    state["flowers"][p], state["num_flowers"][p] = sum(1 << kind for kind in flowers), len(flowers)
    markers = reader.numbers(f"{place}.markers", reader.get(place, player, "markers"), (0, NUM_MARKERS), 0, NUM_SLOTS - 1)
    state["markers"][p, : len(markers)], state["num_markers"][p] = markers, len(markers)
    state["slots"][p] = sum(1 << slot for slot in set(markers))
    most = len(reader.rules["segments"]) - 1
    storage = reader.numbers(f"{place}.storage", reader.get(place, player, "storage"), (0, STORAGE + 1), 1, most)
    state["storage"][p, : len(storage)], state["storage_size"][p] = storage, len(storage)
    gnomes = reader.entries(f"{place}.gnomes", reader.get(place, player, "gnomes"), NUM_GNOMES, NUM_GNOMES)
    for g, gnome in enumerate(gnomes):
        if gnome is not None:
            _read_gnome(reader, record, f"{place}.gnomes[{g}]", NUM_GNOMES * p + g, gnome)


def _read_gnome(reader: Reader, record: np.ndarray, place: str, gnome: int, row: Mapping[str, Any]) -> None:
    state = record[0]
    names = {"path": Place.PATH, "ring": Place.RING, "flower_market": Place.FLOWER_MARKET, "stump": Place.STUMP}
    at = reader.get(place, row, "at")
    reader.word(f"{place}.at", at, list(names))
    state["gnome_at"][gnome] = names[at]
    if at == "ring":
        ring = reader.number(f"{place}.ring", reader.get(place, row, "ring"), 0, int(state["num_rings"]) - 1)
        state["gnome_ring"][gnome] = ring
        state["gnome_cell"][gnome] = state["cell"][state["ring_tile"][ring]]
    elif at == "path":
        cell = reader.cell(place, reader.get(place, row, "q"), reader.get(place, row, "r"))
        edge = reader.number(f"{place}.edge", reader.get(place, row, "edge"), 0, EDGES - 1)
        index = int(state["place"][cell])
        if index < 0 or not claim_again(record, reader.game.rules, gnome, index, edge):
            raise ValueError(f"{place} is {dict(row)}, where no unclaimed path is")


def _check_tiles(reader: Reader, state: Any) -> None:
    """No tile is in two places at once."""
    places = [
        ("the bag or set aside", state["pile"][int(state["top"]) :]),
        ("the offer", state["offer"]),
        ("the garden", state["tile"][1 : int(state["num_laid"])]),
        *((f"players[{p}].storage", storage) for p, storage in enumerate(state["storage"])),
    ]
    seen: dict[int, str] = {}
    for place, tiles in places:
        for tile in map(int, tiles):
            if tile != NONE and tile in seen:
                raise ValueError(f"tile {tile} is in {place}, but also in {seen[tile]}")
            seen[tile] = place
