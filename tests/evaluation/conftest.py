"""A leaderboard that is made once; every test has a copy of its own."""

import shutil

import pytest

import evaluate
from tests.evaluation.boards import MAKE, NAME, surround, write_entries


@pytest.fixture(scope="package")
def made_once(tmp_path_factory):
    """The working folder of a leaderboard."""
    folder = tmp_path_factory.mktemp("boards")
    with pytest.MonkeyPatch.context() as patch:
        surround(patch, folder)
        write_entries(folder / "leaderboard" / "entries")
        assert evaluate.main(MAKE) == 0
    return folder


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of a leaderboard with two entries that have no results yet."""
    surround(monkeypatch, tmp_path)
    write_entries(tmp_path / "leaderboard" / "entries")
    return tmp_path / "leaderboard"


@pytest.fixture
def made(made_once, tmp_path, monkeypatch):
    """The file of a leaderboard."""
    surround(monkeypatch, tmp_path)
    shutil.copytree(made_once / "leaderboard", tmp_path / "leaderboard")
    return tmp_path / "leaderboard" / f"{NAME}.json"
