"""Markers and bonuses, each rule at a table laid by hand (drawings: see test_garden)."""

import pytest

from .table import COLORS, Table, claim, new_game, with_player
from .test_garden import DOUBLE, THREE, TWICE


@pytest.fixture(scope="module")
def game():
    return new_game()


def closes_a_large_ring(game, change=None):
    """A table at which player 0 has closed the ring of ten of test_garden, and chooses its slot."""
    table = Table(game, TWICE, [20], change)
    table.lay(20, -1, 0, 4)
    if table.lay_far()["phase"] == "place":
        table.do("stop")  # stored tiles could be laid too
    return table


# A ring from the stump's edge 0 round to its edge 1, by size. The last tile of each list closes it.
#  ST  1          ST  15        ST  31   1        ST  31  16
#    [5]           [18]  5       [16] 15           [18] 32   5
RINGS = {
    3: [*THREE, (5, 0, 1, 4)],
    4: [(15, 1, 0, 1), (5, 1, 1, 3), (18, 0, 1, 4)],
    5: [(31, 1, 0, 0), (1, 2, 0, 2), (15, 1, 1, 3), (16, 0, 1, 4)],
    6: [(31, 1, 0, 0), (16, 2, 0, 1), (5, 2, 1, 3), (32, 1, 1, 0), (18, 0, 1, 4)],
}


def closes_a_ring(game, size, change=None, ring=None):
    """A table at which player 0 has closed such a ring, or another one of this size that is laid so."""
    ring = ring or RINGS[size]
    *garden, (last, *place) = ring
    table = Table(game, garden, [last], change)
    table.lay(last, *place)
    if table.lay_far()["phase"] == "place":
        table.do("stop")  # stored tiles could be laid too
    assert table.state["rings"][0]["size"] == size
    return table


# --- markers ------------------------------------------------------------------------------------------------------------


def test_the_only_slot_of_a_column_is_not_asked_for(game):
    table = Table(game, THREE, [5])
    table.lay(5, 0, 1, 4)
    state = table.lay_far()
    assert state["phase"] == "gnome" and state["players"][0]["markers"] == [0]
    assert state["rings"][0]["waiting"] and state["players"][0]["mushrooms"]["red"] == 0


def test_with_a_full_column_no_marker_moves(game):
    table = Table(game, THREE, [5], with_player(markers=[0]))
    table.lay(5, 0, 1, 4)
    state = table.lay_far()
    assert state["phase"] == "gnome" and state["players"][0]["markers"] == [0]


def test_slots_with_the_same_bonus_are_one_choice(game):
    table = closes_a_large_ring(game)
    assert table.state["phase"] == "slot" and table.state["hand"]["ring"] == 1
    assert [move["slot"] for move in table.moves] == [9, 10, 11]


def test_a_slot_with_two_spaces_takes_two_markers_and_the_second_brings_a_wildflower(game):
    table = closes_a_large_ring(game)
    state = table.do("slot", slot=11)
    assert state["players"][0]["markers"] == [11] and state["phase"] == "mushroom"
    table = closes_a_large_ring(game, with_player(flower_market=[0, 0, 0, 3, 0, 0, 0, 0]))
    state = table.do("slot", slot=10)
    player = state["players"][0]
    assert player["markers"] == [10, 10] and player["flowers"] == [0, 3] and player["storage"] == [93]
    assert state["flower_market"] == [2, 0, 0, 2, 0, 0, 0, 0] and state["wildflowers"][0] is None


def test_the_last_marker_alone_on_a_slot_with_two_spaces_triggers_the_end(game):
    table = closes_a_large_ring(game, with_player(markers=[0, 1, 2, 3, 4, 5, 6]))
    state = table.do("slot", slot=10)
    assert state["players"][0]["markers"] == [0, 1, 2, 3, 4, 5, 6, 10] and state["ending"]
    assert state["players"][0]["storage"] == []  # the 8th marker brings no wildflower


@pytest.mark.parametrize("before", range(1, 7))
def test_a_slot_with_two_spaces_brings_one_wildflower_for_whichever_of_its_markers(game, before):
    #       18  31  17
    #     19   3   6  16      tile 20 closes the ring of ten; so many markers have moved before
    #   [20]  ST  15
    #        5   2
    moved = [0, 1, 2, 3, 4, 5][:before]
    table = closes_a_large_ring(game, with_player(markers=moved))
    player = table.do("slot", slot=10)["players"][0]
    brings = before < 6  # of two markers in a row one is even; the 7th and the 8th bring nothing
    assert player["markers"] == [*moved, 10, 10]
    assert player["flowers"] == [0] * brings and player["storage"] == [93] * brings


def test_two_rings_are_scored_one_after_the_other(game):
    table = Table(game, DOUBLE, [41])
    table.lay(41, 1, 0, 0)
    state = table.lay_far()
    assert state["players"][0]["markers"] == [0]
    assert [ring["waiting"] for ring in state["rings"]] == [True, True]


@pytest.mark.parametrize(("before", "after"), [([], [1]), ([1], [1, 2]), ([1, 2], [1, 2]), ([0, 3], [0, 3, 1])])
def test_the_slots_of_a_column_fill_up_from_the_lowest_and_a_full_one_takes_none(game, before, after):
    player = closes_a_ring(game, 4, with_player(markers=before)).state["players"][0]
    assert player["markers"] == after


def test_when_no_marker_is_left_none_moves_and_there_is_no_bonus(game):
    table = closes_a_ring(game, 5, with_player(markers=[0, 1, 2, 6, 7, 8, 10, 10]))
    assert table.state["phase"] == "gnome" and table.state["players"][0]["markers"] == [0, 1, 2, 6, 7, 8, 10, 10]


def test_the_owner_who_closes_his_ring_takes_its_mushrooms_and_moves_a_marker_at_once(game):
    def change(state):
        claim(state, 0, 1, 0, 0, 0, [[0, 0, 0], [1, 0, 0]])

    table = Table(game, THREE, [5], change)
    state = table.lay(5, 0, 1, 4)  # nobody is asked for leave
    assert state["phase"] == "place" and state["rings"][0]["gnomes"] == [[0, 1]]
    assert (state["rings"][0]["owner"], state["rings"][0]["owed"], state["rings"][0]["waiting"]) == (0, False, False)
    player = table.lay_far()["players"][0]
    assert player["markers"] == [0] and player["mushrooms"] == dict.fromkeys(COLORS, 0) | {"red": 1, "yellow": 1}


@pytest.mark.parametrize("before", range(8))
def test_the_second_fourth_and_sixth_marker_bring_a_wildflower(game, before):
    player = closes_a_ring(game, 3, with_player(markers=[1, 2, 3, 4, 5, 6, 8][:before])).state["players"][0]
    brings = before + 1 in (2, 4, 6)
    assert len(player["markers"]) == before + 1
    assert player["flowers"] == [0] * brings and player["storage"] == [93] * brings


# --- the offer and the storage ------------------------------------------------------------------------------------------


def test_the_offer_is_filled_slot_by_slot_when_placing_is_over_and_before_bonuses(game):
    *garden, (last, *place) = RINGS[5]
    table = Table(game, garden, [40, 39, last])
    first, second = table.state["bag"][:2]
    state = table.lay(last, *place)
    assert state["offer"][2] is None and state["bag"][0] == first
    table.do("tile", slot=0)
    state = table.put_down()
    assert state["phase"] == "slot" and (state["offer"][0], state["offer"][2]) == (first, second)


# --- bonuses ------------------------------------------------------------------------------------------------------------


def test_the_tile_bonus_takes_one_from_the_offer_which_is_replaced_at_once(game):
    table = closes_a_ring(game, 5)
    state = table.do("slot", slot=4)
    assert state["phase"] == "take" and len(table.moves) == 8
    taken, drawn = state["offer"][6], state["bag"][0]
    state = table.do("tile", slot=6)
    assert state["players"][0]["storage"] == [taken] and state["offer"][6] == drawn and state["phase"] == "gnome"


@pytest.mark.parametrize("slot", [0, 2])
def test_a_tile_that_is_one_too_many_or_another_stored_one_leaves_the_game(game, slot):
    table = closes_a_ring(game, 5, with_player(storage=[60, 100]))
    table.do("slot", slot=4)
    taken = table.state["offer"][0]
    state = table.do("tile", slot=0)
    assert state["phase"] == "discard" and state["players"][0]["storage"] == [60, 100, taken]
    assert table.moves == [{"type": "discard", "slot": i} for i in range(3)]
    state = table.do("discard", slot=slot)
    kept = [tile for i, tile in enumerate([60, 100, taken]) if i != slot]
    assert state["players"][0]["storage"] == kept and state["phase"] == "gnome"
    piles = state["bag"], state["set_aside"], state["offer"], [tile["tile"] for tile in state["garden"]]
    assert [60, 100, taken][slot] not in sum(piles, [])


def nothing_to_draw(state):
    """No tile is left but the two that are laid in the turn."""
    state |= {"bag": [], "set_aside": [], "ending": True}
    state["offer"][2:] = [None] * 6


def test_a_tile_bonus_is_lost_when_no_tile_is_on_offer(game):
    *garden, (last, *place) = RINGS[5]
    table = Table(game, garden, [last], nothing_to_draw)
    assert table.lay(last, *place)["phase"] == "cell"  # of the other tile, the last one
    assert table.put_down()["offer"] == [None] * 8
    state = table.do("slot", slot=4)
    assert state["phase"] == "gnome" and state["players"][0]["storage"] == []


def test_the_flower_bonus_takes_the_lowest_kind_not_owned_and_is_lost_when_there_is_none(game):
    table = closes_a_ring(game, 6, with_player(flowers=[1], flower_market=[0, 2, 0, 1, 0, 3, 0, 0]))
    state = table.do("slot", slot=7)
    assert state["players"][0]["flowers"] == [1, 3] and state["flower_market"] == [0, 2, 0, 0, 0, 3, 0, 0]
    table = closes_a_ring(game, 6, with_player(flowers=[1], flower_market=[0, 2, 0, 0, 0, 0, 0, 0]))
    state = table.do("slot", slot=7)
    assert state["phase"] == "gnome" and state["players"][0]["flowers"] == [1] and state["flower_market"][1] == 2


def test_a_slot_with_two_spaces_gives_its_flower_once(game):
    market = [1, 1, 1, 0, 0, 0, 0, 0]
    change = with_player(markers=[1, 2], flower_market=market, wildflowers=[None] * 8)
    player = closes_a_large_ring(game, change).do("slot", slot=10)["players"][0]
    assert player["flowers"] == [0, 1]  # the slot's, and that of the fourth marker


@pytest.mark.parametrize("bonus", ["flower", "wildflower"])
def test_the_eighth_flower_of_a_bonus_triggers_the_end(game, bonus):
    market = [0] * 7 + [1] if bonus == "flower" else [0] * 8
    wildflowers = [None] * 7 + [None if bonus == "flower" else 3]
    change = with_player(flowers=list(range(7)), flower_market=market, wildflowers=wildflowers, markers=[1])
    table = closes_a_ring(game, 6, change)
    state = table.do("slot", slot=7)
    assert state["ending"] and len(state["players"][0]["flowers"]) == 8


def test_of_a_colour_no_more_are_picked_than_the_ring_has(game):
    table = closes_a_ring(game, 6)  # one red mushroom, four yellow ones
    state = table.do("slot", slot=8)
    assert state["phase"] == "mushroom" and [move["color"] for move in table.moves] == ["red", "yellow"]
    state = table.do("mushroom", color="red")  # then yellow is all there is
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | {"red": 1, "yellow": 1}


@pytest.mark.parametrize("color", ["red", "yellow"])
def test_one_pick(game, color):
    table = closes_a_ring(game, 5)
    table.do("slot", slot=5)
    state = table.do("mushroom", color=color)
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | {color: 1} and state["phase"] == "gnome"


@pytest.mark.parametrize(
    ("first", "second", "mushrooms"), [(40, 71, {}), (31, 71, {"red": 1}), (31, 39, {"red": 1, "purple": 1})]
)
def test_two_picks_in_a_ring_of_two_mushrooms_or_fewer_are_not_asked_for(game, first, second, mushrooms):
    #  ST  a  30     a and b are straight, with a mushroom or none; all others have none
    #   [61] b  14
    ring = [(first, 1, 0, 0), (30, 2, 0, 1), (14, 2, 1, 3), (second, 1, 1, 0), (61, 0, 1, 2)]
    table = closes_a_ring(game, 6, ring=ring)
    state = table.do("slot", slot=8)
    assert state["phase"] == "gnome" and state["players"][0]["markers"] == [8]
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | mushrooms
    assert state["rings"][0]["waiting"] == bool(mushrooms)  # what waits goes on waiting


@pytest.mark.parametrize(("name", "index"), list(zip(COLORS, range(5), strict=True)))
def test_the_signpost_bonus_gives_the_mushrooms_of_each_colour(game, name, index):
    table = closes_a_ring(game, 5)
    table.do("slot", slot=3)
    state = table.do("signpost", name=name)
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | {name: (3, 3, 2, 2, 1)[index]}
    assert state["rings"][0]["signpost"] == name and state["rings"][0]["waiting"] and state["phase"] == "gnome"


@pytest.mark.parametrize("there", [False, True])
def test_the_signpost_bonus_gives_a_flower_if_there_is_one(game, there):
    table = closes_a_ring(game, 5, with_player(flower_market=[0, 0, 0, 0, 2 * there, 0, 0, 0]))
    table.do("slot", slot=3)
    state = table.do("signpost", name="flower")
    assert state["rings"][0]["signpost"] == "flower" and state["phase"] == "gnome"
    assert state["players"][0]["flowers"] == [4] * there and state["flower_market"][4] == int(there)


def test_a_signpost_bonus_brings_no_trade():
    table = closes_a_ring(new_game(trade_board=True), 5)
    table.do("slot", slot=3)
    state = table.do("signpost", name="red")
    assert state["phase"] == "gnome" and state["players"][0]["mushrooms"]["red"] == 3
    table = closes_a_ring(new_game(trade_board=True), 5, with_player(mushrooms=dict.fromkeys(COLORS, 2)))
    table.do("slot", slot=3)
    table.do("signpost", name="tile")
    state = table.do("tile", slot=0)
    assert state["phase"] == "gnome" and len(state["players"][0]["storage"]) == 1


def test_mushrooms_are_picked_again_each_once(game):
    table = closes_a_large_ring(game)
    table.do("slot", slot=11)
    for _ in range(3):
        state = table.do("mushroom", color="red")
    assert state["players"][0]["mushrooms"]["red"] == 3 and state["rings"][1]["waiting"]
    assert state["hand"]["picked"] is None and state["phase"] == "gnome"


def test_without_wildflower_tiles_left_the_flower_comes_from_the_market(game):
    change = with_player(markers=[1], wildflowers=[None] * 8, flower_market=[0, 3, 0, 0, 0, 2, 0, 0])
    table = closes_a_large_ring(game, change)
    table.do("slot", slot=11)
    for _ in range(3):
        state = table.do("mushroom", color="yellow")
    assert state["players"][0]["markers"] == [1, 11] and state["players"][0]["flowers"] == [1]
    assert state["flower_market"] == [0, 2, 0, 0, 0, 2, 0, 0] and state["players"][0]["storage"] == []


def test_a_third_stored_tile_makes_the_player_discard_one(game):
    table = closes_a_large_ring(game, with_player(markers=[1], storage=[60, 61]))
    table.do("slot", slot=11)
    for _ in range(3):
        state = table.do("mushroom", color="red")
    assert state["phase"] == "discard" and state["players"][0]["storage"] == [60, 61, 93]
    assert table.do("discard", slot=1)["players"][0]["storage"] == [60, 93]


def test_a_second_wildflower_leaves_the_game_unasked(game):
    table = closes_a_large_ring(game, with_player(markers=[1], storage=[60, 100]))
    table.do("slot", slot=11)
    for _ in range(3):
        state = table.do("mushroom", color="red")
    assert state["phase"] == "gnome" and state["players"][0]["storage"] == [60, 100]
    assert state["players"][0]["flowers"] == [0] and state["wildflowers"][0] is None


def test_a_signpost_goes_into_the_ring_and_is_used_and_the_next_one_uses_it_where_it_is(game):
    table = closes_a_large_ring(game)
    table.do("slot", slot=9)
    assert len(table.moves) == 7
    state = table.do("signpost", name="tile")
    assert state["rings"][1]["signpost"] == "tile" and state["phase"] == "take"
    taken, drawn = state["offer"][4], state["bag"][0]
    state = table.do("tile", slot=4)
    assert taken in state["players"][0]["storage"] and state["offer"][4] == drawn

    def change(state):
        state["rings"][0]["signpost"] = "purple"

    table = closes_a_large_ring(game, change)
    table.do("slot", slot=9)
    state = table.do("signpost", name="purple")
    assert state["rings"][0]["signpost"] == "purple" and state["rings"][1]["signpost"] is None
    assert state["players"][0]["mushrooms"]["purple"] == 1
