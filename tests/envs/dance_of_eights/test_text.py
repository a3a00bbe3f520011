"""State dicts, moves, sentences and pictures."""

import copy
import importlib
from xml.etree import ElementTree

import numpy as np
import pytest

import envs
from tests.comparison import random_choice
from tests.envs.dance_of_eights.table import CARDS, OTHERS, RING, Table, position


def view_of(**changes):
    """A position of two with a card taken in the open."""
    return {**position(OTHERS, [*RING[:7], 7], known=[[1], []], discard=[5, 38, 38], turn=3), **changes}


@pytest.mark.parametrize("num_players", [2, 7])
@pytest.mark.parametrize("copies", [1, 2])
def test_records_become_dicts_and_dicts_become_the_same_records(num_players, copies):
    env = envs.make_vec("dance_of_eights", 30, num_players, seed=0, copies=copies, max_turns=12, autoreset=False)
    rng = np.random.default_rng(0)
    while (env.agent_selection >= 0).any():
        for record in env.states[:4]:
            state = env.game.to_dict(record)
            again = env.game.from_dict(state)
            assert env.game.to_dict(again) == state
            for name in set(record.dtype.names) - {"rng", "decisions"}:
                assert (again[0][name] == record[name]).all()
        env.step(random_choice(env.last()[0]["action_mask"], rng))


def test_a_seat_sees_its_own_hand_and_what_is_open():
    table = Table(view_of())
    seen = table.game.to_dict(table.env.states, 1)
    assert seen == {**table.state, "deck": None, "hands": [None, table.state["hands"][1]]}


def _changed(path, value):
    state = copy.deepcopy(view_of())
    place = state
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return state


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["phase"], "draw", "phase is 'draw'; it must be one of gain, discard, over"),
        (["turn"], 0, "turn is 0; it must be an integer from 1 to 100"),
        (["turn"], True, "turn is True"),
        (["current_player"], 2, "current_player is 2; it must be an integer from 0 to 1"),
        (["current_player"], None, "current_player is None"),
        (["winner"], 1, "winner is 1; it must be None"),
        (["deck_size"], 3, "deck_size is 3; it must be 39"),
        (["deck"], None, "deck is None; it must be a list"),
        (["deck", 4], 3, r"deck\[4\] is 3; it must be an integer from 0 to 2"),
        (["discard", 4], "1", r"discard\[4\] is '1'"),
        (["discard"], [], "the length of discard is 0; it must be 42"),
        (["hands"], [], "the length of hands is 0; it must be 2"),
        (["hands", 1], None, r"hands\[1\] is None"),
        (["hands", 1, 20], 1, r"the number of cards of hands\[1\] is 9; it must be 8"),
        (["known", 0, 2], 1, r"known\[0\]\[2\] is 1; it must be 0"),
        (["discard", 38], 1, "the number of copies of card 38 is 1; it must be 2"),
    ],
)
def test_an_impossible_dict_is_refused_with_its_place(path, value, message):
    game = envs.make_game("dance_of_eights", 2, copies=1)
    with pytest.raises(ValueError, match=message):
        game.from_dict(_changed(path, value))


def test_a_ring_that_has_not_won_and_a_winner_without_one_are_refused():
    game = envs.make_game("dance_of_eights", 2, copies=1)
    with pytest.raises(ValueError, match=r"hands\[1\] is a Ring, but nobody has won"):
        game.from_dict(position(OTHERS, RING, discard=[5]))
    with pytest.raises(ValueError, match=r"winner is 0, but hands\[0\] is no Ring"):
        game.from_dict(position(OTHERS, RING, discard=[5], phase="over", winner=0))
    game.from_dict(position(OTHERS, RING, discard=[5], phase="over", winner=1))


def test_moves_and_sentences():
    table = Table(view_of())
    game, record = table.game, table.env.states
    assert [game.sentence(record, action) for action in game.legal_actions(record)] == [
        "player 0 draws a card",
        "player 0 takes the Nereid (female, big, mischievous, water) from the discard area",
        "player 0 takes the Gremlin (male, tiny, mischievous, earth) from the discard area",
    ]
    table.play("take", card=38)
    assert game.sentence(record, 43 + 0) == "player 0 discards the Drow (female, big, evil, earth)"
    for action in game.legal_actions(record):
        assert game.action(record, game.move(record, action)) == action
    with pytest.raises(ValueError, match="not a legal move"):
        game.action(record, {"type": "draw"})


# --- pictures -----------------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def _titles(picture):
    return [title.text for title in ElementTree.fromstring(picture).iterfind(f".//{SVG}title")]


def test_the_text_shows_the_whole_table_or_what_a_seat_knows():
    table = Table(view_of())
    whole, seen = table.game.text(table.env.states), table.game.text(table.env.states, 1)
    assert "Turn 3 of 100: Player 0 gains a card" in whole
    assert "discard   3 cards: Nereid:FBMW, Gremlin:MTME x2" in whole
    assert "hand      Drow:FBEE, Siren:FBEW, Nymph:FBGW" in whole
    assert "female:7! male:1! tiny:0 small:2 big:6" in whole
    assert "hand      7 hidden and those taken in the open\nopen      Siren:FBEW" in seen
    assert "Drow:FBEE" not in seen


def test_the_picture_shows_each_card_in_sight_once_and_the_others_face_down():
    table = Table(view_of())
    whole, seen = _titles(table.game.svg(table.env.states)), _titles(table.game.svg(table.env.states, 1))
    faces = [title for title in whole if title.startswith("card ")]
    assert len(faces) == 2 + 8 + 8  # two distinct cards in the discard area
    assert "card 1: Siren, female, big, evil, water, taken in the open" in faces
    assert "hidden card" not in whole
    assert seen.count("hidden card") == 7
    assert len([title for title in seen if title.startswith("card ")]) == 2 + 1 + 8
    assert "deck of 39 cards" in seen


def test_a_picture_of_a_finished_game_names_the_winner_and_a_hand_known_whole_has_its_counters():
    state = position(RING, OTHERS, known=[RING, []], discard=[5], phase="over", winner=0)
    table = Table(state)
    assert "Game over: player 0 wins" in _titles(table.game.svg(table.env.states))[0]
    assert "female:4 male:4" in table.game.text(table.env.states, 1)
    state = position([*RING[:7], 7], OTHERS, discard=[5], phase="over", turn=100)
    table = Table(state)
    assert "Game over: nobody wins" in table.game.text(table.env.states)


@pytest.mark.parametrize("num_players", range(2, 8))
def test_no_two_things_of_a_picture_overlap(num_players):
    drawing = importlib.import_module("envs.dance_of_eights.pictures.svg")

    # The fullest table: nine cards in a hand, every distinct card in the discard area.
    game = envs.make_game("dance_of_eights", num_players)
    hands = [[c.id for c in CARDS[8 * (p % 5) : 8 * (p % 5) + 8]] for p in range(num_players)]
    hands[0].append(41)
    state = position(*hands, deck=[1], phase="discard", copies=2)
    root = ElementTree.fromstring(game.svg(game.from_dict(state)))
    width, height = float(root.get("width")), float(root.get("height"))
    places = {}
    for group in root.iter(f"{SVG}g"):
        title, transform = group.find(f"{SVG}title"), group.get("transform", "")
        if title is not None and transform:
            shift, scale = transform.removeprefix("translate(").split(") scale(")
            x, y = map(float, shift.split(","))
            places[len(places)] = (x, y, float(scale.rstrip(")")))
    boxes = [(x, y, x + 70 * scale, y + 96 * scale) for x, y, scale in places.values()]
    assert len(boxes) == 1 + sum(count > 0 for count in state["discard"]) + 8 * num_players + 1
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= width and bottom <= height
        for other in boxes[:i]:
            assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]
    assert drawing._PANEL_WIDTH >= 11 + 9 * drawing._STEP
