"""The Ring test on a tally: how many dancers of a hand have each value of each attribute, packed into one word.

A value has four bits (a hand has at most nine cards), in the order of ``VALUES``. The even numbers, the four and four, and the
two elements are then one mask and one comparison.
"""

import numpy as np

from envs.dance_of_eights.cards import VALUES, Card
from envs.dance_of_eights.state import HAND
from envs.engine import inline

BITS = 4


def tally_of(card: Card) -> int:
    """A card's contribution to a tally."""
    return sum(1 << BITS * column for column in card.columns)


@inline
def tally_of_hand(hand, rules):
    """The tally of a hand that is given as copies of each card."""
    tally = np.uint64(0)
    for card in range(rules["row"]):
        tally += rules["values"][card] * np.uint64(hand[card])
    return tally


def _ring_pattern(hand: int) -> tuple[int, int]:
    """The bits of a tally that matter, and what they must be for a Ring of ``hand`` dancers, a power of two (Winning)."""
    mask, wanted = 0, 0
    for column, (attribute, _) in enumerate(VALUES):
        if attribute == "sex":
            bits, must_be = 0b1111, hand // 2
        elif attribute == "element":
            # Even and not all of them; of an even hand the others are then of another element.
            bits, must_be = 0b0001 | hand, 0
        else:
            bits, must_be = 0b0001, 0
        mask |= bits << BITS * column
        wanted |= must_be << BITS * column
    return mask, wanted


SHORT_HAND = HAND // 2  # of the tiny game
RING_MASK, RING_BITS = (np.uint64(bits) for bits in _ring_pattern(HAND))
SHORT_MASK, SHORT_BITS = (np.uint64(bits) for bits in _ring_pattern(SHORT_HAND))


@inline
def is_ring(tally):
    """Winning: whether eight dancers with this tally form a Ring; of a short hand, whether four do.

    Numbers of each sex tell how many dancers there are, so no tally can be taken for one of the other length.
    """
    return tally & RING_MASK == RING_BITS or tally & SHORT_MASK == SHORT_BITS
