"""A record of Mushroom Rings as plain data (State as a dict)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from envs.game import Game
from envs.mushroom_rings.components import COLORS, SIGNPOSTS, Components
from envs.mushroom_rings.state import EDGES, NONE, NUM_GNOMES, NUM_KINDS, SEGMENTS, Phase, Place

PHASES = [phase.name.lower() for phase in Phase]
DESTINATIONS = ("path", "ring", "flower_market", *["signpost"] * len(SIGNPOSTS), "stump")


def components_of(game: Game) -> Components:
    """The component data of a game."""
    return game.facts["components"]


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


def cell_of(game: Game, cell: Any) -> list[int]:
    """The axial coordinates of a cell."""
    return [int(game.rules[0]["q"][cell]), int(game.rules[0]["r"][cell])]


def _hand(game: Game, state: Any) -> dict[str, Any]:
    orientation, place, sold = int(state["hand_orientation"]), int(state["hand_place"]), int(state["hand_sold"])
    picked = [COLORS[color] for color in state["picked"][: int(state["num_picked"])]]
    return {
        "tile": _or_none(state["hand_tile"]),
        "cell": None if state["hand_cell"] == NONE else cell_of(game, state["hand_cell"]),
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
    q, r = cell_of(game, state["cell"][index])
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
    return [*cell_of(game, state["cell"][part // SEGMENTS]), part % SEGMENTS]


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
        "tiles": [cell_of(game, state["cell"][index]) for index in ring_tiles(state, ring)],
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
        q, r = cell_of(game, state["cell"][index])
        return {"at": "path", "q": q, "r": r, "edge": edge}
    if at == Place.RING:
        return {"at": "ring", "ring": int(state["gnome_ring"][gnome])}
    return {"at": Place(at).name.lower()}
