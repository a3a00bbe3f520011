"""How to build a network: a game's own, which knows what the parts of its observation are, or the flat one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch as th
from torch import nn

from agents.networks import KINDS, MOST_WIDTHS, WIDEST, are_widths
from agents.networks.candidates import AdvisedNetwork, CandidateNetwork
from agents.networks.inputs import ADVISED, CANDIDATES, OBSERVED, Inputs, input_size, missing_for
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
        kind: ``"own"``: the game's own network, or the flat one where it has none; ``"flat"``; ``"candidates"``, which reads the
            features of the actions too; ``"advised"``, which reads the terms of the rule-based player besides.
        widths: Of the hidden layers.
    """

    game: Game
    kind: str = "own"
    widths: Sequence[int] = (128, 128)

    def build(self) -> nn.Module:
        """An untrained network.

        Raises:
            ValueError: There is no such kind, the game has no inputs for it, or it would be too large.
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
        self._check_inputs()
        with th.device("meta"):
            weights = self._maker(self.game, self.widths).state_dict()
        if (numbers := sum(weight.numel() for weight in weights.values())) > MOST_NUMBERS:
            raise ValueError(f"a network with {numbers:,} weights is too large; at most {MOST_NUMBERS:,} are allowed")
        return {name: tuple(weight.shape) for name, weight in weights.items()}

    @property
    def reads(self) -> int:
        """The kind of inputs that it reads, see ``agents.networks.inputs``."""
        return _READS.get(self.kind, OBSERVED)

    @property
    def input_size(self) -> int:
        """Length of an input."""
        return input_size(self.game, self.reads)

    def inputs(self) -> Inputs:
        """What makes its inputs of positions.

        Raises:
            ValueError: The game has no such inputs.
        """
        self._check_inputs()
        return Inputs(self.game, self.reads)

    def _check_inputs(self) -> None:
        if reason := missing_for(self.game, self.reads):
            others = ", ".join(kind for kind in KINDS if missing_for(self.game, _READS.get(kind, OBSERVED)) is None)
            raise ValueError(f"network {self.kind} {reason}; choose from {others}")

    @property
    def _maker(self) -> Callable[[Game, Sequence[int]], nn.Module]:
        if self.kind in _NETWORKS:
            return _NETWORKS[self.kind]
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
        _check_features(game, kind, facts.get("features"))
        if not isinstance(widths, list) or not are_widths(widths):
            wanted = f"1 to {MOST_WIDTHS} integers from 1 to {WIDEST}"
            raise ValueError(f"the checkpoint's widths are {show(widths)}; they must be {wanted}")
        return cls(game, kind, tuple(widths))

    @property
    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        facts: dict[str, Any] = {"network": self.kind, "widths": list(self.widths)}
        return facts | ({"features": _features_of(self.game)} if self.reads != OBSERVED else {})


_READS = {"candidates": CANDIDATES, "advised": ADVISED}
_NETWORKS: dict[str, Callable[[Game, Sequence[int]], nn.Module]] = {
    "candidates": CandidateNetwork, "advised": AdvisedNetwork,
}  # fmt: skip


def _features_of(game: Game) -> list[int]:
    """Version and number of the features of an action."""
    return [game.features_version, game.num_features]


def _check_features(game: Game, kind: str, found: Any) -> None:
    """Refuses a checkpoint of a network that reads other features of actions than there are."""
    if kind in _READS and found != _features_of(game):
        version, number = _features_of(game)
        raise ValueError(
            f"the checkpoint's action features are {show(found)} (version, number), but those of {game.name} are "
            f"version {version} with {number} numbers"
        )
