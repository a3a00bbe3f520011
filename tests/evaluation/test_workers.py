"""Long tournaments: the same bytes from any number of processes, after any interruption, and what is refused."""

import io
import itertools
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import envs
import evaluate
from agents.registry import make_agent
from evaluation import executor, tournament, workers
from evaluation.keyed import Secret
from evaluation.provenance import settings_of
from evaluation.unfinished import UnfinishedResults

ROOT = Path(evaluate.__file__).parent
GAMES = ["random", "greedy", "random", "--env", "dance_of_eights", "--games", "600"]
COLUMNS = ("rewards", "wins", "scores", "lengths", "offender", "forfeits")

AGENTS = """
from pathlib import Path
from agents.agent import RandomAgent

HERE = Path(__file__).parent

class Plain(RandomAgent):
    pass

class Late(RandomAgent):
    '''Can be made once.'''
    def __init__(self, game):
        if (HERE / "made").exists():
            raise RuntimeError("made before")
        (HERE / "made").touch()
"""


@pytest.fixture
def others(tmp_path, monkeypatch):
    (tmp_path / "interrupting.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def stopped_once(monkeypatch):
    """The program is asked to end before its fourth chunk, once."""
    play, played = workers._play, []

    def stop_before_the_fourth(*arguments):
        played.append(arguments)
        if len(played) == 4:
            os.kill(os.getpid(), signal.SIGTERM)
        return play(*arguments)

    monkeypatch.setattr(workers, "_play", stop_before_the_fourth)


@pytest.fixture(scope="module")
def game():
    return envs.make_game("dance_of_eights", 2)


def plan(game, specs=("random", "greedy", "random"), games=300):
    schedule = tournament.schedule(len(specs), game.num_players, games // game.num_players)
    return workers.Tournament(game, list(specs), [f"{k} {spec}" for k, spec in enumerate(specs)], *schedule)


def report_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def same(one, other):
    return all(np.array_equal(getattr(one, column), getattr(other, column)) for column in COLUMNS) and one.faults == other.faults


def test_chunks_are_whole_deals_and_cover_all_games(game):
    planned = plan(game, games=300)
    chunks = planned.chunks()
    assert np.concatenate([np.arange(300)[chunk] for chunk in chunks]).tolist() == list(range(300)) and len(chunks) == 5
    assert all(chunk.start % 2 == 0 for chunk in chunks)


@pytest.mark.parametrize("count", [1, 2])
def test_every_game_is_played_with_its_own_secret(game, count):
    secrets, lineup = [Secret.from_seed(seed) for seed in (1, 2)], np.array([[0, 1], [1, 0]] * 40)
    deals = [np.repeat(secret.deal_seeds(40), 2) for secret in secrets]
    specs, names = ["greedy", "ismcts:2"], ["a", "b"]
    of_each = [secret for secret in secrets for _ in range(80)]
    both = workers.Tournament(game, specs, names, np.tile(lineup, (2, 1)), np.concatenate(deals), secrets=of_each)
    assert [chunk.start for chunk in both.chunks()] == [0, 64, 80, 144]
    played = workers.run_games(both, count).outcomes
    for k, secret in enumerate(secrets):
        alone = workers.run_games(workers.Tournament(game, specs, names, lineup, deals[k], secret=secret)).outcomes
        assert alone.tobytes() == played[80 * k : 80 * (k + 1)].tobytes()
    with pytest.raises(ValueError, match="there are 2 secrets for 80 games"):
        workers.Tournament(game, specs, names, lineup, deals[0], secrets=secrets)


@pytest.mark.parametrize("size", [18, 50, 1000])
def test_results_do_not_depend_on_chunks(game, monkeypatch, size):
    agents = [make_agent(spec, game) for spec in plan(game).specs]
    whole = tournament.play(game, agents, *tournament.schedule(3, 2, 150), names=plan(game).names)
    monkeypatch.setattr(workers, "CHUNK_GAMES", size)
    assert same(workers.run(plan(game)), whole)


def test_two_processes_write_the_same_bytes_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reports = []
    for count in ("1", "2"):
        evaluate.main([*GAMES, "--workers", count, "--out", "out"])
        reports.append(report_of("out"))
    assert reports[0] == reports[1] and len(reports[0]) == 3


def test_workers_start_by_themselves_where_there_is_enough_left_to_do(game, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.0)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    clock = itertools.count()
    monkeypatch.setattr(workers.time, "perf_counter", lambda: 2.0 * next(clock))
    started = []
    monkeypatch.setattr(
        workers, "_elsewhere", lambda planned, chunks, executor, progress: started.append((chunks, executor.workers)) or []
    )
    planned = plan(game)
    list(workers._results(planned, planned.chunks(), None, None))
    assert started == [(planned.chunks()[1:], 2)]


def test_the_same_command_goes_on_where_it_was_stopped(others, stopped_once, capsys):
    command = ["random", "interrupting:Plain", *GAMES[3:], "--out", "out", "--workers", "1"]
    assert evaluate.main(command) == 130
    assert set(report_of("out")) == {"partial.npz"}
    assert "the same command goes on from here" in capsys.readouterr().err
    assert evaluate.main(command) == 0
    assert "going on: " in capsys.readouterr().err
    resumed = report_of("out")
    assert evaluate.main(command) == 0
    assert report_of("out") == resumed and "partial.npz" not in resumed
    assert "going on" not in capsys.readouterr().err


def wait_for(path, seconds=120):
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


DRIVER = """
import multiprocessing, signal, sys
import evaluation.executor, evaluation.unfinished, evaluate
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background inherits that it is ignored
    evaluation.unfinished.SAVE_EVERY = 0.0
    start = evaluation.executor._Worker.__init__
    def note(worker, function):
        start(worker, function)
        print(worker.process.pid, flush=True)
    evaluation.executor._Worker.__init__ = note
    sys.exit(evaluate.main(sys.argv[1:]))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_in_mid_run_it_leaves_whole_results_and_no_workers(tmp_path, number):
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, "driver.py", *GAMES[:-1], "200000", "--workers", "2", "--out", "out"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    wait_for(tmp_path / "out" / "partial.npz")
    process.send_signal(number)
    children = [int(line) for line in process.stdout.read().splitlines() if line.isdigit()]
    assert process.wait() == (130 if number != signal.SIGKILL else -signal.SIGKILL) and len(children) == 2
    deadline = time.monotonic() + 60
    while any(is_running(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with np.load(tmp_path / "out" / "partial.npz") as parts:
        done = parts["done"]
        assert 0 < done.sum() < len(done) and (parts["outcomes"]["length"][done] > 0).all()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of its own")
@pytest.mark.parametrize("more", [[], ["--quiet"]])
def test_a_terminal_sees_the_progress_unless_told_not_to(tmp_path, more):
    termios = pytest.importorskip("termios")
    terminal, end = os.openpty()
    termios.tcsetwinsize(end, (24, 100))
    command = [sys.executable, str(ROOT / "evaluate.py"), *GAMES, "--out", "out", *more]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=end, check=True)
    os.write(end, b"done")
    os.close(end)
    seen = os.read(terminal, 65536)
    os.close(terminal)
    assert (b"600/600" in seen) == (not more) and (seen == b"done") == bool(more)


def kill_workers(monkeypatch, is_time):
    """Kills workers that are given a chunk, before they have done it."""
    give, given = executor._Worker.give, []

    def give_and_kill(worker, chunk, content):
        given.append(chunk)
        if is_time(chunk, len(given)):
            worker.process.kill()
            worker.process.join()
        give(worker, chunk, content)

    monkeypatch.setattr(executor._Worker, "give", give_and_kill)
    return given


def test_what_a_killed_worker_has_not_done_is_done_by_another(game, monkeypatch):
    whole = workers.run(plan(game))
    given = kill_workers(monkeypatch, lambda chunk, count: count in (3, 5))
    assert same(workers.run(plan(game), 2), whole)
    assert len(given) == len(plan(game).chunks()) + 2


def test_who_waits_for_results_looks_about_and_can_stop_all_work(game, monkeypatch):
    monkeypatch.setattr(executor, "LOOK", 0.01)
    planned, looks = plan(game), itertools.count()

    def look():
        if next(looks) == 3:
            raise KeyboardInterrupt

    games = [partial(planned.games, chunk) for chunk in planned.chunks()]
    results = executor.Processes(1).map(planned.table, games, look)
    with pytest.raises(KeyboardInterrupt):
        list(results)
    assert next(looks) == 4 and not multiprocessing.active_children()


def test_work_that_kills_every_worker_is_told_and_the_rest_is_kept(tmp_path, monkeypatch, capsys):
    given = kill_workers(monkeypatch, lambda chunk, count: chunk == 3)
    assert evaluate.main(["random", "greedy", *GAMES[3:], "--workers", "2", "--out", str(tmp_path)]) == 1
    assert "a worker process ended by itself with exit code -9, 3 times at the same work" in capsys.readouterr().err
    assert given.count(3) == executor.TRIES
    with np.load(tmp_path / "partial.npz") as parts:
        assert 0 < parts["done"].sum() < len(parts["done"])


def test_a_worker_that_starts_is_told_little_however_long_the_schedule(game):
    short, long = (pickle.dumps(plan(game, games=games).table) for games in (20, 200_000))
    assert len(short) == len(long) < 16384


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes")
def test_a_stop_while_workers_start_is_heard(tmp_path):
    """The first of many workers is there and has read nothing yet."""
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, "driver.py", *GAMES[:-1], "200000", "--workers", "8", "--out", "out"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    first = next(int(line) for line in process.stdout if line.strip().isdigit())
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    process.stdout.read()
    assert process.wait() == 130 and time.monotonic() - begun < 10 and not is_running(first)


def test_a_worker_that_cannot_make_an_agent_is_told(others, capsys):
    assert evaluate.main(["random", "interrupting:Late", *GAMES[3:], "--workers", "2", "--out", "out"]) == 1
    assert "a worker process failed: cannot make agent 'interrupting:Late': RuntimeError: made before" in capsys.readouterr().err


def test_partial_results_of_other_settings_are_refused_and_can_be_thrown_away(others, stopped_once, capsys):
    command = ["random", "interrupting:Plain", *GAMES[3:], "--out", "out", "--workers", "1"]
    evaluate.main(command)
    kept = (others / "out" / "partial.npz").read_bytes()
    for more, words in (
        (["--seed", "3"], "schedule was"), (["--games", "700"], "number of games was 600 and is now 700"),
        (["--move-time", "1"], "move time was None and is now 1.0"), (["--agents", "greedy"], "agents was"),
        (["--num-players", "3"], "number of players was 2 and is now 3"), (["--env", "fairy_ring"], "game was"),
    ):  # fmt: skip
        with pytest.raises(SystemExit):
            evaluate.main([*command, *more])
        message = capsys.readouterr().err
        assert words in message and "out/partial.npz holds partial results of another tournament" in message
    (others / "interrupting.py").write_text(AGENTS + "\n# changed\n")
    with pytest.raises(SystemExit):
        evaluate.main(command)
    assert "file of interrupting:Plain was" in capsys.readouterr().err
    assert (others / "out" / "partial.npz").read_bytes() == kept
    assert evaluate.main([*command, "--seed", "3", "--fresh"]) == 0
    assert json.loads((others / "out" / "evaluation.json").read_text())["seed"] == 3


def parts_of(facts, save=np.savez):
    """A file of partial results with these facts, as bytes."""
    buffer = io.BytesIO()
    arrays = {"done": np.zeros(4, bool), "seconds": np.zeros(2), "decisions": np.zeros(2, int), "outcomes": np.zeros(4)}
    save(buffer, facts=np.frombuffer(facts, np.uint8), **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize("content", [
    b"", b"PK", b"{}", parts_of(b"[" * 10**5 + b"]" * 10**5), parts_of(b'{"settings": {}, "faults": 3}'), parts_of(b"\xff"),
    parts_of(b'{"settings": {}, "faults": {}}' + b" " * 10**7, np.savez_compressed),
])  # fmt: skip
def test_a_file_that_holds_nothing_is_refused_by_name(tmp_path, content):
    path = tmp_path / "partial.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="partial.npz holds no partial results that can be read"):
        UnfinishedResults(4, 2, 2, path)


def test_a_part_that_is_no_array_is_refused_by_name(tmp_path):
    path = tmp_path / "partial.npz"
    whole = parts_of(b'{"settings": {}, "faults": {}}')
    with zipfile.ZipFile(io.BytesIO(whole)) as parts, zipfile.ZipFile(path, "w") as spoilt:
        for name in parts.namelist():
            spoilt.writestr(name, b"nothing" if name == "done.npy" else parts.read(name))
    with pytest.raises(ValueError, match="partial.npz holds no partial results that can be read"):
        UnfinishedResults(4, 2, 2, path)


@pytest.mark.parametrize(("name", "value"), [
    ("rewards", 1e9), ("rewards", np.nan), ("wins", 2), ("wins", -0.5), ("scores", np.inf), ("length", -1), ("offender", -2),
])  # fmt: skip
def test_results_that_no_game_has_are_refused_by_name(tmp_path, name, value):
    path = tmp_path / "partial.npz"
    kept = UnfinishedResults(4, 2, 2, path)
    kept.done[:3], kept.whole.outcomes["offender"] = True, -1
    kept.save()
    UnfinishedResults(4, 2, 2, path)
    kept.whole.outcomes[name][1] = value
    kept.save()
    with pytest.raises(ValueError, match="partial.npz holds results that no game has"):
        UnfinishedResults(4, 2, 2, path)


def test_a_partial_file_keeps_everything(game, tmp_path):
    planned = plan(game)
    settings = settings_of(planned)
    first = UnfinishedResults(300, 2, 3, tmp_path / "partial.npz", settings)
    workers.run(planned, partial=first)
    first.whole.faults[3] = "a fault"
    first.save()
    again = UnfinishedResults(300, 2, 3, tmp_path / "partial.npz", settings)
    assert again.done.all() and again.whole.faults == {3: "a fault"}
    assert all(np.array_equal(a, b) for a, b in zip(again.whole, first.whole, strict=True) if isinstance(a, np.ndarray))
    assert same(workers.run(planned, partial=again), workers.run(plan(game)))
    again.whole.outcomes["offender"][5] = 2
    again.save()
    with pytest.raises(ValueError, match="forfeited without a reason"):
        UnfinishedResults(300, 2, 3, tmp_path / "partial.npz", settings)
    with pytest.raises(ValueError, match="of another size"):
        UnfinishedResults(302, 2, 3, tmp_path / "partial.npz", settings)
