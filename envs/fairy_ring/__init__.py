"""Fairy Ring: plant mushrooms, fly round the ring of all villages, gather mana.

Rule sets
    ``fairy_ring``: the rulebook. ``fairy_ring_objectives``: the same with the variant's objective cards.

Source
    The rulebook of *Fairy Ring* (Laurence Grenier and Fabien Tanguy), English and Japanese text; the Japanese one alone lists the
    eight objectives. Section names in ``rules.py`` are those of the rulebook.

Rules in brief
    Two rounds of six turns. On a turn every player secretly chooses a card of the hand; then, one after another from the first
    player, each plants it at an end of the own village or grows a mushroom of its type, flies as many mushrooms as the card
    says, and gathers from the mushroom the fairy stops on (its owner too, and the owner first). Hands and the first-player
    tile pass to the left. 20 mana are a point. Most points win, then most mana; else the victory is shared.

Fidelity of the card data
    The list of the 66 published cards is not public. ``cards.csv`` is a RECONSTRUCTION that agrees with everything the rulebook
    says and shows (numbers of cards, types, the examples); movements, mana and fireflies of single cards are invented. Option
    ``deck`` takes another list of the same format; ``cards.py`` checks it.

Actions (38)
    ====  =====================================================================================
    0-6   choose the card at that place of the hand, sorted by card id
    7, 8  plant left, plant right
    9-21  grow the own mushroom 0-12, counted from the left (the 13th can never be grown: it is planted last)
    22-24 fly the first, second or third movement of the Spring just placed
    25-37 gather from the own mushroom 0-12
    ====  =====================================================================================

Observation
    See ``observation.sections``; ``game.slice_table()`` prints it for a number of players. ``game.action_table()`` prints what is
    told of an action.

Choices where the texts are silent
    * A chosen card leaves the hand at once; in the view of a seat that knows that hand it is still among its cards.
    * The mushroom a fairy starts from is not passed over, unless a lap comes over it again. 40 mana at once are two points.
    * Points are open: every gain is made in the open, and a player with a memory knows them.
    * Visible fireflies (option ``fireflies``): those of a mushroom's top card, for of a covered card only the lower half
      is seen; or those of all its cards.
    * Which own mushroom to gather from is asked only if they pay different amounts.
    * Objectives are counted as soon as the card is placed: nothing later in the turn changes a village.
    * Which two objectives share a card is not known; they are paired in the order of the list.

Versions
    v0: first version.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envs.checks import show
from envs.fairy_ring import pictures, words
from envs.fairy_ring.action_features import action_sections, describe_tools
from envs.fairy_ring.cards import TYPES, Card, load_cards
from envs.fairy_ring.events import tell
from envs.fairy_ring.kernels import loops
from envs.fairy_ring.observation import HIGH, sections
from envs.fairy_ring.state import (
    DECISIONS_PER_TURN,
    MOVEMENTS,
    NO_CARD,
    NUM_ACTIONS,
    NUM_TYPES,
    ROUNDS,
    STACK,
    TURNS,
    rules_dtype,
    state_dtype,
)
from envs.game import Game, Tuned
from envs.options import Option, complete_options

VERSION = 0
PLAYERS = range(2, 5)
OPTIONS = {
    "objectives": Option(False, "three of the four objective cards, a random side each", (False, True)),
    "fireflies": Option("top", "fireflies of a grown mushroom that count: of its top card or of all cards", ("top", "all")),
    "deck": Option(None, "another card list in the format of the shipped cards.csv"),
}
TUNED = Tuned(
    greedy="agents.greedy.fairy_ring:Greedy",
    network="agents.networks.fairy_ring:RingNetwork",
    search={"exploration": 1.0, "prior": 0.3, "scale": 20.0},
    # A short lambda keeps the luck of the later game out of the advantages, but also what a village earns later on: 0.9 stays
    # 4 to 5 points of win share below 0.97. Standings are counted in mana, 20 to the point.
    training={
        "network": "candidates", "net": [256, 128],
        "timesteps": 1_600_000, "gae_lambda": 0.97, "final_learning_rate": 2e-5, "shaping": 0.005,
    },
    # The learner goes on from where self-play ends, for the labels are worth most where a good player comes to.
    taught={
        "start": "ppo", "label_play": "student", "teacher": "ismcts:32,root=even", "labels": 16_384, "timesteps": 65_536,
        "learning_rate": 5e-4, "eval_every": 1,
    },
)  # fmt: skip


def make_game(name: str, num_players: int, options: Mapping[str, Any]) -> Game:
    """Fairy Ring under a choice of options.

    Raises:
        ValueError: A number of players, an option, a value or a card list that does not fit.
    """
    if num_players not in PLAYERS:
        raise ValueError(f"{name} is for 2 to 4 players, not {show(num_players)}")
    chosen = complete_options(OPTIONS, options, name)
    cards = load_cards(chosen["deck"])
    round_cards = max(len(_deck(cards, number)) for number in range(1, ROUNDS + 1))
    return Game(
        name=name,
        version=VERSION,
        title="Fairy Ring with objectives" if chosen["objectives"] else "Fairy Ring",
        num_players=int(num_players),
        options=chosen,
        state_dtype=state_dtype(num_players, round_cards),
        rules=_tables(cards, num_players, round_cards, chosen),
        num_actions=NUM_ACTIONS,
        sections=sections(num_players, round_cards),
        observation_high=HIGH,
        max_decisions=ROUNDS * TURNS * DECISIONS_PER_TURN * num_players,
        kernels=loops,
        package=__name__,
        words=words,
        pictures=pictures,
        tell=tell,
        action_sections=action_sections(),
        describe_tools=describe_tools,
        facts={"cards": cards},
    )


def _deck(cards: Sequence[Card], round_number: int) -> list[Card]:
    return [card for card in cards if card.deck == str(round_number)]


def _tables(cards: Sequence[Card], num_players: int, round_cards: int, options: Mapping[str, Any]) -> np.ndarray:
    """The component tables that the compiled rules read."""
    tables = np.zeros(1, rules_dtype(round_cards))
    rules = tables[0]
    rules["round_cards"] = round_cards
    rules["all_fireflies"] = options["fireflies"] == "all"
    rules["with_objectives"] = options["objectives"]
    rules["deck"] = NO_CARD
    for card in cards:
        rules["type"][card.id] = TYPES.index(card.type)
        rules["movement"][card.id, : len(card.movement)] = card.movement
        rules["fireflies"][card.id] = card.fireflies
        rules["adds"][card.id, 1:] = [_adds(card, size) for size in range(1, STACK + 1)]
        rules["card_features"][card.id + 1] = _card_features(card)
        if card.deck == "start":
            rules["starting_copies"][card.id] = card.copies
    for number in range(ROUNDS):
        for slot, card in enumerate(_deck(cards, number + 1)):
            rules["deck"][number, slot] = card.id
            rules["slot"][card.id] = slot
            rules["copies"][number, slot] = card.copies if card.min_players <= num_players else 0
    return tables


def _adds(card: Card, size: int) -> int:
    """Mushroom details: what a card adds to what its mushroom pays (an Academy: each step) then of that height."""
    if card.type == "Lookout":
        return size * (size + 2) - (size - 1) * (size + 1)  # 3, 8, 15, 24 in all
    return 1 if card.type == "Academy" else card.mana


def _card_features(card: Card) -> list[float]:
    kind = [float(card.type == name) for name in TYPES]
    movement = [steps / 10 for steps in card.movement] + [0.0] * (MOVEMENTS - len(card.movement))
    features = [*kind, *movement, card.fireflies / 2, card.mana / 10]
    assert len(features) == NUM_TYPES + MOVEMENTS + 2
    return features
