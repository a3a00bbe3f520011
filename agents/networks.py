"""The networks that train: from observations to the logits of all actions and a value.

Every game can be played by :class:`FlatNetwork`, which reads the flat observation as it is. A game may have a network of its own
that knows what the parts of its observation are; a :class:`Blueprint` chooses it by default. K decisions, D observation length, A
actions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch as th
from torch import nn

from envs.game import Game

LOGIT_GAIN = 0.01  # of the first weights that make logits: an untrained policy is nearly uniform over the legal actions


def tanh(numbers: th.Tensor) -> th.Tensor:
    """The hyperbolic tangent by way of the logistic function, which PyTorch computes four times faster."""
    return 2 * th.sigmoid(2 * numbers) - 1


def layers(sizes: Sequence[int]) -> nn.Sequential:
    """Fully connected layers of these widths, each followed by tanh."""
    parts: list[nn.Module] = []
    for size, width in pairwise(sizes):
        parts += [nn.Linear(size, width), nn.Tanh()]
    return nn.Sequential(*parts)


def logit_layer(size: int, count: int) -> nn.Linear:
    """A last layer whose outputs begin near 0."""
    layer = nn.Linear(size, count)
    nn.init.orthogonal_(layer.weight, LOGIT_GAIN)
    nn.init.zeros_(layer.bias)
    return layer


class Scores(nn.Module):
    """Logits for each of some things, from what was read of it and from the whole position."""

    def __init__(self, size: int, width: int, context: int, count: int) -> None:
        super().__init__()
        self.thing, self.context = nn.Linear(size, width), nn.Linear(context, width)
        self.logits = logit_layer(width, count)

    def forward(self, things: th.Tensor, context: th.Tensor) -> th.Tensor:
        """``(K, N, count)`` for N things ``(K, N, size)`` and a context ``(K, context)``."""
        return self.logits(tanh(self.thing(things) + self.context(context)[:, None]))


class FlatNetwork(nn.Module):
    """One stack of layers for policy and value.

    Args:
        game: The rule set.
        widths: Of the hidden layers.
    """

    def __init__(self, game: Game, widths: Sequence[int]) -> None:
        super().__init__()
        self.trunk = layers([game.observation_size, *widths])
        self.logits = logit_layer(widths[-1], game.num_actions)
        self.value = nn.Linear(widths[-1], 1)

    def forward(self, observations: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Logits ``(K, A)`` and values ``(K, 1)`` for observations ``(K, D)``."""
        latent = self.trunk(observations)
        return self.logits(latent), self.value(latent)


def _fairy_ring(game: Game, widths: Sequence[int]) -> nn.Module:
    from agents.ring_network import RingNetwork

    return RingNetwork(game, widths)


def _mushroom_rings(game: Game, widths: Sequence[int]) -> nn.Module:
    from agents.garden_network import GardenNetwork

    return GardenNetwork(game, widths)


NETWORKS: dict[str, Callable[[Game, Sequence[int]], nn.Module]] = {
    "envs.fairy_ring": _fairy_ring,
    "envs.mushroom_rings": _mushroom_rings,
}
"""By the module of a rule set: what makes its own network. A new one is one line here."""

KINDS = ("own", "flat")


@dataclass(frozen=True)
class Blueprint:
    """How to build a network, so that a checkpoint and a snapshot can build the same one again.

    Attributes:
        game: The rule set.
        kind: ``"own"``: the game's own network, or the flat one where it has none; ``"flat"``.
        widths: Of the hidden layers.
    """

    game: Game
    kind: str = "own"
    widths: Sequence[int] = (128, 128)

    def build(self) -> nn.Module:
        """An untrained network.

        Raises:
            ValueError: There is no such kind.
        """
        if self.kind not in KINDS:
            raise ValueError(f"network is {self.kind!r}; choose from {', '.join(KINDS)}")
        return self._maker(self.game, self.widths)

    @property
    def _maker(self) -> Callable[[Game, Sequence[int]], nn.Module]:
        return NETWORKS.get(self.game.kernels.__name__, FlatNetwork) if self.kind == "own" else FlatNetwork

    def makes_the_network_of(self, other: "Blueprint") -> bool:
        """Whether the other one, of the same game, makes a network of the same form; a game may have none of its own."""
        return self._maker is other._maker and list(self.widths) == list(other.widths)

    @classmethod
    def from_facts(cls, game: Game, facts: Mapping[str, Any]) -> "Blueprint":
        """The blueprint of which a checkpoint keeps ``facts``.

        Raises:
            ValueError: They name no network.
        """
        kind, widths = facts.get("network"), facts.get("widths")
        if kind not in KINDS:
            raise ValueError(f"the checkpoint's network is {kind!r}; it must be one of {', '.join(KINDS)}")
        if not isinstance(widths, list) or not widths or not all(type(width) is int and width >= 1 for width in widths):
            raise ValueError(f"the checkpoint's widths are {widths!r}; they must be whole numbers from 1")
        return cls(game, kind, tuple(widths))

    @property
    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        return {"network": self.kind, "widths": list(self.widths)}
