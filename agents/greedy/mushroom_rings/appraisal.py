"""What the rule-based player of Mushroom Rings uses: what mushrooms, markers, flowers and paths promise, in points.

All of it is worked out from the open table for the seat to act, once for each decision (:func:`look`); only the tiles still in
the bag are hidden, and nothing here reads them. A path promises its ring: mushrooms, marker and bonus, times the chance that it
is closed, which falls with the distance between its two ends.
"""

import numpy as np

from envs import engine
from envs.game import Game
from envs.mushroom_rings.garden.open_cells import open_slot
from envs.mushroom_rings.rules.bonuses import LARGEST_RING
from envs.mushroom_rings.rules.market import wanted_flower
from envs.mushroom_rings.state import (
    FLOWER_BONUS,
    FLOWER_GIFT,
    MUSHROOM_BONUS,
    NONE,
    NUM_COLORS,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SIGNPOSTS,
    NUM_SLOTS,
    SEGMENTS,
    SIGNPOST_BONUS,
    TILE_BONUS,
    TILE_GIFT,
    TILES_PER_TURN,
)
from envs.mushroom_rings.survey import count_closers, find_ends, follow_paths, steps_between, survey_fields

MIDDLE = 3  # the number of mushrooms, by its place in the market's list, by whose price mushrooms in hand are valued
FAR = 5  # steps between two ends from which on nothing is hoped for


def sight_dtype(game: Game) -> np.dtype:
    """What the player makes of a table; paths are named by their first part, as in the record of the game."""
    parts = game.state_dtype["path"].shape
    layout = np.dtype(
        [
            ("player", np.int64),
            ("turns", np.float64),  # own turns left after this one, about
            ("more", np.int64),  # tiles that may be laid this turn after the next one
            ("flower", np.float64),  # worth of one more flower
            ("marker", np.float64, (LARGEST_RING + 1,)),  # worth of the marker and bonus of a ring, by its size
            *survey_fields(game.state_dtype),
            ("promise", np.float64, parts),  # what the path promises the gnome that has or will have it
        ],
        align=True,
    )
    return engine.interned(layout)


@engine.jit
def look(state, rules, weights, sight, player):
    """Works out all that a player sees."""
    sight["player"] = player
    sight["turns"] = _turns_left(state, rules, weights)
    _count_more(state, sight)
    _price_mushrooms(state, rules, weights, sight)
    _price_flower(state, rules, weights, sight)
    _price_markers(state, rules, weights, sight)
    follow_paths(state, rules, sight)
    find_ends(state, rules, sight)
    for path in range(SEGMENTS * state["num_laid"]):
        sight["promise"][path] = _promise_of(state, rules, weights, sight, path) if sight["tiles"][path] > 0 else 0.0


# --- time ---------------------------------------------------------------------------------------------------------------


@engine.jit
def _turns_left(state, rules, weights):
    """Own turns after this one, about: until the bag is empty or somebody has all flowers or markers; 0 when it is ending."""
    if state["ending"]:
        return 0.0
    seats = len(state["treasure"])
    turns = (rules["bag_end"] - state["top"]) / (TILES_PER_TURN * seats)
    for p in range(seats):
        turns = min(turns, weights.ring_turns * (NUM_MARKERS - np.int64(state["num_markers"][p])))
        turns = min(turns, weights.flower_turns * (NUM_KINDS - np.int64(state["num_flowers"][p])))
    return turns


@engine.inline
def _count_more(state, sight):
    """How many tiles may follow the one that is to be laid next; a stored one is in addition to those on offer."""
    sight["more"] = max(0, TILES_PER_TURN - 1 - state["laid"]) + np.int64(state["storage_size"][sight["player"]])


# --- what things are worth ----------------------------------------------------------------------------------------------


@engine.jit
def _price_mushrooms(state, rules, weights, sight):
    """A mushroom is worth its share of a middle sale, or of a pair's when nothing else sells; less when time runs out."""
    late = 0.0 if state["last_moves"] else min(1.0, (1.0 + sight["turns"]) / weights.horizon)
    for color in range(NUM_COLORS):
        n = MIDDLE if state["blockers"][color] > 0 else 0
        sight["unit"][color] = late * weights.keep * rules["payouts"][color, n] / rules["sizes"][n]


@engine.jit
def _price_flower(state, rules, weights, sight):
    """A flower's points, the greater ones that later flowers will bring, and what it is worth if it ends the game."""
    player, number = sight["player"], np.int64(state["num_flowers"][sight["player"]])
    sight["flower"] = 0.0
    if number < NUM_KINDS:
        points = np.int64(rules["flower_scores"][number + 1]) - np.int64(rules["flower_scores"][number])
        sight["flower"] = points + weights.flower * min(1.0, sight["turns"] / weights.horizon)
        if number + 1 == NUM_KINDS:
            sight["flower"] += _ending(state, rules, weights, player)


@engine.jit
def _ending(state, rules, weights, player):
    """Worth of ending the game now: good for who is ahead."""
    if state["ending"]:
        return 0.0
    own, best = points_of(state, rules, player), 0
    for p in range(len(state["treasure"])):
        if p != player:
            best = max(best, points_of(state, rules, p))
    return weights.ending * (own - best)


@engine.jit
def points_of(state, rules, player):
    """Points of a player if the game ended now."""
    flowers = np.int64(rules["flower_scores"][state["num_flowers"][player]])
    markers = np.int64(rules["marker_scores"][state["num_markers"][player]])
    return flowers + markers + np.int64(state["treasure"][player])


@engine.jit
def _price_markers(state, rules, weights, sight):
    """By size of ring, the worth of the best free slot for it."""
    free = ~np.int64(state["slots"][sight["player"]])
    sight["marker"][:] = 0.0
    for slot in range(NUM_SLOTS):
        if free >> slot & 1:
            size = np.int64(rules["slot_column"][slot])
            sight["marker"][size] = max(sight["marker"][size], slot_worth(state, rules, weights, sight, slot))


@engine.jit
def slot_worth(state, rules, weights, sight, slot):
    """Points of the markers a slot takes, its bonus, and the wildflower if one is due."""
    player, before = sight["player"], np.int64(state["num_markers"][sight["player"]])
    after = min(np.int64(NUM_MARKERS), before + np.int64(rules["slot_spaces"][slot]))
    if after == before:
        return 0.0
    worth = float(np.int64(rules["marker_scores"][after]) - np.int64(rules["marker_scores"][before]))
    if after == NUM_MARKERS:
        worth += _ending(state, rules, weights, player)
    for number in range(before + 1, after + 1):
        if rules["is_wildflower_marker"][number]:
            worth += sight["flower"] + weights.wild * min(1.0, sight["turns"])
    return worth + _bonus_worth(state, rules, weights, sight, slot)


@engine.jit
def _bonus_worth(state, rules, weights, sight, slot):
    bonus = rules["slot_bonus"][slot]
    if bonus == SIGNPOST_BONUS:
        best = 0.0
        for signpost in range(NUM_SIGNPOSTS):
            best = max(best, signpost_worth(state, rules, weights, sight, signpost))
        return best
    if bonus == TILE_BONUS:
        return weights.tile * min(1.0, sight["turns"])
    if bonus == FLOWER_BONUS:
        return sight["flower"] if wanted_flower(state) != NONE else 0.0
    if bonus == MUSHROOM_BONUS:
        return np.int64(rules["slot_mushrooms"][slot]) * sight["unit"][NUM_COLORS // 2]
    return 0.0


@engine.jit
def signpost_worth(state, rules, weights, sight, signpost):
    """Worth of what a signpost gives."""
    gives, worth = rules["signpost_gives"][signpost], 0.0
    for color in range(NUM_COLORS):
        worth += np.int64(gives[color]) * sight["unit"][color]
    if gives[TILE_GIFT] > 0:
        worth += weights.tile * min(1.0, sight["turns"])
    if gives[FLOWER_GIFT] > 0 and wanted_flower(state) != NONE:
        worth += sight["flower"]
    return worth


@engine.inline
def ring_size(size):
    """The column of the player board for a ring."""
    return min(LARGEST_RING, size)


# --- paths --------------------------------------------------------------------------------------------------------------


@engine.jit
def _promise_of(state, rules, weights, sight, path):
    """What a path as it lies promises its owner. Of several ends of a path with a hub only two are looked at."""
    if sight["ends"][path] < 2:
        return 0.0
    cell, other = np.int64(sight["end_cell"][path, 0]), np.int64(sight["end_cell"][path, 1])
    closers = 0
    if cell == other:
        code = np.int64(state["open_code"][open_slot(state["place"][cell])])
        edges = 1 << np.int64(sight["end_edge"][path, 0]) | 1 << np.int64(sight["end_edge"][path, 1])
        closers = count_closers(state, rules, sight["player"], code, edges, NONE)
        if closers == 1 and sight["more"] > 0:
            closers = -1  # the only tile that closes it may be laid elsewhere: not sure
    return promise(rules, weights, sight, np.int64(sight["tiles"][path]), sight["mushrooms"][path], cell, other, closers)


@engine.jit
def promise(rules, weights, sight, tiles, mushrooms, cell, other, closers):
    """What a path promises its owner: the ring it may become, times the chance of it.

    Args:
        rules: The component tables.
        weights: What the player uses.
        sight: What the player sees.
        tiles: Tiles of the path.
        mushrooms: Worth of the mushrooms on it.
        cell: The open cell that one end faces; NONE if it has none.
        other: The one that the other end faces.
        closers: Tiles at hand that close it, when both ends face the same cell; -1 if there is one which may be needed elsewhere.
    """
    if cell == NONE or other == NONE:
        return 0.0
    apart = steps_between(rules, cell, other)
    if apart >= FAR:
        return 0.0
    chance = weights.chance[apart] * min(1.0, sight["turns"])
    if apart == 0:
        if closers > 0 and sight["more"] > 0:
            chance = weights.sure
        elif closers == 0:
            chance *= weights.stuck
    return chance * (mushrooms + sight["marker"][ring_size(tiles + apart + 1)])


@engine.inline
def to_player(weights, player, owner):
    """How much of what a path promises its owner counts for a player."""
    if owner == NONE:
        return weights.unclaimed
    return 1.0 if owner == player else -weights.rival
