"""Sizes, action numbers, phases and the record of a game of Mushroom Rings."""

from enum import IntEnum
from typing import Any

import numpy as np

from envs.engine import record_dtype

EDGES = 6
SEGMENTS = 3  # most path segments of a tile
ORIENTATIONS = 12  # side * 6 + rotation
OFFER = 8
TILES_PER_TURN = 2  # tiles from the offer that a player lays
STORAGE = 2
NUM_COLORS = 5
NUM_KINDS = 8  # kinds of flower, and of wildflower tile
NUM_SIGNPOSTS = 7
NUM_SLOTS = 12
NUM_SIZES = 6  # numbers of mushrooms that sell at once
NUM_MARKERS = 8
NUM_GNOMES = 2
MAX_PICKS = 9  # no bonus lets pick more mushrooms again
LARGEST_RING = 7  # the last column of the player board takes rings of this size and more
MOST = 30_000  # mushrooms of a colour, treasure and rounds of a position that is read; no game comes near
STUMP = 0  # id of its tile; garden tiles follow, then the wildflowers

PLANES = 16  # numbers of a cell in an observation
# What a tile looks like in an observation: the segment at each edge, the mushrooms of each segment, wildflower or not.
TILE_FEATURES = EDGES + SEGMENTS * NUM_COLORS + 1

NONE = -1  # no tile, cell, part, ring, gnome, slot, colour or place
FIRST_OPEN = -2  # in `place`: the first open cell; the next one is -3, and so on
NOT_JOINED = -2  # in `edge_ring`: a path edge of the tile being laid that has not met its neighbour yet


class Phase(IntEnum):
    """What the player to act decides."""

    PLACE = 0
    TAKE = 1
    CELL = 2
    WHERE = 3
    ORIENTATION = 4
    LEAVE = 5
    SLOT = 6
    SIGNPOST = 7
    DISCARD = 8
    MUSHROOM = 9
    GNOME = 10
    DESTINATION = 11
    EDGE = 12
    SALE = 13
    TRADE = 14
    OVER = 15


# Compiled code takes plain numbers faster than enum members.
PLACE, TAKE, CELL, WHERE, ORIENTATION, LEAVE, SLOT, SIGNPOST = (int(phase) for phase in list(Phase)[:8])
DISCARD, MUSHROOM, GNOME, DESTINATION, EDGE, SALE, TRADE, OVER = (int(phase) for phase in list(Phase)[8:])
NOTHING = -1  # nothing is asked: the turn goes on by itself

# Choices of a phase, in the order of their action ids. The blocks after the cells begin after the last cell.
STORED_CHOICE = OFFER
STOP_CHOICE = STORED_CHOICE + STORAGE
CELL_ACTION = STOP_CHOICE + 1
GIVE, REFUSE = 0, 1
STAY_CHOICE = NUM_GNOMES
ENOUGH_CHOICE = NUM_COLORS * NUM_SIZES
TRADES = 2
NO_TRADE_CHOICE = TRADES
TO_PATH, TO_RING, TO_FLOWER_MARKET, TO_SIGNPOST = range(4)
TO_STUMP = TO_SIGNPOST + NUM_SIGNPOSTS
_BLOCKS = {
    ORIENTATION: ORIENTATIONS,
    LEAVE: 2,
    SLOT: NUM_SLOTS,
    SIGNPOST: NUM_SIGNPOSTS,
    DISCARD: STORAGE + 1,
    MUSHROOM: NUM_COLORS,
    GNOME: NUM_GNOMES + 1,
    DESTINATION: TO_STUMP + 1,
    EDGE: EDGES,
    SALE: NUM_COLORS * NUM_SIZES + 1,
    TRADE: TRADES + 1,
}
AFTER_CELLS = np.zeros(len(Phase), np.int64)
"""By phase: where its block begins, counted from the end of the block of cells."""
for _phase in _BLOCKS:
    AFTER_CELLS[_phase] = sum(size for earlier, size in _BLOCKS.items() if earlier < _phase)
OTHER_ACTIONS = CELL_ACTION + sum(_BLOCKS.values())  # all but the cells


class TurnStep(IntEnum):
    """Which part of a turn is going on."""

    OWED = 0  # rings that others closed for the player are scored
    PLACING = 1
    RINGS = 2  # the rings closed this turn are scored
    GNOMES = 3


OWED, PLACING, RINGS, GNOMES = (int(step) for step in TurnStep)


class RingStep(IntEnum):
    """What the scoring of a ring comes to next."""

    NOTHING = 0  # no ring is being scored
    BONUS = 1
    WILDFLOWER = 2
    DONE = 3


NO_RING, BONUS, WILDFLOWER, RING_DONE = (int(step) for step in RingStep)


class Place(IntEnum):
    """Where a gnome is."""

    HAND = 0
    PATH = 1
    RING = 2
    FLOWER_MARKET = 3
    STUMP = 4


IN_HAND, AT_PATH, AT_RING, AT_FLOWER_MARKET, AT_STUMP = (int(place) for place in Place)

NO_BONUS, SIGNPOST_BONUS, TILE_BONUS, FLOWER_BONUS, MUSHROOM_BONUS = range(5)
TILE_GIFT, FLOWER_GIFT = NUM_COLORS, NUM_COLORS + 1  # after the colours, in what a signpost gives
POINT = NUM_COLORS  # after the colours, in what a trade brings


def num_cells(table_radius: int) -> int:
    """Cells of a table."""
    return 1 + 3 * table_radius * (table_radius + 1)


def max_open_cells(num_tiles: int) -> int:
    """The most empty cells beside this many tiles: each tile covers one of them and opens three at most."""
    return 6 + 2 * (num_tiles - 1)


def state_dtype(
    num_players: int, table_radius: int, num_tiles: int, num_garden_tiles: int, num_types: int, num_rings: int
) -> np.dtype:
    """The record of a game.

    Args:
        num_players: Seats.
        table_radius: Size of the table.
        num_tiles: Most tiles in the garden: the stump, the garden tiles and the wildflowers.
        num_garden_tiles: Tiles in the pile at the start.
        num_types: Different pictures among them.
        num_rings: No game has more rings.

    Truths in arrays are 0 or 1. Single numbers are int64, so that a function that takes one is compiled once and not for every
    width. Fields over 64 bytes hold the garden: where each tile lies, which path each part of it belongs to, and what may be
    laid where. A *part* is a segment or a hub: part 3 * i + s is segment s of the tile laid as number i, a hub is its
    tile's segment 0.
    """
    seats, gnomes = (num_players,), (num_players * NUM_GNOMES,)
    open_cells = max_open_cells(num_tiles)
    parts = (num_tiles * SEGMENTS,)
    fields: list[tuple[Any, ...]] = [
        ("phase", np.int64),  # a Phase, or NOTHING within a step
        ("turn_step", np.int64),  # a TurnStep
        ("ring_step", np.int64),  # a RingStep
        ("turn_player", np.int64),
        ("first_player", np.int64),
        ("round", np.int64),
        ("ending", np.bool_),
        ("last_moves", np.bool_),
        ("laid", np.int64),  # offered tiles laid this turn
        ("refused", np.bool_),
        ("hand_slot", np.int64),  # where the tile in hand comes from: a slot of the offer, then of the storage
        ("hand_tile", np.int64),
        ("hand_orientation", np.int64),
        ("hand_ring", np.int64),  # the ring being scored
        ("hand_gnome", np.int64),
        ("hand_place", np.int64),  # the destination chosen for it
        ("hand_sold", np.int64),  # the colour of the first sale
        ("hand_cell", np.int64),
        ("num_picked", np.int64),
        ("picked", np.int8, (MAX_PICKS,)),  # colours of the ring's mushrooms picked again so far
        ("options", np.int64),  # bit n: choice n of the phase in hand is legal (not kept for cells)
        ("top", np.int64),  # tiles drawn from the pile
        ("pile", np.int8, (num_garden_tiles,)),  # over 64 bytes: the bag and then the tiles set aside; 0 where drawn
        ("unseen", np.int8, (num_types,)),  # over 64 bytes, to be observed in one sweep: tiles of each type in the pile
        ("offer", np.int8, (OFFER,)),
        ("num_laid", np.int64),  # tiles in the garden
        ("tile", np.int8, (num_tiles,)),  # by laying order
        ("orientation", np.int8, (num_tiles,)),
        ("cell", np.int16, (num_tiles,)),
        ("edge_ring", np.int8, (num_tiles, EDGES)),  # the ring that used an edge up; NONE: in play, or green
        ("path", np.int16, parts),  # first part of the path that a part belongs to; NONE when finished
        ("gnome_of", np.int8, parts),  # the gnome that claims the part's path
        ("look", np.int64, (num_tiles,)),  # what it shows (see garden/tile_codes.py)
        ("num_open", np.int64),  # cells a tile may be laid on: empty and beside a tile
        ("place", np.int16, (num_cells(table_radius),)),  # tile on a cell by laying order; FIRST_OPEN - i: open cell i; NONE
        ("open_cell", np.int16, (open_cells,)),
        ("open_code", np.int16, (open_cells,)),  # digit e in base 3: edge e may be anything, must be path, must be green
        ("open_ends", np.int8, (open_cells,)),  # bit e: a path ends at edge e
        ("open_claims", np.int8, (open_cells,)),  # bit e: a claimed path ends at edge e
        ("open_meets", np.int8, (open_cells,)),  # bit e: the path that ends at edge e ends at another edge of the cell too
        ("num_rings", np.int64),
        ("ring_size", np.int8, (num_rings,)),
        ("ring_tile", np.int8, (num_rings,)),  # a ring's name: its first laid tile
        ("ring_edge", np.int8, (num_rings,)),  # and the lowest edge of that tile that belongs to it
        ("ring_owner", np.int8, (num_rings,)),
        ("ring_waiting", np.int8, (num_rings,)),  # its mushrooms wait in it
        ("ring_owed", np.int8, (num_rings,)),
        ("ring_closed", np.int8, (num_rings,)),  # still to score this turn
        ("ring_signpost", np.int8, (num_rings,)),
        ("ring_mushrooms", np.int8, (num_rings, NUM_COLORS)),
        ("signpost_ring", np.int8, (NUM_SIGNPOSTS,)),
        ("flower_market", np.int8, (NUM_KINDS,)),
        ("wildflowers", np.int8, (NUM_KINDS,)),  # flowers on each wildflower tile, NONE when it has left
        ("blocked", np.int8, (NUM_COLORS,)),  # bit n: the space for the n-th number of mushrooms
        ("blockers", np.int8, (NUM_COLORS,)),
        ("mushrooms", np.int16, (num_players, NUM_COLORS)),
        ("flowers", np.int16, seats),  # bit k: has a flower of kind k
        ("num_flowers", np.int8, seats),
        ("num_markers", np.int8, seats),
        ("markers", np.int8, (num_players, NUM_MARKERS)),  # slots in the order of the markers
        ("slots", np.int16, seats),  # bit s: slot s is taken
        ("storage", np.int8, (num_players, STORAGE + 1)),
        ("storage_size", np.int8, seats),
        ("treasure", np.int16, seats),
        ("gnome_at", np.int8, gnomes),  # a Place; gnome g of player p is number 2 * p + g
        ("gnome_ring", np.int8, gnomes),
        ("gnome_cell", np.int16, gnomes),  # first laid tile of its path or ring, NONE elsewhere; for observations
    ]
    return record_dtype(fields)


def rules_dtype(num_players: int, table_radius: int, num_tiles: int, num_masks: int) -> np.dtype:
    """The component tables under one choice of options; read only.

    Args:
        num_players: Seats.
        table_radius: Size of the table.
        num_tiles: Tile ids.
        num_masks: Different sets of path edges among the tiles as listed, wildflowers apart.
    """
    cells = num_cells(table_radius)
    return np.dtype(
        [
            ("neighbor", np.int16, (cells, EDGES)),  # NONE off the table
            ("q", np.int8, (cells,)),
            ("r", np.int8, (cells,)),
            ("origin", np.int64),  # the stump's cell
            # By tile id and orientation:
            ("edge_segment", np.int8, (num_tiles, ORIENTATIONS, EDGES)),  # NONE at a green edge, 0 at a hub's
            ("segment_edges", np.int8, (num_tiles, ORIENTATIONS, SEGMENTS, 2)),
            ("path_edges", np.int8, (num_tiles, ORIENTATIONS)),  # bit e: edge e is path
            # By tile id:
            ("segments", np.int8, (num_tiles,)),  # how many; the hub of a wildflower counts as one
            ("segment_mushrooms", np.int8, (num_tiles, SEGMENTS, NUM_COLORS)),
            ("distinct", np.int16, (num_tiles,)),  # bit n: orientation n is the lowest with its picture
            ("mask", np.int8, (num_tiles,)),  # row of `fits`
            ("type", np.int8, (num_tiles,)),  # garden tiles with the same picture have the same type
            ("fits", np.int16, (num_masks + 1, 3**EDGES)),  # by open code, bit n: orientation n matches
            ("first_wildflower", np.int64),
            ("bag_end", np.int64),  # place in the pile of the first tile set aside
            ("may_ask", np.bool_),  # option permission
            ("slot_column", np.int8, (NUM_SLOTS,)),
            ("slot_bonus", np.int8, (NUM_SLOTS,)),
            ("slot_mushrooms", np.int8, (NUM_SLOTS,)),
            ("slot_spaces", np.int8, (NUM_SLOTS,)),
            ("signpost_gives", np.int8, (NUM_SIGNPOSTS, NUM_COLORS + 2)),  # colours, tiles, flowers
            ("trade_pays", np.int8, (NUM_SIGNPOSTS, TRADES, NUM_COLORS)),
            ("trade_brings", np.int8, (NUM_SIGNPOSTS, TRADES, NUM_COLORS + 1)),  # colours, points
            ("has_trades", np.int8, (NUM_SIGNPOSTS,)),  # 0 or 1; nowhere without the trade board
            ("tokens", np.int8),  # flowers of each kind
            ("kinds_in_market", np.int64),
            ("flower_scores", np.int16, (NUM_KINDS + 1,)),
            ("marker_scores", np.int16, (NUM_MARKERS + 1,)),
            ("is_wildflower_marker", np.int8, (NUM_MARKERS + 1,)),
            ("sizes", np.int8, (NUM_SIZES,)),
            ("is_never_blocked", np.int8, (NUM_SIZES,)),
            ("payouts", np.int16, (NUM_COLORS, NUM_SIZES)),
            ("blockers", np.int8, (NUM_COLORS,)),
            # For observations:
            ("square", np.int16, (cells,)),  # where the numbers of a cell begin in the planes
            ("q_share", np.float32, (cells,)),  # q and r in table radii
            ("r_share", np.float32, (cells,)),
            ("edge_share", np.float32, (num_tiles, ORIENTATIONS, EDGES)),  # (segment + 1) / 3 at each edge, a hub 1, green 0
            ("segment_colors", np.float32, (num_tiles, SEGMENTS, NUM_COLORS)),  # mushrooms / 2
            ("claims", np.float32, (num_players, num_players * NUM_GNOMES + 2)),  # by observer and gnome + 2; no path, no gnome
            # Row 0 is NONE, row 1 the stump and so on: an index that is never negative needs no check.
            ("tile_features", np.float32, (num_tiles + 1, TILE_FEATURES)),
        ],
        align=True,
    )
