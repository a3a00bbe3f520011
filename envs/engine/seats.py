"""Who sits where at a table: seats are counted from 0 in turn order, and after the last comes seat 0 again."""

from envs.engine.compiler import inline


@inline
def seat_after(players, seat, steps):
    """The seat ``steps`` places after a seat; ``steps`` is from 0 to ``players``."""
    seat += steps
    return seat - players if seat >= players else seat


@inline
def distance(players, seat, other):
    """How many places after ``seat`` the seat ``other`` sits."""
    steps = other - seat
    return steps + players if steps < 0 else steps
