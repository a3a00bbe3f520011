"""Positions of Dance of Eights set by hand, for the tests. Cards are named by their ids:

RING is four females and two males who are big, good and of the forest, and two Trolls (male, big, evil, of the earth).
"""

from collections import Counter

import numpy as np

import envs
from envs.dance_of_eights.cards import load_cards
from envs.dance_of_eights.state import NUM_CARDS
from envs.vector import VectorAECEnv

CARDS = load_cards()
RING = [2, 3, 3, 8, 24, 26, 23, 23]
OTHERS = [0, 1, 4, 5, 6, 15, 16, 22]  # no Ring: seven females


def counts(cards):
    """A list of card ids as copies of each card."""
    found = Counter(cards)
    return [found[card] for card in range(NUM_CARDS)]


def position(*hands, known=None, discard=None, deck=None, phase="gain", current=0, turn=1, winner=None, copies=1):
    """A whole game as plain data; of ``discard`` and ``deck`` one is given and the other has what is left of the pack."""
    left = Counter({card.id: card.rows * copies for card in CARDS})
    for cards in (*hands, discard or deck or []):
        left -= Counter(cards)
    rest = list(left.elements())
    discard, deck = (rest, deck) if discard is None else (discard, rest)
    return {
        "turn": turn,
        "phase": phase,
        "current_player": None if phase == "over" else current,
        "deck_size": len(deck),
        "deck": counts(deck),
        "discard": counts(discard),
        "hands": [counts(hand) for hand in hands],
        "known": [counts(cards) for cards in (known or [[] for _ in hands])],
        "winner": winner,
    }


class Table:
    """A game at a position set by hand, or newly dealt."""

    def __init__(self, state=None, seed=0, num_players=2, reward="placement", **options):
        options = {"copies": 1, **options}
        self.game = envs.make_game("dance_of_eights", len(state["hands"]) if state else num_players, **options)
        self.env = VectorAECEnv(self.game, 1, seed=seed, reward=reward, autoreset=False)
        if state is not None:
            self.env.set_records(self.game.from_dict(state, seed))
            assert self.state == state

    @property
    def state(self):
        """The whole game as plain data."""
        return self.game.to_dict(self.env.states)

    @property
    def moves(self):
        """What the player to act may do."""
        return [self.game.move(self.env.states, action) for action in self.game.legal_actions(self.env.states)]

    def play(self, kind, **rest):
        """Plays a move, given by its type and the rest of its structured form."""
        self.env.step(np.array([self.game.action(self.env.states, {"type": kind, **rest})]))
        return self

    def section(self, seat, name):
        """A section of a seat's observation."""
        return self.game.section(self.env.observe(seat)["observation"][0], name)
