"""Variant: Objective cards. ``test_rules_setup.py`` has its setup, ``table.py`` the cards."""

import pytest

from tests.envs.fairy_ring.table import Table, player, position

PLANT = {"kind": "plant", "side": "right"}
# number: the village before, (card, move) that completes the objective, (card, move) that just misses it
OBJECTIVES = {
    # At least 10 visible fireflies: 1 + 1 + 1 + 2 + 2 + 2 = 9 and one more, or none.
    1: ([[0], [1], [2], [6], [22], [28]], (43, PLANT), (42, PLANT)),
    # Three mushrooms with at least 2 visible fireflies: the third has two, or one.
    2: ([[0], [6], [22]], (58, PLANT), (56, PLANT)),
    # Seven mushrooms: the seventh, or the first grows.
    3: ([[0], [1], [2], [3], [4], [6]], (37, PLANT), (37, {"kind": "grow", "mushroom": 0})),
    # Six types: the Spring that was missing, or a second Magidrome.
    4: ([[0], [1], [2], [3], [4]], (61, PLANT), (37, PLANT)),
    # Three mushrooms of one type: the third Magidrome, or the first grows.
    5: ([[0], [1], [6]], (37, PLANT), (37, {"kind": "grow", "mushroom": 0})),
    # Three mushrooms of size 3 or more: the Lookout grows, or another is planted.
    6: ([[0, 6, 7, 8], [1, 11, 12], [2, 16]], (46, {"kind": "grow", "mushroom": 2}), (46, PLANT)),
    # Four mushrooms of size 2 or more: the Luminarium grows, or another is planted.
    7: ([[0, 6], [1, 11, 12], [2, 16], [3]], (51, {"kind": "grow", "mushroom": 3}), (51, PLANT)),
    # Two mushrooms of size 4: the Lookout grows, or another is planted.
    8: ([[0, 6, 7, 8], [2, 16, 17]], (46, {"kind": "grow", "mushroom": 1}), (46, PLANT)),
}


def _play(stacks, card, move, in_play, completed=(), **options):
    """Player 0 of two places a card in round 2; player 1 has completed all that is in play."""
    state = position(
        player(stacks, chosen=card, objectives=completed),
        player([[5]], fairy=(1, 0), objectives=in_play),
        round_number=2,
        objectives=in_play,
    )
    return Table(state, objectives=bool(in_play), **options).play(**move)


def _pays(stacks, card, move, in_play, completed=()):
    """What the objectives pay player 0, in mana: the gains with them less those of the same move without any."""
    without = _play(stacks, card, move, in_play=())
    return _play(stacks, card, move, in_play, completed).gains()[0] - without.gains()[0]


def _with_two_others(number):
    """An objective and one of each of two other cards."""
    others = [other for other in (1, 3, 5, 7) if (other - 1) // 2 != (number - 1) // 2][:2]
    return sorted([number, *others]), others


# --- Resolve ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", OBJECTIVES)
def test_each_objective_is_a_point_at_once_even_if_another_player_completed_it_before(number):
    stacks, (card, move), _ = OBJECTIVES[number]
    in_play, others = _with_two_others(number)
    table = _play(stacks, card, move, in_play, completed=others)
    assert table.players[0]["objectives"] == in_play
    assert _pays(stacks, card, move, in_play, completed=others) == 20


def test_an_objective_is_completed_as_soon_as_the_card_is_placed():
    # Spring 61 is the sixth type; its movement is still to be picked.
    table = _play([[0], [1], [2], [3], [4]], 61, PLANT, in_play=[1, 4, 8])
    assert table.state["phase"] == "fly"
    assert (table.players[0]["objectives"], table.players[0]["points"]) == ([4], 1)


@pytest.mark.parametrize("number", OBJECTIVES)
def test_each_objective_can_be_missed_by_one(number):
    stacks, _, (card, move) = OBJECTIVES[number]
    in_play, others = _with_two_others(number)
    table = _play(stacks, card, move, in_play, completed=others)
    assert table.players[0]["objectives"] == others
    assert _pays(stacks, card, move, in_play, completed=others) == 0


@pytest.mark.parametrize("number", OBJECTIVES)
def test_an_objective_is_completed_only_once(number):
    stacks, (card, move), _ = OBJECTIVES[number]
    in_play, _ = _with_two_others(number)
    assert _pays(stacks, card, move, in_play, completed=in_play) == 0


def test_an_objective_that_is_not_in_play_pays_nothing():
    stacks, (card, move), _ = OBJECTIVES[7]
    table = _play(stacks, card, move, in_play=[1, 3, 5])
    assert table.players[0]["objectives"] == []
    assert _pays(stacks, card, move, in_play=[1, 3, 5]) == 0


def test_a_completed_objective_is_kept_when_the_village_no_longer_fulfils_it():
    # 2 + 1 + 1 + 1 + 2 + 2 + 1 = 10 fireflies; Magidrome 37 (one) covers Magidrome 6 (two) and leaves 9.
    stacks, move = [[6], [1], [2], [3], [22], [28], [31]], {"kind": "grow", "mushroom": 0}
    table = _play(stacks, 37, move, in_play=[1, 5, 8], completed=[1])
    assert table.players[0]["objectives"] == [1]
    assert _pays(stacks, 37, move, in_play=[1, 5, 8], completed=[1]) == 0


def test_several_objectives_may_be_completed_by_one_card():
    # Magidrome 37 is the tenth firefly (2 + 1 + 1 + 1 + 2 + 2 and 1), the seventh mushroom and the third Magidrome.
    stacks = [[6], [0], [1], [2], [22], [28]]
    assert _play(stacks, 37, PLANT, in_play=[1, 3, 5]).players[0]["objectives"] == [1, 3, 5]
    assert _pays(stacks, 37, PLANT, in_play=[1, 3, 5]) == 60


def test_the_example_of_11_visible_fireflies_completes_the_objective():
    # 1 + 1 + 1 + 2 + 2 + 2 = 9, and the two of Pollenarium 58 make 11.
    stacks = [[0], [1], [2], [6], [22], [28]]
    assert _play(stacks, 58, PLANT, in_play=[1, 4, 8]).players[0]["objectives"] == [1]
    assert _pays(stacks, 58, PLANT, in_play=[1, 4, 8]) == 20


@pytest.mark.parametrize(("fireflies", "completed"), [("top", []), ("all", [1])])
def test_covered_fireflies_count_for_an_objective_only_by_the_option(fireflies, completed):
    # Top cards: 2 + 2 + 2 + 1 + 1, and 1 planted: 9. The Magidrome that is covered has the tenth.
    stacks = [[0, 6], [22], [28], [1], [2]]
    table = _play(stacks, 37, PLANT, in_play=[1, 4, 8], fireflies=fireflies)
    assert table.players[0]["objectives"] == completed
