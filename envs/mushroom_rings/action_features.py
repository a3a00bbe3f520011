"""What a seat can know of the immediate result of each of its actions in Mushroom Rings.

Of a tile and of a cell the most is told that laying the tile, or laying it there, can bring; of an orientation what it does. A
segment that would join two ends of one path closes a ring. :func:`action_sections` is the slice table.
"""

from typing import Any

import numpy as np

from envs.engine import inline, interned, jit
from envs.game import MOST_FEATURE, Game, Section
from envs.mushroom_rings.garden.open_cells import open_slot
from envs.mushroom_rings.garden.paths import is_wildflower, part_at
from envs.mushroom_rings.rules.decisions import first_action
from envs.mushroom_rings.rules.gnomes import moving_gnome
from envs.mushroom_rings.rules.market import sales, wanted_flower
from envs.mushroom_rings.rules.placing import orientations
from envs.mushroom_rings.state import (
    AT_PATH,
    CELL,
    CELL_ACTION,
    DESTINATION,
    DISCARD,
    EDGE,
    EDGES,
    ENOUGH_CHOICE,
    FLOWER_BONUS,
    FLOWER_GIFT,
    GNOME,
    LARGEST_RING,
    MUSHROOM,
    MUSHROOM_BONUS,
    NONE,
    NUM_COLORS,
    NUM_GNOMES,
    NUM_SIZES,
    OFFER,
    ORIENTATION,
    ORIENTATIONS,
    PLACE,
    POINT,
    SALE,
    SEGMENTS,
    SIGNPOST,
    SIGNPOST_BONUS,
    SLOT,
    STAY_CHOICE,
    STOP_CHOICE,
    TAKE,
    TILE_BONUS,
    TILE_GIFT,
    TO_FLOWER_MARKET,
    TO_PATH,
    TO_RING,
    TO_SIGNPOST,
    TO_STUMP,
    TRADE,
    TRADES,
    WHERE,
)
from envs.mushroom_rings.survey import (
    code_after,
    count_closers,
    far_end,
    find_ends,
    follow_paths,
    owner_of,
    steps_between,
    survey_fields,
    weigh_segments,
)

FAR = 5  # steps between two ends from which on a path counts as open
MIDDLE = 3  # the number of mushrooms, by its place in the market's list, by whose price mushrooms are valued
OWN, NOBODYS, OTHERS = range(3)
OWNERS = 3
RING, JOIN = 2, 4
TILE, LAYING, HAD, CHOICE = 4, 2, 5, 6

_TILE = 1  # behind `legal`
_LAYING = _TILE + TILE
_RINGS = _LAYING + LAYING
_JOINS = _RINGS + OWNERS * RING
_HAD = _JOINS + OWNERS * JOIN
_CHOICE = _HAD + HAD

_MOST = np.float32(MOST_FEATURE)


def action_sections() -> list[Section]:
    """The slice table of the features of an action, behind ``legal``."""
    worth = "mushrooms at the middle price of their colour / 20"
    return [
        Section("tile", (TILE,), f"the tile taken, laid or discarded: segments / 3, {worth}, wildflower, from the own storage"),
        Section("laying", (LAYING,), "placements that close a ring / 10, 1: another's leave is needed"),
        Section("rings", (OWNERS, RING), f"own, nobody's, another's: largest ring closed / 7 (0: none), most {worth}"),
        Section(
            "joins",
            (OWNERS, JOIN),
            "own, nobody's, another's: paths lengthened, 1 / (1 + steps between the two ends) of the nearest (0: 5 or more), "
            f"most {worth}, by the same divided, most other tiles at hand that would close it / 3, tiles of the longest / 7",
        ),
        Section("had", (HAD,), f"had at once: {worth}, flowers, tiles, points / 20, markers / 2"),
        Section(
            "choice",
            (CHOICE,),
            "slot: its size / 7, 1: a signpost is its bonus; path claimed or left: mushrooms as above, tiles / 7, 1 / (1 + steps "
            "between its ends); sale: mushrooms sold / 10",
        ),
    ]


def describe_tools(game: Game) -> Any:
    """What :func:`describe` works with: what is seen of a garden."""
    return np.zeros(1, interned(np.dtype(survey_fields(game.state_dtype), align=True)))


@jit
def describe(state, rules, seat, mask, tools, out):
    """Writes the features of the legal actions, every section in the order of :func:`action_sections`."""
    survey, phase, first = tools[0], state["phase"], first_action(state)
    for color in range(NUM_COLORS):
        survey["unit"][color] = np.int64(rules["payouts"][color, MIDDLE]) / np.int64(rules["sizes"][MIDDLE])
    if phase in (PLACE, TAKE, CELL, WHERE, ORIENTATION, DISCARD, GNOME, DESTINATION, EDGE):
        follow_paths(state, rules, survey)
        find_ends(state, rules, survey)
    if phase in (PLACE, TAKE):
        _describe_tiles(state, rules, seat, mask, survey, out)
    elif phase == CELL:
        _describe_cells(state, rules, seat, survey, out)
    elif phase == ORIENTATION:
        _describe_orientations(state, rules, seat, survey, out, first)
    elif phase == DISCARD:
        for slot in range(len(state["storage"][seat])):
            _describe_tile(state, rules, seat, np.int64(state["storage"][seat, slot]), OFFER + slot, survey, out, first + slot)
    elif phase == WHERE:
        _describe_places(state, rules, mask, survey, out)
    else:
        for action in range(first, len(mask)):
            if mask[action]:
                _describe_choice(state, rules, seat, action - first, survey, out, action)


@inline
def _at_most(number):
    return min(_MOST, np.float32(number))


@inline
def _raise(out, action, column, number):
    """A feature tells the most of several cases."""
    out[action, column] = max(out[action, column], _at_most(number))


# --- laying a tile ------------------------------------------------------------------------------------------------------


@jit
def _describe_tiles(state, rules, seat, mask, survey, out):
    for source in range(STOP_CHOICE):
        if mask[source]:
            tile = np.int64(state["offer"][source]) if source < OFFER else np.int64(state["storage"][seat, source - OFFER])
            _describe_tile(state, rules, seat, tile, source, survey, out, source)


@jit
def _describe_tile(state, rules, seat, tile, source, survey, out, action):
    """Describes a tile by the most that laying it anywhere can bring."""
    weigh_segments(rules, survey, tile)
    worth = 0.0
    for s in range(rules["segments"][tile]):
        worth += survey["segment"][s]
    out[action, _TILE] = np.float32(rules["segments"][tile]) / np.float32(SEGMENTS)
    out[action, _TILE + 1] = _at_most(worth / 20)
    out[action, _TILE + 2] = is_wildflower(rules, tile)
    out[action, _TILE + 3] = source >= OFFER
    for slot in range(state["num_open"]):
        _describe_slot(state, rules, seat, tile, source, slot, survey, out, action)


@jit
def _describe_cells(state, rules, seat, survey, out):
    weigh_segments(rules, survey, state["hand_tile"])
    for slot in range(state["num_open"]):
        action = CELL_ACTION + np.int64(state["open_cell"][slot])
        if out[action, 0] != 0:
            _describe_slot(state, rules, seat, state["hand_tile"], state["hand_slot"], slot, survey, out, action)


@jit
def _describe_slot(state, rules, seat, tile, source, slot, survey, out, action):
    """Adds what a tile can do on an open cell."""
    lawful = orientations(state, rules, tile, slot)
    for orientation in range(ORIENTATIONS):
        if lawful >> orientation & 1:
            _describe_laying(state, rules, seat, tile, source, slot, orientation, survey, out, action)


@jit
def _describe_orientations(state, rules, seat, survey, out, first):
    slot, tile = open_slot(state["place"][state["hand_cell"]]), state["hand_tile"]
    weigh_segments(rules, survey, tile)
    for orientation in range(ORIENTATIONS):
        if out[first + orientation, 0] != 0:
            _describe_laying(state, rules, seat, tile, state["hand_slot"], slot, orientation, survey, out, first + orientation)


@jit
def _describe_laying(state, rules, seat, tile, source, slot, orientation, survey, out, action):
    """Adds what a tile does on an open cell in an orientation."""
    edges = np.int64(rules["path_edges"][tile, orientation])
    closes = False
    if is_wildflower(rules, tile):
        closes = state["open_meets"][slot] != 0
        if closes:
            _add_hub_ring(state, seat, slot, survey, out, action)
    else:
        for s in range(rules["segments"][tile]):
            ends = rules["segment_edges"][tile, orientation, s]
            edge, other_edge = np.int64(ends[0]), np.int64(ends[1])
            path, other = np.int64(survey["end_path"][slot, edge]), np.int64(survey["end_path"][slot, other_edge])
            if path == other and path != NONE:
                closes = True
                _add_ring(state, seat, path, survey["segment"][s], survey, out, action)
            else:
                _add_join(state, rules, seat, source, slot, edges, s, edge, other_edge, survey, out, action)
    if closes:
        out[action, _LAYING] = min(_MOST, out[action, _LAYING] + np.float32(0.1))
    if np.int64(state["open_claims"][slot]) & edges and _touches_anothers(state, seat, slot, edges, survey):
        out[action, _LAYING + 1] = 1


@jit
def _touches_anothers(state, seat, slot, edges, survey):
    for edge in range(EDGES):
        path = np.int64(survey["end_path"][slot, edge])
        if edges >> edge & 1 and path != NONE and owner_of(state, path) not in (NONE, seat):
            return True
    return False


@inline
def _kind_of_owner(seat, owner):
    if owner == NONE:
        return NOBODYS
    return OWN if owner == seat else OTHERS


@jit
def _add_ring(state, seat, path, more, survey, out, action):
    """A segment joins two ends of a path; of a path with hubs the ring may be a part."""
    k = _RINGS + RING * _kind_of_owner(seat, owner_of(state, path))
    tiles: int = min(LARGEST_RING, np.int64(survey["tiles"][path]) + 1)  # type: ignore[assignment, type-var]
    _raise(out, action, k, tiles / LARGEST_RING)
    _raise(out, action, k + 1, (survey["mushrooms"][path] + more) / 20)


@jit
def _add_hub_ring(state, seat, slot, survey, out, action):
    """A wildflower joins all that ends at a cell: every path with two ends there becomes a ring."""
    for edge in range(EDGES):
        if np.int64(state["open_meets"][slot]) >> edge & 1:
            _add_ring(state, seat, np.int64(survey["end_path"][slot, edge]), 0.0, survey, out, action)


@jit
def _add_join(state, rules, seat, source, slot, edges, segment, edge, other_edge, survey, out, action):
    """A segment lengthens a path, joins two or begins one."""
    path, other = np.int64(survey["end_path"][slot, edge]), np.int64(survey["end_path"][slot, other_edge])
    owner, tiles, mushrooms = NONE, np.int64(1), survey["segment"][segment]
    for joined in (path, other):
        if joined != NONE:
            owner = max(owner, owner_of(state, joined))
            tiles += np.int64(survey["tiles"][joined])
            mushrooms += survey["mushrooms"][joined]
    k = _JOINS + JOIN * _kind_of_owner(seat, owner)
    cell, facing = far_end(state, rules, survey, slot, edge, path)
    other_cell, other_facing = far_end(state, rules, survey, slot, other_edge, other)
    if cell != NONE and other_cell != NONE:
        apart = steps_between(rules, cell, other_cell)
        if apart < FAR:
            _raise(out, action, k, 1.0 / (1.0 + apart))
            _raise(out, action, k + 1, mushrooms / 20 / (1.0 + apart))
        if apart == 0:
            code = code_after(state, rules, slot, edges, cell)
            closers = count_closers(state, rules, seat, code, 1 << facing | 1 << other_facing, source)
            _raise(out, action, k + 2, closers / 3)
    _raise(out, action, k + 3, tiles / LARGEST_RING)


# --- all else -----------------------------------------------------------------------------------------------------------


@jit
def _describe_places(state, rules, mask, survey, out):
    """Describes a cell by the paths or rings that its tile names."""
    for index in range(state["num_laid"]):
        action = CELL_ACTION + np.int64(state["cell"][index])
        if mask[action]:
            if state["hand_place"] == TO_PATH:
                for s in range(SEGMENTS):
                    part = SEGMENTS * index + s
                    if state["path"][part] == part and state["gnome_of"][part] == NONE:
                        _add_path(rules, part, survey, out, action)
            else:
                for ring in range(state["num_rings"]):
                    if state["ring_tile"][ring] == index and state["ring_waiting"][ring]:
                        _add_waiting(state, ring, survey, out, action)


@jit
def _add_path(rules, path, survey, out, action):
    _raise(out, action, _CHOICE + 2, survey["mushrooms"][path] / 20)
    _raise(out, action, _CHOICE + 3, np.int64(survey["tiles"][path]) / LARGEST_RING)
    if survey["ends"][path] >= 2:
        apart = steps_between(rules, np.int64(survey["end_cell"][path, 0]), np.int64(survey["end_cell"][path, 1]))
        if apart < FAR:
            _raise(out, action, _CHOICE + 4, 1.0 / (1.0 + apart))


@jit
def _add_waiting(state, ring, survey, out, action):
    worth = 0.0
    for color in range(NUM_COLORS):
        worth += np.int64(state["ring_mushrooms"][ring, color]) * survey["unit"][color]
    _raise(out, action, _HAD, worth / 20)


@jit
def _describe_choice(state, rules, seat, choice, survey, out, action):
    phase = state["phase"]
    if phase == SLOT:
        _describe_board_slot(state, rules, choice, survey, out, action)
    elif phase == SIGNPOST:
        _describe_signpost(state, rules, choice, survey, out, action)
    elif phase == MUSHROOM:
        out[action, _HAD] = _at_most(survey["unit"][choice] / 20)
    elif phase == GNOME:
        if choice != STAY_CHOICE:
            _describe_leaving(state, rules, NUM_GNOMES * seat + choice, survey, out, action)
    elif phase == DESTINATION:
        _describe_destination(state, rules, choice, survey, out, action)
    elif phase == EDGE:
        _describe_edge(state, rules, choice, survey, out, action)
    elif phase == SALE:
        if choice != ENOUGH_CHOICE:
            _describe_sale(rules, choice, survey, out, action)
    elif phase == TRADE:
        _describe_trade(state, rules, choice, survey, out, action)


@jit
def _describe_board_slot(state, rules, slot, survey, out, action):
    bonus = rules["slot_bonus"][slot]
    out[action, _HAD + 1] = bonus == FLOWER_BONUS and wanted_flower(state) != NONE
    out[action, _HAD + 2] = bonus == TILE_BONUS
    out[action, _HAD + 4] = np.float32(rules["slot_spaces"][slot]) / np.float32(2)
    out[action, _CHOICE] = np.float32(rules["slot_column"][slot]) / np.float32(LARGEST_RING)
    out[action, _CHOICE + 1] = bonus == SIGNPOST_BONUS
    if bonus == MUSHROOM_BONUS:
        out[action, _HAD] = _at_most(np.int64(rules["slot_mushrooms"][slot]) * survey["unit"][NUM_COLORS // 2] / 20)


@jit
def _describe_signpost(state, rules, signpost, survey, out, action):
    worth = 0.0
    for color in range(NUM_COLORS):
        worth += np.int64(rules["signpost_gives"][signpost, color]) * survey["unit"][color]
    out[action, _HAD] = _at_most(worth / 20)
    out[action, _HAD + 1] = rules["signpost_gives"][signpost, FLOWER_GIFT] > 0 and wanted_flower(state) != NONE
    out[action, _HAD + 2] = rules["signpost_gives"][signpost, TILE_GIFT] > 0


@jit
def _describe_leaving(state, rules, gnome, survey, out, action):
    """Describes the path that a gnome gives up."""
    if state["gnome_at"][gnome] == AT_PATH:
        for path in range(SEGMENTS * state["num_laid"]):
            if survey["tiles"][path] > 0 and state["gnome_of"][path] == gnome:
                _add_path(rules, path, survey, out, action)


@jit
def _describe_destination(state, rules, choice, survey, out, action):
    if choice == TO_PATH:
        for path in range(SEGMENTS * state["num_laid"]):
            if survey["tiles"][path] > 0 and state["gnome_of"][path] == NONE:
                _add_path(rules, path, survey, out, action)
    elif choice == TO_RING:
        gnome = moving_gnome(state)
        for ring in range(state["num_rings"]):
            if state["ring_waiting"][ring] and state["gnome_ring"][gnome] != ring:
                _add_waiting(state, ring, survey, out, action)
    elif choice == TO_FLOWER_MARKET:
        out[action, _HAD + 1] = 1
    elif choice == TO_STUMP:
        options = sales(state, rules)
        for sale in range(ENOUGH_CHOICE):
            if options >> sale & 1:
                _raise(out, action, _HAD + 3, np.int64(rules["payouts"][sale // NUM_SIZES, sale % NUM_SIZES]) / 20)
    else:
        _describe_signpost(state, rules, choice - TO_SIGNPOST, survey, out, action)


@jit
def _describe_edge(state, rules, edge, survey, out, action):
    index = np.int64(state["place"][state["hand_cell"]])
    if state["hand_place"] == TO_PATH:
        _add_path(rules, np.int64(state["path"][part_at(state, rules, index, edge)]), survey, out, action)
    else:
        _add_waiting(state, np.int64(state["edge_ring"][index, edge]), survey, out, action)


@jit
def _describe_sale(rules, choice, survey, out, action):
    color, size = choice // NUM_SIZES, np.int64(rules["sizes"][choice % NUM_SIZES])
    out[action, _HAD] = -_at_most(size * survey["unit"][color] / 20)
    out[action, _HAD + 3] = _at_most(np.int64(rules["payouts"][color, choice % NUM_SIZES]) / 20)
    out[action, _CHOICE + 5] = _at_most(size / 10)


@jit
def _describe_trade(state, rules, choice, survey, out, action):
    if choice < TRADES:
        signpost, worth = state["hand_place"] - TO_SIGNPOST, 0.0
        for color in range(NUM_COLORS):
            brings = np.int64(rules["trade_brings"][signpost, choice, color])
            worth += (brings - np.int64(rules["trade_pays"][signpost, choice, color])) * survey["unit"][color]
        out[action, _HAD] = max(-_MOST, _at_most(worth / 20))
        out[action, _HAD + 3] = _at_most(np.int64(rules["trade_brings"][signpost, choice, POINT]) / 20)
    else:
        out[action, _HAD + 2] = state["hand_tile"] != NONE
