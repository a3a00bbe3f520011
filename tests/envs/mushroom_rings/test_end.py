"""Sales and the end of the game, each rule at a table laid by hand (drawings: see test_garden)."""

import pytest

from .table import COLORS, Table, claim, new_game, with_player
from .test_garden import THREE, TWICE
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


PAYOUTS = {
    "red": (2, 4, 6, 9, 12, 16),
    "yellow": (2, 4, 6, 9, 12, 16),
    "blue": (3, 6, 9, 13, 17, 22),
    "pink": (3, 6, 9, 13, 17, 22),
    "purple": (6, 10, 15, 20, 26, 32),
}


@pytest.mark.parametrize("color", COLORS)
def test_what_each_number_of_a_colour_brings(game, color):
    before = at_the_stump(game, mushrooms={color: 7})[0].state
    for number, payout in zip(range(2, 8), PAYOUTS[color], strict=True):
        table = at_gnome_step(game)
        table.set(before)
        player = table.do("sale", color=color, number=number)["players"][0]
        assert player["treasure"] == payout and player["mushrooms"][color] == 7 - number


def test_what_one_player_sold_no_other_sells_but_the_pair(game):
    table, _ = at_the_stump(game, mushrooms={"blue": 5, "red": 2})
    table.do("sale", color="blue", number=5)
    state = table.do("sale", color="red", number=2)
    assert state["turn_player"] == 1
    state |= {"phase": "gnome", "laid": 2}
    state["players"][1]["mushrooms"] |= {"blue": 7, "red": 2}
    table.set(state)
    table.do("gnome", gnome=0)
    table.do("destination", place="stump")
    assert sale_moves(table) == [("red", 2), ("blue", 2), ("blue", 3), ("blue", 4), ("blue", 6), ("blue", 7)]


def test_the_second_sale_is_not_asked_for_when_there_is_none(game):
    table, _ = at_the_stump(game, mushrooms={"red": 7, "blue": 1})
    state = table.do("sale", color="red", number=3)  # four red ones are left, but a visit sells a colour once
    assert state["turn_player"] == 1 and state["players"][0]["mushrooms"]["red"] == 4


def test_the_last_blocker_leaves_only_the_pair(game):
    market = {"blocked": {color: [] for color in COLORS}, "blockers": dict.fromkeys(COLORS, 1)}
    table, _ = at_the_stump(game, mushrooms={"pink": 7, "red": 1}, market=market)
    state = table.do("sale", color="pink", number=3)
    assert state["market"]["blockers"]["pink"] == 0
    state |= {"turn_player": 0, "current_player": 0, "phase": "gnome", "laid": 2}
    state["players"][0]["mushrooms"]["red"] = 2
    table.set(state)
    table.do("gnome", gnome=1)
    table.do("destination", place="stump")
    assert sale_moves(table) == [("red", 2), ("pink", 2)]


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


def test_without_tiles_to_draw_slots_of_the_offer_stay_empty(game):
    table = Table(game, change=lambda state: state.update(bag=[], set_aside=state["set_aside"][:1], ending=True))
    (last,) = table.state["set_aside"]
    state = table.lay_far(2)
    assert state["offer"].count(None) == 1 and last in state["offer"] and state["set_aside"] == []


@pytest.mark.parametrize("first", [0, 1, 2])
def test_players_who_have_not_had_their_turn_of_the_round_have_a_whole_one(game, first):
    def change(state):
        state |= {"phase": "gnome", "laid": 2, "first_player": first, "flower_market": [0] * 7 + [2]}
        state["players"][0]["flowers"] = list(range(7))

    table = Table(game, THREE, change=change)  # player 0 gains the eighth flower
    table.do("gnome", gnome=0)
    state = table.do("destination", place="flower_market")
    assert state["ending"]
    turns = []
    while not state["last_moves"]:
        turns.append(state["turn_player"])
        assert state["phase"] == "place" and state["round"] == 1
        table.lay_far(2)
        state = table.do("stay")
    assert turns == {0: [1, 2], 1: [], 2: [1]}[first]
    movers = []
    while state["phase"] != "over":
        movers.append(state["turn_player"])
        assert state["phase"] == "gnome"
        state = table.do("stay")
    assert movers == [(first + i) % 3 for i in range(3)]


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


def test_the_last_owed_rings_bring_markers_and_bonuses_player_by_player_from_the_first():
    #       18  31  17
    #     19   3   6  16     player 1 is owed the ring of ten, player 0 that of three: player 0 scores first
    #    20   ST  15
    #        5   2
    def change(state):
        state |= {"phase": "gnome", "laid": 2, "turn_player": 2, "current_player": 2, "ending": True}
        for ring, owner in ((0, 0), (1, 1)):
            state["rings"][ring] |= {"owner": owner, "owed": True, "waiting": False, "gnomes": [[owner, 0]]}
            state["players"][owner]["gnomes"][0] = {"at": "ring", "ring": ring}
        state["players"][0] |= {"flowers": list(range(1, 8)), "markers": [1]}
        state["players"][0]["mushrooms"]["blue"] = 2
        state |= {"wildflowers": [3] + [None] * 7, "flower_market": [0] * 7 + [2]}

    table = Table(new_game(trade_board=True), [*TWICE, (20, -1, 0, 4)], change=change)
    state = table.do("stay")
    assert (state["last_moves"], state["phase"], state["turn_player"], state["closed"]) == (True, "slot", 1, [1])
    assert state["players"][0]["markers"] == [1, 0] and state["players"][0]["flowers"] == list(range(8))
    assert state["players"][0]["storage"] == [93]  # the last wildflower came with its second marker
    table.do("slot", slot=9)
    state = table.do("signpost", name="red")  # not a gnome's visit: nothing is traded
    player = state["players"][1]
    assert player["mushrooms"]["red"] == 5 + 3 and player["markers"] == [9, 9]
    assert player["storage"] == [] and player["flowers"] == [0]  # from the market
    assert (state["phase"], state["turn_player"], state["closed"]) == ("gnome", 0, [])


def test_last_moves_count_and_make_no_further_round(game):
    def change(state):
        state |= {"flower_market": [0] * 7 + [1]}
        state["players"][0]["flowers"] = list(range(7))
        state["players"][1]["mushrooms"]["blue"] = 4

    table = last_turn(game, change)
    table.do("stay")
    table.do("gnome", gnome=0)
    state = table.do("destination", place="flower_market")  # the eighth
    assert state["last_moves"] and state["turn_player"] == 1
    table.do("gnome", gnome=0)
    table.do("destination", place="stump")
    state = table.do("sale", color="blue", number=4)
    state = table.do("stay")
    assert state["phase"] == "over" and state["round"] == 1
    assert table.env.last()[-1]["score"][0].tolist() == [36, 9, 0]


FLOWER_SCORES = (0, 1, 3, 6, 10, 15, 21, 28, 36)
MARKER_SCORES = (0, 2, 5, 9, 14, 20, 26, 33, 40)


@pytest.mark.parametrize("number", range(9))
def test_what_each_number_of_flowers_and_of_markers_scores(game, number):
    def change(state):
        state["players"][0]["flowers"] = list(range(number))
        state["players"][1]["markers"] = [0, 1, 2, 3, 4, 5, 6, 8][:number]
        state["players"][2]["mushrooms"] |= dict.fromkeys(COLORS, 9)  # unsold: worth nothing

    table = last_turn(game, change)
    while table.state["phase"] != "over":
        table.do("stay")
    assert table.env.last()[-1]["score"][0].tolist() == [FLOWER_SCORES[number], MARKER_SCORES[number], 0]


@pytest.mark.parametrize(
    ("treasures", "mushrooms", "ranks"),
    [
        ((3, 2, 1), (0, 9, 9), (1, 2, 3)),
        ((2, 2, 1), (0, 1, 9), (2, 1, 3)),
        ((2, 2, 2), (3, 3, 2), (1, 1, 3)),
        ((2, 2, 2), (4, 4, 4), (1, 1, 1)),
    ],
)
def test_points_then_unsold_mushrooms_then_shared(game, treasures, mushrooms, ranks):
    def change(state):
        for player, treasure, number in zip(state["players"], treasures, mushrooms, strict=True):
            player["treasure"] = treasure
            for i in range(number):  # of all colours in turn
                player["mushrooms"][COLORS[i % 5]] += 1

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
