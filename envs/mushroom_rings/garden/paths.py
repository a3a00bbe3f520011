"""Parts of the garden and how they hang together (rule text: The garden).

A part is a segment or a hub. Parts in play are joined where their edges meet, and a join that closes a loop takes the loop
out of play at once, so what is joined never holds a loop: between two parts there is one way at most.
"""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.state import EDGES, NONE, SEGMENTS


@inline
def opposite(edge):
    """The edge of the neighbour that an edge faces."""
    return edge + 3 if edge < 3 else edge - 3


@inline
def is_wildflower(rules, tile):
    """Whether a tile is a wildflower: its path is a hub."""
    return tile >= rules["first_wildflower"]


@inline
def num_parts(state):
    """Part numbers in use."""
    return SEGMENTS * state["num_laid"]


@inline
def part_at(state, rules, index, edge):
    """The part in play at an edge of the tile laid as number ``index``; NONE at an edge that is green or used up."""
    segment = np.int64(rules["edge_segment"][state["tile"][index], state["orientation"][index], edge])
    if segment < 0 or state["edge_ring"][index, edge] != NONE:
        return NONE
    return SEGMENTS * index + segment


@inline
def part_across(state, rules, cell, edge):
    """The part in play that ends at the far side of a cell's edge, or NONE."""
    beside = np.int64(rules["neighbor"][cell, edge])
    if beside < 0:
        return NONE
    index = np.int64(state["place"][beside])
    return NONE if index < 0 else part_at(state, rules, index, opposite(edge))


@inline
def joined_part(state, rules, part, edge):
    """The part that an edge in play of a part is joined to, or NONE."""
    return part_across(state, rules, np.int64(state["cell"][part // SEGMENTS]), edge)


@jit
def path_across(state, rules, cell, edge):
    """The path that ends at the far side of a cell's edge, or NONE."""
    part = part_across(state, rules, cell, edge)
    return np.int64(state["path"][part]) if part != NONE else NONE


@inline
def onward_edge(state, rules, part, entered):
    """By which edge a walk leaves a part: a segment's other edge, the next edge in play of a hub."""
    index, segment = part // SEGMENTS, part % SEGMENTS
    tile = state["tile"][index]
    if not is_wildflower(rules, tile):
        edges = rules["segment_edges"][tile, state["orientation"][index], segment]
        return np.int64(edges[0]) + np.int64(edges[1]) - entered
    edge = entered
    while True:
        edge = edge + 1 if edge < EDGES - 1 else 0
        if state["edge_ring"][index, edge] == NONE:
            return edge


@inline
def lowest_edge(state, rules, index, path):
    """The lowest edge of a laid tile that belongs to a path, NONE if none does."""
    for edge in range(EDGES):
        part = part_at(state, rules, index, edge)
        if part != NONE and state["path"][part] == path:
            return edge
    return NONE


@inline
def rename_path(state, path, name):
    """Gives all parts of a path another name: it is named by its first part."""
    for part in range(num_parts(state)):
        if state["path"][part] == path:
            state["path"][part] = name
