"""How many sit at a table of Fairy Ring, and whose cards a seat knows; the seats follow one another clockwise."""

from envs.engine import inline
from envs.engine.seats import distance
from envs.fairy_ring.state import NO_CARD, PLACE


@inline
def num_seats(state):
    """Players of a game; known when the rules are compiled."""
    return len(state["points"])


@inline
def knows_hand(state, seat, other):
    """Whether a seat has held, this round, the hand that ``other`` holds now (hands go one place on every turn)."""
    return distance(num_seats(state), seat, other) < state["turn"]


@inline
def is_hidden(state, seat, other):
    """Whether ``other`` has chosen a card that ``seat`` has not been shown."""
    revealed = state["phase"] == PLACE and other == state["current_player"]
    return state["chosen"][other] != NO_CARD and other != seat and not revealed
