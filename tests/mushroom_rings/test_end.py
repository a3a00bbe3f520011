"""Sales and the end of the game, each rule at a table laid by hand (drawings: see test_garden)."""

import pytest

from .table import COLORS, Table, claim, new_game, with_player
from .test_garden import THREE
from .test_gnomes import at_gnome_step


@pytest.fixture(scope="module")
def game():
    return new_game()


# --- sales --------------------------------------------------------------------------------------------------------------


def at_the_stump(game, **player):
    table = at_gnome_step(game, with_player(**player))
    table.do("gnome", gnome=0)
    return table, table.do("destination", place="stump")


def sale_moves(table):
    return [(move["color"], move["number"]) for move in table.moves if move["type"] == "sale"]


def test_a_sale_brings_treasure_and_blocks_its_space(game):
    table, state = at_the_stump(game, mushrooms={"red": 5, "purple": 3})
    assert state["phase"] == "sale" and {"type": "enough"} not in table.moves
    assert sale_moves(table) == [("red", 2), ("red", 3), ("red", 4), ("red", 5), ("purple", 2), ("purple", 3)]
    state = table.do("sale", color="red", number=4)
    assert state["players"][0]["treasure"] == 6 and state["players"][0]["mushrooms"]["red"] == 1
    assert state["market"]["blocked"]["red"] == [4] and state["market"]["blockers"]["red"] == 4
    assert state["hand"]["sold"] == "red" and sale_moves(table) == [("purple", 2), ("purple", 3)]
    state = table.do("sale", color="purple", number=2)
    assert state["players"][0]["treasure"] == 12 and state["market"]["blockers"]["purple"] == 3
    assert state["market"]["blocked"]["purple"] == [] and state["turn_player"] == 1


def test_the_second_sale_may_be_declined(game):
    table, _ = at_the_stump(game, mushrooms={"red": 3, "blue": 2})
    table.do("sale", color="red", number=3)
    state = table.do("enough")
    assert state["players"][0]["mushrooms"]["blue"] == 2 and state["turn_player"] == 1


def test_without_blockers_left_a_colour_sells_only_as_a_pair(game):
    market = {"blocked": {color: [3] if color == "red" else [] for color in COLORS}}
    market["blockers"] = dict.fromkeys(COLORS, 2)
    table, _ = at_the_stump(game, mushrooms={"red": 4}, market=market)
    assert sale_moves(table) == [("red", 2), ("red", 4)]
    market["blockers"]["red"] = 0
    table, _ = at_the_stump(game, mushrooms={"red": 4, "blue": 2}, market=market)
    assert sale_moves(table) == [("red", 2), ("blue", 2)]


# --- the end ------------------------------------------------------------------------------------------------------------


def test_the_eighth_flower_triggers_the_end(game):
    table = at_gnome_step(game, with_player(flowers=list(range(7)), flower_market=[0] * 7 + [1]))
    table.do("gnome", gnome=0)
    assert table.do("destination", place="flower_market")["ending"]


def test_the_last_tile_of_the_bag_triggers_the_end_and_drawing_goes_on(game):
    table = Table(game, change=lambda state: state.update(bag=state["bag"][:1]))
    (last,), aside = table.state["bag"], table.state["set_aside"]
    state = table.lay_far(2)
    assert state["ending"] and state["bag_size"] == 0 and last in state["offer"]
    assert state["set_aside"] == aside[1:] and aside[0] in state["offer"]


def last_turn(game, change=None):
    """A table in the last turn of the last round: player 2 of three moves a gnome."""

    def both(state):
        state |= {"phase": "gnome", "laid": 2, "turn_player": 2, "current_player": 2, "ending": True}
        if change is not None:
            change(state)

    return Table(game, THREE, change=both)


def test_the_round_is_finished_and_everybody_moves_once_more(game):
    table = last_turn(game)
    state = table.do("stay")
    assert state["last_moves"] and state["laid"] == 0 and state["round"] == 1
    for player in range(3):
        assert (state["phase"], state["current_player"]) == ("gnome", player)
        state = table.do("stay")
    assert state["phase"] == "over" and state["current_player"] is None and state["turn_player"] == 2


def test_owed_rings_are_scored_before_the_last_moves(game):
    def change(state):
        state |= {"phase": "gnome", "laid": 2, "turn_player": 2, "current_player": 2, "ending": True}
        state["rings"][0] |= {"owner": 1, "owed": True, "waiting": False, "gnomes": [[1, 0]]}
        state["players"][1]["gnomes"][0] = {"at": "ring", "ring": 0}

    table = Table(game, [*THREE, (5, 0, 1, 4)], change=change)
    state = table.do("stay")
    assert state["last_moves"] and state["current_player"] == 0 and not state["rings"][0]["owed"]
    assert state["players"][1]["markers"] == [0] and state["players"][1]["mushrooms"]["red"] == 1


@pytest.mark.parametrize(
    ("treasures", "mushrooms", "ranks"),
    [((3, 2, 1), (0, 9, 9), (1, 2, 3)), ((2, 2, 1), (0, 1, 9), (2, 1, 3)), ((2, 2, 2), (1, 1, 0), (1, 1, 3))],
)
def test_points_then_unsold_mushrooms_then_shared(game, treasures, mushrooms, ranks):
    def change(state):
        for player, treasure, number in zip(state["players"], treasures, mushrooms, strict=True):
            player["treasure"], player["mushrooms"]["blue"] = treasure, number

    table = last_turn(game, change)
    while table.state["phase"] != "over":
        table.do("stay")
    infos = table.env.last()[-1]
    assert infos["rank"][0].tolist() == list(ranks) and infos["score"][0].tolist() == list(treasures)


def test_flowers_and_markers_score_by_number(game):
    table = last_turn(game, lambda state: state["players"][1].update(flowers=[0, 1, 5], markers=[0, 1, 10, 10], treasure=7))
    while table.state["phase"] != "over":
        table.do("stay")
    assert table.env.last()[-1]["score"][0].tolist() == [0, 6 + 14 + 7, 0]


def test_claims_of_the_test_tables_are_read_back(game):
    def change(state):
        claim(state, 1, 1, 0, 0, 2, [[0, 0, 1]])

    assert Table(game, THREE, change=change).state["players"][1]["gnomes"][1] == {"at": "path", "q": 0, "r": 0, "edge": 2}
