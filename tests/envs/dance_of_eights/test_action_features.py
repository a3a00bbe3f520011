"""What is told of actions in Dance of Eights, against plain counting of exchanges."""

from itertools import combinations

import numpy as np
import pytest

import envs
from envs.dance_of_eights.cards import load_cards
from envs.dance_of_eights.rules import DISCARD, GAIN
from envs.dance_of_eights.state import DISCARD_ACTION, DRAW_ACTION, TAKE_ACTION
from envs.describing import Describer

CARDS = load_cards()


def is_ring(hand):
    """By the rule text: four of each sex, even numbers of all else, two elements."""
    dancers = [CARDS[card] for card in hand]
    sexes = [dancer.sex for dancer in dancers]
    even = all(
        [getattr(dancer, name) for dancer in dancers].count(value) % 2 == 0
        for name in ("size", "alignment", "element")
        for value in {getattr(dancer, name) for dancer in dancers}
    )
    return all(sexes.count(sex) == 4 for sex in set(sexes)) and even and len({dancer.element for dancer in dancers}) > 1


def completing(hand, counts):
    """How many of some cards, given by their counts, make a Ring of eight cards in one exchange."""
    return sum(
        int(copies)
        for card, copies in enumerate(counts)
        if copies and any(is_ring([*hand[:i], *hand[i + 1 :], card]) for i in range(len(hand)))
    )


@pytest.fixture(scope="module")
def positions():
    """Positions of random games, of both phases: records, features and masks."""
    game = envs.make_game("dance_of_eights", 3)
    env = envs.make_vec(game, 6, seed=3)
    rng, records = np.random.default_rng(0), []
    for move in range(40):
        if move % 8 in (2, 5):
            records.append(env.states.copy())
        mask = env.last()[0]["action_mask"]
        env.step((rng.random(mask.shape) * mask).argmax(1))
    records = np.concatenate(records)
    masks = np.zeros((len(records), game.num_actions), np.int8)
    for row, record in enumerate(records):
        masks[row, game.legal_actions(record)] = 1
    return game, records, Describer(game)(records, masks), masks


def seen(record):
    """Own cards, counts of the cards not seen and of those in the discard area."""
    seat = int(record["current_player"])
    own = record["hands"][seat][:42].astype(int)
    unseen = record["unplaced"][:42] - own + record["known"][seat][:42]
    return [card for card in range(42) for _ in range(own[card])], unseen, record["discard"][:42].astype(int)


def test_discards_tell_which_cards_complete_a_ring(positions):
    game, records, features, masks = positions
    near, told = game.action_slices["near"], 0
    for record, rows, mask in zip(records, features, masks, strict=True):
        if record["phase"] != DISCARD:
            continue
        hand, unseen, lying = seen(record)
        for action in np.flatnonzero(mask):
            left = list(hand)
            left.remove(action - DISCARD_ACTION)
            assert rows[action, near][0] == is_ring(left)
            # What is discarded lies there then, but to take it back makes no new hand.
            assert rows[action, near][1] == pytest.approx(10 * completing(left, unseen) / unseen.sum())
            assert rows[action, near][2] == completing(left, lying) / 4
            told += completing(left, unseen) > 0
    assert told > 5


def test_takes_tell_the_most_of_what_a_discard_leaves(positions):
    game, records, features, masks = positions
    near, compared = game.action_slices["near"], 0
    for record, rows, mask in zip(records, features, masks, strict=True):
        takes = np.flatnonzero(mask[TAKE_ACTION:DISCARD_ACTION])
        if record["phase"] != GAIN or len(takes) == 0:
            continue
        hand, unseen, lying = seen(record)
        card, others = int(takes[0]), lying.copy()
        others[card] -= 1
        left = [list(eight) for eight in combinations([*hand, card], 8)]
        told = rows[TAKE_ACTION + card, near]
        assert told[0] == any(map(is_ring, left))
        assert told[1] == pytest.approx(10 * max(completing(eight, unseen) for eight in left) / unseen.sum())
        assert told[3] == max(completing(eight, others) for eight in left) / 4
        compared += 1
    assert compared > 10


def test_a_draw_tells_the_chance_of_a_ring(positions):
    game, records, features, masks = positions
    for record, rows, mask in zip(records, features, masks, strict=True):
        if record["phase"] == GAIN and mask[DRAW_ACTION]:
            hand, unseen, _ = seen(record)
            assert rows[DRAW_ACTION, game.action_slices["near"]][0] == pytest.approx(completing(hand, unseen) / unseen.sum())


def test_equal_dancers_are_told_equal_things(positions):
    game, _, features, masks = positions
    values = game.action_slices["card"]
    for rows, mask in zip(features, masks, strict=True):
        for block in (slice(TAKE_ACTION, DISCARD_ACTION), slice(DISCARD_ACTION, None)):
            legal = rows[block][mask[block] > 0]
            for one, other in combinations(legal, 2):
                if (one[values] == other[values]).all():
                    assert one.tobytes() == other.tobytes()
