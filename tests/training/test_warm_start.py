"""Training runs that begin with the weights of an agent: they begin as it plays, and are as repeatable as other runs."""

import hashlib
import json

import numpy as np
import pytest
import torch as th

import envs
import train
from agents import checkpoint
from agents.policy import PolicyAgent
from tests.training.runs import ITERATION, lines_of, weights_of
from training import command, publish
from training.run import Run

TINY = [
    "--num-envs", "8", "--num-steps", "16", "--batch-size", "64", "--epochs", "2", "--eval-every", "2", "--eval-deals", "2",
    "--snapshot-every", "2", "--seed", "5",
]  # fmt: skip
SMALL = ["--net", "8"]


def tiny(out, iterations, *more):
    return train.main([*TINY, "--timesteps", str(iterations * ITERATION), "--out", str(out), *more])


def new_run(out, *more):
    """A run that has not learned yet."""
    return Run(settings_of([*TINY, *more]), out)


def settings_of(words):
    """What a command line asks for."""
    return command.read_command_line(vars(command.make_parser().parse_args(words)))[0]


def are_equal(some, others):
    return some.keys() == others.keys() and all(th.equal(tensor, others[name]) for name, tensor in some.items())


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The checkpoint of a tiny run of Fairy Ring."""
    folder = tmp_path_factory.mktemp("runs") / "trained"
    assert tiny(folder, 3, *SMALL, "--learning-rate", "0.01") == 0
    return folder / "model.zip"


@pytest.fixture
def start(trained, tmp_path):
    """The same in a file of its own, which may be deleted."""
    path = tmp_path / "start.zip"
    path.write_bytes(trained.read_bytes())
    return path


# --- the beginning ------------------------------------------------------------------------------------------------------


def test_a_run_begins_with_the_weights_and_with_nothing_else(trained, tmp_path):
    run = new_run(tmp_path / "warm", *SMALL, "--start", str(trained))
    weights = checkpoint.read_weights(trained)
    assert any(name.startswith("network.value") for name in weights)
    assert are_equal(run.model.policy.state_dict(), weights)
    assert not are_equal(new_run(tmp_path / "cold", *SMALL).model.policy.state_dict(), weights)
    assert run.model.policy.optimizer.state_dict()["state"] == {}
    assert all(tensor.requires_grad for tensor in run.model.policy.parameters())
    assert (run.model.num_timesteps, run.model._n_updates, run.iteration, run.venv.pool.numbers) == (0, 0, 0, [])
    assert run.learn()["learning_rate"] == pytest.approx(run.settings.learning_rate, rel=1e-3)
    assert not are_equal(run.model.policy.state_dict(), weights)


def test_the_deals_are_those_of_a_run_that_begins_with_nothing(trained, tmp_path):
    cold, warm = new_run(tmp_path / "cold", *SMALL), new_run(tmp_path / "warm", *SMALL, "--start", str(trained))
    assert (cold.model._last_obs == warm.model._last_obs).all()
    np.testing.assert_equal(cold.venv.get_state(), warm.venv.get_state())


def test_a_best_response_to_ppo_that_starts_as_ppo_begins_as_its_equal(tmp_path):
    run = new_run(tmp_path / "run", "--env", "dance_of_eights", "--against", "ppo", "--start", "ppo")
    placement = run.evaluate(deals=20, seed=3)["ppo"].placement
    assert placement["mean"] == placement["low"] == placement["high"] == 0
    cold = new_run(tmp_path / "cold", "--env", "dance_of_eights", "--against", "ppo")
    assert cold.evaluate(deals=20, seed=3)["ppo"].placement["high"] < 0


def test_a_run_that_cannot_learn_much_still_plays_as_its_start(trained, tmp_path):
    slow = ["--learning-rate", "1e-12", "--final-learning-rate", "1e-12"]
    assert tiny(tmp_path / "slow", 2, *SMALL, *slow, "--start", str(trained)) == 0
    game = envs.make_game("fairy_ring", 2)
    policies = [PolicyAgent(path, game) for path in (trained, tmp_path / "slow" / "model.zip")]
    env = envs.make_vec(game, 50, seed=1)
    view = env.last()[0]
    inputs = policies[0].network.inputs(view["observation"], view["action_mask"], env.states)
    logits = [policy.network.logits(inputs) for policy in policies]
    assert abs(logits[0] - logits[1]).max() < 1e-6


# --- the same numbers ---------------------------------------------------------------------------------------------------


def test_the_same_start_gives_the_same_numbers_with_one_thread_and_with_two(trained, tmp_path):
    for name, threads in (("one", "1"), ("two", "2"), ("again", "2")):
        assert tiny(tmp_path / name, 3, *SMALL, "--start", str(trained), "--threads", threads) == 0
    assert tiny(tmp_path / "cold", 3, *SMALL) == 0
    one = weights_of(tmp_path / "one")
    for name in ("two", "again"):
        assert are_equal(one, weights_of(tmp_path / name))
        assert lines_of(tmp_path / "one") == lines_of(tmp_path / name)
    assert not are_equal(one, weights_of(tmp_path / "cold"))


class Killed(BaseException):
    """What ends a run in mid-air."""


@pytest.mark.parametrize(("iterations", "kept"), [(0, 0), (3, 2)])
def test_a_resumed_run_needs_its_start_no_more_and_comes_to_the_same_numbers(start, tmp_path, monkeypatch, iterations, kept):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    asked = [*SMALL, "--start", str(start)]
    assert tiny(whole, 5, *asked) == 0
    learn = Run.learn

    def learn_or_die(run):
        if run.iteration == iterations:
            raise Killed
        return learn(run)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "learn", learn_or_die)
        with pytest.raises(Killed):
            tiny(stopped, 5, *asked)
    assert checkpoint.read_run(stopped / "model.zip")["iteration"] == kept
    assert are_equal(weights_of(stopped), checkpoint.read_weights(start)) == (kept == 0)
    digest = hashlib.sha256(start.read_bytes()).hexdigest()
    start.write_bytes(b"other weights")
    assert train.main(["--resume", str(stopped)]) == 0
    assert checkpoint.read_run(stopped / "model.zip")["start"] == digest
    assert are_equal(weights_of(stopped), weights_of(whole))
    assert lines_of(stopped) == lines_of(whole)
    assert json.loads((stopped / "settings.json").read_text())["start"] == str(start)


def test_the_command_of_a_published_run_tells_its_start(trained, tmp_path):
    assert tiny(tmp_path / "run", 1, *SMALL, "--start", str(trained)) == 0
    settings = checkpoint.read_run(tmp_path / "run" / "model.zip")["settings"]
    words = publish.command_of(settings)
    assert f"--start {trained}" in words
    assert vars(settings_of(words.split()[2:])) == settings


def test_a_published_run_tells_the_content_of_its_start_even_when_that_is_overwritten(start, tmp_path):
    digest = hashlib.sha256(start.read_bytes()).hexdigest()
    assert tiny(tmp_path / "run", 1, *SMALL, "--start", str(start)) == 0
    start.unlink()
    _, facts = publish.publish(tmp_path / "run", tmp_path / "published", deals=2)
    assert json.loads(facts.read_text())["start"] == digest


def test_the_content_of_the_shipped_start_is_told_too(tmp_path):
    run = new_run(tmp_path / "run", "--env", "dance_of_eights", "--start", "ppo")
    assert run.start == hashlib.sha256((checkpoint.SHIPPED / "dance_of_eights_2p.zip").read_bytes()).hexdigest()
    assert new_run(tmp_path / "cold", "--env", "dance_of_eights").start is None


# --- what may differ, and what may not ----------------------------------------------------------------------------------


def test_weights_may_come_from_other_options_as_agents_do(trained, tmp_path):
    run = new_run(tmp_path / "run", *SMALL, "--option", "objectives=true", "--start", str(trained))
    assert are_equal(run.model.policy.state_dict(), checkpoint.read_weights(trained))
    assert run.facts["options"]["objectives"] is True


def test_where_a_game_has_no_network_of_its_own_the_flat_one_is_the_same(tmp_path):
    dance = ["--env", "dance_of_eights", "--net", "8"]
    assert tiny(tmp_path / "flat", 1, *dance, "--network", "flat") == 0
    path = tmp_path / "flat" / "model.zip"
    run = new_run(tmp_path / "own", *dance, "--network", "own", "--start", str(path))
    assert are_equal(run.model.policy.state_dict(), checkpoint.read_weights(path))


def test_a_snapshot_can_be_the_start_too(trained, tmp_path):
    path = trained.parent / "snapshots" / "000002.zip"
    run = new_run(tmp_path / "run", *SMALL, "--start", str(path))
    assert are_equal(run.model.policy.state_dict(), checkpoint.read_weights(path))


NO_WEIGHTS = "it must be ppo or a checkpoint FILE.zip, which have weights to begin with"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--start", "random"], f"--start is 'random'; {NO_WEIGHTS}"),
        (["--start", "greedy"], f"--start is 'greedy'; {NO_WEIGHTS}"),
        (["--start", "ismcts:20"], f"--start is 'ismcts:20'; {NO_WEIGHTS}"),
        (["--start", "tests.some_agents:Agent"], f"--start is 'tests.some_agents:Agent'; {NO_WEIGHTS}"),
        (["--start", "ppo:sample"], f"--start is 'ppo:sample'; {NO_WEIGHTS}"),
        (["--start", "runs/mine"], f"--start is 'runs/mine'; {NO_WEIGHTS}"),
        (["--start", "nowhere.zip"], "--start: there is no checkpoint nowhere.zip"),
        (["--start", "{broken}"], "--start: cannot use checkpoint {broken}: {broken} is no checkpoint: it is not a zip file"),
        (
            ["--start", "{trained}", "--num-players", "3"],
            "--start: cannot use checkpoint {trained}: the checkpoint's number of players is 2, but 3 is asked for",
        ),
        (
            ["--start", "{trained}", "--env", "dance_of_eights"],
            "--start: cannot use checkpoint {trained}: the checkpoint's game is 'fairy_ring', but 'dance_of_eights' is asked for",
        ),
        (
            ["--start", "{trained}", "--net", "8", "6"],
            "--start: the network of {trained} is --network candidates --net 8, but this run's is --network candidates --net 8 6",
        ),
        (
            ["--start", "{trained}", "--net", "8", "--network", "flat"],
            "--start: the network of {trained} is --network candidates --net 8, but this run's is --network flat --net 8",
        ),
        (["--start", "ppo", "--resume", "{folder}"], "--start does not go with --resume: the run keeps its settings"),
    ],
)
def test_a_start_that_cannot_be_is_one_line_and_nothing_is_made(trained, tmp_path, capsys, arguments, message):
    places = {"trained": trained, "folder": trained.parent, "broken": tmp_path / "broken.zip"}
    places["broken"].write_bytes(b"no zip file")
    words = [word.format(**places) for word in arguments]
    out = tmp_path / "run"
    assert train.main([*words, *([] if "--resume" in words else ["--out", str(out)])]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"train.py: error: {message.format(**places)}"
    assert not out.exists()


def test_where_no_agent_is_shipped_the_error_lists_those_there_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path / "checkpoints")
    checkpoint.SHIPPED.mkdir()
    (checkpoint.SHIPPED / "fairy_ring_4p.zip").touch()
    assert tiny(tmp_path / "run", 1, "--start", "ppo") == 2
    missing = "there is no trained agent ppo for fairy_ring_2p; there are: fairy_ring_4p"
    message = f"--start: {missing}; --start none begins from nothing"
    assert capsys.readouterr().err.splitlines()[-1] == f"train.py: error: {message}"
    assert not (tmp_path / "run").exists()


def test_weights_that_do_not_fit_their_own_facts_are_refused(trained, tmp_path, capsys):
    path = tmp_path / "wrong.zip"
    facts = checkpoint.read_facts(trained) | {"widths": [9]}
    checkpoint.save_snapshot(path, checkpoint.read_weights(trained), facts)
    assert tiny(tmp_path / "run", 1, "--net", "9", "--start", str(path)) == 2
    message = f"--start: cannot use checkpoint {path}: the weights are not those of a policy this suite trains"
    assert capsys.readouterr().err.splitlines()[-1] == f"train.py: error: {message}"
    assert not (tmp_path / "run").exists()
