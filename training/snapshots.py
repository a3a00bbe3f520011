"""Earlier versions of a policy that play against the one that learns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.networks.blueprint import Blueprint
from agents.policy import PolicyNetwork

NO_SNAPSHOT = -1


class SnapshotPool:
    """Earlier versions of the policy, of which recent ones are drawn more often.

    Args:
        blueprint: Of the networks.
        size: So many of the latest are kept.
        seed: Of the draws.
    """

    def __init__(self, blueprint: Blueprint, size: int = 20, seed: int = 0) -> None:
        self.blueprint = blueprint
        self.size = size
        self.rng = np.random.default_rng(seed)
        self._networks: dict[int, PolicyNetwork] = {}

    def add(self, number: int, weights: Mapping[str, Any]) -> None:
        """Takes in a snapshot; the oldest one leaves a full pool."""
        self._networks[number] = PolicyNetwork(self.blueprint, weights)
        while len(self._networks) > self.size:
            del self._networks[self.numbers[0]]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the snapshots, the oldest first."""
        return list(self._networks)

    def draw(self) -> int:
        """The number of a snapshot, ``NO_SNAPSHOT`` of an empty pool. The latest but k has weight 1 / (k + 1).

        Equal chances for the whole history would spend most games on snapshots that are beaten anyway.
        """
        numbers = self.numbers
        if not numbers:
            return NO_SNAPSHOT
        weights = 1 / np.arange(len(numbers), 0, -1)
        return int(self.rng.choice(numbers, p=weights / weights.sum()))

    def __getitem__(self, number: int) -> PolicyNetwork:
        return self._networks[number]
