"""Closing a ring: a loop is taken out of play, and what hangs on its hubs becomes paths (rule text: The garden)."""

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.garden.paths import is_wildflower, joined_part, num_parts, onward_edge, opposite, rename_path
from envs.mushroom_rings.state import AT_RING, EDGES, NONE, NUM_COLORS, SEGMENTS

LOOP = 32000  # in `path`: the part lies on the loop being closed


@jit
def close_ring(state, rules, part, edge):
    """Takes the loop that leaves ``part`` by ``edge`` out of play and enters it as a ring, with its gnome."""
    ring = state["num_rings"]
    state["num_rings"] += 1
    for color in range(NUM_COLORS):
        state["ring_mushrooms"][ring, color] = 0
    _mark_loop(state, rules, part, edge)
    gnome = _take_loop(state, rules, part, edge, ring)
    _finish_parts(state, rules, ring)
    _name_ring(state, ring)
    _enter_ring(state, ring, gnome)


@jit
def _mark_loop(state, rules, start, edge):
    """Marks the parts of a loop: follows every branch in turn and unmarks it on the way back, until the start is met."""
    path = state["path"][start]
    state["path"][start] = LOOP
    part = start
    while True:
        reached = joined_part(state, rules, part, edge)
        if reached == start:
            return
        if reached != NONE:
            edge = opposite(edge)
            if state["path"][reached] == LOOP:
                state["path"][part] = path
            else:
                state["path"][reached] = LOOP
            part = reached
        edge = onward_edge(state, rules, part, edge)


@jit
def _take_loop(state, rules, start, edge, ring):
    """Uses up the edges of a marked loop and gathers its mushrooms; returns the gnome whose path gave it a part."""
    gnome, part = np.int64(NONE), start
    while True:
        reached = joined_part(state, rules, part, edge)
        entered = opposite(edge)
        state["edge_ring"][part // SEGMENTS, edge] = ring
        state["edge_ring"][reached // SEGMENTS, entered] = ring
        gnome = max(gnome, np.int64(state["gnome_of"][reached]))
        printed = rules["segment_mushrooms"][state["tile"][reached // SEGMENTS], reached % SEGMENTS]
        for color in range(NUM_COLORS):
            state["ring_mushrooms"][ring, color] += printed[color]
        if reached == start:
            return gnome
        part = reached
        edge = _edge_along_loop(state, rules, part, entered)


@inline
def _edge_along_loop(state, rules, part, entered):
    """By which edge a marked loop leaves a part."""
    edge = onward_edge(state, rules, part, entered)
    if is_wildflower(rules, state["tile"][part // SEGMENTS]):
        while True:
            reached = joined_part(state, rules, part, edge)
            if reached != NONE and state["path"][reached] == LOOP:
                break
            edge = onward_edge(state, rules, part, edge)
    return edge


@jit
def _finish_parts(state, rules, ring):
    """The loop's segments are finished; what hangs on its hubs' other edges becomes a path for each hub."""
    for part in range(num_parts(state)):
        if state["path"][part] == LOOP:
            index = part // SEGMENTS
            hub = is_wildflower(rules, state["tile"][index])
            if hub and not _is_used_up(state, index):
                state["path"][part] = part
            else:
                state["path"][part] = NONE
                state["gnome_of"][part] = NONE
    for index in range(state["num_laid"]):
        if is_wildflower(rules, state["tile"][index]) and _edge_in_ring(state, index, ring) != NONE:
            _name_path(state, rules, index)


@inline
def _is_used_up(state, index):
    """Whether rings have used up all edges of a hub."""
    used = 0
    for edge in range(EDGES):
        used += state["edge_ring"][index, edge] >= 0
    return used == EDGES


@jit
def _name_path(state, rules, index):
    """Walks over all that hangs on a hub's edges in play and names it, as one path, by its first part."""
    start = SEGMENTS * index
    first_edge = _lowest_edge_in_play(state, index)
    part, edge, lowest = start, first_edge, start
    while first_edge != NONE:
        state["path"][part] = start
        lowest = min(lowest, part)
        reached = joined_part(state, rules, part, edge)
        if reached != NONE:
            part, edge = reached, opposite(edge)
        edge = onward_edge(state, rules, part, edge)
        if part == start and edge == first_edge:
            break
    rename_path(state, start, lowest)


@inline
def _lowest_edge_in_play(state, index):
    for edge in range(EDGES):
        if state["edge_ring"][index, edge] == NONE:
            return edge
    return NONE


@inline
def _edge_in_ring(state, index, ring):
    """The lowest edge of a laid tile that a ring used up, or NONE."""
    for edge in range(EDGES):
        if state["edge_ring"][index, edge] == ring:
            return edge
    return NONE


@inline
def _name_ring(state, ring):
    """A ring's size counts each tile once; its name is its first laid tile with the lowest edge."""
    size, first, first_edge = 0, NONE, NONE
    for index in range(state["num_laid"]):
        edge = _edge_in_ring(state, index, ring)
        if edge != NONE:
            size += 1
            if first == NONE:
                first, first_edge = index, edge
    state["ring_size"][ring] = size
    state["ring_tile"][ring] = first
    state["ring_edge"][ring] = first_edge


@inline
def _enter_ring(state, ring, gnome):
    """Whose the ring is, and what becomes of its mushrooms (A turn 2); the gnome goes into its first ring."""
    owner = gnome // 2 if gnome != NONE else NONE
    mushrooms = 0
    for color in range(NUM_COLORS):
        mushrooms += state["ring_mushrooms"][ring, color]
    owed = owner != NONE and owner != state["turn_player"]
    state["ring_owner"][ring] = owner
    state["ring_signpost"][ring] = NONE
    state["ring_owed"][ring] = owed
    state["ring_closed"][ring] = not owed
    state["ring_waiting"][ring] = owner == NONE and mushrooms > 0
    if gnome != NONE and state["gnome_at"][gnome] != AT_RING:
        state["gnome_at"][gnome] = AT_RING
        state["gnome_ring"][gnome] = ring
        state["gnome_cell"][gnome] = state["cell"][state["ring_tile"][ring]]
