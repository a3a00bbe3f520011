"""Cards in hands: the deal, and passing hands on.

Section names in the docstrings are those of the rulebook.
"""

import numpy as np

from envs.engine import below, byte_total, find_byte, inline, jit, wrapping
from envs.fairy_ring.rules.seats import num_seats
from envs.fairy_ring.state import CHOOSE, HAND, NO_CARD

# A hand as the bytes of a word, the lowest card in the lowest byte; card ids are below 127, which is no card.
_NONE, _ZERO, _ONE, _SEVEN, _EIGHT, _BYTE = map(np.uint64, (127, 0, 1, 7, 8, 0xFF))
_ONES, _TOPS, _EMPTY = map(np.uint64, (0x0101010101010101, 0x8080808080808080, 0x7F7F7F7F7F7F7F7F))


@jit
def deal(state, rules, round_number):
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
        draw_hand(state, rules, p, HAND, left)
        left -= HAND
        for place in range(HAND):
            state["unseen"][p, rules["slot"][state["hand"][p, place]]] -= 1
    state["phase"] = CHOOSE
    state["current_player"] = state["first_player"]


@jit
def draw_hand(state, rules, p, cards, left):
    """Replaces a player's hand by this many random cards of the ``left`` ones in the box, sorted."""
    box, deck = state["box"], rules["deck"][state["round"] - 1]
    a, b, c, d = _as_word(box, 0), _as_word(box, 8), _as_word(box, 16), _as_word(box, 24)
    hand = _EMPTY
    for _ in range(cards):
        rank = below(state, left)
        left -= 1
        if len(box) > 4 * 8:
            slot = _find_card(box, rank)
        else:
            slot = _find_in_words(a, b, c, d, np.uint64(rank))
            taken = _ONE << np.uint64(8 * (slot & 7))
            a -= taken if slot < 8 else _ZERO
            b -= taken if 8 <= slot < 16 else _ZERO
            c -= taken if 16 <= slot < 24 else _ZERO
            d -= taken if slot >= 24 else _ZERO
        box[slot] -= 1
        hand = _with_card(hand, np.uint64(deck[slot]))
    for place in range(HAND):
        card = hand >> np.uint64(8 * place) & _BYTE
        state["hand"][p, place] = NO_CARD if card == _NONE else np.int64(card)
    state["hand_size"][p] = cards


@inline
def _find_card(box, rank):
    """The place in the deck of the card that comes after ``rank`` other ones in the box."""
    slot, passed = 0, 0
    for place in range(len(box)):  # to the end, see `villages`
        passed += box[place]
        slot += passed <= rank
    return slot


@inline
def _as_word(box, start):
    """Eight numbers of cards as the bytes of a word, zeros after the last one."""
    word = _ZERO
    for i in range(8):
        if start + i < len(box):
            word |= np.uint64(box[start + i]) << np.uint64(8 * i)
    return word


@wrapping
def _find_in_words(a, b, c, d, rank):
    """The same for numbers in four words: no word needs the one before it (half the time)."""
    up_to_a = byte_total(a)
    up_to_b = up_to_a + byte_total(b)
    up_to_c = up_to_b + byte_total(c)
    word, before, start = a, _ZERO, 0
    if rank >= up_to_a:
        word, before, start = b, up_to_a, 8
    if rank >= up_to_b:
        word, before, start = c, up_to_b, 16
    if rank >= up_to_c:
        word, before, start = d, up_to_c, 24
    return start + np.int64(find_byte(word, rank - before))


@wrapping
def _with_card(hand, card):
    """Puts a card into a hand of sorted bytes: those of later cards move up by one (4x as fast as card by card)."""
    later = (((hand | _TOPS) - (card + _ONE) * _ONES) & _TOPS) >> _SEVEN
    later *= _BYTE  # all bits of their bytes
    moved = later << _EIGHT
    return hand & ~later | hand << _EIGHT & moved | card * _ONES & later & ~moved


@jit
def remove_card(state, p, card):
    """Takes a card out of a hand, which stays sorted and without gaps."""
    hand = state["hand"][p]
    found = False  # looked for without a way out of the loop, see `villages`
    for place in range(HAND - 1):
        here, following = hand[place], hand[place + 1]
        found |= here == card
        hand[place] = following if found else here
    hand[HAND - 1] = NO_CARD
    state["hand_size"][p] -= 1


@jit
def pass_hands(state):
    """C. End of turn: everybody's cards go to the player on the left; all hold the same number."""
    last = num_seats(state) - 1
    for place in range(HAND):
        moved = state["hand"][last, place]
        for p in range(last, 0, -1):
            state["hand"][p, place] = state["hand"][p - 1, place]
        state["hand"][0, place] = moved


@jit
def see_new_hands(state, rules):
    """A player who gets a hand not held before has now seen its cards."""
    for p in range(num_seats(state)):
        for place in range(state["hand_size"][p]):
            state["unseen"][p, rules["slot"][state["hand"][p, place]]] -= 1


@jit
def empty_hand(state, p):
    """Takes all cards out of a hand."""
    state["hand_size"][p] = 0
    for place in range(HAND):
        state["hand"][p, place] = NO_CARD
