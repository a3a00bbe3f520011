"""What the shared tests run over: every registered rule set with every number of players."""

import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pytest

import envs

RULE_SETS = [(name, num_players) for name in envs.GAMES for num_players in envs.game_module(name).PLAYERS]
TWO_PLAYERS = [(name, 2) for name in envs.GAMES]


COMPILE = """
import sys
import numpy as np
import envs
for name, num_players in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    game = envs.make_game(name, num_players)
    vector, single = envs.make_vec(game, 2, seed=0), envs.raw_env(game)
    single.reset(seed=0)
    for env in (vector, single):
        env.step(env.last()[0]["action_mask"].argmax(axis=-1))
    vector.observe(0)
    single.state()
    vector.worlds(np.zeros(2, np.uint64))
    vector.set_state(vector.get_state())
    game.legal_actions(vector.states[0])
"""


def pytest_sessionstart(session):
    """Compiles every game before the workers start, which would each compile it for themselves; two at a time."""
    if hasattr(session.config, "workerinput") or not session.config.option.numprocesses:
        return
    name_of = {entry.module: name for name, entry in envs.GAMES.items()}  # rule sets of one module share their machine code
    distinct = list(dict.fromkeys((name_of[envs.GAMES[name].module], num_players) for name, num_players in RULE_SETS))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    halves = [[str(part) for rule_set in distinct[half::2] for part in rule_set] for half in range(2)]
    for process in [subprocess.Popen([sys.executable, "-c", COMPILE, *half], env=environment) for half in halves]:
        process.wait()


def _label(rule_set: tuple[str, int]) -> str:
    return f"{rule_set[0]}-{rule_set[1]}p"


@pytest.fixture(params=RULE_SETS, ids=_label)
def game(request):
    """Every rule set with every number of players."""
    name, num_players = request.param
    return envs.make_game(name, num_players)


@pytest.fixture(params=TWO_PLAYERS, ids=_label)
def game_for_two(request):
    """Every rule set with two players."""
    name, num_players = request.param
    return envs.make_game(name, num_players)
