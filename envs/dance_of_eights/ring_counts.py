"""How many Rings there are, and how likely one is dealt: exact numbers, by counting over the cards one after another.

``python -m envs.dance_of_eights.ring_counts`` prints them for both packs.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import comb

from envs.dance_of_eights.cards import ATTRIBUTES, VALUES, Card, load_cards
from envs.dance_of_eights.state import HAND

EACH_SEX = HAND // 2
_FIRST_SEX = VALUES[0]


def count_rings(copies: int) -> tuple[int, int]:
    """How many Rings a pack has.

    Args:
        copies: How often the pack holds each row of the card list.

    Returns:
        different Rings (as multisets of the distinct cards), and Rings when all cards of the pack are told apart.
    """
    cards = load_cards()
    hands, ways = _count_even_hands(cards, copies)
    for element in ATTRIBUTES["element"]:
        # An even hand of one element only is no Ring.
        alone_hands, alone_ways = _count_even_hands([card for card in cards if card.element == element], copies)
        hands, ways = hands - alone_hands, ways - alone_ways
    return hands, ways


def dealt_ring(copies: int) -> Fraction:
    """The probability that eight cards dealt from a whole pack are a Ring."""
    pack = copies * sum(card.rows for card in load_cards())
    return Fraction(count_rings(copies)[1], comb(pack, HAND))


def _count_even_hands(cards: Sequence[Card], copies: int) -> tuple[int, int]:
    """Multisets, and sets of single cards, with four dancers of each sex and an even number of every other value."""
    # By (dancers of the first sex, of the other, parities as bits): how many multisets and how many sets lead there.
    reached = {(0, 0, 0): (1, 1)}
    for card in cards:
        following: dict[tuple[int, int, int], tuple[int, int]] = defaultdict(lambda: (0, 0))
        parities = sum(1 << column for column in card.columns)
        first = (_FIRST_SEX[0], card.sex) == _FIRST_SEX
        most = copies * card.rows
        for (one, other, odd), (hands, ways) in reached.items():
            for taken in range(min(most, EACH_SEX - (one if first else other)) + 1):
                key = (one + taken * first, other + taken * (not first), odd ^ parities * (taken % 2))
                before = following[key]
                following[key] = (before[0] + hands, before[1] + ways * comb(most, taken))
        reached = following
    return reached.get((EACH_SEX, EACH_SEX, 0), (0, 0))


if __name__ == "__main__":
    for pack_copies in (1, 2):
        different, _ = count_rings(pack_copies)
        chance = float(dealt_ring(pack_copies))
        print(f"copies={pack_copies}: {different} different Rings; one is dealt with {chance:.6%} (1 in {1 / chance:.1f})")
