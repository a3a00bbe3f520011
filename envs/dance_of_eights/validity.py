"""Whether a record is a possible position of Dance of Eights: the check that stands between foreign bytes and the compiled rules.

Counts are compared eight at a time, as the bytes of words. A sum or difference of such words is right in every byte as long as
none goes below 0 or above 255; so counts are first compared with those of the pack, of which no card has more than four.

Why no record that passes makes compiled code leave its arrays
    The only field by which the rules find a row is ``current_player``: a seat at the table, or nobody when the game is over and
    no rule runs. Cards come from actions, or are drawn from ``deck``, in which ``deck_size`` of them lie; so the search for the
    one that is drawn ends within it. Every copy of a card is in one place, and so all counts stay between 0 and 4 on every step,
    those that re-dealing works with too; a hand has eight or nine dancers, and a value of a tally fits in its four bits. The
    tests play on from all kinds of records that pass, with bounds checked, and check every record on the way.
"""

import numpy as np

from envs.dance_of_eights.ring_test import is_ring, tally_of_hand
from envs.dance_of_eights.rules import DISCARD, GAIN, OVER, hand_size, num_seats
from envs.dance_of_eights.state import DECISIONS_PER_TURN, DECK_WORDS, state_dtype
from envs.engine import NO_PLAYER, byte_total, field_numbers, inline, jit
from envs.engine.rng import word_at

FIELD = field_numbers(state_dtype(2))  # the places are the same for every number of players

POSSIBLE = {
    "decisions": "a number of decisions, at most as many as lead to this turn",
    "current_player": "a seat at the table, and -1 when the game is over",
    "phase": "one of the phases",
    "winner": "-1 as long as nobody holds a Ring, and then in phase over a seat that does",
    "turn": "from 1 to the option max_turns, and that one when the game is over without a Ring",
    "deck_size": "the number of cards in the deck",
    "deck": "of each card at most the copies of the pack",
    "tally": "what the dancers of each hand add up to",
    "discard": "of each card at most the copies that are not in the deck",
    "hands": "a hand of cards, one more for who is to discard one, which make up the pack with the deck and the discard area",
    "known": "some of the cards in each hand",
    "unplaced": "the copies of each card neither in the discard area nor known to be in a hand",
}
"""What each field may be, for messages."""

_TOPS = np.uint64(0x8080808080808080)  # the top bit of every byte
_NONE = np.uint64(0)


@jit
def fault_of(state, rules, scratch):
    """0 for a possible position, else 1 + the place in ``state.dtype.names`` of the first field found impossible.

    Exact: 0 if and only if ``Game.from_dict`` makes the same record, but for ``rng`` and ``decisions``, of what ``Game.to_dict``
    makes of this one, and ``decisions`` are from 0 to as many as the game can have had. The record has no gaps between fields.
    ``state`` may hold any bytes.
    """
    return (
        _clock_fault(state, rules)
        or _open_fault(state, rules)
        or _hands_fault(state, rules)
        or _pack_fault(state, rules)
        or _winner_fault(state)
        or _decisions_fault(state)
    )


@jit
def _clock_fault(state, rules):
    phase, current, winner = int(state["phase"]), int(state["current_player"]), int(state["winner"])
    is_over = phase == OVER
    if not GAIN <= phase <= OVER:
        return FIELD.phase
    if not NO_PLAYER <= current < num_seats(state) or (current == NO_PLAYER) != is_over:
        return FIELD.current_player
    if not NO_PLAYER <= winner < (num_seats(state) if is_over else 0):
        return FIELD.winner
    last = int(rules["max_turns"])
    if not (last if is_over and winner == NO_PLAYER else 1) <= state["turn"] <= last:
        return FIELD.turn
    return 0


# --- cards --------------------------------------------------------------------------------------------------------------


@inline
def _is_part(counts, whole):
    """Whether no byte of a word exceeds that of another, in which each is at most 127."""
    return (counts & _TOPS) == _NONE and (((whole | _TOPS) - counts) & _TOPS) == _TOPS


@jit
def _open_fault(state, rules):
    """Deck and discard area; that the rows end in zeros is a part of it, for the pack has none of such cards."""
    size = 0
    for word in range(DECK_WORDS):
        pack, deck = rules["deck"][word], state["deck"][word]
        if not _is_part(deck, pack):
            return FIELD.deck
        if not _is_part(word_at(state["discard"], word), pack - deck):
            return FIELD.discard
        size += int(byte_total(deck))
    return 0 if state["deck_size"] == size else FIELD.deck_size


@jit
def _hands_fault(state, rules):
    for p in range(num_seats(state)):
        hand, known, cards = state["hands"][p], state["known"][p], 0
        for word in range(DECK_WORDS):
            held = word_at(hand, word)
            if not _is_part(held, rules["deck"][word]):
                return FIELD.hands
            if not _is_part(word_at(known, word), held):
                return FIELD.known
            cards += int(byte_total(held))
        if cards != hand_size(rules) + (p == state["current_player"] and state["phase"] == DISCARD):
            return FIELD.hands
        if state["tally"][p] != tally_of_hand(hand, rules):
            return FIELD.tally
    return 0


@jit
def _pack_fault(state, rules):
    """Every copy of every card is somewhere, and ``unplaced`` are those that nobody but a holder can place."""
    for word in range(DECK_WORDS):
        held, known = _NONE, _NONE
        for p in range(num_seats(state)):
            held += word_at(state["hands"][p], word)
            known += word_at(state["known"][p], word)
        left = rules["deck"][word] - word_at(state["discard"], word)
        if held + state["deck"][word] != left:
            return FIELD.hands
        if word_at(state["unplaced"], word) != left - known:
            return FIELD.unplaced
    return 0


@jit
def _winner_fault(state):
    """Winning: a Ring ends the game for its holder. Nine cards are none, for of each sex there are to be four."""
    winner = int(state["winner"])
    for p in range(num_seats(state)):
        if is_ring(state["tally"][p]) and winner == NO_PLAYER:
            return FIELD.winner
    return 0 if winner == NO_PLAYER or is_ring(state["tally"][winner]) else FIELD.winner


@jit
def _decisions_fault(state):
    """A game that did not begin with this record has had as many decisions as its turns; one set up by hand has had fewer."""
    return 0 if 0 <= state["decisions"] <= _most_decisions(state) else FIELD.decisions


@inline
def _most_decisions(state):
    players, phase = num_seats(state), int(state["phase"])
    turns = (int(state["turn"]) - 1) * players
    if phase != OVER:
        return (turns + int(state["current_player"])) * DECISIONS_PER_TURN + (phase == DISCARD)
    last = players - 1 if state["winner"] == NO_PLAYER else int(state["winner"])
    return (turns + last + 1) * DECISIONS_PER_TURN
