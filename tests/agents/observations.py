"""Networks and observations for the tests of networks."""

import numpy as np
import torch as th
from torch import nn

import envs
from agents.networks.blueprint import Blueprint
from agents.policy import PREFIX
from envs import engine

# The last layers of all networks: what makes logits.
LOGITS = {
    "logits", "choose_logits", "plant_logits", "grow", "gather_logits", "fly.logits",
    "tiles.logits", "turns.logits", "place_logits", "plain_logits",
}  # fmt: skip


def some_views(game, count=60, moves=30):
    """Observations, from random games, in which every phase comes up: ``(K, D)``."""
    env = envs.make_vec(game, count, seed=4)
    words, actions, seen = np.arange(count, dtype=np.uint64), np.zeros(count, np.int64), []
    for move in range(moves):
        game.kernels.sample_batch(engine.rows(env.last()[0]["action_mask"].copy()), words, actions)
        env.step(actions)
        seen.append(env.last()[0]["observation"][move % 3 :: 3].copy())
    return np.concatenate(seen)


def in_phase(game, views, phase):
    return views[game.section(views, "phase")[:, phase] == 1]


def make_network(game, kind="own", widths=(16, 12), loud=True):
    """A network; a loud one has logits that are not all near 0."""
    th.manual_seed(3)
    network = Blueprint(game, kind, widths).build()
    for name, parameter in network.named_parameters():
        if loud and name.removesuffix(".weight") in LOGITS:
            nn.init.normal_(parameter)
    return network


def without_the_flat_part(network, game, names):
    """The same network, in which the layers that join everything do not read these sections of Fairy Ring."""
    with th.no_grad():
        for name in names:
            network.trunk[0].weight[:, game.slices[name]] = 0
    return network


def weights_of(network):
    return {PREFIX + name: tensor for name, tensor in network.state_dict().items()}


@th.no_grad()
def answer(network, views):
    logits, values = network(th.from_numpy(views))
    return logits.numpy(), values.numpy()
