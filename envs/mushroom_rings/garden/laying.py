"""Laying a tile: it joins its neighbours, and may close rings (rule text: The garden)."""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.garden.claims import gnomes_at, settle_claims
from envs.mushroom_rings.garden.open_cells import cover, find_meetings, find_meetings_beside, open_neighbors
from envs.mushroom_rings.garden.paths import joined_part, rename_path
from envs.mushroom_rings.garden.rings import close_ring
from envs.mushroom_rings.garden.tile_codes import note_look
from envs.mushroom_rings.state import EDGES, NONE, NOT_JOINED, SEGMENTS


@jit
def lay(state, rules):
    """Lays the tile in hand: it covers an open cell, joins its neighbours, and may close rings."""
    index, cell, rings = state["num_laid"], state["hand_cell"], state["num_rings"]
    gnomes = gnomes_at(state, rules, cell, path_edges(state, rules))
    joined = add_tile(state, rules)
    if gnomes:
        settle_claims(state, rules, gnomes)
    closed = state["num_rings"] > rings
    for changed in range(0 if closed else index, index + 1):
        note_look(state, changed)
    if joined or closed:
        find_meetings(state, rules)
    else:
        find_meetings_beside(state, rules, cell)


@jit
def add_tile(state, rules):
    """Adds the tile in hand to cells, paths and rings, and leaves claims, looks and meetings to the caller.

    Returns whether that made one path of two.
    """
    index, cell = state["num_laid"], state["hand_cell"]
    state["num_laid"] += 1
    state["tile"][index] = state["hand_tile"]
    state["orientation"][index] = state["hand_orientation"]
    state["cell"][index] = cell
    cover(state, cell, index)
    open_neighbors(state, rules, cell, index)
    return _join(state, rules, index)


@inline
def path_edges(state, rules):
    """Bits of the path edges of the tile in hand."""
    return np.int64(rules["path_edges"][state["hand_tile"], state["hand_orientation"]])


@jit
def _join(state, rules, index):
    """Joins the new tile's parts to their neighbours: segments in the order of the list, a hub edge by edge.

    Returns whether that made one path of two.
    """
    tile, joined = state["hand_tile"], False
    segment_at = rules["edge_segment"][tile, state["hand_orientation"]]
    for edge in range(EDGES):
        state["edge_ring"][index, edge] = NOT_JOINED if segment_at[edge] >= 0 else NONE
    for s in range(rules["segments"][tile]):
        part = SEGMENTS * index + s
        state["path"][part] = part
        for edge in range(EDGES):
            if segment_at[edge] == s:
                joined |= _join_edge(state, rules, part, edge)
    return joined


@jit
def _join_edge(state, rules, part, edge):
    """Joins an edge of a new part to what lies across; within one path that closes a ring.

    Returns whether that joined two paths that were there before the tile, which names its own by its own parts.
    """
    index = part // SEGMENTS
    state["edge_ring"][index, edge] = NONE
    other = joined_part(state, rules, part, edge)
    if other == NONE:
        return False
    path, other_path = np.int64(state["path"][part]), np.int64(state["path"][other])
    if path == other_path:
        close_ring(state, rules, part, edge)
        return False
    rename_path(state, max(path, other_path), min(path, other_path))
    return max(path, other_path) < SEGMENTS * index
