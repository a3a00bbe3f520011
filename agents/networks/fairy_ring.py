"""A network for Fairy Ring: it reads a card together with what comes of it, by the same weights for every card.

A flat network has to learn anew for every place of the hand what a card is, and that a movement of 4 leads to the fourth
mushroom on the route. Here every card of the hand, and the one turned up, is read once for each *way* to place it (planted on
the left, planted on the right, grown on) with the mushroom that its flight would then reach. What is read scores the places; a
card is chosen for the best of its places. The own mushrooms share their weights, too.

K decisions, C cards: the hand and the card turned up.
"""

from collections.abc import Sequence

import torch as th
from torch import nn

from agents.networks.layers import LOGIT_GAIN, Scores, layers, logit_layer, tanh
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

READ = 48  # numbers read of a card and its flight, of a flight, and of an own mushroom
WAYS = 3  # to place a card: planted on the left, planted on the right, grown on
CARDS = HAND + 1
GAINS = 3  # what landing on a mushroom brings: the player, its owner, and for each step (Academy)
MOVEMENT_UNIT = 10  # movements are tenths in the observation
FULL = 1.0  # a mushroom of the largest size
NEVER = -1e4  # logit of a place that a card cannot take
FAR = 10 * AHEAD  # farther than any fairy flies


class RingNetwork(nn.Module):
    """Policy and value for Fairy Ring.

    Args:
        game: Fairy Ring under any options.
        widths: Of the hidden layers that join what was read.
    """

    def __init__(self, game: Game, widths: Sequence[int]) -> None:
        super().__init__()
        self.slices, self.players = game.slices, game.num_players
        last = widths[-1]
        self.reached = nn.Linear(COLUMNS + game.num_players + GAINS, READ)
        self.planted = nn.Parameter(th.randn(READ) / 10)  # in the place of a mushroom: the fairy lands on the card itself
        self.card = nn.Linear(CARD_FEATURES, WAYS * READ)
        self.trunk = layers([game.observation_size + 2 * WAYS * READ, *widths])
        self.context = nn.Linear(last, WAYS * READ)
        self.play = nn.ModuleList(nn.Linear(READ, READ) for _ in range(WAYS))
        self.plant_logits = nn.Parameter(th.randn(WAYS - 1, READ) * LOGIT_GAIN)
        self.choose_logits = logit_layer(READ, 1)
        self.mushroom, self.mushroom_context = nn.Linear(COLUMNS, READ), nn.Linear(last, READ)
        self.grow = logit_layer(READ, READ)
        self.gather_logits = logit_layer(READ, 1)
        self.fly = Scores(READ, READ, last, 1)
        self.value = nn.Linear(last, 1)

    def forward(self, observations: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Logits ``(K, 38)`` and values ``(K, 1)`` for observations ``(K, D)``."""
        village = self._section(observations, "villages", self.players, MUSHROOMS, COLUMNS)[:, 0]
        hand = self._section(observations, "hand", HAND, CARD_FEATURES)
        cards = th.cat([hand, self._section(observations, "revealed", 1, CARD_FEATURES)], 1)
        route = self._route(observations, village)
        flights = (self._flights(observations, cards).flatten(1, 2) @ route).unflatten(1, (WAYS, CARDS))
        read = tanh(flights + self.card(cards).unflatten(2, (WAYS, READ)).transpose(1, 2))
        of_hand, of_revealed = read.split([HAND, 1], 2)
        joined = self.trunk(th.cat([observations, th.cat([of_hand.mean(2), of_revealed[:, :, 0]], 1).flatten(1)], 1))
        plays = self._plays(read, joined)
        mushrooms = tanh(self.mushroom(village) + self.mushroom_context(joined)[:, None])
        places, placed = self._places(plays, mushrooms).split([HAND, 1], 1)
        has = _has_place(village, hand)
        # The soft maximum of a card's places, less what it would be were all worth nothing: untrained, all cards are alike.
        worth = places.masked_fill(~has, NEVER).logsumexp(2) - has.sum(2).log()
        choose = worth + self.choose_logits(sum(plays) / WAYS)[:, :HAND, 0]
        fly = self.fly(self._movements(cards[:, HAND:]) @ route, joined)
        # In the order of the actions: choose, plant and grow, fly, gather.
        logits = [choose, placed[:, 0], fly[:, :, 0], self.gather_logits(mushrooms)[:, :, 0]]
        return th.cat(logits, 1), self.value(joined)

    def _section(self, observations: th.Tensor, name: str, *shape: int) -> th.Tensor:
        return observations[:, self.slices[name]].reshape(len(observations), *shape)

    def _route(self, observations: th.Tensor, village: th.Tensor) -> th.Tensor:
        """What is read of the mushrooms ahead, and last of the one that is being planted: ``(K, AHEAD + 1, READ)``."""
        ahead = self._section(observations, "ahead", AHEAD, COLUMNS + self.players)
        types = (ahead[:, :, :NUM_TYPES] > 0).float()
        best_own = ((village[:, :, :NUM_TYPES] > 0) * village[:, :, PAYS, None]).amax(1)
        is_own = ahead[:, :, COLUMNS, None]
        pays = ahead[:, :, PAYS, None] * (1 - types[:, :, SPRING, None])
        own_gain = pays * is_own + (types * best_own[:, None]).sum(2, keepdim=True) * (1 - is_own)
        reached = self.reached(th.cat([ahead, own_gain, pays * (1 - is_own), types[:, :, ACADEMY, None]], 2))
        return th.cat([reached, self.planted.expand(len(reached), 1, READ)], 1)

    def _movements(self, cards: th.Tensor) -> th.Tensor:
        """Where the movements of cards lead on the route as it is, one-hot: ``(K, N * 3, AHEAD + 1)``; zeros for no movement."""
        return _one_hot(_steps(cards)).flatten(1, 2)

    def _flights(self, observations: th.Tensor, cards: th.Tensor) -> th.Tensor:
        """Where each card leads for each way to place it: shares of the route, ``(K, WAYS, C, AHEAD + 1)``.

        A mushroom planted on the left stands where the fairy leaves the own village, one planted on the right where it comes in;
        what lies behind it is one step farther. A Spring may fly three ways: a third of each.
        """
        here = self._section(observations, "fairies", self.players, self.players, MUSHROOMS)[:, 0, 0].amax(1, keepdim=True)
        ahead = self._section(observations, "ahead", AHEAD, COLUMNS + self.players)[:, :, COLUMNS]
        is_own = th.cat([here, ahead], 1) > 0
        leaves, comes = is_own[:, :-1] & ~is_own[:, 1:], ~is_own[:, :-1] & is_own[:, 1:]
        never = th.full((len(cards),), FAR)
        planted = th.stack([_first(leaves), _first(comes), never], 1)[:, :, None, None]
        steps = _steps(cards)[:, None]
        reached = th.where(steps == planted, AHEAD, th.where(steps > planted, steps - 1, steps))
        has = (steps >= 0).float().expand(reached.shape)
        shares = has / has.sum(3, keepdim=True).clamp(min=1)
        return th.zeros(*reached.shape[:3], AHEAD + 1).scatter_add_(3, reached.clamp(min=0), shares)

    def _plays(self, read: th.Tensor, joined: th.Tensor) -> list[th.Tensor]:
        """What is read of each card placed each way, in the whole position: for every way ``(K, C, READ)``."""
        contexts = self.context(joined)[:, None].split(READ, 2)
        return [tanh(play(way) + context) for play, way, context in zip(self.play, read.unbind(1), contexts, strict=True)]

    def _places(self, plays: list[th.Tensor], mushrooms: th.Tensor) -> th.Tensor:
        """Logits of the places of each card, ``(K, C, 2 + MUSHROOMS)``: planted left, planted right, grown on a mushroom."""
        planted = [way @ logits[:, None] for way, logits in zip(plays, self.plant_logits, strict=False)]
        return th.cat([*planted, plays[-1] @ self.grow(mushrooms).transpose(1, 2)], 2)


def _has_place(village: th.Tensor, cards: th.Tensor) -> th.Tensor:
    """Which places each card can take, ``(K, N, 2 + MUSHROOMS)``: any can be planted, but grow only on its own type."""
    sizes = village[:, :, :NUM_TYPES]
    may_grow = cards[:, :, :NUM_TYPES] @ ((sizes > 0) & (sizes < FULL)).float().transpose(1, 2) > 0
    return nn.functional.pad(may_grow, (WAYS - 1, 0), value=True)


def _steps(cards: th.Tensor) -> th.Tensor:
    """How many mushrooms of the route each movement of cards passes before it ends: ``(K, N, MOVEMENTS)``, -1 for no movement."""
    movements = cards[:, :, NUM_TYPES : NUM_TYPES + MOVEMENTS]
    return (movements * MOVEMENT_UNIT).round().long().clamp(max=AHEAD) - 1


def _one_hot(places: th.Tensor) -> th.Tensor:
    """One-hot over the route and the mushroom being planted; zeros for -1."""
    return (places[..., None] == th.arange(AHEAD + 1)).float()


def _first(found: th.Tensor) -> th.Tensor:
    """The first column that is true in each row, ``FAR`` if there is none."""
    return th.where(found.any(1), found.float().argmax(1), FAR)
