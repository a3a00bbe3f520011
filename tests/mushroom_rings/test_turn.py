"""Markers, bonuses and gnomes, each rule at a table laid by hand (drawings: see test_garden)."""

import pytest

from .table import Table, new_game
from .test_garden import DOUBLE, THREE, TWICE

COLORS = ("red", "yellow", "blue", "pink", "purple")


@pytest.fixture(scope="module")
def game():
    return new_game()


def with_player(**details):
    """A change that gives player 0 these things; the mushrooms by colour."""

    def change(state):
        player = state["players"][0]
        player["mushrooms"] |= details.get("mushrooms", {})
        for key, value in details.items():
            if key != "mushrooms":
                (player if key in player else state)[key] = value
        for tile in player["storage"]:
            for pile in ("bag", "set_aside"):
                if tile in state[pile]:
                    state[pile].remove(tile)
            if tile > 92:
                state["wildflowers"][tile - 93] = None
        state["set_aside"], state["bag"] = _full(state)

    return change


def _full(state):
    """Set aside and bag, with as many set aside as there must be."""
    pile, aside = state["bag"] + state["set_aside"], 2 * len(state["players"])
    return pile[-aside:], pile[:-aside]


def closes_a_large_ring(game, change=None):
    """A table at which player 0 has closed the ring of ten of test_garden, and chooses its slot."""
    table = Table(game, TWICE, [20], change)
    table.lay(20, -1, 0, 4)
    if table.lay_far()["phase"] == "place":
        table.do("stop")  # stored tiles could be laid too
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


def test_a_slot_with_two_spaces_as_fifth_and_sixth_marker_brings_one_wildflower(game):
    #       18  31  17
    #     19   3   6  16      tile 20 closes the ring of ten; four markers have moved before
    #   [20]  ST  15
    #        5   2
    table = closes_a_large_ring(game, with_player(markers=[0, 1, 2, 3]))
    player = table.do("slot", slot=10)["players"][0]
    assert player["markers"] == [0, 1, 2, 3, 10, 10]
    assert player["flowers"] == [0] and player["storage"] == [93]


def test_two_rings_are_scored_one_after_the_other(game):
    table = Table(game, DOUBLE, [41])
    table.lay(41, 1, 0, 0)
    state = table.lay_far()
    assert state["players"][0]["markers"] == [0]
    assert [ring["waiting"] for ring in state["rings"]] == [True, True]


# --- bonuses ------------------------------------------------------------------------------------------------------------


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


# --- gnomes -------------------------------------------------------------------------------------------------------------


def at_gnome_step(game, change=None, garden=(*THREE, (5, 0, 1, 4))):
    """A table at which player 0 moves a gnome; a ring of three with red and yellow waits."""

    def both(state):
        state |= {"phase": "gnome", "laid": 2}
        if change is not None:
            change(state)

    return Table(game, garden, change=both)


def destinations(table):
    table.do("gnome", gnome=0)
    return [move["place"] if "name" not in move else move["name"] for move in table.moves]


def test_gnomes_go_only_where_they_can_do_something(game):
    assert destinations(at_gnome_step(game)) == ["path", "ring"]
    full = with_player(mushrooms={"blue": 2}, flower_market=[1, 0, 0, 0, 0, 0, 0, 0])
    assert destinations(at_gnome_step(game, full)) == ["path", "ring", "flower_market", "stump"]
    owned = with_player(flowers=[0], flower_market=[1, 0, 0, 0, 0, 0, 0, 0])
    assert destinations(at_gnome_step(game, owned)) == ["path", "ring"]


def test_both_gnomes_in_hand_are_one_choice(game):
    assert at_gnome_step(game).moves == [{"type": "gnome", "gnome": 0}, {"type": "stay"}]


def test_waiting_mushrooms_bring_no_marker(game):
    table = at_gnome_step(game)
    table.do("gnome", gnome=0)
    state = table.do("destination", place="ring")
    player = state["players"][0]
    assert player["mushrooms"]["red"] == player["mushrooms"]["yellow"] == 1 and player["markers"] == []
    assert not state["rings"][0]["waiting"] and player["gnomes"] == [{"at": "ring", "ring": 0}, None]
    assert state["turn_player"] == 1


def test_a_path_is_named_by_its_tile_and_edge_and_leaving_gives_up_the_claim(game):
    table = at_gnome_step(game, garden=[])
    state = table.do("gnome", gnome=0)  # a path of the stump is all there is
    assert state["phase"] == "edge" and [move["edge"] for move in table.moves] == [0, 2, 4]
    state = table.do("edge", edge=2)
    assert state["paths"][1] == {"segments": [[0, 0, 1]], "gnome": [0, 0]}
    table.set(state | {"turn_player": 0, "current_player": 0, "phase": "gnome", "laid": 2})
    table.do("gnome", gnome=0)
    assert [move["edge"] for move in table.moves] == [0, 4]
    state = table.do("edge", edge=4)
    assert [path["gnome"] for path in state["paths"]] == [None, None, [0, 0]]


def test_the_flower_market_gives_the_lowest_kind_not_owned(game):
    table = at_gnome_step(game, with_player(flowers=[2], flower_market=[0, 0, 2, 0, 1, 0, 0, 0]))
    table.do("gnome", gnome=0)
    state = table.do("destination", place="flower_market")
    assert state["players"][0]["flowers"] == [2, 4] and state["flower_market"][4] == 0


def signpost(name, **player):
    def change(state):
        state["rings"][0]["signpost"] = name
        with_player(**player)(state)

    return change


def visit(table, name):
    table.do("gnome", gnome=0)
    return table.do("destination", place="signpost", name=name)


@pytest.mark.parametrize(
    ("name", "count"), [("red", 3), ("yellow", 3), ("blue", 2), ("pink", 2), ("purple", 1)]
)  # fmt: skip
def test_signposts_give_mushrooms(game, name, count):
    state = visit(at_gnome_step(game, signpost(name)), name)
    assert state["players"][0]["mushrooms"][name] == count and state["turn_player"] == 1


def test_the_flower_signpost(game):
    table = at_gnome_step(game, signpost("flower"))
    assert "flower" not in destinations(table)
    table = at_gnome_step(game, signpost("flower", flower_market=[0, 1, 0, 0, 0, 0, 0, 0]))
    assert visit(table, "flower")["players"][0]["flowers"] == [1]


TRADES = [
    ("red", "A", {"red": 1, "pink": 2}),
    ("red", "B", {"red": 1, "blue": 2}),
    ("yellow", "A", {"yellow": 1, "pink": 2}),
    ("yellow", "B", {"yellow": 1, "blue": 2}),
    ("blue", "A", {"blue": 1, "purple": 1}),
    ("blue", "B", {"pink": 3}),
    ("pink", "A", {"pink": 1, "purple": 1}),
    ("pink", "B", {"purple": 3}),
    ("purple", "A", {"red": 4}),
    ("purple", "B", {"yellow": 4}),
]


@pytest.fixture(scope="module")
def trading_game():
    return new_game(trade_board=True)


@pytest.mark.parametrize(("name", "choice", "mushrooms"), TRADES)
def test_every_trade_of_mushrooms(trading_game, name, choice, mushrooms):
    table = at_gnome_step(trading_game, signpost(name))
    assert visit(table, name)["phase"] == "trade"
    state = table.do("trade", choice=choice)
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | mushrooms and state["turn_player"] == 1


@pytest.mark.parametrize(("choice", "points", "purple"), [("A", 1, 0), ("B", 0, 1), ("none", 0, 0)])
def test_a_tile_is_traded_before_it_is_stored(trading_game, choice, points, purple):
    table = at_gnome_step(trading_game, signpost("tile", storage=[60, 61]))
    state = visit(table, "tile")
    tile = state["offer"][2]
    state = table.do("tile", slot=2)
    assert state["phase"] == "trade" and state["hand"]["tile"] == tile and tile not in state["offer"]
    state = table.do("trade", choice=choice)
    player = state["players"][0]
    assert player["treasure"] == points and player["mushrooms"]["purple"] == purple
    assert player["storage"] == ([60, 61, tile] if choice == "none" else [60, 61])
