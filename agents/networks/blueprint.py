"""How to build a network: a game's own, which knows what the parts of its observation are, or the flat one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch as th
from torch import nn

from agents.networks import KINDS, MOST_WIDTHS, WIDEST, are_widths
from agents.networks.layers import FlatNetwork
from envs.checks import show
from envs.game import Game

MOST_NUMBERS = 50_000_000
"""Weights of a network, at most: more than any machine of these games learns with, and less than would bring one down."""


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
            ValueError: There is no such kind, or it would be too large.
        """
        self.shapes()
        return self._maker(self.game, self.widths)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the network's weights by name, found without the memory that they would take.

        Raises:
            ValueError: As of ``build``.
        """
        if self.kind not in KINDS:
            raise ValueError(f"network is {show(self.kind)}; choose from {', '.join(KINDS)}")
        with th.device("meta"):
            weights = self._maker(self.game, self.widths).state_dict()
        if (numbers := sum(weight.numel() for weight in weights.values())) > MOST_NUMBERS:
            raise ValueError(f"a network with {numbers:,} weights is too large; at most {MOST_NUMBERS:,} are allowed")
        return {name: tuple(weight.shape) for name, weight in weights.items()}

    @property
    def _maker(self) -> Callable[[Game, Sequence[int]], nn.Module]:
        if self.kind == "flat" or self.game.tuned.network is None:
            return FlatNetwork
        module, _, name = self.game.tuned.network.partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

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
            raise ValueError(f"the checkpoint's network is {show(kind)}; it must be one of {', '.join(KINDS)}")
        if not isinstance(widths, list) or not are_widths(widths):
            wanted = f"1 to {MOST_WIDTHS} integers from 1 to {WIDEST}"
            raise ValueError(f"the checkpoint's widths are {show(widths)}; they must be {wanted}")
        return cls(game, kind, tuple(widths))

    @property
    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        return {"network": self.kind, "widths": list(self.widths)}
