"""Rounds, turns and the end of the game. ``table.py`` explains positions and lists the cards."""

import numpy as np
import pytest

from tests.envs.fairy_ring.table import CARDS, Table, player, position, village

LEFT, RIGHT = {"kind": "plant", "side": "left"}, {"kind": "plant", "side": "right"}


# --- Gameplay Overview, Round Overview ----------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_game_is_two_rounds_of_six_turns_in_which_all_choose_and_then_all_resolve(num_players):
    table = Table(seed=4, num_players=num_players)
    first = table.state["first_player"]
    decisions = []
    while table.moves:
        state = table.state
        if state["phase"] in ("choose", "place"):
            decisions.append((state["round"], state["turn"], state["phase"], state["current_player"]))
        table.env.step(np.array([table.game.legal_actions(table.env.states)[0]]))
    # The tile, and with it the beginning, has gone one seat to the left after every turn, also between the rounds.
    assert decisions == [
        (round_number, turn, phase, (first + 6 * (round_number - 1) + turn - 1 + steps) % num_players)
        for round_number in (1, 2)
        for turn in range(1, 7)
        for phase in ("choose", "place")
        for steps in range(num_players)
    ]


# --- A. Choose ----------------------------------------------------------------------------------------------------------


def test_everybody_chooses_one_card_of_the_hand_in_turn_order():
    table = Table(seed=1, num_players=3)
    first = table.state["first_player"]
    for steps in range(3):
        p = (first + steps) % 3
        hand = table.players[p]["hand"]
        assert table.state["current_player"] == p
        assert table.moves == [{"type": "choose", "card": card} for card in hand]
        table.play("choose", card=hand[2])
        assert table.players[p]["chosen"] == hand[2]
        assert table.players[p]["hand"] == hand[:2] + hand[3:]
    assert (table.state["phase"], table.state["current_player"]) == ("place", first)


def test_a_choice_is_secret_until_its_owner_resolves():
    table = Table(seed=1)
    first, second = table.state["first_player"], 1 - table.state["first_player"]
    hands = [each["hand"] for each in table.players]
    before = table.view(second)["players"][first]
    table.play("choose", card=hands[first][0])
    assert table.view(second)["players"][first] == before
    assert (before["hand"], before["chosen"]) == (None, None)
    table.play("choose", card=hands[second][0])
    assert table.view(second)["players"][first]["chosen"] == hands[first][0]  # revealed: it is to be placed now
    assert table.view(first)["players"][second]["chosen"] is None


def test_a_hand_that_a_seat_has_held_is_shown_to_it_with_the_secret_choice_among_its_cards():
    holder = player([[0]], hand=[6, 7, 8], chosen=11)
    table = Table(position(holder, player([[1]], fairy=(1, 0)), phase="choose", turn=4, current=1))
    seen = table.view(1)["players"][0]
    assert (seen["hand"], seen["chosen"]) == ([6, 7, 8, 11], None)


# --- B. Resolve ---------------------------------------------------------------------------------------------------------


def test_each_player_completes_all_actions_before_the_next_reveals_a_card():
    # Spring 31 leaves its owner to pick a movement: player 1 has to wait.
    table = Table(position(player([[0]], chosen=31), player([[2]], chosen=12, fairy=(1, 0)), turn=1))
    table.play(**RIGHT)
    assert (table.state["phase"], table.state["current_player"]) == ("fly", 0)
    assert table.view(0)["players"][1]["chosen"] is None
    table.play("fly", movement=1)
    assert (table.state["phase"], table.state["current_player"]) == ("place", 1)
    assert table.view(0)["players"][1]["chosen"] == 12


# --- 1. Place your Mushroom ---------------------------------------------------------------------------------------------


def test_a_new_mushroom_is_planted_at_the_left_or_the_right_end_and_nowhere_else():
    state = position(player([[0], [2]], chosen=11), player([[5]], fairy=(1, 0)))
    assert Table(state).moves == [{"type": "plant", "side": "left"}, {"type": "plant", "side": "right"}]
    assert Table(state).play(**LEFT).players[0]["village"] == village([11], [0], [2])
    assert Table(state).play(**RIGHT).players[0]["village"] == village([0], [2], [11])


def test_planting_left_leaves_every_fairy_in_the_village_on_its_mushroom():
    # before:  player 0:  Magidrome (own fairy) | Lookout (fairy of player 1)
    # after:   player 0:  Academy (own fairy, which flew 1) | Magidrome | Lookout (fairy of player 1)
    state = position(player([[0], [2]], chosen=11, fairy=(0, 0)), player([[5]], fairy=(0, 1)))
    players = Table(state).play(**LEFT).players
    assert players[0]["fairy"] == {"player": 0, "mushroom": 0}
    assert players[1]["fairy"] == {"player": 0, "mushroom": 2}


def test_a_village_may_have_any_number_of_mushrooms_and_several_of_a_type():
    # Everybody always plants: the starting card and one mushroom for each turn, 13 of only six types.
    table = Table(seed=2)
    while table.moves:
        table.env.step(np.array([table.game.legal_actions(table.env.states)[0]]))  # of placements, the first is: plant left
    for each in table.players:
        assert [len(mushroom["cards"]) for mushroom in each["village"]] == [1] * 13


def test_a_card_is_laid_on_top_of_a_mushroom_of_its_type():
    state = position(player([[0], [2, 17]], chosen=16), player([[5]], fairy=(1, 0)))
    assert Table(state).play("grow", mushroom=1).players[0]["village"] == village([0], [2, 17, 16])


def test_a_mushroom_grows_only_with_its_own_type_in_the_own_village_and_up_to_four_cards():
    # player 0:  Lookout of four | Academy | Lookout of three | Lookout        player 1:  Lookout
    state = position(
        player([[2, 16, 17, 18], [1], [19, 20, 46], [47]], chosen=48),
        player([[49]], fairy=(1, 0)),
        player([[4]], fairy=(2, 0)),
        player([[5]], fairy=(3, 0)),
        round_number=2,
    )
    assert Table(state).moves == [
        {"type": "plant", "side": "left"},
        {"type": "plant", "side": "right"},
        {"type": "grow", "mushroom": 2},
        {"type": "grow", "mushroom": 3},
    ]


# --- 2. Move your Fairy -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "movement", "stop"),
    [
        (11, 1, (0, 0)),
        (16, 2, (1, 1)),
        (8, 3, (1, 0)),
        (17, 4, (0, 2)),  # the rulebook's example moves 4
        (13, 5, (0, 1)),
        (18, 6, (0, 0)),
    ],
)
def test_a_fairy_flies_as_many_mushrooms_as_the_card_just_placed_says(chosen, movement, stop):
    # player 1:  Lookout | Pollenarium        player 0:  Magidrome | Luminarium (fairy) | the new card
    # To the left, from the leftmost to the other's rightmost, and so on round the ring, in which the new card stands.
    assert CARDS[chosen].movement == (movement,)
    state = position(player([[0], [3]], chosen=chosen, fairy=(0, 1)), player([[2], [4]], fairy=(1, 0)))
    fairy = Table(state).play(**RIGHT).players[0]["fairy"]
    assert (fairy["player"], fairy["mushroom"]) == stop


@pytest.mark.parametrize(("chosen", "stop"), [(11, (0, 0)), (16, (1, 1)), (8, (1, 0)), (17, (2, 1))])
def test_the_ring_leads_from_each_village_to_that_of_the_player_on_the_left(chosen, stop):
    # player 0:  Magidrome        player 1:  Academy | Lookout        player 2:  Luminarium (fairy) | the new card
    # Cards 11, 16, 8 and 17 fly 1, 2, 3 and 4.
    state = position(
        player([[0]]),
        player([[1], [2]], fairy=(1, 0)),
        player([[3]], chosen=chosen, fairy=(2, 0)),
        first=2,
        current=2,
    )
    fairy = Table(state).play(**RIGHT).players[2]["fairy"]
    assert (fairy["player"], fairy["mushroom"]) == stop


def test_a_mushroom_of_several_cards_is_one_space_and_only_its_new_card_moves_the_fairy():
    # player 1:  Magidrome of three        player 0:  Lookout of two (fairy), on which Lookout 18 is laid
    # Two spaces in all: 6 are three times round, and back on the Lookout, now of three cards.
    state = position(player([[2, 16]], chosen=18), player([[0, 6, 7]], fairy=(1, 0)))
    table = Table(state).play("grow", mushroom=0)
    assert table.players[0]["fairy"] == {"player": 0, "mushroom": 0}
    assert table.gains() == [15, 0]


@pytest.mark.parametrize("place", [RIGHT, {"kind": "grow", "mushroom": 1}])
def test_one_of_three_movements_is_picked_when_a_spring_is_placed(place):
    # player 1:  Academy | Pollenarium | Luminarium        player 0:  Magidrome (fairy) | Spring
    table = Table(position(player([[0], [5]], chosen=32), player([[1], [4], [3]], fairy=(1, 0)))).play(**place)
    assert (table.state["phase"], table.state["played"]) == ("fly", 32)
    assert table.moves == [{"type": "fly", "movement": steps} for steps in (2, 4, 6)]
    table.play("fly", movement=2)
    assert table.players[0]["fairy"] == {"player": 1, "mushroom": 1}


# --- 3. Gather Mana -----------------------------------------------------------------------------------------------------


def test_an_own_mushroom_pays_its_owner_alone():
    # player 1:  Lookout of two        player 0:  Lookout | Magidrome (fairy) | Pollenarium 27, which flies 1
    state = position(player([[2], [0]], chosen=27, fairy=(0, 1)), player([[16, 17]], fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains() == [3, 0]


def test_an_opponents_mushroom_pays_the_opponent_and_the_mover_gathers_from_an_own_one_of_the_type():
    # player 1:  Lookout of two        player 0:  Lookout (fairy) | Pollenarium 27, which flies 1
    state = position(player([[2]], chosen=27), player([[16, 17]], fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains() == [3, 8]


def test_without_a_mushroom_of_the_type_the_mover_gathers_nothing():
    # player 1:  Lookout of two        player 0:  Magidrome (fairy) | Pollenarium 27, which flies 1
    state = position(player([[0]], chosen=27), player([[16, 17]], fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains() == [0, 8]


def test_the_mushroom_just_planted_is_among_the_own_ones():
    # player 1:  Lookout | Pollenarium        player 0:  Magidrome (fairy) | Lookout 16, which flies 2
    state = position(player([[0]], chosen=16), player([[2], [4]], fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains() == [3, 3]


def test_a_third_player_gathers_nothing():
    # player 1:  Lookout        player 0:  Lookout (fairy) | Pollenarium 27, which flies 1        player 2:  Lookout
    state = position(player([[2]], chosen=27), player([[16]], fairy=(1, 0)), player([[17]], fairy=(2, 0)))
    assert Table(state).play(**RIGHT).gains() == [3, 3, 0]


# player 1:  Magidrome 3        player 0:  Magidrome 3 + 4 | Magidrome 3 | Lookout (fairy) | Luminarium 21, which flies 3
THREE_MAGIDROMES = position(
    player([[6, 8], [7], [2]], chosen=21, fairy=(0, 2), mana=18),
    player([[0]], fairy=(1, 0)),
)


def test_the_example_of_magidromes_of_3_and_7_makes_25_mana_which_are_a_point_and_5():
    table = Table(THREE_MAGIDROMES).play(**RIGHT)
    assert (table.state["phase"], table.state["played"], table.state["movement"]) == ("gather", 21, 3)
    assert table.gains() == [18, 3]  # the opponent has gathered already
    table.play("gather", mushroom=0)
    assert (table.players[0]["points"], table.players[0]["mana"]) == (1, 5)
    assert (table.state["phase"], table.state["current_player"]) == ("place", 1)


def test_the_mover_may_choose_any_own_mushroom_of_the_type():
    table = Table(THREE_MAGIDROMES).play(**RIGHT)
    assert table.moves == [{"type": "gather", "mushroom": 0}, {"type": "gather", "mushroom": 1}]
    assert table.play("gather", mushroom=1).gains() == [18 + 3, 3]


def test_nothing_is_asked_when_all_own_mushrooms_of_the_type_pay_the_same():
    # player 1:  Magidrome 4        player 0:  Magidrome 3 (fairy) | Magidrome 3 | Pollenarium 27, which flies 1
    state = position(player([[0], [7]], chosen=27), player([[8]], fairy=(1, 0)))
    table = Table(state).play(**RIGHT)
    assert (table.state["phase"], table.state["current_player"]) == ("place", 1)
    assert table.gains() == [3, 4]


@pytest.mark.parametrize(
    ("size", "before", "points", "mana"),
    [(1, 16, 0, 19), (1, 17, 1, 0), (1, 19, 1, 2), (4, 0, 1, 4), (4, 18, 2, 2)],
)
def test_each_20_mana_are_a_point_at_once_and_the_rest_is_kept(size, before, points, mana):
    # player 0:  Lookout of one card (3) or four (24) | Magidrome (fairy) | Pollenarium 27, which flies 1
    stacks = [[2, 16, 17, 18][:size], [0]]
    state = position(player(stacks, chosen=27, fairy=(0, 1), mana=before, points=5), player([[5]], fairy=(1, 0)))
    after = Table(state).play(**RIGHT).players[0]
    assert (after["points"], after["mana"]) == (5 + points, mana)


# --- Mushroom details ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stacks", "pays"),
    [
        # Magidrome: the numbers on its cards
        ([[0]], 3),
        ([[0, 8]], 3 + 4),
        ([[0, 6, 7, 8]], 3 + 3 + 3 + 4),
        # Lookout: by its size
        ([[2]], 3),
        ([[2, 16]], 8),
        ([[2, 16, 17]], 15),
        ([[2, 16, 17, 18]], 24),
        # Luminarium: its cards times the visible fireflies of the village
        ([[6], [3]], 2 + 1),
        ([[12], [3, 22]], 2 * (0 + 2)),
        ([[1], [6], [3, 22, 21]], 3 * (1 + 2 + 1)),
        # Pollenarium: its cards times the mushrooms of the village
        ([[4]], 1),
        ([[0], [1, 11], [4]], 3),
        ([[0], [1, 11], [4, 26]], 2 * 3),
        # Spring: nothing when a fairy stops on it
        ([[31]], 0),
        ([[31, 32]], 0),
    ],
)
def test_a_mushroom_pays_by_all_its_cards(stacks, pays):
    # player 1:  the village given, the mushroom at its right end        player 0:  Spring (fairy) | Pollenarium 27, which flies 1
    state = position(player([[5]], chosen=27), player(stacks, fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains()[1] == pays


@pytest.mark.parametrize(("chosen", "movement"), [(27, 1), (17, 4)])
def test_an_academy_pays_its_cards_times_the_movement_of_the_fairy_that_has_just_flown(chosen, movement):
    # player 1:  Academy of two        player 0:  Academy (fairy) | the new card
    # Three spaces in all: 1 and 4 lead to the same one. Both players gather by the same movement.
    state = position(player([[12]], chosen=chosen), player([[1, 11]], fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains() == [movement, 2 * movement]


@pytest.mark.parametrize(("fireflies", "visible"), [("top", 1 + 1), ("all", (2 + 1) + 1)])
def test_a_luminarium_counts_covered_fireflies_only_by_the_option(fireflies, visible):
    # player 1:  Magidrome 7 (*) on 6 (**) | Luminarium (*)        player 0:  Spring (fairy) | Pollenarium 27, which flies 1
    state = position(player([[5]], chosen=27), player([[6, 7], [3]], fairy=(1, 0)))
    assert Table(state, fireflies=fireflies).play(**RIGHT).gains() == [0, visible]


@pytest.mark.parametrize(
    ("chosen", "gains"),
    [
        (27, [0, 0]),  # flies 1 and stops on the own Spring
        (16, [2, 0]),  # flies 2, passes the own Spring and stops on the other, which pays nobody
        (21, [2, 1 + 3]),  # flies 3, passes both and stops on the Lookout
    ],
)
def test_a_spring_pays_its_owner_when_any_fairy_passes_it_and_nobody_when_it_stops_there(chosen, gains):
    # player 1:  Lookout | Spring 1        player 0:  Spring 1 + 1 | Magidrome (fairy) | the new card
    state = position(player([[31, 32], [0]], chosen=chosen, fairy=(0, 1)), player([[2], [5]], fairy=(1, 0)))
    assert Table(state).play(**RIGHT).gains() == gains


def test_a_spring_pays_each_time_it_is_passed_but_not_for_leaving_it():
    # player 1:  Lookout        player 0:  Spring 1 (fairy), on which Spring 31 (1) is laid
    # Five mushrooms on: Lookout, Spring (2 mana), Lookout, Spring (2 mana), and a stop on the Lookout.
    state = position(player([[5]], chosen=31), player([[2]], fairy=(1, 0)))
    assert Table(state).play("grow", mushroom=0).play("fly", movement=5).gains() == [2 + 2, 3]


def test_a_spring_pays_on_the_flight_of_its_own_placement_and_a_point_is_gained_in_passing():
    # player 1:  Lookout        player 0:  Spring 31 (1 mana), just planted | Magidrome (fairy)
    state = position(player([[0]], chosen=33, mana=19), player([[2]], fairy=(1, 0)))
    after = Table(state).play(**LEFT).play("fly", movement=2).players
    assert (after[0]["points"], after[0]["mana"], after[1]["mana"]) == (1, 0, 3)


# The village of the rulebook's example (* a visible firefly; six of them), the cards of six turns and five:
#   Magidrome 3 + 5 ** | Luminarium of three * | Spring 1 + 2 | Lookout of two * | Pollenarium * | Academy of two *
EXAMPLE = [[0, 36], [21, 22, 53], [31, 62], [16, 47], [26], [11, 41]]


@pytest.mark.parametrize(
    ("target", "start", "pays"),
    [
        pytest.param(0, (0, 5), 8 + 3, id="Magidrome, past the Spring"),
        pytest.param(1, (1, 0), 18 + 3, id="Luminarium, past the Spring"),
        pytest.param(2, (1, 1), 0, id="Spring"),
        pytest.param(3, (1, 2), 8, id="Lookout"),
        pytest.param(4, (1, 3), 6, id="Pollenarium"),
        pytest.param(5, (1, 4), 10, id="Academy"),
    ],
)
def test_the_example_village_pays_8_18_8_6_10_and_3_in_passing_when_a_fairy_stops_there_after_5(target, start, pays):
    # player 0:  the example        player 1:  Lookout | Academy | Magidrome | Luminarium | Pollenarium, left of the example
    # Player 1 lays Lookout 46 on its Lookout and flies 5, from its leftmost mushroom to the example's rightmost.
    state = position(
        player(EXAMPLE, fairy=(0, 0)),
        player([[2], [12], [6], [23], [27]], chosen=46, fairy=start),
        round_number=2,
        first=1,
        current=1,
    )
    table = Table(state).play("grow", mushroom=0)
    assert table.players[1]["fairy"] == {"player": 0, "mushroom": target}
    assert table.gains()[0] == pays


# --- C. End of turn -----------------------------------------------------------------------------------------------------


def _last_placement(num_players=3, hands=None, **rest):
    """Seat 0 holds the tile and the last seat, whose fairy stands on its only mushroom, is about to place."""
    players = [player([[p]], fairy=(p, 0), hand=hands[p] if hands else None) for p in range(num_players)]
    return position(*players, current=num_players - 1, **rest)


def test_hands_and_the_tile_pass_to_the_left_and_a_new_turn_begins():
    state = _last_placement(turn=5, hands=[[6, 7], [8, 11], [12, 13]])
    after = Table(state).play(**RIGHT).state
    assert [each["hand"] for each in after["players"]] == [[12, 13], [6, 7], [8, 11]]
    assert (after["round"], after["turn"], after["phase"]) == (1, 6, "choose")
    assert after["first_player"] == after["current_player"] == 1


# --- End of the round ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_after_six_turns_the_seventh_cards_go_and_seven_of_the_second_deck_are_dealt(num_players):
    state = _last_placement(num_players)
    dealt = set()
    for seed in range(60):
        table = Table(state, seed=seed).play(**RIGHT)
        after = table.state
        assert (after["round"], after["turn"], after["phase"]) == (2, 1, "choose")
        assert after["first_player"] == after["current_player"] == 1
        assert [len(each["hand"]) for each in after["players"]] == [7] * num_players
        assert [len(each["village"]) for each in after["players"]] == [1] * (num_players - 1) + [2]
        cards = [card for each in after["players"] for card in each["hand"]]
        assert len(set(cards)) == 7 * num_players
        dealt.update(cards)
    assert dealt == {card.id for card in CARDS if card.deck == "2" and card.min_players <= num_players}


# --- End of the game ----------------------------------------------------------------------------------------------------


def test_after_the_second_round_the_game_is_over():
    table = Table(_last_placement(round_number=2)).play(**RIGHT)
    after = table.state
    assert (after["round"], after["turn"], after["phase"], after["first_player"]) == (2, 6, "over", 0)
    assert after["current_player"] is None
    assert all((each["hand"], each["chosen"]) == ([], None) for each in after["players"])
    assert table.moves == []


@pytest.mark.parametrize(
    ("points", "mana", "ranks", "shares"),
    [
        ((3, 5, 4), (19, 0, 0), [3, 1, 2], [0, 1, 0]),
        ((5, 5, 4), (1, 7, 19), [2, 1, 3], [0, 1, 0]),
        ((5, 5, 4), (7, 7, 19), [1, 1, 3], [1 / 2, 1 / 2, 0]),
        ((4, 4, 4), (2, 2, 2), [1, 1, 1], [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_most_points_win_then_most_mana_and_else_the_victory_is_shared(points, mana, ranks, shares):
    # player 0:  Magidrome        player 1:  Academy        player 2:  Spring (fairy) | Pollenarium 57, which flies 4
    # Once round the ring and back on the own Spring: nobody gathers anything.
    state = position(
        player([[0]], points=points[0], mana=mana[0]),
        player([[1]], points=points[1], mana=mana[1], fairy=(1, 0)),
        player([[5]], points=points[2], mana=mana[2], fairy=(2, 0), chosen=57),
        round_number=2,
        current=2,
    )
    for reward, paid in (("win", shares), ("score", points)):
        table = Table(state, reward=reward).play(**RIGHT)
        _, rewards, terminations, _, infos = table.env.last()
        assert terminations.tolist() == [True]
        assert infos["rank"][0].tolist() == ranks
        assert infos["score"][0].tolist() == list(points)
        assert np.allclose(rewards[0], paid)
