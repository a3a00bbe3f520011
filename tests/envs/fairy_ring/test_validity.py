"""Records from outside: what is possible passes, anything else is refused with its field, and nothing that passes does harm."""

import numpy as np
import pytest

import envs
from envs.fairy_ring.state import state_dtype
from envs.fairy_ring.validity import FIELD
from envs.vector import VectorAECEnv
from tests.envs.fairy_ring.table import CARDS, player, position, village
from tests.envs.fairy_ring.test_redeal import few_kinds  # noqa: F401 (a fixture)
from tests.tampering import RULE_SETS, change_fields, comes_back, faulty_field, named_when_impossible, records_of, set_field


@pytest.fixture(params=RULE_SETS["fairy_ring"], ids=str)
def game(request):
    name, players, options = request.param
    return envs.make_game(name, players, **options)


# --- what is possible ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objectives", [False, True])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_record_of_whole_games_and_every_world_passes(num_players, objectives):
    game = envs.make_game("fairy_ring", num_players, objectives=objectives)
    for seed in range(3):
        records, worlds = records_of(game, seed, games=20)
        assert {"choose", "place", "fly", "gather", "over"} == {game.to_dict(record)["phase"] for record in records[::3]}
        game.check_records(records)
        game.check_records(worlds)
        assert all(comes_back(game, record[None]) for record in records[::20])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_deck_with_several_copies_of_a_card_passes_and_one_more_does_not(num_players, few_kinds):  # noqa: F811
    game = envs.make_game("fairy_ring", num_players, deck=few_kinds)
    records, worlds = records_of(game, 0, games=20)
    game.check_records(records)
    game.check_records(worlds)
    assert {"hand", "cards", "box", "unseen"} <= set(change_fields(game, records, 2000, seed=0))


def test_the_places_of_the_fields_are_those_of_every_record():
    for num_players in (2, 3, 4):
        names = state_dtype(num_players, 47).names
        assert {name: 1 + names.index(name) for name in names if not name.startswith("_gap")} == FIELD._asdict()


def test_a_forfeited_game_passes_though_its_phase_goes_on(game):
    env = VectorAECEnv(game, 50, seed=0, illegal="forfeit", autoreset=False)
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in env.last()[0]["action_mask"]])
        env.step(np.where(rng.random(50) < 0.05, -1, actions))
    forfeited = (env.agent_selection < 0) & (env.states["phase"] < 4)
    assert forfeited.sum() > 10
    game.check_records(env.states)
    env._states["hand"][np.flatnonzero(forfeited)[0], 0, 0] = 100
    with pytest.raises(ValueError, match=f"row {np.flatnonzero(forfeited)[0]}: field current_player"):
        game.check_records(env.states)


# --- field by field -----------------------------------------------------------------------------------------------------

# Player 0 has placed Spring 31; the fairy of player 1 stands in the village of player 0.
PLAYERS = (
    player([[0], [8], [31]], hand=[11, 12], fairy=(1, 1), mana=3, points=2),
    player([[5], [6]], hand=[13, 16], chosen=17, fairy=(0, 2)),
)
FLY = position(*PLAYERS, phase="fly", turn=5, played=31)
GATHER = position(*PLAYERS, phase="gather", turn=5, played=31, movement=3)
CHOOSE = position(player([[0]]), player([[5]], fairy=(1, 0)), phase="choose", turn=1)


def _swap(name, one, other):
    def change(record):
        row = record[name][0]
        row[one], row[other] = row[other].copy(), row[one].copy()

    return change


FAULTS = [
    (FLY, set_field("decisions", -1), "decisions"),
    (FLY, set_field("decisions", 4 * 2 * 4 + 2 + 2), "decisions"),  # four turns, two choices, a placement, and one too many
    (FLY, set_field("current_player", 2), "current_player"),
    (FLY, set_field("current_player", -2), "current_player"),
    (CHOOSE, set_field("current_player", -128), "current_player"),
    (FLY, set_field("phase", 5), "phase"),
    (FLY, set_field("phase", -1), "phase"),
    (FLY, set_field("round", 0), "round"),
    (FLY, set_field("round", 3), "round"),
    (FLY, set_field("turn", 0), "turn"),
    (FLY, set_field("turn", 7), "turn"),
    (FLY, set_field("first_player", 2), "first_player"),
    (FLY, set_field("first_player", -1), "first_player"),
    (FLY, set_field("played", -1), "played"),
    (FLY, set_field("played", 8), "played"),  # no Spring
    (FLY, set_field("played", 5), "played"),  # a starting card, and another player's
    (FLY, set_field("played", 127), "played"),
    (FLY, set_field("played", -128), "played"),
    (CHOOSE, set_field("played", 31), "played"),
    (GATHER, set_field("movement", 0), "movement"),
    (GATHER, set_field("movement", 2), "movement"),
    (FLY, set_field("movement", 1), "movement"),
    (FLY, set_field("objectives", 1), "objectives"),
    (FLY, set_field("completed", 1, 0), "completed"),
    (FLY, set_field("completed", -(2**15), 1), "completed"),
    (FLY, set_field("mana", 20, 1), "mana"),
    (FLY, set_field("mana", -1, 1), "mana"),
    (FLY, set_field("points", -1, 0), "points"),
    (FLY, set_field("points", 32001, 0), "points"),
    (FLY, set_field("hand", 100, 0, 1), "hand"),
    (FLY, set_field("hand", -5, 0, 0), "hand"),
    (FLY, set_field("hand", 36, 0, 1), "hand"),  # of the second round
    (FLY, set_field("hand", 9, 0, 0), "hand"),  # for three players
    (FLY, set_field("hand", 11, 0, 1), "hand"),  # twice
    (FLY, set_field("hand", 18, 0, 2), "hand"),  # one more than the size
    (FLY, _swap("hand", (0, 0), (0, 1)), "hand"),
    (FLY, set_field("hand_size", 1, 0), "hand_size"),
    (FLY, set_field("hand_size", 127, 0), "hand_size"),
    (FLY, set_field("hand_size", -1, 0), "hand_size"),
    (FLY, set_field("chosen", -1, 1), "chosen"),
    (FLY, set_field("chosen", 18, 1), "chosen"),  # not of the hand
    (FLY, set_field("chosen", 11, 0), "chosen"),  # placed already
    (FLY, set_field("fairy_village", 2, 0), "fairy_village"),
    (FLY, set_field("fairy_village", -1, 0), "fairy_village"),
    (FLY, set_field("fairy_mushroom", 2, 0), "fairy_mushroom"),
    (FLY, set_field("fairy_mushroom", -1, 0), "fairy_mushroom"),
    (FLY, set_field("num_mushrooms", 14, 0), "num_mushrooms"),
    (FLY, set_field("num_mushrooms", 0, 0), "num_mushrooms"),
    (FLY, set_field("num_mushrooms", 2, 0), "num_mushrooms"),
    (FLY, set_field("cards", 100, 0, 1, 0), "cards"),
    (FLY, set_field("cards", -2, 0, 1, 0), "cards"),
    (FLY, set_field("cards", 7, 0, 1, 2), "cards"),  # above a gap
    (FLY, set_field("cards", 7, 0, 5, 1), "cards"),  # beyond the village
    (FLY, set_field("cards", 11, 0, 1, 1), "cards"),  # of another type
    (FLY, set_field("cards", 38, 0, 1, 1), "cards"),  # of the second round
    (FLY, set_field("type", 1, 0, 0), "type"),
    (FLY, set_field("type", 100, 0, 0), "type"),
    (FLY, set_field("type", 1, 0, 12), "type"),
    (FLY, set_field("village", 2, 0, 0, 0), "village"),  # size
    (FLY, set_field("village", 1, 0, 0, 3), "village"),  # another type
    (FLY, set_field("village", 0, 0, 0, 6), "village"),  # fireflies
    (FLY, set_field("village", 127, 0, 0, 7), "village"),  # pay
    (FLY, set_field("village", 1, 0, 12, 7), "village"),
    (FLY, set_field("box", 0, 1), "box"),  # card 7
    (FLY, set_field("box", 1, 0), "box"),  # card 6, which has been placed
    (FLY, set_field("box", -1, 3), "box"),
    (FLY, _swap("box", 0, 1), "box"),
    (CHOOSE, set_field("unseen", 1, 0, 3), "unseen"),
    (CHOOSE, set_field("unseen", -1, 0, 3), "unseen"),
    (FLY, _swap("unseen", (0, 0), (0, 1)), "unseen"),
    (FLY, set_field("_gap_19", 1, 0), "_gap_19"),
]


@pytest.mark.parametrize(("state", "change", "field"), FAULTS)
def test_each_field_is_named_when_it_is_impossible(state, change, field):
    named_when_impossible(envs.make_game("fairy_ring", 2), state, change, field)


def test_there_is_a_case_for_every_field_that_a_rule_reads():
    gap = {"_gap_19"}
    assert {field for *_, field in FAULTS} == {*FIELD._fields, *gap} - {"rng"}


def test_objectives_are_a_side_each_of_three_cards():
    game = envs.make_game("fairy_ring_objectives", 2)
    record = game.from_dict({**FLY, "objectives": [1, 3, 5]})
    game.check_records(record)
    for objectives in (0, 0b1, 0b101, 0b10111, 0b1010101, 0b10101 << 8, -1):
        record["objectives"] = objectives
        with pytest.raises(ValueError, match="field objectives"):
            game.check_records(record)


# --- dicts that would do harm -------------------------------------------------------------------------------------------


LONELY = {**PLAYERS[0], "village": PLAYERS[0]["village"][1:]}
ALIKE = {**PLAYERS[0], "village": village([0], [7], [31])}
ROUND_TWO = {"round_number": 2, "turn": 1, "phase": "choose"}


@pytest.mark.parametrize(
    ("state", "field"),
    [
        # With twelve turns to come the village would outgrow its row.
        (position(player([[0], [8]]), player([[5]], fairy=(1, 0)), phase="choose", turn=1), "cards"),
        # Thirteen of the first round's cards when six have been placed.
        (position(player([[c.id] for c in CARDS[6:36] if c.min_players <= 2][:13]), player([[5]]), **ROUND_TWO), "cards"),
        (position(player([[0, 9]]), player([[5]]), **ROUND_TWO), "cards"),  # not in a game of two
        # To gather from: one mushroom alone; one at home; mushrooms that all pay the same.
        ({**GATHER, "players": [LONELY, {**PLAYERS[1], "fairy": {"player": 0, "mushroom": 1}}]}, "phase"),
        ({**GATHER, "players": [{**PLAYERS[0], "fairy": {"player": 0, "mushroom": 0}}, PLAYERS[1]]}, "phase"),
        ({**GATHER, "players": [ALIKE, PLAYERS[1]]}, "phase"),
        ({**FLY, "played": 32}, "played"),  # placed nowhere
        ({**GATHER, "movement": 99}, "movement"),
        ({**FLY, "objectives": [1, 3, 5]}, "objectives"),
    ],
)
def test_a_dict_that_the_rules_cannot_lead_to_is_refused(state, field):
    with pytest.raises(ValueError, match=f"^field {field} is not possible: it must be"):
        envs.make_game("fairy_ring", 2).from_dict(state)


def test_a_card_of_the_first_round_is_not_placed_twice():
    state = position(player([[0]]), player([[5]], fairy=(1, 0)), **ROUND_TWO)
    for each in state["players"]:
        each["village"] = [{"type": "Academy", "cards": [11]}]
    with pytest.raises(ValueError, match="^field cards is not possible"):
        envs.make_game("fairy_ring", 2).from_dict(state)


def test_a_finished_game_has_nothing_left_to_be_drawn(game):
    records, _ = records_of(game, 3, games=5)
    over = records[records["phase"] == 4]
    assert len(over) >= 5 and not over["box"].any() and not over["unseen"].any()
    for name in ("box", "unseen"):
        record = over[:1].copy()
        record[name].reshape(-1)[0] = 1
        assert faulty_field(game, record) == name
