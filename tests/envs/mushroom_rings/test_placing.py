"""Setup, and which tiles are laid in a turn, at tables laid by hand (drawings, ban and leave: see test_garden)."""

import pytest

import envs

from .table import COLORS, Table, claim, new_game, with_player
from .test_garden import THREE


@pytest.fixture(scope="module")
def game():
    return new_game()


# --- setup --------------------------------------------------------------------------------------------------------------

BLOCKERS = {2: (4, 4, 3, 3, 3), 3: (5, 5, 4, 4, 3), 4: (5, 5, 4, 4, 3)}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_lies_on_the_table_at_first(players):
    game = new_game(players)
    env = envs.make_vec(game, 40, seed=1)
    states = [game.to_dict(env.states[i : i + 1]) for i in range(40)]
    for state in states:
        assert [(tile["tile"], tile["q"], tile["r"]) for tile in state["garden"]] == [(0, 0, 0)]
        assert sorted(state["offer"] + state["bag"] + state["set_aside"]) == list(range(1, 93))
        assert len(state["offer"]) == 8 and len(state["set_aside"]) == 2 * players
        in_market = [kind for kind, tokens in enumerate(state["flower_market"]) if tokens]
        assert len(in_market) == (2 if players == 2 else 0)
        for kind in range(8):
            tokens = (state["flower_market"][kind], state["wildflowers"][kind])
            assert tokens == ((players, None) if kind in in_market else (0, players))
        assert state["market"]["blockers"] == dict(zip(COLORS, BLOCKERS[players], strict=True))
        assert state["market"]["blocked"] == {color: [] for color in COLORS}
        for player in state["players"]:
            assert player["gnomes"] == [None, None] and not any(player["mushrooms"].values())
            assert (player["flowers"], player["markers"], player["storage"], player["treasure"]) == ([], [], [], 0)
        assert state["turn_player"] == state["current_player"] == state["first_player"] and state["round"] == 1
    assert {state["first_player"] for state in states} == set(range(players))
    assert len({tuple(state["offer"]) for state in states}) == 40
    if players == 2:
        assert len({tuple(state["flower_market"]) for state in states}) > 10


# --- where a tile fits --------------------------------------------------------------------------------------------------


def test_each_tile_touches_the_stump_or_a_laid_one_and_path_meets_path_and_green_meets_green(game):
    #     .   b      tile 1 joins the stump's edge 0 to the cell c; a bend that joins edges side by side fits on b only with
    #  ST   1        its edges 2 and 3 (edge 1 is green) or 3 and 4, and on c, which touches two paths, in one way
    #    c   .
    table = Table(game, THREE, [2])
    table.do("tile", slot=0)
    cells = [(move["q"], move["r"]) for move in table.moves]
    around = [(1, -1), (2, -1), (2, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (0, -1)]
    assert sorted(cells) == sorted(around)
    turns = {(1, -1): [2], (0, 1): [4], (-1, 1): [4, 5], (2, 0): [0, 1, 4, 5]}
    before = table.state
    for (q, r), rotations in turns.items():
        table.set(before)
        state = table.do("cell", q=q, r=r)
        if len(rotations) == 1:  # not asked for
            assert (state["garden"][-1]["rotation"], state["laid"]) == (rotations[0], 1)
        else:
            assert [(move["side"], move["rotation"]) for move in table.moves] == [(0, each) for each in rotations]


def test_a_tile_may_be_flipped_and_what_looks_alike_is_one_choice(game):
    table = Table(game, [], [59, 40])  # 59 has paths at 0, 1 and 2, 4; 40 is straight and bare
    table.do("tile", slot=0)
    table.do("cell", q=1, r=0)  # a path at its edge 3 must meet the stump's
    turns = [(move["side"], move["rotation"]) for move in table.moves]
    assert turns == [(0, 1), (0, 2), (0, 3), (0, 5), (1, 1), (1, 3), (1, 4), (1, 5)]
    table.do("orientation", side=1, rotation=4)  # edges 0, 1, 2 and 4 lie at 4, 3, 2 and 0
    table.do("tile", slot=1)
    state = table.do("cell", q=2, r=0)  # leads edge 0 on; turned by half it would look the same
    assert state["garden"][-1] == {"q": 2, "r": 0, "tile": 40, "side": 0, "rotation": 0}
    assert [[1, 0, 1], [2, 0, 0]] in [path["segments"] for path in state["paths"]]


def test_a_wildflower_fits_on_every_open_cell_and_is_not_turned(game):
    #     .   .      the cell c touches nothing but a green edge of tile 1
    #  ST   1   .
    #    .   c
    table = Table(game, THREE, change=with_player(storage=[93]))
    table.do("stored", slot=0)
    cells = [(move["q"], move["r"]) for move in table.moves]
    assert sorted(cells) == sorted([(1, -1), (2, -1), (2, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (0, -1)])
    state = table.do("cell", q=1, r=1)
    assert state["garden"][-1] == {"q": 1, "r": 1, "tile": 93, "side": 0, "rotation": 0}
    assert {"segments": [[1, 1, 0]], "gnome": None} in state["paths"]


# --- two from the offer, up to two stored -------------------------------------------------------------------------------


def kinds(table):
    """The kinds of the legal moves."""
    return {move["type"] for move in table.moves}


@pytest.mark.parametrize("order", ["sstt", "stst", "tsst", "ttss"])
def test_stored_tiles_are_laid_in_any_order_with_two_from_the_offer(game, order):
    table = Table(game, change=with_player(storage=[31, 32]))
    offer, laid, stored = table.state["offer"], 0, 2
    for letter in order:
        expected = {"tile"} if laid < 2 else {"stop"}
        assert table.state["phase"] == "place" and kinds(table) == expected | ({"stored"} if stored else set())
        table.do("stored" if letter == "s" else "tile", slot=0 if letter == "s" else laid)
        state = table.put_down()
        stored, laid = stored - (letter == "s"), laid + (letter == "t")
        if len(state["garden"]) < 5:  # after the last one there is no choice but to stop
            assert state["laid"] == laid and state["offer"][laid:] == offer[laid:] and state["offer"][:laid] == [None] * laid
    assert state["phase"] == "gnome" and len(state["garden"]) == 5 and state["players"][0]["storage"] == []
    assert None not in state["offer"] and not state["ending"]


def test_stored_tiles_need_not_be_laid(game):
    table = Table(game, change=with_player(storage=[31, 32]))
    assert table.lay_far(2)["phase"] == "place" and kinds(table) == {"stored", "stop"}
    state = table.do("stop")
    assert state["phase"] == "gnome" and state["players"][0]["storage"] == [31, 32] and not state["ending"]


def others_claim_the_stump(state):
    """All paths of the stump are other players'."""
    for number, (player, gnome) in enumerate(((1, 0), (1, 1), (2, 0))):
        path = next(path for path in state["paths"] if [0, 0, number] in path["segments"])
        claim(state, player, gnome, 0, 0, 2 * number, path["segments"])


def test_a_tile_that_fits_nowhere_stays_on_offer_while_another_is_laid():
    #  ST  31    every edge of tile 85 is a path: beside the claimed ones it may not lie, and beside green it does not fit
    table = Table(new_game(permission="refuse"), [(31, 1, 0, 0)], [85, 1], others_claim_the_stump)
    assert [move["slot"] for move in table.moves] == [1, 2, 3, 4, 5, 6, 7]
    table.do("tile", slot=1)
    state = table.put_down()
    assert state["offer"][:2] == [85, None] and state["laid"] == 1


def test_who_must_stop_after_one_tile_triggers_the_end_too():
    def change(state):
        others_claim_the_stump(state)
        state["laid"] = 1
        state["wildflowers"][0] = None
        state["players"][0]["storage"] = [93]

    table = Table(new_game(permission="refuse"), change=change)
    assert table.moves == [{"type": "stored", "slot": 0}, {"type": "stop"}] and not table.state["ending"]
    assert table.do("stop")["ending"]
