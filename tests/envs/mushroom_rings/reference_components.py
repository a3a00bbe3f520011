"""The printed parts of Mushroom Rings, read from the component folder: tiles, player board, markets, signposts, trades.

Part of the slow reference; see `reference.py` for what it is and where it had to choose.
"""

import csv
import tomllib
from dataclasses import dataclass
from pathlib import Path

EDGES = 6
SIDES = 2
STUMP = 0


@dataclass(frozen=True)
class Segment:
    """One path segment of a tile, or the hub of a wildflower tile.

    Attributes:
        edges: the edges it joins, in the order of the list (a hub has all six).
        mushrooms: the colours printed on it, sorted.
    """

    edges: tuple[int, ...]
    mushrooms: tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """A place for ring markers on the player board: column (7 means 7 and more), bonus and spaces."""

    column: int
    bonus: str
    mushrooms: int
    spaces: int


@dataclass(frozen=True)
class Trade:
    """One choice of the mushroom trade board; `pay` and `get` count mushrooms by colour, tiles or points."""

    pay: dict[str, int]
    get: dict[str, int]


class Components:
    """Everything that is printed on the parts of the game.

    Args:
        folder: the folder that holds `tiles.csv` and `board.toml`.
    """

    def __init__(self, folder: Path):
        with (folder / "board.toml").open("rb") as file:
            board = tomllib.load(file)
        with (folder / "tiles.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.colors: list[str] = board["colors"]
        self._read_setup(board["setup"])
        self._read_flowers_and_markers(board["flowers"], board["markers"])
        self._read_market(board["market"])
        self.slots = [Slot(**row) for row in board["slots"]]
        self.signposts: dict[str, dict[str, int]] = {row["name"]: row["gives"] for row in board["signposts"]}
        self.trades: dict[str, dict[str, Trade]] = {}
        for row in board["trades"]:
            self.trades.setdefault(row["signpost"], {})[row["choice"]] = Trade(row["pay"], row["get"])
        self._read_tiles(rows, board["stump"]["paths"])
        self._turned: dict[tuple[int, int, int], tuple[Segment, ...]] = {}
        self._orientations: dict[int, list[tuple[int, int]]] = {}

    def _read_setup(self, setup: dict) -> None:
        self.player_numbers: list[int] = setup["players"]
        self.offer_size: int = setup["offer_size"]
        self.tiles_per_turn: int = setup["offered_tiles_per_turn"]
        self.set_aside_per_player: int = setup["set_aside_per_player"]
        self.storage_size: int = setup["storage_size"]
        self.stored_wildflowers: int = setup["stored_wildflowers"]
        self.gnomes: int = setup["gnomes"]

    def _read_flowers_and_markers(self, flowers: dict, markers: dict) -> None:
        self.flower_kinds: int = flowers["kinds"]
        self.flower_tokens_per_player: int = flowers["tokens_per_player"]
        self.flower_scores: list[int] = flowers["scores"]
        self.flower_kinds_in_market = {int(players): kinds for players, kinds in flowers["kinds_in_market"].items()}
        self.markers: int = markers["number"]
        self.marker_scores: list[int] = markers["scores"]
        self.wildflower_markers: list[int] = markers["wildflower_markers"]

    def _read_market(self, market: dict) -> None:
        self.sale_sizes: list[int] = market["sizes"]
        self.never_blocked: int = market["never_blocked"]
        self.sales_per_visit: int = market["sales_per_visit"]
        self.payouts: dict[str, list[int]] = market["payouts"]
        self.blockers: dict[int, dict[str, int]] = {int(players): dict(counts) for players, counts in market["blockers"].items()}

    def _read_tiles(self, rows: list[dict], stump: list[list[int]]) -> None:
        """The garden: stump 0, garden tiles as listed, then the wildflower tiles."""
        self._tiles = {STUMP: tuple(Segment(tuple(edges), ()) for edges in stump)}
        for number, row in enumerate(rows, start=1):
            assert int(row["id"]) == number, f"tile {row['id']} stands in place {number}"
            self._tiles[number] = tuple(
                self._read_segment(row[f"path_{i}"], row[f"mushrooms_{i}"]) for i in (1, 2, 3) if row[f"path_{i}"]
            )
        self.garden_tiles = list(range(1, len(rows) + 1))
        self.first_wildflower = len(rows) + 1
        hub = (Segment(tuple(range(EDGES)), ()),)
        for kind in range(self.flower_kinds):
            self._tiles[self.first_wildflower + kind] = hub

    @staticmethod
    def _read_segment(path: str, mushrooms: str) -> Segment:
        return Segment(tuple(int(edge) for edge in path.split("-")), tuple(sorted(mushrooms.split())))

    def __deepcopy__(self, memo: dict) -> "Components":
        """Printed parts never change, so copies of a game share them."""
        return self

    def is_wildflower(self, tile: int) -> bool:
        """Whether the tile is one of the wildflower tiles."""
        return tile >= self.first_wildflower

    def wildflower_tile(self, kind: int) -> int:
        """The wildflower tile on which the flowers of this kind start."""
        return self.first_wildflower + kind

    def segments(self, tile: int, side: int, rotation: int) -> tuple[Segment, ...]:
        """The segments of a tile as it lies: flipped first, then turned (The garden)."""
        key = (tile, side, rotation)
        if key not in self._turned:
            flip = -1 if side else 1
            self._turned[key] = tuple(
                Segment(tuple((flip * edge + rotation) % EDGES for edge in segment.edges), segment.mushrooms)
                for segment in self._tiles[tile]
            )
        return self._turned[key]

    def orientations(self, tile: int) -> list[tuple[int, int]]:
        """Side and rotation of each picture of the tile, the lowest of those that look alike (The garden)."""
        if tile not in self._orientations:
            pictures: dict[frozenset, tuple[int, int]] = {}
            for side in range(SIDES):
                for rotation in range(EDGES):
                    parts = self.segments(tile, side, rotation)
                    picture = frozenset((frozenset(part.edges), part.mushrooms) for part in parts)
                    pictures.setdefault(picture, (side, rotation))
            self._orientations[tile] = list(pictures.values())
        return self._orientations[tile]

    def payout(self, color: str, number: int) -> int:
        """Treasure for one sale at the pinwheel market."""
        return self.payouts[color][self.sale_sizes.index(number)]
