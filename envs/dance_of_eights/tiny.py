"""A tiny Dance of Eights: the same rules with hands of four out of a pack of nine to twelve cards, small enough to be solved.

For measuring how far players are from the best play there is: OpenSpiel computes exact best responses and equilibria of it, see
``envs.openspiel``. It is a game like any other: ``envs.make("envs.dance_of_eights.tiny")``, ``--env envs.dance_of_eights.tiny``.

Rules in brief
    The pack has three Fey of the card list, all big and good: four Unicorns (female, forest), four Tritons (male, water) and some
    Nymphs (female, water). Hands have four cards, and a Ring is two male and two female dancers with an even number of every
    size, alignment and element and at least two elements; with these cards that is two Unicorns and two Tritons. Turns, discard
    area and end are those of the game itself, and so are actions, observation and records: cards that are not in the pack are
    never seen.

Size
    Positions and decisions of the whole tree, every draw and every deal of a hand counted as an event of chance:

    ======  =====================  =====================  =====================
    nymphs  ``max_turns=1``        ``max_turns=2``        ``max_turns=3``
    ======  =====================  =====================  =====================
    1       226, 104               1,064, 604             5,096, 3,008
    2       2,455, 936             39,833, 17,156         647,441, 286,988
    3       9,451, 3,224           334,013, 121,802       10,752,033, 4,083,028
    4       20,671, 6,890          1,218,997, 410,154     65,537,619, 22,688,870
    ======  =====================  =====================  =====================

Versions
    v0: first version.
"""

from collections.abc import Mapping
from typing import Any

from envs.dance_of_eights import TUNED as FULL
from envs.dance_of_eights import game_of
from envs.dance_of_eights.cards import load_cards
from envs.dance_of_eights.state import HAND
from envs.game import Game, Tuned
from envs.options import Option, complete_options

PLAYERS = range(2, 3)
OPTIONS = {
    "nymphs": Option(2, "Nymphs in the pack, which no Ring of it has; of Unicorns and Tritons there are four each", range(1, 5)),
    "max_turns": Option(2, "turns of each player after which the game is cut off and nobody wins", range(1, 5)),
}
TUNED = Tuned(
    greedy=FULL.greedy,
    # A tree, as usual. What suits the game itself best, to compare first actions by the rule-based player's play alone, stays one
    # step from that player here, however many simulations there are, and short of the best play (docs/openspiel.md).
    search={"exploration": 1.0, "prior": 0.2},
)
_RING_CARDS, _OTHER = ("Unicorn", "Triton"), "Nymph"
_COPIES = 4  # of a card: as many as the game itself has of any


def make_game(name: str, num_players: int, options: Mapping[str, Any]) -> Game:
    """The tiny game under a choice of options.

    Raises:
        ValueError: A number of players, an option or a value that does not fit.
    """
    if num_players not in PLAYERS:
        raise ValueError(f"{name} is for 2 players, not {num_players!r}")
    chosen = complete_options(OPTIONS, options, name)
    copies = {**dict.fromkeys(_RING_CARDS, _COPIES), _OTHER: chosen["nymphs"]}
    pack = [copies.get(card.name, 0) for card in load_cards()]
    return game_of(name, num_players, chosen, pack, HAND // 2, package=__name__, chance="envs.dance_of_eights.chance")
