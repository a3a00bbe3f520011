"""Setup, both the game's and the variant's, and the states that a game cannot be in."""

from collections import Counter

import pytest

import envs
from tests.envs.fairy_ring.table import CARDS, Table, player, position

PLAYERS = [2, 3, 4]


# --- Contents, Card description -----------------------------------------------------------------------------------------


def test_the_backs_sort_the_cards_into_6_starting_cards_and_30_for_each_round():
    assert Counter(card.deck for card in CARDS for _ in range(card.copies)) == {"start": 6, "1": 30, "2": 30}


def test_starting_cards_alone_show_neither_a_movement_nor_a_number_of_players():
    for card in CARDS:
        assert (card.deck == "start") == (card.movement == ()) == (card.min_players == 0)


# --- Setup --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", PLAYERS)
def test_everybody_draws_a_random_starting_card_and_the_fairy_stands_on_it(num_players):
    drawn = set()
    for seed in range(30):
        players = Table(seed=seed, num_players=num_players).players
        starting = [card for each in players for mushroom in each["village"] for card in mushroom["cards"]]
        assert len(set(starting)) == len(starting) == num_players
        assert all(CARDS[card].deck == "start" for card in starting)
        assert [each["fairy"] for each in players] == [{"player": p, "mushroom": 0} for p in range(num_players)]
        drawn.update(starting)
    assert drawn == set(range(6))


def test_starting_cards_lie_face_up():
    table = Table(num_players=3)
    for seat in range(3):
        shown = table.view(seat)["players"]
        assert [each["village"] for each in shown] == [each["village"] for each in table.players]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_everybody_begins_without_mana_points_objectives_or_a_choice(num_players):
    for each in Table(num_players=num_players, objectives=True).players:
        assert (each["mana"], each["points"], each["objectives"], each["chosen"]) == (0, 0, [], None)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_seven_cards_of_the_first_deck_are_dealt_of_those_for_so_many_players(num_players):
    dealt = set()
    for seed in range(60):
        state = Table(seed=seed, num_players=num_players).state
        assert (state["round"], state["turn"], state["phase"]) == (1, 1, "choose")
        cards = [card for each in state["players"] for card in each["hand"]]
        assert [len(each["hand"]) for each in state["players"]] == [7] * num_players
        assert len(set(cards)) == 7 * num_players
        dealt.update(cards)
    assert dealt == {card.id for card in CARDS if card.deck == "1" and card.min_players <= num_players}


def test_the_deck_is_shuffled():
    # 18 cards for two players, of which player 0 gets 7: each of them in about 7 of 18 games.
    games = 400
    times = Counter(card for seed in range(games) for card in Table(seed=seed).players[0]["hand"])
    assert len(times) == 18
    assert all(0.28 < count / games < 0.50 for count in times.values())


def test_cards_are_dealt_face_down():
    table = Table(num_players=3)
    for seat in range(3):
        hands = [each["hand"] for each in table.view(seat)["players"]]
        assert hands == [table.players[seat]["hand"] if p == seat else None for p in range(3)]


def test_the_first_player_is_chosen_at_random_and_begins():
    firsts = Counter()
    for seed in range(200):
        state = Table(seed=seed, num_players=4).state
        assert state["current_player"] == state["first_player"]
        firsts[state["first_player"]] += 1
    assert len(firsts) == 4
    assert min(firsts.values()) > 25


def test_points_are_known_to_all_because_every_gain_is_made_in_the_open():
    table = Table(position(player([[0]], points=3), player([[1]], fairy=(1, 0), points=5)))
    for seat in range(2):
        assert [each["points"] for each in table.view(seat)["players"]] == [3, 5]


# --- Variant: Objective cards, Setup ------------------------------------------------------------------------------------


def test_three_of_the_four_objective_cards_are_drawn_each_with_a_random_side_up():
    drawn = Counter()
    for seed in range(200):
        objectives = Table(seed=seed, objectives=True).state["objectives"]
        assert len(objectives) == 3
        assert len({(number - 1) // 2 for number in objectives}) == 3
        drawn.update(objectives)
    # Each of the eight sides is up in 3 of 8 games.
    assert set(drawn) == set(range(1, 9))
    assert all(50 < count < 100 for count in drawn.values())


def test_only_the_variant_has_objectives():
    assert Table().state["objectives"] == []
    assert envs.make_game("fairy_ring").options["objectives"] is False
    assert envs.make_game("fairy_ring_objectives").options["objectives"] is True


# --- states that cannot be ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda s: s.update(round=3), "round is 3; it must be an integer from 1 to 2"),
        (lambda s: s.update(turn=7), "turn is 7; it must be an integer from 1 to 6"),
        (lambda s: s.update(turn=True), "turn is True"),
        (lambda s: s.update(phase="sleep"), "phase is 'sleep'; it must be one of choose, place, fly, gather, over"),
        (lambda s: s.update(first_player=2), "first_player is 2"),
        (lambda s: s.update(current_player=None), "current_player is None"),
        (lambda s: s.update(objectives=[9]), "objectives is 9"),
        (lambda s: s["players"].pop(), "players has 1 entries; the game has 2 players"),
        (lambda s: s["players"][0].update(mana=20), r"players\[0\].mana is 20"),
        (lambda s: s["players"][0].update(village=[]), r"the length of players\[0\].village is 0"),
        (lambda s: s["players"][0]["village"][0].update(cards=[0] * 5), r"the size of players\[0\].village\[0\] is 5"),
        (lambda s: s["players"][1]["village"][0].update(type="Lookout"), r"cards\[0\] is card 5, which is no 'Lookout'"),
        (lambda s: s["players"][0].update(fairy={"player": 1, "mushroom": 3}), "fairy stands on mushroom 3, which player 1"),
        (lambda s: s["players"][1].update(hand=[36]), r"players\[1\].hand\[0\] is card 36, which is not of deck 1"),
        (lambda s: s["players"][1].update(hand=[6]), "card 6 is there more than 1 times"),
        (lambda s: s["players"][1].update(hand=[9]), "card 9 is there more than 0 times"),
    ],
)
def test_an_impossible_state_is_refused_and_the_place_named(change, named):
    state = position(player([[0]], hand=[6], chosen=11), player([[5]], hand=[7], chosen=12, fairy=(1, 0)))
    change(state)
    with pytest.raises(ValueError, match=named):
        envs.make_game("fairy_ring", 2).from_dict(state)
