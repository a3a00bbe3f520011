"""Trained agents that come with the package: made from a run, told about, found by name."""

import hashlib
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch as th

import envs
import evaluate
import train
from agents import checkpoint
from agents.policy import PolicyAgent
from agents.registry import make_agent
from envs.vector import VectorAECEnv
from tests.training.runs import read
from training import publish
from training.settings import Settings
from training.state import read_settings, read_state

TINY = [
    "--env", "dance_of_eights", "--num-envs", "8", "--num-steps", "16", "--batch-size", "64", "--epochs", "1", "--net", "8", "6",
    "--eval-deals", "2", "--seed", "5", "--timesteps", "256",
]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A tiny finished run."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    assert train.main([*TINY, "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def shipped(run, tmp_path, monkeypatch):
    """The folder of shipped agents, with one."""
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path / "checkpoints")
    publish.publish(run, checkpoint.SHIPPED, deals=3)
    return checkpoint.SHIPPED


@pytest.fixture(scope="module")
def game():
    return envs.make_game("dance_of_eights", 2)


def test_a_published_agent_plays_as_its_run_does_and_holds_nothing_else(run, shipped, game):
    path = shipped / "dance_of_eights_2p.zip"
    env = VectorAECEnv(game, 50, seed=1)
    view, worlds = env.last()[0], env.worlds(np.arange(50, dtype=np.uint64))
    ppo = make_agent("ppo", game)
    for name, mode in (("ppo", False), ("ppo:sample", True)):
        own, trained = make_agent(name, game), PolicyAgent(run / "model.zip", game, sample=mode)
        asked = view["observation"], view["action_mask"], worlds
        assert own.name == name and np.array_equal(own.act(*asked), trained.act(*asked))
    assert ppo.name == "ppo"
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["facts.json", "policy.pth"]
    weights, trained = checkpoint.read_weights(path), checkpoint.read_weights(run / "model.zip")
    assert set(weights) <= set(trained) and all(th.equal(weights[name], trained[name]) for name in weights)


def test_the_facts_tell_what_made_it(run, shipped):
    content = (shipped / "dance_of_eights_2p.zip").read_bytes()
    facts = json.loads((shipped / "dance_of_eights_2p.json").read_text())
    assert facts["sha256"] == hashlib.sha256(content).hexdigest() and facts["bytes"] == len(content)
    assert facts["game"] == "dance_of_eights-v0" and facts["num_players"] == 2 and facts["seed"] == 5
    assert facts["start"] is None and facts["decisions"] == 256 and facts["machine"]["processor"] and "torch" in facts["versions"]
    assert "sb3-contrib" in facts["versions"] and facts["training_seconds"] >= 0 and facts["published"].endswith(" UTC")
    for name in ("random", "greedy"):
        figures = facts["figures"][name]
        assert figures["games"] == 6 and 0 <= figures["win_share"]["mean"] <= 1 and -1 <= figures["placement"]["mean"] <= 1
    words = facts["command"].split()
    assert words[:4] == ["python", "train.py", "--env", "dance_of_eights"]
    again, _, _ = read(words[2:])
    assert vars(again) == vars(read(TINY)[0])
    assert "--epochs 1" in facts["command"] and "--clip-range" not in facts["command"]


def test_publishing_again_gives_the_same_checkpoint(run, shipped, tmp_path):
    assert publish.main([str(run), "--out", str(tmp_path / "again"), "--deals", "2"]) == 0
    name = "dance_of_eights_2p.zip"
    assert (tmp_path / "again" / name).read_bytes() == (shipped / name).read_bytes()


def test_a_rule_set_without_a_trained_agent_lists_those_there_are(shipped, capsys):
    with pytest.raises(ValueError, match="there is no trained agent ppo for dance_of_eights_3p; there are: dance_of_eights_2p$"):
        make_agent("ppo", envs.make_game("dance_of_eights", 3))
    (shipped / "dance_of_eights_2p.zip").unlink()
    with pytest.raises(SystemExit):
        evaluate.main(["random", "ppo", "--env", "dance_of_eights"])
    assert "no trained agent ppo for dance_of_eights_2p; there are: none" in capsys.readouterr().err


def test_every_shipped_agent_can_be_made_and_has_its_facts():
    folder = checkpoint.SHIPPED
    assert (folder / "README.md").exists()
    for path in folder.glob("*.zip"):
        facts = json.loads(path.with_suffix(".json").read_text())
        assert path.stat().st_size == facts["bytes"] < publish.MOST_BYTES
        assert hashlib.sha256(path.read_bytes()).hexdigest() == facts["sha256"]
        name, players, word = re.fullmatch(r"(\w+)_(\d)p(?:_(\w+))?", path.stem).groups()
        make_agent(word or "ppo", envs.make_game(name, int(players)))


def test_what_cannot_be_published_is_refused_in_one_line(run, tmp_path, capsys, monkeypatch):
    def refuse(folder, *more):
        assert publish.main([str(folder), "--out", str(tmp_path / "out"), *more]) == 2
        assert not (tmp_path / "out").exists()
        message = capsys.readouterr().err
        assert message.startswith("training.publish: error: ") and message.count("\n") == 1
        return message

    assert "is no checkpoint" in refuse(tmp_path)
    assert "--deals is 1" in refuse(run, "--deals", "1")
    state = read_state(run / "model.zip", Settings(**read_settings(run / "model.zip")))
    monkeypatch.setattr(publish, "MOST_BYTES", 10)
    assert "at most 10 are shipped" in refuse(run)
    monkeypatch.setattr(publish, "read_state", lambda path, settings: replace(state, iteration=1))
    assert f"has stopped early; go on with: python train.py --resume {run}" in refuse(run)
    monkeypatch.setattr(publish, "read_state", lambda path, settings: state)
    facts = checkpoint.read_facts(run / "model.zip")
    monkeypatch.setattr(publish, "read_facts", lambda path: facts | {"options": {"copies": 3}})
    assert "was trained with options {'copies': 3}" in refuse(run)
