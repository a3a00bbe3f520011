"""Kills at any moment change no board: it goes on with the secrets it was committed to, to the same bytes."""

from tests.kills import kills_asked_for, run_script

BOARD = """
import json, os, shutil, sys
from pathlib import Path
import evaluate
from evaluation import unfinished, workers
from evaluation.leaderboard import entries, make, verify
from tests.kills import fork, kill_often

entries.BASELINES = ("random", "greedy", "ismcts:4")
unfinished.SAVE_EVERY, workers.CHUNK_GAMES = 0.0, 16
killed, whole = Path(sys.argv[1]) / "killed", Path(sys.argv[1]) / "whole"
NAME, seen = "dance_of_eights_2p", set()
killed.mkdir(), whole.mkdir()

def make_in(folder):
    words = ["--leaderboard", "dance_of_eights", "--num-players", "2", "--games", "60", "--workers", "1", "--quiet"]
    return evaluate.main([*words, "--out", str(folder)])

def files(folder):
    others = (".timing.json", ".tmp", ".lock")
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(others)}

def look():
    commitments = killed / f"{NAME}.commitments.json"
    if commitments.exists():
        seen.add(commitments.read_bytes())
    assert len(seen) <= 1, "a second secret was drawn"
    for path in killed.glob("*.json"):
        json.loads(path.read_text())

def finish():
    look()
    made = files(killed)
    board = json.loads(made[f"{NAME}.json"])
    kept = {"format": 1, "secrets": dict(zip(board["commitments"], board["secrets"], strict=True))}
    (whole / f"{NAME}.secrets.json").write_text(json.dumps(kept))
    assert fork(lambda: make_in(whole)) == 0
    assert {**files(whole), "index.html": b""} == {**made, "index.html": b""}, "other bytes"
    for folder in (killed, whole):
        shutil.rmtree(folder)
        folder.mkdir()
    seen.clear()

assert make_in(whole) == 0  # compiles and imports all
shutil.rmtree(whole)
whole.mkdir()
print(kill_often(lambda: make_in(killed), look, finish, longest=float(sys.argv[2]), writes=30))
"""


def test_kills_at_any_moment_change_no_board(tmp_path):
    told = run_script(BOARD, str(tmp_path), "1.0").splitlines()[-1]
    print(told)
    clock, write = (int(word) for word in told.split() if word.isdigit())
    assert clock + write == kills_asked_for()
