"""Taking values out of a state dict, with errors that say where a wrong one stands."""

from collections.abc import Mapping, Sequence
from typing import Any

from envs.checks import integer, show
from envs.game import Game
from envs.mushroom_rings.components import COLORS, Components
from envs.mushroom_rings.state import NONE


class Reader:
    """Takes values out of a state dict and says where a wrong one stands."""

    def __init__(self, game: Game, view: Mapping[str, Any]) -> None:
        self.game, self.view = game, view
        self.components: Components = game.facts["components"]
        self.rules = game.rules[0]
        self.cells = {(int(q), int(r)): i for i, (q, r) in enumerate(zip(self.rules["q"], self.rules["r"], strict=True))}

    def get(self, place: str, mapping: Any, key: str) -> Any:
        """The entry of a table that must be there."""
        if not isinstance(mapping, Mapping) or key not in mapping:
            raise ValueError(f"{place} has no {show(key)}" if place else f"there is no {show(key)}")
        return mapping[key]

    def integer_or_none(self, place: str, value: Any, low: int, high: int) -> int:
        """An integer of a range, or ``NONE`` for None."""
        return NONE if value is None else integer(place, value, low, high)

    def boolean(self, place: str, value: Any) -> bool:
        """True or False."""
        if not isinstance(value, bool):
            raise ValueError(f"{place} is {show(value)}; it must be True or False")
        return value

    def word(self, place: str, value: Any, words: Sequence[str]) -> int:
        """The place of a word among the allowed ones."""
        if value not in words:
            raise ValueError(f"{place} is {show(value)}; it must be one of {', '.join(words)}")
        return words.index(value)

    def entries(self, place: str, value: Any, low: int, high: int) -> Sequence[Any]:
        """A list of ``low`` to ``high`` entries."""
        wanted = f"{low} to {high}" if low < high else f"{low}"
        if not isinstance(value, list | tuple):
            raise ValueError(f"{place} is {show(value)}; it must be a list of {wanted} entries")
        if not low <= len(value) <= high:
            raise ValueError(f"{place} has {len(value)} entries; it must be a list of {wanted}")
        return value

    def integers(self, place: str, value: Any, length: tuple[int, int], low: int, high: int) -> list[int]:
        """A list of integers of a range; ``length`` is the least and the greatest number of them."""
        found = enumerate(self.entries(place, value, *length))
        return [integer(f"{place}[{i}]", entry, low, high) for i, entry in found]

    def by_color(self, place: str, value: Any, high: int) -> list[int]:
        """Integers from 0 to ``high`` in a table by colour, in the order of the colours."""
        return [integer(f"{place}.{color}", self.get(place, value, color), 0, high) for color in COLORS]

    def cell(self, place: str, q: Any, r: Any) -> int:
        """The number of the cell with these coordinates."""
        if (q, r) not in self.cells:
            raise ValueError(f"{place} is ({show(q)}, {show(r)}), which is no cell of the table")
        return self.cells[q, r]
