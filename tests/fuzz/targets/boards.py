"""Leaderboards, entries, unfinished results and the page of all boards."""

import contextlib
import io
import json
from pathlib import Path
from random import Random
from unittest import mock

import evaluate
from envs.checks import one_line
from envs.command_line import MOST_LETTERS
from evaluation.leaderboard import make, verify
from evaluation.leaderboard.entries import Entry
from evaluation.unfinished import UnfinishedResults
from tests.fuzz.case import Case
from tests.fuzz.judge import check_line, is_accepted, require
from tests.fuzz.mutate import change_bytes, change_data, to_json
from tests.fuzz.targets import Try
from tests.fuzz.targets.zips import change_zip

NAME = "dance_of_eights_2p.json"
ENTRY = {"format": 1, "rule_set": "dance_of_eights", "num_players": 2}
ENTRY["entry"] = {"name": "one", "agent": "random", "authors": ["A", "B"], "about": "as simple as can be"}


def prepare(folder: Path) -> Try:
    """Tries a small board of two agents, an entry and unfinished results."""
    boards = folder / "leaderboard"
    words = ["--leaderboard", "dance_of_eights", "--num-players", "2", "--games", "12", "--quiet", "--workers", "1"]
    with mock.patch("evaluation.leaderboard.entries.BASELINES", ("random", "greedy")), contextlib.redirect_stdout(io.StringIO()):
        require(evaluate.main([*words, "--out", str(boards)]) == 0, "no board to begin with")
    text = (boards / NAME).read_bytes()
    partial = _partial(folder)
    tries = [lambda case: _board(case, boards, text), lambda case: _page(case, boards, text)]
    tries += [lambda case: _entry(case, folder), lambda case: _unfinished(case, folder, partial)]

    def make_try(case: Case) -> bool:
        return case.rng.choices(tries, [6, 1, 2, 2])[0](case)

    return make_try


def _changed_board(text: bytes, rng: Random) -> bytes:
    if rng.random() < 0.15:
        return change_bytes(text, rng)
    found = json.loads(text)
    keys = rng.sample(list(found), rng.choice([1, 1, 2]))
    found |= {key: change_data({"": found[key]}, rng, 2) for key in keys}
    found |= {key: found[key].get("") if isinstance(found[key], dict) else found[key] for key in keys}
    if rng.random() < 0.3:
        found["results"] = change_data(found["results"], rng) if isinstance(found.get("results"), list) else []
    return to_json(found, rng)


def _board(case: Case, folder: Path, text: bytes) -> bool:
    case.inputs[NAME] = changed = _changed_board(text, case.rng)
    (folder / NAME).write_bytes(changed)
    verdict = verify.check(folder / NAME, 0.01, workers_count=1)
    for line in [*verdict.problems, verdict.about]:
        check_line(one_line(line, MOST_LETTERS))  # as they are printed
    if verdict.is_well:
        require(json.loads(changed.decode("utf-8-sig")) == json.loads(text), "all as it says, but changed")
    return verdict.is_well


def _page(case: Case, folder: Path, text: bytes) -> bool:
    case.inputs[NAME] = changed = _changed_board(text, case.rng)
    (folder / NAME).write_bytes(changed)
    return is_accepted(lambda: make.write_index(folder))


def _entry(case: Case, folder: Path) -> bool:
    path = folder / "entry.json"
    case.inputs["entry.json"] = content = to_json(change_data(ENTRY, case.rng), case.rng)
    path.write_bytes(content)
    found = []
    if not is_accepted(lambda: found.append(Entry.read(path))):
        return False
    return is_accepted(lambda: _planned(found[0]))


def _planned(entry: Entry) -> None:
    with mock.patch("evaluation.leaderboard.entries.BASELINES", ("random",)):
        make.Plan(entry.rule_set, entry.num_players, entry.path, games=2, entry=entry)


def _results(path: Path | None) -> UnfinishedResults:
    return UnfinishedResults(8, 2, 3, path, {"game": "dance_of_eights", "agents": ["random", "greedy"]})


def _partial(folder: Path) -> bytes:
    path = folder / "first.npz"
    results = _results(path)
    results.done[:4] = True
    results.whole.faults[2] = "too slow"
    results.save()
    return path.read_bytes()


def _unfinished(case: Case, folder: Path, partial: bytes) -> bool:
    path = folder / "partial.npz"
    case.inputs["partial.npz"] = changed = change_zip(partial, case.rng, {})
    path.write_bytes(changed)
    found = []
    if not is_accepted(lambda: found.append(_results(path))):
        return False
    results = found[0]
    require(set(results.whole.faults) <= set(range(8)), "a fault of a game that there is not")
    require((results.done.view("u1") <= 1).all(), "flags that are none")
    return True
