"""Learning from a search: what a run leaves, that it can be resumed, what it learns, and what is said of bad input."""

import shutil

import numpy as np
import pytest
import torch as th

import train
from agents.policy import PolicyAgent
from training.settings import Settings
from training.taught_run import TaughtRun

from .runs import assert_same_run, tiny, weights_of

TAUGHT = ["--algo", "exit", "--teacher", "ismcts:8,root=even", "--labels", "128", "--network", "candidates", "--start", "none"]
STUDENT = ["--label-play", "student"]


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """Three rounds in which the learner plays."""
    folder = tmp_path_factory.mktemp("runs") / "taught"
    assert tiny(folder, 3, *TAUGHT, *STUDENT) == 0
    return folder


def test_a_taught_run_leaves_a_player_and_its_labels(taught):
    assert sorted(path.name for path in (taught / "labels").iterdir()) == ["000001.zip", "000002.zip", "000003.zip"]
    settings = Settings(algo="exit")
    agent = PolicyAgent(taught / "model.zip", settings.make_game())
    assert agent.network.blueprint.facts["network"] == "candidates"
    untrained = weights_of(taught)
    assert any(not th.equal(untrained[name], th.zeros_like(untrained[name])) for name in untrained)


def test_a_taught_run_goes_on_to_the_same_numbers(taught, tmp_path):
    folder = tmp_path / "stopped"
    assert tiny(folder, 1, *TAUGHT, *STUDENT) == 0
    assert train.main(["--resume", str(folder), "--timesteps", str(3 * 128)]) == 0
    other = tmp_path / "whole"
    assert tiny(other, 3, *TAUGHT, *STUDENT) == 0
    assert_same_run(other, taught)
    for number in (1, 2, 3):
        name = f"labels/{number:06d}.zip"
        parts = [np.load((run / name).open("rb"), allow_pickle=False) for run in (other, taught)]
        assert parts[0]["values"].tobytes() == parts[1]["values"].tobytes()


@pytest.mark.parametrize("harm", ["missing", "damaged", "of another round"])
def test_a_run_whose_labels_are_not_there_is_not_resumed(taught, tmp_path, capsys, harm):
    folder = tmp_path / "harmed"
    shutil.copytree(taught, folder)
    path = folder / "labels" / "000002.zip"
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: 500 if harm == "damaged" else 1000])
    assert train.main(["--resume", str(folder), "--timesteps", str(4 * 128)]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("train.py: error: ")
    assert "000002.zip" in error


def test_it_learns_what_the_search_prefers(tmp_path):
    """Over a few rounds the labels' expected worth rises from nothing."""
    settings = Settings(
        algo="exit", teacher="ismcts:16,root=even", labels=512, timesteps=4 * 512, batch_size=128, epochs=20, net=[32],
        network="candidates", start="none", num_envs=8, num_steps=16, learning_rate=5e-3, eval_every=100, eval_deals=2, threads=1,
    )  # fmt: skip
    run = TaughtRun(settings, tmp_path)
    lost = []
    while not run.is_complete:
        lost.append(run.learn()["policy_gradient_loss"])
    run.close()
    assert lost[-1] < -0.25
    assert lost[-1] < lost[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--teacher", "greedy"], "--teacher is 'greedy'; it must be a search with a number of simulations"),
        (["--teacher", "nobody:3"], "--teacher: cannot make agent 'nobody:3'"),
        (["--label-play", "nobody"], "invalid choice: 'nobody'"),
        (["--labels", "0"], "--labels is 0; it must be from 1 to"),
        (["--labels", "4", "--batch-size", "64"], "--batch-size is 64; it must be from 2 to 4 (labels)"),
        (["--against", "greedy"], "--against is 'greedy'; it must be none with --algo exit"),
        (["--env", "examples.tic_tac_toe"], "--label-play is 'greedy'; it must be student, for there is no rule-based player"),
        (["--network", "advised", "--env", "examples.tic_tac_toe", *STUDENT], "network advised needs action features, and"),
    ],
)
def test_a_wrong_argument_is_one_line(arguments, message, capsys, tmp_path):
    try:
        code = train.main(["--algo", "exit", "--out", str(tmp_path / "run"), *arguments])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
