"""The check of records from outside: those of games are accepted, others if and only if their dict makes them again.

``MUSHROOM_RINGS_RECORDS`` sets how many records are changed for each test and rule set (default 120); with bounds checked a
twentieth of them is made as strange as can be, and played on from.
"""

import json
import os
from collections import Counter

import numpy as np
import pytest

import envs
from envs.mushroom_rings.state import GNOME, GNOMES, NONE, OWED, RINGS, Phase
from tests.envs.test_engine import run, run_checked

from .records import changed_bytes, changed_field, fault_name, faults_of, play_on, positions, some_positions, strange
from .reference import Reference
from .table import Table, new_game, with_player
from .test_bonuses import closes_a_large_ring
from .test_garden import TWICE
from .test_reference import FOLDER

RECORDS = int(os.environ.get("MUSHROOM_RINGS_RECORDS", "120"))
RULE_SETS = [
    (2, {}),
    (2, {"trade_board": True, "permission": "refuse"}),
    (3, {"trade_board": True}),
    (3, {"permission": "refuse"}),
    (4, {"trade_board": True}),
]


@pytest.fixture(scope="module")
def game():
    return new_game(3, trade_board=True)


@pytest.fixture(scope="module")
def pool(game):
    return some_positions(game, 8, seed=1)


# --- what is accepted ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "options"), RULE_SETS)
def test_every_position_of_games_and_of_their_worlds_is_accepted(players, options):
    game = new_game(players, **options)
    phases = set()
    for step, env in enumerate(positions(game, 8, seed=players)):
        assert not faults_of(game, env.states).any()
        if step % 10 == 0:
            worlds = env.worlds(np.arange(8, dtype=np.uint64), np.full(8, step % players))
            assert not faults_of(game, worlds).any() and (worlds["rng"] != env.states["rng"]).all()
        phases.update(env.states["phase"].tolist())
    assert set(Phase) - {Phase.LEAVE, Phase.DISCARD, Phase.SIGNPOST, Phase.MUSHROOM, Phase.TRADE} <= phases
    assert (Phase.TRADE in phases) <= bool(options.get("trade_board"))


def test_a_forfeited_game_is_accepted_in_any_phase_and_its_dict_makes_it_again(game):
    env = envs.make_vec(game, 1, seed=0, autoreset=False, illegal="forfeit")
    env.step(np.array([game.num_actions - 1]))
    assert env.agent_selection == NONE and env.states["phase"] == Phase.PLACE
    assert fault_name(game, env.states) is None and makes_it_again(game, env.states)


def test_the_random_word_and_the_count_of_decisions_may_be_anything(game, pool):
    record = pool[:1].copy()
    record["rng"], record["decisions"] = 2**64 - 1, -(2**31)
    assert fault_name(game, record) is None


def test_which_rings_are_scored_may_be_either_after_a_turn_in_which_nothing_was_laid(game):
    record = closes_a_large_ring(game).env.states.copy()
    assert record["turn_step"] == RINGS and fault_name(game, record) is None
    record["turn_step"] = OWED
    assert fault_name(game, record) == "turn_step"
    record["laid"] = 0
    assert fault_name(game, record) is None
    record["turn_step"] = RINGS
    assert fault_name(game, record) == "turn_step"
    record["ending"] = True
    assert fault_name(game, record) is None
    record["last_moves"] = True
    assert fault_name(game, record) == "turn_step"


# --- as from_dict has it ------------------------------------------------------------------------------------------------


def makes_it_again(game, record):
    """Whether the dict of a record, ``(1,)``, can be made and read, and gives the same bytes but for what the check excepts."""
    try:
        again = game.from_dict(game.to_dict(record))
    except (ValueError, IndexError, KeyError, AssertionError):
        return False
    again["rng"], again["decisions"] = record["rng"], record["decisions"]
    if (again["turn_step"], record["turn_step"]) == (OWED, RINGS) and record["ending"]:
        again["turn_step"] = RINGS
    return again.tobytes() == record.tobytes()


def compare_with_dicts(game, records):
    """Returns how many were accepted."""
    accepted = faults_of(game, records) == 0
    for i, found in enumerate(accepted):
        assert makes_it_again(game, records[i : i + 1]) == found, (i, fault_name(game, records[i : i + 1]))
    return int(accepted.sum())


@pytest.mark.parametrize(("players", "options"), RULE_SETS[1::2])
def test_a_changed_record_is_accepted_if_and_only_if_its_dict_makes_it_again(players, options):
    game, rng = new_game(players, **options), np.random.default_rng(players)
    pool = some_positions(game, 8, seed=1)
    for start in (pool[rng.integers(len(pool), size=RECORDS)], strange(game, pool, RECORDS, rng, walk=40)):
        assert 0.1 * RECORDS < compare_with_dicts(game, changed_field(start, pool, rng)) < 0.6 * RECORDS
        compare_with_dicts(game, changed_bytes(start, 20, rng))
        compare_with_dicts(game, changed_bytes(start, 1, rng))


def test_the_reference_has_the_same_moves_in_strange_positions(game, pool):
    records = strange(game, pool, RECORDS // 6, np.random.default_rng(3), walk=60)
    records = records[records["current_player"] >= 0]
    for i in range(len(records)):
        state = game.to_dict(records[i : i + 1])
        reference = Reference(3, {"trade_board": True}, state, FOLDER, check=False)
        assert reference.state() == state
        legal = game.legal_actions(records[i])
        assert [game.move(records[i], action) for action in legal] == reference.legal_moves()


# --- what is refused ----------------------------------------------------------------------------------------------------


def test_random_bytes_are_refused(game):
    rng = np.random.default_rng(0)
    records = np.frombuffer(rng.bytes(20 * RECORDS * game.state_dtype.itemsize), game.state_dtype)
    before = records.tobytes()
    assert faults_of(game, records).all() and records.tobytes() == before
    small = np.frombuffer(bytes(rng.integers(-1, 4, size=len(before), dtype=np.int8)), game.state_dtype)
    assert faults_of(game, small).all()


def test_every_byte_counts_but_those_of_the_random_word_and_the_decisions(game, pool):
    record = pool[len(pool) // 2 :][:1]
    changed = np.repeat(record, record.itemsize)
    changed.view(np.uint8).reshape(len(changed), -1)[np.diag_indices(len(changed))] ^= 0x40
    faults = faults_of(game, changed)
    names = np.array(game.state_dtype.names)
    start = [game.state_dtype.fields[name][1] for name in names]
    of_byte = names[np.searchsorted(start, np.arange(len(changed)), side="right") - 1]
    free = {"rng", "decisions", "round", "mushrooms", "treasure"}  # of the last three, any number in range
    assert set(of_byte[faults == 0]) <= free
    for name in ("ending", "last_moves", "refused"):  # neither 0 nor 1, though true
        assert (faults[of_byte == name] > 0).all()
    gaps = np.char.startswith(of_byte, "_gap_")
    assert gaps.any() and (names[faults[gaps] - 1] == of_byte[gaps]).all()


def having(**changes):
    """A table at which player 0 chooses a tile, with these numbers written into its record."""
    table = Table(new_game(3, trade_board=True), TWICE, [20], with_player(storage=[60, 61]))
    record = table.env.states.copy()
    for name, (place, number) in changes.items():
        record[name][(0, *place) if isinstance(place, tuple) else (0, place)] = number
    return record


REFUSED = {
    "enum": ("phase", {"phase": ((), 16)}),
    "no decision asked": ("phase", {"phase": ((), -1)}),
    "seat": ("turn_player", {"turn_player": ((), 3)}),
    "another to act": ("current_player", {"current_player": ((), 1)}),
    "count before a loop": ("num_laid", {"num_laid": ((), 2**62)}),
    "no tile laid": ("num_laid", {"num_laid": ((), 0)}),
    "count of rings": ("num_rings", {"num_rings": ((), 2)}),
    "tile that no table has": ("tile", {"tile": (3, 101)}),
    "tile below 0": ("tile", {"tile": (3, -128)}),
    "other tile": ("num_laid", {"tile": (3, 92), "pile": (-1, 3)}),
    "tile twice": ("offer", {"offer": (1, 21)}),
    "cell off the table": ("cell", {"cell": (2, 469)}),
    "turned so that it does not match": ("num_laid", {"orientation": (2, 1)}),
    "stump moved": ("cell", {"cell": (0, 0)}),
    "path of another name": ("path", {"path": (4, 0)}),
    "path past the end": ("path", {"path": (4, 303)}),
    "claim of nobody": ("gnome_of", {"gnome_of": (1, 0)}),
    "gnome on no path": ("gnome_of", {"gnome_at": (0, 1)}),
    "gnome nowhere": ("gnome_at", {"gnome_at": (0, 5)}),
    "gnome in no ring": ("gnome_ring", {"gnome_at": (0, 2), "gnome_ring": (0, 1)}),
    "look": ("look", {"look": (1, 2**40)}),
    "open cell": ("open_cell", {"open_cell": (0, 5)}),
    "open code": ("open_code", {"open_code": (0, 728)}),
    "what lies on a cell": ("place", {"place": (7, 3)}),
    "ring's name": ("ring_tile", {"ring_tile": (0, 100)}),
    "ring that is not there": ("ring_owner", {"ring_owner": (1, 1)}),
    "owner": ("ring_owner", {"ring_owner": (0, 3)}),
    "boolean": ("ring_owed", {"ring_owed": (0, 2)}),
    "signpost without its ring": ("signpost_ring", {"signpost_ring": (0, 0)}),
    "signpost in a ring to score": ("ring_signpost", {"ring_signpost": (0, 0), "signpost_ring": (0, 0), "ring_owed": (0, 1)}),
    "third tile": ("storage_size", {"storage": ((0, 2), 20), "storage_size": (0, 3), "offer": (0, NONE)}),
    "fourth tile": ("storage_size", {"storage_size": (0, 4)}),
    "tile past the storage in use": ("storage", {"storage": ((1, 0), 62)}),
    "wildflower that has not left": ("wildflowers", {"storage": ((0, 0), 93), "storage_size": (0, 2)}),
    "flower that lies on its tile": ("flowers", {"flowers": (0, 1), "num_flowers": (0, 1)}),
    "number of flowers": ("num_flowers", {"num_flowers": (0, 1)}),
    "too many flowers": ("flower_market", {"flower_market": (0, 1)}),
    "markers": ("num_markers", {"num_markers": (0, 9)}),
    "slot": ("markers", {"num_markers": (0, 1), "markers": ((0, 0), 12)}),
    "slots": ("slots", {"num_markers": (0, 1), "markers": ((0, 0), 3)}),
    "pair blocked": ("blocked", {"blocked": (0, 1)}),
    "too many blockers": ("blockers", {"blocked": (0, 2)}),
    "mushrooms below 0": ("mushrooms", {"mushrooms": ((2, 4), -1)}),
    "ring to score after all were": ("ring_closed", {"phase": ((), GNOME), "turn_step": ((), GNOMES), "ring_closed": (0, 1)}),
    "something in hand": ("hand_gnome", {"hand_gnome": ((), 1)}),
    "picked again": ("num_picked", {"num_picked": ((), 1), "picked": (0, 4)}),
    "picked past the end": ("picked", {"picked": (8, 4)}),
    "options": ("options", {"options": ((), 3)}),
    "tiles drawn": ("top", {"top": ((), 93)}),
    "third offered tile": ("laid", {"laid": ((), 3)}),
    "laying after the end": ("phase", {"last_moves": ((), True)}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_record_is_refused_for_the_field_that_is_wrong(game, what):
    assert fault_name(game, having()) is None
    field, changes = REFUSED[what]
    assert fault_name(game, having(**changes)) == field


# --- playing on ---------------------------------------------------------------------------------------------------------


def test_from_strange_positions_every_position_that_follows_is_accepted(game, pool):
    records = strange(game, pool, RECORDS, np.random.default_rng(2))
    assert len(set(records["phase"])) > 10 and (records["num_laid"] > 40).any()
    assert play_on(game, records, 150, seed=2) > 40 * RECORDS


@pytest.mark.parametrize(("players", "options"), RULE_SETS if RECORDS > 500 else RULE_SETS[2:3])
def test_no_index_is_out_of_bounds(players, options, tmp_path):
    file = tmp_path / "records"
    some_positions(new_game(players, **options), 8, seed=RECORDS).tofile(file)
    words = [f"{name}={value}" for name, value in options.items()]
    arguments = ("-W", "error", "-m", "tests.envs.mushroom_rings.records", file, RECORDS, players, RECORDS // 20, *words)
    counts = Counter(json.loads(run_checked(*arguments)))
    print(players, options, dict(counts))
    assert counts["random"] == 0 and counts["fields"] > counts["tried"] // 10 and counts["decisions"] > 30 * counts["strange"]


FAULTS = """
import sys
import numpy as np
from tests.envs.mushroom_rings.records import faults_of
from tests.envs.mushroom_rings.table import new_game
game = new_game(3, trade_board=True)
print(faults_of(game, np.fromfile(sys.argv[1], game.state_dtype)).tolist())
"""


def test_the_check_says_the_same_without_the_compiler(game, pool, tmp_path):
    rng = np.random.default_rng(4)
    start = pool[rng.integers(len(pool), size=24)]
    records = np.concatenate([start[:4], changed_field(start, pool, rng), changed_bytes(start[:6], 20, rng)])
    records.tofile(tmp_path / "records")
    found = run("-W", "error", "-c", FAULTS, tmp_path / "records", NUMBA_DISABLE_JIT="1")
    assert json.loads(found) == faults_of(game, records).tolist()
