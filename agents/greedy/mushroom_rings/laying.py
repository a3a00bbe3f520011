"""What the rule-based player of Mushroom Rings expects of laying a tile: the rings it closes, and how it changes paths."""

import numpy as np

from agents.greedy.mushroom_rings.appraisal import promise, ring_size, to_player
from envs import engine
from envs.mushroom_rings.garden.laying import lay
from envs.mushroom_rings.garden.paths import is_wildflower
from envs.mushroom_rings.rules.placing import orientations
from envs.mushroom_rings.state import EDGES, NONE, NUM_COLORS, OFFER, ORIENTATIONS, SEGMENTS
from envs.mushroom_rings.survey import code_after, count_closers, far_end, owner_of, weigh_segments

NOTHING = -1e9  # worth of having nothing to choose


@engine.jit
def best_placement(state, rules, weights, sight, scratch, tile, source, only_slot):
    """The best way to lay a tile.

    Args:
        state: The game.
        rules: The component tables.
        weights: What the player uses.
        sight: What the player sees.
        scratch: ``(1,)`` record to try out in.
        tile: Its id.
        source: Where it is from: a slot of the offer, then of the storage; NONE if from elsewhere.
        only_slot: The open cell it must lie on, NONE for any.

    Returns:
        Worth, cell and orientation; the worth is ``NOTHING`` if it can lie nowhere. Of equal ones the first open cell.
    """
    weigh_segments(rules, sight, tile)
    best, cell, chosen = NOTHING, np.int64(NONE), NONE
    for slot in range(state["num_open"]):
        if only_slot != NONE and slot != only_slot:
            continue
        lawful = orientations(state, rules, tile, slot)
        for orientation in range(ORIENTATIONS):
            if lawful >> orientation & 1:
                worth = _placement(state, rules, weights, sight, scratch, tile, source, slot, orientation)
                if worth > best:
                    best, cell, chosen = worth, np.int64(state["open_cell"][slot]), orientation
    return best, cell, chosen


@engine.jit
def _placement(state, rules, weights, sight, scratch, tile, source, slot, orientation):
    """Worth of laying a tile on an open cell in an orientation."""
    edges = np.int64(rules["path_edges"][tile, orientation])
    cost = _cost_of_leave(state, rules, weights, sight, tile, slot, edges)
    if is_wildflower(rules, tile):
        if state["open_meets"][slot] == 0:
            return -weights.wild
        return _tried(state, rules, weights, sight, scratch, tile, slot, orientation) - weights.wild * min(1.0, sight["turns"])
    if source >= OFFER:
        cost += weights.tile * min(1.0, sight["turns"])
    worth = 0.0
    for s in range(rules["segments"][tile]):
        ends = rules["segment_edges"][tile, orientation, s]
        path, other = np.int64(sight["end_path"][slot, ends[0]]), np.int64(sight["end_path"][slot, ends[1]])
        if path == other and path != NONE and sight["hubs"][path] == 0:
            worth += _closing(state, weights, sight, path, s)
        elif np.int64(state["open_meets"][slot]) & edges:
            return _tried(state, rules, weights, sight, scratch, tile, slot, orientation) - cost
        else:
            worth += _lengthening(state, rules, weights, sight, source, slot, edges, s, np.int64(ends[0]), np.int64(ends[1]))
    return worth - cost


@engine.jit
def _cost_of_leave(state, rules, weights, sight, tile, slot, edges):
    """What counts against a placement that needs another's leave."""
    if np.int64(state["open_claims"][slot]) & edges == 0 or is_wildflower(rules, tile):
        return 0.0
    for edge in range(EDGES):
        path = np.int64(sight["end_path"][slot, edge])
        if edges >> edge & 1 and path != NONE:
            owner = owner_of(state, path)
            if owner not in (NONE, sight["player"]):
                return weights.leave
    return 0.0


# --- rings --------------------------------------------------------------------------------------------------------------


@engine.jit
def _closing(state, weights, sight, path, segment):
    """A segment closes a whole path into a ring; the path's promise is gone."""
    owner = owner_of(state, path)
    mushrooms = sight["mushrooms"][path] + sight["segment"][segment]
    gone = to_player(weights, sight["player"], owner) * sight["promise"][path]
    return ring_worth(weights, sight, owner, np.int64(sight["tiles"][path]) + 1, mushrooms) - gone


@engine.jit
def ring_worth(weights, sight, owner, size, mushrooms):
    """What a ring is worth to the player: its own, another's, or one whose mushrooms wait for a gnome."""
    marker = sight["marker"][ring_size(size)]
    if owner == NONE:
        return marker + weights.waiting * mushrooms
    if owner == sight["player"]:
        return marker + mushrooms
    return -weights.rival * (marker + mushrooms)


@engine.jit
def _tried(state, rules, weights, sight, scratch, tile, slot, orientation):
    """Lays the tile by the rules, for what is not simply a path's two ends: the rings closed, less what promised before."""
    trial = scratch[0]
    scratch[0] = state
    trial["hand_tile"] = tile
    trial["hand_cell"] = state["open_cell"][slot]
    trial["hand_orientation"] = orientation
    lay(trial, rules)
    worth = rings_since(trial, weights, sight, state["num_rings"])
    edges = np.int64(rules["path_edges"][tile, orientation])
    for edge in range(EDGES):
        path = np.int64(sight["end_path"][slot, edge])
        if edges >> edge & 1 and path != NONE and not _seen_before(sight, slot, edges, edge):
            worth -= to_player(weights, sight["player"], owner_of(state, path)) * sight["promise"][path]
    return worth


@engine.inline
def _seen_before(sight, slot, edges, edge):
    """Whether a lower path edge touches the same path."""
    seen = False
    for lower in range(edge):
        seen |= edges >> lower & 1 and sight["end_path"][slot, lower] == sight["end_path"][slot, edge]
    return seen


@engine.jit
def rings_since(state, weights, sight, ring):
    """What the rings from a number on are worth to the player."""
    worth = 0.0
    for number in range(ring, state["num_rings"]):
        owner, size = np.int64(state["ring_owner"][number]), np.int64(state["ring_size"][number])
        worth += ring_worth(weights, sight, owner, size, mushrooms_in(state, sight, number))
    return worth


@engine.jit
def mushrooms_in(state, sight, ring):
    """Worth of the mushrooms of a ring."""
    worth = 0.0
    for color in range(NUM_COLORS):
        worth += np.int64(state["ring_mushrooms"][ring, color]) * sight["unit"][color]
    return worth


# --- paths --------------------------------------------------------------------------------------------------------------


@engine.jit
def _lengthening(state, rules, weights, sight, source, slot, edges, segment, edge, other_edge):
    """How much more is promised after a segment is laid that lengthens a path, joins two or begins one."""
    path, other = np.int64(sight["end_path"][slot, edge]), np.int64(sight["end_path"][slot, other_edge])
    player, owner, tiles, mushrooms, before = sight["player"], NONE, np.int64(1), sight["segment"][segment], 0.0
    for joined in (path, other):
        if joined != NONE:
            holder = owner_of(state, joined)
            owner = max(owner, holder)  # the ban sees to it that one of two joined paths at most is claimed
            tiles += np.int64(sight["tiles"][joined])
            mushrooms += sight["mushrooms"][joined]
            before += to_player(weights, player, holder) * sight["promise"][joined]
    cell, facing = far_end(state, rules, sight, slot, edge, path)
    other_cell, other_facing = far_end(state, rules, sight, slot, other_edge, other)
    closers = 0
    if cell == other_cell and cell != NONE:
        code = code_after(state, rules, slot, edges, cell)
        closers = count_closers(state, rules, player, code, 1 << facing | 1 << other_facing, source)
    after = promise(rules, weights, sight, tiles, mushrooms, cell, other_cell, closers)
    return to_player(weights, player, owner) * after - before


# --- leave --------------------------------------------------------------------------------------------------------------


@engine.jit
def own_promises(state, weights, sight):
    """What all own paths promise."""
    worth = 0.0
    for path in range(SEGMENTS * state["num_laid"]):
        if sight["tiles"][path] > 0 and owner_of(state, path) == sight["player"]:
            worth += sight["promise"][path]
    return worth


assert np.iinfo(np.int16).max >= 3**EDGES
