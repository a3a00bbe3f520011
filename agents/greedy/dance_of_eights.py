"""A rule-based player for Dance of Eights: knows which single exchange makes a Ring, and how likely it is to come.

Whether a hand is a Ring depends on the attributes of its cards alone: on their *kinds*, of which there are 26. A card given away
leaves at most one kind that makes the other seven a Ring, the one with the same parities as those seven. A table by parities
names it, so the kinds that complete a hand are found exactly, with one look-up for each kind of card it could give away.

* Discarding, it keeps a Ring if it can, else the eight cards with the best chance to be one an exchange later (`_chance`). Where
  that is next to none it looks two exchanges ahead: at what the card drawn next would lead to.
* Gaining, it compares the best eight cards after each card it could take with what a draw leads to on average over the cards it
  has not seen (`_draw`); a Ring is certain and so comes first.

It reads the own hand, the discard area and what was taken in the open, and never what the seat cannot know.
"""

import numpy as np

from envs import engine
from envs.dance_of_eights import rules as game_rules
from envs.dance_of_eights.cards import VALUES, Card
from envs.dance_of_eights.ring import BITS, is_ring, tally_of
from envs.dance_of_eights.state import DISCARD_ACTION, DRAW_ACTION, HAND, NUM_CARDS, TAKE_ACTION
from envs.game import Game

AWAY = 0.5  # the chance that a card which lies in the discard area is gone a round later
DULL = 0.03  # with a smaller chance it looks two exchanges ahead
FAR = 0.003  # what each odd number and each dancer too many of a sex takes off a chance: little, so that it only parts equals

MAX_KINDS = 32
NO_KIND = -1
_COUNT = np.uint64((1 << BITS) - 1)

TABLES = np.dtype(
    [
        ("kinds", np.int64),  # how many there are
        ("kind", np.int8, (NUM_CARDS,)),  # of each card
        ("values", np.uint64, (MAX_KINDS,)),  # each kind's contribution to a tally
        ("code", np.int16, (MAX_KINDS,)),  # each kind's values as bits; of several cards, by exclusive or, the parities
        ("kind_of_code", np.int8, (1 << len(VALUES),)),  # the kind with these values, NO_KIND if there is none
        ("odd", np.int8, (1 << len(VALUES),)),  # how many bits are set
    ],
    align=True,
)

SIGHT = np.dtype(
    [
        ("tally", np.uint64),  # of the own hand
        ("code", np.int64),  # parities of the own hand
        ("unseen_cards", np.int64),
        ("held_kinds", np.int64),  # different kinds in the own hand
        ("held", np.int8, (HAND + 1,)),  # which they are
        ("hand", np.int8, (MAX_KINDS,)),  # own cards of each kind
        ("lying", np.int8, (MAX_KINDS,)),  # cards of each kind in the discard area
        ("unseen", np.int8, (MAX_KINDS,)),  # cards of each kind in the deck or, not taken in the open, in other hands
    ],
    align=True,
)
"""What the player sees, by kinds of cards; its hand changes while it thinks of exchanges."""


class Greedy:
    """The rule-based player.

    Args:
        game: A rule set of Dance of Eights.
    """

    name = "greedy"

    def __init__(self, game: Game) -> None:
        self.game = game
        self.tools = make_tables(game.facts["cards"]), np.zeros(1, SIGHT)

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The best action of each row; see ``agents.agent.Agent``."""
        actions = np.empty(len(worlds), np.int64)
        act_batch(worlds, self.tools, actions)
        return actions


def make_tables(cards: tuple[Card, ...]) -> np.ndarray:
    """The kinds of cards, by card and by parities."""
    tables = np.zeros(1, TABLES)
    table = tables[0]
    table["kind_of_code"] = NO_KIND
    table["odd"] = [code.bit_count() for code in range(1 << len(VALUES))]
    for card in cards:
        code = sum(1 << column for column in card.columns)
        if table["kind_of_code"][code] == NO_KIND:
            kind = int(table["kinds"])
            table["kind_of_code"][code] = kind
            table["code"][kind] = code
            table["values"][kind] = tally_of(card)
            table["kinds"] += 1
        table["kind"][card.id] = table["kind_of_code"][code]
    return tables


@engine.kernel
def act_batch(worlds, tools, actions):
    """Writes the best action of each row."""
    for i in range(len(worlds)):
        actions[i] = _action(worlds[i], tools)


@engine.jit
def decide(world, rules, mask, tools):
    """The best action of one game, of which neither mask nor rules are needed; ``tools`` are the kinds of cards and its sight."""
    return _action(world, tools)


@engine.jit
def _action(world, tools):
    tables, sight = tools
    _look(world, tables[0], sight[0])
    if world["phase"] == game_rules.GAIN:
        return _gain(world, tables[0], sight[0])
    return _discard(world, tables[0], sight[0])


@engine.jit
def _look(state, tables, sight):
    """Sorts all that the player to act sees by kinds."""
    p = state["current_player"]
    sight["tally"] = state["tally"][p]
    sight["code"] = 0
    sight["held_kinds"] = 0
    sight["unseen_cards"] = 0
    for kind in range(tables["kinds"]):
        sight["hand"][kind] = 0
        sight["lying"][kind] = 0
        sight["unseen"][kind] = 0
    for card in range(NUM_CARDS):
        kind = tables["kind"][card]
        copies = int(state["hands"][p, card])
        unseen = int(state["unplaced"][card]) - copies + int(state["known"][p, card])
        sight["unseen"][kind] += unseen
        sight["unseen_cards"] += unseen
        sight["lying"][kind] += state["discard"][card]
        if copies > 0:
            if sight["hand"][kind] == 0:
                sight["held"][sight["held_kinds"]] = kind
                sight["held_kinds"] += 1
            sight["hand"][kind] += copies
            if copies & 1:
                sight["code"] ^= int(tables["code"][kind])


@engine.inline
def _pick_up(tables, sight, kind):
    """Thinks a card of a kind into the hand."""
    if sight["hand"][kind] == 0:
        sight["held"][sight["held_kinds"]] = kind
        sight["held_kinds"] += 1
    sight["hand"][kind] += 1
    sight["tally"] += tables["values"][kind]
    sight["code"] ^= int(tables["code"][kind])


@engine.inline
def _lay_down(tables, sight, kind):
    """Thinks a card of a kind out of the hand."""
    sight["hand"][kind] -= 1
    if sight["hand"][kind] == 0:
        last = int(sight["held_kinds"]) - 1
        place = last
        while sight["held"][place] != kind:
            place -= 1
        sight["held"][place] = sight["held"][last]
        sight["held_kinds"] = last
    sight["tally"] -= tables["values"][kind]
    sight["code"] ^= int(tables["code"][kind])


@engine.inline
def _chance(tables, sight, given):
    """The chance that the hand without a card of kind ``given`` is a Ring an exchange later, less how far it is from one."""
    tally, code = sight["tally"] - tables["values"][given], sight["code"] ^ int(tables["code"][given])
    unseen, lying = 0, 0
    for i in range(sight["held_kinds"]):
        out = sight["held"][i]
        if out == given and sight["hand"][out] == 1:
            continue
        wanted = tables["kind_of_code"][code ^ int(tables["code"][out])]
        if wanted != NO_KIND and is_ring(tally - tables["values"][out] + tables["values"][wanted]):
            unseen += int(sight["unseen"][wanted])
            lying += int(sight["lying"][wanted])
    missed = 1.0 - unseen / max(1, int(sight["unseen_cards"]))
    if lying > 0:
        missed *= AWAY
    first_sex = int(tally & _COUNT)
    return 1.0 - missed - FAR * (int(tables["odd"][code]) + 2 * abs(first_sex - HAND // 2))


@engine.jit
def _best(tables, sight):
    """The best chance of the nine cards in hand after a discard, 1 for a Ring, and the kind to discard."""
    best, kind = -1.0, 0
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        if is_ring(sight["tally"] - tables["values"][given]):
            return 1.0, given
        chance = _chance(tables, sight, given)
        if chance > best:
            best, kind = chance, given
    return best, kind


@engine.jit
def _draw(tables, sight):
    """The best chance after a draw and a discard, on average over the cards not seen."""
    total = 0.0
    for kind in range(tables["kinds"]):
        unseen = int(sight["unseen"][kind])
        if unseen > 0:
            sight["unseen"][kind] -= 1
            _pick_up(tables, sight, kind)
            total += unseen * _best(tables, sight)[0]
            _lay_down(tables, sight, kind)
            sight["unseen"][kind] += 1
    return total / max(1, int(sight["unseen_cards"]))


@engine.jit
def _gain(state, tables, sight):
    """The gain with the best chance after it."""
    best, taken = -1.0, NO_KIND
    if state["deck_size"] > 0:
        best = _draw(tables, sight)
    for kind in range(tables["kinds"]):
        if sight["lying"][kind] > 0:
            sight["lying"][kind] -= 1
            _pick_up(tables, sight, kind)
            chance = _best(tables, sight)[0]
            _lay_down(tables, sight, kind)
            sight["lying"][kind] += 1
            if chance > best:
                best, taken = chance, kind
    return DRAW_ACTION if taken == NO_KIND else TAKE_ACTION + _first_card(state["discard"], tables, taken)


@engine.jit
def _discard(state, tables, sight):
    """The discard with the best chance after it, or, where no chance is worth the name, with the best one after a draw."""
    best, kind = _best(tables, sight)
    if best < DULL:
        kind = _look_further(tables, sight)
    return DISCARD_ACTION + _first_card(state["hands"][state["current_player"]], tables, kind)


@engine.jit
def _look_further(tables, sight):
    """The kind to discard for the best chance after the next draw."""
    best, kind = -1.0, 0
    for given in range(tables["kinds"]):
        if sight["hand"][given] > 0:
            _lay_down(tables, sight, given)
            chance = _draw(tables, sight)
            _pick_up(tables, sight, given)
            if chance > best:
                best, kind = chance, given
    return kind


@engine.jit
def _first_card(counts, tables, kind):
    """The first card of a kind among those that are there."""
    card = 0
    while tables["kind"][card] != kind or counts[card] == 0:
        card += 1
    return card
