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
from envs.dance_of_eights.ring_test import BITS, is_ring, tally_of
from envs.dance_of_eights.state import DISCARD_ACTION, DRAW_ACTION, HAND, NUM_CARDS, TAKE_ACTION
from envs.game import Game

AWAY = 0.5  # the chance that a card which lies in the discard area is gone a round later
DULL = 0.03  # with a smaller chance it looks two exchanges ahead
FAR = 0.003  # what each odd number and each dancer too many of a sex takes off a chance: little, so that it only parts equals

MAX_KINDS = 32
NO_KIND = -1
UNSEEN, LYING = 0, 1  # columns of counts
_COUNT = np.uint64((1 << BITS) - 1)

TABLES = np.dtype(
    [
        ("kinds", np.int64),  # how many there are
        ("kind", np.int8, (NUM_CARDS,)),  # of each card
        ("values", np.uint64, (MAX_KINDS,)),  # each kind's contribution to a tally
        ("code", np.int16, (MAX_KINDS,)),  # each kind's values as bits; of several cards, by exclusive or, the parities
        ("kind_of_code", np.int8, (1 << len(VALUES),)),  # the kind with these values, NO_KIND if there is none
        ("odd", np.int8, (1 << len(VALUES),)),  # how many bits are set
        ("first_pair", np.int16, ((1 << len(VALUES)) + 1,)),  # by the parities of two cards: where the list of such kinds begins
        ("pair", np.int8, (MAX_KINDS * MAX_KINDS, 2)),
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
        ("wanted", np.int16, (HAND + 1, 2)),  # after giving away each of the held kinds, see `_count_wanted`
        ("column", np.int8, (MAX_KINDS,)),  # the place of each kind among the held ones, behind them if it is none
        ("drawn_wanted", np.int16, (MAX_KINDS, HAND + 1, 2)),  # the same after each draw, see `_count_wanted_after_draws`
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
    codes = table["code"][: table["kinds"]].astype(np.int64)
    pairs = sorted((int(codes[one] ^ codes[other]), one, other) for one, other in np.ndindex(len(codes), len(codes)))
    table["pair"][: len(pairs)] = [pair[1:] for pair in pairs]
    table["first_pair"] = np.searchsorted([pair[0] for pair in pairs], np.arange(len(table["first_pair"])))
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


@engine.jit
def _best(tables, sight):
    """The best chance of the nine cards in hand after a discard, 1 for a Ring, and the kind to discard."""
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        if is_ring(sight["tally"] - tables["values"][given]):
            return 1.0, given
    _count_wanted(tables, sight)
    best, kind = -1.0, 0
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        tally, code = sight["tally"] - tables["values"][given], sight["code"] ^ int(tables["code"][given])
        chance = _chance(tables, sight, tally, code, int(sight["wanted"][i, UNSEEN]), int(sight["wanted"][i, LYING]))
        if chance > best:
            best, kind = chance, given
    return best, kind


@engine.inline
def _count_wanted(tables, sight):
    """For each kind to discard, how many cards would then make a Ring in an exchange, not seen and lying.

    Two kinds that leave the hand, now and then, leave the same seven cards in either order: each pair is looked up once.
    """
    kinds, code, tally, counts = sight["held_kinds"], sight["code"], sight["tally"], sight["wanted"]
    for i in range(kinds):
        counts[i, UNSEEN], counts[i, LYING] = 0, 0
    for i in range(kinds):
        one = sight["held"][i]
        code_without, tally_without = code ^ int(tables["code"][one]), tally - tables["values"][one]
        for j in range(i if sight["hand"][one] > 1 else i + 1, kinds):
            other = sight["held"][j]
            wanted = tables["kind_of_code"][code_without ^ int(tables["code"][other])]
            if wanted != NO_KIND and is_ring(tally_without - tables["values"][other] + tables["values"][wanted]):
                unseen, lying = sight["unseen"][wanted], sight["lying"][wanted]
                counts[i, UNSEEN] += unseen
                counts[i, LYING] += lying
                if j != i:
                    counts[j, UNSEEN] += unseen
                    counts[j, LYING] += lying


@engine.inline
def _chance(tables, sight, tally, code, unseen, lying):
    """The chance that eight cards are a Ring an exchange later, less how far they are from one.

    Args:
        tally: Of the eight cards.
        code: Their parities.
        unseen: Cards not seen that would make a Ring.
        lying: Cards in the discard area that would.
    """
    missed = 1.0 - unseen / max(1, int(sight["unseen_cards"]))
    if lying > 0:
        missed *= AWAY
    first_sex = int(tally & _COUNT)
    return 1.0 - missed - FAR * (int(tables["odd"][code]) + 2 * abs(first_sex - HAND // 2))


@engine.jit
def _draw(tables, sight):
    """The best chance after a draw and a discard, on average over the cards not seen; eight cards are in hand."""
    _count_wanted_after_draws(tables, sight)
    total = 0.0
    for kind in range(tables["kinds"]):
        unseen = int(sight["unseen"][kind])
        if unseen > 0:
            total += unseen * _best_after_draw(tables, sight, kind)
    return total / max(1, int(sight["unseen_cards"]))


@engine.inline
def _count_wanted_after_draws(tables, sight):
    """What `_count_wanted` says of the nine cards after each draw, for all kinds that can be drawn at once.

    Two cards that leave the hand and two that join it, the one drawn and the one wanted, have the same parities; a table lists
    all kinds that do (a third of the time of looking at every draw by itself).
    """
    kinds, code, tally = sight["held_kinds"], sight["code"], sight["tally"]
    for kind in range(tables["kinds"]):
        sight["column"][kind] = kinds
        for i in range(HAND + 1):
            sight["drawn_wanted"][kind, i, UNSEEN], sight["drawn_wanted"][kind, i, LYING] = 0, 0
    for i in range(kinds):
        sight["column"][sight["held"][i]] = i
    for i in range(kinds):
        one = sight["held"][i]
        code_without, tally_without = code ^ int(tables["code"][one]), tally - tables["values"][one]
        _count_drawn_again(tables, sight, i, tables["kind_of_code"][code_without], tally_without)
        for j in range(i if sight["hand"][one] > 1 else i + 1, kinds):
            other = sight["held"][j]
            parities, rest = code_without ^ int(tables["code"][other]), tally_without - tables["values"][other]
            for n in range(tables["first_pair"][parities], tables["first_pair"][parities + 1]):
                drawn, wanted = tables["pair"][n, 0], tables["pair"][n, 1]
                is_other = drawn != one and drawn != other  # or `_count_drawn_again` has counted it
                if is_other and is_ring(rest + tables["values"][drawn] + tables["values"][wanted]):
                    _count(sight, drawn, i, wanted)
                    if j != i:
                        _count(sight, drawn, j, wanted)


@engine.inline
def _count_drawn_again(tables, sight, i, wanted, rest):
    """Counts the exchanges in which the card drawn and one of the i-th kind leave the hand, whichever card is drawn."""
    if wanted == NO_KIND or not is_ring(rest + tables["values"][wanted]):
        return
    for drawn in range(tables["kinds"]):
        own = int(sight["column"][drawn])
        _count(sight, drawn, own, wanted)
        if own != i:
            _count(sight, drawn, i, wanted)


@engine.inline
def _count(sight, drawn, column, wanted):
    sight["drawn_wanted"][drawn, column, UNSEEN] += sight["unseen"][wanted] - (wanted == drawn)
    sight["drawn_wanted"][drawn, column, LYING] += sight["lying"][wanted]


@engine.inline
def _best_after_draw(tables, sight, drawn):
    """The best chance after a card of this kind was drawn and one discarded, 1 for a Ring."""
    tally, code = sight["tally"] + tables["values"][drawn], sight["code"] ^ int(tables["code"][drawn])
    odd_one = tables["kind_of_code"][code]
    if odd_one != NO_KIND and (sight["hand"][odd_one] > 0 or odd_one == drawn) and is_ring(tally - tables["values"][odd_one]):
        return 1.0
    best, counts = -1.0, sight["drawn_wanted"][drawn]
    for i in range(sight["held_kinds"] + (sight["hand"][drawn] == 0)):
        given = drawn if i == sight["held_kinds"] else sight["held"][i]
        rest, parities = tally - tables["values"][given], code ^ int(tables["code"][given])
        best = max(best, _chance(tables, sight, rest, parities, int(counts[i, UNSEEN]), int(counts[i, LYING])))
    return best


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
