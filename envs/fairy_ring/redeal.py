"""Dealing anew what a seat cannot know: one of the worlds in which it may be (a *determinization*)."""

from envs.engine import below, jit
from envs.fairy_ring.rules.hands import draw_hand
from envs.fairy_ring.rules.seats import is_hidden, knows_hand, num_seats
from envs.fairy_ring.state import OVER


@jit
def redeal(state, rules, seat):
    """Shuffles the hands that a seat has not held with the undealt cards, and the secret choices among their hands."""
    if state["phase"] == OVER:
        return
    has_held_all = state["turn"] >= num_seats(state)
    left = 0
    if not has_held_all:
        for slot in range(len(state["box"])):
            state["box"][slot] = state["unseen"][seat, slot]
            left += state["box"][slot]
    for other in range(num_seats(state)):
        if not knows_hand(state, seat, other):
            draw_hand(state, rules, other, int(state["hand_size"][other]), left)
            left -= state["hand_size"][other]
        if is_hidden(state, seat, other):
            state["chosen"][other] = state["hand"][other, below(state, state["hand_size"][other])]
    if not has_held_all:  # else the others have, too, and have not seen what is in the box
        _forget(state, rules, seat)


@jit
def _forget(state, rules, seat):
    """Works out what the others have not seen of the cards as they lie now."""
    for other in range(num_seats(state)):
        if other != seat:
            for slot in range(len(state["box"])):
                state["unseen"][other, slot] = state["unseen"][seat, slot]
            for holder in range(num_seats(state)):
                change = int(knows_hand(state, seat, holder)) - int(knows_hand(state, other, holder))
                if change != 0:
                    for place in range(state["hand_size"][holder]):
                        state["unseen"][other, rules["slot"][state["hand"][holder, place]]] += change
