"""Simple players for tests of Mushroom Rings.

Random play hardly closes a ring; the ring-seeking player closes about ten a game, of all sizes and some of them
claimed, so that markers, bonuses, owed rings and signposts are met. Both are deterministic from the random generator
given.
"""

from random import Random

from .reference import Reference
from .reference_garden import Cell, MushroomPath, Part, distance, facing

FAVORED_RING = 5
TILES_LOOKED_AT = 5
CLOSES_FAVORED = 100.0
CLOSES_SMALL = 2.0
LENGTHENS = 10.0
CLAIMS = 0.3
CLAIMS_LONGEST = 0.8
LAYS_ANYHOW = 0.15


def random_move(reference: Reference, rng: Random) -> dict:
    """Any legal move."""
    return rng.choice(reference.legal_moves())


def ring_seeking_move(reference: Reference, rng: Random) -> dict:
    """A move that closes a ring, or lengthens a path towards itself, or claims a long path; any move otherwise."""
    moves = reference.legal_moves()
    match reference.phase:
        case "place":
            moves = rng.sample(moves, min(TILES_LOOKED_AT, len(moves)))
            worth = [_worth_of_tile(reference, _tile_of(reference, move), rng) for move in moves]
        case "cell":
            worth = [_worth_of_cell(reference, reference.hand.tile, (move["q"], move["r"]), rng) for move in moves]
        case "orientation":
            hand = reference.hand
            turns = [(move["side"], move["rotation"]) for move in moves]
            worth = [_worth_of_placement(reference, hand.tile, hand.cell, *turn) + rng.random() for turn in turns]
        case "where" if reference.hand.place == "path" and rng.random() < CLAIMS_LONGEST:
            worth = [_longest_path_named(reference, (move["q"], move["r"])) for move in moves]
        case "destination" if rng.random() < CLAIMS:
            worth = [float(move["place"] == "path") for move in moves]
        case _:
            return rng.choice(moves)
    if rng.random() < LAYS_ANYHOW:
        return rng.choice(moves)
    return moves[worth.index(max(worth))]


def _tile_of(reference: Reference, move: dict) -> int | None:
    """The tile that a move of phase `place` takes in hand, None for stopping."""
    if move["type"] == "stop":
        return None
    source = reference.offer if move["type"] == "tile" else reference.players[reference.turn_player].storage
    return source[move["slot"]]


def _worth_of_tile(reference: Reference, tile: int | None, rng: Random) -> float:
    if tile is None:
        return 0.0
    return max(_worth_of_cell(reference, tile, cell, rng) for cell in sorted(reference.garden.frontier))


def _worth_of_cell(reference: Reference, tile: int, cell: Cell, rng: Random) -> float:
    turns = reference.legal_orientations(tile, cell)
    worth = [_worth_of_placement(reference, tile, cell, *turn) for turn in turns]
    return max(worth, default=-1.0) + rng.random()


def _worth_of_placement(reference: Reference, tile: int, cell: Cell, side: int, rotation: int) -> float:
    """What each segment of the tile, or its hub, is worth where it would lie."""
    garden = reference.garden
    worth = 0.0
    for segment in garden.components.segments(tile, side, rotation):
        ends = [(cell, edge) for edge in segment.edges]
        parts = [garden.part_at(facing(end)) for end in ends]
        paths = [garden.path_of[part] for part in parts if part]
        closed = [path for number, path in enumerate(paths) if any(path is other for other in paths[:number])]
        if closed:
            worth += CLOSES_FAVORED if _tiles(closed[0]) + 1 >= FAVORED_RING else CLOSES_SMALL
        elif paths:
            free = {facing(end)[0] for end, part in zip(ends, parts, strict=True) if part is None}
            worth += _worth_of_gap(reference, paths, free, cell)
    return worth


def _tiles(path: MushroomPath) -> int:
    return len({part[:2] for part in path.parts})


def _worth_of_gap(reference: Reference, paths: list[MushroomPath], faced: set[Cell], cell: Cell) -> float:
    """Worth of lengthening paths: more the longer they are and the nearer their open ends lie to each other."""
    open_cells = sorted(faced.union(*(_open_cells(reference, part, cell) for path in paths for part in path.parts)))
    gaps = [distance(one, other) for number, one in enumerate(open_cells) for other in open_cells[:number]]
    length = min(sum(_tiles(path) for path in paths), FAVORED_RING)
    return LENGTHENS * length / (2 + min(gaps, default=0))


def _open_cells(reference: Reference, part: Part, cell: Cell) -> set[Cell]:
    """Empty cells that the open edges of a part face, other than the cell now filled."""
    garden = reference.garden
    faced = {facing(end)[0] for end in garden.ends_in_play(part)}
    return {beside for beside in faced if beside != cell and garden.tile_at(beside) is None}


def _longest_path_named(reference: Reference, cell: Cell) -> float:
    """Tiles of the longest unclaimed path that is named by this cell."""
    garden = reference.garden
    paths = [path for path in garden.paths if path.gnome is None and garden.path_name(path)[0] == cell]
    return float(max(_tiles(path) for path in paths))
