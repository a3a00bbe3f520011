"""A training leaves nothing behind but its folder: not in the process that called it, nor on the machine."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import matplotlib
import pytest

import train
from tests.training.runs import ITERATION, TINY, assert_same_run, tiny
from training import learning_curve
from training.metrics import Metrics
from training.stopping import StopSignal

ROOT = Path(__file__).parents[2]


def in_a_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_training_outside_of_the_main_thread_is_the_same(finished, tmp_path):
    assert in_a_thread(lambda: tiny(tmp_path / "run", 8)) == 0
    assert_same_run(finished, tmp_path / "run")


def test_signals_are_as_they_were_and_are_not_touched_in_a_thread():
    def handlers():
        return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def inside():
        with StopSignal() as stop:
            return stop.is_wanted, handlers()

    before = handlers()
    assert in_a_thread(inside) == (False, before)
    is_wanted, changed = inside()
    assert not is_wanted and all(new != old for new, old in zip(changed, before, strict=True))
    assert handlers() == before


def test_the_backend_and_the_figures_of_the_caller_stay(tmp_path):
    from matplotlib import pyplot

    before = matplotlib.get_backend()
    try:
        matplotlib.use("svg")
        assert tiny(tmp_path / "run", 1) == 0
        assert matplotlib.get_backend() == "svg" and not pyplot.get_fignums()
    finally:
        matplotlib.use(before)


def test_nothing_is_left_among_temporary_files(tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert tiny(tmp_path / "run", 1) == 0
    assert not list(temporary.iterdir())


NOBODY = """
import os, pwd, sys
os.environ.pop("HOME", None)
pwd.getpwuid = {}.__getitem__
import train
sys.exit(train.main(sys.argv[1:]))
"""


def test_a_training_of_somebody_without_a_home_makes_its_folder_alone(tmp_path):
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "LC_ALL": "C"}
    command = [sys.executable, "-c", NOBODY, *TINY, "--timesteps", str(ITERATION), "--out", "Jos\xe9"]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in work.iterdir()] == ["Jos\xe9"]
    assert not list(temporary.iterdir())


# --- the terminal -------------------------------------------------------------------------------------------------------


def test_the_terminal_says_what_is_going_on_and_the_bar_ends_with_all(tmp_path, capsys):
    assert train.main([*TINY, "--timesteps", str(2 * ITERATION + 1), "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().err.replace("\r", "\n").splitlines()
    beginnings = (
        "importing PyTorch",
        "dealing 8 games of fairy_ring, played on at random by up to ",
        "scoring the policy",
        "learning",
    )
    for line, beginning in zip(lines, beginnings, strict=False):
        assert line.startswith(beginning) and line.endswith(" s)")
    assert "fairy_ring-v0: 100%" in lines[-2] and "384/384" in lines[-2]
    assert lines[-1].startswith("scoring the policy on new deals (")
    assert train.main(["--resume", str(tmp_path), "--timesteps", str(5 * ITERATION)]) == 0
    lines = capsys.readouterr().err.replace("\r", "\n").splitlines()
    assert f"going back to {tmp_path / 'model.zip'} (" in lines[2]
    assert any("<" in line and "samples/s" in line for line in lines)  # the time that is left
    assert "640/640" in lines[-2]


# --- the learning curve -------------------------------------------------------------------------------------------------


@pytest.fixture
def figures(monkeypatch):
    """The figures that are drawn."""
    from matplotlib.figure import Figure

    drawn, save = [], Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *more, **words: (drawn.append(figure), save(figure, *more, **words)))
    return drawn


def row(timesteps, random="", greedy=""):
    return {"timesteps": str(timesteps)} | {
        f"{name}_{what}": score for name, score in (("random", random), ("greedy", greedy)) for what in ("win_share", "placement")
    }


@pytest.mark.parametrize("last", [0, 60_000, 5_000_000])
def test_axes_show_all_of_a_run_and_all_that_a_score_can_be(figures, last):
    rows = [row(0, "0.5", "0"), row(last // 2), row(last, "1", "0.01")]
    assert learning_curve.draw(rows, ["random", "greedy"], 4).startswith(b"\x89PNG")
    (figure,) = figures
    for axis, (low, high), par in zip(figure.axes, ((0, 1), (-1, 1)), (0.25, 0), strict=True):
        bottom, top = axis.get_ylim()
        assert low - 0.1 < bottom < low and high < top < high + 0.1
        left, right = axis.get_xlim()
        assert left < 0 and last < right < 1.1 * max(last, 1)
        line, random, greedy = axis.get_lines()
        assert list(random.get_xdata()) == [0, last] and list(random.get_ydata()) == [0.5, 1]
        assert list(greedy.get_ydata()) == [0, 0.01] and set(line.get_ydata()) == {par}


def test_a_short_run_has_a_point_before_it_has_learned(tmp_path, figures):
    assert tiny(tmp_path, 1) == 0
    assert list(figures[0].axes[0].get_lines()[1].get_xdata()) == [0, ITERATION]


# --- TensorBoard --------------------------------------------------------------------------------------------------------


def events_of(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    return {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_tags_are_where_people_look_for_them(finished):
    events = events_of(finished)
    assert {tag.partition("/")[0] for tag in events} == {"rollout", "train", "time", "eval"}
    for tag in ("rollout/length", "train/entropy_loss", "time/samples_per_second", "eval/greedy_win_share"):
        assert tag in events
    assert [step for step, _ in events["eval/random_win_share"]] == [n * ITERATION for n in (0, 3, 6, 8)]
    assert [step for step, _ in events["train/value_loss"]] == [n * ITERATION for n in range(1, 9)]


def test_what_was_shown_after_the_checkpoint_is_forgotten(tmp_path):
    metrics = Metrics(tmp_path, ["random"])
    metrics.write({"iteration": 0, "timesteps": 0, "random_win_share": 0.5})
    metrics.open()
    for iteration in (1, 2, 3):
        metrics.write({"iteration": iteration, "timesteps": 10 * iteration, "value_loss": 1.0})
    metrics.close()
    again = Metrics(tmp_path, ["random"])
    again.take(b"".join(metrics.content.splitlines(keepends=True)[:3]), 1)
    assert again.open(timesteps=10) is None
    again.write({"iteration": 2, "timesteps": 20, "value_loss": 2.0})
    again.close()
    events = events_of(tmp_path)
    assert events["train/value_loss"] == [(10, 1.0), (20, 2.0)] and events["eval/random_win_share"] == [(0, 0.5)]
    assert [line.split(",")[0] for line in (tmp_path / "metrics.csv").read_text().splitlines()] == ["iteration", "0", "1", "2"]
