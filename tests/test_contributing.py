"""What CONTRIBUTING.md tells a newcomer is so: its paths exist, its breakpoint is where it says, its agent plays."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import envs
from evaluation import tournament
from tests import test_architecture

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
OF_THE_READER = ("NAME", "mine", "runs/", "replays/")
INSIDE_A_GAME = ("pictures/", "rules/", "validity/")
PATHS = sorted(
    path
    for path in re.findall(r"`([\w/.-]+/[\w/.-]*)`", TEXT)
    if not any(part in path for part in OF_THE_READER) and path not in INSIDE_A_GAME
)


def test_it_names_files():
    assert len(PATHS) > 20


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path):
    assert (ROOT / path).exists()


def test_every_game_of_the_suite_is_held_to_the_plan_of_the_house():
    assert {f"envs.{game}" for game in test_architecture.GAMES} == {entry.module for entry in envs.GAMES.values()}


def test_its_breakpoint_stops_before_a_rule_is_called():
    (command,) = re.findall(r"`NUMBA_DISABLE_JIT=1 (python -m pdb .*)`", TEXT)
    (line,) = {int(number) for number in re.findall(r"loops\.py:(\d+)", command)}
    assert f"line {line} of `envs/engine/loops.py`" in TEXT
    words = shlex.split(command)[1:]
    at = words.index("envs.check") - 1
    looks = ["-c", "p 'action', action, int(state['decisions'])", "-c", "s", "-c", "s", "-c", "w", "-c", "q"]
    done = subprocess.run(
        [sys.executable, *words[:at], *looks, *words[at:]],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "('action', 0, 1)" in done.stdout, done.stdout + done.stderr
    assert "-> code = step(state, rules, action)" in done.stdout
    assert re.search(r"> .*tic_tac_toe\.py\(\d+\)step\(\)", done.stdout)


def test_its_agent_plays():
    (source,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    namespace = {}
    exec(source, namespace)
    game = envs.make_game("examples.tic_tac_toe")
    agent = namespace["Centre"](game)
    lineup, deals = tournament.schedule(2, 2, 5)
    match = tournament.play(game, [agent, namespace["Centre"](game)], lineup, deals, names=["one", "other"])
    assert not match.forfeits.any()
    env = envs.make_vec(game, 1, seed=0)
    view = env.last()[0]
    assert agent.act(view["observation"], view["action_mask"], env.states).tolist() == [4]
