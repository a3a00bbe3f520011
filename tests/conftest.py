"""What the shared tests run over: every registered rule set with every number of players."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pytest

import envs

RULE_SETS = [(name, num_players) for name in envs.GAMES for num_players in envs.game_module(name).PLAYERS]
TWO_PLAYERS = [(name, 2) for name in envs.GAMES]


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
