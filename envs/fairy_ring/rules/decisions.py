"""The rules of Fairy Ring over one record, in the order of the rulebook.

``seats`` knows whose cards a seat knows, ``hands`` the cards in hands, ``villages`` what stands in a village and what it pays.
Section names in the docstrings are those of the rulebook. Nothing here raises or allocates; actions are legal.
"""

from envs.engine import NO_PLAYER, RUNNING, TERMINATED, below, inline, jit
from envs.engine.seats import seat_after
from envs.fairy_ring.rules.hands import deal, empty_hand, pass_hands, remove_card, see_new_hands
from envs.fairy_ring.rules.seats import knows_hand, num_seats
from envs.fairy_ring.rules.villages import complete_objectives, mana_of, plant, put_card
from envs.fairy_ring.state import (
    ACADEMY,
    CHOOSE,
    CHOOSE_ACTION,
    FLY,
    FLY_ACTION,
    GATHER,
    GATHER_ACTION,
    GROW_ACTION,
    HAND,
    MANA_PER_POINT,
    MOVEMENTS,
    MUSHROOMS,
    NO_CARD,
    NUM_OBJECTIVES,
    OVER,
    PAYS,
    PLACE,
    PLANT_LEFT_ACTION,
    PLANT_RIGHT_ACTION,
    PLENTY,
    ROUNDS,
    SPRING,
    STACK,
    TURNS,
)

# --- Setup -------------------------------------------------------------------------------------------------------------


@jit
def reset(state, rules):
    """Setup: a starting card and a fairy for each player, objectives, a first player, the first deal."""
    state["phase"] = CHOOSE
    state["played"] = NO_CARD
    state["movement"] = 0
    state["objectives"] = 0
    state["cards"][:] = NO_CARD
    state["type"][:] = 0
    state["village"][:] = 0
    for p in range(num_seats(state)):
        state["mana"][p] = 0
        state["points"][p] = 0
        state["completed"][p] = 0
        state["num_mushrooms"][p] = 0
        state["fairy_village"][p] = p
        state["fairy_mushroom"][p] = 0
    _draw_starting_cards(state, rules)
    if rules["with_objectives"]:
        _draw_objectives(state)
    state["first_player"] = below(state, num_seats(state))
    deal(state, rules, 1)


@jit
def _draw_starting_cards(state, rules):
    """Setup B: each player draws a starting card at random."""
    left = 0
    for card in range(len(rules["starting_copies"])):
        left += rules["starting_copies"][card]
    for p in range(num_seats(state)):
        rank = below(state, left)
        card = 0
        while True:
            free = int(rules["starting_copies"][card])
            for q in range(p):
                free -= state["cards"][q, 0, 0] == card
            if rank < free:
                break
            rank -= free
            card += 1
        left -= 1
        plant(state, rules, p, 0, card)


@jit
def _draw_objectives(state):
    """Variant, Setup: three of the four cards, each with a random side up."""
    left_out = below(state, NUM_OBJECTIVES // 2)
    for card in range(NUM_OBJECTIVES // 2):
        if card != left_out:
            state["objectives"] |= 1 << (2 * card + below(state, 2))


# --- A turn ------------------------------------------------------------------------------------------------------------


@jit
def step(state, rules, action):
    """Plays a legal action of the player to act."""
    p = state["current_player"]
    phase = state["phase"]
    if phase == CHOOSE:
        _choose(state, rules, action - CHOOSE_ACTION)
    elif phase == GATHER:
        gather_mana(state, p, mana_of(state, p, action - GATHER_ACTION, state["movement"]))
        _end_resolution(state, rules)
    else:
        option = action - FLY_ACTION
        if phase == PLACE:
            _place(state, rules, action)
            option = 0
        if state["phase"] == PLACE or phase == FLY:
            movement = rules["movement"][state["played"], option]
            _move_fairy(state, movement)
            if not _gather(state, movement):
                _end_resolution(state, rules)
    return TERMINATED if state["phase"] == OVER else RUNNING


@jit
def legal(state, rules, mask):
    """Writes the action mask of the player to act."""
    mask[:] = 0
    p = state["current_player"]
    phase = state["phase"]
    if phase == CHOOSE:
        for place in range(HAND):
            mask[CHOOSE_ACTION + place] = place < state["hand_size"][p]
    elif phase == PLACE:
        _legal_places(state, rules["type"][state["chosen"][p]], mask)
    elif phase == FLY:
        for option in range(MOVEMENTS):
            mask[FLY_ACTION + option] = 1
    else:
        kind = landed_type(state, p)
        for mushroom in range(MUSHROOMS):
            mask[GATHER_ACTION + mushroom] = state["village"][p, mushroom, kind] > 0


@inline
def _legal_places(state, kind, mask):
    """1. Place your Mushroom: plant at either end, or grow a mushroom of the same type that is below the limit."""
    p = state["current_player"]
    mask[PLANT_LEFT_ACTION] = 1
    mask[PLANT_RIGHT_ACTION] = 1
    for mushroom in range(MUSHROOMS):
        size = state["village"][p, mushroom, kind]
        mask[GROW_ACTION + mushroom] = 0 < size < STACK


# --- A. Choose ---------------------------------------------------------------------------------------------------------


@jit
def _choose(state, rules, place):
    """A. Choose: a card is put aside face down; when all have chosen the first player resolves."""
    p = state["current_player"]
    state["chosen"][p] = state["hand"][p, place]
    following = seat_after(num_seats(state), p, 1)
    state["current_player"] = following
    if following == state["first_player"]:
        _reveal(state, rules, following)


@jit
def _reveal(state, rules, p):
    """B. Resolve, 1.: the player's chosen card is turned face up."""
    card = state["chosen"][p]
    remove_card(state, p, card)
    for q in range(num_seats(state)):
        state["unseen"][q, rules["slot"][card]] -= not knows_hand(state, q, p)
    state["phase"] = PLACE
    state["current_player"] = p
    state["played"] = NO_CARD
    state["movement"] = 0


# --- B. Resolve, 1. Place your Mushroom --------------------------------------------------------------------------------


@jit
def _place(state, rules, action):
    """1. Place your Mushroom; a Spring's movement is to be chosen next."""
    p = state["current_player"]
    card = state["chosen"][p]
    state["chosen"][p] = NO_CARD
    put_card(state, rules, p, card, action)
    complete_objectives(state, p)
    state["played"] = card
    if rules["type"][card] == SPRING:
        state["phase"] = FLY


# --- B. Resolve, 2. Move your Fairy ------------------------------------------------------------------------------------


@inline
def next_mushroom(state, at, mushroom):
    """2. Move your Fairy: one step from right to left through a village, or to the rightmost mushroom of the next seat's."""
    if mushroom > 0:
        return at, mushroom - 1
    at = seat_after(num_seats(state), at, 1)
    return at, int(state["num_mushrooms"][at]) - 1


@jit
def _move_fairy(state, movement):
    """2. Move your Fairy as many steps as the movement says.

    Spring: every one that is passed without stopping pays its owner at once.
    """
    p = state["current_player"]
    at, mushroom = int(state["fairy_village"][p]), int(state["fairy_mushroom"][p])
    for left in range(movement, 0, -1):
        at, mushroom = next_mushroom(state, at, mushroom)
        if left > 1 and state["type"][at, mushroom] == SPRING:
            gather_mana(state, at, int(state["village"][at, mushroom, PAYS]))
    state["fairy_village"][p] = at
    state["fairy_mushroom"][p] = mushroom


# --- B. Resolve, 3. Gather Mana ----------------------------------------------------------------------------------------


@inline
def landed_type(state, p):
    """The type of the mushroom on which a player's fairy stands."""
    return state["type"][state["fairy_village"][p], state["fairy_mushroom"][p]]


@inline
def gather_mana(state, p, mana):
    """3. Gather Mana: a point for each full 20, the rest stays in front of the player."""
    mana += int(state["mana"][p])
    state["points"][p] += mana // MANA_PER_POINT
    state["mana"][p] = mana % MANA_PER_POINT


@jit
def _gather(state, movement):
    """3. Gather Mana from the mushroom the fairy stopped on, and perhaps from an own one of the same type.

    True if the player has to say from which.
    """
    p = state["current_player"]
    owner, mushroom = int(state["fairy_village"][p]), int(state["fairy_mushroom"][p])
    kind = state["type"][owner, mushroom]
    if kind == SPRING:
        return False
    gather_mana(state, owner, mana_of(state, owner, mushroom, movement))
    return owner != p and _gather_own(state, p, kind, movement)


@jit
def _gather_own(state, p, kind, movement):
    """3. Gather Mana, second case: an own mushroom of that type; true if the player has to say which."""
    least, most = PLENTY, 0
    for mushroom in range(MUSHROOMS):
        own = state["village"][p, mushroom, kind] > 0
        pays = int(state["village"][p, mushroom, PAYS])
        least = min(least, pays if own else PLENTY)
        most = max(most, pays if own else 0)
    if least < most:
        state["phase"] = GATHER
        state["movement"] = movement
        return True
    gather_mana(state, p, most * movement if kind == ACADEMY else most)
    return False


# --- C. End of turn, End of the round, End of the game -----------------------------------------------------------------


@jit
def _end_resolution(state, rules):
    """The next player resolves, or the turn ends."""
    following = seat_after(num_seats(state), int(state["current_player"]), 1)
    if following == state["first_player"]:
        _end_turn(state, rules)
    else:
        _reveal(state, rules, following)


@jit
def _end_turn(state, rules):
    """C. End of turn: hands and tile go to the left; after six turns the round is over."""
    state["played"] = NO_CARD
    state["movement"] = 0
    if state["turn"] == TURNS and state["round"] == ROUNDS:
        _end_game(state)
        return
    state["first_player"] = seat_after(num_seats(state), int(state["first_player"]), 1)
    if state["turn"] == TURNS:
        deal(state, rules, ROUNDS)  # the seventh cards go back in the box, and the second deck is dealt
        return
    pass_hands(state)
    state["turn"] += 1
    state["phase"] = CHOOSE
    state["current_player"] = state["first_player"]
    if state["turn"] <= num_seats(state):
        see_new_hands(state, rules)


@jit
def _end_game(state):
    """End of the game: the tile stays where it is, and no card is left to be drawn or not to be known."""
    for p in range(num_seats(state)):
        empty_hand(state, p)
    state["box"][:] = 0
    state["unseen"][:] = 0
    state["phase"] = OVER
    state["current_player"] = NO_PLAYER


@jit
def score(state, rules, scores, standings):
    """End of the game: most points, then most mana; else the victory is shared."""
    for p in range(num_seats(state)):
        scores[p] = state["points"][p]
        standings[p] = int(state["points"][p]) * MANA_PER_POINT + state["mana"][p]
