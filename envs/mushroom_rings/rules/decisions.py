"""The rules of Mushroom Rings over one record: setup, and one handler and one list of choices for each decision.

The rules themselves stand in the files of the steps of a turn: ``placing`` (1), ``bonuses`` (2 and 3), ``gnomes`` (4) and
``market``; ``garden`` knows paths and rings, ``offer`` the tiles' way, ``turns`` the course of the game. Docstrings name the
section of the game. Nothing here raises or allocates; actions are legal.
"""

from envs.engine import RUNNING, TERMINATED, below, inline, jit, merged
from envs.mushroom_rings.garden.laying import lay
from envs.mushroom_rings.rules.bonuses import (
    choose_signpost,
    choose_slot,
    mushroom_options,
    pick_mushroom,
    signpost_options,
    slot_options,
)
from envs.mushroom_rings.rules.gnomes import (
    choose_destination,
    choose_edge,
    choose_gnome,
    choose_place,
    destination_options,
    edge_options,
    gnome_options,
    mark_places,
    only_place,
)
from envs.mushroom_rings.rules.market import sale_options, sell, trade, trade_options
from envs.mushroom_rings.rules.offer import discard, discard_options, refill_offer, take_options, take_tile
from envs.mushroom_rings.rules.placing import (
    answer,
    choose_cell,
    choose_orientation,
    choose_tile,
    clear_placement,
    mark_cells,
    only_cell,
    orientation_options,
    place_options,
)
from envs.mushroom_rings.rules.turns import begin_turn, go_on, num_seats, score
from envs.mushroom_rings.state import (
    AFTER_CELLS,
    CELL,
    CELL_ACTION,
    DESTINATION,
    DISCARD,
    EDGE,
    GIVE,
    GNOME,
    LEAVE,
    MUSHROOM,
    NO_RING,
    NONE,
    NOTHING,
    NUM_COLORS,
    NUM_KINDS,
    ORIENTATION,
    OVER,
    PLACE,
    REFUSE,
    SALE,
    SIGNPOST,
    SLOT,
    STUMP,
    TAKE,
    WHERE,
)

__all__ = ["legal", "reset", "score", "step"]

# --- Setup --------------------------------------------------------------------------------------------------------------


@merged
def reset(state, rules):
    """Setup: the stump, the pile, the offer, the flowers; a random player starts."""
    clear(state, rules)
    _lay_stump(state, rules)
    for i in range(len(state["pile"])):
        state["pile"][i] = i + 1
        state["unseen"][rules["type"][i + 1]] += 1
    shuffle_pile(state)
    refill_offer(state, rules)
    _fill_flower_market(state, rules)
    state["first_player"] = below(state, num_seats(state))
    begin_turn(state, state["first_player"])
    settle(state, rules)


@merged
def _lay_stump(state, rules):
    """The garden: the stump lies at the origin, not turned."""
    state["hand_tile"] = STUMP
    state["hand_cell"] = rules["origin"]
    state["hand_orientation"] = 0
    lay(state, rules)
    _clear_hand(state)


@jit
def clear(state, rules):
    """An empty table: all pieces are with their owners or in the box."""
    state["phase"] = NOTHING
    state["ring_step"] = NO_RING
    state["turn_player"] = NONE
    state["round"] = 1
    state["ending"] = False
    state["last_moves"] = False
    state["options"] = 0
    state["top"] = 0
    _clear_hand(state)
    _clear_garden(state)
    state["offer"][:] = NONE
    state["unseen"][:] = 0
    state["signpost_ring"][:] = NONE
    state["flower_market"][:] = 0
    state["wildflowers"][:] = rules["tokens"]
    state["blocked"][:] = 0
    for color in range(NUM_COLORS):
        state["blockers"][color] = rules["blockers"][color]
    _clear_players(state)


@inline
def _clear_hand(state):
    clear_placement(state)
    state["hand_ring"] = NONE
    state["hand_gnome"] = NONE
    state["hand_place"] = NONE
    state["hand_sold"] = NONE
    state["num_picked"] = 0
    state["picked"][:] = NONE


@inline
def _clear_garden(state):
    state["num_laid"] = 0
    state["tile"][:] = 0
    state["orientation"][:] = 0
    state["cell"][:] = 0
    state["edge_ring"][:] = NONE
    state["path"][:] = NONE
    state["gnome_of"][:] = NONE
    state["look"][:] = 0
    state["num_open"] = 0
    state["place"][:] = NONE
    state["open_cell"][:] = 0
    state["open_code"][:] = 0
    state["open_ends"][:] = 0
    state["open_claims"][:] = 0
    state["open_meets"][:] = 0
    state["num_rings"] = 0
    state["ring_size"][:] = 0
    state["ring_tile"][:] = 0
    state["ring_edge"][:] = 0
    state["ring_owner"][:] = 0
    state["ring_waiting"][:] = False
    state["ring_owed"][:] = False
    state["ring_closed"][:] = False
    state["ring_signpost"][:] = 0
    state["ring_mushrooms"][:] = 0


@inline
def _clear_players(state):
    state["mushrooms"][:] = 0
    state["flowers"][:] = 0
    state["num_flowers"][:] = 0
    state["num_markers"][:] = 0
    state["markers"][:] = NONE
    state["slots"][:] = 0
    state["storage"][:] = NONE
    state["storage_size"][:] = 0
    state["treasure"][:] = 0
    state["gnome_at"][:] = 0
    state["gnome_ring"][:] = NONE
    state["gnome_cell"][:] = NONE


@jit
def shuffle_pile(state):
    """Puts the tiles that are not drawn yet into a random order."""
    top = state["top"]
    for i in range(len(state["pile"]) - 1, top, -1):
        j = top + below(state, i + 1 - top)
        moved = state["pile"][i]
        state["pile"][i] = state["pile"][j]
        state["pile"][j] = moved


@jit
def _fill_flower_market(state, rules):
    """Setup: with two players some random kinds start in the flower market and their wildflowers leave the game."""
    for i in range(rules["kinds_in_market"]):
        rank = below(state, NUM_KINDS - i)
        for kind in range(NUM_KINDS):
            if state["wildflowers"][kind] != NONE:
                if rank == 0:
                    state["flower_market"][kind] = state["wildflowers"][kind]
                    state["wildflowers"][kind] = NONE
                    break
                rank -= 1


# --- Decisions ----------------------------------------------------------------------------------------------------------


@merged
def step(state, rules, action):
    """Plays a legal action, and all that follows without a choice."""
    _play(state, rules, action - first_action(state))
    settle(state, rules)
    return TERMINATED if state["phase"] == OVER else RUNNING


@merged
def settle(state, rules):
    """Goes on until somebody has two choices or more: a decision with one choice is made, not asked."""
    while state["phase"] != OVER:
        if state["phase"] == NOTHING:
            go_on(state, rules)
        else:
            choice = _only_choice(state, rules)
            if choice == NONE:
                return
            _play(state, rules, choice)
    state["options"] = 0


@inline
def first_action(state):
    """The action id of choice 0 of the phase in hand."""
    phase = state["phase"]
    if phase in (PLACE, TAKE):
        return 0
    if phase in (CELL, WHERE):
        return CELL_ACTION
    return CELL_ACTION + len(state["place"]) + AFTER_CELLS[phase]


@jit
def _only_choice(state, rules):
    """The only choice of the phase in hand; NONE when there are more, and then their bits are kept."""
    phase = state["phase"]
    state["options"] = 0
    if phase == CELL:
        return only_cell(state, rules)
    if phase == WHERE:
        return only_place(state, rules)
    options = choices(state, rules)
    if options & (options - 1):
        state["options"] = options
        return NONE
    choice = 0
    while options >> choice != 1:
        choice += 1
    return choice


@merged
def legal(state, rules, mask):
    """Writes the action mask of the player to act."""
    mask[:] = 0
    phase = state["phase"]
    if phase == CELL:
        mark_cells(state, rules, mask)
    elif phase == WHERE:
        mark_places(state, rules, mask)
    else:
        first, options = first_action(state), state["options"]
        while options:
            mask[first] = options & 1
            options >>= 1
            first += 1


@merged
def choices(state, rules):
    """Bits of the legal choices of the phase in hand, cells apart."""
    phase = state["phase"]
    if phase == PLACE:
        return place_options(state, rules)
    if phase == TAKE:
        return take_options(state, rules)
    if phase == ORIENTATION:
        return orientation_options(state, rules)
    if phase == LEAVE:
        return 1 << GIVE | 1 << REFUSE
    if phase == SLOT:
        return slot_options(state, rules)
    if phase == SIGNPOST:
        return signpost_options(state, rules)
    if phase == DISCARD:
        return discard_options(state, rules)
    if phase == MUSHROOM:
        return mushroom_options(state, rules)
    if phase == GNOME:
        return gnome_options(state, rules)
    if phase == DESTINATION:
        return destination_options(state, rules)
    if phase == EDGE:
        return edge_options(state, rules)
    if phase == SALE:
        return sale_options(state, rules)
    return trade_options(state, rules)


@jit
def _play(state, rules, choice):
    """Hands a choice to the handler of the phase in hand; a handler sets the next phase, or NOTHING."""
    phase = state["phase"]
    if phase == PLACE:
        choose_tile(state, rules, choice)
    elif phase == TAKE:
        take_tile(state, rules, choice)
    elif phase == CELL:
        choose_cell(state, rules, choice)
    elif phase == WHERE:
        choose_place(state, rules, choice)
    elif phase == ORIENTATION:
        choose_orientation(state, rules, choice)
    elif phase == LEAVE:
        answer(state, rules, choice)
    elif phase == SLOT:
        choose_slot(state, rules, choice)
    elif phase == SIGNPOST:
        choose_signpost(state, rules, choice)
    elif phase == DISCARD:
        discard(state, rules, choice)
    elif phase == MUSHROOM:
        pick_mushroom(state, rules, choice)
    elif phase == GNOME:
        choose_gnome(state, rules, choice)
    elif phase == DESTINATION:
        choose_destination(state, rules, choice)
    elif phase == EDGE:
        choose_edge(state, rules, choice)
    elif phase == SALE:
        sell(state, rules, choice)
    else:
        trade(state, rules, choice)
