"""Whether a record is a possible position of Fairy Ring: the check that stands between foreign bytes and the compiled rules.

The fields are gone through in an order in which nothing is used before it has been checked: first the clock (phase, seats, round,
turn), then what stands in the villages, the fairies, the hands, the card in play, and last what can be counted from all of these.

Why no record that passes makes compiled code leave its arrays
    Every index that the rules take from a record is one of these, with the range that is made sure of here:

    * seats (``current_player``, ``first_player``, ``fairy_village``): at the table, or nobody when the game is over and no rule runs
    * ``fairy_mushroom``: below ``num_mushrooms`` of that village
    * ``num_mushrooms``, where the next mushroom is planted: from 1 to one more than the cards the player has placed; so, with the
      cards still to come, never above 13, also of a village that is moved to the right
    * the heights of mushrooms, where a growing one gets its card: the number of its cards, from 1 to 4
    * cards in villages, hands, ``chosen`` and ``played``: in the start deck or a deck dealt so far
    * ``box`` and ``unseen``, by whose sums cards are drawn: what is left of the round's deck, so that as many cards as hands need
      are there
    * ``objectives`` and ``completed``: below 256

    A village holds at most 13 cards, so what its mushrooms pay fits in ``int8``. A player who is to gather has mushrooms to choose
    from, and other phases always have a legal action. All this stays so on every step, for the rules keep it.
"""

import numpy as np

from envs.engine import NO_PLAYER, field_numbers, inline, jit
from envs.fairy_ring.seats import knows_hand, num_seats
from envs.fairy_ring.state import (
    CHOOSE,
    COLUMNS,
    FIREFLIES,
    FLY,
    GATHER,
    HAND,
    LUMINARIUM,
    MANA_PER_POINT,
    MAX_CARDS,
    MOVEMENTS,
    MUSHROOMS,
    NO_CARD,
    NUM_OBJECTIVES,
    NUM_TYPES,
    OVER,
    PAYS,
    PLACE,
    POLLENARIUM,
    ROUNDS,
    SPRING,
    STACK,
    TURNS,
    state_dtype,
)
from envs.seats import distance

FIELD = field_numbers(state_dtype(2, 1))  # the places are the same for every number of players
MOST_POINTS = 32000

POSSIBLE = {
    "decisions": "a number of decisions, at most as many as lead to this turn",
    "current_player": "a seat at the table, and -1 when the game is over",
    "phase": "one of the phases; gather only after a flight to another village, with own mushrooms that pay differently",
    "round": f"from 1 to {ROUNDS}, {ROUNDS} when the game is over",
    "turn": f"from 1 to {TURNS}, {TURNS} when the game is over",
    "first_player": "a seat at the table",
    "played": "in phases fly (a Spring) and gather a card of the round, on top of an own mushroom, else -1",
    "movement": "in phase gather a movement of the card played, else 0",
    "objectives": "a side of three of the four objective cards with option objectives, else none",
    "completed": "some of the objectives in play",
    "mana": f"from 0 to {MANA_PER_POINT - 1}",
    "points": f"from 0 to {MOST_POINTS}",
    "hand": "cards of the round in order of their ids, as many as hand_size, then -1",
    "hand_size": "what turn and phase leave of seven cards",
    "chosen": "in its time a card of the round, in the hand until it is revealed, else -1",
    "fairy_village": "a seat at the table",
    "fairy_mushroom": "a mushroom of the village in which the fairy stands",
    "num_mushrooms": f"the number of mushrooms that have cards, from 1 to {MUSHROOMS}",
    "cards": f"in each mushroom 1 to {STACK} cards of one type, dealt so far and no more often than their deck has them, in a village "
    "at most one and one for each turn; then -1",
    "type": "the type of each mushroom's cards, then 0",
    "village": "size, fireflies and pay of each mushroom, then zeros",
    "box": "the copies of each card of the round that are in no hand and no village, 0 when the game is over",
    "unseen": "what is in the box and in hands that the seat has not held, 0 when the game is over",
}
"""What each field may be, for messages."""

DECISIONS_PER_TURN = 4  # choose, place, fly, gather
WORD = 64  # bits of a word
_NONE, _ONE = np.uint64(0), np.uint64(1)
_FIRST_SIDES = sum(1 << side for side in range(0, NUM_OBJECTIVES, 2))  # bits of one objective of each card


@jit
def fault_of(state, rules):
    """0 for a possible position, else 1 + the place in ``state.dtype.names`` of the first field found impossible.

    Exact: 0 if and only if ``Game.from_dict`` makes the same record, but for ``rng`` and ``decisions``, of what ``Game.to_dict``
    makes of this one, and ``decisions`` are from 0 to as many as the game can have had. Of the gaps between fields, which no compiled
    code reads, ``Game.check_records`` takes care. ``state`` may hold any bytes.
    """
    return (
        _clock_fault(state)
        or _objectives_fault(state, rules)
        or _mana_fault(state)
        or _villages_fault(state, rules)
        or _fairies_fault(state)
        or _hands_fault(state, rules)
        or _play_fault(state, rules)
        or _copies_fault(state, rules)
        or _unseen_fault(state, rules)
        or _decisions_fault(state, rules)
    )


# --- clock and scores ---------------------------------------------------------------------------------------------------


@jit
def _clock_fault(state):
    players, phase, current = num_seats(state), int(state["phase"]), int(state["current_player"])
    is_over = phase == OVER
    if not CHOOSE <= phase <= OVER:
        return FIELD.phase
    if not NO_PLAYER <= current < players or (current == NO_PLAYER) != is_over:
        return FIELD.current_player
    if not (ROUNDS if is_over else 1) <= state["round"] <= ROUNDS:
        return FIELD.round
    if not (TURNS if is_over else 1) <= state["turn"] <= TURNS:
        return FIELD.turn
    if not 0 <= state["first_player"] < players:
        return FIELD.first_player
    return 0


@jit
def _objectives_fault(state, rules):
    """Three of the four cards lie with one side up; of a pair of bits, one objective each, one is set."""
    objectives = int(state["objectives"])
    first, second = objectives & _FIRST_SIDES, objectives >> 1 & _FIRST_SIDES
    left_out = _FIRST_SIDES ^ (first | second)
    if not rules["with_objectives"]:
        wrong = objectives != 0
    elif not 0 <= objectives < 1 << NUM_OBJECTIVES:
        wrong = True
    else:
        wrong = first & second != 0 or left_out == 0 or left_out & (left_out - 1) != 0
    if wrong:
        return FIELD.objectives
    for p in range(num_seats(state)):
        if int(state["completed"][p]) & ~objectives != 0:
            return FIELD.completed
    return 0


@jit
def _mana_fault(state):
    for p in range(num_seats(state)):
        if not 0 <= state["mana"][p] < MANA_PER_POINT:
            return FIELD.mana
        if not 0 <= state["points"][p] <= MOST_POINTS:
            return FIELD.points
    return 0


@inline
def _order(state, p):
    """How many players come before ``p`` in a turn."""
    return distance(num_seats(state), int(state["first_player"]), p)


@inline
def _has_revealed(state, p):
    """Whether the card that a player has chosen this turn has been turned up, and perhaps placed already."""
    phase, current = int(state["phase"]), int(state["current_player"])
    return phase == OVER or (phase != CHOOSE and _order(state, p) <= _order(state, current))


@inline
def _is_placing(state, p):
    return state["phase"] == PLACE and p == state["current_player"]


# --- villages -----------------------------------------------------------------------------------------------------------


@inline
def _copies_in(rules, card, number):
    """How many copies of a card the deck of a round has; the card may be any number."""
    if not 0 <= card < MAX_CARDS:
        return 0
    slot = rules["slot"][card]
    return int(rules["copies"][number - 1, slot]) if rules["deck"][number - 1, slot] == card else 0


@inline
def _copies(state, rules, card):
    """How many copies of it the start deck and the decks of the rounds so far have."""
    if not 0 <= card < MAX_CARDS:
        return 0
    earlier = _copies_in(rules, card, 1) if state["round"] > 1 else 0
    return int(rules["starting_copies"][card]) + earlier + _copies_in(rules, card, int(state["round"]))


@jit
def _villages_fault(state, rules):
    for p in range(num_seats(state)):
        fault = _stacks_fault(state, rules, p) or _appraisal_fault(state, rules, p)
        if fault != 0:
            return fault
    return 0


@jit
def _stacks_fault(state, rules, p):
    """A starting card and one for each turn at most: with the cards to come, a village then never holds more than 13."""
    mushrooms = int(state["num_mushrooms"][p])
    if not 1 <= mushrooms <= MUSHROOMS or mushrooms != _num_planted(state, p):
        return FIELD.num_mushrooms
    total = 0
    for mushroom in range(mushrooms):
        size = _stack_size(state, rules, p, mushroom)
        if size == 0:
            return FIELD.cards
        if state["type"][p, mushroom] != rules["type"][state["cards"][p, mushroom, 0]]:
            return FIELD.type
        total += size
    if not _ends_with(state["cards"][p].reshape(MUSHROOMS * STACK), mushrooms * STACK, NO_CARD):
        return FIELD.cards
    if not _ends_with(state["type"][p], mushrooms, 0):
        return FIELD.type
    turns = (int(state["round"]) - 1) * TURNS + int(state["turn"]) - 1
    placed = turns + (_has_revealed(state, p) and not _is_placing(state, p))
    return FIELD.cards if total > 1 + placed else 0


@inline
def _num_planted(state, p):
    planted = 0
    for mushroom in range(MUSHROOMS):
        planted += state["cards"][p, mushroom, 0] != NO_CARD
    return planted


@inline
def _stack_size(state, rules, p, mushroom):
    """The cards of a mushroom; 0 if they are not of one type, of decks dealt so far and without a gap among them."""
    stack = state["cards"][p, mushroom]
    size = 0
    for i in range(STACK):
        card = int(stack[i])
        if card != NO_CARD:
            if size != i or _copies(state, rules, card) == 0 or rules["type"][card] != rules["type"][stack[0]]:
                return 0
            size += 1
    return size


@inline
def _ends_with(row, start, number):
    """Whether a list holds one number from a place on; without a way out of the loop, see ``villages``."""
    others = 0
    for place in range(start, len(row)):
        others += row[place] != number
    return others == 0


@jit
def _appraisal_fault(state, rules, p):
    """What is known of a mushroom follows from its cards, see ``villages.plant`` and ``villages.grow``."""
    mushrooms, fireflies, right = int(state["num_mushrooms"][p]), 0, True
    for mushroom in range(mushrooms):
        fireflies += int(state["village"][p, mushroom, FIREFLIES])
    # A wrong number of fireflies in the sum is found where it stands.
    for mushroom in range(mushrooms):
        right &= _is_appraised(state, rules, p, mushroom, fireflies)
    right &= _ends_with(state["village"][p].reshape(MUSHROOMS * COLUMNS), mushrooms * COLUMNS, 0)
    return 0 if right else FIELD.village


@inline
def _is_appraised(state, rules, p, mushroom, fireflies):
    kind = int(state["type"][p, mushroom])
    size, visible, pays = 0, 0, 0
    for i in range(STACK):
        card = int(state["cards"][p, mushroom, i])
        if card != NO_CARD:
            size += 1
            visible = int(rules["fireflies"][card]) + (visible if rules["all_fireflies"] else 0)
            pays += int(rules["adds"][card, size])
    if kind == LUMINARIUM:
        pays = size * fireflies
    elif kind == POLLENARIUM:
        pays = size * int(state["num_mushrooms"][p])
    village = state["village"][p, mushroom]
    right = village[FIREFLIES] == visible and village[PAYS] == pays
    for column in range(NUM_TYPES):
        right &= village[column] == (size if column == kind else 0)
    return right


@jit
def _fairies_fault(state):
    for p in range(num_seats(state)):
        if not 0 <= state["fairy_village"][p] < num_seats(state):
            return FIELD.fairy_village
        if not 0 <= state["fairy_mushroom"][p] < state["num_mushrooms"][state["fairy_village"][p]]:
            return FIELD.fairy_mushroom
    return 0


# --- hands and the card in play -----------------------------------------------------------------------------------------


@jit
def _hands_fault(state, rules):
    for p in range(num_seats(state)):
        held = 0 if state["phase"] == OVER else HAND + 1 - int(state["turn"]) - _has_revealed(state, p)
        if state["hand_size"][p] != held:
            return FIELD.hand_size
        if not _is_hand(state, rules, p):
            return FIELD.hand
        if not _is_choice(state, rules, p):
            return FIELD.chosen
    return 0


@inline
def _is_hand(state, rules, p):
    """Cards of the round in order, then none."""
    before, right = 0, True
    for place in range(HAND):
        card = int(state["hand"][p, place])
        if place < state["hand_size"][p]:
            right &= card >= before and _copies_in(rules, card, int(state["round"])) > 0
            before = card
        else:
            right &= card == NO_CARD
    return right


@inline
def _is_choice(state, rules, p):
    """Who has chosen and not yet placed has a chosen card; it is in the hand until it is revealed."""
    card = int(state["chosen"][p])
    if _is_placing(state, p):
        return _copies_in(rules, card, int(state["round"])) > 0
    if state["phase"] == CHOOSE:
        has_chosen = _order(state, p) < _order(state, int(state["current_player"]))
    else:
        has_chosen = not _has_revealed(state, p)
    if not has_chosen:
        return card == NO_CARD
    found = False
    for place in range(state["hand_size"][p]):
        found |= state["hand"][p, place] == card
    return found


@jit
def _play_fault(state, rules):
    phase, card, movement = int(state["phase"]), int(state["played"]), int(state["movement"])
    if phase == FLY or phase == GATHER:
        if _copies_in(rules, card, int(state["round"])) == 0 or not _is_on_top(state, card):
            return FIELD.played
        if phase == FLY and rules["type"][card] != SPRING:
            return FIELD.played
    elif card != NO_CARD:
        return FIELD.played
    if phase != GATHER:
        return 0 if movement == 0 else FIELD.movement
    if not _can_fly(rules, card, movement):
        return FIELD.movement
    return 0 if _is_gathering(state) else FIELD.phase


@inline
def _is_on_top(state, card):
    """Whether a card is the top one of a mushroom of the player to act."""
    p, found = int(state["current_player"]), False
    for mushroom in range(state["num_mushrooms"][p]):
        size = int(state["village"][p, mushroom, state["type"][p, mushroom]])
        found |= state["cards"][p, mushroom, size - 1] == card
    return found


@inline
def _can_fly(rules, card, movement):
    found = False
    for option in range(MOVEMENTS):
        found |= rules["movement"][card, option] == movement
    return found and movement > 0


@inline
def _is_gathering(state):
    """3. Gather Mana, second case: from which own mushroom is asked only if they pay different amounts."""
    p = int(state["current_player"])
    owner = int(state["fairy_village"][p])
    kind = int(state["type"][owner, state["fairy_mushroom"][p]])
    found, differ, first = False, False, 0
    for mushroom in range(state["num_mushrooms"][p]):
        if state["type"][p, mushroom] == kind:
            pays = int(state["village"][p, mushroom, PAYS])
            first = pays if not found else first
            differ |= pays != first
            found = True
    return owner != p and kind != SPRING and differ


# --- what can be counted ------------------------------------------------------------------------------------------------


@inline
def _num_places(state, p):
    """Places in which cards of a player can lie in sight: the village, the hand, and a chosen card turned up."""
    return int(state["num_mushrooms"][p]) * STACK + HAND + 1


@inline
def _card_at(state, p, place):
    """The card that lies there, or NO_CARD."""
    hand = int(state["num_mushrooms"][p]) * STACK
    if place < hand:
        return int(state["cards"][p, place // STACK, place % STACK])
    if place < hand + HAND:
        return int(state["hand"][p, place - hand])
    return int(state["chosen"][p]) if _is_placing(state, p) else NO_CARD


@inline
def _field_of(state, p, place):
    hand = int(state["num_mushrooms"][p]) * STACK
    if place < hand:
        return FIELD.cards
    return FIELD.hand if place < hand + HAND else FIELD.chosen


@jit
def _copies_fault(state, rules):
    """No card is there more often than its deck has it, and what is in no hand and no village is in the box."""
    number, is_over = int(state["round"]), state["phase"] == OVER
    distinct, dealt = _are_distinct(state), 0
    for p in range(num_seats(state)):
        for place in range(_num_places(state, p)):
            card = _card_at(state, p, place)
            if card == NO_CARD:
                continue
            times = 1
            if not distinct:
                times = _times_in_sight(state, card)
                if times > _copies(state, rules, card):
                    return _field_of(state, p, place)
            copies = _copies_in(rules, card, number)
            dealt += copies > 0
            if copies > 0 and not is_over and state["box"][rules["slot"][card]] != copies - times:
                return FIELD.box
    return _box_fault(state, rules, dealt)


@inline
def _are_distinct(state):
    """Whether no two cards in sight are alike, by a bit for each that was met."""
    low, high, repeated = _NONE, _NONE, _NONE
    for p in range(num_seats(state)):
        for place in range(_num_places(state, p)):
            card = _card_at(state, p, place)
            if card != NO_CARD:
                bit = _ONE << np.uint64(card % WORD)
                repeated |= (low if card < WORD else high) & bit
                low |= bit if card < WORD else _NONE
                high |= _NONE if card < WORD else bit
    return repeated == _NONE


@jit
def _times_in_sight(state, card):
    times = 0
    for p in range(num_seats(state)):
        for place in range(_num_places(state, p)):
            times += _card_at(state, p, place) == card
    return times


@inline
def _box_fault(state, rules, dealt):
    """The numbers of cards in sight are right already; so are all others if none is too large and the sum is right."""
    number, total, boxed = int(state["round"]) - 1, 0, 0
    for slot in range(rules["round_cards"]):
        copies, box = int(rules["copies"][number, slot]), int(state["box"][slot])
        if not 0 <= box <= copies:
            return FIELD.box
        total += copies
        boxed += box
    return 0 if boxed == (0 if state["phase"] == OVER else total - dealt) else FIELD.box


@jit
def _unseen_fault(state, rules):
    for seat in range(num_seats(state)):
        if not _is_unseen(state, rules, seat):
            return FIELD.unseen
    return 0


@inline
def _is_unseen(state, rules, seat):
    """Beside the box a seat has not seen the hands that it has not held; the sum shows that no other number is too large."""
    hidden, surplus, right = 0, 0, True
    for p in range(num_seats(state)):
        if not knows_hand(state, seat, p):
            hidden += int(state["hand_size"][p])
            for place in range(state["hand_size"][p]):
                card = int(state["hand"][p, place])
                slot = int(rules["slot"][card])
                times = 1 if rules["copies"][int(state["round"]) - 1, slot] == 1 else _times_hidden(state, seat, card)
                right &= int(state["unseen"][seat, slot]) == int(state["box"][slot]) + times
    for slot in range(rules["round_cards"]):
        more = int(state["unseen"][seat, slot]) - int(state["box"][slot])
        right &= more >= 0
        surplus += more
    return right and surplus == hidden


@jit
def _times_hidden(state, seat, card):
    """How often a card is in hands that a seat has not held."""
    times = 0
    for p in range(num_seats(state)):
        for place in range(state["hand_size"][p]):
            times += state["hand"][p, place] == card and not knows_hand(state, seat, p)
    return times


@jit
def _decisions_fault(state, rules):
    """A game that did not begin with this record has had as many decisions as its turns; one set up by hand has had fewer."""
    return 0 if 0 <= state["decisions"] <= _most_decisions(state, rules) else FIELD.decisions


@inline
def _most_decisions(state, rules):
    players, phase = num_seats(state), int(state["phase"])
    turns = (int(state["round"]) - 1) * TURNS + int(state["turn"]) - 1
    if phase == OVER:
        return (turns + 1) * DECISIONS_PER_TURN * players
    before = _order(state, int(state["current_player"]))
    if phase == CHOOSE:
        return turns * DECISIONS_PER_TURN * players + before
    in_resolution = int(phase != PLACE) + int(phase == GATHER and rules["type"][state["played"]] == SPRING)
    return (turns * DECISIONS_PER_TURN + 1) * players + before * (DECISIONS_PER_TURN - 1) + in_resolution
