"""Layers that the networks share, and the flat network that any game can be played by.

K decisions, D observation length, A actions.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch as th
from torch import nn

from envs.game import Game

# A matrix product sums in another order when it has very few rows (measured: below 5) and in the rows left over when they are
# no multiple of its step, and a policy must not depend on how many games are asked at a time. Batches are filled up.
BATCH_STEP = 16

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


def rectified(sizes: Sequence[int]) -> nn.Sequential:
    """Fully connected layers of these widths, each followed by what is above 0 of its outputs."""
    parts: list[nn.Module] = []
    for size, width in pairwise(sizes):
        parts += [nn.Linear(size, width), nn.ReLU()]
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
