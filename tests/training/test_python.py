"""Training from Python: the numbers of the command, a run object, and nothing changed in the program that called."""

import os
import random
import signal
import threading

import numpy as np
import pytest
import torch as th

import training
from tests.training.runs import ITERATION, assert_same_run, lines_of
from training import Settings, python
from training.state import read_settings


def settings_like(run, **more):
    """The settings of a run, a little different."""
    kept = read_settings(run / "model.zip")
    return Settings(**{**kept, **more})


def surroundings():
    numbers = [random.getstate(), np.random.get_state()[1].tolist(), th.get_rng_state().tolist(), th.get_num_threads()]
    return [*numbers, signal.getsignal(signal.SIGINT), os.getcwd()]


def test_it_stops_when_told_goes_on_and_ends_with_the_numbers_of_the_command(finished, tmp_path, capsys):
    rows, before = [], surroundings()
    stopped = training.train(
        settings_like(finished), tmp_path / "run", progress=False, callback=lambda row: rows.append(row) or len(rows) < 3
    )
    assert [row["iteration"] for row in rows] == [1, 2, 3] and not stopped.is_complete
    assert rows[-1]["greedy_win_share"] is not None and rows[0]["greedy_win_share"] is None
    assert list(rows[0]) == list(stopped.metrics[0]) and stopped.timesteps == 3 * ITERATION
    run = training.resume(tmp_path / "run", progress=False)
    assert run.is_complete and surroundings() == before and capsys.readouterr().err == ""
    assert_same_run(finished, run.folder)


def test_a_thread_gives_the_same_numbers_and_a_second_training_is_refused(finished, tmp_path):
    found, refused = [], []

    def second(row):
        if not refused:
            with pytest.raises(RuntimeError, match="one training at a time in a process") as error:
                training.train(settings_like(finished), tmp_path / "second", progress=False)
            refused.append(error)
        return False

    def work():
        found.append(training.train(settings_like(finished), tmp_path / "run", callback=second, progress=False))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert refused and not (tmp_path / "second").exists()
    assert lines_of(found[0].folder) == lines_of(finished)[:3]


def test_a_run_object_has_metrics_players_and_a_picture(finished):
    run = training.load(finished)
    assert run.checkpoint == finished / "model.zip" and len(run.snapshots) == 4 and run.opponents == ["random", "greedy"]
    assert len(run.metrics) == 9 and run.metrics[0]["games"] is None and type(run.metrics[-1]["iteration"]) is int
    assert [f"{row['learning_rate']:.6g}" for row in run.metrics[1:]] == [
        line[lines_of(finished)[0].index("learning_rate")] for line in lines_of(finished)[2:]
    ]
    assert repr(run) == f"TrainedRun({str(finished)!r}, fairy_ring, 2 players, 1,024 of 1,024 decisions)"
    shown = run._repr_html_()
    assert "<td>greedy</td>" in shown and "data:image/png;base64," in shown
    result = run.evaluate({"first": run.agent(), "random": "random"}, games=12, progress=False)
    assert set(result.agents) == {str(run.checkpoint), "first", "random"}
    assert result.beats("first", "random")["count"] > 0
    assert set(run.evaluate(games=12, progress=False).agents) == {str(run.checkpoint), "random", "greedy"}


def test_an_error_of_the_callback_leaves_a_whole_run_and_frees_its_folder(finished, tmp_path):
    def fail(row):
        raise KeyError("mine")

    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            training.train(settings_like(finished, timesteps=ITERATION), tmp_path / "run", callback=fail, progress=False)
        assert training.load(tmp_path / "run").is_complete
        (tmp_path / "run").rename(tmp_path / "old")
        (tmp_path / "old").rename(tmp_path / f"old-{os.urandom(2).hex()}")
    assert not python._turn.locked()


def test_settings_take_rule_options_as_arguments():
    settings = Settings.for_game("fairy_ring", 3, objectives=True, seed=4, option=["fireflies=all"])
    assert settings == Settings(env="fairy_ring", num_players=3, option=["fireflies=all", "objectives=true"], seed=4)
    assert settings.make_game().options["objectives"] is True
    assert Settings.for_game("dance_of_eights").reward == Settings(env="dance_of_eights").reward


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda folder: Settings.for_game("fairy_ring", timestep=3), r"no setting 'timestep' \(did you mean 'timesteps'\?\)"),
        (lambda folder: Settings.for_game("fairy_ring", objectives=3), "option objectives is 3"),
        (lambda folder: Settings.for_game("fairy"), "there is no game 'fairy'"),
        (lambda folder: training.train({"env": "fairy_ring"}), "it must be Settings"),
        (lambda folder: training.train(settings_like(folder), folder), "already holds a run"),
        (lambda folder: training.load(folder / "snapshots"), "holds no run"),
        (lambda folder: training.resume(folder / "snapshots"), "no checkpoint"),
        (lambda folder: training.resume(folder, env="dance_of_eights"), "holds a run of --env 'fairy_ring'"),
        (lambda folder: training.resume(folder, timesteps=-1), "--timesteps is -1"),
    ],
)
def test_a_mistake_is_named_in_one_line(finished, work, message):
    with pytest.raises(ValueError, match=message) as error:
        work(finished)
    assert "\n" not in str(error.value)
