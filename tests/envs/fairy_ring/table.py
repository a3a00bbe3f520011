"""Positions of Fairy Ring set by hand, for the tests of the rules.

Cards are named by their ids in the shipped list. Those of a game of two, with movement, fireflies and printed mana:

    type         start     round 1                                    round 2
    Magidrome    0: * 3     6: 2 ** 3   7: 5 * 3   8: 3 * 4           36: 5 ** 5   37: 8 * 5   38: 6 * 6
    Academy      1: *      11: 1 *     12: 3      13: 5 *             41: 4 *      42: 6       43: 8 *
    Lookout      2: *      16: 2       17: 4 *    18: 6 *             46: 5        47: 7 *     48: 9 *
    Luminarium   3: *      21: 3 *     22: 4 **   23: 2 *             51: 6 *      52: 7 **    53: 5 *
    Pollenarium  4: *      26: 4 *     27: 1      28: 3 **            56: 7 *      57: 4       58: 6 **
    Spring       5: * 1    31: 1|3|5 * 1  32: 2|4|6 1  33: 2|3|4 * 1  61: 4|6|8 * 2  62: 5|7|9 2  63: 5|6|7 * 2

Villages are written from left to right. A fairy flies to the left and goes on at the right end of the next seat's village.
A position shows only the mushrooms that matter, so its villages may be smaller than real ones so late in the round.
"""

import numpy as np

import envs
from envs.fairy_ring import cards as card_list
from envs.vector import VectorAECEnv

CARDS = card_list.load_cards()


def village(*stacks):
    """Mushrooms from left to right, each a list of card ids from bottom to top."""
    return [{"type": CARDS[stack[0]].type, "cards": list(stack)} for stack in stacks]


def player(stacks, hand=None, chosen=None, fairy=(0, 0), mana=0, points=0, objectives=()):
    """A player as plain data: the fairy stands on a (player, mushroom); a hand of None is left to ``position``."""
    return {
        "village": village(*stacks),
        "hand": hand,
        "chosen": chosen,
        "fairy": {"player": fairy[0], "mushroom": fairy[1]},
        "mana": mana,
        "points": points,
        "objectives": list(objectives),
    }


def position(*players, phase="place", round_number=1, turn=6, first=0, current=0, played=None, movement=None, objectives=()):
    """A whole game as plain data, in which hands and choices that were left open are cards not in sight."""
    _fill_hands(players, phase, round_number, turn, first, current)
    return {
        "round": round_number,
        "turn": turn,
        "phase": phase,
        "first_player": first,
        "current_player": current,
        "played": played,
        "movement": movement,
        "objectives": list(objectives),
        "players": list(players),
    }


def _fill_hands(players, phase, round_number, turn, first, current):
    in_sight = [card for each in players for mushroom in each["village"] for card in mushroom["cards"]]
    in_sight += [card for each in players for card in (*(each["hand"] or ()), each["chosen"]) if card is not None]
    assert len(set(in_sight)) == len(in_sight), "a card is used twice"
    spare = [
        card.id
        for card in CARDS
        if card.deck == str(round_number) and card.min_players <= len(players) and card.id not in in_sight
    ]
    for steps in range(len(players)):
        each = players[(first + steps) % len(players)]
        turns_after_current = steps - (current - first) % len(players)
        if phase == "choose":
            holds_choice = turns_after_current < 0
        else:
            holds_choice = turns_after_current > 0 or (turns_after_current == 0 and phase == "place")
        if holds_choice and each["chosen"] is None:
            each["chosen"] = spare.pop(0)
        if each["hand"] is None:
            has_yet_to_choose = phase == "choose" and not holds_choice
            each["hand"] = [spare.pop(0) for _ in range(7 - turn + has_yet_to_choose)]


class Table:
    """A game at a position set by hand, or newly dealt."""

    def __init__(self, state=None, seed=0, num_players=2, reward="placement", **options):
        self.game = envs.make_game("fairy_ring", len(state["players"]) if state else num_players, **options)
        self.env = VectorAECEnv(self.game, 1, seed=seed, reward=reward, autoreset=False)
        if state is not None:
            self.env.set_records(self.game.from_dict(state, seed))
            assert self.state == state

    @property
    def state(self):
        """The whole game as plain data."""
        return self.game.to_dict(self.env.states)

    @property
    def players(self):
        """The players as plain data."""
        return self.state["players"]

    @property
    def moves(self):
        """What the player to act may do."""
        return [self.game.move(self.env.states, action) for action in self.game.legal_actions(self.env.states)]

    def view(self, seat):
        """The game as a seat sees it."""
        return self.game.to_dict(self.env.states, seat)

    def observation(self, seat):
        """The observation of a seat as bytes."""
        return self.env.observe(seat)["observation"].tobytes()

    def play(self, kind, **rest):
        """Plays a move, given by its type and the rest of its structured form."""
        self.env.step(np.array([self.game.action(self.env.states, {"type": kind, **rest})]))
        return self

    def gains(self):
        """What everybody has in all, in mana: 20 for each point."""
        return [each["points"] * 20 + each["mana"] for each in self.players]
