"""Self-play environments, and players for them, for the tests of training."""

import torch as th

from agents.networks.blueprint import Blueprint
from envs.vector import VectorAECEnv
from training.ppo import SeatPolicy
from training.selfplay_env import SelfPlayVecEnv
from training.snapshots import SnapshotPool


def random_actions(masks, rng):
    return (rng.random(masks.shape) * masks).argmax(1)


def random_weights(game, seed):
    th.manual_seed(seed)
    policy = SeatPolicy(*spaces(game), lambda _: 1e-3, blueprint=blueprint(game))
    th.nn.init.normal_(policy.network.logits.weight)  # an untrained policy is nearly uniform
    return policy.state_dict()


def blueprint(game):
    return Blueprint(game, "flat", (8,))


def spaces(game):
    env = VectorAECEnv(game, 1, seed=0)
    return env.single_observation_space["observation"], env.single_action_space


def all_seats(game, num_envs=40, share=0.0, snapshots=(), seed=3, **more):
    pool = SnapshotPool(blueprint(game), seed=seed)
    for number in snapshots:
        pool.add(number, random_weights(game, number))
    venv = SelfPlayVecEnv(game, num_envs, seed=seed, snapshot_share=share, pool=pool, **more)
    venv.draw_snapshot()
    return venv
