"""The examples for libraries of others: the list and the files agree, and the runner does what it says. None is run here."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import torch

from examples.clients import CLIENTS, ROOT, __main__, common

FOLDER = ROOT / "examples" / "clients"
FIGURES = re.compile(
    r"[\d,]+ decisions and [\d.]+ CPU minutes the share of wins against random (rose|went) from 0\.\d{3} to 0\.\d{3}"
)


def test_every_example_is_listed_and_every_name_has_its_example():
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "__main__", "common"}
    assert files == set(CLIENTS)


@pytest.mark.parametrize("name", CLIENTS)
def test_an_example_is_short_and_its_head_tells_versions_and_figures(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 80
    head = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    for pin in CLIENTS[name].pins:
        library, _, version = pin.partition("==")
        assert f"{library.partition('[')[0]} {version}" in head
    assert FIGURES.search(head)


@pytest.fixture
def calls(monkeypatch):
    """Commands that the runner gives, with the variables they get; an environment is an empty folder with its marks."""
    given = []

    def create(folder, with_pip):
        python = __main__.python_of(folder)
        python.parent.mkdir(parents=True)
        python.touch()
        (folder / "pyvenv.cfg").touch()
        given.append((["venv", str(folder), with_pip], None))

    def run(command, check=False, env=None):
        given.append((command, env))
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(__main__.venv, "create", create)
    monkeypatch.setattr(__main__.subprocess, "run", run)
    return given


@pytest.mark.parametrize("name", CLIENTS)
def test_the_runner_installs_once_and_hands_arguments_on(name, calls, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    folder = tmp_path / "kept"
    python = str(__main__.python_of(folder))
    assert __main__.main([name, "--decisions", "7", "--venv", str(folder), "--seed", "2"]) == 3
    made, installed, ran = calls
    assert made[0] == ["venv", str(folder), True]
    assert installed[0] == [python, "-m", "pip", "install", "-e", str(ROOT), *CLIENTS[name].pins]
    assert ran[0] == [python, "-m", f"examples.clients.{name}", "--decisions", "7", "--seed", "2"]
    assert ran[1]["PYTHONPATH"].split(__main__.os.pathsep) == [str(ROOT), "elsewhere"]
    __main__.main([name, "--venv", str(folder)])
    assert [command for command, _ in calls[3:]] == [[python, "-m", f"examples.clients.{name}"]]


def test_other_versions_are_installed_into_the_same_environment(calls, tmp_path, monkeypatch):
    name, client = next(iter(CLIENTS.items()))
    __main__.main([name, "--venv", str(tmp_path)])
    monkeypatch.setitem(CLIENTS, name, client._replace(pins=("other==1",)))
    calls.clear()
    __main__.main([name, "--venv", str(tmp_path)])
    assert calls[0][0][-1] == "other==1"
    assert len(calls) == 2


def test_what_pip_could_not_install_is_tried_again(calls, tmp_path, monkeypatch, capsys):
    def fail(command, check=False, env=None):
        raise subprocess.CalledProcessError(9, command)

    name = next(iter(CLIENTS))
    monkeypatch.setattr(__main__.subprocess, "run", fail)
    for _ in range(2):
        assert __main__.main([name, "--venv", str(tmp_path)]) == 9
        assert "pip could not install" in capsys.readouterr().err


def test_environments_are_kept_in_the_cache_folder(calls, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    name = next(iter(CLIENTS))
    __main__.main([name])
    assert calls[0][0][1] == str(tmp_path / "fairy-rings" / "clients" / name)


@pytest.mark.parametrize("held", ["file.txt", None])
def test_a_folder_with_something_else_is_left_alone(held, calls, tmp_path, capsys):
    place = tmp_path / "place"
    if held:
        place.mkdir()
    (place / held if held else place).write_text("mine")
    with pytest.raises(SystemExit):
        __main__.main([next(iter(CLIENTS)), "--venv", str(place)])
    assert "something else than a virtual environment" in capsys.readouterr().err
    assert calls == []


def test_the_list_tells_all_and_an_unknown_name_is_refused(capsys):
    assert __main__.main(["--list"]) == 0
    told = capsys.readouterr().out
    assert all(f"{name} " in told and pin in told for name, client in CLIENTS.items() for pin in client.pins)
    with pytest.raises(SystemExit):
        __main__.main(["nothing"])
    assert "nothing" in capsys.readouterr().err


def test_the_runner_needs_nothing_but_python(tmp_path):
    words = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import examples.clients.__main__"]
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == 0
    assert not (Path(tmp_path) / "envs").exists()


def test_the_share_of_wins_is_that_of_the_first_game_of_each_seed():
    def logits(observations):
        return torch.cos(torch.arange(38) * (1 + observations.sum(1, keepdim=True)))

    wins = []
    for row in range(4):
        env = gymnasium.make(common.ENV_ID, opponents="random", reward="win")
        seen, info = env.reset(seed=2**32 + row)
        over = False
        while not over:
            scores = logits(torch.from_numpy(seen)[None])[0].numpy()
            action = int(np.where(info["action_mask"], scores, -np.inf).argmax())
            seen, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        wins.append(reward)
    assert common.win_share(logits, games=4) == np.mean(wins)
