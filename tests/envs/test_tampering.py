"""Records that somebody has tampered with pass if and only if their dict makes them again, and nothing that passes does harm."""

import json

import numpy as np
import pytest

import envs
from envs import engine
from tests.envs.test_engine import run, run_checked
from tests.tampering import RULE_SETS, change_fields, comes_back, faulty_field, records_of, with_changed_bytes

ALL = [rule_set for rule_sets in RULE_SETS.values() for rule_set in rule_sets]
NEVER_FOUND = {
    "dance_of_eights": {"rng", "current_player"},
    "fairy_ring": {"rng", "current_player", "phase", "round"},
}


@pytest.fixture(params=ALL, ids=str)
def game(request):
    name, players, options = request.param
    return envs.make_game(name, players, **options)


def test_a_changed_field_passes_if_and_only_if_the_record_comes_back_from_its_dict(game):
    records, _ = records_of(game, 1, games=10)
    found = change_fields(game, records, 3000, seed=1)
    assert 300 < found.count(None) < 2000
    fields = set(engine.field_numbers(game.state_dtype)._fields)
    assert set(found) >= fields - NEVER_FOUND[game.package.rpartition(".")[2]]


def test_random_bytes_are_refused_as_their_dicts_are(game):
    rng = np.random.default_rng(2)
    records = np.frombuffer(rng.bytes(500 * game.state_dtype.itemsize), game.state_dtype)
    assert None not in {faulty_field(game, record[None]) for record in records}
    real, _ = records_of(game, 2, games=5)
    for _ in range(500):
        record = with_changed_bytes(real, rng)
        field = faulty_field(game, record)
        assert field == "decisions" or (field is None) == comes_back(game, record)


@pytest.mark.parametrize(("name", "players", "options"), ALL, ids=str)
def test_what_passes_is_played_on_within_the_bounds_of_all_arrays(name, players, options):
    arguments = ("-m", "tests.tampering", name, players, 1500, 200, json.dumps(options))
    assert int(run_checked(*arguments).split()[0]) > 150


@pytest.mark.parametrize(
    ("name", "players", "options"), [("fairy_ring_objectives", 3, {}), ("dance_of_eights", 7, {"max_turns": 6})], ids=str
)
def test_without_the_compiler_the_same_is_found_and_nothing_overflows(name, players, options):
    arguments = ("-m", "tests.tampering", name, players, 400, 0, json.dumps(options))
    assert run("-W", "error", *arguments, NUMBA_DISABLE_JIT="1") == run(*arguments)
