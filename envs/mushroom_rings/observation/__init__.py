"""What one seat may know of a game of Mushroom Rings, as one flat vector.

Egocentric: of every list of players the observer comes first, then the others in turn order. :func:`sections` is the slice
table, :func:`observe` writes the sections in the same order.
"""

import numpy as np

from envs.engine import inline, jit, merged
from envs.engine.one_hot import ONE, ZERO, write_one_hot
from envs.engine.seats import distance, seat_after
from envs.game import Section
from envs.mushroom_rings.garden.open_cells import is_open, open_slot
from envs.mushroom_rings.garden.paths import part_across
from envs.mushroom_rings.observation.planes import planes_end, rewrite_planes, write_planes
from envs.mushroom_rings.rules.turns import num_seats
from envs.mushroom_rings.state import (
    EDGES,
    LARGEST_RING,
    NONE,
    NUM_COLORS,
    NUM_GNOMES,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SIGNPOSTS,
    NUM_SIZES,
    NUM_SLOTS,
    OFFER,
    ORIENTATIONS,
    OVER,
    OWED,
    PLANES,
    SEGMENTS,
    STORAGE,
    STUMP,
    TILE_FEATURES,
    TILES_PER_TURN,
    TO_STUMP,
)

HIGH = 16.0  # no number of an observation is larger
LOW = -1.0  # none is smaller

CLOCK = 7
RINGS = 8  # rings listed
RING = 4 + NUM_COLORS  # numbers of a listed ring, its owner apart
SIGNPOST = 4
GNOME_PLACES = 5
GNOME = GNOME_PLACES + 2
STORED = NUM_COLORS + NUM_KINDS + NUM_SLOTS + 4  # where the stored tiles of a player begin
PLAYER = STORED + (STORAGE + 1) * TILE_FEATURES + NUM_GNOMES * GNOME
AROUND = 5

_ROUND, _BAG = np.float32(1 / 20), np.float32(1 / 80)
_TENTH, _EIGHTH = np.float32(1 / 10), np.float32(1 / 8)
_TREASURE, _POINTS, _TURN_TILES = np.float32(1 / 50), np.float32(1 / 100), np.float32(1 / TILES_PER_TURN)
_SEVENTH, _QUARTER, _FIFTH = np.float32(1 / LARGEST_RING), np.float32(1 / 4), np.float32(1 / 5)


def sections(num_players: int, table_radius: int, num_types: int) -> list[Section]:
    """The slice table of the observation.

    Args:
        num_players: Seats.
        table_radius: Size of the table.
        num_types: Different pictures among the garden tiles.
    """
    side = 2 * table_radius + 1
    tile = f"segment at each edge / {SEGMENTS}, mushrooms of 3 segments by colour / 2, wildflower"
    garden = (
        "planes over [r + radius, q + radius], the plane last: 0 laid (newest 1, down to 1/2); 1-6 edge e: segment / 3 (hub 1; "
        "negative: used up by a ring), on an empty cell 1 where a path meets itself; 7-9 segment s: whose path (own 1, nobody's "
        "1/4, others' -1/(P-1) to -1; on an empty cell 7: the path that meets itself); 10-14 mushrooms in play by colour / 2; "
        "15 the cell chosen"
    )
    player = (
        "mushrooms / 10, flowers, slots taken, number of flowers / 8, markers / 8, treasure / 50, points / 100, "
        f"3 stored tiles ({tile}), 2 gnomes (hand, path, ring, flower market, stump; q and r / radius of its first tile)"
    )
    ring = f"first {RINGS} rings with something to take: waiting, owed, q and r / radius, mushrooms / 5, owner"
    return [
        Section("garden", (side, side, PLANES), garden),
        Section("phase", (OVER,), "one-hot, in the order of state.Phase; zeros when the game is over"),
        Section("clock", (CLOCK,), "round / 20, bag / 80, laid / 2, refused, ending, last moves, owed rings first"),
        Section("turn_player", (num_players,), "one-hot"),
        Section("current_player", (num_players,), "one-hot: who decides; zeros when the game is over"),
        Section("first_player", (num_players,), "one-hot"),
        Section("hand_tile", (TILE_FEATURES,), f"the tile chosen, as it would lie: {tile}"),
        Section("hand_orientation", (ORIENTATIONS,), "one-hot: the orientation chosen"),
        Section("around", (EDGES, AROUND), "edges of the empty cell chosen: path, green needed; path there, whose, meets itself"),
        Section("hand_gnome", (NUM_GNOMES,), "one-hot: the gnome chosen"),
        Section("hand_place", (TO_STUMP + 1,), "one-hot: the destination chosen, in the order of the action ids"),
        Section("hand_sold", (NUM_COLORS,), "one-hot: the colour of the first sale"),
        Section("hand_ring", (2 + 2 * NUM_COLORS,), "ring being scored: there is one, size / 7, mushrooms / 5, picked again / 5"),
        Section("offer", (OFFER, TILE_FEATURES), tile),
        Section("signposts", (NUM_SIGNPOSTS, SIGNPOST), "is out, own gnome there, q and r / radius of its ring's first tile"),
        Section("rings", (RINGS, RING + num_players), ring),
        Section("flower_market", (NUM_KINDS,), "flowers of each kind / players"),
        Section("wildflowers", (NUM_KINDS,), "1: the kind's wildflower tile has not left"),
        Section("blocked", (NUM_COLORS, NUM_SIZES), "1: a blocker lies on the space"),
        Section("blockers", (NUM_COLORS,), "blockers left / 5"),
        Section("players", (num_players, PLAYER), player),
        Section("unseen", (num_types,), "garden tiles not seen yet by type / 4"),
    ]  # fmt: skip


@jit
def observe(state, rules, seat, out):
    """Writes the view of a seat, every section in the order of :func:`sections`."""
    write_planes(state, rules, seat, out)
    _write_rest(state, rules, seat, out)


@merged
def observe_again(state, rules, seat, out, trace):
    """The same where ``out`` is what was written with this trace before: of the planes, writes only what has changed."""
    rewrite_planes(state, rules, seat, out, trace)
    _write_rest(state, rules, seat, out)


@jit
def _write_rest(state, rules, seat, out):
    k = _write_clock(state, rules, seat, out, planes_end(state))
    k = _write_hand(state, rules, seat, out, k)
    k = _write_offer(state, rules, out, k)
    k = _write_signposts(state, rules, seat, out, k)
    k = _write_rings(state, rules, seat, out, k)
    k = _write_markets(state, out, k)
    k = _write_players(state, rules, seat, out, k)
    _write_unseen(state, out, k)


@inline
def _clip(number):
    return min(np.float32(number), np.float32(HIGH))


@inline
def _flag(condition):
    return ONE if condition else ZERO


# --- The course of the game and what is in hand -------------------------------------------------------------------------


@merged
def _write_clock(state, rules, seat, out, k):
    players, current = num_seats(state), np.int64(state["current_player"])
    k = write_one_hot(out, k, OVER, state["phase"])
    out[k] = min(np.float32(state["round"]) * _ROUND, np.float32(HIGH))
    out[k + 1] = np.float32(max(rules["bag_end"] - state["top"], 0)) * _BAG
    out[k + 2] = np.float32(state["laid"]) * _TURN_TILES
    out[k + 3] = _flag(state["refused"])
    out[k + 4] = _flag(state["ending"])
    out[k + 5] = _flag(state["last_moves"])
    out[k + 6] = _flag(state["turn_step"] == OWED)
    k = write_one_hot(out, k + CLOCK, players, distance(players, seat, state["turn_player"]))
    k = write_one_hot(out, k, players, distance(players, seat, current) if current >= 0 else NONE)
    return write_one_hot(out, k, players, distance(players, seat, state["first_player"]))


@jit
def _write_hand(state, rules, seat, out, k):
    tile, orientation, ring = state["hand_tile"], state["hand_orientation"], state["hand_ring"]
    k = _write_tile_features(rules, tile, out, k)
    if orientation != NONE:
        for edge in range(EDGES):
            out[k - TILE_FEATURES + edge] = rules["edge_share"][tile, orientation, edge]
    k = write_one_hot(out, k, ORIENTATIONS, orientation)
    k = _write_around(state, rules, seat, out, k)
    k = write_one_hot(out, k, NUM_GNOMES, state["hand_gnome"])
    k = write_one_hot(out, k, TO_STUMP + 1, state["hand_place"])
    k = write_one_hot(out, k, NUM_COLORS, state["hand_sold"])
    out[k] = _flag(ring != NONE)
    out[k + 1] = np.float32(state["ring_size"][max(ring, 0)]) * _SEVENTH if ring != NONE else ZERO
    for color in range(NUM_COLORS):
        out[k + 2 + color] = _clip(state["ring_mushrooms"][max(ring, 0), color]) * _FIFTH if ring != NONE else ZERO
        out[k + 2 + NUM_COLORS + color] = ZERO
    for i in range(state["num_picked"]):
        out[k + 2 + NUM_COLORS + np.int64(state["picked"][i])] += _FIFTH
    return k + 2 + 2 * NUM_COLORS


@inline
def _write_tile_features(rules, tile, out, k):
    """Writes the features of a tile as listed, zeros for NONE; returns the place after it."""
    features = rules["tile_features"][np.uint64(tile + 1)]
    for i in range(TILE_FEATURES):
        out[k + i] = features[i]
    return k + TILE_FEATURES


@inline
def _write_around(state, rules, seat, out, k):
    """Writes what lies at the edges of the cell chosen for a tile; zeros if none is chosen."""
    for i in range(EDGES * AROUND):
        out[k + i] = ZERO
    if state["hand_cell"] != NONE and is_open(state["place"][state["hand_cell"]]):
        slot = open_slot(state["place"][state["hand_cell"]])
        code = np.int64(state["open_code"][slot])
        for edge in range(EDGES):
            out[k + AROUND * edge] = _flag(code % 3 == 1)
            out[k + AROUND * edge + 1] = _flag(code % 3 == 2)
            part = part_across(state, rules, state["hand_cell"], edge)
            if part != NONE:
                out[k + AROUND * edge + 2] = ONE
                out[k + AROUND * edge + 3] = rules["claims"][seat, state["gnome_of"][part] + 2]
            out[k + AROUND * edge + 4] = np.float32(state["open_meets"][slot] >> edge & 1)
            code //= 3
    return k + EDGES * AROUND


# --- What lies on the table ---------------------------------------------------------------------------------------------


@merged
def _write_offer(state, rules, out, k):
    for slot in range(OFFER):
        k = _write_tile_features(rules, state["offer"][slot], out, k)
    return k


@merged
def _write_signposts(state, rules, seat, out, k):
    for signpost in range(NUM_SIGNPOSTS):
        ring = np.int64(state["signpost_ring"][signpost])
        for i in range(SIGNPOST):
            out[k + i] = ZERO
        if ring != NONE:
            out[k] = ONE
            for g in range(NUM_GNOMES):
                if state["gnome_ring"][NUM_GNOMES * seat + g] == ring:
                    out[k + 1] = ONE
            _write_coordinates(rules, np.int64(state["cell"][state["ring_tile"][ring]]), out, k + 2)
        k += SIGNPOST
    return k


@inline
def _write_coordinates(rules, cell, out, k):
    """Writes q and r of a cell in table radii; zeros for NONE."""
    out[k] = rules["q_share"][cell] if cell != NONE else ZERO
    out[k + 1] = rules["r_share"][cell] if cell != NONE else ZERO


@jit
def _write_rings(state, rules, seat, out, k):
    length = RING + num_seats(state)
    for i in range(RINGS * length):
        out[k + i] = ZERO
    end = k + RINGS * length
    for ring in range(state["num_rings"]):
        if k < end and (state["ring_waiting"][ring] or state["ring_owed"][ring]):
            out[k] = np.float32(state["ring_waiting"][ring])
            out[k + 1] = np.float32(state["ring_owed"][ring])
            _write_coordinates(rules, np.int64(state["cell"][state["ring_tile"][ring]]), out, k + 2)
            for color in range(NUM_COLORS):
                out[k + 4 + color] = _clip(state["ring_mushrooms"][ring, color]) * _FIFTH
            owner = np.int64(state["ring_owner"][ring])
            if owner != NONE:
                out[k + RING + distance(num_seats(state), seat, owner)] = ONE
            k += length
    return end


@merged
def _write_markets(state, out, k):
    share = ONE / np.float32(num_seats(state))
    for kind in range(NUM_KINDS):
        out[k + kind] = np.float32(state["flower_market"][kind]) * share
        out[k + NUM_KINDS + kind] = _flag(state["wildflowers"][kind] != NONE)
    k += 2 * NUM_KINDS
    for color in range(NUM_COLORS):
        blocked = np.int64(state["blocked"][color])
        for n in range(NUM_SIZES):
            out[k + color * NUM_SIZES + n] = np.float32(blocked >> n & 1)
    k += NUM_COLORS * NUM_SIZES
    for color in range(NUM_COLORS):
        out[k + color] = np.float32(state["blockers"][color]) * _FIFTH
    return k + NUM_COLORS


@merged
def _write_players(state, rules, seat, out, k):
    for steps in range(num_seats(state)):
        k = _write_player(state, rules, seat_after(num_seats(state), seat, steps), out, k)
    return k


@inline
def _write_player(state, rules, p, out, k):
    flowers, slots = np.int64(state["flowers"][p]), np.int64(state["slots"][p])
    for color in range(NUM_COLORS):
        out[k + color] = min(np.float32(state["mushrooms"][p, color]) * _TENTH, np.float32(HIGH))
    k += NUM_COLORS
    for kind in range(NUM_KINDS):
        out[k + kind] = np.float32(flowers >> kind & 1)
    k += NUM_KINDS
    for slot in range(NUM_SLOTS):
        out[k + slot] = np.float32(slots >> slot & 1)
    k += NUM_SLOTS
    k = _write_standing(state, rules, p, out, k)
    for slot in range(STORAGE + 1):
        k = _write_tile_features(rules, state["storage"][p, slot], out, k)
    for g in range(NUM_GNOMES):
        k = write_one_hot(out, k, GNOME_PLACES, np.int64(state["gnome_at"][NUM_GNOMES * p + g]))
        _write_coordinates(rules, np.int64(state["gnome_cell"][NUM_GNOMES * p + g]), out, k)
        k += 2
    return k


@inline
def _write_standing(state, rules, p, out, k):
    flowers, markers = np.int64(state["num_flowers"][p]), np.int64(state["num_markers"][p])
    points = np.int64(rules["flower_scores"][flowers]) + np.int64(rules["marker_scores"][markers]) + state["treasure"][p]
    out[k] = np.float32(flowers) * _EIGHTH
    out[k + 1] = np.float32(markers) * _EIGHTH
    out[k + 2] = min(np.float32(state["treasure"][p]) * _TREASURE, np.float32(HIGH))
    out[k + 3] = min(np.float32(points) * _POINTS, np.float32(HIGH))
    return k + 4


@merged
def _write_unseen(state, out, k):
    for kind in range(len(state["unseen"])):
        out[k + kind] = np.float32(state["unseen"][kind]) * _QUARTER


assert STUMP == 0 and NUM_MARKERS == 8
