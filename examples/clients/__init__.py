"""The suite in libraries of others, an example each: ``python -m examples.clients --list``.

Every one learns Fairy Ring for two with that library's own PPO, masks and all, and tells how often what it has learned wins
against the random player, before and after. The libraries are large and none of them is an extra of this suite:
``python -m examples.clients NAME`` makes an environment with the versions that are known to work, and runs the example in it.
Further arguments are the example's.
"""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Client(NamedTuple):
    """A library, how the suite gets into it, and what has to be installed beside the suite for its example."""

    title: str
    door: str
    pins: tuple[str, ...]


TORCH = "torch==2.13.0"

CLIENTS = {
    "rllib": Client("RLlib", "Gymnasium", ("ray[rllib]==2.60.0", "gymnasium==1.2.2", "pettingzoo==1.27.0", TORCH)),
    "torchrl": Client("TorchRL", "PettingZoo", ("torchrl==0.14.1", "gymnasium==1.4.0", "pettingzoo==1.27.0", TORCH)),
    "tianshou": Client("Tianshou", "Gymnasium", ("tianshou==2.0.1", "gymnasium==1.4.0", "pettingzoo==1.27.0", TORCH)),
    "benchmarl": Client("BenchMARL", "PettingZoo", ("benchmarl==1.5.2", "gymnasium==1.4.0", "pettingzoo==1.27.0", TORCH)),
}
"""Every example by the name of its module."""
