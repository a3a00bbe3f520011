"""Policies from strangers, as players."""

import json
from pathlib import Path

import torch as th

import envs
from agents.archive import pack
from agents.checkpoint import FACTS, WEIGHTS, game_facts, weights_bytes
from agents.networks.blueprint import Blueprint
from agents.registry import make_agent
from envs.vector import VectorAECEnv
from tests.agents.observations import weights_of
from tests.fuzz.case import Case
from tests.fuzz.judge import is_accepted, require
from tests.fuzz.targets import Try
from tests.fuzz.targets.zips import change_zip, parts_of

NAMES = ("dance_of_eights", "fairy_ring")
K = 3


def prepare(folder: Path) -> Try:
    """Tries a flat policy and one of a game's own network."""
    th.set_num_threads(1)
    made = [_made(name, kind) for name in NAMES for kind in ("flat", "own")]
    path = folder / "model.zip"

    def make_try(case: Case) -> bool:
        game, content = case.rng.choice(made)
        changed = change_zip(content, case.rng, parts_of(case.rng.choice(made)[1]))
        case.inputs |= {"game": repr(game), "model.zip": changed}
        path.write_bytes(changed)
        agents = []
        spec = str(path) + case.rng.choice(["", "", ":sample"])
        if not is_accepted(lambda: agents.append(make_agent(spec, game))):
            return False
        env = VectorAECEnv(game, K, seed=case.number % 1000)
        view, *_ = env.last()
        actions = agents[0].act(view["observation"], view["action_mask"], env.worlds(case.numpy.integers(2**63, size=K)))
        require(view["action_mask"][range(K), actions].all(), "an illegal action")
        return True

    return make_try


def _made(name: str, kind: str) -> tuple:
    """A game and a checkpoint for it, with first weights."""
    game = envs.make_game(name, 2)
    blueprint = Blueprint(game, kind, (4,))
    facts = {**game_facts(game), **blueprint.facts}
    return game, pack({WEIGHTS: weights_bytes(weights_of(blueprint.build())), FACTS: json.dumps(facts).encode()})
