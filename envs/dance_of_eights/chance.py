"""The chance of Dance of Eights event by event, with all outcomes: what solving a game needs, where it is small enough.

An event is a hand that is dealt, the card that is turned up, or a card that is drawn. The rules are not said again here: their
own compiled code runs once for every card of the deck, each time from the random word with which it draws that card, and equal
records are one outcome. Records of a game played this way have no random word of their own: it is 0.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from envs import engine
from envs.dance_of_eights.rules import begin, deal_card, lay_out, step, turn_card_up
from envs.dance_of_eights.state import DRAW_ACTION
from envs.dance_of_eights.words import cards_of
from envs.engine.rng import word_before
from envs.game import Game, Outcome

_Event = Callable[[np.ndarray], None]
_Chances = dict[bytes, Fraction]


def before_deal(game: Game) -> np.ndarray:
    """The record in which all cards are in the deck, ``(1,)``."""
    record = np.zeros(1, game.state_dtype)
    _lay_out_batch(record, game.rules)
    return record


def num_deals(game: Game) -> int:
    """Events of the deal: a hand for each player, and the card that is turned up."""
    return game.num_players + 1


def deal_outcomes(game: Game, record: np.ndarray, number: int) -> list[Outcome]:
    """What event ``number`` of the deal may lead to; the last one begins the game."""
    if number < game.num_players:
        chances = _drawn(game, record, lambda tries: _deal_batch(tries, game.rules, number), game.facts["hand"])
        return _outcomes(game, record, chances, f"player {number} is dealt")
    chances = _drawn(game, record, lambda tries: _turn_up_batch(tries, game.rules), 1)
    return _outcomes(game, record, chances, "the card turned up is")


def action_outcomes(game: Game, record: np.ndarray, action: int) -> list[Outcome]:
    """What a legal action may lead to; empty if it involves no chance."""
    if action != DRAW_ACTION:
        return []
    chances = _drawn(game, record, lambda tries: _step_batch(tries, game.rules, action), 1)
    return _outcomes(game, record, chances, f"player {int(record['current_player'][0])} draws")


def most_outcomes(game: Game) -> int:
    """Most outcomes of any event: the first hand is dealt from all the cards."""
    return len(deal_outcomes(game, before_deal(game), 0))


def _drawn(game: Game, record: np.ndarray, event: _Event, cards: int) -> _Chances:
    """Records, as bytes, and their probabilities after drawing one card has happened ``cards`` times."""
    reached: _Chances = {record.tobytes(): Fraction(1)}
    for _ in range(cards):
        following: _Chances = {}
        for before, chance in reached.items():
            tries = _tries(game, before, event)
            for after in tries:
                key = after.tobytes()
                following[key] = following.get(key, Fraction(0)) + chance / len(tries)
        reached = following
    return reached


def _tries(game: Game, before: bytes, event: _Event) -> np.ndarray:
    """The records after an event, one for each card that may be drawn."""
    start = np.frombuffer(before, game.state_dtype)
    cards = int(start["deck_size"][0])
    tries = np.repeat(start, cards)
    tries["rng"] = [word_before(rank, cards) for rank in range(cards)]
    event(tries)
    tries["rng"] = 0
    return tries


def _outcomes(game: Game, before: np.ndarray, chances: _Chances, words: str) -> list[Outcome]:
    """Outcomes in the order of the cards that have left the deck."""
    found = []
    for content, chance in chances.items():
        record = np.frombuffer(content, game.state_dtype)
        gone = _deck(before) - _deck(record)
        names = ", ".join(f"{gone[card.id]} {card.name}" for card in cards_of(game) if gone[card.id])
        found.append((tuple(-gone), Outcome(f"{words} {names}", float(chance), record)))
    return [outcome for _, outcome in sorted(found, key=lambda pair: pair[0])]


def _deck(record: np.ndarray) -> np.ndarray:
    """Copies of each card in the deck of ``(1,)`` records, as integers that can be subtracted."""
    return np.ascontiguousarray(record["deck"].astype("<u8")).view(np.int8)[0].astype(np.int64)


# --- the rules' own code, for a batch of records that differ in their random words ------------------------------------------


@engine.kernel
def _lay_out_batch(states, rules):
    for i in range(len(states)):
        lay_out(states[i], rules[0])


@engine.kernel
def _deal_batch(states, rules, p):
    for i in range(len(states)):
        deal_card(states[i], rules[0], p)


@engine.kernel
def _turn_up_batch(states, rules):
    for i in range(len(states)):
        turn_card_up(states[i])
        begin(states[i])


@engine.kernel
def _step_batch(states, rules, action):
    for i in range(len(states)):
        states[i]["decisions"] += 1
        step(states[i], rules[0], action)
