"""A rule-based player for Dance of Eights: knows which single exchange makes a Ring, and how likely it is to come.

* Discarding, it keeps a Ring if it can, else the eight cards with the best chance to be one an exchange later (`_chance`). Where
  that is next to none it looks two exchanges ahead: at what the card drawn next would lead to.
* Gaining, it compares the best eight cards after each card it could take with what a draw leads to on average over the cards it
  has not seen (`_draw`); a Ring is certain and so comes first.

It reads the own hand, the discard area and what was taken in the open, and never what the seat cannot know.
"""

import numpy as np

from envs import engine
from envs.dance_of_eights import rules as game_rules
from envs.dance_of_eights.exchanges import (
    LYING,
    NO_KIND,
    SIGHT,
    UNSEEN,
    count_wanted,
    count_wanted_after_draws,
    lay_down,
    look,
    make_tables,
    odd_and_uneven,
    pick_up,
)
from envs.dance_of_eights.ring_test import is_ring
from envs.dance_of_eights.state import DISCARD_ACTION, DRAW_ACTION, TAKE_ACTION
from envs.game import Game

AWAY = 0.5  # the chance that a card which lies in the discard area is gone a round later
TENTHS = 10.0  # of a chance, in which worths are told
DULL = 0.03  # with a smaller chance it looks two exchanges ahead
FAR = 0.003  # what each odd number and each dancer too many of a sex takes off a chance: little, so that it only parts equals


class Greedy:
    """The rule-based player.

    Args:
        game: A rule set of Dance of Eights.
    """

    name = "greedy"

    def __init__(self, game: Game) -> None:
        self.game = game
        self.tools = make_tables(game.facts["cards"], game.facts["hand"]), np.zeros(1, SIGHT)

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The best action of each row; see ``agents.agent.Agent``."""
        actions = np.empty(len(worlds), np.int64)
        act_batch(worlds, self.tools, actions)
        return actions

    def worths(self, worlds: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The chance after each legal action in K games, in tenths: ``(K, A) float32``, 0 for illegal ones."""
        worths = np.zeros(action_masks.shape, np.float32)
        masks = engine.rows(np.ascontiguousarray(action_masks))
        worth_batch(np.ascontiguousarray(worlds), masks, self.tools, engine.rows(worths))
        return worths


@engine.kernel
def worth_batch(worlds, masks, tools, worths):
    """Writes the chance after every legal action of every row, by what the player compares."""
    tables, sight = tools[0][0], tools[1][0]
    for i in range(len(worlds)):
        look(worlds[i], tables, sight)
        mask, out = masks[i]["row"], worths[i]["row"]
        if worlds[i]["phase"] == game_rules.GAIN:
            _write_gains(tables, sight, mask, out)
        else:
            _write_discards(tables, sight, mask, out)


@engine.jit
def _write_gains(tables, sight, mask, out):
    if mask[DRAW_ACTION]:
        out[DRAW_ACTION] = TENTHS * _draw(tables, sight)
    for kind in range(tables["kinds"]):
        if sight["lying"][kind] > 0:
            _write_kind(tables, mask, out, TAKE_ACTION, kind, TENTHS * _after_taking(tables, sight, kind))


@engine.jit
def _write_discards(tables, sight, mask, out):
    is_dull = _best(tables, sight)[0] < DULL
    for kind in range(tables["kinds"]):
        if sight["hand"][kind] > 0:
            lay_down(tables, sight, kind)
            chance = _draw(tables, sight) if is_dull else _now(tables, sight)
            pick_up(tables, sight, kind)
            _write_kind(tables, mask, out, DISCARD_ACTION, kind, TENTHS * chance)


@engine.jit
def _now(tables, sight):
    """The chance of eight cards in hand, 1 for a Ring."""
    if is_ring(sight["tally"]):
        return 1.0
    unseen, lying = 0, 0
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        wanted = tables["kind_of_code"][sight["code"] ^ int(tables["code"][given])]
        if wanted != NO_KIND and is_ring(sight["tally"] - tables["values"][given] + tables["values"][wanted]):
            unseen += sight["unseen"][wanted]
            lying += sight["lying"][wanted]
    return _chance(tables, sight, sight["tally"], sight["code"], unseen, lying)


@engine.inline
def _write_kind(tables, mask, out, first, kind, worth):
    for card in range(len(tables["kind"])):
        if mask[first + card] and tables["kind"][card] == kind:
            out[first + card] = worth


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
    look(world, tables[0], sight[0])
    if world["phase"] == game_rules.GAIN:
        return _gain(world, tables[0], sight[0])
    return _discard(world, tables[0], sight[0])


@engine.jit
def _best(tables, sight):
    """The best chance of the nine cards in hand after a discard, 1 for a Ring, and the kind to discard."""
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        if is_ring(sight["tally"] - tables["values"][given]):
            return 1.0, given
    count_wanted(tables, sight)
    best, kind = -1.0, 0
    for i in range(sight["held_kinds"]):
        given = int(sight["held"][i])
        tally, code = sight["tally"] - tables["values"][given], sight["code"] ^ int(tables["code"][given])
        chance = _chance(tables, sight, tally, code, int(sight["wanted"][i, UNSEEN]), int(sight["wanted"][i, LYING]))
        if chance > best:
            best, kind = chance, given
    return best, kind


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
    odd, uneven = odd_and_uneven(tables, tally, code)
    return 1.0 - missed - FAR * (odd + 2 * uneven)


@engine.jit
def _draw(tables, sight):
    """The best chance after a draw and a discard, on average over the cards not seen; eight cards are in hand."""
    count_wanted_after_draws(tables, sight)
    total = 0.0
    for kind in range(tables["kinds"]):
        unseen = int(sight["unseen"][kind])
        if unseen > 0:
            total += unseen * _best_after_draw(tables, sight, kind)
    return total / max(1, int(sight["unseen_cards"]))


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
            chance = _after_taking(tables, sight, kind)
            if chance > best:
                best, taken = chance, kind
    return DRAW_ACTION if taken == NO_KIND else TAKE_ACTION + _first_card(state["discard"], tables, taken)


@engine.jit
def _after_taking(tables, sight, kind):
    """The best chance after a card of a kind is taken from the discard area."""
    sight["lying"][kind] -= 1
    pick_up(tables, sight, kind)
    chance = _best(tables, sight)[0]
    lay_down(tables, sight, kind)
    sight["lying"][kind] += 1
    return chance


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
            lay_down(tables, sight, given)
            chance = _draw(tables, sight)
            pick_up(tables, sight, given)
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
