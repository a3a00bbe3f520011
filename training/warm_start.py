"""The weights that a training run begins with when it does not begin from nothing: ``train.py --start``."""

from collections.abc import Mapping

import torch as th

from agents.checkpoint import TRAINED
from agents.networks.blueprint import Blueprint
from agents.policy import NetworkAgent
from agents.registry import make_agent
from envs.checks import show


def start_weights(spec: str, blueprint: Blueprint) -> Mapping[str, th.Tensor]:
    """The weights of an agent, policy and value, for the network of a blueprint.

    As where agents play, the rule options may be others than those the agent was trained with.

    Args:
        spec: ``"ppo"`` or another word for a checkpoint that is shipped for the rule set and number of players, or ``FILE.zip``.
        blueprint: Of the network that is to learn.

    Returns:
        Tensors by name, of ``blueprint.build()``.

    Raises:
        ValueError: There is no such checkpoint, or it is of another game, version, number of players, size or network; one
            line that names the option.
    """
    if spec not in TRAINED and not spec.endswith(".zip"):
        raise ValueError(f"--start is {show(spec)}; it must be ppo or a checkpoint FILE.zip, which have weights to begin with")
    try:
        agent = make_agent(spec, blueprint.game)
    except ValueError as error:
        way_on = "; --start none begins from nothing" if spec in TRAINED else ""
        raise ValueError(f"--start: {error}{way_on}") from error
    assert isinstance(agent, NetworkAgent)
    own = agent.network.blueprint
    if not own.makes_the_network_of(blueprint):
        raise ValueError(f"--start: the network of {spec} is {_flags(own)}, but this run's is {_flags(blueprint)}")
    return agent.network.network.state_dict()


def _flags(blueprint: Blueprint) -> str:
    return f"--network {blueprint.kind} --net {' '.join(map(str, blueprint.widths))}"
