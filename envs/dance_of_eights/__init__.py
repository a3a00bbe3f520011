"""Dance of Eights: gain a card, discard a card, be the first to hold a Ring of eight dancers.

Source
    The text of *Dance of Eights*, a game of the Fairy Circle Ring deck, with its list of 58 cards. Section names in ``rules.py``
    are those of the text.

Rules in brief
    Eight cards each, one card face up beside the deck. On a turn a player gains a card, the top one of the deck or any one of
    the discard area, and then lays one of the nine face up into the discard area. Who then holds a Ring wins: four dancers of
    each sex, an even number of every size, alignment and element, at least two elements.

Cards
    The list has 58 rows. Equal rows are one card: there are 42 distinct cards, with ids 0-41 in the order of their first rows,
    and 26 distinct combinations of attributes. ``game.facts["cards"]`` lists them; ``game.facts["card_values"]``, a table
    ``(42, 12) float32``, is what a card id means to a network: a 1 in the column of each of its four values, in the order of
    section ``values`` of the observation.

Actions (85)
    =====  ============================================
    0      draw the top card of the deck
    1-42   take the card 0-41 from the discard area
    43-84  discard the card 0-41
    =====  ============================================

Observation
    See ``observation.sections``; ``game.slice_table()`` prints it for a number of players. It is all that a seat with a perfect
    memory knows: the cards each player has taken in the open and not discarded since are in it, the own ones too (what the
    others know of the own hand).

Rings
    ``ring_counts.py`` counts them exactly. Of the 58-card pack (``copies=1``) 534,389 different hands are a Ring and one is dealt
    with probability 0.248464 % (1 in 402.5); of the 116-card pack (``copies=2``) 1,237,292 and 0.248739 % (1 in 402.0).

Choices where the text is silent
    * Two of each card: option ``copies``. By the letter every row of the list is there twice (2, the default). Since the list
      names each Fey twice already, it may also mean the 58 rows once (1).
    * The youngest player, who begins, is seat 0; who deals makes no difference.
    * A dealt Ring wins before the first turn; of several the one of the first seat in turn order.
    * The card just gained may be discarded. A Ring counts when eight cards are left, that is after the discard.
    * A Ring is shown without being asked: a player does not choose to go on.
    * When the deck is empty only the discard area is left to take from; it is never empty then. It is not shuffled into a deck.
    * After ``max_turns`` turns of each player the game is truncated: nobody wins, all are paid 0.
    * Scores are 1 for the winner and 0 for the others, who are equal.
    * All eight dancers may be of one size or one alignment; of the elements there must be two.
    * The discard area is seen by all, and so is which card is taken from it; the order of the cards in it means nothing.
    * The state dict as a seat sees it hides the other hands to the end, the winner's too.
    * Re-dealt hands of players who wait are never Rings, for a Ring would have ended the game. Of a player in the middle of the
      own turn the nine cards are dealt as they come.

Versions
    v0: first version.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envs.checks import show
from envs.dance_of_eights import pictures, words
from envs.dance_of_eights.action_features import action_sections, describe_tools
from envs.dance_of_eights.cards import VALUES, load_cards
from envs.dance_of_eights.events import tell
from envs.dance_of_eights.kernels import loops
from envs.dance_of_eights.observation import HIGH, sections
from envs.dance_of_eights.ring_test import tally_of
from envs.dance_of_eights.state import COUNTS_PER_WORD, DECISIONS_PER_TURN, HAND, NUM_ACTIONS, ROW, RULES, VALUE_ROW, state_dtype
from envs.game import Game, Tuned
from envs.options import Option, complete_options

VERSION = 0
PLAYERS = range(2, 8)
OPTIONS = {
    "copies": Option(2, "how often the pack holds each row of the card list: 58 or 116 cards", (1, 2)),
    "max_turns": Option(100, "turns of each player after which the game is cut off and nobody wins", range(1, 1001)),
}
TUNED = Tuned(
    greedy="agents.greedy.dance_of_eights:Greedy",
    # Actions differ by a percent or two of the games, far less than a tree of a few hundred simulations can tell apart below its
    # first actions.
    search={"exploration": 1.0, "prior": 0.2, "rollouts": 8, "expand": 1000},
    training={"network": "candidates", "timesteps": 2_000_000},
)


def make_game(name: str, num_players: int, options: Mapping[str, Any]) -> Game:
    """Dance of Eights under a choice of options.

    Raises:
        ValueError: A number of players, an option or a value that does not fit.
    """
    if num_players not in PLAYERS:
        raise ValueError(f"{name} is for 2 to 7 players, not {show(num_players)}")
    chosen = complete_options(OPTIONS, options, name)
    pack = [card.rows * chosen["copies"] for card in load_cards()]
    return game_of(name, num_players, chosen, pack)


def game_of(
    name: str, num_players: int, chosen: Mapping[str, Any], pack: Sequence[int], hand: int = HAND, **facts: Any
) -> Game:
    """The game with a pack and a length of hands; it fits the compiled rules if each card is there up to four times.

    Args:
        name: What it is called.
        num_players: Seats.
        chosen: All options, ``max_turns`` among them.
        pack: Copies of each of the 42 cards.
        hand: Cards in a hand between turns, ``HAND`` or half of it.
        **facts: What differs from the game itself besides, see ``Game``.
    """
    return Game(
        name=name,
        version=VERSION,
        title="Dance of Eights",
        num_players=int(num_players),
        options=chosen,
        state_dtype=state_dtype(num_players),
        rules=_tables(chosen["max_turns"], pack, hand),
        num_actions=NUM_ACTIONS,
        sections=sections(num_players),
        observation_high=HIGH,
        max_decisions=chosen["max_turns"] * DECISIONS_PER_TURN * num_players,
        kernels=loops,
        package=facts.pop("package", __name__),
        words=words,
        pictures=pictures,
        tell=tell,
        can_truncate=True,
        action_sections=action_sections(),
        describe_tools=describe_tools,
        facts={"cards": load_cards(), "card_values": card_values(), "hand": hand},
        **facts,
    )


def card_values() -> np.ndarray:
    """``(42, 12) float32``: 1 where a card has a value, in the order of ``cards.VALUES``; what a card id means to a network."""
    table = np.zeros((len(load_cards()), len(VALUES)), np.float32)
    for card in load_cards():
        table[card.id, list(card.columns)] = 1
    table.flags.writeable = False
    return table


def _tables(max_turns: int, pack: Sequence[int], hand: int) -> np.ndarray:
    """The component tables that the compiled rules read."""
    tables = np.zeros(1, RULES)
    rules = tables[0]
    rules["cards"], rules["row"], rules["value_row"] = len(load_cards()), ROW, VALUE_ROW
    rules["max_turns"], rules["fewer"] = max_turns, HAND - hand
    for card, copies in zip(load_cards(), pack, strict=True):
        word, place = divmod(card.id, COUNTS_PER_WORD)
        rules["copies"][card.id] = copies
        rules["values"][card.id] = tally_of(card)
        rules["deck"][word] += np.uint64(copies << 8 * place)
        rules["num_cards"] += copies
    return tables
