"""Re-dealing what a seat cannot know: one of the worlds in which it may be."""

import numpy as np

from envs.dance_of_eights.ring_test import is_ring, tally_of_hand
from envs.dance_of_eights.rules import DISCARD, OVER, hand_size, num_seats
from envs.dance_of_eights.state import DECK_WORDS
from envs.engine import inline, jit
from envs.engine.rng import below, byte_total, bytes_above, put_word, running_sums, word_at

DEALS = 64  # most shuffles of one re-deal, see `redeal`
_U8, _U56 = np.uint64(8), np.uint64(56)


@jit
def redeal(state, rules, seat):
    """Shuffles the deck together with the other hands, less the cards that were taken in the open.

    A player with eight cards does not hold a Ring, or the game would be over: such a deal is shuffled again as a whole, which
    leaves the others equally likely. A random hand is a Ring once in some four hundred, so two shuffles are rarely needed.
    Only hands known almost to the last card out of a deck almost used up could need more than ``DEALS``; the last shuffle
    then stays. It is harmless (a Ring counts when its holder discards) and tells the seat nothing.
    """
    if state["phase"] == OVER:
        return
    for _ in range(DEALS):
        _gather_unseen(state, seat)
        possible = True
        for p in range(num_seats(state)):
            if p != seat:
                possible &= _deal_hand(state, rules, p)
        if possible:
            break
    _count_deck(state)


# While hands are dealt, the words of the deck hold running sums: in the byte of a card, how many copies of it and of all cards
# before it are left. The card of a rank is then the first whose sum exceeds the rank, and taking it out lowers every sum that
# does, so no card is looked for; what a hand got is seen from the sums before and after (3x as fast as card by card).


@inline
def _gather_unseen(state, seat):
    """Every card that a seat has not seen is in the deck, as running sums."""
    unplaced, hand, known, total = state["unplaced"], state["hands"][seat], state["known"][seat], np.uint64(0)
    for word in range(DECK_WORDS):
        sums = running_sums(word_at(unplaced, word) - (word_at(hand, word) - word_at(known, word)))
        # Sums within the word first, for then no word waits for the product of the one before.
        state["deck"][word] = sums + running_sums(total)
        total += sums >> _U56


@inline
def _deal_hand(state, rules, p):
    """Fills another hand from the running sums; false if it would have ended the game."""
    cards = hand_size(rules) + (p == state["current_player"] and state["phase"] == DISCARD)
    missing = cards - _num_known(state["known"][p])
    if missing > 0:
        hand = state["hands"][p]
        for word in range(DECK_WORDS):
            put_word(hand, word, state["deck"][word])
        _draw_cards(state, missing)
        _fill_hand(state["deck"], state["known"][p], hand)
        state["tally"][p] = tally_of_hand(hand, rules)
    return cards > hand_size(rules) or not is_ring(state["tally"][p])


@inline
def _num_known(known):
    counts = np.uint64(0)
    for word in range(DECK_WORDS):
        counts += word_at(known, word)
    return np.int64(byte_total(counts))


@inline
def _draw_cards(state, number):
    """Takes random cards out of the running sums."""
    left = np.int64(state["deck"][DECK_WORDS - 1] >> _U56)
    last = left - number
    while left > last:
        rank = np.uint64(below(state, left))
        left -= 1
        for word in range(DECK_WORDS):
            state["deck"][word] -= bytes_above(state["deck"][word], rank)


@inline
def _fill_hand(deck, known, hand):
    """Turns the running sums from before a hand was dealt, which stand in its place, into the hand."""
    before = np.uint64(0)
    for word in range(DECK_WORDS):
        dealt = word_at(hand, word) - deck[word]
        put_word(hand, word, word_at(known, word) + _differences(dealt, before))
        before = dealt >> _U56


@inline
def _count_deck(state):
    """Turns the running sums back into counts."""
    deck, before = state["deck"], np.uint64(0)
    for word in range(DECK_WORDS):
        sums = deck[word]
        deck[word] = _differences(sums, before)
        before = sums >> _U56


@inline
def _differences(sums, before):
    """The counts of which a word has the running sums, from the last sum of the word before."""
    return sums - (sums << _U8 | before)
