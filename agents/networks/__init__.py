"""The networks that learn: one for every game, and those that read the parts of one game's observation."""

from collections.abc import Sequence
from typing import Any

KINDS = ("own", "flat", "candidates", "advised")
"""What a training run may be told to learn with: the game's own network where it has one, or the flat one; one that scores
candidates by the features of the actions; the same with the terms of the rule-based player, at whose choice it begins."""

MOST_WIDTHS, WIDEST = 16, 8192
"""Of the hidden layers: how many, and of what width."""


def are_widths(numbers: Sequence[Any]) -> bool:
    """Whether these may be the widths of hidden layers."""
    return 1 <= len(numbers) <= MOST_WIDTHS and all(type(number) is int and 1 <= number <= WIDEST for number in numbers)
