"""Cards in hands: the deal, passing hands on, and dealing anew what a seat cannot know.

Section names in the docstrings are those of the rulebook.
"""

from envs.engine import below, jit
from envs.fairy_ring.seats import is_hidden, knows_hand, num_seats
from envs.fairy_ring.state import CHOOSE, HAND, NO_CARD, OVER


@jit
def deal(state, rules, round_number):
    """Gameplay Overview: seven cards of the round's deck to each player, the rest back in the box."""
    state["round"] = round_number
    state["turn"] = 1
    box = state["box"]
    left = 0
    for slot in range(len(box)):
        box[slot] = rules["copies"][round_number - 1, slot]
        left += box[slot]
        for p in range(num_seats(state)):
            state["unseen"][p, slot] = box[slot]
    for p in range(num_seats(state)):
        state["chosen"][p] = NO_CARD
        empty_hand(state, p)
        for _ in range(HAND):
            slot = draw_from_box(state, left)
            left -= 1
            insert_card(state, p, rules["deck"][round_number - 1, slot])
            state["unseen"][p, slot] -= 1
    state["phase"] = CHOOSE
    state["current_player"] = state["first_player"]


@jit
def draw_from_box(state, left):
    """Takes a random card of the ``left`` undealt ones out of the box; returns its place in the deck."""
    rank = below(state, left)
    slot = 0
    while rank >= state["box"][slot]:
        rank -= state["box"][slot]
        slot += 1
    state["box"][slot] -= 1
    return slot


@jit
def insert_card(state, p, card):
    """Puts a card into a hand, which stays sorted: it takes the place of the first that follows it, and so on."""
    hand = state["hand"][p]
    carried = card
    for place in range(HAND):
        here = hand[place]
        follows = here == NO_CARD or here > carried
        hand[place] = carried if follows else here
        carried = here if follows else carried
    state["hand_size"][p] += 1


@jit
def remove_card(state, p, card):
    """Takes a card out of a hand, which stays sorted and without gaps."""
    hand = state["hand"][p]
    found = False  # looked for without a way out of the loop, see `villages`
    for place in range(HAND - 1):
        here, following = hand[place], hand[place + 1]
        found |= here == card
        hand[place] = following if found else here
    hand[HAND - 1] = NO_CARD
    state["hand_size"][p] -= 1


@jit
def pass_hands(state, rules):
    """C. End of turn: everybody's cards go to the player on the left; all hold the same number."""
    last = num_seats(state) - 1
    for place in range(HAND):
        moved = state["hand"][last, place]
        for p in range(last, 0, -1):
            state["hand"][p, place] = state["hand"][p - 1, place]
        state["hand"][0, place] = moved


@jit
def see_new_hands(state, rules):
    """A player who gets a hand not held before has now seen its cards."""
    for p in range(num_seats(state)):
        for place in range(state["hand_size"][p]):
            state["unseen"][p, rules["slot"][state["hand"][p, place]]] -= 1


@jit
def empty_hand(state, p):
    state["hand_size"][p] = 0
    for place in range(HAND):
        state["hand"][p, place] = NO_CARD


# --- What a seat cannot know -------------------------------------------------------------------------------------------


@jit
def redeal(state, rules, seat):
    """Shuffles the hands that a seat has not held with the undealt cards, and the secret choices among their hands."""
    if state["phase"] == OVER:
        return
    deck = rules["deck"][state["round"] - 1]
    left = 0
    for slot in range(len(state["box"])):
        state["box"][slot] = state["unseen"][seat, slot]
        left += state["box"][slot]
    for other in range(num_seats(state)):
        if not knows_hand(state, seat, other):
            cards = state["hand_size"][other]
            empty_hand(state, other)
            for _ in range(cards):
                insert_card(state, other, deck[draw_from_box(state, left)])
                left -= 1
        if is_hidden(state, seat, other):
            state["chosen"][other] = state["hand"][other, below(state, state["hand_size"][other])]
    _forget(state, rules, seat)


@jit
def _forget(state, rules, seat):
    """Works out what the others have not seen of the cards as they lie now."""
    for slot in range(len(state["box"])):
        unseen = int(state["unseen"][seat, slot])
        for other in range(num_seats(state)):
            state["unseen"][other, slot] = unseen
    for holder in range(num_seats(state)):
        for place in range(state["hand_size"][holder]):
            slot = rules["slot"][state["hand"][holder, place]]
            for other in range(num_seats(state)):
                if other != seat:
                    known_before, known_now = knows_hand(state, seat, holder), knows_hand(state, other, holder)
                    state["unseen"][other, slot] += int(known_before) - int(known_now)
