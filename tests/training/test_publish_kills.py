"""Kills at any moment of publishing leave whole files, and publishing again gives the same ones."""

import train
from tests.kills import kills_asked_for, run_script
from tests.training.test_publish import TINY

PUBLISH = """
import hashlib, json, shutil, sys
from pathlib import Path
from training import publish
from tests.kills import kill_often

run, out = Path(sys.argv[1]), Path(sys.argv[2])
paths = publish.publish(run, out / "whole", 2)
facts = json.loads(paths[1].read_text())
(out / "killed").mkdir()

def look():
    for path in (out / "killed").glob("*.zip"):
        assert path.read_bytes() == paths[0].read_bytes(), "another checkpoint"
    for path in (out / "killed").glob("*.json"):
        told = json.loads(path.read_text())
        assert {**told, "published": 0} == {**facts, "published": 0}, "other facts"

def finish():
    look()
    assert {path.name for path in paths} <= {path.name for path in (out / "killed").iterdir()}
    shutil.rmtree(out / "killed")
    (out / "killed").mkdir()

def work():
    publish.publish(run, out / "killed", 2)

print(kill_often(work, look, finish, longest=float(sys.argv[3]), writes=2))
"""


def test_kills_at_any_moment_of_publishing_leave_whole_files(tmp_path):
    assert train.main([*TINY, "--out", str(tmp_path / "run")]) == 0
    told = run_script(PUBLISH, str(tmp_path / "run"), str(tmp_path), "0.3").splitlines()[-1]
    print(told)
    clock, write = (int(word) for word in told.split() if word.isdigit())
    assert clock + write == kills_asked_for()
