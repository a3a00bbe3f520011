"""The hosts of foreign agents: what an honest agent may rely on, and what is left when they end, break or are confined."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import envs
import evaluate
from agents.agent import RandomAgent
from agents.host import confine
from evaluation import hosted, sandbox, tournament, workers
from evaluation.batch import GameBatch
from evaluation.foreign import let_import, source_of
from evaluation.guarded import Failure, GuardedAgent
from evaluation.host_process import Server
from evaluation.hosted import HostedAgent
from tests import race
from tests.evaluation.strangers import HERE, LOOKS_AT_PROCESSES, SECRET, SLEEP, play, running
from tests.evaluation.test_workers import is_running, report_of, same

pytestmark = LOOKS_AT_PROCESSES

ROOT = Path(evaluate.__file__).parent


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", 2)


@pytest.fixture(scope="module", autouse=True)
def server(game):
    """One server for all tests here: it costs a second to start."""
    return hosted.server_for(game)


# --- what an honest agent may rely on -----------------------------------------------------------------------------------


def test_an_honest_agent_plays_the_same_games_hosted_or_not_in_parts_or_not(game, monkeypatch):
    lineup, deals = tournament.schedule(2, 2, 80, secret=SECRET)
    own = tournament.play(game, [RandomAgent(game), RandomAgent(game)], lineup, deals, names=["a", "b"], secret=SECRET)
    specs = ["random", "agents.agent:RandomAgent"]
    for rows, chunk in ((64, 64), (5, 160)):
        monkeypatch.setattr(hosted, "ROWS", rows)
        monkeypatch.setattr(workers, "CHUNK_GAMES", chunk)
        planned = workers.Tournament(game, specs, ["a", "b"], lineup, deals, secret=SECRET)
        assert same(workers.run(planned), own)


def test_the_report_of_strangers_is_the_same_bytes_from_any_number_of_processes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reports = []
    for count in ("1", "2"):
        strangers = [f"{HERE}:Cautious", f"{HERE}:Lowest"]
        assert evaluate.main(["random", *strangers, "--games", "400", "--workers", count, "--out", "out"]) == 0
        reports.append(report_of("out"))
    assert reports[0] == reports[1] and b"Cautious forfeited games: " in reports[0]["evaluation.md"]


def test_an_agent_loses_no_games_but_those_it_fails_in(game, monkeypatch):
    monkeypatch.setattr(hosted, "RESTARTS", 1000)
    lineup, deals = tournament.schedule(2, 2, 40, secret=SECRET)
    specs = ["random", f"{HERE}:Cautious"]
    matches = []
    for chunk in (2, 80):
        monkeypatch.setattr(workers, "CHUNK_GAMES", chunk)
        matches.append(workers.run(workers.Tournament(game, specs, ["a", "b"], lineup, deals, secret=SECRET)))
    assert same(*matches) and 0 < matches[0].forfeits[1] < 80
    assert matches[0].chunk.faults == matches[1].chunk.faults
    assert set(matches[0].chunk.faults.values()) == {"ValueError: 1 games", "its process ended by itself with exit code 5"}


def test_what_it_finds_around_it(game, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_JUDGE", "7")
    match = play(game, "Tells", deals=1)
    # Standard streams, the socket, and the folder that is being listed.
    assert match.faults[2] == f"RuntimeError: False [{hosted.MEMORY}, {confine.FILE_SIZE}, 0] 5 True"


def test_no_player_sees_a_deal_from_two_sides(game):
    assert play(game, "BothSides").forfeits.tolist() == [0, 0, 0]


def test_what_lies_beside_an_agent_does_not_run_where_all_agents_are_served(game, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluation.foreign.folders", [])
    for name in ("sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    let_import(tmp_path)
    Server(game).close()
    assert not (tmp_path / "ran").exists()


def test_an_agent_has_a_player_for_every_rotation_and_seat():
    seen, game = defaultdict(list), race.make_game(num_players=3)

    class Guest(GuardedAgent):
        is_foreign = True

        def turn_to(self, view):
            self.view = view

    class Table(GameBatch):
        def _ask(self, player, rows, views):
            seen[player, player.view] += {(int(self.deals[row]), int(row), int(self.env.agent_selection[row])) for row in rows}
            super()._ask(player, rows, views)

    lineup, deals = tournament.schedule(2, 3, 6, secret=SECRET)
    Table(game, [Guest(RandomAgent(game)) for _ in range(2)], lineup, deals, SECRET).play()
    assert len(seen) > 2 * 3
    for views in seen.values():
        assert len({deal for deal, _, _ in views}) == len(set(views))


# --- being made, started anew, given up ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("stranger", "reason"), [
    ("NeverMade", "its process ended by itself with exit code 4"),
    ("InterruptsWhenMade", "KeyboardInterrupt: not me"),
    ("NeverDone", "it did not answer in time"),
    ("HasNoAct", "it has no method act"),
    ("Nobody", f"AttributeError: module '{HERE}' has no attribute 'Nobody'"),
])  # fmt: skip
def test_who_cannot_be_made_is_told_in_a_line(game, monkeypatch, stranger, reason):
    monkeypatch.setattr("evaluation.host_process.START_SECONDS", 1.0)
    with pytest.raises(ValueError, match=re.escape(f"cannot make agent '{HERE}:{stranger}': {reason}")) as caught:
        HostedAgent(f"{HERE}:{stranger}", game)
    assert str(caught.value).isprintable()


def test_an_agent_that_always_ends_is_given_up_in_each_chunk(game, monkeypatch):
    monkeypatch.setattr(hosted, "RESTARTS", 2)
    monkeypatch.setattr(workers, "CHUNK_GAMES", 10)
    started = []
    start = hosted.HostedPlayer.start
    monkeypatch.setattr(hosted.HostedPlayer, "start", lambda player: (started.append(1), start(player)))
    lineup, deals = tournament.schedule(2, 2, 15, secret=SECRET)
    match = workers.run(workers.Tournament(game, ["random", f"{HERE}:Exits"], ["a", "b"], lineup, deals, secret=SECRET))
    assert match.forfeits.tolist() == [0, 30] and len(started) == 1 + 2 + 3 + 3
    assert set(match.chunk.faults.values()) == {
        "its process ended by itself with exit code 0",
        "it is not started again: it has ended 3 times in one chunk of games",
    }


def test_an_agent_that_has_been_waited_for_long_enough_forfeits_the_rest(game, monkeypatch):
    monkeypatch.setattr("evaluation.guarded.GRACE", 0.0)
    monkeypatch.setattr(hosted, "PATIENCE", 0.2)
    monkeypatch.setattr(workers, "CHUNK_GAMES", 2)
    begun = time.monotonic()
    match = play(game, "Sleeps", deals=30, move_time=0.15)
    assert match.forfeits[2] == 60 and 0 < match.slow[2] < 6 and time.monotonic() - begun < 15
    assert "it is not asked any more: it was waited for 0.2 seconds in vain" in match.chunk.faults.values()


def test_time_limits_without_being_asked_for(game):
    agent = HostedAgent(f"{HERE}:Lowest", game)
    assert agent.move_time == hosted.MOVE_SECONDS
    agent.close()


def children_of(number):
    return [int(name) for name in filter(str.isdigit, os.listdir("/proc")) if is_running(name) and parent_of(name) == number]


def parent_of(number):
    try:
        return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def asked(game, rows=3):
    env = envs.make_vec(game, rows, seed=3)
    shown = env.last()[0]
    return shown["observation"].copy(), shown["action_mask"].copy(), env.worlds(np.arange(rows, dtype=np.uint64))


@pytest.mark.parametrize("victim", ["keeper", "server"])
def test_hosts_that_break_cost_an_ask_and_come_back(game, victim):
    agent, views = HostedAgent(f"{HERE}:Lowest", game), asked(game)
    expected = agent.ask(*views)
    (keeper,) = children_of(agent._server._process.pid)
    if victim == "keeper":
        (player,) = children_of(keeper)
        os.kill(keeper, signal.SIGKILL)
        while is_running(player):
            time.sleep(0.01)
        with pytest.raises(Failure, match="its keeper has ended"):
            agent.ask(*views)
    else:
        os.kill(agent._server._process.pid, signal.SIGKILL)
        agent._server._process.wait()
        agent.close()
    assert agent.ask(*views).tolist() == expected.tolist()
    agent.close()
    assert not is_running(keeper)


def test_nothing_is_left_when_agents_are_closed(game):
    agents = [HostedAgent(f"{HERE}:{name}", game) for name in ("Lowest", "LeavesProcesses")]
    for agent in agents:
        agent.ask(*asked(game))
    deadline = time.monotonic() + 10
    while len(running(SLEEP)) < 3:  # one of them is started by a process that is started
        assert time.monotonic() < deadline
    keepers = children_of(agents[0]._server._process.pid)
    for agent in agents:
        agent.close()
    assert len(keepers) == 2 and not any(map(is_running, keepers)) and not running(SLEEP)


PROGRAM = """
import sys
from agents.agent import RandomAgent

class Marks(RandomAgent):
    def act(self, *views):
        if not sys.argv.append("asked") and sys.argv.count("asked") == 3:
            import subprocess
            subprocess.Popen(["sleep", "987.125"], start_new_session=True)
            open("marked", "w").close()
        return super().act(*views)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_however_the_tournament_ends_its_hosts_end_with_it(tmp_path, number):
    (tmp_path / "marking.py").write_text(PROGRAM)
    program = "import sys, signal; signal.signal(2, signal.default_int_handler); "
    program += "from evaluation.command import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program,
               "random", "marking:Marks", "--games", "100000", "--workers", "2", "--out", "out"]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{tmp_path}"}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300  # everything is started, and perhaps compiled, on a machine with other things to do
    while not (tmp_path / "marked").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(60) == (130 if number == signal.SIGINT else -number)
    deadline = time.monotonic() + 60
    while running(str(tmp_path)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not running(SLEEP)


# --- what the system refuses --------------------------------------------------------------------------------------------

CONFINED = """
import os, sys
from pathlib import Path
from agents.host import confine

version, tried = int(sys.argv[1]), confine._landlock
confine._landlock = lambda number, *rest: version if rest[-1] == 1 and number == 444 else tried(number, *rest)
confine.shut_off()
os.makedirs("a"); os.makedirs("b"); Path("a/x").write_text("")
os.rename("a/x", "b/x")
try:
    open(f"/proc/{os.getppid()}/environ").read()
    print("read")
except PermissionError:
    print("refused")
"""


@pytest.mark.skipif(confine._landlock(444, None, 0, 1) < 2, reason="the kernel has no Landlock")
@pytest.mark.parametrize("version", [2, 5, 6])
def test_older_kernels_hide_processes_too_and_forbid_nothing_else(tmp_path, version):
    if version > confine._landlock(444, None, 0, 1):
        pytest.skip("the kernel is older")
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", CONFINED, str(version)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"


# --- sandboxes ----------------------------------------------------------------------------------------------------------

FAKE = """#!/bin/sh
echo "$@" > {log}
while [ "$1" != "--" ]; do shift; done
shift
exec "$@"
"""


@pytest.fixture
def sandboxes(monkeypatch):
    """Sandboxes are not asked for any more behind the test."""
    yield
    sandbox.require(False)


def test_without_bubblewrap_a_sandbox_is_refused_in_a_line(monkeypatch, tmp_path, capsys, sandboxes):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as stop:
        evaluate.main(["random", f"{HERE}:Lowest", "--games", "2", "--out", str(tmp_path), "--sandbox"])
    assert stop.value.code == 2 and not sandbox.is_required()
    assert capsys.readouterr().err.endswith(" error: --sandbox needs bubblewrap, the program bwrap, which is not installed\n")


def test_hosts_are_started_in_a_sandbox(game, monkeypatch, tmp_path, sandboxes):
    (tmp_path / "bwrap").write_text(FAKE.format(log=tmp_path / "log"))
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setitem(sandbox.ENVIRONMENT, "NUMBA_CACHE_DIR", str(tmp_path / "code"))
    command = ["random", "agents.agent:RandomAgent", "--games", "20", "--out", str(tmp_path / "out")]
    assert evaluate.main([*command, "--sandbox"]) == 0
    words = (tmp_path / "log").read_text()
    assert words.startswith("--unshare-all --die-with-parent ") and " --ro-bind / / " in words and "-m agents.host" in words
    assert any(path.is_symlink() for path in (tmp_path / "code").rglob("*.nbc"))  # nothing is compiled anew
    boxed = (tmp_path / "out" / "evaluation.json").read_bytes()
    assert workers.Tournament(game, ["random"], ["a"], np.zeros((2, 2), int), np.arange(2)).table.is_sandboxed  # so are workers'
    assert evaluate.main(command) == 0 and (tmp_path / "out" / "evaluation.json").read_bytes() == boxed
    assert not sandbox.is_required()


def has_bubblewrap():
    try:
        return subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not has_bubblewrap(), reason="there is no bubblewrap that works")
def test_what_a_sandbox_refuses(game):
    match = play(game, "Boxed", deals=1, is_sandboxed=True)
    told = re.fullmatch(r"RuntimeError: \['scratch'\] (\d+)", match.faults[2])
    assert told and int(told[1]) <= 6


@pytest.mark.skipif(not has_bubblewrap(), reason="there is no bubblewrap that works")
def test_sandboxes_change_no_result_whoever_plays(tmp_path, sandboxes):
    reports = []
    for more in ([], ["--sandbox"], ["--sandbox", "--workers", "2"]):
        command = ["random", "agents.agent:RandomAgent", f"{HERE}:Exits", "--games", "140", "--out", str(tmp_path)]
        assert evaluate.main([*command, *more]) == 0
        reports.append((tmp_path / "evaluation.json").read_bytes())
    assert reports[0] == reports[1] == reports[2]


# --- where they are -----------------------------------------------------------------------------------------------------


def test_the_source_of_an_agent_is_found_without_running_it(tmp_path, monkeypatch):
    (tmp_path / "loud").mkdir()
    for name in ("__init__.py", "player.py"):
        (tmp_path / "loud" / name).write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert source_of("loud.player:Any") == tmp_path / "loud" / "player.py" and source_of("loud:Any").name == "__init__.py"
    for spec in ("loud.nobody:Any", "nowhere:Any", "random", "greedy:3", "ismcts:5", "a/b.zip:sample", "sys:exit", ":x", "x:"):
        assert source_of(spec) is None, spec
