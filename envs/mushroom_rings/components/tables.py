"""The component tables that the compiled rules read, made from the component data once for a game."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from envs.mushroom_rings.components import BONUSES, COLORS, SIGNPOSTS, Components, Segment
from envs.mushroom_rings.state import (
    EDGES,
    FLOWER_GIFT,
    NONE,
    NUM_GNOMES,
    NUM_KINDS,
    ORIENTATIONS,
    PLANES,
    POINT,
    SEGMENTS,
    TILE_GIFT,
    num_cells,
    rules_dtype,
)

UNCLAIMED = 0.25  # how an unclaimed path shows in an observation
STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""Where edge e of a cell faces, as steps in q and r (rule text: The garden)."""


def table_cells(radius: int) -> list[tuple[int, int]]:
    """The cells of a table as (q, r), in the order of their action ids: by r, then q."""
    span = range(-radius, radius + 1)
    return [(q, r) for r in span for q in span if abs(q + r) <= radius]


def turned(edge: int, orientation: int) -> int:
    """Where an edge of the list lies after flipping and turning: side * 6 + rotation is the orientation."""
    side, rotation = divmod(orientation, EDGES)
    return ((-edge if side else edge) + rotation) % EDGES


@cache
def picture(segments: tuple[Segment, ...], orientation: int) -> frozenset[Any]:
    """What a tile shows in an orientation: its edges joined in pairs, with the mushrooms between them."""
    return frozenset(
        (frozenset(turned(edge, orientation) for edge in segment.edges), tuple(sorted(segment.mushrooms))) for segment in segments
    )


def picture_edges(components: Components, tile: int, side: int, rotation: int) -> list[Segment] | None:
    """The segments of a tile as it lies; None for a wildflower."""
    if tile > components.num_garden_tiles:
        return None
    orientation = side * EDGES + rotation
    return [
        Segment((turned(segment.edges[0], orientation), turned(segment.edges[1], orientation)), segment.mushrooms)
        for segment in components.tiles[tile]
    ]


def max_rings(components: Components) -> int:
    """No game has more rings: each uses up three segments or passages of a hub at least."""
    segments = sum(len(tile) for tile in components.tiles)
    return (segments + NUM_KINDS * EDGES // 2) // 3


@cache
def num_types(tiles: tuple[tuple[Segment, ...], ...]) -> int:
    """Different pictures among the garden tiles."""
    return len(set(_types(tiles).values()))


def _types(tiles: tuple[tuple[Segment, ...], ...]) -> dict[frozenset[Any], int]:
    """The type of each picture, in the order of the list; pictures that only differ by turning count as one."""
    types: dict[frozenset[Any], int] = {}
    for segments in tiles[1:]:
        pictures = {picture(segments, orientation) for orientation in range(ORIENTATIONS)}
        if not pictures & types.keys():
            number = len(set(types.values()))
            types |= dict.fromkeys(pictures, number)
    first: dict[int, frozenset[Any]] = {}
    for each, number in types.items():
        first.setdefault(number, each)
    return types


def build_tables(components: Components, num_players: int, options: Mapping[str, Any]) -> np.ndarray:
    """The tables of one choice of options, ``(1,)``."""
    radius = int(options["table_radius"])
    masks = sorted({_edges(segments, 0) for segments in components.tiles})
    tables = np.zeros(1, rules_dtype(num_players, radius, len(components.tiles) + NUM_KINDS, len(masks)))
    rules = tables[0]
    _fill_cells(rules, radius)
    _fill_tiles(rules, components, masks)
    _fill_board(rules, components)
    rules["may_ask"] = options["permission"] == "ask"
    rules["bag_end"] = components.num_garden_tiles - components.set_aside * num_players
    rules["tokens"] = components.tokens * num_players
    rules["kinds_in_market"] = components.kinds_in_market[num_players]
    rules["blockers"] = [components.blockers[num_players][color] for color in COLORS]
    if options["trade_board"]:
        _fill_trades(rules, components)
    _fill_observation(rules, num_players, radius)
    return tables


def _fill_cells(rules: Any, radius: int) -> None:
    cells = table_cells(radius)
    assert len(cells) == num_cells(radius)
    number = {cell: i for i, cell in enumerate(cells)}
    for i, (q, r) in enumerate(cells):
        rules["q"][i], rules["r"][i] = q, r
        rules["neighbor"][i] = [number.get((q + dq, r + dr), NONE) for dq, dr in STEPS]
    rules["origin"] = number[0, 0]


def _edges(segments: tuple[Segment, ...], orientation: int) -> int:
    """Bits of the path edges."""
    return sum(1 << turned(edge, orientation) for segment in segments for edge in segment.edges)


def _fill_tiles(rules: Any, components: Components, masks: list[int]) -> None:
    rules["edge_segment"] = NONE
    rules["segment_edges"] = NONE
    types = _types(components.tiles)
    for tile, segments in enumerate(components.tiles):
        rules["segments"][tile] = len(segments)
        rules["mask"][tile] = masks.index(_edges(segments, 0))
        rules["type"][tile] = types.get(picture(segments, 0), NONE)
        for s, segment in enumerate(segments):
            for color in segment.mushrooms:
                rules["segment_mushrooms"][tile, s, COLORS.index(color)] += 1
            for orientation in range(ORIENTATIONS):
                edges = [turned(edge, orientation) for edge in segment.edges]
                rules["segment_edges"][tile, orientation, s] = edges
                rules["edge_segment"][tile, orientation, edges] = s
        rules["path_edges"][tile] = [_edges(segments, orientation) for orientation in range(ORIENTATIONS)]
        rules["distinct"][tile] = _distinct(segments)
    for row, mask in enumerate(masks):
        rules["fits"][row] = _fitting(mask)
    wildflower = len(components.tiles)
    rules["first_wildflower"] = wildflower
    rules["mask"][wildflower:] = len(masks)
    rules["fits"][len(masks)] = 1  # a wildflower matches anything and is not turned
    rules["distinct"][wildflower:] = 1
    rules["type"][wildflower:] = NONE
    rules["segments"][wildflower:] = 1
    rules["edge_segment"][wildflower:] = 0
    rules["path_edges"][wildflower:] = (1 << EDGES) - 1


def _distinct(segments: tuple[Segment, ...]) -> int:
    """Bits of the orientations whose picture no lower orientation has."""
    bits, seen = 0, set()
    for orientation in range(ORIENTATIONS):
        if picture(segments, orientation) not in seen:
            seen.add(picture(segments, orientation))
            bits |= 1 << orientation
    return bits


def _fitting(mask: int) -> np.ndarray:
    """By open code, bits of the orientations in which path edges (bits, as listed) match it; ``(3**EDGES,) int16``."""
    digits = np.arange(3**EDGES)[:, None] // 3 ** np.arange(EDGES) % 3
    needs_path, needs_green = ((digits == need) @ (1 << np.arange(EDGES)) for need in (1, 2))
    fitting = np.zeros(3**EDGES, np.int16)
    for orientation in range(ORIENTATIONS):
        path = sum(1 << turned(edge, orientation) for edge in range(EDGES) if mask >> edge & 1)
        fitting |= ((needs_path & ~path) | (needs_green & path) == 0).astype(np.int16) << orientation
    return fitting


def _fill_board(rules: Any, components: Components) -> None:
    for i, slot in enumerate(components.slots):
        rules["slot_column"][i], rules["slot_bonus"][i] = slot.column, BONUSES.index(slot.bonus)
        rules["slot_mushrooms"][i], rules["slot_spaces"][i] = slot.mushrooms, slot.spaces
    for i, name in enumerate(SIGNPOSTS):
        gifts = components.signposts[name]
        rules["signpost_gives"][i, : len(COLORS)] = [gifts.get(color, 0) for color in COLORS]
        rules["signpost_gives"][i, TILE_GIFT] = gifts.get("tile", 0)
        rules["signpost_gives"][i, FLOWER_GIFT] = gifts.get("flower", 0)
    rules["flower_scores"] = components.flower_scores
    rules["marker_scores"] = components.marker_scores
    rules["is_wildflower_marker"][list(components.wildflower_markers)] = True
    rules["sizes"] = components.sizes
    rules["is_never_blocked"] = [size == components.never_blocked for size in components.sizes]
    rules["payouts"] = [components.payouts[color] for color in COLORS]


def _fill_trades(rules: Any, components: Components) -> None:
    for name, pair in components.trades.items():
        signpost = SIGNPOSTS.index(name)
        rules["has_trades"][signpost] = True
        for choice, trade in enumerate(pair):
            rules["trade_pays"][signpost, choice] = [trade.pay.get(color, 0) for color in COLORS]
            rules["trade_brings"][signpost, choice, : len(COLORS)] = [trade.get.get(color, 0) for color in COLORS]
            rules["trade_brings"][signpost, choice, POINT] = trade.get.get("point", 0)


def _fill_observation(rules: Any, num_players: int, radius: int) -> None:
    """What observations show of cells, claims and tiles, ready to be copied."""
    q, r = rules["q"].astype(int), rules["r"].astype(int)
    rules["square"] = ((r + radius) * (2 * radius + 1) + q + radius) * PLANES
    rules["q_share"], rules["r_share"] = q / radius, r / radius
    rules["segment_colors"] = rules["segment_mushrooms"] / 2
    for seat in range(num_players):
        rules["claims"][seat] = [0, UNCLAIMED] + [
            _claim(seat, gnome // NUM_GNOMES, num_players) for gnome in range(num_players * NUM_GNOMES)
        ]
    rules["edge_share"] = (rules["edge_segment"] + 1) / SEGMENTS
    rules["edge_share"][rules["first_wildflower"] :] = 1
    for tile in range(len(rules["segments"])):
        hub = tile >= rules["first_wildflower"]
        rules["tile_features"][tile + 1] = [*rules["edge_share"][tile, 0], *rules["segment_colors"][tile].ravel(), hub]


def _claim(seat: int, owner: int, num_players: int) -> float:
    """How a path shows to a seat: 1 if it is its own, from -1 / (P - 1) down to -1 for the seats after it in turn order."""
    return 1.0 if owner == seat else -((owner - seat) % num_players) / (num_players - 1)
