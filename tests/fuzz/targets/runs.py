"""Training runs from strangers: a changed checkpoint or metrics file, and ``train.py --resume``."""

import contextlib
import io
import shutil
from pathlib import Path

import torch as th

import train
from agents import checkpoint
from tests.fuzz.case import Case
from tests.fuzz.judge import UNCLEAR, check_line, require
from tests.fuzz.mutate import change_bytes
from tests.fuzz.targets import Try
from tests.fuzz.targets.zips import change_zip, parts_of
from tests.training.runs import tiny

MISTAKE = 2
ITERATION = 16
SMALL = ["--env", "dance_of_eights", "--option", "max_turns=6", "--num-envs", "2", "--num-steps", "8", "--batch-size", "8"]
SMALL += ["--eval-deals", "1", "--threads", "1"]
"""What a stranger's run is made of is the same for every game; games of this one are short."""


def prepare(folder: Path) -> Try:
    """Tries a run of two iterations."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        require(tiny(folder / "whole", 2, *SMALL, "--timesteps", str(2 * ITERATION)) == 0, "no run to begin with")
        require(tiny(folder / "other", 1, *SMALL, "--num-players", "3", "--timesteps", str(ITERATION)) == 0, "no other run")
    content = (folder / "whole" / "model.zip").read_bytes()
    others = parts_of((folder / "other" / "model.zip").read_bytes())
    run = folder / "run"

    def make_try(case: Case) -> bool:
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(folder / "whole", run, ignore=shutil.ignore_patterns("tensorboard", "*.png"))
        case.inputs["model.zip"] = changed = change_zip(content, case.rng, others)
        (run / "model.zip").write_bytes(changed)
        if case.rng.random() < 0.2:
            lines = run / "metrics.csv"
            case.inputs["metrics.csv"] = damaged = change_bytes(lines.read_bytes(), case.rng)
            lines.write_bytes(damaged)
        code, error = _resume(run)
        require(code in (0, MISTAKE), f"exit code {code}: {error}")
        if code == MISTAKE:
            check_line(error.splitlines()[-1])
            require("Traceback" not in error, error, UNCLEAR)
            require((run / "model.zip").read_bytes() == changed, "refused, but changed")
            return False
        weights = checkpoint.read_weights(run / "model.zip")
        require(all(bool(th.isfinite(tensor).all()) for tensor in weights.values()), "weights that are no numbers")
        require(checkpoint.read_run(run / "model.zip")["iteration"] == 3, "not gone on")
        return True

    return make_try


def _resume(run: Path) -> tuple[int, str]:
    """Exit code, and what is said of errors."""
    error = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
        code = train.main(["--resume", str(run), "--timesteps", str(3 * ITERATION)])
    return code, error.getvalue()
