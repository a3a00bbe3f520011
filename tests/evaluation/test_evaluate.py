"""evaluate.py: the files it writes, the same bytes for the same command, and one line for every mistake."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evaluate
from envs.command_line import describe_games, parse_options

ROOT = Path(evaluate.__file__).parent
SMALL = ["--games", "19", "--num-players", "2"]


OTHERS = """
import time

class First:
    def __init__(self, game):
        self.name = "any"

    def act(self, observations, action_masks, worlds):
        return action_masks.argmax(axis=1)

class Last(First):
    def act(self, observations, action_masks, worlds):
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)

class Asleep(First):
    def act(self, observations, action_masks, worlds):
        time.sleep(9)

def make_last(game):
    return Last(game)
"""


def read(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def fail(capsys, *argv):
    """The one line that a wrong command line is answered with."""
    with pytest.raises(SystemExit) as stop:
        evaluate.main(list(argv))
    assert stop.value.code == 2
    program, _, message = capsys.readouterr().err.partition(" error: ")
    assert program == "evaluate.py:" and message.endswith("\n") and message.count("\n") == 1
    return message.strip()


def test_a_command_writes_a_report_and_prints_its_table(tmp_path, capsys):
    evaluate.main(["random", "greedy", "random", *SMALL, "--seed", "4", "--option", "objectives=true", "--out", str(tmp_path)])
    printed = capsys.readouterr()
    assert "20 games: 10 deals, each in 2 seat rotations (19 asked for)" in printed.out
    assert "random#2" in printed.out and "greedy" in printed.out
    assert "--option objectives=true --agents random greedy --out replays\npython -m play watch replays/" in printed.out
    assert set(read(tmp_path)) == {"evaluation.json", "evaluation.md", "evaluation.html"}
    result = json.loads((tmp_path / "evaluation.json").read_text())
    assert [agent["name"] for agent in result["agents"]] == ["random", "greedy", "random#2"]
    assert all(agent["counts"] == {"illegal": 0} for agent in result["agents"])
    assert result["options"]["objectives"] is True and result["seed"] == 4 and result["env"] == "fairy_ring-v0"
    assert result["games"]["count"] == 20 and result["games"]["deals"] == 10
    assert result["command"].startswith("python evaluate.py random greedy random --games 19")
    assert {"python", "numpy", "numba", "scipy"} == set(result["versions"]) and "notes" in result


def test_the_same_command_gives_the_same_bytes(tmp_path):
    """Another process, another folder to start in and to write to, another seed of Python's hashes."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(len(os.listdir(tmp_path)))}
        command = [sys.executable, str(ROOT / "evaluate.py"), "random", "greedy", *SMALL, "--out", f"report_{name}"]
        done = subprocess.run(command, cwd=tmp_path / name, env=environment, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        (tmp_path / name / "printed").write_text(done.stdout.replace(f"report_{name}", "report"))
    assert read(tmp_path / "one" / "report_one") == read(tmp_path / "two" / "report_two")
    assert (tmp_path / "one" / "printed").read_bytes() == (tmp_path / "two" / "printed").read_bytes()


def test_the_folder_is_named_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluate.main(["random", "random", *SMALL, "--anchor", "random#2"])
    assert json.loads(Path("evaluations/fairy_ring-2p/evaluation.json").read_text())["settings"]["anchor"] == "random#2"


def test_a_broken_agent_is_counted_and_named(tmp_path, monkeypatch):
    (tmp_path / "clumsy.py").write_text(
        "class Clumsy:\n    def __init__(self, game):\n        pass\n    def act(self, *asked):\n        return 1 / 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    evaluate.main(["random", "clumsy:Clumsy", "--games", "4", "--out", str(tmp_path / "out")])
    result = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert [agent["counts"] for agent in result["agents"]] == [{"illegal": 0}, {"illegal": 4}]
    assert result["notes"] == ["clumsy:Clumsy forfeited games: ZeroDivisionError: division by zero."]


def test_agents_of_others_are_mixed_with_named_ones(tmp_path, monkeypatch):
    """A class, and a function that makes an agent; one of them hangs."""
    (tmp_path / "others.py").write_text(OTHERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("evaluation.guarded.GRACE", 0.0)
    evaluate.main([
        "random", "--agents", "others:First", "others:make_last", "others:Asleep", "--games", "12", "--move-time", "0.05",
        "--out", str(tmp_path / "out"),
    ])  # fmt: skip
    result = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert [agent["name"] for agent in result["agents"]] == ["random", "others:First", "others:make_last", "others:Asleep"]
    assert [agent["counts"] for agent in result["agents"]] == [{"illegal": 0, "slow": n} for n in (0, 0, 0, 6)]
    assert result["settings"]["move_time"] == 0.05 and "others:Asleep forfeited games: too slow" in result["notes"][0]


def test_timing_goes_to_a_file_of_its_own_and_changes_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluate.main(["random", "greedy", "--games", "20", "--out", "out"])
    plain = read("out")
    evaluate.main(["random", "greedy", "--games", "20", "--out", "out", "--timing", "--quiet"])
    timing = json.loads(read("out").pop("timing.json"))
    assert read("out") == plain | {"timing.json": (tmp_path / "out" / "timing.json").read_bytes()}
    assert [agent["name"] for agent in timing["agents"]] == ["random", "greedy"] and timing["machine"]["processor"]
    for agent in timing["agents"]:
        assert agent["decisions"] > 0 and agent["microseconds"] == pytest.approx(1e6 * agent["seconds"] / agent["decisions"])


@pytest.mark.parametrize(("argv", "words"), [
    (["random", "greedy", "--env", "fairy_rong"], "there is no game 'fairy_rong' (did you mean 'fairy_ring'?)"),
    (["random", "greedy", "--num-players", "5"], "fairy_ring is for 2 to 4 players, not 5"),
    (["random", "greddy"], "there is no agent 'greddy'; choose from random, greedy"),
    (["random"], "at least two agents"),
    (["random", "greedy:3"], "agent greedy takes nothing after a colon"),
    (["random", "none.zip"], "there is no checkpoint none.zip"),
    (["random", "none.zip:sample"], "there is no checkpoint none.zip"),
    (["random", "nowhere.at_all:Class"], "ModuleNotFoundError: No module named 'nowhere'"),
    (["random", "agents.agent:Nobody"], "has no attribute 'Nobody'"),
    (["random", "envs.engine:jit"], "cannot make agent 'envs.engine:jit'"),
    (["random", "greedy", "--option", "objectives"], "must have the form name=value"),
    (["random", "greedy", "--option", "objectivs=true"], "has no option 'objectivs' (did you mean 'objectives'?)"),
    (["random", "greedy", "--option", "objectives=maybe"], "option objectives is 'maybe'; choose from false, true"),
    (["random", "greedy", "--option", "deck=nowhere.csv"], "nowhere.csv"),
    (["random", "ppo:3"], "agent ppo takes sample or nothing after the colon"),
    (["random", "greedy", "--move-time", "0"], "0 is no time above 0"),
    (["random", "greedy", "--workers", "0"], "'0' is not an integer from 1 to 1024"),
    (["random", "greedy", "--games", "0"], "'0' is not an integer from 1 to 10000000"),
    (["random", "greedy", "--games", "many"], "invalid"),
    (["random", "greedy", "--seed", "-1"], "'-1' is not an integer from 0 to 4611686018427387903"),
    (["random", "greedy", "--seed", str(2**62)], "'4611686018427387904' is not an integer"),
    (["random", "greedy", "--anchor", "best"], "the anchor 'best' does not play; agents are random, greedy"),
    (["random"] * 5 + ["--games", "2"], "need at least 3 deals"),
    (["random"] * 4 + ["--games", "4"], "cannot rate them"),
    (["random", "greedy", "--out", "/dev/null/x"], "/dev/null"),
])  # fmt: skip
def test_mistakes_are_answered_in_one_line(capsys, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    assert words in fail(capsys, *argv)


def test_a_damaged_checkpoint_is_one_line(capsys, tmp_path):
    (tmp_path / "model.zip").write_bytes(b"PK nothing")
    assert f"cannot use checkpoint {tmp_path}/model.zip: " in fail(capsys, "random", f"{tmp_path}/model.zip")


def test_help_lists_the_games_with_their_options(capsys):
    with pytest.raises(SystemExit):
        evaluate.main(["--help"])
    printed = capsys.readouterr().out
    assert describe_games() in printed
    for words in ("fairy_ring (2 to 4 players)", "fireflies=top, all [top]", "objectives=false, true [true]", "deck=a path"):
        assert words in printed


def test_options_become_values():
    assert parse_options("fairy_ring", ["objectives=TRUE", "fireflies=all", "deck=none", "fireflies=top"]) == {
        "objectives": True, "fireflies": "top", "deck": None,
    }  # fmt: skip
    assert parse_options("fairy_ring", ["deck=a=b.csv", "reward=win"], with_reward=True) == {"deck": "a=b.csv", "reward": "win"}
    for text, words in (("reward=win", "has no option 'reward'"), ("=", "has no option ''")):
        with pytest.raises(ValueError, match=words):
            parse_options("fairy_ring", [text])
    with pytest.raises(ValueError, match="reward is 'gold'; choose from placement, win, score"):
        parse_options("fairy_ring", ["reward=gold"], with_reward=True)
