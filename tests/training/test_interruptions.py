"""Whatever interrupts a run, it goes on to the same numbers; whatever is in the way of its files is named in one line."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch as th

import agents.checkpoint as checkpoint
import train
from envs.files import Lock
from tests.training.runs import ITERATION, TINY, assert_same_run, lines_of, tiny
from training import folder as run_folder
from training.board import Board
from training.run import Run

ROOT = Path(__file__).parents[2]


def error_of(capsys):
    """The last line of the terminal, which is what went wrong."""
    *before, error = capsys.readouterr().err.splitlines()
    assert error.startswith("train.py: error: ") and not any("Traceback" in line for line in before)
    return error.removeprefix("train.py: error: ")


def during(monkeypatch, iteration, act):
    """Does something to a run at one of its iterations."""
    learn = Run.learn

    def learn_and_act(run):
        row = learn(run)
        if run.iteration == iteration:
            act(run)
        return row

    monkeypatch.setattr(Run, "learn", learn_and_act)


# --- Ctrl-C -------------------------------------------------------------------------------------------------------------


def interrupt_after(monkeypatch, iterations):
    """Presses Ctrl-C during an iteration."""
    during(monkeypatch, iterations, lambda run: os.kill(os.getpid(), signal.SIGINT))


@pytest.mark.parametrize("iterations", [1, 5, 6])
def test_a_resumed_run_equals_an_uninterrupted_one_to_the_bit(finished, tmp_path, monkeypatch, capsys, iterations):
    folder = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        interrupt_after(patch, iterations)
        assert tiny(folder, 8) == 130
    assert f"--resume {folder}" in capsys.readouterr().out
    assert len(lines_of(folder)) == iterations + 2
    th.manual_seed(99)  # whatever the state of this process: the checkpoint has its own
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(finished, folder)


def test_a_finished_run_can_be_prolonged(tmp_path):
    folder = tmp_path / "longer"
    assert tiny(folder, 2) == 0
    assert train.main(["--resume", str(folder), "--timesteps", str(4 * ITERATION)]) == 0
    assert len(lines_of(folder)) == 6


def test_a_failed_write_leaves_the_checkpoint_before_it(finished, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "full"
    replace, calls = os.replace, []

    def fail_late(source, target):
        calls.append(target)
        if Path(target).name == "model.zip" and len([c for c in calls if Path(c).name == "model.zip"]) == 3:
            raise OSError("no space left")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail_late)
        assert tiny(folder, 8) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"train.py: error: cannot go on: no space left; go on with: python train.py --resume {folder}"
    )
    assert checkpoint.read_run(folder / "model.zip")["iteration"] == 3
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(finished, folder)


def test_ctrl_c_before_anything_is_learned_leaves_no_folder(tmp_path, monkeypatch, capsys):
    def press(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "begin", press)
    assert tiny(tmp_path / "run", 8) == 130
    assert error_of(capsys) == "stopped before anything was learned"
    assert not (tmp_path / "run").exists()


def test_the_second_ctrl_c_stops_at_once(finished, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "stopped"

    def press_twice(run):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        during(patch, 5, press_twice)
        assert tiny(folder, 8) == 130
    assert error_of(capsys) == f"stopped at once; go on with: python train.py --resume {folder}"
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(finished, folder)


# --- kills --------------------------------------------------------------------------------------------------------------


KILLED_IN_MID_WRITE = """
import os, signal, sys, train
replace, written = os.replace, []
def replace_or_die(source, target):
    written.append(os.path.basename(target))
    if written.count("model.zip") == 3:
        os.truncate(source, os.path.getsize(source) // 2)
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target)
os.replace = replace_or_die
train.main(sys.argv[1:])
"""


def test_a_killed_run_can_be_resumed(finished, tmp_path):
    folder = tmp_path / "killed"
    command = [sys.executable, "-c", KILLED_IN_MID_WRITE, *TINY, "--timesteps", str(8 * ITERATION), "--out", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    killed = subprocess.run(command, env=environment, capture_output=True, timeout=300)
    assert killed.returncode == -signal.SIGKILL
    assert checkpoint.read_run(folder / "model.zip")["iteration"] == 3
    assert len(lines_of(folder)) == 8
    with open(folder / "metrics.csv", "a") as file:
        file.write("7,1024,half a li")
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(finished, folder)


OFTEN = ["--eval-every", "1", "--threads", "1"]
KILLED_AT_RANDOM = """
import os, random, signal, sys, time, train
import torch, training.loop, training.run
whole, killed, *words = sys.argv[1:]
chance, deaths = random.Random(3), 0

def run(folder, seconds=None):
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        resume = os.path.exists(f"{folder}/model.zip")
        os._exit(train.main(["--resume", folder] if resume else [*words, "--out", folder]))
    if seconds:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]

assert run(whole) == 0
while deaths < 10 and (status := run(killed, chance.uniform(0.05, 0.6))):
    assert status == signal.SIGKILL
    deaths += 1
assert run(killed) == 0
print(deaths)
"""


def test_kills_at_any_moment_change_no_number(tmp_path):
    """One process that has imported everything forks the runs, so that a start takes no seconds."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    words = [str(whole), str(killed), *TINY, *OFTEN, "--timesteps", str(12 * ITERATION)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", KILLED_AT_RANDOM, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) >= 3  # a quick machine may be done before it was killed ten times
    assert_same_run(whole, killed)
    expected = {path.name for path in whole.iterdir()}
    assert {path.name for path in killed.iterdir() if not path.name.endswith(".tmp")} == expected


# --- the lines of the metrics -------------------------------------------------------------------------------------------


def stopped(finished, tmp_path):
    """A copy of a finished run that is to go on."""
    return Path(shutil.copytree(finished, tmp_path / "stopped"))


def resume(folder, iterations=10):
    return train.main(["--resume", str(folder), "--timesteps", str(iterations * ITERATION)])


@pytest.mark.parametrize(
    ("change", "is_kept"),
    [
        (lambda path: path.unlink(), False),
        (lambda path: path.write_bytes(b""), False),
        (lambda path: os.truncate(path, path.stat().st_size // 2), False),
        (lambda path: path.write_bytes(path.read_bytes() + b"9,1152,half a li"), False),
        (lambda path: path.write_bytes(path.read_bytes() + bytes(5000)), False),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"\n3,", b"\n33,")), True),
        (lambda path: path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()), True),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")), True),
        (lambda path: path.write_bytes(b"name,score\nJos\xe9,3\n" * 100), True),
    ],
    ids=[
        "deleted",
        "emptied",
        "shortened",
        "half a line",
        "zeros",
        "edited",
        "saved with a mark",
        "line ends",
        "of something else",
    ],
)
def test_a_run_goes_on_with_its_lines_whatever_became_of_the_file(finished, tmp_path, capsys, change, is_kept):
    folder = stopped(finished, tmp_path)
    change(folder / "metrics.csv")
    found = (folder / "metrics.csv").read_bytes() if is_kept else None
    assert resume(folder) == 0
    lines = lines_of(folder)
    assert lines[:10] == lines_of(finished) and [line[0] for line in lines[1:]] == [str(n) for n in range(11)]
    aside = folder / "metrics-changed-1.csv"
    assert aside.exists() == is_kept and (str(aside) in capsys.readouterr().err) == is_kept
    assert not is_kept or aside.read_bytes() == found


def test_a_folder_in_the_place_of_the_lines_is_named(finished, tmp_path, capsys):
    folder = stopped(finished, tmp_path)
    (folder / "metrics.csv").unlink()
    (folder / "metrics.csv").mkdir()
    assert resume(folder) == 2
    assert "metrics.csv" in error_of(capsys)


@pytest.mark.parametrize("name", run_folder._FILES)
def test_files_of_something_else_are_not_written_over(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setattr(Run, "__init__", lambda *arguments: pytest.fail("a run was made"))
    folder = tmp_path / "mine"
    path = folder / name
    if "." not in name:
        path = path / "notes"
    path.parent.mkdir(parents=True)
    path.write_text("name,score\n")
    assert tiny(folder, 1) == 2
    assert error_of(capsys) == f"{folder / name} is there already, but no run; choose another --out"
    assert path.read_text() == "name,score\n" and len(list(folder.iterdir())) == 1


def test_other_files_in_the_folder_are_left_alone(tmp_path):
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    assert tiny(tmp_path, 1) == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_is_no_folder(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert tiny(tmp_path / "file", 1) == 2
    assert error_of(capsys) == f"{tmp_path / 'file'} is no folder; choose another --out"
    assert tiny(tmp_path / "file" / "run", 1) == 2
    assert "Not a directory" in error_of(capsys)


# --- several trainings --------------------------------------------------------------------------------------------------


def test_the_second_training_in_a_folder_is_refused_by_name(finished, tmp_path, capsys):
    folder = stopped(finished, tmp_path)
    with Lock(folder):
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        assert resume(folder) == 2
        assert error_of(capsys).startswith(f"{folder} is in use by process {os.getpid()} on ")
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    (tmp_path / "new").mkdir()
    with Lock(tmp_path / "new"):
        assert tiny(tmp_path / "new", 1) == 2
    assert "is in use by" in error_of(capsys)


def test_runs_without_a_named_folder_each_have_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [*TINY, "--timesteps", str(ITERATION)]
    assert train.main(words) == train.main(words) == 0
    assert sorted(path.name for path in Path("runs").iterdir()) == ["fairy_ring-2p-5", "fairy_ring-2p-5-2"]
    for folder in Path("runs").iterdir():
        assert not (folder / ".lock").exists()


# --- disks --------------------------------------------------------------------------------------------------------------


def test_a_folder_that_vanishes_ends_the_run_in_one_line(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    during(monkeypatch, 3, lambda run: shutil.rmtree(run.folder))
    assert tiny(folder, 8) == 1
    error = error_of(capsys)
    assert error.startswith("cannot go on: [Errno 2] No such file") and error.endswith(f"{folder} holds no checkpoint any more")
    assert not folder.exists()


@pytest.mark.parametrize("name", ["_file", "_board"])
def test_a_disk_that_is_full_in_mid_run_leaves_the_checkpoint_whole(finished, tmp_path, monkeypatch, capsys, name):
    """``/dev/full`` takes nothing, as a full disk does."""
    folder = tmp_path / "run"

    def fill(run):
        full = open("/dev/full", "ab", buffering=0)  # noqa: SIM115, the run closes it
        if name == "_file":
            run.metrics._file = full
        else:
            run.metrics._board._records._writer = full

    with monkeypatch.context() as patch:
        during(patch, 5, fill)
        assert tiny(folder, 8) == 1
    error = error_of(capsys)
    assert "No space left on device" in error and error.endswith(f"go on with: python train.py --resume {folder}")
    assert checkpoint.read_run(folder / "model.zip")["iteration"] == 3
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(finished, folder)


def test_a_disk_that_is_full_at_the_beginning_leaves_nothing(tmp_path, monkeypatch, capsys):
    def no_space(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    assert tiny(tmp_path / "new" / "run", 1) == 2
    assert "No space left on device" in error_of(capsys)
    assert not (tmp_path / "new").exists()


# --- checkpoints by the clock -------------------------------------------------------------------------------------------


def test_checkpoints_by_the_clock_change_no_number(finished, tmp_path, monkeypatch):
    folder, saved = tmp_path / "often", []
    save = Run.save
    monkeypatch.setattr(Run, "is_save_due", True)
    monkeypatch.setattr(Run, "save", lambda run: (saved.append(run.iteration), save(run)))
    assert tiny(folder, 8) == 0
    assert saved == [*range(9), 8]
    assert_same_run(finished, folder)


def test_a_checkpoint_is_due_when_the_last_one_is_old(tmp_path, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert tiny(tmp_path, 1, "--checkpoint-seconds", "20") == 0
    run = Run.__new__(Run)
    run.settings = train_settings(tmp_path)
    run._saved = (1, now - 19)
    assert not run.is_save_due
    run._saved = (1, now - 20)
    assert run.is_save_due


def train_settings(folder):
    from training.settings import Settings

    return Settings(**json.loads((folder / "settings.json").read_text()))


def test_what_was_saved_is_not_saved_again(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr("training.run.save_run", lambda path, *rest: written.append(checkpoint.save_run(path, *rest)))
    assert tiny(tmp_path, 3) == 0
    assert len(written) == 2  # before the first iteration, and after the last, which was evaluated


def test_boards_of_one_moment_are_files_of_their_own(tmp_path):
    for _ in range(20):
        Board(tmp_path / "tensorboard", 1).close()
    assert len(list((tmp_path / "tensorboard").iterdir())) == 20
