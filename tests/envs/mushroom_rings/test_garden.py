"""Paths, rings, ban and leave in gardens laid by hand.

In the drawings a row of cells lies half a cell to the right of the row above; numbers are tile ids, ST is the stump with its
segments 0-1, 2-3 and 4-5. Edge 0 of a cell faces right, edge 1 down right, edge 2 down left, and so on clockwise.
"""

import pytest

from .table import Table, claim, new_game

THREE = [(1, 1, 0, 2)]  # with tile 5 at (0, 1) a ring of three


@pytest.fixture(scope="module")
def game():
    return new_game()


def segments_of(state):
    return [path["segments"] for path in state["paths"]]


def test_a_ring_of_three(game):
    #  ST  1       tile 1 joins the stump's edge 0 to the cell below
    #    [5]       tile 5 joins that to the stump's edge 1
    state = Table(game, THREE, [5]).lay(5, 0, 1, 4)
    ring = state["rings"][0]
    assert ring["tiles"] == [[0, 0], [1, 0], [0, 1]] and ring["size"] == 3
    assert ring["mushrooms"] == {"red": 1, "yellow": 1, "blue": 0, "pink": 0, "purple": 0}
    assert ring["waiting"] and ring["owner"] is None and state["closed"] == [0]
    assert segments_of(state) == [[[0, 0, 1]], [[0, 0, 2]]]


TWICE = [
    (2, 0, 1, 3),  # joins the stump's edges 1 and 2 with the next
    (5, -1, 1, 5),
    (3, 0, -1, 0),  # closes the stump's edges 4 and 5 to a ring of three with the next
    (6, 1, -1, 2),
    (15, 1, 0, 3),  # from the stump's edge 0 round those two
    (16, 2, -1, 2),
    (17, 2, -2, 1),
    (31, 1, -2, 0),
    (18, 0, -2, 0),
    (19, -1, -1, 5),
]


def test_a_ring_counts_the_stump_once_though_it_passes_it_twice(game):
    #       18  31  17
    #     19   3   6  16
    #   [20]  ST  15
    #        5   2
    state = Table(game, TWICE, [20]).lay(20, -1, 0, 4)
    small, large = state["rings"]
    assert small["size"] == 3
    assert large["size"] == 10 and [0, 0] in large["tiles"]
    assert large["mushrooms"] == {"red": 5, "yellow": 4, "blue": 0, "pink": 0, "purple": 0}
    assert state["paths"] == []


HUB = [(93, 1, 0, 0)]


def test_up_to_three_rings_pass_a_hub(game):
    #      85  [4]
    #  ST  93   1
    #     5   6
    table = Table(game, [*HUB, (1, 2, 0, 2), (85, 1, -1, 0)], [5, 6, 4])
    state = table.lay(5, 0, 1, 4)
    assert state["rings"][0]["tiles"] == [[0, 0], [1, 0], [0, 1]]
    assert [1, 0, 0] in sum(segments_of(state), [])
    state = table.lay(6, 1, 1, 4)
    assert state["rings"][1]["tiles"] == [[1, 0], [2, 0], [1, 1]]
    hub = next(path for path in segments_of(state) if [1, 0, 0] in path)
    assert hub == [[1, 0, 0], [1, -1, 0]]
    state["laid"], state["phase"] = 1, "place"
    table.set(state)
    state = table.lay(4, 2, -1, 2)
    assert state["rings"][2]["tiles"] == [[1, 0], [1, -1], [2, -1]]
    assert [1, 0, 0] not in sum(segments_of(state), [])


def test_a_wildflower_can_close_a_ring_and_keeps_its_other_edges(game):
    def change(state):
        state["wildflowers"][0] = None
        state["players"][0]["storage"] = [93]

    table = Table(game, THREE, change=change)
    state = table.lay(93, 0, 1)
    assert state["rings"][0]["size"] == 3 and state["laid"] == 0
    assert [[0, 1, 0]] in segments_of(state)


DOUBLE = [(1, 0, 1, 4), (2, 1, 1, 4), (5, 2, 0, 2)]


def test_a_tile_can_close_two_rings_in_the_order_of_its_segments(game):
    #  ST [41]  5
    #     1   2
    state = Table(game, DOUBLE, [41]).lay(41, 1, 0, 0)
    assert [ring["tiles"] for ring in state["rings"]] == [[[1, 1], [2, 0], [1, 0]], [[0, 0], [0, 1], [1, 0]]]
    assert state["closed"] == [0, 1]


SPREAD = [
    (31, 1, 0, 0),
    (93, 2, 0, 0),
    (1, 3, -1, 1),  # joins two neighbouring edges of the hub's cell and of the cell beside it
    (2, 2, 1, 4),
    (15, 3, 1, 2),  # the long way round from there
    (16, 2, 2, 3),
    (17, 1, 2, 4),
    (18, 1, 1, 5),
]


@pytest.mark.parametrize("owner", [0, 1])
def test_both_rings_that_one_tile_closes_on_a_path_are_its_gnomes_who_goes_into_the_first(game, owner):
    #              1
    #  ST  31  93 [41]    tile 41 closes a large ring with its first segment and a small one with its second
    #    .   18   2  15
    #      .   17  16
    def change(state):
        state["wildflowers"][0] = None
        path = next(path for path in state["paths"] if [2, 0, 0] in path["segments"])
        claim(state, owner, 1, 0, 0, 0, path["segments"])

    table = Table(game, SPREAD, [41], change)
    state = table.lay(41, 3, 0, 1)
    if owner == 1:
        state = table.do("leave", give=True)
    large, small = state["rings"]
    assert (large["size"], small["size"]) == (7, 3)
    assert [ring["owner"] for ring in state["rings"]] == [owner, owner]
    assert [ring["owed"] for ring in state["rings"]] == [owner == 1] * 2 and not large["waiting"] and not small["waiting"]
    assert [ring["gnomes"] for ring in state["rings"]] == [[[owner, 1]], []]
    assert state["closed"] == ([0, 1] if owner == 0 else [])
    rest = next(path for path in state["paths"] if [2, 0, 0] in path["segments"])
    assert rest == {"segments": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "gnome": None}


def test_a_path_that_leads_off_the_table_stays_open():
    game = new_game(2, table_radius=8)
    table = Table(game, [(30 + q, q, 0, 0) for q in range(1, 9)])
    assert [0, 0, 0] in segments_of(table.state)[0] and len(segments_of(table.state)[0]) == 9
    table.do("tile", slot=0)
    cells = [(move["q"], move["r"]) for move in table.moves]
    assert max(max(abs(q), abs(r), abs(q + r)) for q, r in cells) == 8 and (9, 0) not in cells


# --- ban and leave ------------------------------------------------------------------------------------------------------

LINK = [(1, 0, 1, 3)]  # leads the stump's edge 1 to the cell (-1, 1), which faces the stump's edge 2


def claimed_stump(first, second):
    def change(state):
        claim(state, *first, 0, 0, 0, [[0, 0, 0], [0, 1, 0]])
        claim(state, *second, 0, 0, 2, [[0, 0, 1]])

    return change


@pytest.mark.parametrize("second", [(1, 0), (0, 1)])
def test_two_claimed_paths_cannot_be_joined_not_even_by_their_owner(game, second):
    #      ST      edge 0 of the cell [] ends one claimed path, edge 5 the other
    #   []   1
    table = Table(game, LINK, [2, 85], claimed_stump((0, 0), second))
    table.do("tile", slot=0)
    assert {"type": "cell", "q": -1, "r": 1} not in table.moves
    table.set(table.state | {"phase": "place", "hand": dict.fromkeys(table.state["hand"])})
    table.do("tile", slot=1)
    table.do("cell", q=-1, r=1)
    assert {"type": "orientation", "side": 0, "rotation": 0} in table.moves
    assert {"type": "orientation", "side": 0, "rotation": 1} not in table.moves


SHARED = [
    (43, 0, 1, 3),  # leads the stump's path on, and joins the cell X to tile 1
    (1, 1, 1, 3),
    (2, 2, 0, 3),
]


@pytest.mark.parametrize(("second", "allowed"), [((2, 0), False), ((1, 1), False), (None, True)])
def test_paths_cannot_be_joined_by_segments_that_share_a_third_path_either(game, second, allowed):
    #  ST   X   2     edge 0 of X ends a claimed path, edge 3 the stump's; 1 and 2 both end the path of tiles 43 and 1
    #    43   1
    def change(state):
        claim(state, 1, 0, 2, 0, 3, [[2, 0, 0]])
        if second is not None:
            claim(state, *second, 0, 0, 0, [[0, 0, 0], [0, 1, 0]])

    table = Table(game, SHARED, [85], change)
    table.do("tile", slot=0)
    table.do("cell", q=1, r=0)
    turns = [(move["side"], move["rotation"]) for move in table.moves]
    apart = [turn for turn in turns if sum(turn) % 2]  # 1-2 closes the ring of 43 and 1; 3-4 and 5-0 lengthen a claim each
    shared = [turn for turn in turns if sum(turn) % 2 == 0]  # 0-1 and 2-3 join a claim each to the path of 43 and 1
    assert len(apart) == 6 and len(shared) == (6 if allowed else 0)
    if allowed:
        assert table.do("orientation", side=0, rotation=0)["current_player"] == 1


CHAIN = [
    (1, 0, 1, 4),  # joins the edges 2 and 3 of the cell X by way of the stump
    (15, 1, 1, 4),  # ends at edge 1 of X
    (16, 2, 0, 3),  # ends at edge 0 of X
    (2, 2, -1, 2),  # joins the edges 4 and 5 of X with the next
    (41, 1, -1, 0),
]


@pytest.mark.parametrize("second", [(2, 0), (1, 1), None])
def test_paths_cannot_be_joined_by_a_chain_of_three_segments_either(game, second):
    #     41   2
    #  ST   X   16     whichever of its segments come first, 1-2, 3-4 and 5-0 join the claimed paths of 15 and 16,
    #     1   15       and so does 0-1 in the other turns
    def change(state):
        claim(state, 1, 0, 1, 1, 0, [[1, 1, 0]])
        if second is not None:
            claim(state, *second, 2, 0, 3, [[2, 0, 0]])

    table = Table(game, CHAIN, [85], change)
    table.do("tile", slot=0)
    assert ({"type": "cell", "q": 1, "r": 0} in table.moves) == (second is None)
    if second is None:
        table.do("cell", q=1, r=0)
        assert len(table.moves) == 12


def test_hubs_count_for_ban_and_leave_as_one_path(game):
    #  ST  93  [ ]    player 1 claims the hub with all that hangs on it; a path edge against it lengthens that
    def change(state):
        state["wildflowers"][0] = None
        claim(state, 1, 0, 0, 0, 0, [[0, 0, 0], [1, 0, 0]])

    table = Table(game, HUB, [1], change)
    state = table.lay(1, 2, 0, 2)
    assert state["phase"] == "leave" and state["current_player"] == 1
    table = Table(game, HUB, [1], change)
    state = table.lay(1, 2, 0, 0)  # green meets the hub
    assert state["phase"] == "place" and state["laid"] == 1 and [[2, 0, 0]] in segments_of(state)


@pytest.mark.parametrize("permission", ["ask", "refuse"])
def test_nobody_is_asked_for_leave_of_his_own_path(permission):
    state = Table(new_game(permission=permission), LINK, [85], claimed_stump((0, 0), (0, 1))).lay(85, -1, 1, 0)
    assert state["phase"] == "place" and state["laid"] == 1


def test_one_refusal_is_for_every_owner_until_the_turn_is_over(game):
    #      ST      85 on the cell [] needs leave of player 1; stump edges 4 and 5 end a path of player 2
    #   []   1
    def change(state):
        claimed_stump((0, 0), (1, 0))(state)
        claim(state, 2, 0, 0, 0, 4, [[0, 0, 2]])

    table = Table(game, LINK, [85, 2], change)
    table.do("tile", slot=1)
    assert {"type": "cell", "q": 0, "r": -1} in table.moves  # faces edge 4: player 2 would be asked
    table.set(table.state | {"phase": "place", "hand": dict.fromkeys(table.state["hand"])})
    table.lay(85, -1, 1, 0)
    table.do("leave", give=False)
    table.do("tile", slot=1)
    assert {"type": "cell", "q": 0, "r": -1} not in table.moves
    table.put_down()
    table.lay_far()
    state = table.do("stay")
    assert state["turn_player"] == 1 and not state["refused"]
    table.do("tile", slot=1)
    assert {"type": "cell", "q": 0, "r": -1} in table.moves  # player 1 may ask again


def test_leave_is_given(game):
    table = Table(game, LINK, [85], claimed_stump((0, 0), (1, 0)))
    state = table.lay(85, -1, 1, 0)
    assert state["phase"] == "leave" and state["current_player"] == 1 and state["turn_player"] == 0
    assert state["hand"]["tile"] == 85 and 85 in state["offer"]
    state = table.do("leave", give=True)
    assert state["laid"] == 1 and state["current_player"] == 0 and 85 not in state["offer"]
    assert [1, 0] in [path["gnome"] for path in state["paths"] if [-1, 1, 2] in path["segments"]]


def test_leave_is_refused_for_the_rest_of_the_turn(game):
    table = Table(game, LINK, [85], claimed_stump((0, 0), (1, 0)))
    table.lay(85, -1, 1, 0)
    state = table.do("leave", give=False)
    assert state["refused"] and state["phase"] == "place" and 85 in state["offer"] and state["laid"] == 0
    assert state["hand"]["tile"] is None and len(state["garden"]) == 2
    table.do("tile", slot=0)
    assert {"type": "cell", "q": -1, "r": 1} not in table.moves
    assert {"type": "cell", "q": -1, "r": 0} not in table.moves  # faces the stump's edge 3


def test_with_permission_refuse_nobody_is_asked():
    table = Table(new_game(permission="refuse"), LINK, [85], claimed_stump((0, 0), (1, 0)))
    table.do("tile", slot=0)
    assert {"type": "cell", "q": -1, "r": 1} not in table.moves


def test_owners_are_asked_in_turn_order_and_the_first_no_ends_it(game):
    table = Table(game, LINK, [85], claimed_stump((2, 0), (1, 0)))
    assert table.lay(85, -1, 1, 0)["current_player"] == 1
    assert table.do("leave", give=True)["current_player"] == 2
    state = table.do("leave", give=False)
    assert state["refused"] and state["current_player"] == 0 and len(state["garden"]) == 2


def test_a_wildflower_needs_no_leave_but_keeps_the_ban(game):
    def change(state):
        claimed_stump((2, 0), (1, 0))(state)
        state["wildflowers"][0] = None
        state["players"][0]["storage"] = [93]

    table = Table(game, LINK, change=change)
    table.do("stored", slot=0)
    assert {"type": "cell", "q": -1, "r": 1} not in table.moves
    state = table.do("cell", q=-1, r=0)
    assert state["phase"] == "place" and len(state["garden"]) == 3


def test_a_gnome_goes_into_its_ring_and_the_ring_is_owed_by_another_who_closed_it(game):
    def change(state):
        claim(state, 1, 0, 0, 0, 0, [[0, 0, 0], [1, 0, 0]])

    table = Table(game, THREE, [5], change)
    table.lay(5, 0, 1, 4)
    state = table.do("leave", give=True)
    ring = state["rings"][0]
    assert (ring["owner"], ring["owed"], ring["waiting"], ring["gnomes"]) == (1, True, False, [[1, 0]])
    assert state["closed"] == [] and state["players"][1]["gnomes"][0] == {"at": "ring", "ring": 0}
    table.lay_far()
    state = table.do("stay")
    player = state["players"][1]
    assert state["turn_player"] == 1 and not state["rings"][0]["owed"]
    assert player["mushrooms"]["red"] == player["mushrooms"]["yellow"] == 1 and player["markers"] == [0]
    assert state["players"][0]["markers"] == []


def test_a_gnome_whose_path_gave_the_ring_nothing_keeps_it(game):
    #      ST  1     the wildflower closes the ring of three; its edge 3 ends the claimed path of tile 2
    #    2 [93]
    def change(state):
        state["wildflowers"][0] = None
        state["players"][0]["storage"] = [93]
        claim(state, 2, 1, 0, 0, 2, [[-1, 1, 0], [0, 0, 1]])

    table = Table(game, [*THREE, (2, -1, 1, 5)], change=change)
    state = table.lay(93, 0, 1)
    assert state["rings"][0]["owner"] is None and state["rings"][0]["gnomes"] == []
    path = next(path for path in state["paths"] if path["gnome"] == [2, 1])
    assert [0, 1, 0] in path["segments"]


def test_a_tile_without_a_place_cannot_be_chosen_and_stopping_triggers_the_end():
    def change(state):
        for path, (player, gnome), edge in zip(state["paths"], ((1, 0), (1, 1), (2, 0)), (0, 2, 4), strict=True):
            path["gnome"] = [player, gnome]
            state["players"][player]["gnomes"][gnome] = {"at": "path", "q": 0, "r": 0, "edge": edge}
        state["wildflowers"][0] = None
        state["players"][0]["storage"] = [93]

    table = Table(new_game(permission="refuse"), change=change)
    assert table.moves == [{"type": "stored", "slot": 0}, {"type": "stop"}]
    state = table.do("stop")
    assert state["ending"] and state["laid"] == 0
