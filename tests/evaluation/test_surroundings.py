"""What is in the way of a tournament's files is told in one line, and what was played is gone on with."""

import contextlib
import os
import resource
import shutil
import subprocess

import pytest

import evaluate
from envs.files import Lock

GAMES = ["random", "random", "--env", "dance_of_eights", "--games", "256", "--quiet", "--workers", "1", "--out"]
GOES_ON = "; the same command goes on from what is played"


def error_of(capsys):
    """The only line that is told of errors."""
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("evaluate.py: error: ")
    return error.removeprefix("evaluate.py: error: ")


def report_in(folder):
    return [(folder / name).read_bytes() for name in ("evaluation.json", "evaluation.md", "evaluation.html")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The report of an uninterrupted tournament."""
    folder = tmp_path_factory.mktemp("whole")
    assert evaluate.main([*GAMES, str(folder)]) == 0
    return report_in(folder)


@pytest.fixture
def act_at_second_save(monkeypatch):
    """Has something happen when results are kept for the second time."""
    from evaluation.unfinished import UnfinishedResults

    monkeypatch.setattr("evaluation.unfinished.SAVE_EVERY", 0.0)
    save, calls = UnfinishedResults.save, []

    def set_act(act):
        def act_and_save(results):
            calls.append(1)
            if len(calls) == 2:
                act()
            save(results)

        monkeypatch.setattr(UnfinishedResults, "save", act_and_save)

    return set_act


@contextlib.contextmanager
def few_handles():
    """Lets this process open no more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_second_tournament_in_a_folder_is_refused_by_name(tmp_path, capsys):
    with Lock(tmp_path), pytest.raises(SystemExit):
        evaluate.main([*GAMES, str(tmp_path)])
    assert error_of(capsys).startswith(f"{tmp_path} is in use by process {os.getpid()} on ")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_vanishes_ends_a_tournament_in_one_line(whole, tmp_path, capsys, act_at_second_save):
    folder = tmp_path / "out"
    act_at_second_save(lambda: shutil.rmtree(folder))
    assert evaluate.main([*GAMES, str(folder)]) == 1
    error = error_of(capsys)
    assert "No such file" in error and str(folder) in error and error.endswith(GOES_ON)
    assert evaluate.main([*GAMES, str(folder)]) == 0
    assert report_in(folder) == whole


def test_without_file_handles_a_tournament_ends_in_one_line(whole, tmp_path, capsys, act_at_second_save):
    with contextlib.ExitStack() as stack:
        act_at_second_save(lambda: stack.enter_context(few_handles()))
        assert evaluate.main([*GAMES, str(tmp_path)]) == 1
    error = error_of(capsys)
    assert "Too many open files" in error and error.endswith(GOES_ON)
    assert evaluate.main([*GAMES, str(tmp_path)]) == 0
    assert report_in(tmp_path) == whole and not (tmp_path / ".lock").exists()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("no small file system can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_fills_up_ends_a_tournament_in_one_line(whole, small_disk, capsys, act_at_second_save):
    other = small_disk / "other"
    act_at_second_save(lambda: other.write_bytes(bytes(os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize)))
    assert evaluate.main([*GAMES, str(small_disk / "out")]) == 1
    error = error_of(capsys)
    assert "No space left on device" in error and error.endswith(GOES_ON)
    other.unlink()
    assert evaluate.main([*GAMES, str(small_disk / "out")]) == 0
    assert report_in(small_disk / "out") == whole
