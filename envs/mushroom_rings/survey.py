"""What hangs together in a garden: how long each path is, what lies on it and where it ends; and what a tile would join.

A :func:`survey_fields` record holds it, paths by their first part, as in the record of the game.
"""

from typing import Any

import numpy as np

from envs.engine import inline, jit
from envs.mushroom_rings.garden.open_cells import is_open, open_slot
from envs.mushroom_rings.garden.paths import is_wildflower, opposite, part_across
from envs.mushroom_rings.rules.placing import matching_orientations
from envs.mushroom_rings.state import EDGES, NONE, NUM_COLORS, NUM_GNOMES, OFFER, ORIENTATIONS, SEGMENTS, STORAGE


def survey_fields(state_dtype: np.dtype) -> list[tuple[Any, ...]]:
    """The fields of a record with what is seen of a garden; ``unit`` is for the caller to fill."""
    parts, slots = state_dtype["path"].shape, state_dtype["open_cell"].shape
    return [
        ("unit", np.float64, (NUM_COLORS,)),  # worth of a mushroom in hand
        ("segment", np.float64, (SEGMENTS,)),  # worth of the mushrooms on each segment of the tile thought of
        ("end_path", np.int16, (*slots, EDGES)),  # by open cell: the path that ends at an edge, or NONE
        ("end_cell", np.int16, (*parts, 2)),  # by path: the open cells its first two ends face
        ("end_edge", np.int8, (*parts, 2)),  # and the edges of those cells
        ("ends", np.int8, parts),  # how many ends it has
        ("tiles", np.int16, parts),  # different tiles of a path
        ("hubs", np.int8, parts),  # wildflowers among them
        ("mushrooms", np.float64, parts),  # worth of its mushrooms
    ]


@jit
def follow_paths(state, rules, sight):
    """Counts each path's tiles and mushrooms; what is no path's name counts none."""
    for part in range(SEGMENTS * state["num_laid"]):
        sight["tiles"][part] = 0
        sight["hubs"][part] = 0
        sight["ends"][part] = 0
        sight["mushrooms"][part] = 0.0
    for index in range(state["num_laid"]):
        tile, before, second = np.int64(state["tile"][index]), np.int64(NONE), np.int64(NONE)
        for s in range(rules["segments"][tile]):
            path = np.int64(state["path"][SEGMENTS * index + s])
            if path == NONE:
                continue
            if path not in (before, second):
                sight["tiles"][path] += 1
            before, second = path, before
            sight["hubs"][path] += is_wildflower(rules, tile)
            for color in range(NUM_COLORS):
                sight["mushrooms"][path] += np.int64(rules["segment_mushrooms"][tile, s, color]) * sight["unit"][color]


@jit
def find_ends(state, rules, sight):
    """Notes which path ends at each edge of the open cells."""
    for slot in range(state["num_open"]):
        cell, bits = np.int64(state["open_cell"][slot]), np.int64(state["open_ends"][slot])
        for edge in range(EDGES):
            sight["end_path"][slot, edge] = NONE
            part = part_across(state, rules, cell, edge) if bits >> edge & 1 else NONE
            if part != NONE:
                path = np.int64(state["path"][part])
                sight["end_path"][slot, edge] = path
                number = np.int64(sight["ends"][path])
                if number < 2:
                    sight["end_cell"][path, number] = cell
                    sight["end_edge"][path, number] = edge
                sight["ends"][path] = number + 1


@jit
def weigh_segments(rules, sight, tile):
    """Writes the worth of the mushrooms on each segment of a tile."""
    for s in range(SEGMENTS):
        worth = 0.0
        for color in range(NUM_COLORS):
            worth += np.int64(rules["segment_mushrooms"][tile, s, color]) * sight["unit"][color]
        sight["segment"][s] = worth


@inline
def steps_between(rules, cell, other):
    """How many steps two cells are apart."""
    q = np.int64(rules["q"][cell]) - np.int64(rules["q"][other])
    r = np.int64(rules["r"][cell]) - np.int64(rules["r"][other])
    return (abs(q) + abs(r) + abs(q + r)) // 2


@jit
def count_closers(state, rules, player, code, edges, without):
    """Tiles on offer or in the own storage that fit an open code and join its two edges (bits); ``without`` a slot of these."""
    count = 0
    for slot in range(OFFER + STORAGE):
        if slot != without:
            tile = np.int64(state["offer"][slot]) if slot < OFFER else np.int64(state["storage"][player, slot - OFFER])
            if tile != NONE:
                count += _closes(rules, tile, code, edges)
    return count


@jit
def _closes(rules, tile, code, edges):
    """Whether a tile fits an open code in an orientation in which a segment joins two edges (bits)."""
    if is_wildflower(rules, tile):
        return True
    matching = matching_orientations(rules, tile, code)
    for orientation in range(ORIENTATIONS):
        if matching >> orientation & 1:
            for s in range(rules["segments"][tile]):
                ends = rules["segment_edges"][tile, orientation, s]
                if 1 << np.int64(ends[0]) | 1 << np.int64(ends[1]) == edges:
                    return True
    return False


@inline
def owner_of(state, path):
    """The player whose gnome claims a path, or NONE."""
    gnome = np.int64(state["gnome_of"][path])
    return gnome // NUM_GNOMES if gnome != NONE else NONE


@jit
def far_end(state, rules, sight, slot, edge, path):
    """The cell and its edge that a path with a new segment faces, on the side of one of the segment's edges; NONE if none."""
    here = np.int64(state["open_cell"][slot])
    if path == NONE:
        cell = np.int64(rules["neighbor"][here, edge])
        return (cell, opposite(edge)) if cell >= 0 and state["place"][cell] < 0 else (NONE, NONE)
    if sight["ends"][path] < 2:
        return NONE, NONE
    end = 1 if sight["end_cell"][path, 0] == here else 0
    return np.int64(sight["end_cell"][path, end]), np.int64(sight["end_edge"][path, end])


@jit
def code_after(state, rules, slot, edges, cell):
    """The open code of a cell after a tile with these path edges (bits) lies on an open cell."""
    place, here = np.int64(state["place"][cell]), np.int64(state["open_cell"][slot])
    code = np.int64(state["open_code"][open_slot(place)]) if is_open(place) else 0
    if steps_between(rules, here, cell) == 1:
        digit = 1
        for edge in range(EDGES):
            if rules["neighbor"][cell, edge] == here:
                code += digit if edges >> opposite(edge) & 1 else 2 * digit
            digit *= 3
    return code
