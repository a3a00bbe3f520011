"""Work on a Ray cluster of two nodes of this machine: the same bytes, whatever dies or joins, and what is refused."""

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import envs
import evaluate
import train
from evaluation import on_ray, workers
from evaluation.sources import different, identity
from tests.evaluation.ray_work import Work
from tests.evaluation.test_workers import GAMES, plan, report_of, wait_for
from tests.training.runs import ITERATION, TINY, assert_same_run, tiny

ROOT = Path(evaluate.__file__).parent


@pytest.fixture(scope="module")
def ray():
    return pytest.importorskip("ray", reason="Ray is not installed: pip install -c constraints.txt -e '.[ray]'")


@pytest.fixture(scope="module")
def cluster(ray):
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        made.add_node(num_cpus=1)
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def game():
    return envs.make_game("dance_of_eights", 2)


def results(address, work, numbers, count=None):
    with closing(on_ray.Ray(address, count).map(work, [partial(int, number) for number in numbers])) as found:
        return dict(found)


def test_a_tournament_on_ray_writes_the_same_bytes_as_one_process(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reports = []
    for more in (["--workers", "1"], ["--ray", cluster.address]):
        assert evaluate.main([*GAMES, *more, "--out", "out"]) == 0
        reports.append(report_of("out"))
    assert reports[0] == reports[1] and len(reports[0]) == 3


def test_both_nodes_work_and_every_chunk_comes_once(cluster):
    found = results(cluster.address, Work(seconds=0.2), range(30))
    assert [found[k][0] for k in range(30)] == [k**2 for k in range(30)]
    assert len({node for _, _, node in found.values()}) == 2


def test_what_a_killed_worker_has_not_done_is_done_by_another(cluster, tmp_path):
    found = results(cluster.address, Work(tmp_path), [1, -2, 3, -4])
    assert [found[k][0] for k in range(4)] == [1, 4, 9, 16]
    assert {path.name for path in tmp_path.iterdir()} == {"-2", "-4"}


def test_work_that_kills_every_worker_is_told(cluster, tmp_path):
    with pytest.raises(RuntimeError, match="a worker ended by itself: .*, 3 times at the same work"):
        results(cluster.address, Work(tmp_path), [1, -99])


def test_a_tournament_goes_on_to_the_same_when_a_node_joins_and_one_is_killed(cluster, ray, game):
    whole, killed = workers.run_games(plan(game, games=3000)), []

    def kill_once(games):
        if not killed:
            spared = {cluster.head_node.node_id, ray.get_runtime_context().get_node_id()}
            killed.append(next(node for node in cluster.list_all_nodes() if node.node_id not in spared))
            cluster.remove_node(killed[0], allow_graceful=False)

    cluster.add_node(num_cpus=1)
    played = workers.run_games(plan(game, games=3000), on_ray.Ray(cluster.address), progress=kill_once)
    assert played.outcomes.tobytes() == whole.outcomes.tobytes() and killed


def test_a_node_that_joins_is_used(cluster):
    seen, joined = set(), None
    with closing(on_ray.Ray(cluster.address).map(Work(seconds=0.1), [partial(int, 2)] * 2000)) as found:
        for _, (_, _, node) in found:
            joined = joined or cluster.add_node(num_cpus=1)
            seen.add(node)
            if joined.node_id in seen:
                break
    cluster.remove_node(joined)
    assert joined.node_id in seen and len(seen) > 1


def test_a_worker_with_other_code_is_refused_by_name(cluster, tmp_path, monkeypatch):
    other = tmp_path / "other"
    for package in ("envs", "agents", "evaluation", "training"):
        shutil.copytree(ROOT / package, other / package, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "evaluation" / "exact.py").open("a").write("\n# changed\n")
    monkeypatch.setenv("PYTHONPATH", str(other))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "driver.py")])
    node = cluster.add_node(num_cpus=2)
    told = rf"node \S+ \({node.node_id[:12]}\) is of another version: there the code is \w+, but \w+ here"
    with pytest.raises(RuntimeError, match=told):
        results(cluster.address, Work(seconds=0.1), range(2000))
    cluster.remove_node(node)


def test_other_tables_are_refused_by_name(cluster, monkeypatch):
    monkeypatch.setattr(on_ray, "identity", lambda: identity() | {"the component tables": "others"})
    with pytest.raises(RuntimeError, match="is of another version: there the component tables is .*, but others here"):
        results(cluster.address, Work(), [1])


def test_what_differs_is_named():
    here = identity()
    assert different(here, dict(here)) is None
    assert different(here, here | {"numpy": "1.0"}) == f"numpy is {here['numpy']}, but 1.0"
    assert different(here, {}) == f"the code is {here['the code'][:12]}, but none"


def test_an_error_of_a_worker_is_told_in_one_line(cluster):
    found = on_ray.Ray(cluster.address).map(Work(), [dict])
    with pytest.raises(RuntimeError, match="a worker process failed: '<' not supported"), closing(found):
        next(found)


def test_seeds_on_ray_are_the_runs_of_one_process(cluster, tmp_path):
    assert tiny(tmp_path / "alone", 2) == 0
    words = [word for word in TINY if word not in ("--seed", "5")]
    study = ["--seeds", "5,6", "--timesteps", str(2 * ITERATION), "--out", str(tmp_path / "study")]
    assert train.main([*words, *study, "--ray", cluster.address]) == 0
    assert_same_run(tmp_path / "alone", tmp_path / "study" / "seed-5")
    assert (tmp_path / "study" / "report.json").is_file()


def processes_with(mark):
    """Numbers of the processes that were started by one with this in its environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_leaves_whole_results_and_nothing_running(ray, tmp_path, number):
    mark = f"FAIRY_RINGS_TEST={uuid.uuid4()}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), mark.partition("=")[0]: mark.partition("=")[2]}
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, "driver.py", *GAMES[:-1], "200000", "--ray", "local", "--workers", "2", "--out", "out"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for(tmp_path / "out" / "partial.npz", seconds=300)
        finally:
            process.send_signal(number)
        assert "the same command goes on from here" in process.communicate(timeout=120)[1]
    assert process.returncode == 130
    deadline = time.monotonic() + 60
    while processes_with(mark):
        assert time.monotonic() < deadline
        time.sleep(0.1)


DRIVER = """
import signal, sys
import evaluation.unfinished, evaluate
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background inherits that it is ignored
evaluation.unfinished.SAVE_EVERY = 0.0
sys.exit(evaluate.main(sys.argv[1:]))
"""


def test_without_ray_one_line_tells_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit):
        evaluate.main([*GAMES, "--ray", "auto"])
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.endswith("--ray needs Ray, which is not installed: pip install 'fairy-rings[ray]'")
