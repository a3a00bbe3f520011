"""States that a seat cannot tell from the one it is in: what a search over information sets goes on from.

Hidden things are dealt anew by the game's own ``redeal``. Where the seed is the event of chance, what is done from there on is
played with the new record, and the seed that the history names is 0: nothing of the real one is left. Where chance is played
event by event, the events before are found that lead to the new record and tell the seat what it was told, so the state is one
of the game's tree like any other.
"""

from collections.abc import Iterator

import numpy as np

from envs.openspiel.histories import CHANCE, Made, Node, Position, Redealt, Table

TRIES = 64
"""Most re-deals until one is found that the seat's memory allows; then any history that it allows will do."""


def redealt(position: Position, seat: int, rng: np.random.Generator) -> tuple[Node, list[Made]]:
    """A node that ``seat`` cannot tell from a position, and all that was done up to it."""
    if position.table.chance is None:
        return _with_new_record(position, seat, rng)
    node = _with_new_events(position, seat, rng)
    return node, node.history()


def _with_new_record(position: Position, seat: int, rng: np.random.Generator) -> tuple[Node, list[Made]]:
    made = [(actor, 0 if actor == CHANCE else action) for actor, action in position.history()]
    record = _redeal(position.table, position.record, seat, rng)
    return Redealt(position.table, record, seat, position.told(seat), position.seen(seat)[:-1], made), made


def _redeal(table: Table, record: np.ndarray, seat: int, rng: np.random.Generator) -> np.ndarray:
    world = np.zeros_like(record)
    word = rng.integers(1 << 64, size=1, dtype=np.uint64)
    table.game.kernels.redeal_batch(record.copy(), table.game.rules, np.array([seat], np.int64), word, world)
    return world


def _with_new_events(position: Position, seat: int, rng: np.random.Generator) -> Node:
    found = list(_alike(position, seat))
    by_record: dict[bytes, list[int]] = {}
    for number, (node, _) in enumerate(found):
        by_record.setdefault(node.record.tobytes(), []).append(number)
    chosen = list(range(len(found)))
    for _ in range(TRIES):
        world = _redeal(position.table, position.record, seat, rng)
        world["rng"] = position.record["rng"]
        if numbers := by_record.get(world.tobytes()):
            chosen = numbers
            break
    weights = np.array([found[number][1] for number in chosen])
    return found[chosen[int(rng.choice(len(chosen), p=weights / weights.sum()))]][0]


def _alike(position: Position, seat: int) -> Iterator[tuple[Position, float]]:
    """All nodes of the tree that a seat cannot tell from a position, with how likely chance makes them."""
    path: list[Node] = [position]
    while path[-1].parent is not None:
        path.append(path[-1].parent)
    yield from _alike_from(path[-1], path[::-1], seat, 1.0)


def _alike_from(node: Node, path: list[Node], seat: int, likely: float) -> Iterator[tuple[Position, float]]:
    """The same among those that follow a node, which stands for the first of ``path``."""
    if isinstance(node, Position) and not _is_told_the_same(node, path[0], seat):
        return
    if len(path) == 1:
        assert isinstance(node, Position)
        yield node, likely
    elif node.player == CHANCE:
        for outcome, chance in node.chances():
            yield from _alike_from(node.child(outcome), path[1:], seat, likely * chance)
    elif (made := path[1].made) and made[1] in node.legal():
        yield from _alike_from(node.child(made[1]), path[1:], seat, likely)


def _is_told_the_same(node: Position, other: Node, seat: int) -> bool:
    if not isinstance(other, Position) or node.player != other.player:
        return False
    if node.before is None or other.before is None:
        return node.opening(seat) == other.opening(seat)
    return node.line(seat) == other.line(seat)
