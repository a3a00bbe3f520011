"""Games named ``package.module``: imported when a person names them, never because a file does."""

import json
import sys
import zipfile

import pytest

import envs
import evaluate
import train
from agents.checkpoint import RUN_FORMAT
from envs import replay
from envs.command_line import describe_games
from evaluation.leaderboard import verify
from evaluation.leaderboard.entries import Entrant, Entry
from evaluation.leaderboard.make import Plan
from training.publish import publish

OWN = "examples.tic_tac_toe"
STRANGER = "strange_games.trap"


@pytest.fixture(autouse=True)
def trap(tmp_path, monkeypatch):
    """A module that can be imported, and leaves a file when it is."""
    package = tmp_path / "strange_games"
    package.mkdir()
    (package / "__init__.py").write_text("")
    sprung = tmp_path / "sprung"
    (package / "trap.py").write_text(f"open({str(sprung)!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield sprung
    for name in (STRANGER, "strange_games"):
        sys.modules.pop(name, None)


# --- named by a person --------------------------------------------------------------------------------------------------


def test_every_door_takes_a_game_of_ones_own():
    game = envs.make_game(OWN, size=4)
    assert (game.name, game.id, game.options["size"]) == (OWN, f"{OWN}-v0", 4)
    assert envs.make_vec(OWN, 3, size=4).observe(0)["action_mask"].shape == (3, 16)
    assert envs.make(OWN).unwrapped.game.num_actions == 9
    assert "PACKAGE.MODULE: a game of your own" in describe_games()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("examples.chess", r"there is no game 'examples.chess': Python finds no module 'examples.chess'; .* PYTHONPATH"),
        ("no_such_package.chess", r"Python finds no module 'no_such_package'; put the folder that holds it"),
        ("os.path", r"'os.path' is no game: the module has no make_game, PLAYERS, OPTIONS"),
        ("examples/my_game.py", r"there is no game 'examples/my_game.py'; choose from .*package.module"),
        (".my_game", r"there is no game '.my_game'"),
        ("examples..my_game", r"there is no game 'examples..my_game'"),
        ("my_game", r"there is no game 'my_game'; choose from .*, or name a game of your own as package.module"),
    ],
)
def test_what_is_no_game_is_said_in_one_line(name, message):
    with pytest.raises(ValueError, match=message) as caught:
        envs.make_game(name)
    assert "\n" not in str(caught.value)


def test_what_a_module_lacks_is_named(tmp_path):
    (tmp_path / "strange_games" / "half.py").write_text("PLAYERS = (2,)\ndef make_game(name, num_players, options): pass\n")
    with pytest.raises(ValueError, match="'strange_games.half' is no game: the module has no OPTIONS$"):
        envs.make_game("strange_games.half")


def test_an_error_inside_the_module_comes_as_it_is(tmp_path):
    (tmp_path / "strange_games" / "needy.py").write_text("import no_such_library\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        envs.make_game("strange_games.needy")


def test_the_trap_works(trap):
    with pytest.raises(ValueError, match="is no game"):
        envs.make_game(STRANGER)
    assert trap.exists()


# --- named by a file ----------------------------------------------------------------------------------------------------


def replay_of(tmp_path, game):
    """A replay of the example that claims to be of another game."""
    assert replay.main(["record", "--env", OWN, "--out", str(tmp_path / "replays")]) == 0
    (path,) = (tmp_path / "replays").iterdir()
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | {"game": game}), *others]))
    return path


@pytest.mark.parametrize("command", ["check", "show"])
@pytest.mark.parametrize("name", [STRANGER, "os.path", OWN])
def test_a_replay_has_nothing_imported(tmp_path, trap, capsys, command, name):
    path = replay_of(tmp_path, name)
    for more in ([], ["--env", "some.other"]):
        assert replay.main([command, str(path), *more]) == 1
        message = f"line 1: game {name!r} is not of this suite, and a module is not imported because a file names it"
        assert f"{message}; if you trust it, add --env {name}" in capsys.readouterr().err
    assert not trap.exists()


def test_a_replay_is_played_if_its_game_is_named_beside_it(tmp_path, capsys):
    path = replay_of(tmp_path, OWN)
    assert replay.main(["check", "--env", OWN, str(path)]) == 0
    assert "all as recorded" in capsys.readouterr().out


@pytest.mark.parametrize("name", [["strange_games", "trap"], 5, None, "strange_games.trap.", "chess"])
def test_a_replay_of_no_game_at_all_is_refused(tmp_path, trap, capsys, name):
    assert replay.main(["check", str(replay_of(tmp_path, name))]) == 1
    assert "line 1: " in capsys.readouterr().err
    assert not trap.exists()


def test_a_leaderboard_and_an_entry_have_nothing_imported(tmp_path, trap, monkeypatch):
    path = tmp_path / "board.json"
    path.write_text(json.dumps({"format": 2, "rule_set": STRANGER, "num_players": 2}))
    monkeypatch.setattr("evaluation.leaderboard.found.refuse_wrong_form", lambda facts: None)  # as if all else were well
    verdict = verify.check(path, share=1.0)
    assert f"game {STRANGER!r} is not of this suite" in verdict.problems[0] and not verdict.is_well
    assert verdict.about.endswith("nothing was played")
    entry = Entry(path, STRANGER, 2, Entrant("me", "random"))
    with pytest.raises(ValueError, match="is not of this suite"):
        Plan(entry.rule_set, entry.num_players, path, entry=entry)
    assert not trap.exists()


def test_leaderboards_are_of_the_suite(capsys, trap):
    with pytest.raises(SystemExit):
        evaluate.main(["--leaderboard", STRANGER])
    assert f"leaderboards are of games of the suite, not of {STRANGER!r}" in capsys.readouterr().err
    assert not trap.exists()


def test_a_run_has_nothing_imported(tmp_path, trap, capsys):
    run = tmp_path / "run"
    run.mkdir()
    state = {"format": RUN_FORMAT, "settings": {"env": STRANGER, "num_players": 2, "timesteps": 1}, "timesteps": 1}
    with zipfile.ZipFile(run / "model.zip", "w") as archive:
        archive.writestr("run.json", json.dumps(state))
        archive.writestr("facts.json", "{}")
    assert train.main(["--resume", str(run)]) == 2
    assert f"if you trust it, add --env {STRANGER}" in capsys.readouterr().err
    with pytest.raises(ValueError, match="is not of this suite"):
        publish(run, tmp_path)
    assert not trap.exists()
