"""The component data: what is printed on tiles and boards, and the names of what is on them."""

from collections.abc import Mapping
from typing import NamedTuple

COLORS = ("red", "yellow", "blue", "pink", "purple")
COMPASS = ("E", "SE", "SW", "W", "NW", "NE")
"""Names of the edges 0 to 5: edge 0 faces right."""
SIGNPOSTS = (*COLORS, "tile", "flower")
BONUSES = ("none", "signpost", "tile", "flower", "mushroom")
COLUMNS = (3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7)
"""Ring sizes of the slots: the twelve slots and their columns are part of the action ids."""
PLAYER_COUNTS = (2, 3, 4)


class Segment(NamedTuple):
    """A path segment of a tile: the two edges it joins and the colours of its mushrooms."""

    edges: tuple[int, int]
    mushrooms: tuple[str, ...]


class Slot(NamedTuple):
    """A slot of the player board."""

    column: int
    bonus: str
    mushrooms: int
    spaces: int


class Trade(NamedTuple):
    """One trade of a signpost: what is paid and what comes for it, by colour, ``"tile"`` or ``"point"``."""

    pay: Mapping[str, int]
    get: Mapping[str, int]


class Components(NamedTuple):
    """All component data.

    Attributes:
        tiles: Segments of the stump (0) and of each garden tile, by tile id.
        slots: Slots of the player board in table order.
        signposts: What each signpost gives, by name.
        trades: The two trades of each signpost that has any, by name.
        set_aside: Tiles set aside for each player.
        tokens: Flowers of each kind for each player.
        kinds_in_market: Kinds that start in the flower market, by number of players.
        flower_scores: Points for 0 to 8 flowers.
        marker_scores: Points for 0 to 8 markers.
        wildflower_markers: Markers that bring a wildflower.
        sizes: Numbers of mushrooms that sell at once.
        never_blocked: The one of them that is never blocked.
        payouts: Treasure by colour for each of the sizes.
        blockers: Blockers by number of players and colour.
    """

    tiles: tuple[tuple[Segment, ...], ...]
    slots: tuple[Slot, ...]
    signposts: Mapping[str, Mapping[str, int]]
    trades: Mapping[str, tuple[Trade, ...]]
    set_aside: int
    tokens: int
    kinds_in_market: Mapping[int, int]
    flower_scores: tuple[int, ...]
    marker_scores: tuple[int, ...]
    wildflower_markers: tuple[int, ...]
    sizes: tuple[int, ...]
    never_blocked: int
    payouts: Mapping[str, tuple[int, ...]]
    blockers: Mapping[int, Mapping[str, int]]

    @property
    def num_garden_tiles(self) -> int:
        """How many garden tiles there are; their ids begin at 1."""
        return len(self.tiles) - 1
