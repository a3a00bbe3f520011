"""A network for Fairy Ring: it reads cards and mushrooms one by one, with the same weights for each.

A flat network has to learn anew for every place of the hand what a card is, and that a movement of 4 leads to the fourth
mushroom on the route. Here a card of the hand is read together with the mushrooms it would bring the fairy to, by weights that
all cards share; so are the own mushrooms. It wins against the rule-based player as often after a quarter of the decisions.
"""

from collections.abc import Sequence

import torch as th
from torch import nn

from agents.networks import layers, logit_layer
from envs.fairy_ring.observation import AHEAD
from envs.fairy_ring.state import (
    ACADEMY,
    CARD_FEATURES,
    COLUMNS,
    HAND,
    MOVEMENTS,
    MUSHROOMS,
    NUM_TYPES,
    PAYS,
    SPRING,
)
from envs.game import Game

FLIGHT, CARD, MUSHROOM = 32, 48, 32  # widths of what is read of a flight, a card and a mushroom
MOVEMENT_UNIT = 10  # movements are tenths in the observation


class Scores(nn.Module):
    """Logits for each of some things, from what was read of it and from the whole position."""

    def __init__(self, size: int, width: int, context: int, count: int) -> None:
        super().__init__()
        self.thing, self.context = nn.Linear(size, width), nn.Linear(context, width)
        self.logits = logit_layer(width, count)

    def forward(self, things: th.Tensor, context: th.Tensor) -> th.Tensor:
        """``(K, N, count)`` for N things ``(K, N, size)`` and a context ``(K, context)``."""
        return self.logits(th.tanh(self.thing(things) + self.context(context)[:, None]))


class RingNetwork(nn.Module):
    """Policy and value for Fairy Ring.

    Args:
        game: Fairy Ring under any options.
        widths: Of the hidden layers that join what was read.
    """

    def __init__(self, game: Game, widths: Sequence[int]) -> None:
        super().__init__()
        self.slices = game.slices
        self.place = COLUMNS + game.num_players  # numbers of a mushroom on the route
        # What a flight leads to: the mushroom with its three gains, that far and one step less, and how far.
        self.flight = layers([2 * (self.place + 3) + 1, FLIGHT])
        self.card = layers([CARD_FEATURES + FLIGHT, CARD])
        self.trunk = layers([game.observation_size + 2 * CARD, *widths])
        last = widths[-1]
        self.choose = Scores(CARD, CARD, last, 1)
        self.own = Scores(COLUMNS, MUSHROOM, last, 2)  # to grow, and to gather from
        self.fly = Scores(FLIGHT, FLIGHT, last, 1)
        self.plant_logits = logit_layer(last, 2)
        self.value = nn.Linear(last, 1)

    def forward(self, observations: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Logits ``(K, 38)`` and values ``(K, 1)`` for observations ``(K, D)``."""
        village = self._section(observations, "villages", -1, MUSHROOMS, COLUMNS)[:, 0]
        cards = th.cat(
            [
                self._section(observations, "hand", HAND, CARD_FEATURES),
                self._section(observations, "revealed", 1, CARD_FEATURES),
            ],
            1,
        )
        flights = self.flight(self._flights(observations, village, cards))
        options = flights[:, HAND:]  # the movements of the card just turned up
        read = self.card(th.cat([cards, th.cat([flights[:, :HAND], options.mean(1, keepdim=True)], 1)], 2))
        joined = self.trunk(th.cat([observations, read[:, :HAND].mean(1), read[:, HAND]], 1))
        choose, own, fly = self.choose(read[:, :HAND], joined), self.own(village, joined), self.fly(options, joined)
        # In the order of the actions: choose, plant, grow, fly, gather.
        logits = th.cat([choose[:, :, 0], self.plant_logits(joined), own[:, :, 0], fly[:, :, 0], own[:, :, 1]], 1)
        return logits, self.value(joined)

    def _section(self, observations: th.Tensor, name: str, *shape: int) -> th.Tensor:
        return observations[:, self.slices[name]].reshape(len(observations), *shape)

    def _flights(self, observations: th.Tensor, village: th.Tensor, cards: th.Tensor) -> th.Tensor:
        """What flights lead to: of each card of the hand (a Spring's three averaged), then of each movement of the revealed card.

        ``(K, 7 + 3, 2 * (place + 3) + 1)``
        """
        movements = cards[:, :, NUM_TYPES : NUM_TYPES + MOVEMENTS].reshape(len(cards), -1)
        steps = (movements * MOVEMENT_UNIT).round().long().clamp(0, AHEAD)
        # A mushroom planted on the left may come between: then the fairy stops where one step less leads to now.
        both = th.cat([steps, (steps - 1).clamp(0)], 1)
        route = self._route(observations, village)
        reached = route.gather(1, both[:, :, None].expand(-1, -1, route.shape[2]))
        count = steps.shape[1]
        found = th.cat([reached[:, :count], reached[:, count:], movements[:, :, None]], 2)
        found = found.reshape(len(cards), HAND + 1, MOVEMENTS, -1)
        has = (movements > 0).float().reshape(len(cards), HAND + 1, MOVEMENTS, 1)
        mean = (found * has).sum(2) / has.sum(2).clamp(min=1)
        return th.cat([mean[:, :HAND], found[:, HAND]], 1)

    def _route(self, observations: th.Tensor, village: th.Tensor) -> th.Tensor:
        """The mushrooms ahead, each with what it and the best own one of its type pay: ``(K, 1 + AHEAD, place + 3)``.

        Row 0, where a movement of 0 leads, is zeros.
        """
        ahead = self._section(observations, "ahead", AHEAD, self.place)
        types = (ahead[:, :, :NUM_TYPES] > 0).float()
        best_own = ((village[:, :, :NUM_TYPES] > 0) * village[:, :, PAYS, None]).amax(1)
        is_own = ahead[:, :, COLUMNS, None]
        pays = ahead[:, :, PAYS, None] * (1 - types[:, :, SPRING, None])
        own_gain = pays * is_own + (types * best_own[:, None]).sum(2, keepdim=True) * (1 - is_own)
        gains = th.cat([own_gain, pays * (1 - is_own), types[:, :, ACADEMY, None]], 2)
        return nn.functional.pad(th.cat([ahead, gains], 2), (0, 0, 1, 0))
