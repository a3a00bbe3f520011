"""Whether a record is a possible position of Fairy Ring: the check that stands between foreign bytes and the compiled rules.

The fields are gone through in an order in which nothing is used before it has been checked: first the clock (phase, seats, round,
turn), then what stands in the villages, the fairies, the hands, the card in play, and last what can be counted from all of these.

Why no record that passes makes compiled code leave its arrays
    Every index that the rules take from a record is one of these, with the range that is made sure of here:

    * seats (``current_player``, ``first_player``, ``fairy_village``): at the table; the first one nobody when the game is over
      and no rule runs
    * ``fairy_mushroom``: below ``num_mushrooms`` of that village
    * ``num_mushrooms``, where the next mushroom is planted: from 1 to one more than the cards the player has placed; so, with the
      cards still to come, never above 13, also of a village that is moved to the right
    * the heights of mushrooms, where a growing one gets its card: the number of its cards, from 1 to 4
    * cards in villages, hands, ``chosen`` and ``played``: in the start deck or a deck dealt so far
    * ``box`` and ``unseen``, by whose sums cards are drawn: what is left of the round's deck, so that as many cards as hands need
      are there
    * ``objectives`` and ``completed``: below 256

    A village holds at most 13 cards, so what its mushrooms pay fits in ``int8``. A player who is to gather has mushrooms to
    choose from, and the other phases always have a legal action. Every step leads to a position of which all this is true again;
    the tests play on from all kinds of records that pass, with bounds checked, and check every record on the way.
"""

from envs.engine import NO_PLAYER, inline, jit
from envs.fairy_ring.rules.seats import num_seats
from envs.fairy_ring.state import (
    CHOOSE,
    COLUMNS,
    DECISIONS_PER_TURN,
    FIREFLIES,
    FLY,
    GATHER,
    HAND,
    LUMINARIUM,
    MANA_PER_POINT,
    MOST_POINTS,
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
)
from envs.fairy_ring.validity.counting import copies_fault, unseen_fault
from envs.fairy_ring.validity.fields import (
    FIELD,
    POSSIBLE,
    copies_dealt,
    copies_in_round,
    has_revealed,
    is_placing,
    order,
)

__all__ = ["POSSIBLE", "fault_of"]

_FIRST_SIDES = sum(1 << side for side in range(0, NUM_OBJECTIVES, 2))  # bits of one objective of each card


@jit
def fault_of(state, rules, scratch):
    """0 for a possible position, else 1 + the place in ``state.dtype.names`` of the first field found impossible.

    Exact: 0 if and only if ``Game.from_dict`` makes the same record, but for ``rng`` and ``decisions``, of what ``Game.to_dict``
    makes of this one, and ``decisions`` are from 0 to as many as the game can have had. ``Game.check_records`` takes care of the
    gaps between fields, which no compiled code reads. ``state`` may hold any bytes.
    """
    return (
        _clock_fault(state)
        or _objectives_fault(state, rules)
        or _mana_fault(state)
        or _villages_fault(state, rules)
        or _fairies_fault(state)
        or _hands_fault(state, rules)
        or _play_fault(state, rules)
        or copies_fault(state, rules)
        or unseen_fault(state, rules)
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


# --- villages -----------------------------------------------------------------------------------------------------------


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
    placed = turns + (has_revealed(state, p) and not is_placing(state, p))
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
            if size != i or copies_dealt(state, rules, card) == 0 or rules["type"][card] != rules["type"][stack[0]]:
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
        held = 0 if state["phase"] == OVER else HAND + 1 - int(state["turn"]) - has_revealed(state, p)
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
            right &= card >= before and copies_in_round(rules, card, int(state["round"])) > 0
            before = card
        else:
            right &= card == NO_CARD
    return right


@inline
def _is_choice(state, rules, p):
    """Who has chosen and not yet placed has a chosen card; it is in the hand until it is revealed."""
    card = int(state["chosen"][p])
    if is_placing(state, p):
        return copies_in_round(rules, card, int(state["round"])) > 0
    if state["phase"] == CHOOSE:
        has_chosen = order(state, p) < order(state, int(state["current_player"]))
    else:
        has_chosen = not has_revealed(state, p)
    if not has_chosen:
        return card == NO_CARD
    found = False
    for place in range(state["hand_size"][p]):
        found |= state["hand"][p, place] == card
    return found


@jit
def _play_fault(state, rules):
    phase, card, movement = int(state["phase"]), int(state["played"]), int(state["movement"])
    if phase in (FLY, GATHER):
        if copies_in_round(rules, card, int(state["round"])) == 0 or not _is_on_top(state, card):
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
    before = order(state, int(state["current_player"]))
    if phase == CHOOSE:
        return turns * DECISIONS_PER_TURN * players + before
    in_resolution = int(phase != PLACE) + int(phase == GATHER and rules["type"][state["played"]] == SPRING)
    return (turns * DECISIONS_PER_TURN + 1) * players + before * (DECISIONS_PER_TURN - 1) + in_resolution
