"""The rules of Fairy Ring over one record, in the order of the rulebook.

Section names in the docstrings are those of the rulebook. Nothing here raises or allocates; actions are legal.
"""

import numpy as np

from envs.engine import NO_PLAYER, RUNNING, TERMINATED, below, inline, jit
from envs.fairy_ring.state import (
    ACADEMY,
    CHOOSE_ACTION,
    COLUMNS,
    FIREFLIES,
    FLY_ACTION,
    GATHER_ACTION,
    GROW_ACTION,
    HAND,
    LOOKOUT,
    LUMINARIUM,
    MAGIDROME,
    MANA_PER_POINT,
    MOVEMENTS,
    MUSHROOMS,
    NO_CARD,
    NUM_OBJECTIVES,
    NUM_TYPES,
    PAYS,
    PLANT_LEFT_ACTION,
    PLANT_RIGHT_ACTION,
    POLLENARIUM,
    ROUNDS,
    SPRING,
    STACK,
    TURNS,
    Phase,
)

# Compiled code takes plain numbers faster than enum members.
CHOOSE, PLACE, FLY, GATHER, OVER = (int(phase) for phase in Phase)


@inline
def num_seats(state):
    """Players of a game; known when the rules are compiled."""
    return len(state["points"])


@inline
def seat_after(state, seat, steps):
    """The seat so many places clockwise (to the left) of a seat."""
    seat += steps
    return seat - num_seats(state) if seat >= num_seats(state) else seat


@inline
def distance(state, seat, other):
    """How many places clockwise of ``seat`` the seat ``other`` sits."""
    steps = other - seat
    return steps + num_seats(state) if steps < 0 else steps


# --- Setup --------------------------------------------------------------------------------------------------------------


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
    _deal(state, rules, 1)


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


@jit
def _deal(state, rules, round_number):
    """Gameplay Overview: seven cards of the round's deck to each player, the rest back in the box."""
    state["round"] = round_number
    state["turn"] = 1
    box = state["box"]
    left = 0
    for slot in range(len(box)):
        box[slot] = rules["copies"][round_number - 1, slot]
        left += box[slot]
        for p in range(num_seats(state)):
            state["unseen"][p, slot] = box[slot]
    for p in range(num_seats(state)):
        state["chosen"][p] = NO_CARD
        state["hand_size"][p] = 0
        for _ in range(HAND):
            slot = draw_from_box(state, left)
            left -= 1
            insert_card(state, p, rules["deck"][round_number - 1, slot])
            state["unseen"][p, slot] -= 1
    state["phase"] = CHOOSE
    state["current_player"] = state["first_player"]


@jit
def draw_from_box(state, left):
    """Takes a random card of the ``left`` undealt ones out of the box; returns its place in the deck."""
    rank = below(state, left)
    slot = 0
    while rank >= state["box"][slot]:
        rank -= state["box"][slot]
        slot += 1
    state["box"][slot] -= 1
    return slot


@jit
def insert_card(state, p, card):
    """Puts a card into a hand, which stays sorted."""
    hand = state["hand"][p]
    place = state["hand_size"][p]
    while place > 0 and hand[place - 1] > card:
        hand[place] = hand[place - 1]
        place -= 1
    hand[place] = card
    state["hand_size"][p] += 1


@jit
def _remove_card(state, p, card):
    """Takes a card out of a hand, which stays sorted and without gaps."""
    hand = state["hand"][p]
    place = 0
    while hand[place] != card:
        place += 1
    state["hand_size"][p] -= 1
    for i in range(place, HAND - 1):
        hand[i] = hand[i + 1]
    hand[HAND - 1] = NO_CARD


# --- A turn -------------------------------------------------------------------------------------------------------------


@jit
def step(state, rules, action):
    """Plays a legal action of the player to act."""
    phase = state["phase"]
    if phase == CHOOSE:
        _choose(state, rules, action - CHOOSE_ACTION)
    elif phase == PLACE:
        _place(state, rules, action)
    elif phase == FLY:
        _move_fairy(state, rules, rules["movement"][state["played"], action - FLY_ACTION])
    else:
        p = state["current_player"]
        gather_mana(state, p, mana_of(state, p, action - GATHER_ACTION, state["movement"]))
        _end_resolution(state, rules)
    return TERMINATED if state["phase"] == OVER else RUNNING


@jit
def legal(state, rules, mask):
    """Writes the action mask of the player to act."""
    mask[:] = 0
    p = state["current_player"]
    phase = state["phase"]
    if phase == CHOOSE:
        for place in range(state["hand_size"][p]):
            mask[CHOOSE_ACTION + place] = 1
    elif phase == PLACE:
        _legal_places(state, rules["type"][state["chosen"][p]], mask)
    elif phase == FLY:
        for option in range(MOVEMENTS):
            mask[FLY_ACTION + option] = 1
    else:
        kind = landed_type(state, p)
        for mushroom in range(state["num_mushrooms"][p]):
            if state["village"][p, mushroom, kind] > 0:
                mask[GATHER_ACTION + mushroom] = 1


@inline
def _legal_places(state, kind, mask):
    """1. Place your Mushroom: plant at either end, or grow a mushroom of the same type that is below the limit."""
    p = state["current_player"]
    mask[PLANT_LEFT_ACTION] = 1
    mask[PLANT_RIGHT_ACTION] = 1
    for mushroom in range(MUSHROOMS):
        size = state["village"][p, mushroom, kind]
        mask[GROW_ACTION + mushroom] = 0 < size < STACK


# --- A. Choose ----------------------------------------------------------------------------------------------------------


@jit
def _choose(state, rules, place):
    """A. Choose: a card is put aside face down; when all have chosen the first player resolves."""
    p = state["current_player"]
    state["chosen"][p] = state["hand"][p, place]
    following = seat_after(state, p, 1)
    state["current_player"] = following
    if following == state["first_player"]:
        _reveal(state, rules, following)


@jit
def _reveal(state, rules, p):
    """B. Resolve, 1.: the player's chosen card is turned face up."""
    card = state["chosen"][p]
    _remove_card(state, p, card)
    for q in range(num_seats(state)):
        if not knows_hand(state, q, p):
            state["unseen"][q, rules["slot"][card]] -= 1
    state["phase"] = PLACE
    state["current_player"] = p
    state["played"] = NO_CARD
    state["movement"] = 0


@inline
def knows_hand(state, seat, other):
    """Whether a seat has held, this round, the hand that ``other`` holds now (hands go one place on every turn)."""
    return distance(state, seat, other) < state["turn"]


# --- B. Resolve, 1. Place your Mushroom ---------------------------------------------------------------------------------


@jit
def _place(state, rules, action):
    """1. Place your Mushroom, and on to the move; a Spring's movement is chosen first."""
    p = state["current_player"]
    card = state["chosen"][p]
    state["chosen"][p] = NO_CARD
    if action == PLANT_LEFT_ACTION:
        _make_room_left(state, p)
        plant(state, rules, p, 0, card)
    elif action == PLANT_RIGHT_ACTION:
        plant(state, rules, p, int(state["num_mushrooms"][p]), card)
    else:
        grow(state, rules, p, action - GROW_ACTION, card)
    _complete_objectives(state, p)
    state["played"] = card
    if rules["type"][card] == SPRING:
        state["phase"] = FLY
    else:
        _move_fairy(state, rules, rules["movement"][card, 0])


@jit
def _make_room_left(state, p):
    """Moves a village one place to the right, with every fairy that stands in it."""
    cards, village, kinds = state["cards"][p], state["village"][p], state["type"][p]
    for mushroom in range(state["num_mushrooms"][p], 0, -1):
        kinds[mushroom] = kinds[mushroom - 1]
        for i in range(STACK):
            cards[mushroom, i] = cards[mushroom - 1, i]
        for column in range(COLUMNS):
            village[mushroom, column] = village[mushroom - 1, column]
    for q in range(num_seats(state)):
        state["fairy_mushroom"][q] += state["fairy_village"][q] == p


@jit
def plant(state, rules, p, mushroom, card):
    """Plant a new Mushroom at the given place of the village."""
    cards, village = state["cards"][p, mushroom], state["village"][p, mushroom]
    for i in range(STACK):
        cards[i] = NO_CARD
    for column in range(COLUMNS):
        village[column] = 0
    state["num_mushrooms"][p] += 1
    state["type"][p, mushroom] = rules["type"][card]
    cards[0] = card
    village[rules["type"][card]] = 1
    village[FIREFLIES] = rules["fireflies"][card]
    _appraise(state, rules, p, mushroom)


@jit
def grow(state, rules, p, mushroom, card):
    """Make a Mushroom grow: the card covers the top one."""
    village = state["village"][p, mushroom]
    kind = rules["type"][card]
    state["cards"][p, mushroom, village[kind]] = card
    village[kind] += 1
    covered = village[FIREFLIES] if rules["all_fireflies"] else np.int8(0)
    village[FIREFLIES] = covered + rules["fireflies"][card]
    _appraise(state, rules, p, mushroom)


@jit
def _appraise(state, rules, p, changed):
    """Mushroom details: what the mushrooms of a village pay, after one of them was planted or has grown."""
    village = state["village"][p, changed]
    kind = state["type"][p, changed]
    size = int(village[kind])
    if kind in (MAGIDROME, SPRING):
        village[PAYS] = _printed_mana(state, rules, p, changed, size)
    elif kind == LOOKOUT:
        village[PAYS] = rules["lookout"][size]
    elif kind == ACADEMY:
        village[PAYS] = size
    _appraise_dependent(state, p)


@jit
def _appraise_dependent(state, p):
    """Mushroom details, Luminarium and Pollenarium: they depend on the whole village."""
    mushrooms = int(state["num_mushrooms"][p])
    fireflies = 0
    for mushroom in range(mushrooms):
        fireflies += state["village"][p, mushroom, FIREFLIES]
    for mushroom in range(mushrooms):
        village = state["village"][p, mushroom]
        luminarium, pollenarium = int(village[LUMINARIUM]), int(village[POLLENARIUM])
        if luminarium | pollenarium:
            village[PAYS] = luminarium * fireflies + pollenarium * mushrooms


@inline
def _printed_mana(state, rules, p, mushroom, size):
    total = 0
    for i in range(size):
        total += rules["mana"][state["cards"][p, mushroom, i]]
    return total


# --- B. Resolve, 2. Move your Fairy -------------------------------------------------------------------------------------


@jit
def _move_fairy(state, rules, movement):
    """2. Move your Fairy: from right to left through a village, then to the rightmost of the next seat's.

    Spring: every one that is passed without stopping pays its owner at once.
    """
    p = state["current_player"]
    at, mushroom = int(state["fairy_village"][p]), int(state["fairy_mushroom"][p])
    for left in range(movement, 0, -1):
        mushroom -= 1
        if mushroom < 0:
            at = seat_after(state, at, 1)
            mushroom = int(state["num_mushrooms"][at]) - 1
        if left > 1 and state["type"][at, mushroom] == SPRING:
            gather_mana(state, at, int(state["village"][at, mushroom, PAYS]))
    state["fairy_village"][p] = at
    state["fairy_mushroom"][p] = mushroom
    _gather(state, rules, movement)


# --- B. Resolve, 3. Gather Mana -----------------------------------------------------------------------------------------


@inline
def landed_type(state, p):
    """The type of the mushroom on which a player's fairy stands."""
    return state["type"][state["fairy_village"][p], state["fairy_mushroom"][p]]


@inline
def mana_of(state, p, mushroom, movement):
    """What a mushroom pays when a fairy has just flown so far."""
    pays = int(state["village"][p, mushroom, PAYS])
    return pays * movement if state["type"][p, mushroom] == ACADEMY else pays


@inline
def gather_mana(state, p, mana):
    """3. Gather Mana: a point for each full 20, the rest stays in front of the player."""
    mana += int(state["mana"][p])
    state["points"][p] += mana // MANA_PER_POINT
    state["mana"][p] = mana % MANA_PER_POINT


@jit
def _gather(state, rules, movement):
    """3. Gather Mana from the mushroom the fairy stopped on, and perhaps from an own one of the same type."""
    p = state["current_player"]
    owner, mushroom = int(state["fairy_village"][p]), int(state["fairy_mushroom"][p])
    kind = state["type"][owner, mushroom]
    if kind != SPRING:
        gather_mana(state, owner, mana_of(state, owner, mushroom, movement))
        if owner != p and _gather_own(state, p, kind, movement):
            return
    _end_resolution(state, rules)


@jit
def _gather_own(state, p, kind, movement):
    """3. Gather Mana, second case: an own mushroom of that type; true if the player has to say which."""
    least, most = -1, -1
    for mushroom in range(state["num_mushrooms"][p]):
        if state["type"][p, mushroom] == kind:
            mana = mana_of(state, p, mushroom, movement)
            least = mana if least < 0 else min(least, mana)
            most = max(most, mana)
    if least == most:
        gather_mana(state, p, max(most, 0))
        return False
    state["phase"] = GATHER
    state["movement"] = movement
    return True


# --- C. End of turn, End of the round -----------------------------------------------------------------------------------


@jit
def _end_resolution(state, rules):
    """The next player resolves, or the turn ends."""
    following = seat_after(state, int(state["current_player"]), 1)
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
    state["first_player"] = seat_after(state, int(state["first_player"]), 1)
    if state["turn"] == TURNS:
        _deal_again(state, rules)
        return
    _pass_hands(state, rules)
    state["turn"] += 1
    state["phase"] = CHOOSE
    state["current_player"] = state["first_player"]
    if state["turn"] <= num_seats(state):
        _see_new_hands(state, rules)


@jit
def _pass_hands(state, rules):
    """C. End of turn: everybody's cards go to the player on the left; all hold the same number."""
    last = num_seats(state) - 1
    for place in range(HAND):
        moved = state["hand"][last, place]
        for p in range(last, 0, -1):
            state["hand"][p, place] = state["hand"][p - 1, place]
        state["hand"][0, place] = moved


@jit
def _see_new_hands(state, rules):
    """A player who gets a hand not held before has now seen its cards."""
    for p in range(num_seats(state)):
        for place in range(state["hand_size"][p]):
            state["unseen"][p, rules["slot"][state["hand"][p, place]]] -= 1


@jit
def _deal_again(state, rules):
    """End of the round: the seventh cards go back in the box and the second deck is dealt."""
    _empty_hands(state)
    _deal(state, rules, ROUNDS)


@jit
def _empty_hands(state):
    for p in range(num_seats(state)):
        state["hand_size"][p] = 0
        for place in range(HAND):
            state["hand"][p, place] = NO_CARD


@jit
def _end_game(state):
    """End of the game: the tile stays where it is."""
    _empty_hands(state)
    state["phase"] = OVER
    state["current_player"] = NO_PLAYER


@jit
def score(state, rules, scores, standings):
    """End of the game: most points, then most mana; else the victory is shared."""
    for p in range(num_seats(state)):
        scores[p] = state["points"][p]
        standings[p] = int(state["points"][p]) * MANA_PER_POINT + state["mana"][p]


# --- Variant: Objective cards -------------------------------------------------------------------------------------------


@jit
def _complete_objectives(state, p):
    """Variant, Resolve: a point for each objective in play that the village fulfils for the first time."""
    missing = int(state["objectives"]) & ~int(state["completed"][p])
    if missing == 0:
        return
    for objective in range(NUM_OBJECTIVES):
        if missing >> objective & 1 and _is_fulfilled(state, p, objective):
            state["completed"][p] |= 1 << objective
            state["points"][p] += 1


@jit
def _is_fulfilled(state, p, objective):
    """The eight objectives, in the order of the Japanese text's list."""
    if objective == 0:
        return _visible_fireflies(state, p) >= 10
    if objective == 1:
        return _mushrooms_with_fireflies(state, p, 2) >= 3
    if objective == 2:
        return state["num_mushrooms"][p] >= 7
    if objective == 3:
        return _different_types(state, p) >= 6
    if objective == 4:
        return _most_of_a_type(state, p) >= 3
    if objective == 5:
        return _mushrooms_of_size(state, p, 3) >= 3
    if objective == 6:
        return _mushrooms_of_size(state, p, 2) >= 4
    return _mushrooms_of_size(state, p, 4) >= 2


@jit
def _visible_fireflies(state, p):
    return state["village"][p, :, FIREFLIES].sum()


@jit
def _mushrooms_with_fireflies(state, p, least):
    return (state["village"][p, :, FIREFLIES] >= least).sum()


@jit
def _mushrooms_of_type(state, p, kind):
    return (state["village"][p, :, kind] > 0).sum()


@jit
def _different_types(state, p):
    types = 0
    for kind in range(NUM_TYPES):
        types += _mushrooms_of_type(state, p, kind) > 0
    return types


@jit
def _most_of_a_type(state, p):
    most = 0
    for kind in range(NUM_TYPES):
        most = max(most, _mushrooms_of_type(state, p, kind))
    return most


@jit
def _mushrooms_of_size(state, p, least):
    mushrooms = 0
    for kind in range(NUM_TYPES):
        mushrooms += (state["village"][p, :, kind] >= least).sum()
    return mushrooms


# --- What a seat cannot know --------------------------------------------------------------------------------------------


@inline
def is_hidden(state, seat, other):
    """Whether ``other`` has chosen a card that ``seat`` has not been shown."""
    revealed = state["phase"] == PLACE and other == state["current_player"]
    return state["chosen"][other] != NO_CARD and other != seat and not revealed


@jit
def redeal(state, rules, seat):
    """Shuffles the hands that a seat has not held with the undealt cards, and the secret choices among their hands."""
    if state["phase"] == OVER:
        return
    deck = rules["deck"][state["round"] - 1]
    left = 0
    for slot in range(len(state["box"])):
        state["box"][slot] = state["unseen"][seat, slot]
        left += state["box"][slot]
    for other in range(num_seats(state)):
        if not knows_hand(state, seat, other):
            cards = state["hand_size"][other]
            state["hand_size"][other] = 0
            for _ in range(cards):
                insert_card(state, other, deck[draw_from_box(state, left)])
                left -= 1
        if is_hidden(state, seat, other):
            state["chosen"][other] = state["hand"][other, below(state, state["hand_size"][other])]
    _forget(state, rules, seat)


@jit
def _forget(state, rules, seat):
    """Works out what the others have not seen of the cards as they lie now."""
    for slot in range(len(state["box"])):
        unseen = int(state["unseen"][seat, slot])
        for other in range(num_seats(state)):
            state["unseen"][other, slot] = unseen
    for holder in range(num_seats(state)):
        for place in range(state["hand_size"][holder]):
            slot = rules["slot"][state["hand"][holder, place]]
            for other in range(num_seats(state)):
                if other != seat:
                    known_before, known_now = knows_hand(state, seat, holder), knows_hand(state, other, holder)
                    state["unseen"][other, slot] += int(known_before) - int(known_now)
