"""Step 1 of a turn: laying tiles from the offer and the storage, and asking leave (rule text: The garden, A turn 1)."""

import numpy as np

from envs.engine import NO_PLAYER, inline, jit, merged
from envs.engine.seats import seat_after
from envs.mushroom_rings.garden.claims import gnomes_at
from envs.mushroom_rings.garden.laying import lay, path_edges
from envs.mushroom_rings.garden.open_cells import open_slot
from envs.mushroom_rings.garden.paths import is_wildflower, path_across
from envs.mushroom_rings.rules.offer import refill_offer, take_from_storage
from envs.mushroom_rings.rules.turns import num_seats
from envs.mushroom_rings.state import (
    CELL,
    CELL_ACTION,
    GIVE,
    LEAVE,
    NONE,
    NOTHING,
    NUM_GNOMES,
    OFFER,
    ORIENTATION,
    ORIENTATIONS,
    PLACE,
    RINGS,
    SEGMENTS,
    STOP_CHOICE,
    STORED_CHOICE,
    TILES_PER_TURN,
)

# --- Where a tile may lie -----------------------------------------------------------------------------------------------


@inline
def matching_orientations(rules, tile, code):
    """Bits of the orientations, each different one once, in which a tile matches what lies round an open cell."""
    return np.int64(rules["fits"][rules["mask"][tile], code]) & np.int64(rules["distinct"][tile])


@inline
def orientations(state, rules, tile, slot):
    """Bits of the orientations in which a tile may lie on an open cell."""
    matching = matching_orientations(rules, tile, state["open_code"][slot])
    if matching == 0 or state["open_claims"][slot] == 0:
        return matching
    return _lawful(state, rules, tile, slot, matching)


@jit
def _lawful(state, rules, tile, slot, matching):
    """Those of the matching orientations that break neither the ban nor a refusal."""
    cell, claims = np.int64(state["open_cell"][slot]), np.int64(state["open_claims"][slot])
    for orientation in range(ORIENTATIONS):
        touched = claims & np.int64(rules["path_edges"][tile, orientation])
        if matching >> orientation & 1 and touched:
            gnomes = gnomes_at(state, rules, cell, touched)
            if _is_banned(state, rules, tile, cell, orientation, gnomes) or (
                not _may_ask(state, rules) and owners_concerned(state, rules, tile, gnomes)
            ):
                matching &= ~(1 << orientation)
    return matching


@inline
def _may_ask(state, rules):
    """Leave is asked unless the option rules it out or it was refused this turn."""
    return rules["may_ask"] and not state["refused"]


@inline
def owners_concerned(state, rules, tile, gnomes):
    """Bits of the players whose leave a tile needs that touches the paths of these gnomes; a wildflower needs none."""
    players = 0
    if not is_wildflower(rules, tile):
        for gnome in range(len(state["gnome_at"])):
            if gnomes >> gnome & 1 and gnome // NUM_GNOMES != state["turn_player"]:
                players |= 1 << gnome // NUM_GNOMES
    return players


@inline
def _is_banned(state, rules, tile, cell, orientation, gnomes):
    """Ban: whether the tile would connect two claimed paths, as if everything were joined and no ring taken out."""
    if gnomes & (gnomes - 1) == 0:
        return False
    if is_wildflower(rules, tile):
        return True
    for s in range(np.int64(rules["segments"][tile])):
        joined = _gnomes_joined(state, rules, tile, cell, orientation, s)
        if joined & (joined - 1):
            return True
    return False


@jit
def _gnomes_joined(state, rules, tile, cell, orientation, segment):
    """Bits of the gnomes on all paths that a segment would join, with the later segments that hang together with it."""
    segments = np.int64(rules["segments"][tile])
    group = 1 << segment
    # One pass finds all segments that hang together with their first: there are three at most, so what it reaches by way of the
    # third can only be the second.
    for s in range(segment, segments):
        for t in range(segment + 1, segments):
            if group >> s & 1 and _share_path(state, rules, tile, cell, orientation, s, t):
                group |= 1 << t
    edges = np.int64(0)
    for s in range(segments):
        if group >> s & 1:
            for end in range(2):
                edges |= 1 << np.int64(rules["segment_edges"][tile, orientation, s, end])
    return gnomes_at(state, rules, cell, edges)


@jit
def _share_path(state, rules, tile, cell, orientation, s, t):
    """Whether two segments of a tile would touch the same path."""
    for end in range(2):
        path = path_across(state, rules, cell, np.int64(rules["segment_edges"][tile, orientation, s, end]))
        for other_end in range(2):
            edge = np.int64(rules["segment_edges"][tile, orientation, t, other_end])
            if path != NONE and path == path_across(state, rules, cell, edge):
                return True
    return False


@jit
def has_place(state, rules, tile):
    """Whether a tile may lie anywhere; looks at the newest open cells first, which are the freest."""
    slot = state["num_open"] - 1
    while slot >= 0 and orientations(state, rules, tile, slot) == 0:
        slot -= 1
    return slot >= 0


# --- Phase place: which tile, or stop -----------------------------------------------------------------------------------


@jit
def place_options(state, rules):
    """Tiles with a legal place; stop when two offered ones are laid or none on offer fits."""
    player, options = state["turn_player"], 0
    if state["laid"] < TILES_PER_TURN:
        for slot in range(OFFER):
            tile = np.int64(state["offer"][slot])
            if tile != NONE and has_place(state, rules, tile):
                options |= 1 << slot
    if options == 0:
        options = 1 << STOP_CHOICE
    for slot in range(np.int64(state["storage_size"][player])):
        if has_place(state, rules, np.int64(state["storage"][player, slot])):
            options |= 1 << STORED_CHOICE + slot
    return options


@merged
def choose_tile(state, rules, choice):
    """A tile is chosen, or the player stops; who stops too early triggers the end."""
    if choice == STOP_CHOICE:
        if state["laid"] < TILES_PER_TURN:
            state["ending"] = True
        refill_offer(state, rules)
        state["turn_step"] = RINGS
        state["phase"] = NOTHING
        return
    state["hand_slot"] = choice
    if choice < STORED_CHOICE:
        state["hand_tile"] = state["offer"][choice]
    else:
        state["hand_tile"] = state["storage"][state["turn_player"], choice - STORED_CHOICE]
    state["phase"] = CELL


# --- Phase cell ---------------------------------------------------------------------------------------------------------


@jit
def mark_cells(state, rules, mask):
    """Marks the cells on which the tile in hand may lie."""
    tile = state["hand_tile"]
    for slot in range(state["num_open"]):
        if orientations(state, rules, tile, slot):
            mask[CELL_ACTION + state["open_cell"][slot]] = 1


@jit
def only_cell(state, rules):
    """The only cell on which the tile in hand may lie; NONE if there are more."""
    tile, only = state["hand_tile"], np.int64(NONE)
    for slot in range(state["num_open"] - 1, -1, -1):
        if orientations(state, rules, tile, slot):
            if only != NONE:
                return NONE
            only = np.int64(state["open_cell"][slot])
    return only


@merged
def choose_cell(state, rules, cell):
    """The tile's cell is chosen."""
    state["hand_cell"] = cell
    state["phase"] = ORIENTATION


# --- Phase orientation --------------------------------------------------------------------------------------------------


@merged
def orientation_options(state, rules):
    """Orientations in which the tile in hand may lie on its cell."""
    return orientations(state, rules, state["hand_tile"], open_slot(state["place"][state["hand_cell"]]))


@merged
def choose_orientation(state, rules, orientation):
    """The tile is laid, or its neighbours' owners are asked first."""
    state["hand_orientation"] = orientation
    _ask_or_lay(state, rules, state["turn_player"])


# --- Phase leave --------------------------------------------------------------------------------------------------------


@inline
def owners_to_ask(state, rules):
    """Bits of the players whose leave the tile in hand needs, as it lies."""
    gnomes = gnomes_at(state, rules, state["hand_cell"], path_edges(state, rules))
    return owners_concerned(state, rules, state["hand_tile"], gnomes)


@jit
def _ask_or_lay(state, rules, asked):
    """Leave: asks the next owner concerned in turn order after ``asked``; when there is none, the tile is laid."""
    owners, turn_player = owners_to_ask(state, rules), state["turn_player"]
    owner = seat_after(num_seats(state), asked, 1)
    while owners and owner != turn_player:
        if owners >> owner & 1:
            state["phase"] = LEAVE
            state["current_player"] = owner
            return
        owner = seat_after(num_seats(state), owner, 1)
    _lay_tile(state, rules)


@merged
def answer(state, rules, choice):
    """One owner's answer: the first no ends it, and no other leave is asked this turn."""
    asked = np.int64(state["current_player"])
    state["current_player"] = state["turn_player"]
    if choice == GIVE:
        _ask_or_lay(state, rules, asked)
    else:
        state["refused"] = True
        _put_back(state)


@merged
def _lay_tile(state, rules):
    """The tile in hand leaves the offer or the storage and lies in the garden."""
    slot = state["hand_slot"]
    if slot < STORED_CHOICE:
        state["offer"][slot] = NONE
        state["laid"] += 1
    else:
        take_from_storage(state, state["turn_player"], slot - STORED_CHOICE)
    lay(state, rules)
    _put_back(state)


@inline
def _put_back(state):
    """The next tile is chosen."""
    clear_placement(state)
    state["phase"] = PLACE


@inline
def clear_placement(state):
    """No tile is in hand, and no place for one is chosen."""
    state["hand_slot"] = NONE
    state["hand_tile"] = NONE
    state["hand_cell"] = NONE
    state["hand_orientation"] = NONE


assert NO_PLAYER == NONE
assert SEGMENTS <= 3  # as `_gnomes_joined` takes for granted
