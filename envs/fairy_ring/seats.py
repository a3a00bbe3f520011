"""Who sits where at a table of Fairy Ring, and whose cards a seat knows."""

from envs.engine import inline
from envs.fairy_ring.state import NO_CARD, PLACE


@inline
def num_seats(state):
    """Players of a game; known when the rules are compiled."""
    return len(state["points"])


@inline
def seat_after(state, seat, steps):
    """The seat so many places clockwise (to the left) of a seat."""
    seat += steps
    return seat - num_seats(state) if seat >= num_seats(state) else seat


@inline
def distance(state, seat, other):
    """How many places clockwise of ``seat`` the seat ``other`` sits."""
    steps = other - seat
    return steps + num_seats(state) if steps < 0 else steps


@inline
def knows_hand(state, seat, other):
    """Whether a seat has held, this round, the hand that ``other`` holds now (hands go one place on every turn)."""
    return distance(state, seat, other) < state["turn"]


@inline
def is_hidden(state, seat, other):
    """Whether ``other`` has chosen a card that ``seat`` has not been shown."""
    revealed = state["phase"] == PLACE and other == state["current_player"]
    return state["chosen"][other] != NO_CARD and other != seat and not revealed
