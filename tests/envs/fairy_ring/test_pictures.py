"""The pictures of Fairy Ring, over hand-made positions."""

import copy
import importlib
import itertools
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from envs.drawing.raster import svg_to_rgb
from envs.fairy_ring.cards import TYPES, Card
from envs.fairy_ring.pictures import pieces, terminal
from envs.fairy_ring.pictures import ring_layout as ring
from envs.fairy_ring.pictures import view as drawing

svg = importlib.import_module("envs.fairy_ring.pictures.svg")  # in the package its name is that of the function

# Ids 0-5 are start cards, one of each type; 6-11 are of round 1, 12-17 of round 2, in the same order of types.
CARDS = tuple(
    Card(
        id=6 * row + column,
        deck=deck,
        type=kind,
        movement=() if row == 0 else (2, 4, 6) if kind == "Spring" else (row + column,),
        fireflies=column % 3,
        mana=3 + row if kind in ("Magidrome", "Spring") else 0,
        min_players=0 if row == 0 else 2,
        copies=9,
    )
    for row, deck in enumerate(("start", "1", "2"))
    for column, kind in enumerate(TYPES)
)
MAGIDROME, ACADEMY, LOOKOUT, LUMINARIUM, POLLENARIUM, SPRING = range(6)


def village(*stacks):
    """A village from its stacks of card ids."""
    return [{"type": CARDS[stack[0]].type, "cards": list(stack)} for stack in stacks]


def full_view():
    """Turn 4 of round 1 at a table of three: player 1 chooses, player 2 went first and has chosen card 9."""
    return {
        "round": 1,
        "turn": 4,
        "phase": "choose",
        "first_player": 2,
        "current_player": 1,
        "played": None,
        "movement": None,
        "objectives": [2, 3, 8],
        "players": [
            {
                "village": village([MAGIDROME, 6, 12], [ACADEMY], [SPRING, 11]),
                "hand": [6, 7, 8],
                "chosen": 10,
                "fairy": {"player": 0, "mushroom": 2},
                "mana": 13,
                "points": 5,
                "objectives": [3],
            },
            {
                "village": village([LOOKOUT, 8, 8, 8], [LUMINARIUM, 9]),
                "hand": [12, 13, 14, 15],
                "chosen": None,
                "fairy": {"player": 0, "mushroom": 2},
                "mana": 0,
                "points": 1,
                "objectives": [],
            },
            {
                "village": village([POLLENARIUM], [LOOKOUT, 8], [ACADEMY]),
                "hand": [11, 16, 17],
                "chosen": 9,
                "fairy": {"player": 1, "mushroom": 0},
                "mana": 19,
                "points": 11,
                "objectives": [3, 8],
            },
        ],
    }


def seen_by_player_0():
    """The same position for player 0, who has held player 1's hand and not player 2's."""
    view = full_view()
    for player in view["players"][1:]:
        player["chosen"] = None
    view["players"][2]["hand"] = None
    return view


def crowded_view(num_players, mushrooms):
    """A position with so many mushrooms in every village, some of them of full size."""
    view = full_view()
    view["objectives"] = []
    seat = view["players"][1]
    stacks = [[kind] * (4 if kind < 3 else 1) for kind in itertools.islice(itertools.cycle(range(6)), mushrooms)]
    seat["village"] = village(*stacks)
    view["first_player"], view["current_player"] = 0, 1
    view["players"] = [copy.deepcopy(seat) for _ in range(num_players)]
    view["players"][0]["chosen"] = 9
    return view


def titles(picture):
    """What the groups of a picture are called, in the order of drawing."""
    root = ElementTree.fromstring(picture)
    return [title.text for title in root.iterfind(".//{http://www.w3.org/2000/svg}title")]


def words(picture):
    """The texts written in a picture."""
    root = ElementTree.fromstring(picture)
    return [text.text for text in root.iterfind(".//{http://www.w3.org/2000/svg}text")]


def faces(picture):
    """How often each card lies face up in a picture, and how many face down."""
    cards = Counter(int(t.split()[1].rstrip(":")) for t in titles(picture) if t.startswith("card "))
    return cards, titles(picture).count("hidden card")


# --- SVG ---


def test_svg_is_well_formed_and_of_one_size_for_all_positions():
    for view in (full_view(), seen_by_player_0(), crowded_view(4, 13), crowded_view(2, 1)):
        root = ElementTree.fromstring(svg.svg(view, CARDS))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert (root.get("width"), root.get("height")) == ("1400", "860")


def test_svg_is_the_same_for_the_same_view():
    assert svg.svg(full_view(), CARDS) == svg.svg(copy.deepcopy(full_view()), CARDS)


def test_svg_shows_every_mushroom_with_type_size_and_mana():
    picture = svg.svg(full_view(), CARDS)
    labels = Counter(words(picture))
    for label in ("Mag\u00d73", "Spr\u00d72", "Loo\u00d74", "Lum\u00d72", "Loo\u00d72"):
        assert labels[label] == 1, label
    assert labels["Aca"] >= 2
    assert labels["12"] >= 1, "3 + 4 + 5 mana on the Magidrome of player 0"
    assert "1: Magidrome, 3 cards, 0 fireflies" in titles(picture)
    assert [kind for kind in TYPES if kind not in labels] == [], "the legend names all types"


def test_svg_counts_the_fireflies_of_the_top_card_or_of_all():
    view = full_view()
    view["players"][0]["village"] = village([ACADEMY, 7, 13])
    view["players"][0]["fairy"] = {"player": 1, "mushroom": 0}
    view["players"][1]["fairy"] = {"player": 1, "mushroom": 0}
    assert "1: Academy, 3 cards, 1 fireflies" in titles(svg.svg(view, CARDS))
    assert "1: Academy, 3 cards, 3 fireflies" in titles(svg.svg(view, CARDS, fireflies="all"))


def test_svg_shows_every_fairy_on_the_ring_and_in_its_panel():
    drawn = Counter(titles(svg.svg(full_view(), CARDS)))
    assert [drawn[f"fairy of player {player}"] for player in range(3)] == [2, 2, 2]


def test_svg_shows_points_mana_time_and_whose_turn_it_is():
    labels = Counter(words(svg.svg(full_view(), CARDS)))
    for label in ("5 points", "1 point", "11 points", "13/20", "0/20", "19/20"):
        assert labels[label] == 1, label
    assert labels["Round 1 of 2, turn 4 of 6"] == labels["Player 1 chooses a card"] == 1
    assert labels["first"] == labels["to act"] == 1


def test_svg_shows_the_objectives_in_play_only():
    labels = words(svg.svg(full_view(), CARDS))
    shown = [number for number, label in drawing.OBJECTIVES.items() if label in labels]
    assert shown == [2, 3, 8]


def test_svg_shows_hands_and_chosen_cards_face_up_in_the_full_view():
    cards, backs = faces(svg.svg(full_view(), CARDS))
    assert cards == Counter([6, 7, 8, 10, 12, 13, 14, 15, 11, 16, 17, 9])
    assert backs == 0


def test_svg_of_a_seat_shows_backs_for_what_is_hidden():
    cards, backs = faces(svg.svg(seen_by_player_0(), CARDS))
    assert cards == Counter([6, 7, 8, 10, 12, 13, 14, 15])
    assert backs == 4, "three cards in the hand of player 2 and the chosen one"


def test_svg_does_not_say_which_card_of_a_known_hand_is_chosen():
    view = seen_by_player_0()
    view["players"][2]["hand"] = [9, 11, 16, 17]
    picture = svg.svg(view, CARDS)
    cards, backs = faces(picture)
    assert cards == Counter([6, 7, 8, 10, 12, 13, 14, 15, 9, 11, 16, 17])
    assert backs == 1
    assert "hand: 3 of these 4, one is chosen" in words(picture)


@pytest.mark.parametrize(
    ("phase", "current_player", "backs"),
    [
        # Player 2 goes first, then 0, then 1; the hand of player 2 has four cards in turn 4 until one is chosen.
        ("choose", 2, 4),
        ("choose", 0, 3 + 1),
        ("place", 0, 3),
        ("gather", 2, 3),
        ("fly", 1, 3),
    ],
)
def test_the_number_of_hidden_cards_follows_from_turn_and_phase(phase, current_player, backs):
    view = seen_by_player_0()
    view.update(phase=phase, current_player=current_player)
    for player in view["players"][:2]:
        player.update(hand=[], chosen=10)
    assert faces(svg.svg(view, CARDS))[1] == backs
    in_hand = backs if (phase, current_player) == ("choose", 2) else 3
    assert f"{in_hand} hidden" in terminal.text(view, CARDS)


def test_a_revealed_card_lies_in_the_middle():
    view = full_view()
    view.update(phase="place", current_player=0)
    assert faces(svg.svg(view, CARDS))[0][10] == 2, "before the player and in the middle"
    view.update(phase="gather", played=10, movement=5)
    view["players"][0]["chosen"] = None
    picture = svg.svg(view, CARDS)
    assert faces(picture)[0][10] == 1
    assert "Player 0 picks a mushroom after flying 5" in words(picture)


@pytest.mark.parametrize(
    ("points", "mana", "expected"),
    [
        ((5, 6, 4), (0, 0, 0), "Game over: player 1 wins"),
        ((6, 6, 4), (3, 2, 19), "Game over: player 0 wins"),
        ((6, 4, 6), (3, 19, 3), "Game over: players 0, 2 share the win"),
    ],
)
def test_the_end_names_who_won(points, mana, expected):
    view = full_view()
    view.update(phase="over", current_player=None, turn=6, round=2)
    for player, p, m in zip(view["players"], points, mana, strict=True):
        player.update(hand=[], chosen=None, points=p, mana=m)
    picture = svg.svg(view, CARDS)
    assert expected in words(picture)
    assert faces(picture) == (Counter(), 0)
    assert expected in terminal.text(view, CARDS)


# --- where things stand ---

ROOM = list(itertools.product((2, 3, 4), range(1, 14)))


@pytest.mark.parametrize(("num_players", "mushrooms"), ROOM)
def test_mushrooms_stand_apart_and_inside_the_picture(num_players, mushrooms):
    spans = ring.SPANS[num_players]
    feet, scale = ring.feet(spans, [mushrooms] * num_players)
    half = pieces.MUSHROOM_WIDTH * scale / 2
    for far in (False, True):
        columns = sorted(x for span, places in zip(spans, feet, strict=True) for x, _ in places if span.far == far)
        assert all(b - a >= 2 * half for a, b in itertools.pairwise(columns))
        assert columns[0] - half > 0 and columns[-1] + half < 1400
    for span, places in zip(spans, feet, strict=True):
        # The disc at the entry has a radius of 12.
        assert all(abs(x - span.gate[0]) > half + 12 for x, _ in places)


@pytest.mark.parametrize(("num_players", "mushrooms"), ROOM)
def test_full_mushrooms_with_all_fairies_touch_neither_panels_nor_the_middle(num_players, mushrooms):
    spans = ring.SPANS[num_players]
    feet, scale = ring.feet(spans, [mushrooms] * num_players)
    tallest = pieces.mushroom_height(4, scale) + 2 * 30
    for span, places in zip(spans, feet, strict=True):
        for x, y in places:
            if span.far:
                assert y - tallest > 148, "below the panels at the top"
            else:
                # The legend is the lowest line in the middle; the label of a mushroom ends 40 below its foot.
                assert y - tallest > (490 if abs(x - ring.CENTRE_X) < 400 else 0)
                assert y + 40 < 712, "above the panels at the bottom"


def test_a_fairy_flies_to_the_left_end_of_a_village_and_on_to_the_right_end_of_the_next():
    for num_players, spans in ring.SPANS.items():
        feet, _ = ring.feet(spans, [5] * num_players)
        angles = []
        for places in feet:
            for x, y in reversed(places):
                angles.append(np.arctan2((y - ring.CENTRE_Y) / 176, (x - ring.CENTRE_X) / 676))
        turned = np.diff(np.unwrap(angles))
        assert (turned > 0).all(), "clockwise, for y grows downwards"
        assert turned.sum() < 2 * np.pi, "and once round"


def test_arrows_point_clockwise():
    heads = ring.arrows([])
    assert len(heads) > 60
    for tail, tip, other in heads:
        middle = np.add(tail, other) / 2
        across, down = np.subtract(tip, middle)
        x, y = np.subtract(middle, (ring.CENTRE_X, ring.CENTRE_Y))
        assert x * down - y * across > 0


# --- text ---


def test_text_is_the_whole_position():
    lines = terminal.text(full_view(), CARDS).splitlines()
    assert lines[:13] == [
        "Round 1 of 2, turn 4 of 6: Player 1 chooses a card",
        "objective 2: 3 mushrooms of 2+ fireflies  -",
        "objective 3: 7 mushrooms                  P0 P2",
        "objective 8: 2 mushrooms of size 4        P2",
        "",
        "Player 0: 5 points, 13 mana",
        "village   0     1     2",
        "  type    Magx3 Acax1 Sprx2",
        "  mana    +12   .     +7",
        "  flies   .     *     **",
        "  fairies .     .     01",
        "hand      6:Mag>1+4 7:Aca>2* 8:Loo>3**",
        "chosen    10:Pol>5*",
    ]
    assert "Player 1: 1 point, 0 mana (to act)" in lines
    assert "Player 2: 11 points, 19 mana (first player)" in lines
    assert "hand      11:Spr>2|4|6+4** 16:Pol>6* 17:Spr>2|4|6+5**" in lines


def test_text_of_a_seat_hides_what_the_seat_cannot_know():
    view = seen_by_player_0()
    lines = terminal.text(view, CARDS).splitlines()
    assert lines[-4:-2] == ["hand      3 hidden", "chosen    hidden"]
    view["players"][2]["hand"] = [9, 16]
    assert "hand      9:Lum>4 16:Pol>6* (one of them is chosen)" in terminal.text(view, CARDS)


def test_text_stays_aligned_and_narrow_in_full_villages():
    lines = terminal.text(crowded_view(4, 13), CARDS, fireflies="all").splitlines()
    assert "  flies   .     ****  8*    .     *     **    .     ****  8*    .     *     **    ." in lines
    assert max(map(len, lines)) <= 110


# --- pixels ---


def test_svg_becomes_pixels_of_the_named_or_the_asked_size():
    picture = svg.svg(full_view(), CARDS)
    rgb = svg_to_rgb(picture)
    assert rgb.shape == (860, 1400, 3)
    assert rgb.dtype == np.uint8
    assert len(np.unique(rgb.reshape(-1, 3), axis=0)) > 100
    assert svg_to_rgb(picture, width=700).shape == (430, 700, 3)
    assert (svg_to_rgb(picture) == rgb).all()
