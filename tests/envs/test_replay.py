"""Replays: written, checked, told; broken and edited ones are named by line."""

import json

import pytest

import envs
from envs import files, replay
from envs.vector import VectorAECEnv


@pytest.fixture
def recorded(tmp_path):
    """A recorded three-player game with objectives."""
    replay.main(
        ["record", "--env", "fairy_ring", "--num-players", "3", "--option", "objectives=true", "--games", "1"]
        + ["--seed", "5", "--agents", "random", "--out", str(tmp_path)]
    )
    return next(tmp_path.glob("*.jsonl"))


def test_a_replay_has_the_documented_form(recorded):
    lines = [json.loads(line) for line in recorded.read_text().splitlines()]
    assert list(lines[0]) == ["format", "game", "version", "options", "num_players", "seed", "state"]
    assert lines[0]["game"] == "fairy_ring"
    assert lines[0]["options"] == {"objectives": True, "fireflies": "top", "deck": None}
    for line in lines[1:-1]:
        assert list(line) == ["player", "action", "move", "legal", "state"]
        assert line["action"] in line["legal"]
    assert list(lines[-1]) == ["rewards", "terminated", "truncated"]
    assert sum(lines[-1]["rewards"]) == pytest.approx(0)


def test_every_rule_set_is_recorded_and_checked(game, tmp_path):
    out = tmp_path / "games"
    games = 2 if game.num_players == 2 else 1
    replay.main(["record", "--env", game.name, "--num-players", str(game.num_players), "--games", str(games), "--out", str(out)])
    files = sorted(out.iterdir())
    assert [path.suffix for path in files] == [".jsonl"] * games
    assert replay.main(["check", *map(str, files)]) == 0
    told = list(replay.sentences(files[0]))
    decisions = len(files[0].read_text().splitlines()) - 2
    if game.tell is not None:
        assert sum(line.startswith(("Round", "Turn")) for line in told) >= 1
        assert " win" in told[-2] or "share" in told[-2]
    assert game.name == "mushroom_rings" or sum(line.startswith("  player") for line in told) >= decisions
    assert told[-1].startswith(("the game is over", "the game was cut off"))


@pytest.mark.parametrize(
    ("number", "change", "named"),
    [
        (1, lambda line: line | {"format": 2}, "line 1: format is 2"),
        (1, lambda line: line | {"game": "chess"}, "line 1: there is no game 'chess'"),
        (1, lambda line: line | {"version": 1}, "line 1: version 1 of fairy_ring"),
        (1, lambda line: line | {"seed": 6}, "line 1: state"),
        (1, lambda line: line | {"note": 1}, "line 1: note unknown"),
        (3, lambda line: line | {"player": 9}, "line 3: player is 9; it must be 0"),
        (4, lambda line: line | {"action": 37}, "line 4: action 37 is not legal"),
        (4, lambda line: line | {"legal": line["legal"][1:]}, "line 4: legal"),
        (5, lambda line: line | {"move": {"type": "stay"}}, "line 5: move"),
        (6, lambda line: line | {"state": line["state"] | {"turn": 5}}, "line 6: state.turn is 5; it must be 1"),
        (7, lambda line: {key: line[key] for key in line if key != "legal"}, "line 7: legal missing"),
    ],
)
def test_an_edited_line_is_named(recorded, capsys, number, change, named):
    lines = recorded.read_text().splitlines()
    lines[number - 1] = json.dumps(change(json.loads(lines[number - 1])))
    recorded.write_text("\n".join(lines) + "\n")
    assert replay.main(["check", str(recorded)]) == 1
    assert named in capsys.readouterr().err


def test_broken_files_are_named(recorded, capsys, tmp_path):
    text = recorded.read_text()
    recorded.write_text(text[: len(text) // 2])
    assert replay.main(["check", str(recorded)]) == 1
    assert ": not JSON" in capsys.readouterr().err
    lines = text.splitlines()
    recorded.write_text("\n".join(lines[:20] + lines[-1:]))
    assert replay.main(["check", str(recorded)]) == 1
    assert "line 21: the end, but the game goes on" in capsys.readouterr().err
    recorded.write_text("\n".join(lines[:-1] + lines[-2:]))
    assert replay.main(["check", str(recorded)]) == 1
    assert "a decision after the game is over" in capsys.readouterr().err
    assert replay.main(["check", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl" in capsys.readouterr().err


def test_wrong_rewards_are_named(recorded, capsys):
    lines = recorded.read_text().splitlines()
    last = json.loads(lines[-1])
    last["rewards"] = [reward / 2 for reward in last["rewards"]]
    recorded.write_text("\n".join([*lines[:-1], json.dumps(last)]))
    assert replay.main(["check", str(recorded)]) == 1
    assert f"line {len(lines)}: rewards" in capsys.readouterr().err


def test_another_reward_is_recorded_and_checked(tmp_path):
    arguments = ["record", "--env", "fairy_ring", "--option", "reward=score", "--agents", "random", "--out", str(tmp_path)]
    assert replay.main(arguments) == 0
    path = next(tmp_path.iterdir())
    assert json.loads(path.read_text().splitlines()[0])["options"]["reward"] == "score"
    assert replay.main(["check", str(path)]) == 0


def test_the_same_command_writes_the_same_bytes(tmp_path):
    texts = []
    for folder in ("one", "two"):
        replay.main(["record", "--env", "fairy_ring", "--agents", "greedy", "random", "--out", str(tmp_path / folder)])
        texts.append(next((tmp_path / folder).iterdir()).read_bytes())
    assert texts[0] == texts[1]


def test_wrong_arguments_are_one_line(capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        replay.main(["record", "--env", "fairy_ring", "--agents", "random", "greedy", "random", "--out", str(tmp_path)])
    assert stop.value.code == 2
    assert "--agents names 3; the game has 2 seats" in capsys.readouterr().err


def test_half_a_file_is_never_seen(tmp_path, monkeypatch):
    path = tmp_path / "game.jsonl"
    path.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        files.write_aside(path, b"new")
    assert path.read_text() == "old"


def test_the_recorder_is_for_notebooks_too():
    from agents.agent import RandomAgent

    game = envs.make_game("fairy_ring")
    env = VectorAECEnv(game, 1, seed=0, autoreset=False)
    recorder = replay.record_game(env, [RandomAgent(game)] * 2, seed=1)
    assert len(recorder.lines) > 50
