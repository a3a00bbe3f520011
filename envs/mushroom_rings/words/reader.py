"""Taking values out of a state dict, with errors that say where a wrong one stands."""

from collections.abc import Mapping, Sequence
from typing import Any

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
        if not isinstance(mapping, Mapping) or key not in mapping:
            raise ValueError(f"{place} has no {key!r}" if place else f"there is no {key!r}")
        return mapping[key]

    def number(self, place: str, value: Any, low: int, high: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"{place} is {value!r}; it must be a whole number from {low} to {high}")
        return value

    def number_or_none(self, place: str, value: Any, low: int, high: int) -> int:
        return NONE if value is None else self.number(place, value, low, high)

    def truth(self, place: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError(f"{place} is {value!r}; it must be True or False")
        return value

    def word(self, place: str, value: Any, words: Sequence[str]) -> int:
        if value not in words:
            raise ValueError(f"{place} is {value!r}; it must be one of {', '.join(words)}")
        return words.index(value)

    def entries(self, place: str, value: Any, low: int, high: int) -> Sequence[Any]:
        wanted = f"{low} to {high}" if low < high else f"{low}"
        if not isinstance(value, list | tuple):
            raise ValueError(f"{place} is {value!r}; it must be a list of {wanted} entries")
        if not low <= len(value) <= high:
            raise ValueError(f"{place} has {len(value)} entries; it must be a list of {wanted}")
        return value

    def numbers(self, place: str, value: Any, length: tuple[int, int], low: int, high: int) -> list[int]:
        found = enumerate(self.entries(place, value, *length))
        return [self.number(f"{place}[{i}]", entry, low, high) for i, entry in found]

    def by_color(self, place: str, value: Any, high: int) -> list[int]:
        return [self.number(f"{place}.{color}", self.get(place, value, color), 0, high) for color in COLORS]

    def cell(self, place: str, q: Any, r: Any) -> int:
        if (q, r) not in self.cells:
            raise ValueError(f"{place} is ({q!r}, {r!r}), which is no cell of the table")
        return self.cells[q, r]
