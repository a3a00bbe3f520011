"""A run's checkpoint is data: nothing in it is run by resuming or publishing, and every number in it is checked first."""

import io
import json
import pickle
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch as th

import train
from agents import checkpoint
from tests.touch import Touch
from tests.training.runs import ITERATION, assert_same_run, tiny
from training import publish
from training.run import Run
from training.settings import Settings
from training.state import GAMES, LEARNS, LINES, NOISE, read_settings, read_state

MORE = ["--timesteps", str(9 * ITERATION)]


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of a finished run."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def parts_of(folder):
    with zipfile.ZipFile(folder / "model.zip") as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def change(folder, **parts):
    """Writes a checkpoint with other parts; dots and slashes of their names do not matter."""
    known = parts_of(folder)
    names = {name.replace(".", "_").replace("/", "_"): name for name in known}
    changed = known | {names.get(name, name): content for name, content in parts.items()}
    (folder / "model.zip").write_bytes(checkpoint.pack({name: part for name, part in changed.items() if part is not None}))


def refuse(folder, capsys):
    """The run is not resumed, which is said in one line that names the file; nothing in the folder has changed."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert train.main(["--resume", str(folder), *MORE]) == 2
    *_, error = capsys.readouterr().err.splitlines()
    assert error.startswith("train.py: error: ") and str(folder) in error and len(error) < 600
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    return error


# --- what it says of itself ---------------------------------------------------------------------------------------------


def test_a_state_is_read_as_it_was_written(finished):
    path = finished / "model.zip"
    settings = Settings(**read_settings(path))
    state = read_state(path, settings)
    assert (state.iteration, state.timesteps, state.start) == (8, 8 * ITERATION, None)
    run = Run(settings, finished, is_resumed=True)
    run.venv.pool.add(6, run.model.policy.state_dict())
    run.venv.pool.add(8, run.model.policy.state_dict())
    run.venv.set_state(state.env)
    np.testing.assert_equal(run.venv.get_state(), state.env)
    assert state.lines == (finished / "metrics.csv").read_bytes()
    assert json.loads(parts_of(finished)["run.json"])["format"] == 1


PARTS = ("policy_pth", "policy_optimizer_pth", "run_json", "facts_json", *(f"run_{name}" for name in (
    "games_bin", "learns_npy", "torch_rng_npy", "metrics_csv")))  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_a_pickle_in_any_part_is_not_run(folder, tmp_path, capsys, name):
    touched = tmp_path / "touched"
    evil, arrays, tensors = pickle.dumps(Touch(touched)), io.BytesIO(), io.BytesIO()
    np.save(arrays, np.array([Touch(touched)], object), allow_pickle=True)
    th.save({"state": {0: Touch(touched)}, "param_groups": []}, tensors)
    for content in (evil, arrays.getvalue(), tensors.getvalue()):
        change(folder, **{name: content})
        refuse(folder, capsys)
        is_used = name not in ("policy_optimizer_pth", "run_games_bin", "run_metrics_csv")
        assert publish.main([str(folder), "--out", str(tmp_path / "out"), "--deals", "2"]) == (2 if is_used else 0)
        assert not touched.exists()


def test_what_the_library_keeps_for_itself_is_not_looked_at(folder, finished, tmp_path):
    touched = tmp_path / "touched"
    evil = pickle.dumps(Touch(touched))
    change(folder, data=evil, pytorch_variables_pth=evil, **{"run.pickle": evil})
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(folder, finished)
    assert not touched.exists()


def test_a_pickle_among_the_snapshots_is_not_run(folder, tmp_path, capsys):
    touched = tmp_path / "touched"
    for path in (folder / "snapshots").iterdir():
        parts = {checkpoint.WEIGHTS: pickle.dumps(Touch(touched)), checkpoint.FACTS: b"{}"}
        path.write_bytes(checkpoint.pack(parts))
    assert "holds no weights" in refuse(folder, capsys)
    assert not touched.exists()


# --- numbers that cannot be ---------------------------------------------------------------------------------------------


def _rng(**changes):
    rng = np.random.default_rng(0).bit_generator.state
    return {"env": {"pool_rng": rng | changes}}


WRONG = [
    ({"format": 2}, "holds a run of format 2; 1 is read here"),
    ({"format": None}, "holds a run of format None"),
    ({"settings": None}, "its settings are None"),
    ({"settings": {"env": 3}}, "its settings are"),
    ({"settings": {"env": "chess"}}, "there is no game 'chess'"),
    ({"settings": {"env": "os.path"}}, "game 'os.path' is not of this suite"),
    ({"settings": {"speed": 1}}, "holds a run of another version of train.py"),
    ({"settings": {"num_envs": "8"}}, "--num-envs is '8'; it must be an integer"),
    ({"settings": {"num_envs": 10**9}}, "--num-envs is 1000000000; it must be from 1 to"),
    ({"settings": {"num_envs": 9}}, "its timesteps is 1024; it must be"),
    ({"settings": {"num_steps": 65_536, "num_envs": 65}}, "--num-steps is 65536; it must be at most"),
    ({"settings": {"net": [8] * 1000}}, "--net is [8, 8, 8, 8, 8, 8, 8, 8, ...]; it must be 1 to 16 widths"),
    ({"settings": {"net": [8000, 8000]}}, "is too large"),
    ({"settings": {"net": [9]}}, "the weights are not those of a policy"),
    ({"settings": {"num_players": 3}}, "the checkpoint's number of players is 2, but 3 is asked for"),
    ({"settings": {"against": "os:abort"}}, "names code, os:abort, which is not run because a file says so; add --against"),
    ({"settings": {"against": "nobody"}}, "names code, nobody"),
    ({"settings": {"learning_rate": [1]}}, "--learning-rate is [1]; it must be a number"),
    ({"iteration": -1}, "its iteration is -1; it must be an integer from 0"),
    ({"iteration": 8.0}, "its iteration is 8.0; it must be an integer"),
    ({"iteration": True}, "its iteration is True; it must be an integer"),
    ({"iteration": 7}, "its timesteps is 1024; it must be 896"),
    ({"iteration": 9, "timesteps": 9 * ITERATION}, "its metrics.csv are not those of a run of 9 iterations"),
    ({"timesteps": "many"}, "its timesteps is 'many'"),
    ({"seconds": "long"}, "its seconds is 'long'; it must be a number"),
    ({"start": "me"}, "its start is 'me'; it must be a SHA-256 or null"),
    ({"env": None}, "its env is None; it must be a table of"),
    ({"env": {"more": 1}}, "; it must be a table of"),
    ({"env": {"pool": [1] * 3}}, "it must be a list of at most 2 snapshots"),
    ({"env": {"pool": [6, 6]}}, "its snapshots must be in their order"),
    ({"env": {"pool": [4, 9]}}, "a snapshot of its pool is 9; it must be an integer from 1 to 8"),
    ({"env": {"pool": ["../../x"]}}, "a snapshot of its pool is '../../x'"),
    ({"env": {"pool": [5, 6]}}, "000005.zip is no checkpoint"),
    ({"env": {"playing": 4}}, "the pool holds snapshots [6, 8], the state is of [6, 8]"),
    ({"env": {"playing": -1}}, "of the state has learning seats that it cannot have"),
    ({"env": {"statistics": [0.0] * 3}}, "they must be 4 numbers"),
    ({"env": {"statistics": [0.0, None, 0.0, 0.0]}}, "its statistics is None; it must be a number"),
    ({"env": {"dropped_games": -3}}, "its dropped_games is -3"),
    (_rng(state={"state": 2**128, "inc": 1}), "state of its pool_rng is"),
    (_rng(state={"state": "1", "inc": 1}), "state of its pool_rng is '1'"),
    (_rng(state=None), "it must be the state of a PCG64"),
    (_rng(has_uint32=2), "has_uint32 of its pool_rng is 2"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_number_that_cannot_be_is_named(folder, capsys, changes, message):
    run = json.loads(parts_of(folder)["run.json"])
    for name, value in changes.items():
        run[name] = run[name] | value if isinstance(value, dict) else value
    change(folder, run_json=json.dumps(run).encode())
    assert message in refuse(folder, capsys)


def _npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


HUGE = b"\x93NUMPY\x01\x00\x76\x00{'descr': '|b1', 'fortran_order': False, 'shape': (100000000000, 2), }"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run_learns_npy", _npy(np.ones((7, 2), np.bool_)), f"{LEARNS} is no array of bool of shape (8, 2)"),
        ("run_learns_npy", _npy(np.ones((8, 2), np.int8)), f"{LEARNS} is no array of bool"),
        ("run_learns_npy", _npy(np.full((8, 2), 3, np.uint8)).replace(b"'|u1'", b"'|b1'"), "holds other numbers than 0 and 1"),
        ("run_learns_npy", _npy(np.zeros((8, 2), np.bool_)), "has learning seats that it cannot have"),
        ("run_learns_npy", HUGE.ljust(127) + b"\n", f"{LEARNS} is no array of bool"),
        ("run_learns_npy", b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, f"{LEARNS} cannot be read"),
        ("run_learns_npy", b"", f"{LEARNS} cannot be read"),
        ("run_torch_rng_npy", _npy(np.zeros(3, np.uint8)), "its random numbers have 3 bytes"),
        ("run_torch_rng_npy", _npy(np.full(5056, 255, np.uint8)), "its random numbers are none of PyTorch's"),
        ("run_torch_rng_npy", _npy(np.zeros((1, 5056), np.uint8)), f"{NOISE} is no array of uint8"),
        ("run_games_bin", b"", "is damaged: the state is no saved state"),
        ("run_games_bin", None, f"There is no item named '{GAMES}' in the archive"),
        ("run_metrics_csv", b"\xff\n" * 10, "its metrics.csv are not those of a run of 8 iterations"),
        ("run_metrics_csv", b"", "its metrics.csv are not those"),
        ("run_metrics_csv", bytes(300_000_000), f"its part {LINES} has 300,000,000 bytes; at most 268,435,456 are allowed"),
        ("policy_optimizer_pth", b"PK", "holds no weights that can be read"),
    ],
    ids=range(16),
)  # fmt: skip
def test_a_part_that_cannot_be_is_named(folder, capsys, name, content, message):
    change(folder, **{name: content})
    assert message in refuse(folder, capsys)


def _tensors(content):
    buffer = io.BytesIO()
    th.save(content, buffer)
    return buffer.getvalue()


MEMORIES = {
    "no table": lambda memory: [1],
    "no state": lambda memory: {},
    "another parameter": lambda memory: memory | {"state": {name + 1: kept for name, kept in memory["state"].items()}},
    "words": lambda memory: memory | {"state": dict.fromkeys(memory["state"], "Adam")},
    "one number less": lambda memory: memory | {"state": memory["state"] | {0: {"step": th.tensor(1.0)}}},
    "another shape": lambda memory: memory | {"state": memory["state"] | {0: memory["state"][0] | {"exp_avg": th.zeros(3)}}},
    "nan": lambda memory: memory | {"state": memory["state"] | {0: memory["state"][0] | {"step": th.tensor(float("nan"))}}},
    "negative": lambda memory: (
        memory | {"state": memory["state"] | {0: memory["state"][0] | {"exp_avg_sq": memory["state"][0]["exp_avg_sq"] - 1}}}
    ),
}


@pytest.mark.parametrize("wrong", MEMORIES.values(), ids=MEMORIES)
def test_an_optimiser_that_cannot_be_is_named(folder, capsys, wrong):
    memory = checkpoint.read_tensors(folder / "model.zip", checkpoint.OPTIMIZER)
    change(folder, policy_optimizer_pth=_tensors(wrong(memory)))
    assert "model.zip is damaged: its optimiser" in refuse(folder, capsys)


def test_settings_of_an_optimiser_come_from_the_program(folder, finished):
    memory = checkpoint.read_tensors(folder / "model.zip", checkpoint.OPTIMIZER)
    memory["param_groups"][0] |= {"lr": 1e9, "betas": (5.0, 7.0), "eps": -1.0}
    change(folder, policy_optimizer_pth=_tensors(memory))
    for run in (folder, other := Path(shutil.copytree(finished, folder.with_name("other")))):
        assert train.main(["--resume", str(run), *MORE]) == 0
    assert_same_run(folder, other)


def test_an_agent_of_ones_own_is_named_again(tmp_path, capsys):
    own = "agents.agent:RandomAgent"
    folder = tmp_path / "run"
    assert tiny(folder, 1, "--against", own) == 0
    assert own in refuse(folder, capsys)
    assert train.main(["--resume", str(folder), "--timesteps", str(2 * ITERATION), "--against", own]) == 0
    assert train.main(["--resume", str(folder), "--against", "greedy"]) == 2
    assert f"--against is greedy, but {folder} holds a run of --against '{own}'" in capsys.readouterr().err


def test_damage_anywhere_is_found_or_does_not_matter(folder, finished, capsys):
    rng, whole = np.random.default_rng(11), (finished / "model.zip").read_bytes()
    settings = Settings(**read_settings(finished / "model.zip"))
    found = 0
    for trial in range(80):
        content = bytearray(whole)
        if trial % 4 == 0:
            del content[rng.integers(len(content)) :]
        else:
            content[rng.integers(len(content))] ^= 1 << rng.integers(8)
        (folder / "model.zip").write_bytes(content)
        try:
            Settings(**read_settings(folder / "model.zip"))
            run = Run(settings, folder, is_resumed=True)
            run.restore()
            run.close()
        except ValueError as error:
            assert str(folder) in str(error) and "\n" not in str(error)
            found += 1
    assert found >= 20  # those that were cut short; much of the file is for the library's own load


def test_timesteps_follow_from_the_iterations(finished):
    state = read_state(finished / "model.zip", Settings(**read_settings(finished / "model.zip")))
    assert replace(state, iteration=3).timesteps == 3 * ITERATION
