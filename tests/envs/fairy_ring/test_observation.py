"""Every section of the observation, against what plain Python makes of the seat's view and the card list."""

from collections import Counter

import numpy as np
import pytest

import envs
from envs.fairy_ring.cards import TYPES
from envs.vector import VectorAECEnv

HAND, MUSHROOMS, AHEAD = 7, 13, 12


class Expectation:
    """What a seat should observe, section by section, egocentric: the own seat first, then clockwise."""

    def __init__(self, game, view, seat):
        self.cards = game.facts["cards"]
        self.all_fireflies = game.options["fireflies"] == "all"
        self.view, self.seat, self.num_players = view, seat, game.num_players
        self.players = [view["players"][(seat + steps) % game.num_players] for steps in range(game.num_players)]
        self.acting = None if view["current_player"] is None else self.distance(view["current_player"])

    def distance(self, p):
        return (p - self.seat) % self.num_players

    def phase(self):
        return [self.view["phase"] == name for name in ("choose", "place", "fly", "gather")]

    def round(self):
        return [self.view["round"] == number for number in (1, 2)]

    def turn(self):
        return [self.view["turn"] == number for number in range(1, 7)]

    def first_player(self):
        return [self.distance(self.view["first_player"]) == steps for steps in range(self.num_players)]

    def current_player(self):
        return [self.acting == steps for steps in range(self.num_players)]

    def points(self):
        return [min(each["points"] / 10, 16) for each in self.players]

    def mana(self):
        return [each["mana"] / 20 for each in self.players]

    # --- cards ---

    def card(self, number):
        if number is None:
            return [0] * 11
        card = self.cards[number]
        movements = [*card.movement, 0, 0][:3]
        return [*(card.type == name for name in TYPES), *(steps / 10 for steps in movements), card.fireflies / 2, card.mana / 10]

    def cards_of_hand(self, cards):
        return [self.card(number) for number in [*sorted(cards), *[None] * HAND][:HAND]]

    def hand(self):
        own = self.players[0]
        secret = own["chosen"] is not None and not (self.view["phase"] == "place" and self.acting == 0)
        return self.cards_of_hand([*own["hand"], own["chosen"]] if secret else own["hand"])

    def chosen(self):
        return self.card(self.players[0]["chosen"])

    def revealed(self):
        return self.card(self.players[self.acting]["chosen"] if self.view["phase"] == "place" else self.view["played"])

    def movement(self):
        return [(self.view["movement"] or 0) / 10]

    def known(self):
        return [each["hand"] is not None for each in self.players[1:]]

    def known_hands(self):
        # A secret choice is among the cards of a known hand, one that lies open is not.
        return [self.cards_of_hand(each["hand"] or ()) for each in self.players[1:]]

    def unseen(self):
        deck = [card for card in self.cards if card.deck == str(self.view["round"])]
        if self.view["phase"] == "over":
            return [0] * len(deck)
        seen = Counter(card for each in self.players for mushroom in each["village"] for card in mushroom["cards"])
        seen.update(card for each in self.players for card in [*(each["hand"] or ()), each["chosen"]])
        copies = [card.copies if card.min_players <= self.num_players else 0 for card in deck]
        return [(number - seen[card.id]) / 2 for number, card in zip(copies, deck, strict=True)]

    # --- villages ---

    def fireflies(self, mushroom):
        return sum(self.cards[card].fireflies for card in mushroom["cards"][0 if self.all_fireflies else -1 :])

    def pays(self, village, mushroom):
        size = len(mushroom["cards"])
        return {
            "Magidrome": sum(self.cards[card].mana for card in mushroom["cards"]),
            "Academy": size,
            "Lookout": (3, 8, 15, 24)[size - 1],
            "Luminarium": size * sum(map(self.fireflies, village)),
            "Pollenarium": size * len(village),
            "Spring": sum(self.cards[card].mana for card in mushroom["cards"]),
        }[mushroom["type"]]

    def mushroom(self, village, mushroom):
        shares = [len(mushroom["cards"]) / 4 if mushroom["type"] == name else 0 for name in TYPES]
        return [*shares, self.fireflies(mushroom) / 2, self.pays(village, mushroom) / 20]

    def villages(self):
        empty = [0] * (len(TYPES) + 2)
        return [
            [self.mushroom(each["village"], mushroom) for mushroom in each["village"]]
            + [empty] * (MUSHROOMS - len(each["village"]))
            for each in self.players
        ]

    def fairies(self):
        places = [(self.distance(each["fairy"]["player"]), each["fairy"]["mushroom"]) for each in self.players]
        rows = range(self.num_players)
        return [[[place == (row, i) for i in range(MUSHROOMS)] for row in rows] for place in places]

    def ahead(self):
        # The whole ring as the own fairy would fly it from the right end of the own village, cut before the fairy.
        ring = [(row, i) for row, each in enumerate(self.players) for i in reversed(range(len(each["village"])))]
        fairy = self.players[0]["fairy"]
        start = ring.index((self.distance(fairy["player"]), fairy["mushroom"])) + 1
        route = [ring[(start + step) % len(ring)] for step in range(AHEAD)]
        villages = [each["village"] for each in self.players]
        return [
            [*self.mushroom(villages[row], villages[row][i]), *(row == other for other in range(self.num_players))]
            for row, i in route
        ]

    # --- objectives ---

    def objectives(self):
        return [number in self.view["objectives"] for number in range(1, 9)]

    def completed(self):
        return [[number in each["objectives"] for number in range(1, 9)] for each in self.players]


@pytest.mark.parametrize("fireflies", ["top", "all"])
@pytest.mark.parametrize("name", ["fairy_ring", "fairy_ring_objectives"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_section_is_what_the_view_of_the_seat_says(num_players, name, fireflies):
    game = envs.make_game(name, num_players, fireflies=fireflies)
    env = VectorAECEnv(game, 1, seed=7, autoreset=False)
    rng = np.random.default_rng(7)
    legal = game.legal_actions(env.states)
    while legal:
        _check_all_seats(env)
        env.step(np.array([rng.choice(legal)]))
        legal = game.legal_actions(env.states)
    _check_all_seats(env)


def _check_all_seats(env):
    game = env.game
    for seat in range(game.num_players):
        observation = env.observe(seat)["observation"][0]
        view = game.to_dict(env.states, seat)
        expectation = Expectation(game, view, seat)
        for section in game.sections:
            expected = np.array(getattr(expectation, section.name)(), np.float32)
            assert expected.shape == section.shape, section.name
            found = game.section(observation, section.name)
            assert np.allclose(found, expected, rtol=0, atol=1e-6), f"{section.name} of seat {seat} in {view}"
