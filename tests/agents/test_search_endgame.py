"""The tree search in the last turns of a card game, with an opponent and two cards to draw, against values worked out exactly."""

import random

import numpy as np
import pytest

import envs
from agents.search import SearchAgent, Settings
from agents.search.agent import _Forest
from envs.dance_of_eights.state import DRAW_ACTION, HAND, NUM_CARDS
from envs.engine import NO_PLAYER

GAME = envs.make_game("dance_of_eights", 2, copies=1, max_turns=1)
AGENT = SearchAgent(GAME, Settings(simulations=300_000, exploration=1.0, prior=0.0, rollout="random"))
NEAR = 0.06  # a search's means hold all it has tried on the way, and a seldom tried answer of the opponent is a late one


# --- the positions ------------------------------------------------------------------------------------------------------


def endgame(phase, seed):
    """A ``(1,)`` record: seat 0 has one turn left, in this phase of it, and then seat 1; two cards are in the deck.

    Each seat has seen all that the other holds, so the deck is known, and which card a draw brings is the only chance. That the
    opponent does not see a draw changes nothing: in the last turn nobody can lose by another card.
    """
    pack = [card.id for card in GAME.facts["cards"] for _ in range(card.rows)]
    random.Random(seed).shuffle(pack)
    parts = []
    for size in (HAND + (phase == "discard"), HAND, 2, len(pack)):
        parts.append(np.bincount(pack[:size], minlength=NUM_CARDS).tolist())
        pack = pack[size:]
    own, other, deck, discard = parts
    view = {"turn": 1, "phase": phase, "current_player": 0, "winner": None, "deck_size": 2, "deck": deck, "discard": discard}
    return GAME.from_dict({**view, "hands": [own, other], "known": [own, other]})


# --- their values -------------------------------------------------------------------------------------------------------


def values_of(record):
    """What each legal action is worth to seat 0, by action, if both play as well as can be from there on."""
    values = {}
    for action in GAME.legal_actions(record[0]):
        values[action] = draw_value(record) if action == DRAW_ACTION else value(played(record, action))
    return values


def value(record):
    """What a game is worth to seat 0: 1 for a Ring of its own, -1 for one of the other's, 0 for none."""
    if record["current_player"][0] == NO_PLAYER:
        return {NO_PLAYER: 0.0, 0: 1.0, 1: -1.0}[int(record["winner"][0])]
    best = max if record["current_player"][0] == 0 else min
    return best(values_of(record).values())


def played(record, action):
    """The game after an action."""
    after = record.copy()
    GAME.kernels.step(after[0], GAME.rules[0], action)
    return after


def draw_value(record):
    """The mean over the cards of the deck, each of which may be the one drawn."""
    view, total = GAME.to_dict(record[0]), 0.0
    player, deck = view["current_player"], view["deck"]
    for card, copies in enumerate(deck):
        if copies:
            hands = [list(hand) for hand in view["hands"]]
            hands[player][card] += 1
            left = [count - (place == card) for place, count in enumerate(deck)]
            drawn = {"hands": hands, "deck": left, "deck_size": view["deck_size"] - 1, "phase": "discard"}
            total += copies * value(GAME.from_dict(view | drawn))
    return total / view["deck_size"]


# --- and what the search finds ------------------------------------------------------------------------------------------


# Seeds from 0 to 3000 whose positions have actions of these values to seat 0.
@pytest.mark.parametrize(
    ("phase", "seed", "worth"),
    [
        # Some cards would give the opponent a Ring; without them it has none, or draws one with chance 1/2.
        ("discard", 22, [-1, 0]),
        ("discard", 31, [-1, 0]),
        ("discard", 45, [-1, 0]),
        ("discard", 2468, [-1, -0.5]),
        ("discard", 2495, [-1, -0.5]),
        # One card leaves a Ring.
        ("discard", 134, [0, 1]),
        ("discard", 476, [-1, 1]),
        ("discard", 2615, [-1, 0, 1]),
        # One card must be taken away from the opponent, which then has no Ring or draws one with chance 1/2.
        ("gain", 19, [-1, 0]),
        ("gain", 105, [-1, -0.5]),
        ("gain", 83, [-1, 0]),  # a draw is as good: it makes a Ring or leaves the opponent to win
        # A Ring can be drawn, with chance 1/2.
        ("gain", 914, [0, 0.5]),
        # One card makes a Ring.
        ("gain", 199, [-1, -0.5, 1]),
        ("gain", 2049, [-1, -0.5, 0, 1]),
    ],
)
def test_with_two_cards_to_draw_the_search_finds_a_best_action_and_its_value(phase, seed, worth):
    record = endgame(phase, seed)
    values = values_of(record)
    assert sorted(set(values.values())) == worth
    forest = _Forest(AGENT, record, AGENT.settings.simulations + 1)
    forest.grow(AGENT.settings.simulations)
    action = int(forest.found().actions[0])
    assert values[action] == worth[-1]
    nodes = forest.nodes[: forest.trees["size"][0]]
    chosen = nodes[(nodes["parent"] == 0) & (nodes["action"] == action)]
    for node in (nodes[0], chosen[0]):
        assert node["total"] / node["visits"] == pytest.approx([worth[-1], -worth[-1]], abs=NEAR)
