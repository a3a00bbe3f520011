"""Records from outside: what is possible passes, anything else is refused with its field, and nothing that passes does harm."""

import numpy as np
import pytest

import envs
from envs.dance_of_eights.state import state_dtype
from envs.dance_of_eights.validity import FIELD
from envs.vector import VectorAECEnv
from tests.envs.dance_of_eights.table import OTHERS, RING, position
from tests.tampering import RULE_SETS, comes_back, faulty_field, named_when_impossible, records_of, set_field


@pytest.fixture(params=RULE_SETS["dance_of_eights"], ids=str)
def game(request):
    name, players, options = request.param
    return envs.make_game(name, players, **options)


# --- what is possible ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("num_players", range(2, 8))
def test_every_record_of_whole_games_and_every_world_passes(num_players, copies):
    game = envs.make_game("dance_of_eights", num_players, copies=copies, max_turns=25)
    for seed in range(3):
        records, worlds = records_of(game, seed, games=20)
        game.check_records(records)
        game.check_records(worlds)
        assert all(comes_back(game, record[None]) for record in records[::100])


def test_a_dealt_ring_and_one_that_was_danced_for_pass():
    env = VectorAECEnv(envs.make_game("dance_of_eights", 7), 400, seed=0, autoreset=False)
    dealt = env.states[env.agent_selection < 0]
    assert 2 < len(dealt) < 20
    env.game.check_records(env.states)
    game = envs.make_game("dance_of_eights", 2, copies=1)
    won = game.from_dict(position(OTHERS, RING, discard=[5], phase="over", winner=1, turn=7))
    won["decisions"] = 28
    game.check_records(won)


def test_the_places_of_the_fields_are_those_of_every_record():
    for num_players in range(2, 8):
        names = state_dtype(num_players).names
        assert {name: 1 + names.index(name) for name in names} == FIELD._asdict()


def test_a_forfeited_game_passes_though_its_phase_goes_on(game):
    env = VectorAECEnv(game, 50, seed=0, illegal="forfeit", autoreset=False)
    rng = np.random.default_rng(0)
    for _ in range(20):
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in env.last()[0]["action_mask"]])
        env.step(np.where(rng.random(50) < 0.1, -1, actions))
    assert set(env.states["phase"][env.agent_selection < 0]) >= {0, 1}
    game.check_records(env.states)


# --- field by field -----------------------------------------------------------------------------------------------------

# Player 0 has drawn a card and has a Siren (1) that was taken in the open; 5 and 38 lie in the discard area.
DISCARD = position([*OTHERS, 9], [*RING[:7], 7], known=[[1], []], discard=[5, 38], phase="discard", turn=3)
OVER = position(OTHERS, RING, discard=[5], phase="over", winner=1)
IN_DECK = next(card for card, copies in enumerate(DISCARD["deck"]) if copies == 1)


def _add(name, value, *place):
    def change(record):
        record[name][(0, *place)] += np.array(value).astype(record[name].dtype)

    return change


def _move(name, one, other):
    """Moves one copy of a card to another place of a field."""

    def change(record):
        record[name][(0, *one)] -= 1
        record[name][(0, *other)] += 1

    return change


FAULTS = [
    (DISCARD, set_field("decisions", -1), "decisions"),
    (DISCARD, set_field("decisions", 2 * 2 * 2 + 2), "decisions"),  # two turns of each, a gain, and one too many
    (OVER, set_field("decisions", 5), "decisions"),
    (DISCARD, set_field("current_player", 2), "current_player"),
    (DISCARD, set_field("current_player", -2), "current_player"),
    (OVER, set_field("current_player", 0), "current_player"),
    (DISCARD, set_field("phase", 3), "phase"),
    (DISCARD, set_field("phase", -1), "phase"),
    (DISCARD, set_field("winner", 0), "winner"),
    (DISCARD, set_field("winner", -2), "winner"),
    (OVER, set_field("winner", 0), "winner"),  # who holds no Ring
    (OVER, set_field("winner", 2), "winner"),
    (DISCARD, set_field("turn", 0), "turn"),
    (DISCARD, set_field("turn", 101), "turn"),
    (OVER, set_field("winner", -1), "turn"),  # cut off before the last turn
    (DISCARD, _add("deck_size", 1), "deck_size"),
    (DISCARD, set_field("deck_size", -1), "deck_size"),
    (DISCARD, _add("deck", 2, IN_DECK // 8), "deck"),  # two more copies of the first card of a word
    (DISCARD, set_field("deck", 1 << 63, 0), "deck"),
    (DISCARD, set_field("deck", 1 << 16, 5), "deck"),  # beyond the last card
    (DISCARD, set_field("deck", 2**64 - 1, 2), "deck"),
    (DISCARD, _add("tally", 1, 1), "tally"),
    (DISCARD, set_field("tally", 2**63, 0), "tally"),
    (DISCARD, set_field("discard", -1, 5), "discard"),
    (DISCARD, set_field("discard", 127, 5), "discard"),
    (DISCARD, set_field("discard", 1, 47), "discard"),  # beyond the last card
    (DISCARD, set_field("hands", -1, 0, 0), "hands"),
    (DISCARD, set_field("hands", 127, 0, 0), "hands"),
    (DISCARD, set_field("hands", 1, 1, 42), "hands"),  # beyond the last card
    (DISCARD, set_field("hands", 1, 1, 0), "hands"),  # nine cards
    (DISCARD, set_field("known", 2, 0, 1), "known"),
    (DISCARD, set_field("known", -128, 0, 1), "known"),
    (DISCARD, set_field("known", 1, 0, 45), "known"),
    (DISCARD, set_field("unplaced", -1, 5), "unplaced"),
    (DISCARD, _add("unplaced", 1, 5), "unplaced"),
    (DISCARD, set_field("unplaced", 1, 42), "unplaced"),
    (DISCARD, _move("unplaced", (1,), (0,)), "unplaced"),
]


@pytest.mark.parametrize(("state", "change", "field"), FAULTS)
def test_each_field_is_named_when_it_is_impossible(state, change, field):
    named_when_impossible(envs.make_game("dance_of_eights", 2, copies=1), state, change, field)


def test_there_is_a_case_for_every_field_that_a_rule_reads():
    assert {field for *_, field in FAULTS} == {*FIELD._fields} - {"rng"}


def test_a_card_that_nobody_has_is_missed_and_a_borrowed_bit_between_cards_is_seen():
    game = envs.make_game("dance_of_eights", 2, copies=1)
    record = game.from_dict(DISCARD)
    record["discard"][0, 38] -= 1  # a card less in all
    record["unplaced"][0, 38] += 1
    assert faulty_field(game, record) == "hands"
    # One copy less than none is 255 copies and one less of the next card: as a sum of words that is the same.
    record = game.from_dict(DISCARD)
    record["deck"][0, 0] -= np.uint64(1)
    record["discard"][0, 0] += 1
    assert faulty_field(game, record) == "deck"


def test_a_record_of_another_pack_is_refused():
    one, two = (envs.make_game("dance_of_eights", 3, copies=copies) for copies in (1, 2))
    assert one.state_dtype == two.state_dtype
    for game, other in ((one, two), (two, one)):
        assert faulty_field(game, records_of(other, 0, 1)[0][:1]) in ("deck", "hands")


def test_a_game_cut_off_too_early_is_refused_as_a_dict():
    game = envs.make_game("dance_of_eights", 2, copies=1, max_turns=9)
    state = position(OTHERS, [*RING[:7], 7], discard=[5], phase="over", turn=9)
    game.check_records(game.from_dict(state))
    with pytest.raises(ValueError, match="^field turn is not possible: it must be from 1 to the option max_turns"):
        game.from_dict({**state, "turn": 8})
