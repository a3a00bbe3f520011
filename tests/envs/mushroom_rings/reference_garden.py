"""The garden of Mushroom Rings: laid tiles, unfinished paths, finished rings, and where a tile may lie.

Part of the slow reference; see `reference.py` for what it is and where it had to choose. Sections named in the
docstrings are those of the exact rules unless they say "text" (the published rule text).

Words used here: a *part* is one segment of a laid tile, or the hub of a laid wildflower tile, written (q, r, number of
the segment). An *end* is one edge of one cell, written (cell, edge).
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .reference_components import EDGES, STUMP, Components, Segment

Cell = tuple[int, int]
Part = tuple[int, int, int]
End = tuple[Cell, int]
Gnome = tuple[int, int]

DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def neighbor(cell: Cell, edge: int) -> Cell:
    """The cell that this edge of the cell faces."""
    return cell[0] + DIRECTIONS[edge][0], cell[1] + DIRECTIONS[edge][1]


def facing(end: End) -> End:
    """The end that lies against this one, on the next cell."""
    cell, edge = end
    return neighbor(cell, edge), (edge + 3) % EDGES


def distance(cell: Cell, other: Cell = (0, 0)) -> int:
    """Steps from one cell to another (from the stump, if only one is named)."""
    q, r = cell[0] - other[0], cell[1] - other[1]
    return max(abs(q), abs(r), abs(q + r))


def table_cells(radius: int) -> list[Cell]:
    """All cells of the table, ordered by r and then q (The garden)."""
    span = range(-radius, radius + 1)
    return [(q, r) for r in span for q in span if distance((q, r)) <= radius]


@dataclass(frozen=True)
class LaidTile:
    """A tile in the garden, with its segments as they lie."""

    cell: Cell
    tile: int
    side: int
    rotation: int
    segments: tuple[Segment, ...]
    is_wildflower: bool

    def has_path_at(self, edge: int) -> bool:
        """Whether a path, finished or not, reaches this edge."""
        return any(edge in segment.edges for segment in self.segments)


@dataclass
class MushroomPath:
    """A connected set of unfinished segments and hubs, with the gnome that claims it."""

    parts: list[Part]
    gnome: Gnome | None = None


@dataclass
class Ring:
    """A finished ring.

    Attributes:
        tiles: its cells, each once, in the order in which their tiles were laid.
        parts: the segments and hubs it passes.
        ends: the edges it passes, those it has used up.
        mushrooms: the mushrooms printed on it, by colour.
        waiting: whether these wait in the ring for a gnome.
        owner: the player to whom it belonged when it closed.
        owed: whether that player has still to score it, because another closed it.
        signpost: the signpost that stands in it.
        gnomes: the gnomes in it.
    """

    tiles: list[Cell]
    parts: set[Part]
    ends: set[End]
    mushrooms: dict[str, int]
    waiting: bool = False
    owner: int | None = None
    owed: bool = False
    signpost: str | None = None
    gnomes: list[Gnome] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of different tiles on the ring."""
        return len(self.tiles)


class Garden:
    """All laid tiles, starting with the stump.

    Args:
        components: the printed parts.
        table_radius: how far from the stump the table reaches.
    """

    def __init__(self, components: Components, table_radius: int):
        self.components = components
        self.table_radius = table_radius
        self.laid: list[LaidTile] = []
        self.paths: list[MushroomPath] = []
        self.rings: list[Ring] = []
        self.frontier: set[Cell] = set()
        self.path_of: dict[Part, MushroomPath] = {}
        self._order: dict[Cell, int] = {}
        self._joined: set[End] = set()
        self._used: set[End] = set()
        self.lay(STUMP, (0, 0), 0, 0)

    # Where a tile may lie (A turn, step 1)

    def tile_at(self, cell: Cell) -> LaidTile | None:
        """The tile that lies on the cell."""
        return self.laid[self._order[cell]] if cell in self._order else None

    def matches(self, tile: int, cell: Cell, side: int, rotation: int) -> bool:
        """Whether the tile touches another and path meets path, green meets green (A turn, step 1).

        A wildflower matches path and green alike, whether it is laid or lain against (The garden).
        """
        if cell not in self.frontier:
            return False
        if self.components.is_wildflower(tile):
            return True
        own_edges = {edge for segment in self.components.segments(tile, side, rotation) for edge in segment.edges}
        for edge in range(EDGES):
            other = self.tile_at(neighbor(cell, edge))
            if other and not other.is_wildflower and other.has_path_at((edge + 3) % EDGES) != (edge in own_edges):
                return False
        return True

    def paths_joined(self, tile: int, cell: Cell, side: int, rotation: int) -> list[list[MushroomPath]]:
        """The paths each segment or hub of the tile would connect, as if no ring were taken out (Ban and leave).

        Segments that share a path stand in one group.
        """
        groups: list[list[MushroomPath]] = []
        for segment in self.components.segments(tile, side, rotation):
            touched: list[MushroomPath] = []
            for edge in segment.edges:
                part = self.part_at(facing((cell, edge)))
                if part and not any(self.path_of[part] is path for path in touched):
                    touched.append(self.path_of[part])
            for group in [group for group in groups if any(a is b for a in group for b in touched)]:
                groups.remove(group)
                touched += [path for path in group if not any(path is other for other in touched)]
            groups.append(touched)
        return groups

    def owners_touched(self, tile: int, cell: Cell, side: int, rotation: int, player: int) -> set[int] | None:
        """Other players whose leave the placement needs, or None if it is illegal whoever agrees.

        Text, Tile Placement; Ban and leave: no two gnomes may be joined, two of one player neither; a wildflower needs
        no leave.
        """
        if not self.matches(tile, cell, side, rotation):
            return None
        owners: set[int] = set()
        for group in self.paths_joined(tile, cell, side, rotation):
            claims = [path.gnome for path in group if path.gnome]
            if len(claims) > 1:
                return None
            owners.update(owner for owner, _ in claims if owner != player)
        return set() if self.components.is_wildflower(tile) else owners

    # Laying a tile, closing rings (The garden)

    def lay(self, tile: int, cell: Cell, side: int, rotation: int) -> list[int]:
        """Lay a tile and return the numbers of the rings it closes, in the order in which they close.

        The segments join their neighbours in the order of the list, a hub edge by edge; a join between parts that are
        connected already closes a ring at once.
        """
        segments = self.components.segments(tile, side, rotation)
        self._order[cell] = len(self.laid)
        self.laid.append(LaidTile(cell, tile, side, rotation, segments, self.components.is_wildflower(tile)))
        self._move_frontier(cell)
        paths_before = self.paths
        first_new = len(self.rings)
        for segment in segments:
            for edge in segment.edges:
                self._join((cell, edge))
        self.paths = self._connected_paths()
        self.path_of = {part: path for path in self.paths for part in path.parts}
        self._hand_on_claims(paths_before, self.rings[first_new:])
        return list(range(first_new, len(self.rings)))

    def part_at(self, end: End) -> Part | None:
        """The segment or hub that has this edge, if the edge is in play (not used up by a ring)."""
        cell, edge = end
        laid = self.tile_at(cell)
        if laid is None or end in self._used:
            return None
        for number, segment in enumerate(laid.segments):
            if edge in segment.edges:
                return *cell, number
        return None

    def ends_in_play(self, part: Part) -> list[End]:
        """The edges of a segment or hub that no ring has used up."""
        cell = part[:2]
        segment = self.laid[self._order[cell]].segments[part[2]]
        return [(cell, edge) for edge in segment.edges if (cell, edge) not in self._used]

    def _move_frontier(self, cell: Cell) -> None:
        self.frontier.discard(cell)
        for edge in range(EDGES):
            beside = neighbor(cell, edge)
            if beside not in self._order and distance(beside) <= self.table_radius:
                self.frontier.add(beside)

    def _join(self, end: End) -> None:
        """Join one edge of the tile just laid to its neighbour; if both are connected already, take out the ring."""
        own, other = self.part_at(end), self.part_at(facing(end))
        if own is None or other is None:
            return
        way = self._way(own, other)
        if way is None:
            self._joined |= {end, facing(end)}
        else:
            self._close_ring(way | {end, facing(end)})

    def _joins_of(self, part: Part) -> Iterator[tuple[End, Part]]:
        """The joined edges of a part, each with the part beyond it."""
        for end in self.ends_in_play(part):
            if end in self._joined:
                yield end, self.part_at(facing(end))

    def _way(self, start: Part, goal: Part) -> set[End] | None:
        """The edges on the way from one part to another, or None if they are not connected.

        There is one way at most: closed loops are taken out as soon as they arise.
        """
        came_by: dict[Part, tuple[Part, End] | None] = {start: None}
        waiting = deque([start])
        while waiting and goal not in came_by:
            part = waiting.popleft()
            for end, beyond in self._joins_of(part):
                if beyond not in came_by:
                    came_by[beyond] = (part, end)
                    waiting.append(beyond)
        if goal not in came_by:
            return None
        ends: set[End] = set()
        step = came_by[goal]
        while step is not None:
            part, end = step
            ends |= {end, facing(end)}
            step = came_by[part]
        return ends

    def _close_ring(self, ends: set[End]) -> None:
        """Finish a ring: it uses up the edges it passes (The garden)."""
        parts = {self.part_at(end) for end in ends}
        self._joined -= ends
        self._used |= ends
        mushrooms = dict.fromkeys(self.components.colors, 0)
        for q, r, number in parts:
            for color in self.laid[self._order[q, r]].segments[number].mushrooms:
                mushrooms[color] += 1
        tiles = sorted({part[:2] for part in parts}, key=self._order.__getitem__)
        self.rings.append(Ring(tiles, parts, ends, mushrooms))

    def _connected_paths(self) -> list[MushroomPath]:
        """All paths of the garden, ordered by first laid tile and then by lowest edge there (Decisions)."""
        seen: set[Part] = set()
        paths = []
        for laid in self.laid:
            for number in range(len(laid.segments)):
                part = (*laid.cell, number)
                if part not in seen and self.ends_in_play(part):
                    parts = self._connected(part)
                    seen |= parts
                    paths.append(MushroomPath(sorted(parts, key=lambda p: (self._order[p[:2]], p[2]))))
        return sorted(paths, key=lambda path: (self._order[self.path_name(path)[0]], self.path_name(path)[1]))

    def _connected(self, start: Part) -> set[Part]:
        """A part and everything joined to it."""
        parts = {start}
        waiting = [start]
        while waiting:
            for _, beyond in self._joins_of(waiting.pop()):
                if beyond not in parts:
                    parts.add(beyond)
                    waiting.append(beyond)
        return parts

    def _hand_on_claims(self, paths_before: list[MushroomPath], new_rings: list[Ring]) -> None:
        """Whose the new rings are and where the gnomes stay (Ban and leave).

        A gnome whose path gave a ring a segment or hub owns that ring and goes into the first such ring; any other
        keeps its path and all that was joined to it.
        """
        for path in paths_before:
            if path.gnome is None:
                continue
            rings = [ring for ring in new_rings if not ring.parts.isdisjoint(path.parts)]
            for ring in rings:
                ring.owner = path.gnome[0]
            if rings:
                rings[0].gnomes.append(path.gnome)
            else:
                self.path_of[path.parts[0]].gnome = path.gnome

    # Names (Decisions): first laid tile, then the lowest edge there

    def path_name(self, path: MushroomPath) -> End:
        """The first laid tile of a path and the lowest edge of that tile that belongs to it."""
        first = min((part[:2] for part in path.parts), key=self._order.__getitem__)
        ends = [end for part in path.parts if part[:2] == first for end in self.ends_in_play(part)]
        return min(ends, key=lambda end: end[1])

    def ring_name(self, ring: Ring) -> End:
        """The first laid tile of a ring and the lowest edge of that tile that it passes."""
        first = ring.tiles[0]
        return min((end for end in ring.ends if end[0] == first), key=lambda end: end[1])
