"""BenchMARL's IPPO through PettingZoo's door: all seats learn by self-play with one network.

Ran with benchmarl 1.5.2 (torchrl 0.11.1), gymnasium 1.4.0, pettingzoo 1.27.0 and torch 2.13.0: in
4,096 decisions and 0.2 CPU minutes the share of wins against random went from 0.557 to 0.539, which is chance: so short a run
shows that it runs, and not that it learns.
"""

import itertools
import tempfile
from collections.abc import Callable
from typing import Any

import torch
from benchmarl.algorithms import IppoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torch import nn
from torchrl.envs import Transform
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType

import envs
from examples.clients.common import GAME, Report, flags


class OnlyWait(Transform):
    """Leaves one action to whoever is not to act: it then has probability 1, and nothing is learned from it."""

    def _call(self, tensordict: Any) -> Any:
        waits = ~tensordict["agents", "mask"]
        tensordict["agents", "action_mask"][waits] = torch.arange(tensordict["agents", "action_mask"].shape[-1]) == 0
        return tensordict

    def _reset(self, tensordict: Any, tensordict_reset: Any) -> Any:
        return self._call(tensordict_reset)


class Task(PettingZooClass):
    """The game with all seats in one group; specs of observations, masks and actions are those of BenchMARL's own tasks."""

    supports_continuous_actions = has_state = has_render = lambda self, *_: False
    supports_discrete_actions = lambda self: True  # noqa: E731
    max_steps = lambda self, env: 1000  # noqa: E731
    get_env_transforms = lambda self, env: [OnlyWait()]  # noqa: E731

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Callable[[], Any]:
        """Makes a game; each with a seed of its own."""
        seeds, group = itertools.count(seed or 0), MarlGroupMapType.ALL_IN_ONE_GROUP
        return lambda: PettingZooWrapper(envs.make(GAME, illegal="raise"), use_mask=True, group_map=group, seed=next(seeds))


def main() -> None:
    """Learns and tells how it goes."""
    arguments = flags(__doc__, 100_000)
    config, algorithm, model = ExperimentConfig.get_from_yaml(), IppoConfig.get_from_yaml(), MlpConfig.get_from_yaml()
    config.gamma, config.lr, config.clip_grad_val, config.max_n_frames = 1.0, 1e-3, 0.5, arguments.decisions
    config.on_policy_collected_frames_per_batch, config.on_policy_n_envs_per_worker = 2048, 8
    config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 4, 512  # rows of two seats, one of which waits
    config.evaluation, config.loggers, config.create_json, config.save_folder = False, [], False, tempfile.mkdtemp()
    algorithm.entropy_coef, algorithm.lmbda = 0.003, 0.95
    model.num_cells, model.activation_class = [128, 128], nn.Tanh
    experiment = Experiment(Task("fairy_rings", {}), algorithm, model, arguments.seed, config)

    def logits(observations: torch.Tensor) -> torch.Tensor:
        seats = torch.stack([observations] * 2, dim=1)  # the network reads all seats at once; each for itself
        mask = torch.ones((*seats.shape[:2], experiment.action_spec["agents", "action"].space.n), dtype=torch.bool)
        seen = TensorDict({"agents": {"observation": {"observation": seats}, "action_mask": mask}}, [len(seats)])
        return experiment.policy(seen)["agents", "logits"][:, 0]

    report = Report(logits)
    experiment.run()
    report.finish()


if __name__ == "__main__":
    main()
