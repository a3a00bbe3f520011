"""Loads component data: ``tiles.csv`` with the garden tiles and ``board.toml`` with all other numbers, checked throughout."""

import csv
import os
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from envs.checks import one_line, show, show_path
from envs.files import read_regular, reason
from envs.mushroom_rings.components import (
    BONUSES,
    COLORS,
    COLUMNS,
    PLAYER_COUNTS,
    SIGNPOSTS,
    Components,
    Segment,
    Slot,
    Trade,
)
from envs.mushroom_rings.state import (
    EDGES,
    LARGEST_RING,
    MAX_PICKS,
    NUM_GNOMES,
    NUM_KINDS,
    NUM_MARKERS,
    NUM_SIZES,
    OFFER,
    SEGMENTS,
    STORAGE,
    TILES_PER_TURN,
    TRADES,
)

MAX_TILES = 110
MOST_BYTES = 1 << 20  # of a file
MOST = 99  # no number of pieces is larger
MOST_POINTS = 999
SEGMENT_MUSHROOMS = 2

_SHIPPED = Path(__file__).parents[1]
_TILES, _BOARD = "tiles.csv", "board.toml"
_HEADER = ["id", "shape"] + [f"{word}_{s}" for s in range(1, SEGMENTS + 1) for word in ("path", "mushrooms")]


def load_components(folder: str | os.PathLike[str] | None = None) -> Components:
    """Reads and checks component data.

    Args:
        folder: A folder with ``tiles.csv`` and ``board.toml`` in the shipped format; None for the shipped ones.

    Raises:
        ValueError: The data breaks the format; the message names file, row or key, what is there and what is expected.
    """
    return _load(_SHIPPED) if folder is None else _load.__wrapped__(Path(folder))


@cache
def _load(source: Path) -> Components:
    """Reads and checks the data of a folder; the shipped one does not change."""
    board = _Board(source / _BOARD)
    tiles = _read_tiles(source / _TILES)
    components = board.components(tiles)
    needed = OFFER + max(PLAYER_COUNTS) * components.set_aside + 1
    if components.num_garden_tiles < needed:
        raise _error(source / _TILES, "the last row", f"{components.num_garden_tiles} tiles", f"at least {needed}")
    return components


def _error(path: Path, place: str, found: object, expected: str) -> ValueError:
    return ValueError(f"{show_path(path)}, {one_line(place)}: found {found}, expected {expected}")


def _read(path: Path) -> str:
    try:
        return read_regular(path, MOST_BYTES).decode("utf-8-sig")  # spreadsheets write a byte order mark, which this skips
    except UnicodeDecodeError as error:
        raise _error(path, "the file", show(error), "text in UTF-8") from error
    except (OSError, ValueError) as error:
        raise ValueError(_why_unread(path, error)) from error


def _why_unread(path: Path, error: Exception) -> str:
    """What is not there, in one line."""
    if not path.parent.is_dir():
        return f"there is no folder {show_path(path.parent)} with {_TILES} and {_BOARD}"
    return f"cannot read {show_path(path)}: {reason(error)}" if path.exists() else f"there is no file {show_path(path)}"


# --- tiles.csv ----------------------------------------------------------------------------------------------------------


def _read_tiles(path: Path) -> tuple[tuple[Segment, ...], ...]:
    """Segments of the garden tiles, from id 1."""
    reader = csv.reader(_read(path).splitlines())
    _, header = next(_lines(path, reader), (1, []))
    if [name.strip() for name in header] != _HEADER:
        raise _error(path, "row 1", show(",".join(header)), f"the header {','.join(_HEADER)}")
    tiles: list[tuple[Segment, ...]] = []
    for line, cells in _lines(path, reader):
        if cells:
            row = _Row(path, line, [cell.strip() for cell in cells])
            tiles.append(row.segments(len(tiles) + 1))
    for color in COLORS:
        total = sum(segment.mushrooms.count(color) for tile in tiles for segment in tile)
        if total > 127:
            raise _error(path, f"colour {color}", f"{total} mushrooms on all tiles", "at most 127")
    return tuple(tiles)


def _lines(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of the rows that are left."""
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise _error(path, f"row {reader.line_num + 1}", show(error), "CSV text") from error


class _Row:
    """A row of ``tiles.csv``, which knows where it stands when something is wrong with it."""

    def __init__(self, path: Path, line: int, cells: Sequence[str]) -> None:
        self.path, self.line = path, line
        if len(cells) != len(_HEADER):
            raise _error(path, f"row {line}", f"{len(cells)} columns", str(len(_HEADER)))
        self.cells = dict(zip(_HEADER, cells, strict=True))

    def error(self, column: str, expected: str) -> ValueError:
        return _error(self.path, f"row {self.line}, column {column}", show(self.cells[column]), expected)

    def segments(self, tile: int) -> tuple[Segment, ...]:
        """The row's segments, after a check that it is the row of this tile id."""
        if self.cells["id"] != str(tile):
            raise self.error("id", f"{tile}: ids count up from 1, one a row")
        if tile > MAX_TILES:
            raise self.error("id", f"no more than {MAX_TILES} tiles")
        segments: list[Segment] = []
        taken: set[int] = set()
        for s in range(1, SEGMENTS + 1):
            if not self.cells[f"path_{s}"]:
                self._check_empty(s)
                break
            edges = self._edges(f"path_{s}", taken)
            segments.append(Segment(edges, self._mushrooms(f"mushrooms_{s}")))
        return tuple(segments)

    def _check_empty(self, first: int) -> None:
        if first == 1:
            raise self.error("path_1", "a path such as 0-2")
        for s in range(first, SEGMENTS + 1):
            for column in (f"path_{s}", f"mushrooms_{s}"):
                if self.cells[column]:
                    raise self.error(column, f"nothing, for there is no path_{first}")

    def _edges(self, column: str, taken: set[int]) -> tuple[int, int]:
        """The two edges of a path, which no other path of the tile has."""
        first, dash, second = self.cells[column].partition("-")
        digits = [str(edge) for edge in range(EDGES)]
        if not dash or first not in digits or second not in digits or first == second:
            raise self.error(column, "two different edges from 0 to 5 with - between them")
        edges = int(first), int(second)
        if taken.intersection(edges):
            raise self.error(column, "edges that no other path of the tile has")
        taken.update(edges)
        return edges

    def _mushrooms(self, column: str) -> tuple[str, ...]:
        colors = tuple(self.cells[column].split())
        if len(colors) > SEGMENT_MUSHROOMS or not set(colors) <= set(COLORS):
            raise self.error(column, f"at most {SEGMENT_MUSHROOMS} of {', '.join(COLORS)}, with spaces between them")
        return colors


# --- board.toml ---------------------------------------------------------------------------------------------------------


class _Board:
    """``board.toml``, read key by key; whatever is wrong is told with the key."""

    def __init__(self, path: Path) -> None:
        self.path, text = path, _read(path)
        try:
            self.data: Any = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise _error(path, "the file", show(error), "TOML") from error
        self.table("", "colors", "slots", "signposts", "trades", "setup", "stump", "flowers", "markers", "market")

    def get(self, key: str) -> Any:
        """The value at a dotted key."""
        value = self.data
        for part in key.split(".") if key else ():
            value = value[int(part) if part.isdigit() and isinstance(value, list) else part]
        return value

    def error(self, key: str, expected: str) -> ValueError:
        return _error(self.path, key or "the file", show(self.get(key)), expected)

    def table(self, key: str, *names: str) -> None:
        """Checks that a table has exactly these keys."""
        found = self.get(key)
        if not isinstance(found, dict):
            raise self.error(key, f"a table with {', '.join(names)}")
        for name in names:
            if name not in found:
                raise _error(self.path, f"{key}.{name}".lstrip("."), "nothing", "a value")
        for name in found:
            if name not in names:
                raise _error(self.path, f"{key}.{name}".lstrip("."), "an unknown key", ", ".join(names))

    def number(self, key: str, low: int, high: int) -> int:
        value = self.get(key)
        if type(value) is not int or not low <= value <= high:
            raise self.error(key, f"an integer from {low} to {high}" if low < high else f"{low}")
        return value

    def word(self, key: str, words: Sequence[str]) -> str:
        value = self.get(key)
        if value not in words:
            raise self.error(key, f"one of {', '.join(words)}")
        return value

    def numbers(self, key: str, length: int, low: int, high: int) -> tuple[int, ...]:
        """A list of a given number of integers."""
        value = self.get(key)
        if not isinstance(value, list) or len(value) != length:
            raise self.error(key, f"a list of {length} integers")
        return tuple(self.number(f"{key}.{i}", low, high) for i in range(length))

    def amounts(self, key: str, names: Sequence[str]) -> dict[str, int]:
        """A table of amounts, each at least 1, under some of the names."""
        found = self.get(key)
        if not isinstance(found, dict) or not found:
            raise self.error(key, f"a table of amounts of {', '.join(names)}")
        for name in found:
            self.word_is(f"{key}.{name}", name, names)
        return {name: self.number(f"{key}.{name}", 1, MOST) for name in found}

    def word_is(self, key: str, name: str, names: Sequence[str]) -> None:
        if name not in names:
            raise _error(self.path, key, "an unknown key", ", ".join(names))

    def rows(self, key: str, length: int, *names: str) -> None:
        """Checks that a list has the given number of tables, each with exactly these keys."""
        found = self.get(key)
        if not isinstance(found, list) or len(found) != length:
            raise self.error(key, f"a list of {length} tables")
        for i in range(length):
            self.table(f"{key}.{i}", *names)

    def components(self, garden_tiles: tuple[tuple[Segment, ...], ...]) -> Components:
        """All data: the tiles given and the board."""
        if self.get("colors") != list(COLORS):
            raise self.error("colors", repr(list(COLORS)))
        self._setup()
        self.table("flowers", "kinds", "tokens_per_player", "scores", "kinds_in_market")
        self.number("flowers.kinds", NUM_KINDS, NUM_KINDS)
        self.table("flowers.kinds_in_market", *map(str, PLAYER_COUNTS))
        self.table("markers", "number", "scores", "wildflower_markers")
        self.number("markers.number", NUM_MARKERS, NUM_MARKERS)
        self.table("market", "sizes", "never_blocked", "sales_per_visit", "payouts", "blockers")
        self.number("market.sales_per_visit", 2, 2)
        self.table("market.payouts", *COLORS)
        self.table("market.blockers", *map(str, PLAYER_COUNTS))
        sizes = self._rising("market.sizes", NUM_SIZES, MOST)
        return Components(
            tiles=(self._stump(), *garden_tiles),
            slots=self._slots(),
            signposts=self._signposts(),
            trades=self._trades(),
            set_aside=self.number("setup.set_aside_per_player", 0, 9),
            tokens=self.number("flowers.tokens_per_player", 1, 9),
            kinds_in_market={p: self.number(f"flowers.kinds_in_market.{p}", 0, NUM_KINDS) for p in PLAYER_COUNTS},
            flower_scores=self.numbers("flowers.scores", NUM_KINDS + 1, 0, MOST_POINTS),
            marker_scores=self.numbers("markers.scores", NUM_MARKERS + 1, 0, MOST_POINTS),
            wildflower_markers=self._rising("markers.wildflower_markers", None, NUM_MARKERS),
            sizes=sizes,
            never_blocked=int(self._one_of("market.never_blocked", sizes)),
            payouts={color: self.numbers(f"market.payouts.{color}", NUM_SIZES, 0, MOST_POINTS) for color in COLORS},
            blockers={p: self._blockers(f"market.blockers.{p}") for p in PLAYER_COUNTS},
        )

    def _setup(self) -> None:
        """Numbers that the action ids and the record are made for, so that they can only be what they are."""
        fixed = {
            "offer_size": OFFER,
            "offered_tiles_per_turn": TILES_PER_TURN,
            "storage_size": STORAGE,
            "stored_wildflowers": 1,
            "gnomes": NUM_GNOMES,
        }
        self.table("setup", "players", "set_aside_per_player", *fixed)
        if self.get("setup.players") != list(PLAYER_COUNTS):
            raise self.error("setup.players", repr(list(PLAYER_COUNTS)))
        for name, number in fixed.items():
            self.number(f"setup.{name}", number, number)

    def _one_of(self, key: str, numbers: Sequence[int]) -> int:
        if self.get(key) not in numbers:
            raise self.error(key, f"one of {', '.join(map(str, numbers))}")
        return self.get(key)

    def _rising(self, key: str, length: int | None, high: int) -> tuple[int, ...]:
        value = self.get(key)
        size = len(value) if length is None and isinstance(value, list) else length
        numbers = self.numbers(key, size or 0, 1, high)
        if any(a >= b for a, b in zip(numbers, numbers[1:], strict=False)):
            raise self.error(key, "rising numbers")
        return numbers

    def _blockers(self, key: str) -> dict[str, int]:
        self.table(key, *COLORS)
        return {color: self.number(f"{key}.{color}", 0, MOST) for color in COLORS}

    def _stump(self) -> tuple[Segment, ...]:
        self.table("stump", "paths")
        paths = self.get("stump.paths")
        if not isinstance(paths, list) or not 1 <= len(paths) <= SEGMENTS:
            raise self.error("stump.paths", f"a list of 1 to {SEGMENTS} pairs of edges")
        pairs = [self.numbers(f"stump.paths.{i}", 2, 0, EDGES - 1) for i in range(len(paths))]
        if len({edge for pair in pairs for edge in pair}) != 2 * len(pairs):
            raise self.error("stump.paths", "pairs of different edges")
        return tuple(Segment((a, b), ()) for a, b in pairs)

    def _slots(self) -> tuple[Slot, ...]:
        self.rows("slots", len(COLUMNS), "column", "bonus", "mushrooms", "spaces")
        slots = []
        for i, column in enumerate(COLUMNS):
            self.number(f"slots.{i}.column", column, column)
            bonus = self.word(f"slots.{i}.bonus", BONUSES)
            least = int(bonus == "mushroom")
            mushrooms = self.number(f"slots.{i}.mushrooms", least, MAX_PICKS * least)
            slots.append(Slot(column, bonus, mushrooms, self.number(f"slots.{i}.spaces", 1, 2)))
        assert max(COLUMNS) == LARGEST_RING
        return tuple(slots)

    def _signposts(self) -> dict[str, dict[str, int]]:
        self.rows("signposts", len(SIGNPOSTS), "name", "gives")
        signposts = {}
        for i, name in enumerate(SIGNPOSTS):
            self.word(f"signposts.{i}.name", [name])
            signposts[name] = self.amounts(f"signposts.{i}.gives", (*COLORS, "tile", "flower"))
            for single in ("tile", "flower"):
                if single in signposts[name]:
                    self.number(f"signposts.{i}.gives.{single}", 1, 1)
        return signposts

    def _trades(self) -> dict[str, tuple[Trade, ...]]:
        """Two trades, A and B, of each signpost that has any; what is paid for a tile is the tile."""
        found = self.get("trades")
        self.rows("trades", len(found) if isinstance(found, list) else 0, "signpost", "choice", "pay", "get")
        trades: dict[str, tuple[Trade, ...]] = {}
        for i in range(len(found)):
            name = self.word(f"trades.{i}.signpost", SIGNPOSTS)
            earlier = trades.get(name, ())
            letters = "AB"[len(earlier) : len(earlier) + 1]
            if not letters:
                raise self.error(f"trades.{i}", f"no third trade of the signpost {name}")
            self.word(f"trades.{i}.choice", [letters])
            pays = ("tile",) if "tile" in self.get(f"signposts.{SIGNPOSTS.index(name)}.gives") else COLORS
            trade = Trade(self.amounts(f"trades.{i}.pay", pays), self.amounts(f"trades.{i}.get", (*COLORS, "point")))
            trades[name] = (*earlier, trade)
        for name, pair in trades.items():
            if len(pair) != TRADES:
                raise _error(self.path, "trades", f"one trade of the signpost {name}", "two, A and B")
        return trades
