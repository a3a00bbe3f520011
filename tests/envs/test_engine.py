"""The engine: chance, results, the machine-code cache, and the same bytes with the compiler off."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import envs
from envs import engine
from envs.engine import compiler as machine_code
from envs.engine.rng import bytes_above, put_word, word_at
from envs.engine.seats import distance, seat_after

ROOT = Path(envs.__file__).parents[1]
UNDER_BOUNDS = Path(envs.__file__).parent / "__pycache__" / "bounds-checked"
# One rule set of each game, with its most players.
ONE_OF_EACH = {entry.module: (name, max(envs.game_module(name).PLAYERS)) for name, entry in envs.GAMES.items()}


def run(*arguments, cwd=ROOT, **environment):
    """Runs a Python program in a process of its own; returns what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(cwd), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_checked(*arguments):
    """The same with every index checked, which is compiled apart and kept: tests of the same rules compile it once."""
    UNDER_BOUNDS.mkdir(parents=True, exist_ok=True)
    return run(*arguments, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(UNDER_BOUNDS))


def as_arguments(games):
    """What ``tests.digest`` is told."""
    return [str(games)] + [str(part) for rule_set in ONE_OF_EACH.values() for part in rule_set]


# --- chance -------------------------------------------------------------------------------------------------------------


class Word:
    """A record with nothing but a random word."""

    dtype = np.dtype(engine.HEADER, align=True)

    def __init__(self, seed):
        self.record = np.zeros(1, self.dtype)
        self.record["rng"] = seed


@engine.jit
def _many(states, bound, out):
    for i in range(len(out)):
        out[i] = engine.below(states[0], bound)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 42, 116])
def test_bounded_numbers_are_uniform(bound):
    out = np.empty(60_000, np.int64)
    _many(Word(5).record, bound, out)
    counts = np.bincount(out, minlength=bound)
    assert len(counts) == bound
    expected = len(out) / bound
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < bound + 6 * np.sqrt(2 * bound) + 10


def test_the_generator_is_splitmix64():
    # The first outputs for seed 1234567 that the authors' reference code gives.
    state = Word(1234567).record
    words = np.empty(3, np.uint64)
    _draw_words(state, words)
    assert words.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@engine.jit
def _draw_words(states, out):
    for i in range(len(out)):
        out[i] = engine.draw(states[0])


def test_games_of_neighbouring_seeds_rows_and_episodes_begin_differently():
    words = {
        int(engine.seed_word(np.uint64(seed), row, episode)) for seed in range(20) for row in range(20) for episode in range(20)
    }
    assert len(words) == 8000
    bits = np.array([[word >> bit & 1 for bit in range(64)] for word in words])
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.03


@engine.jit
def _pick_all(masks, words, out):
    for i in range(len(words)):
        out[i] = engine.pick(masks[0]["row"], words[i])


def test_pick_gives_each_legal_action_the_same_chance():
    mask = np.zeros((1, 30), np.int8)
    legal = [0, 7, 8, 29]
    mask[0, legal] = 1
    words = np.random.default_rng(0).integers(0, 1 << 64, 20_000, np.uint64)
    actions = np.empty(len(words), np.int64)
    _pick_all(engine.rows(mask), words, actions)
    counts = np.bincount(actions, minlength=30)
    assert set(np.flatnonzero(counts)) == set(legal)
    assert counts[legal].min() > 4700
    mask[:] = 0
    _pick_all(engine.rows(mask), words[:10], actions)
    assert not actions[:10].any()


def test_a_word_holds_eight_counts_of_a_row():
    row, copy = np.random.default_rng(0).integers(0, 128, 24).astype(np.int8), np.zeros(24, np.int8)
    for place in range(3):
        word = word_at(row, place)
        assert int(word) == int.from_bytes(row[8 * place : 8 * place + 8].tobytes(), "little")
        put_word(copy, place, np.uint64(word))
        for rank in (0, 64, 127):
            above = np.frombuffer(int(bytes_above(np.uint64(word), np.uint64(rank))).to_bytes(8, "little"), np.uint8)
            assert (above == (row[8 * place : 8 * place + 8] > rank)).all()
    assert (copy == row).all()


def test_seats_follow_one_another_in_a_circle():
    for players in range(2, 8):
        for seat in range(players):
            others = [seat_after(players, seat, steps) for steps in range(players)]
            assert others == [*range(seat, players), *range(seat)]
            assert [distance(players, seat, other) for other in others] == [*range(players)]


def test_words_of_numbers_do_not_depend_on_the_type_of_the_numbers():
    assert engine.word_of(3, 1, 4) == engine.word_of(np.int64(3), np.int8(1), np.uint8(4)) != engine.word_of(3, 4, 1)
    assert engine.word_of(2**63 + 5, 0) != engine.word_of(5, 0)


# --- results ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("standings", "ranks", "placement", "win"),
    [
        ([5, 3], [1, 2], [1, -1], [1, 0]),
        ([4, 4], [1, 1], [0, 0], [0.5, 0.5]),
        ([1, 9, 9, 4], [4, 1, 1, 3], [-1, 2 / 3, 2 / 3, -1 / 3], [0, 0.5, 0.5, 0]),
        ([7, 7, 7], [1, 1, 1], [0, 0, 0], [1 / 3] * 3),
    ],
)
def test_standings_become_ranks_and_rewards(standings, ranks, placement, win):
    scores = np.array(standings, np.float32)
    for kind, expected in ((engine.PLACEMENT, placement), (engine.WIN, win), (engine.SCORE, standings)):
        rewards, found = np.zeros(len(ranks), np.float32), np.zeros(len(ranks), np.int8)
        engine.write_results(kind, np.array(standings, np.int64), scores, rewards, found)
        assert found.tolist() == ranks
        assert np.allclose(rewards, expected)


def test_a_module_without_a_verb_is_refused():
    with pytest.raises(TypeError, match="lacks the rule functions observe, redeal, score"):
        engine.install({"__name__": "half", "reset": 1, "step": 1, "legal": 1})


# --- the same games under every setting of the compiler -----------------------------------------------------------------


@pytest.mark.parametrize("module", ONE_OF_EACH)
def test_without_the_compiler_every_byte_is_the_same(module):
    name, players = ONE_OF_EACH[module]
    arguments = ("-m", "tests.digest", 1, name, players)
    assert run(*arguments, NUMBA_DISABLE_JIT="1") == run(*arguments)


@pytest.mark.parametrize("module", ONE_OF_EACH)
def test_no_index_is_out_of_bounds(module):
    name, players = ONE_OF_EACH[module]
    arguments = ("-m", "tests.digest", 20, name, players)
    assert run_checked(*arguments) == run(*arguments)


def test_machine_code_that_checks_bounds_is_kept_apart(monkeypatch):
    sources = (Path(envs.game_module("dance_of_eights").__file__),)
    usual = machine_code._digest(sources)
    monkeypatch.setattr(machine_code.config, "BOUNDSCHECK", 1)
    assert machine_code._digest(sources) != usual


# --- functions that compiled code calls --------------------------------------------------------------------------------


@engine.jit
def _next_but(number, steps):
    return number + steps


@engine.jit
def _factorial(number):
    return 1 if number == 0 else number * _factorial(number - 1)


@engine.jit
def _sums_and_factorials(numbers, small, out):
    out[0] = _next_but(numbers[0], 1)
    out[1] = _next_but(small[0], 2)
    out[2] = _next_but(small[0], steps=numbers[0])
    out[3] = _factorial(small[1])
    out[4] = _factorial(5)


def test_a_function_takes_every_kind_of_whole_number_as_the_same_and_may_call_itself():
    out = np.zeros(5, np.int64)
    small = np.array([127, 20], np.int8)  # 127 + 2 would not fit
    _sums_and_factorials(np.array([2**40]), small, out)
    assert out.tolist() == [2**40 + 1, 129, 2**40 + 127, 2432902008176640000, 120]


def test_a_function_that_compiled_code_has_called_can_be_called_from_python_too():
    test_a_function_takes_every_kind_of_whole_number_as_the_same_and_may_call_itself()
    assert _next_but(np.int8(127), 1) == 128
    assert _factorial(6) == 720


def test_records_of_the_same_layout_have_the_same_dtype_object(game_for_two):
    other = pickle.loads(pickle.dumps(game_for_two))
    one, two = (envs.raw_env(game) for game in (game_for_two, other))
    batches = [envs.make_vec(game, 2) for game in (game_for_two, other)]
    assert one._io.dtype is two._io.dtype
    assert game_for_two.rules.dtype is other.rules.dtype
    for name in ("_states", "_results", "_mask_rows", "_observation_rows"):
        assert getattr(batches[0], name).dtype is getattr(batches[1], name).dtype


# --- the cache ----------------------------------------------------------------------------------------------------------

TINY = """
from envs import engine
from tiny_rules import number

@engine.kernel
def answer(x):
    return number(x)

print(answer(10), sum(answer.stats.cache_hits.values()))
"""


def _tiny(folder, factor):
    (folder / "tiny_rules.py").write_text(f"from envs import engine\n\n@engine.jit\ndef number(x):\n    return x * {factor}\n")
    (folder / "tiny.py").write_text(TINY)


def test_an_edited_callee_in_another_file_never_runs_stale(tmp_path):
    _tiny(tmp_path, 2)
    paths = os.pathsep.join([str(ROOT), str(tmp_path)])
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
    assert run(tmp_path / "tiny.py", cwd=tmp_path, **settings).split() == ["20", "0"]
    assert run(tmp_path / "tiny.py", cwd=tmp_path, **settings).split() == ["20", "1"]
    _tiny(tmp_path, 3)
    assert run(tmp_path / "tiny.py", cwd=tmp_path, **settings).split() == ["30", "0"]


def test_the_key_follows_the_imports_of_a_game_and_not_those_of_others():
    sources = {path.name for path in engine.sources_of(Path(envs.game_module("fairy_ring").__file__))}
    assert {"loops.py", "decisions.py", "observation.py", "state.py", "cards.py"} <= sources
    assert "aec.py" not in sources
    assert "numpy" not in str(sources)


LIST_FOLDERS = "from envs import engine; from pathlib import Path; print(engine.cache_folder(Path(engine.__file__)))"


def _copy_of_package(tmp_path):
    """The package in another folder, as if it were installed there."""
    target = tmp_path / "site"
    shutil.copytree(ROOT / "envs", target / "envs", ignore=shutil.ignore_patterns("__pycache__"))
    return target


def test_a_read_only_installation_caches_in_the_home(tmp_path):
    site = _copy_of_package(tmp_path)
    (site / "envs" / "engine" / "__pycache__").write_text("a file, so that not even root can write there")
    home = tmp_path / "home"
    found = run("-B", "-c", LIST_FOLDERS, cwd=site, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"))
    assert found.startswith(str(home / "cache" / "fairy_rings"))


def test_without_a_writable_place_it_works_without_a_cache(tmp_path):
    site = _copy_of_package(tmp_path)
    (site / "envs" / "engine" / "__pycache__").write_text("")
    (tmp_path / "nowhere").write_text("")
    settings = {"HOME": str(tmp_path / "nowhere"), "XDG_CACHE_HOME": str(tmp_path / "nowhere"), "NUMBA_DISABLE_JIT": "0"}
    assert run("-B", "-c", LIST_FOLDERS, cwd=site, **settings).strip() == "None"
    program = "import envs; env = envs.make_vec('fairy_ring', 1, seed=1); print(env.states['first_player'][0])"
    expected = envs.make_vec("fairy_ring", 1, seed=1).states["first_player"][0]
    assert run("-B", "-c", program, cwd=site, **settings).strip() == str(expected)


NOBODY = "import os, pwd; os.environ.pop('HOME', None); pwd.getpwuid = {}.__getitem__; " + LIST_FOLDERS


@pytest.mark.parametrize("cache_home", ["", "relative"])
def test_without_a_home_no_folder_appears_where_the_program_is_started(tmp_path, cache_home):
    site, work = _copy_of_package(tmp_path), tmp_path / "work"
    (site / "envs" / "engine" / "__pycache__").write_text("")
    work.mkdir()
    settings = {"PYTHONPATH": str(site), "XDG_CACHE_HOME": cache_home, "NUMBA_DISABLE_JIT": "0"}
    assert run("-B", "-c", NOBODY, cwd=work, **settings).strip() == "None"
    assert not list(work.iterdir())


def test_old_machine_code_is_forgotten(tmp_path):
    for number in range(40):
        folder = tmp_path / f"machine-code-{number:04}"
        folder.mkdir()
        os.utime(folder, (number, number))
    machine_code._forget_old(tmp_path, keep=32)
    assert sorted(path.name for path in tmp_path.iterdir())[0] == "machine-code-0008"


def test_importing_the_suite_imports_no_torch():
    program = "import sys, envs, envs.vector, envs.aec, envs.replay, agents.agent; print('torch' in sys.modules)"
    assert run("-c", program).strip() == "False"


def test_machine_code_of_two_processes_does_not_mix_in_a_third(tmp_path):
    # Numba would give the code for two and for three players one name, as each was the first of its process.
    settings = {"NUMBA_CACHE_DIR": str(tmp_path)}
    alone = [run("-m", "tests.digest", 1, "fairy_ring", players, **settings) for players in (2, 3)]
    assert run("-m", "tests.digest", 1, "fairy_ring", 2, "fairy_ring", 3, **settings) == "".join(alone)
