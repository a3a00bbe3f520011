"""The benchmarks run with tiny sizes, and the speed table marks what misses its aim. Nothing here is timed."""

import numpy as np
import pytest

import envs
from benchmarks import __main__ as table
from benchmarks import doors, exploitability, labels, learning, parts, steps
from benchmarks.rows import Row, markdown


@pytest.mark.parametrize(
    ("row", "missed"),
    [
        (Row("a", 150, "ns", at_most=150), False),
        (Row("a", 150.1, "ns", at_most=150), True),
        (Row("a", 0.8, "", at_least=0.8), False),
        (Row("a", 0.79, "", at_least=0.8), True),
        (Row("a", float("nan"), "", at_most=1), True),
        (Row("a", None, "s", at_most=1), True),
        (Row("a", None, "s"), False),
        (Row("a", 1e9, "ns"), False),
    ],
)
def test_marks_what_misses_its_aim(row, missed):
    assert row.is_missed == missed
    text = markdown("Part", [row])
    assert ("MISSED" in text) == missed
    assert ("met" in text.split("|")[-2]) == (bool(row.aim) and not missed)


def test_table_shows_figures_aims_and_notes():
    text = markdown("Part", [Row("one", 1234.5, "ns", at_most=2000, note="of two"), Row("two", None, "s", at_most=8)])
    assert text.splitlines()[0] == "### Part"
    assert "| one | 1,234 ns | at most 2,000 | met. of two |" in text
    assert "| two | **not measured** | at most 8 | MISSED |" in text


def test_contestants_take_turns_and_are_all_measured():
    contestants = [steps.vector("dance_of_eights", 2, 4), steps.single("dance_of_eights", 2, False, False)]
    small = [contestant._replace(decisions=8) for contestant in contestants]
    figures = steps.measure([*small, steps.observe_other("dance_of_eights", 2)._replace(decisions=2)], 1)
    assert len(figures) == 3 and min(figures) > 0
    base = contestants[0]._replace(name="N=1024", aim=1e-9)
    assert "MISSED" in steps.table([base, contestants[1]], figures[:2])


def test_anatomy_of_a_decision_leaves_the_games_playable():
    rows = parts.parts("dance_of_eights", 3, num_envs=4, steps=2, rounds=1)
    assert [row.what.split(": ")[1] for row in rows[:2]] == ["copying a record in a kernel, per KiB", "`redeal`, in steps"]
    assert len(rows) == 7 and all(row.value >= 0 for row in rows)


def test_records_name_every_large_array():
    dtype = envs.make_game("fairy_ring", 4).state_dtype
    rows = parts.record("fairy_ring", 4)
    assert rows[0].value == dtype.itemsize
    named = {row.what.split("`")[1]: row.value for row in rows[1:]}
    assert named == {name: kind.itemsize for name, (kind, *_) in dtype.fields.items() if kind.itemsize > parts.LARGE}
    assert "cards" in named


def test_evaluation_plays_what_it_says():
    (row,) = table.evaluation(games=4)
    assert row.what.startswith("fairy_ring 2p, 4 games") and row.at_most == 3


def test_search_is_measured_against_its_aim():
    first, second = table.search(simulations=3, num_envs=2)
    assert first.what.startswith("fairy_ring 2p, `ismcts:3`") and first.value > 0 and first.at_least == 300_000
    assert second.what.startswith("dance_of_eights 2p") and second.value > 0 and not second.aim


def test_every_rule_set_is_in_the_table():
    assert {name for name, _ in table.TABLES} == set(envs.GAMES)


def test_a_hosted_ask_is_measured(monkeypatch):
    monkeypatch.setattr(table, "GAMES", ("dance_of_eights",))
    (row,) = table.hosting(asks=3)
    assert row.value > 0 and row.unit == "us" and "hosted" in row.what


def test_exploitability_has_a_row_for_every_player_and_says_between_what_the_value_is(capsys):
    exploitability.main(["--game", f"{exploitability.GAME}(nymphs=1,max_turns=1)", "--agents", "random", "greedy", "ismcts:4",
                         "--words", "4", "--iterations", "3", "1"])  # fmt: skip
    printed = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.splitlines() if line.startswith("|")][2:]
    assert [row[0] for row in rows] == ["CFR+, 1 iterations", "CFR+, 3 iterations", "random", "greedy", "ismcts:4"]
    low, high = (float(word) for word in printed.splitlines()[0].split()[-3::2])
    for name, exploited, half, first, second, against in rows:
        assert float(exploited) == pytest.approx(-(float(first) + float(second)) / 2, abs=2e-4)
        assert -float(exploited) - 1e-3 <= float(against) and float(first) <= low + 1e-4 and -float(second) >= high - 1e-4
        assert bool(half) == name.startswith("ismcts")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "kuhn_poker"], "kuhn_poker cannot be solved"),
        (["--words", "1"], "--words must be at least 2"),
        (["--game", "chess_of_fairies"], "chess_of_fairies cannot be solved: Unknown game 'chess_of_fairies'"),
        (["--agents", "greedy", "chess"], "there is no agent 'chess'"),
    ],
)
def test_exploitability_refuses_what_it_cannot_measure(arguments, message, capsys):
    with pytest.raises(SystemExit):
        exploitability.main(arguments)
    assert message in capsys.readouterr().err


def test_doors_are_measured_beside_what_is_behind_them(monkeypatch):
    monkeypatch.setattr(doors, "N", 16)
    entry = ("dance_of_eights", 3, "random")
    inner, door = doors.inner_batch(*entry), doors.vector_door(*entry, True)
    assert inner.play(64) == 64
    made = door.play(64)
    assert 16 <= made <= 200  # a step of 16 learners, and what their opponents did until their next decisions
    copies = doors.our_copies("dance_of_eights", True)
    assert copies.play(2) == 2


def run_with(folder, *points):
    """The folder of a run with these scores after these decisions; None stands for no evaluation."""
    folder.mkdir()
    lines = [f"{i},{steps},{'' if share is None else share}" for i, (steps, share) in enumerate(points)]
    (folder / "metrics.csv").write_text("\n".join(["iteration,timesteps,greedy_win_share", *lines]) + "\n")
    return str(folder)


def test_learning_is_drawn_over_the_time_it_took(tmp_path):
    one = run_with(tmp_path / "one", (0, 0.1), (50, None), (100, 0.3), (200, 0.5))
    other = run_with(tmp_path / "other", (0, 0.3), (100, None), (200, 0.7))
    curve = learning.read_curve("ppo", 120, 60, [one, other], "greedy")
    assert curve.minutes.tolist() == [1, 3] and np.allclose(curve.shares, [[0.1, 0.5], [0.3, 0.7]])
    out = tmp_path / "curve.png"
    assert learning.main(["--out", str(out), "--curve", "ppo", "120", "60", one, other, "--curve", "alone", "9", "0", one]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        (["ppo", "120"], "must be a name, two numbers of seconds and folders of runs"),
        (["ppo", "much", "0", "here"], "could not convert"),
        (["ppo", "120", "0", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_line(curve, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert learning.main(["--out", "curve.png", "--curve", *curve]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not (tmp_path / "curve.png").exists()


def test_runs_without_scores_in_common_are_refused(tmp_path):
    runs = [run_with(tmp_path / "one", (0, 0.1), (100, None)), run_with(tmp_path / "other", (0, None), (100, 0.3))]
    with pytest.raises(ValueError, match="no evaluation against greedy in common"):
        learning.read_curve("ppo", 120, 0, runs, "greedy")


def test_labels_are_held_against_a_larger_search(capsys):
    sizes = ["--positions", "40", "--searches", "2", "--reference", "ismcts:24,root=even"]
    labels.main(["--env", "fairy_ring", "--teacher", "ismcts:6,root=even", *sizes])
    rows = dict(line.strip("| ").split(" | ", 1) for line in capsys.readouterr().out.splitlines()[2:])
    assert 2 <= float(rows["legal actions, mean"]) <= 12
    assert float(rows["standard deviation between the actions of a position"]) > 0
    few, error = (next(value for what, value in rows.items() if words in what) for words in ("simulations of", "error of"))
    assert 1 < float(few) < 4 and float(error) > 0


def test_a_gain_is_told_by_searches_that_did_not_choose():
    means = np.zeros((2, 1, 3))
    means[0, 0], means[1, 0] = [0, 0.5, 0], [0, -0.25, 0.125]
    reference = labels.Reference(np.zeros(1), np.array([[1, 1, 0]], np.int8), np.array([0]), means)
    assert labels.best_of(means[0], reference.masks) == [1] and labels.best_of(means[1] - 1, reference.masks) == [0]
    assert reference.gain(np.array([1]), slice(1, None)) == [-0.25] and reference.gain(np.array([1])) == [0.125]


def test_labels_of_nobody_are_refused_in_one_line(capsys):
    with pytest.raises(SystemExit):
        labels.main(["--teacher", "greedy"])
    assert "ismcts" in capsys.readouterr().err.splitlines()[-1]
