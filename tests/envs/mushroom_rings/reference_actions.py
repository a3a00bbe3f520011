"""The ids of the structured moves (Decisions). Part of the slow reference, see `reference.py`."""

from .reference_components import EDGES, SIDES, Components
from .reference_garden import table_cells

LEAVE_ANSWERS = [True, False]
NO_TRADE = "none"
TRADE_CHOICES = ["A", "B", NO_TRADE]


class ActionIds:
    """The table of action ids: all structured moves one after another, in the order of the exact rules.

    Args:
        components: the printed parts, which give the blocks of the table their lengths.
        table_radius: how far the table reaches, which gives the number of cells.
    """

    def __init__(self, components: Components, table_radius: int):
        self.moves = [
            *({"type": "tile", "slot": slot} for slot in range(components.offer_size)),
            *({"type": "stored", "slot": slot} for slot in range(components.storage_size)),
            {"type": "stop"},
            *({"type": "cell", "q": q, "r": r} for q, r in table_cells(table_radius)),
            *({"type": "orientation", "side": side, "rotation": rotation} for side in range(SIDES) for rotation in range(EDGES)),
            *({"type": "leave", "give": give} for give in LEAVE_ANSWERS),
            *({"type": "slot", "slot": slot} for slot in range(len(components.slots))),
            *({"type": "signpost", "name": name} for name in components.signposts),
            *({"type": "discard", "slot": slot} for slot in range(components.storage_size + 1)),
            *({"type": "mushroom", "color": color} for color in components.colors),
            *({"type": "gnome", "gnome": gnome} for gnome in range(components.gnomes)),
            {"type": "stay"},
            *({"type": "destination", "place": place} for place in ("path", "ring", "flower_market")),
            *({"type": "destination", "place": "signpost", "name": name} for name in components.signposts),
            {"type": "destination", "place": "stump"},
            *({"type": "edge", "edge": edge} for edge in range(EDGES)),
            *(
                {"type": "sale", "color": color, "number": number}
                for color in components.colors
                for number in components.sale_sizes
            ),
            {"type": "enough"},
            *({"type": "trade", "choice": choice} for choice in TRADE_CHOICES),
        ]
        self._ids = {frozenset(move.items()): number for number, move in enumerate(self.moves)}

    def of(self, move: dict) -> int:
        """The id of a structured move."""
        return self._ids[frozenset(move.items())]
