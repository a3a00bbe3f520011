"""``--check-leaderboard --fresh``: plays the agents of a board on deals of its own, and compares.

Nobody can have prepared for these deals, neither the agents nor the makers of the board: their secrets are drawn here and now.
The figure compared is, for every two agents, the share of their games that the first one won.

Had the published deals been drawn as these are, it would be chance which of all deals are the published ones. So the deals of
both are put together and drawn apart anew many times (a permutation test; Fisher 1935, Pitman 1937), among deals in which the
first agent has as many seats. How many deals of each value are drawn is multivariate hypergeometric. The chances of all
comparisons of one command are corrected together (Holm 1979): of 100 commands that compare honest boards, one ends with exit
code 1 (``LEVEL``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation import ratings, workers
from evaluation.keyed import Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard.entries import make_entrants
from evaluation.leaderboard.file import Schedule
from evaluation.leaderboard.found import FoundBoard
from evaluation.leaderboard.make import tournament_of
from evaluation.tournament import Chunk

LEVEL = 0.01
DRAWS = 200_000


@dataclass(frozen=True)
class Comparison:
    """Two agents, as published and on fresh deals.

    Attributes:
        path: Of the board.
        names: Both agents.
        published: Share of the games that the first one won, in each published deal.
        fresh: The same in each fresh deal.
        chance: That deals drawn alike differ as much; not corrected.
    """

    path: Path
    names: tuple[str, str]
    published: np.ndarray
    fresh: np.ndarray
    chance: float

    def tell(self, corrected: float) -> str:
        """The comparison in one line, with its chance after correction for all."""
        verdict = f"{'agrees' if corrected >= LEVEL else 'differs'} (p = {corrected:.2g} after Holm's correction)"
        both = f"{_percent(self.published)} published, {_percent(self.fresh)} on {len(self.fresh)} fresh deals"
        return f"{self.path}: {self.names[0]} against {self.names[1]} won {both}: {verdict}"


def _percent(shares: np.ndarray) -> str:
    estimate = ratings.ratio_estimates(shares, np.ones(len(shares))).within(0, 1)
    return f"{100 * estimate.mean:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def deals_to_play(found: FoundBoard, share: float) -> int:
    """Fresh deals of every two agents: the share of the published ones, two at least, and one of each kind of line-up."""
    return max(math.ceil(share * found.facts["deals"]), found.game.num_players - 1, 2)


def fresh_tournament(found: FoundBoard, share: float) -> workers.Tournament:
    """A share of the games of a board on deals that nobody knows.

    Raises:
        ValueError: An agent cannot be made.
    """
    facts, pairs = found.facts, found.facts["pairs"]
    able, players, refused = make_entrants(found.entrants, found.path.parent, found.game)
    if refused:
        raise ValueError(refused[0])
    secrets = [Secret.draw() for _ in pairs]
    schedule = board.schedule(pairs, found.game.num_players, deals_to_play(found, share), facts["seed"], secrets)
    return tournament_of(found.game, able, found.path.parent, schedule, players)


def compare(found: FoundBoard, tournament: workers.Tournament, played: Chunk) -> list[Comparison]:
    """Every two agents of a board, as published and as they have played just now."""
    facts = found.facts
    lineup, published = board.chunk_of(facts["results"], facts["num_players"], len(found.entrants))
    before = Schedule(lineup, found.schedule.deals, found.schedule.secrets)
    now = Schedule(tournament.lineup, tournament.deals, list(tournament.secrets))
    made = []
    for number, pair in enumerate(facts["pairs"]):
        one, kinds = _shares(before, published, number, len(facts["pairs"]), pair[0])
        other, fresh_kinds = _shares(now, played, number, len(facts["pairs"]), pair[0])
        names = found.names[pair[0]], found.names[pair[1]]
        made.append(Comparison(found.path, names, one, other, chance_of(one, other, kinds, fresh_kinds)))
    return made


def _shares(schedule: Schedule, games: Chunk, number: int, pairs: int, agent: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each deal of a pair: the share of its games that an agent won, and how many seats it had; ``(D,)`` both."""
    size, num_players = len(schedule.lineup) // pairs, schedule.lineup.shape[1]
    own = slice(number * size, (number + 1) * size)
    is_it = schedule.lineup[own] == agent
    won = (games.outcomes["wins"][own] * is_it).sum(axis=1).reshape(-1, num_players).mean(axis=1)
    return won, is_it.sum(axis=1)[::num_players]


def chance_of(published: np.ndarray, fresh: np.ndarray, kinds: np.ndarray, fresh_kinds: np.ndarray) -> float:
    """The chance that deals drawn alike differ as much in their mean as these do, or more.

    Args:
        published: ``(D,)``, a value of each deal.
        fresh: ``(n,)``, the same.
        kinds: ``(D,)``, kinds of deals, which are compared with their like alone.
        fresh_kinds: ``(n,)``, the same.
    """
    rng = np.random.default_rng(0)
    sums, difference = np.zeros(DRAWS), 0.0
    for kind in np.unique(fresh_kinds):
        own = fresh[fresh_kinds == kind]
        pool = np.concatenate([published[kinds == kind], own])
        values, counts = np.unique(pool.round(9), return_counts=True)
        drawn = rng.multivariate_hypergeometric(counts, len(own), size=DRAWS)
        expected = len(own) * pool.mean()
        sums += drawn @ values - expected
        difference += own.sum() - expected
    as_far = np.count_nonzero(np.abs(sums) >= abs(difference) - 1e-6)
    return (1 + as_far) / (1 + DRAWS)


def holm(chances: Sequence[float]) -> list[float]:
    """Chances of several comparisons, corrected so that any of them is below a level no more often than one alone would be."""
    corrected, largest = [1.0] * len(chances), 0.0
    for place, k in enumerate(np.argsort(chances, kind="stable").tolist()):
        largest = max(largest, (len(chances) - place) * chances[k])
        corrected[k] = min(largest, 1.0)
    return corrected
