"""What one seat may know of a game of Fairy Ring, as one flat vector.

Egocentric: of every list of players the observer comes first, then clockwise. :func:`sections` is the slice table,
:func:`observe` writes the sections in the same order.
"""

import numpy as np

from envs.engine import inline, jit
from envs.engine.one_hot import ONE, ZERO, write_one_hot
from envs.engine.seats import distance, seat_after
from envs.fairy_ring.rules.seats import knows_hand, num_seats
from envs.fairy_ring.state import (
    CARD_FEATURES,
    COLUMNS,
    HAND,
    MUSHROOMS,
    NO_CARD,
    NUM_OBJECTIVES,
    OVER,
    PLACE,
    ROUNDS,
    STACK,
    TURNS,
)
from envs.game import Section

AHEAD = 12  # mushrooms of the route shown ahead of the own fairy
PHASES = 4
HIGH = 16.0  # no number of an observation is larger

HALF = np.float32(0.5)
POINTS_UNIT, MANA_UNIT = np.float32(1 / 10), np.float32(1 / 20)
# Columns of a mushroom: cards by type as a share of the largest stack, fireflies, what it pays in twentieths of a point.
VILLAGE_UNITS = np.tile(np.array([1 / STACK] * (COLUMNS - 2) + [1 / 2, 1 / 20], dtype=np.float32), MUSHROOMS)
_U1, _U2, _U3, _U4, _U5, _U6, _U7 = map(np.uint64, range(1, 8))
CELLS = MUSHROOMS * COLUMNS  # numbers of a village
BITS = (np.arange(1 << NUM_OBJECTIVES)[:, None] >> np.arange(NUM_OBJECTIVES) & 1).astype(np.float32)


def sections(num_players: int, round_cards: int) -> list[Section]:
    """The slice table of the observation for a number of players and cards in the larger round deck."""
    others = num_players - 1
    card = "type one-hot, 3 movements / 10, fireflies / 2, mana / 10"
    mushroom = "cards / 4 in the column of its type (6), visible fireflies / 2, pays / 20 (Academy: per step)"
    return [
        Section("phase", (PHASES,), "one-hot: choose, place, fly, gather; zeros when the game is over"),
        Section("round", (ROUNDS,), "one-hot"),
        Section("turn", (TURNS,), "one-hot"),
        Section("first_player", (num_players,), "one-hot: who holds the tile"),
        Section("current_player", (num_players,), "one-hot: who decides; zeros when the game is over"),
        Section("points", (num_players,), "points / 10, at most 16"),
        Section("mana", (num_players,), "mana / 20"),
        Section("hand", (HAND, CARD_FEATURES), f"own cards in order of id, with a chosen one not yet revealed: {card}"),
        Section("chosen", (CARD_FEATURES,), f"own chosen card until it is placed: {card}"),
        Section("revealed", (CARD_FEATURES,), f"the card the player to act has turned up: {card}"),
        Section("movement", (1,), "how far the fairy has just flown / 10, in phase gather"),
        Section("villages", (num_players, MUSHROOMS, COLUMNS), f"mushrooms from left to right: {mushroom}"),
        Section("fairies", (num_players, num_players, MUSHROOMS), "whose fairy, in whose village, on which mushroom"),
        Section("ahead", (AHEAD, COLUMNS + num_players), f"next mushrooms on the own fairy's route: {mushroom}; whose"),
        Section("known", (others,), "1: the player's hand has been in the own hand this round"),
        Section("known_hands", (others, HAND, CARD_FEATURES), f"those hands, less what was revealed: {card}"),
        Section("unseen", (round_cards,), "copies of each card of the round's deck that have not been seen / 2"),
        Section("objectives", (NUM_OBJECTIVES,), "1: in play"),
        Section("completed", (num_players, NUM_OBJECTIVES), "1: completed by the player"),
    ]


@jit
def observe(state, rules, seat, out):
    """Writes the view of a seat, every section in the order of :func:`sections`."""
    k = _write_clock(state, seat, out)
    k = _write_scores(state, seat, out, k)
    k = _write_own_cards(state, rules, seat, out, k)
    villages = k
    k = _write_villages(state, seat, out, k)
    k = _write_fairies(state, seat, out, k)
    k = _write_route(state, seat, out, k, villages)
    k = _write_known_hands(state, rules, seat, out, k)
    k = _write_unseen(state, rules, seat, out, k)
    _write_objectives(state, seat, out, k)


@inline
def _write_clock(state, seat, out):
    players = num_seats(state)
    current = int(state["current_player"])
    k = write_one_hot(out, 0, PHASES, int(state["phase"]))
    k = write_one_hot(out, k, ROUNDS, int(state["round"]) - 1)
    k = write_one_hot(out, k, TURNS, int(state["turn"]) - 1)
    k = write_one_hot(out, k, players, distance(players, seat, int(state["first_player"])))
    return write_one_hot(out, k, players, distance(players, seat, current) if current >= 0 else -1)


@inline
def _write_scores(state, seat, out, k):
    players = num_seats(state)
    for steps in range(players):
        p = seat_after(players, seat, steps)
        out[k + steps] = min(np.float32(state["points"][p]) * POINTS_UNIT, np.float32(HIGH))
        out[k + players + steps] = np.float32(state["mana"][p]) * MANA_UNIT
    return k + 2 * players


@inline
def _write_card(rules, card, out, k):
    """Writes the features of a card, zeros for NO_CARD; returns the place after it."""
    features = rules["card_features"][np.uint64(card + 1)]
    # All loads before the first store: then the compiler knows that no store changes a load, and moves whole vectors (3x).
    a, b, c, d, e = features[0], features[1], features[2], features[3], features[4]
    f, g, h, i, j = features[5], features[6], features[7], features[8], features[9]
    last = features[10]
    out[k], out[k + 1], out[k + 2], out[k + 3], out[k + 4] = a, b, c, d, e
    out[k + 5], out[k + 6], out[k + 7], out[k + 8], out[k + 9] = f, g, h, i, j
    out[k + 10] = last
    return k + CARD_FEATURES


@inline
def _write_own_cards(state, rules, seat, out, k):
    for place in range(HAND):
        k = _write_card(rules, state["hand"][seat, place], out, k)
    k = _write_card(rules, state["chosen"][seat], out, k)
    phase, turned_up = state["phase"], state["chosen"][max(0, int(state["current_player"]))]
    revealed = turned_up if phase == PLACE else state["played"]  # NO_CARD in the phases CHOOSE and OVER
    k = _write_card(rules, revealed, out, k)
    out[k] = np.float32(state["movement"]) / np.float32(10)
    return k + 1


@inline
def _write_villages(state, seat, out, k):
    flat = state["village"].reshape(num_seats(state) * CELLS)
    for steps in range(num_seats(state)):
        start = seat_after(num_seats(state), seat, steps) * CELLS
        # Flat views with an index from 0 are what the compiler turns into vector code (4x).
        village, part = flat[start : start + CELLS], out[k : k + CELLS]
        for cell in range(CELLS):
            part[cell] = np.float32(village[cell]) * VILLAGE_UNITS[cell]
        k += CELLS
    return k


@inline
def _write_fairies(state, seat, out, k):
    players = num_seats(state)
    route = players * MUSHROOMS
    part = out[k : k + players * route]
    for i in range(players * route):
        part[i] = ZERO
    for steps in range(players):
        p = seat_after(players, seat, steps)
        village = distance(players, seat, int(state["fairy_village"][p]))
        part[steps * route + village * MUSHROOMS + int(state["fairy_mushroom"][p])] = ONE
    return k + players * route


@inline
def _write_route(state, seat, out, k, villages):
    """Copies the mushrooms ahead from the section of the villages, which is written already."""
    players = num_seats(state)
    village, mushroom = int(state["fairy_village"][seat]), int(state["fairy_mushroom"][seat])
    # The end of the next village is read ahead, so that no step of the route waits for it.
    following = seat_after(players, village, 1)
    last = int(state["num_mushrooms"][following]) - 1
    for _ in range(AHEAD):
        leaves = mushroom == 0
        village = following if leaves else village
        mushroom = last if leaves else mushroom - 1
        following = seat_after(players, village, 1)
        last = int(state["num_mushrooms"][following]) - 1
        steps = distance(players, seat, village)
        _copy_mushroom(out, villages + steps * CELLS + mushroom * COLUMNS, k)
        k = write_one_hot(out, k + COLUMNS, players, steps)
    return k


@inline
def _copy_mushroom(out, source, k):
    # Loads before stores, as in _write_card; an unsigned index needs no check for being negative.
    i = np.uint64(source)
    a, b, c, d = out[i], out[i + _U1], out[i + _U2], out[i + _U3]
    e, f, g, h = out[i + _U4], out[i + _U5], out[i + _U6], out[i + _U7]
    out[k], out[k + 1], out[k + 2], out[k + 3] = a, b, c, d
    out[k + 4], out[k + 5], out[k + 6], out[k + 7] = e, f, g, h


@inline
def _write_known_hands(state, rules, seat, out, k):
    others = num_seats(state) - 1
    for i in range(others):
        p = seat_after(num_seats(state), seat, i + 1)
        known = knows_hand(state, seat, p)
        out[k + i] = ONE if known else ZERO
        for place in range(HAND):
            card = state["hand"][p, place]
            card = card if known else np.int8(NO_CARD)
            _write_card(rules, card, out, k + others + (i * HAND + place) * CARD_FEATURES)
    return k + others + others * HAND * CARD_FEATURES


@inline
def _write_unseen(state, rules, seat, out, k):
    unit = ZERO if state["phase"] == OVER else HALF
    unseen, part = state["unseen"][seat], out[k:]
    for slot in range(rules["round_cards"]):
        part[slot] = np.float32(unseen[slot]) * unit
    return k + len(unseen)


@inline
def _write_objectives(state, seat, out, k):
    _write_bits(state["objectives"], out, k)
    for steps in range(num_seats(state)):
        k += NUM_OBJECTIVES
        _write_bits(state["completed"][seat_after(num_seats(state), seat, steps)], out, k)


@inline
def _write_bits(bits, out, k):
    """Writes a number below 256 in the binary system, the lowest digit first."""
    row = BITS[np.uint64(bits)]
    a, b, c, d, e, f, g, h = row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
    out[k], out[k + 1], out[k + 2], out[k + 3] = a, b, c, d
    out[k + 4], out[k + 5], out[k + 6], out[k + 7] = e, f, g, h
