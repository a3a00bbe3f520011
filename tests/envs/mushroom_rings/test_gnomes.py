"""What gnomes do, each rule at a table laid by hand (drawings: see test_garden)."""

import pytest

from .table import COLORS, Table, claim, new_game, with_player
from .test_garden import THREE, TWICE


@pytest.fixture(scope="module")
def game():
    return new_game()


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


@pytest.mark.parametrize("name", COLORS)
def test_of_a_trade_nothing_may_be_taken_and_without_the_board_none_is_offered(game, trading_game, name):
    table = at_gnome_step(trading_game, signpost(name))
    visit(table, name)
    assert table.moves == [{"type": "trade", "choice": choice} for choice in ("A", "B", "none")]
    traded = table.do("trade", choice="none")
    assert traded["turn_player"] == 1 and traded["players"][0]["mushrooms"][name] == (3, 3, 2, 2, 1)[COLORS.index(name)]
    table = at_gnome_step(game, signpost(name))
    assert visit(table, name)["players"] == traded["players"]


def test_at_the_flower_signpost_nothing_is_traded(trading_game):
    table = at_gnome_step(trading_game, signpost("flower", flower_market=[1, 0, 0, 0, 0, 0, 0, 0]))
    state = visit(table, "flower")
    assert state["turn_player"] == 1 and state["players"][0]["flowers"] == [0]


def test_the_tile_signpost_gives_a_tile_without_the_trade_board(game):
    table = at_gnome_step(game, signpost("tile", storage=[60]))
    state = visit(table, "tile")
    assert state["phase"] == "take"
    taken, drawn = state["offer"][5], state["bag"][0]
    state = table.do("tile", slot=5)
    assert state["players"][0]["storage"] == [60, taken] and state["offer"][5] == drawn and state["turn_player"] == 1


def test_the_tile_signpost_is_no_place_to_go_when_no_tile_is_on_offer(game):
    def change(state):
        signpost("tile")(state)
        state |= {"bag": [], "set_aside": [], "ending": True, "offer": [None] * 8}

    assert destinations(at_gnome_step(game, change)) == ["path", "ring"]


# --- where a gnome is, and where others are -----------------------------------------------------------------------------


def at(place, *gnomes, **player):
    """A change that puts gnomes, each a player and a number, at the stump, the flower market or ring 0."""

    def change(state):
        with_player(**player)(state)
        for owner, gnome in gnomes:
            state["players"][owner]["gnomes"][gnome] = {"at": place} | ({"ring": 0} if place == "ring" else {})
            if place == "ring":
                state["rings"][0]["gnomes"].append([owner, gnome])

    return change


@pytest.mark.parametrize("place", ["flower_market", "stump"])
def test_a_gnome_must_go_elsewhere_first_but_the_other_one_may_come(game, place):
    things = {"mushrooms": {"red": 3}} if place == "stump" else {"flower_market": [1, 0, 0, 0, 0, 0, 0, 0]}
    table = at_gnome_step(game, at(place, (0, 0), **things))
    assert place not in destinations(table)
    table = at_gnome_step(game, at(place, (0, 0), **things))
    table.do("gnome", gnome=1)
    assert {"type": "destination", "place": place} in table.moves


def test_a_gnome_in_a_ring_uses_neither_its_signpost_nor_its_mushrooms_but_the_other_one_may(game):
    def change(state):
        at("ring", (0, 0), flower_market=[1, 0, 0, 0, 0, 0, 0, 0])(state)
        signpost("pink")(state)

    assert destinations(at_gnome_step(game, change)) == ["path", "flower_market"]
    table = at_gnome_step(game, change)
    table.do("gnome", gnome=1)
    assert [move.get("name", move["place"]) for move in table.moves] == ["path", "ring", "flower_market", "pink"]
    state = table.do("destination", place="signpost", name="pink")
    assert state["rings"][0]["gnomes"] == [[0, 0], [0, 1]]


@pytest.mark.parametrize("place", ["flower_market", "stump", "ring"])
def test_any_number_of_gnomes_may_be_at_one_place(game, place):
    things = {"mushrooms": {"red": 2}, "flower_market": [1, 0, 0, 0, 0, 0, 0, 0]}
    others = [(0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    table = at_gnome_step(game, at(place, *others, **things))
    table.do("gnome", gnome=0)
    state = table.do("destination", place=place)
    assert state["turn_player"] == 1 or state["phase"] == "sale"
    assert all(gnome["at"] == place for player in state["players"] for gnome in player["gnomes"])


def test_two_gnomes_at_one_place_are_one_choice(game):
    both = at("stump", (0, 0), (0, 1), flower_market=[1, 0, 0, 0, 0, 0, 0, 0])
    assert at_gnome_step(game, both).moves == [{"type": "gnome", "gnome": 0}, {"type": "stay"}]
    one = at("stump", (0, 1), flower_market=[1, 0, 0, 0, 0, 0, 0, 0])
    assert len(at_gnome_step(game, one).moves) == 3


def test_in_a_ring_with_mushrooms_and_a_signpost_the_player_chooses(game):
    table = at_gnome_step(game, signpost("blue"))
    assert destinations(table) == ["path", "ring", "blue"]
    state = table.do("destination", place="ring")
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | {"red": 1, "yellow": 1}
    assert not state["rings"][0]["waiting"] and state["rings"][0]["signpost"] == "blue"
    state = visit(at_gnome_step(game, signpost("blue")), "blue")
    assert state["players"][0]["mushrooms"] == dict.fromkeys(COLORS, 0) | {"blue": 2} and state["rings"][0]["waiting"]


def test_a_gnome_need_not_move(game):
    table = at_gnome_step(game)
    before = table.state["players"]
    state = table.do("stay")
    assert state["players"] == before and state["turn_player"] == 1 and state["phase"] == "place"


# --- claims -------------------------------------------------------------------------------------------------------------


def claims_of_the_stump(*owners):
    """A change that lets these gnomes claim the stump's paths in turn."""

    def change(state):
        for number, (player, gnome) in enumerate(owners):
            claim(state, player, gnome, 0, 0, 2 * number, [[0, 0, number]])

    return change


def test_a_claimed_path_is_no_place_for_any_other_gnome(game):
    table = at_gnome_step(game, claims_of_the_stump((1, 0), (0, 1)), garden=[])
    table.do("gnome", gnome=0)
    state = table.state
    assert [path["gnome"] for path in state["paths"]] == [[1, 0], [0, 1], [0, 0]]  # the third path is all there is


def test_when_all_paths_are_claimed_no_gnome_goes_to_one(game):
    def change(state):
        claims_of_the_stump((1, 0), (2, 1), (1, 1))(state)
        with_player(mushrooms={"red": 3})(state)

    table = at_gnome_step(game, change, garden=[])
    assert table.do("gnome", gnome=0)["phase"] == "sale"  # the stump is all there is


@pytest.mark.parametrize("place", ["flower_market", "stump", "ring", "signpost"])
def test_a_gnome_that_leaves_a_path_for_any_place_gives_up_the_claim(game, place):
    def change(state):
        with_player(mushrooms={"red": 2}, flower_market=[1, 0, 0, 0, 0, 0, 0, 0])(state)
        claim(state, 0, 1, 0, 0, 2, [[0, 0, 1]])
        state["rings"][0]["signpost"] = "red"

    table = at_gnome_step(game, change)
    table.do("gnome", gnome=1)
    state = table.do("destination", place=place, **({"name": "red"} if place == "signpost" else {}))
    assert [path["gnome"] for path in state["paths"]] == [None, None]
    assert state["players"][0]["gnomes"][1]["at"] == ("ring" if place == "signpost" else place)


def test_paths_are_asked_for_by_the_cells_of_their_first_tiles(game):
    #      ST  41    tile 41 leads the stump's first path on and begins one of its own
    table = at_gnome_step(game, garden=[(41, 1, 0, 2)])
    table.do("gnome", gnome=0)
    assert table.state["phase"] == "where"
    assert table.moves == [{"type": "cell", "q": 0, "r": 0}, {"type": "cell", "q": 1, "r": 0}]
    state = table.do("cell", q=1, r=0)  # one path has this name: its edge is not asked for
    assert state["players"][0]["gnomes"][0] == {"at": "path", "q": 1, "r": 0, "edge": 4}
    assert [path["gnome"] for path in state["paths"] if path["segments"] == [[1, 0, 1]]] == [[0, 0]]


def test_rings_are_asked_for_by_cell_and_edge(game):
    #       18  31  17
    #     19   3   6  16     the rings of three and of ten both begin at the stump, whose edges 4 and 0 are the lowest
    #    20   ST  15
    #        5   2
    table = at_gnome_step(game, garden=[*TWICE, (20, -1, 0, 4)])
    table.do("gnome", gnome=0)
    state = table.state
    assert state["phase"] == "edge" and [move["edge"] for move in table.moves] == [0, 4]
    state = table.do("edge", edge=4)
    assert [ring["waiting"] for ring in state["rings"]] == [False, True]
