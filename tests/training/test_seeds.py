"""Several seeds side by side: their runs are those of one seed alone, a study goes on, and what holds over the seeds."""

import json
import signal
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from pathlib import Path

import numpy as np
import pytest

import train
import training
from envs.files import Lock
from tests.training.runs import ITERATION, TINY, assert_same_run
from training.across_seeds import estimate, interquartile_mean
from training.seeds import parse_seeds

ROOT = Path(__file__).parents[2]
STUDY = [word for word in TINY if word not in ("--seed", "5")]


@pytest.mark.parametrize(
    ("text", "seeds"), [("0-4", (0, 1, 2, 3, 4)), ("0,3,7", (0, 3, 7)), ("5", (5,)), (" 9 - 10, 2", (9, 10, 2)), ("3-3", (3,))]
)
def test_seeds_are_spans_and_lists(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "4-0", "1,,2", "-1", "1.5", "0-3,2", "0-99999", "2147483648", "x", "٣", "1-2-3"])
def test_other_words_name_no_seeds(text):
    with pytest.raises(ArgumentTypeError, match="names"):
        parse_seeds(text)


# --- statistics ---------------------------------------------------------------------------------------------------------


def test_the_interquartile_mean_is_that_of_the_middle_half():
    assert interquartile_mean([100, 1, 2, 3, 4, -100, 5, 6]) == pytest.approx((2 + 3 + 4 + 5) / 4)
    assert interquartile_mean([0.0, 1.0, 5.0]) == 2.0


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    """Of 200 studies of 10 seeds each; the percentile bootstrap of so few covers somewhat less than 95 %."""
    rng = np.random.default_rng(0)
    covered = sum(e["low"] <= 0 <= e["high"] for e in (estimate([rng.normal(size=10)]) for _ in range(200)))
    assert 0.8 < covered / 200 < 0.99


def test_every_game_is_a_stratum_of_its_own():
    """Between two games of different level that hardly vary, only resampling within each keeps the interval narrow."""
    found = estimate([[0.1, 0.101, 0.099], [0.9, 0.901, 0.899]])
    assert found["high"] - found["low"] < 0.01
    mixed = estimate([[0.1, 0.101, 0.099, 0.9, 0.901, 0.899]])
    assert mixed["high"] - mixed["low"] > 0.3
    assert estimate([[0.5]]) == {"iqm": 0.5, "low": None, "high": None}
    with pytest.raises(ValueError, match="no scores"):
        estimate([[]])


# --- studies ------------------------------------------------------------------------------------------------------------


def wait_until(holds):
    while not holds():
        time.sleep(0.02)


def is_free(folder):
    try:
        Lock(folder).release()
    except ValueError:
        return False
    return True


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study that was ended by force in the middle, with all its processes, and then resumed."""
    folder = tmp_path_factory.mktemp("studies") / "study"
    words = [*STUDY, "--timesteps", str(8 * ITERATION), "--seeds", "5,6", "--workers", "1", "--out", str(folder)]
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "train.py", *words], cwd=ROOT, **quiet) as run:
        wait_until(lambda: (folder / "seed-5" / "metrics.csv").exists() or run.poll() is not None)
        run.kill()
    assert run.returncode == -signal.SIGKILL and not (folder / "report.json").exists()
    wait_until(lambda: is_free(folder / "seed-5"))  # its process has found itself without a parent
    before = (folder / "seed-5" / "model.zip").stat().st_mtime_ns
    assert train.main(["--resume", str(folder), "--workers", "2"]) == 0
    assert (folder / "seed-5" / "model.zip").stat().st_mtime_ns > before
    return folder


def test_a_killed_study_goes_on_and_its_runs_are_those_of_one_seed_alone(finished, study):
    assert {path.name for path in study.iterdir()} == {
        "seeds.json", "report.json", "learning_curves.png", "seed-5", "seed-6", "seed-5.log", "seed-6.log",
    }  # fmt: skip
    assert_same_run(finished, study / "seed-5")


def test_the_report_tells_what_holds_over_the_seeds(study):
    report = json.loads((study / "report.json").read_text())
    assert report["seeds"] == [5, 6]
    row = next(row for row in report["table"] if (row["against"], row["figure"]) == ("random", "win_share"))
    scores = [json.loads((study / f"seed-{seed}" / "scores.json").read_text()) for seed in (5, 6)]
    assert row["values"] == [score["opponents"]["random"]["win_share"]["mean"] for score in scores]
    assert row["iqm"] == pytest.approx(np.mean(row["values"]))
    assert [row["low"], row["high"]] == pytest.approx(sorted(row["values"]))
    assert (study / "learning_curves.png").read_bytes().startswith(b"\x89PNG")


def test_from_python_it_is_a_table_and_what_is_done_is_not_done_again(study):
    before = {path: path.stat().st_mtime_ns for path in study.glob("seed-*/model.zip")}
    found = training.resume_seeds(study, progress=False)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert repr(found) == f"SeedStudy({str(study)!r}, fairy_ring, 2 players, 2 seeds)"
    assert len(found.table) == 4 and "<td>greedy</td>" in found._repr_html_() and "greedy" in str(found)
    both = training.aggregate([found, found], "random")
    assert both["iqm"] == pytest.approx(found.table[0]["iqm"])
    with pytest.raises(ValueError, match="has no win_share against nobody"):
        training.aggregate([found], "nobody")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seeds", "0-1", "--seed", "3"], "--seed does not go with --seeds"),
        (["--workers", "2"], "--workers is for --seeds"),
        (["--ray", "auto"], "--ray is for --seeds"),
        (["--resume", "STUDY", "--seeds", "0-1"], "--seeds does not go with --resume: STUDY has seeds 5, 6"),
        (["--resume", "STUDY", "--epochs", "3"], "--epochs does not go with --resume"),
        (["--resume", "STUDY", "--env", "dance_of_eights"], "--env is dance_of_eights, but STUDY holds a run of --env"),
        (["--seeds", "0-1", "--out", "STUDY"], "go on with --resume STUDY or choose another --out"),
        (["--seeds", "0-1", "--against", "gredy", "--out", "FREE"], "there is no agent 'gredy'"),
    ],
)
def test_a_mistake_is_one_line(study, tmp_path, capsys, words, message):
    def filled(text):
        return text.replace("STUDY", str(study)).replace("FREE", str(tmp_path / "free"))

    assert train.main([filled(word) for word in words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("train.py: error: ") and filled(message) in error and error.count("\n") == 1
    assert not (tmp_path / "free").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "seeds.json is damaged"),
        ('{"settings": {}, "seeds": [1, 1]}', "seeds.json is damaged: its seeds are"),
        ('{"settings": {}, "seeds": [-1]}', "seed is -1"),
        ('{"settings": {"env": "os.path"}, "seeds": [1]}', "a module is not imported because a file names it"),
        ('{"settings": {"env": "fairy_ring", "num_envs": 0}, "seeds": [1]}', "--num-envs is 0"),
    ],
)
def test_a_damaged_study_is_named(tmp_path, capsys, content, message):
    (tmp_path / "seeds.json").write_text(content)
    assert train.main(["--resume", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_a_run_that_fails_is_named(tmp_path, capsys):
    folder = tmp_path / "study"
    words = [*STUDY, "--timesteps", str(ITERATION), "--seeds", "1", "--out", str(folder), "--start", "ppo"]
    assert train.main(words) == 1
    printed = capsys.readouterr()
    assert "train.py: seed 1 ended with code 2: train.py: error: --start: " in printed.err
    assert f"some seeds failed; go on with: python train.py --resume {folder}" in printed.out
