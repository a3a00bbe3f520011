"""Step 4 of a turn: moving a gnome and using its new place (rule text: A turn 4)."""

import numpy as np

from envs.engine import inline, jit, merged
from envs.mushroom_rings.garden.claims import claim, unclaim
from envs.mushroom_rings.garden.paths import lowest_edge, num_parts, part_at
from envs.mushroom_rings.rules.bonuses import take_mushrooms, use_signpost
from envs.mushroom_rings.rules.market import sales, take_flower, wanted_flower
from envs.mushroom_rings.rules.offer import take_options
from envs.mushroom_rings.state import (
    AT_FLOWER_MARKET,
    AT_PATH,
    AT_RING,
    AT_STUMP,
    CELL_ACTION,
    DESTINATION,
    EDGE,
    EDGES,
    FLOWER_GIFT,
    NONE,
    NOTHING,
    NUM_COLORS,
    NUM_GNOMES,
    NUM_SIGNPOSTS,
    SALE,
    SEGMENTS,
    STAY_CHOICE,
    TAKE,
    TILE_GIFT,
    TO_FLOWER_MARKET,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    TRADE,
    WHERE,
)

# --- Phase gnome --------------------------------------------------------------------------------------------------------


@merged
def gnome_options(state, rules):
    """Gnomes that can go somewhere, two at one place being one choice; or none moves."""
    first = state["turn_player"] * NUM_GNOMES
    options = 1 << STAY_CHOICE
    for g in range(NUM_GNOMES):
        if not (g > 0 and _are_together(state, first, first + g)) and destinations(state, rules, first + g):
            options |= 1 << g
    return options


@inline
def _are_together(state, gnome, other):
    """Whether two gnomes are at one place, or both in hand; no path has two."""
    at = state["gnome_at"][gnome]
    same_ring = at != AT_RING or state["gnome_ring"][gnome] == state["gnome_ring"][other]
    return at == state["gnome_at"][other] and at != AT_PATH and same_ring


@merged
def choose_gnome(state, rules, choice):
    """A gnome is chosen, or none."""
    state["phase"] = NOTHING
    if choice != STAY_CHOICE:
        state["hand_gnome"] = choice
        state["phase"] = DESTINATION


# --- Phase destination --------------------------------------------------------------------------------------------------


@inline
def moving_gnome(state):
    """The number of the gnome chosen."""
    return state["turn_player"] * NUM_GNOMES + state["hand_gnome"]


@merged
def destination_options(state, rules):
    """Where the chosen gnome may go."""
    return destinations(state, rules, moving_gnome(state))


@jit
def destinations(state, rules, gnome):
    """Bits of the kinds of other places where a gnome can do something."""
    at = state["gnome_at"][gnome]
    options = np.int64(_first_free_path(state) != NONE) << TO_PATH
    for ring in range(state["num_rings"]):
        if _may_take(state, ring, gnome):
            options |= 1 << TO_RING
    if at != AT_FLOWER_MARKET and wanted_flower(state) != NONE:
        options |= 1 << TO_FLOWER_MARKET
    for signpost in range(NUM_SIGNPOSTS):
        where = np.int64(state["signpost_ring"][signpost])
        if where != NONE and not _is_in_ring(state, gnome, where) and _has_effect(state, rules, signpost):
            options |= 1 << TO_SIGNPOST + signpost
    if at != AT_STUMP and sales(state, rules):
        options |= 1 << TO_STUMP
    return options


@inline
def _is_free_path(state, part):
    """Whether a part is the first of a path that no gnome claims."""
    return state["path"][part] == part and state["gnome_of"][part] == NONE


@inline
def _first_free_path(state):
    for part in range(num_parts(state)):
        if _is_free_path(state, part):
            return part
    return NONE


@inline
def _is_in_ring(state, gnome, ring):
    return state["gnome_at"][gnome] == AT_RING and state["gnome_ring"][gnome] == ring


@inline
def _may_take(state, ring, gnome):
    """Whether a gnome may come for the mushrooms waiting in a ring."""
    return state["ring_waiting"][ring] and not _is_in_ring(state, gnome, ring)


@inline
def _has_effect(state, rules, signpost):
    """Whether a signpost would give the player anything now."""
    gives = rules["signpost_gives"][signpost]
    for color in range(NUM_COLORS):
        if gives[color] > 0:
            return True
    has_tile = gives[TILE_GIFT] > 0 and take_options(state, rules) != 0
    return has_tile or (gives[FLOWER_GIFT] > 0 and wanted_flower(state) != NONE)


@merged
def choose_destination(state, rules, destination):
    """The kind of place is chosen; of paths and rings, the player says which."""
    state["hand_place"] = destination
    gnome = moving_gnome(state)
    state["phase"] = NOTHING
    if destination in (TO_PATH, TO_RING):
        state["phase"] = WHERE
    elif destination == TO_FLOWER_MARKET:
        _pick_up(state, rules, gnome)
        state["gnome_at"][gnome] = AT_FLOWER_MARKET
        take_flower(state)
    elif destination == TO_STUMP:
        _pick_up(state, rules, gnome)
        state["gnome_at"][gnome] = AT_STUMP
        state["phase"] = SALE
    else:
        _visit_signpost(state, rules, gnome, destination - TO_SIGNPOST)


@jit
def _pick_up(state, rules, gnome):
    """A gnome leaves its place; who leaves a path gives up the claim."""
    if state["gnome_at"][gnome] == AT_PATH:
        unclaim(state, rules, gnome)
    state["gnome_ring"][gnome] = NONE
    state["gnome_cell"][gnome] = NONE


@jit
def _go_to_ring(state, rules, gnome, ring):
    """A gnome goes into a ring."""
    _pick_up(state, rules, gnome)
    state["gnome_at"][gnome] = AT_RING
    state["gnome_ring"][gnome] = ring
    state["gnome_cell"][gnome] = state["cell"][state["ring_tile"][ring]]


@inline
def _visit_signpost(state, rules, gnome, signpost):
    """The signpost is used; with the trade board a trade follows (after a tile: once the tile is taken)."""
    _go_to_ring(state, rules, gnome, np.int64(state["signpost_ring"][signpost]))
    use_signpost(state, rules, signpost)
    if state["phase"] != TAKE and rules["has_trades"][signpost]:
        state["phase"] = TRADE


# --- Phase where: which path or ring, by the cell of its first laid tile ------------------------------------------------


@jit
def mark_places(state, rules, mask):
    """Marks the cells that name a path or ring to which the gnome may go."""
    if state["hand_place"] == TO_PATH:
        for part in range(num_parts(state)):
            if _is_free_path(state, part):
                mask[CELL_ACTION + state["cell"][part // SEGMENTS]] = 1
    else:
        gnome = moving_gnome(state)
        for ring in range(state["num_rings"]):
            if _may_take(state, ring, gnome):
                mask[CELL_ACTION + state["cell"][state["ring_tile"][ring]]] = 1


@jit
def only_place(state, rules):
    """The only such cell; NONE if there are more."""
    only = np.int64(NONE)
    if state["hand_place"] == TO_PATH:
        for part in range(num_parts(state)):
            if _is_free_path(state, part):
                cell = np.int64(state["cell"][part // SEGMENTS])
                if only != NONE and only != cell:
                    return NONE
                only = cell
    else:
        gnome = moving_gnome(state)
        for ring in range(state["num_rings"]):
            if _may_take(state, ring, gnome):
                cell = np.int64(state["cell"][state["ring_tile"][ring]])
                if only != NONE and only != cell:
                    return NONE
                only = cell
    return only


@merged
def choose_place(state, rules, cell):
    """The first laid tile of the path or ring is chosen."""
    state["hand_cell"] = cell
    state["phase"] = EDGE


# --- Phase edge: which of the paths or rings of that tile ---------------------------------------------------------------


@merged
def edge_options(state, rules):
    """The lowest edge of each path or ring that the tile names and the gnome may go to."""
    index, options = np.int64(state["place"][state["hand_cell"]]), np.int64(0)
    if state["hand_place"] == TO_PATH:
        for s in range(SEGMENTS):
            part = SEGMENTS * index + s
            if _is_free_path(state, part):
                options |= 1 << lowest_edge(state, rules, index, part)
    else:
        gnome = moving_gnome(state)
        for ring in range(state["num_rings"]):
            if state["ring_tile"][ring] == index and _may_take(state, ring, gnome):
                options |= 1 << np.int64(state["ring_edge"][ring])
    return options


@merged
def choose_edge(state, rules, edge):
    """The gnome claims the path, or takes the mushrooms that wait in the ring."""
    gnome, index = moving_gnome(state), np.int64(state["place"][state["hand_cell"]])
    if state["hand_place"] == TO_PATH:
        _pick_up(state, rules, gnome)
        state["gnome_at"][gnome] = AT_PATH
        claim(state, rules, gnome, np.int64(state["path"][part_at(state, rules, index, edge)]))
    else:
        ring = np.int64(state["edge_ring"][index, edge])
        _go_to_ring(state, rules, gnome, ring)
        state["ring_waiting"][ring] = False
        take_mushrooms(state, ring)
    state["hand_cell"] = NONE
    state["phase"] = NOTHING


assert EDGES == 6
