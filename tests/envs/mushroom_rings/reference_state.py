"""The state dict of Mushroom Rings: writing it, taking one over, checking a setup.

Part of the slow reference; see `reference.py` for what it is and where it had to choose. Everything here carries out
the sections "State as a dict" and "A random player starts" (setup) of the exact rules.
"""

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from .reference_components import Components
from .reference_garden import Cell, Garden

if TYPE_CHECKING:
    from .reference import Reference

LEAVE_PHASE = "leave"
PLACING_PHASES = ("place", "cell", "orientation", LEAVE_PHASE)


@dataclass
class Player:
    """What lies in front of a player; gnomes are found in the garden and among the visitors of market and stump."""

    mushrooms: dict[str, int]
    flowers: list[int] = field(default_factory=list)
    markers: list[int] = field(default_factory=list)
    storage: list[int] = field(default_factory=list)
    treasure: int = 0


@dataclass
class Hand:
    """What has been chosen so far of the decision under way; None where nothing is chosen yet."""

    tile: int | None = None
    cell: Cell | None = None
    side: int | None = None
    rotation: int | None = None
    ring: int | None = None
    picked: list[str] | None = None
    gnome: int | None = None
    place: str | None = None
    sold: str | None = None


def write_state(game: "Reference") -> dict:
    """The full state dict of a game."""
    hand = asdict(game.hand)
    hand["cell"] = None if game.hand.cell is None else list(game.hand.cell)
    return {
        "round": game.round,
        "phase": game.phase,
        "turn_player": game.turn_player,
        "current_player": game.current_player(),
        "first_player": game.first_player,
        "ending": game.ending,
        "last_moves": game.last_moves,
        "laid": game.laid,
        "refused": game.refused,
        "hand": hand,
        "closed": list(game.closed),
        "bag_size": len(game.bag),
        "bag": list(game.bag),
        "set_aside": list(game.set_aside),
        "offer": list(game.offer),
        "garden": _write_laid_tiles(game.garden),
        "paths": _write_paths(game.garden),
        "rings": _write_rings(game.garden),
        "flower_market": list(game.flower_market),
        "wildflowers": list(game.wildflowers),
        "market": {
            "blocked": {color: sorted(numbers) for color, numbers in game.blocked.items()},
            "blockers": dict(game.blockers),
        },
        "players": [_write_player(game, seat) for seat in range(game.num_players)],
    }


def _write_laid_tiles(garden: Garden) -> list[dict]:
    return [
        {"q": laid.cell[0], "r": laid.cell[1], "tile": laid.tile, "side": laid.side, "rotation": laid.rotation}
        for laid in garden.laid
    ]


def _write_paths(garden: Garden) -> list[dict]:
    return [
        {"segments": [list(part) for part in path.parts], "gnome": list(path.gnome) if path.gnome else None}
        for path in garden.paths
    ]


def _write_rings(garden: Garden) -> list[dict]:
    return [
        {
            "tiles": [list(cell) for cell in ring.tiles],
            "size": ring.size,
            "mushrooms": dict(ring.mushrooms),
            "waiting": ring.waiting,
            "owner": ring.owner,
            "owed": ring.owed,
            "signpost": ring.signpost,
            "gnomes": [list(gnome) for gnome in sorted(ring.gnomes)],
        }
        for ring in garden.rings
    ]


def _write_player(game: "Reference", seat: int) -> dict:
    player = game.players[seat]
    return {
        "mushrooms": dict(player.mushrooms),
        "flowers": sorted(player.flowers),
        "markers": list(player.markers),
        "storage": list(player.storage),
        "treasure": player.treasure,
        "gnomes": [_write_gnome(game, seat, gnome) for gnome in range(game.components.gnomes)],
    }


def _write_gnome(game: "Reference", seat: int, gnome: int) -> dict | None:
    place = game.place_of(seat, gnome)
    if place is None:
        return None
    at, where = place
    if at == "path":
        (q, r), edge = game.garden.path_name(where)
        return {"at": "path", "q": q, "r": r, "edge": edge}
    if at == "ring":
        return {"at": "ring", "ring": where}
    return {"at": at}


def take_over(game: "Reference", state: dict) -> None:
    """Fill a game from a full state dict; the garden is laid again tile by tile and compared with paths and rings."""
    for key in ("round", "phase", "turn_player", "first_player", "ending", "last_moves", "laid", "refused"):
        setattr(game, key, state[key])
    for key in ("closed", "bag", "set_aside", "offer", "flower_market", "wildflowers"):
        setattr(game, key, list(state[key]))
    assert state["bag_size"] == len(game.bag), "bag_size is not the number of tiles in the bag"
    hand = dict(state["hand"])
    hand["cell"] = None if hand["cell"] is None else tuple(hand["cell"])
    hand["picked"] = list(hand["picked"]) if hand["picked"] else None
    game.hand = Hand(**hand)
    game.asked = state["current_player"] if game.phase == LEAVE_PHASE else None
    game.placing_over = game.phase not in PLACING_PHASES and (game.laid > 0 or game.refused)
    game.blocked = {color: list(state["market"]["blocked"][color]) for color in game.components.colors}
    game.blockers = {color: state["market"]["blockers"][color] for color in game.components.colors}
    game.players = [
        Player(
            {color: player["mushrooms"][color] for color in game.components.colors},
            list(player["flowers"]),
            list(player["markers"]),
            list(player["storage"]),
            player["treasure"],
        )
        for player in state["players"]
    ]
    game.garden = _lay_again(game.components, game.table_radius, state)
    _take_over_gnomes(game, state)


def _lay_again(components: Components, table_radius: int, state: dict) -> Garden:
    garden = Garden(components, table_radius)
    assert state["garden"][:1] == _write_laid_tiles(garden), "the stump is not laid first"
    for laid in state["garden"][1:]:
        placement = (laid["tile"], (laid["q"], laid["r"]), laid["side"], laid["rotation"])
        assert garden.matches(*placement), f"laid tile does not match its neighbours: {laid}"
        garden.lay(*placement)
    for ring in garden.rings:
        ring.owner = None
    _take_over_rings(garden, state["rings"])
    _take_over_claims(garden, state["paths"])
    return garden


def _take_over_rings(garden: Garden, rows: list[dict]) -> None:
    assert len(rows) == len(garden.rings), f"{len(garden.rings)} rings close in this garden, not {len(rows)}"
    for ring, row in zip(garden.rings, rows, strict=True):
        assert sorted(map(tuple, row["tiles"])) == sorted(ring.tiles), f"ring has other tiles: {row}"
        assert row["size"] == ring.size, f"ring has another size: {row}"
        assert row["mushrooms"] == ring.mushrooms, f"ring has other mushrooms: {row}"
        ring.waiting, ring.owner, ring.owed = row["waiting"], row["owner"], row["owed"]
        ring.signpost = row["signpost"]
        ring.gnomes = [tuple(gnome) for gnome in row["gnomes"]]


def _take_over_claims(garden: Garden, rows: list[dict]) -> None:
    gnomes = {frozenset(map(tuple, row["segments"])): row["gnome"] for row in rows}
    found = {frozenset(path.parts) for path in garden.paths}
    assert len(gnomes) == len(rows) and gnomes.keys() == found, "the paths are not those of this garden"
    for path in garden.paths:
        gnome = gnomes[frozenset(path.parts)]
        path.gnome = tuple(gnome) if gnome else None


def _take_over_gnomes(game: "Reference", state: dict) -> None:
    game.visitors = {}
    for seat, row in enumerate(state["players"]):
        for gnome, place in enumerate(row["gnomes"]):
            if place is not None and place["at"] in ("flower_market", "stump"):
                game.visitors[seat, gnome] = place["at"]
        written = [_write_gnome(game, seat, gnome) for gnome in range(game.components.gnomes)]
        assert written == row["gnomes"], f"gnomes of player {seat} are {row['gnomes']}, but garden says {written}"


def check_setup(components: Components, num_players: int, state: dict) -> None:
    """Assert that a state dict is one that the setup can lead to (setup)."""
    assert num_players in components.player_numbers, f"the game is not for {num_players} players"
    first = state["first_player"]
    assert first in range(num_players), f"no such first player: {first}"
    set_aside = components.set_aside_per_player * num_players
    bag = len(components.garden_tiles) - components.offer_size - set_aside
    for name, number in (("offer", components.offer_size), ("bag", bag), ("set_aside", set_aside)):
        assert len(state[name]) == number, f"{name} holds {len(state[name])} tiles, not {number}"
    dealt = state["offer"] + state["bag"] + state["set_aside"]
    assert None not in dealt and sorted(dealt) == components.garden_tiles, "not every garden tile is there once"
    tokens = components.flower_tokens_per_player * num_players
    in_market = [kind for kind in range(components.flower_kinds) if state["flower_market"][kind]]
    assert len(in_market) == components.flower_kinds_in_market[num_players], f"kinds in flower market: {in_market}"
    expected = _setup(components, num_players, state, tokens, in_market)
    assert state.keys() == expected.keys(), f"keys differ: {sorted(state.keys() ^ expected.keys())}"
    for key, value in expected.items():
        assert state[key] == value, f"{key} is {state[key]}, expected {value}"


def _setup(components: Components, num_players: int, state: dict, tokens: int, in_market: list[int]) -> dict:
    """The setup dict with the lots of the given one (first player, order of the tiles, kinds in the market).

    Its paths are not compared here: taking the dict over lays the garden again and compares them in any order.
    """
    garden = Garden(components, table_radius=1)
    none = dict.fromkeys(components.colors, 0)
    first = state["first_player"]
    kinds = range(components.flower_kinds)
    player = {"mushrooms": none, "flowers": [], "markers": [], "storage": [], "treasure": 0}
    player["gnomes"] = [None] * components.gnomes
    return {
        "round": 1,
        "phase": "place",
        "turn_player": first,
        "current_player": first,
        "first_player": first,
        "ending": False,
        "last_moves": False,
        "laid": 0,
        "refused": False,
        "hand": asdict(Hand()),
        "closed": [],
        "bag_size": len(state["bag"]),
        "bag": state["bag"],
        "set_aside": state["set_aside"],
        "offer": state["offer"],
        "garden": _write_laid_tiles(garden),
        "paths": state["paths"],
        "rings": [],
        "flower_market": [tokens if kind in in_market else 0 for kind in kinds],
        "wildflowers": [None if kind in in_market else tokens for kind in kinds],
        "market": {
            "blocked": {color: [] for color in components.colors},
            "blockers": components.blockers[num_players],
        },
        "players": [player] * num_players,
    }
