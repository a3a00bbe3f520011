"""Training runs: they improve the policy, go on after any interruption to the same numbers, and say what is wrong in one line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch as th

import agents.checkpoint as checkpoint
import envs
import train
from agents.networks.fairy_ring import RingNetwork
from agents.networks.layers import FlatNetwork
from agents.policy import NetworkAgent, PolicyAgent, PolicyNetwork
from tests.training.runs import ITERATION, assert_same_run, lines_of, read, tiny, weights_of
from training.metrics import Score, fixed_opponents, score, score_table
from training.ppo import SelfPlayPPO
from training.run import Run
from training.settings import Settings

ROOT = Path(__file__).parents[2]
# --- what a run leaves --------------------------------------------------------------------------------------------------


def test_a_run_leaves_checkpoint_snapshots_metrics_and_picture(finished):
    names = {path.name for path in finished.iterdir()}
    assert names == {"model.zip", "snapshots", "metrics.csv", "settings.json", "scores.json", "tensorboard", "learning_curve.png"}
    assert sorted(path.name for path in (finished / "snapshots").iterdir()) == [f"{n:06d}.zip" for n in (2, 4, 6, 8)]
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((finished / "tensorboard").glob("events.out.tfevents.*"))
    assert json.loads((finished / "settings.json").read_text())["num_envs"] == 8
    header, *lines = lines_of(finished)
    assert [line[0] for line in lines] == [str(n) for n in range(9)]
    assert all(len(line) == len(header) for line in lines)
    scored = [line[0] for line in lines if line[header.index("random_win_share")]]
    assert scored == ["0", "3", "6", "8"]


def test_the_same_command_gives_the_same_numbers(finished, tmp_path):
    assert tiny(tmp_path / "again", 8) == 0
    assert_same_run(finished, tmp_path / "again")


def test_another_seed_gives_other_numbers(finished, tmp_path):
    assert tiny(tmp_path / "other", 1, "--seed", "6") == 0
    assert lines_of(tmp_path / "other")[1] != lines_of(finished)[1]


def test_a_checkpoint_is_a_model_of_the_library_too(finished):
    model = SelfPlayPPO.load(finished / "model.zip", device="cpu")
    for name, weights in weights_of(finished).items():
        assert th.equal(weights, model.policy.state_dict()[name])
    blueprint = model.policy_kwargs["blueprint"]
    assert blueprint.facts == {"network": "own", "widths": [8]}
    assert (blueprint.game.name, blueprint.game.num_players) == ("fairy_ring", 2)
    observations, masks, worlds = some_decisions(blueprint.game)
    actions, _ = model.predict(observations, action_masks=masks, deterministic=True)
    assert actions.tolist() == PolicyAgent(finished / "model.zip", blueprint.game).act(observations, masks, worlds).tolist()


def test_evaluations_do_not_disturb_the_learning(finished, tmp_path):
    assert tiny(tmp_path / "watched", 8, "--eval-every", "1") == 0
    for name, weights in weights_of(finished).items():
        assert th.equal(weights, weights_of(tmp_path / "watched")[name]), name


def test_a_run_with_the_flat_network_can_be_resumed_and_played(finished, tmp_path, game):
    folder = tmp_path / "flat"
    assert tiny(folder, 2, "--network", "flat") == 0
    assert train.main(["--resume", str(folder), "--timesteps", str(3 * ITERATION)]) == 0
    kinds = {}
    for run in (finished, folder):
        for path in (run / "model.zip", *(run / "snapshots").iterdir()):
            facts = checkpoint.read_facts(path)
            assert facts["widths"] == [8]
            kinds[facts["network"]] = type(PolicyAgent(path, game).network.network)
    assert kinds == {"own": RingNetwork, "flat": FlatNetwork}


def test_shaping_comes_from_the_games_defaults_or_the_command_line(tmp_path):
    assert read([])[0].shaping == 0.005
    assert read(["--env", "dance_of_eights"])[0].shaping == 0
    settings, *_ = read(["--num-envs", "8", "--batch-size", "64", "--shaping", "0.5"])
    assert Run(settings, tmp_path / "run").venv.shaping == 0.5


def test_training_improves_the_policy(tmp_path):
    settings = Settings(timesteps=60_000, num_envs=128, batch_size=512, net=[64], learning_rate=2e-3, seed=1)
    run = Run(settings, tmp_path)
    random = fixed_opponents(run.game)["random"]

    def win_share():
        policy = NetworkAgent(PolicyNetwork(run.blueprint, run.model.policy.state_dict()))
        return score(policy, random, run.game, deals=150, seed=3).win_share["mean"]

    untrained = win_share()
    while not run.is_complete:
        run.learn()
    assert win_share() > untrained + 0.08


def test_the_columns_of_the_closing_table_are_apart_whatever_stands_in_them():
    best, worst = ({"mean": end, "low": end, "high": end} for end in (1.0, -1.0))
    scores = {"random": Score(2_000_000, best, best), "runs/a/long/name/of/a/model.zip": Score(2, best, worst)}
    lines = score_table(scores).splitlines()
    assert [line.split()[0] for line in lines] == ["against", *scores]
    places = [line.index("100.0% (100.0% to 100.0%)  ") for line in lines[1:]]
    assert places == [lines[0].index("win share")] * 2
    assert [line.rindex("  ") for line in lines] == [lines[0].index("  placement")] * 3


# --- errors -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--env", "fairy_rong"], r"there is no game 'fairy_rong'.*did you mean 'fairy_ring'"),
        (["--num-players", "9"], r"2 to 4 players, not 9"),
        (["--option", "objectives=maybe"], r"option objectives is 'maybe'; choose from false, true"),
        (["--timesteps", "0"], r"--timesteps is 0; it must be from 1 to"),
        (["--timesteps", "many"], r"argument --timesteps: invalid int value: 'many'"),
        (["--batch-size", "999999"], r"--batch-size is 999999; it must be from 2 to 8192"),
        (["--learning-rate", "nan"], r"--learning-rate is nan; it must be above 0"),
        (["--against", "nobody"], r"there is no agent 'nobody'"),
        (["--reward", "gold"], r"invalid choice: 'gold'"),
        (["--network", "deep"], r"argument --network: invalid choice: 'deep' \(choose from"),
        (["--net", "8", "0"], r"--net is \[8, 0\]; it must be 1 to 16 widths from 1 to 8192"),
        (["--net", "8192", "8192"], r"a network with [\d,]+ weights is too large"),
        (["--num-envs", "65536", "--num-steps", "65"], r"--num-steps is 65; it must be at most 64 with that number of games"),
        (["--out", ""], r"argument --out: it must name a file or a folder"),
        (["--resume", " "], r"argument --resume: it must name a file or a folder"),
        (["--shaping", "-1"], r"--shaping is -1.0; it must be from 0 to 1000"),
        (["--clip-range", "1e300"], r"--clip-range is 1e\+300; it must be above 0 and at most 1000"),
        (["--speed", "9"], r"unrecognized arguments: --speed 9"),
        (["--resume", "nowhere"], r"nowhere/model.zip is no checkpoint"),
        (["--resume", "nowhere", "--seed", "1"], r"--seed does not go with --resume"),
    ],
)
def test_a_wrong_argument_is_one_line(arguments, message, capsys, tmp_path):
    try:
        code = train.main([*([] if "--resume" in arguments else ["--out", str(tmp_path / "run")]), *arguments])
    except SystemExit as stop:
        code = stop.code
    *before, error = capsys.readouterr().err.splitlines()
    assert code == 2
    assert error.startswith("train.py: error: ")
    assert re.search(message, error)
    assert len(before) == (2 if "too large" in message else 0)  # PyTorch has been imported, and games were dealt
    assert not (tmp_path / "run").exists()


def test_a_run_of_another_version_is_not_resumed(finished, tmp_path, capsys):
    settings = {**checkpoint.read_run(finished / "model.zip")["settings"], "separate_value": False}
    for number, message in (
        (1, f"{tmp_path} holds a run of another version of train.py"),
        (2, "a run of format 2; 1 is read here"),
    ):
        content = checkpoint.pack({checkpoint.RUN: json.dumps({"format": number, "settings": settings}).encode()})
        checkpoint.write_aside(tmp_path / "model.zip", content)
        assert train.main(["--resume", str(tmp_path)]) == 2
        error = capsys.readouterr().err
        assert error.startswith("train.py: error: ") and error.endswith(f"{message}\n") and error.count("\n") == 1


def test_a_folder_with_a_run_is_not_overwritten(finished, capsys):
    assert tiny(finished, 8) == 2
    assert "already holds a run" in capsys.readouterr().err


def test_help_lists_the_games_and_their_options(capsys):
    with pytest.raises(SystemExit):
        train.main(["--help"])
    text = capsys.readouterr().out
    assert all(f"  {name} (" in text for name in envs.GAMES)
    assert "objectives=false, true" in text
    assert all(f"--{field.replace('_', '-')} " in text for field in ("num_players", "snapshot_share", "threads"))


def test_importing_the_environments_does_not_import_torch():
    program = "import envs, sys; envs.make_game('fairy_ring'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, timeout=60)


# --- checkpoints as players ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", num_players=2)


def some_decisions(game, count=50):
    env = envs.make_vec(game, count, seed=4)
    words, actions = np.arange(count, dtype=np.uint64), np.zeros(count, np.int64)
    for _ in range(9):
        masks = env.last()[0]["action_mask"]
        game.kernels.sample_batch(masks.view([("row", masks.dtype, (masks.shape[1],))]).reshape(count), words, actions)
        env.step(actions)
    shown = env.last()[0]
    return shown["observation"].copy(), shown["action_mask"].copy(), env.worlds(words)


def test_a_checkpoint_plays_legal_actions_that_depend_on_each_row_alone(finished, game):
    observations, masks, worlds = some_decisions(game)
    for sample in (False, True):
        for path in (finished / "model.zip", finished / "snapshots" / "000008.zip"):
            agent = PolicyAgent(path, game, sample=sample)
            actions = agent.act(observations, masks, worlds)
            assert actions.dtype == np.int64
            assert masks[np.arange(len(masks)), actions].all()
            alone = [agent.act(observations[i : i + 1], masks[i : i + 1], worlds[i : i + 1])[0] for i in range(len(masks))]
            assert actions.tolist() == alone


def test_noise_comes_from_the_worlds_word_and_follows_the_policy(finished, game):
    agent = PolicyAgent(finished / "model.zip", game, sample=True)
    observations, masks, worlds = (np.repeat(part[:1], 20_000, 0) for part in some_decisions(game))
    assert len(set(agent.act(observations, masks, worlds))) == 1
    worlds["rng"] = np.arange(len(worlds), dtype=np.uint64)
    actions = agent.act(observations, masks, worlds)
    logits = np.where(masks[0], agent.network.logits(observations[:1])[0].astype(float), -np.inf)
    expected = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    np.testing.assert_allclose(np.bincount(actions, minlength=len(expected)) / len(actions), expected, atol=0.015)
    likeliest = PolicyAgent(finished / "model.zip", game).act(observations[:1], masks[:1], worlds[:1])
    assert likeliest[0] == logits.argmax()


def test_a_checkpoint_refuses_another_game(finished, tmp_path, game):
    path = finished / "model.zip"
    with pytest.raises(ValueError, match="number of players is 2, but 3"):
        PolicyAgent(path, envs.make_game("fairy_ring", num_players=3))
    with pytest.raises(ValueError, match="game is 'fairy_ring', but 'fairy_ring_objectives'"):
        PolicyAgent(path, envs.make_game("fairy_ring_objectives", num_players=2))
    for name, value, message in (("version", 7, "version is 7, but 0"), ("observation_size", 9, "observation size is 9")):
        facts = {**checkpoint.read_facts(path), name: value}
        checkpoint.save_snapshot(tmp_path / "other.zip", checkpoint.read_weights(path), facts)
        with pytest.raises(ValueError, match=message):
            PolicyAgent(tmp_path / "other.zip", game)
    (tmp_path / "broken.zip").write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match="no checkpoint"):
        PolicyAgent(tmp_path / "broken.zip", game)
