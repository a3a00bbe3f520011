"""What one number an agent cannot tell: who beats whom in circles, and whom play among equals would settle on.

Both start from the same relation. One agent *beats* another if the interval of its share of their comparisons lies above one
half; otherwise, and where two never met, the two are even. The relation is of pairs: with more than two players it says who ends
ahead of whom over all tables at which the two meet, so read it beside the main table, not in its place.
"""

import itertools
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

EPSILON = 1e-9


def beats(low: Any) -> np.ndarray:
    """``(K, K) bool``: whether the row's agent beats the column's, from the lower ends of its intervals, NaN where unknown."""
    return np.asarray(low, np.float64) > 0.5


def alpha_rank(beaten: np.ndarray, epsilon: float = EPSILON) -> np.ndarray:
    """Ranks agents by how much of the time evolution spends with each (Omidshafiei et al. 2019, alpha-rank).

    All members of a large population play the same agent. Now and then a mutant plays another, and either dies out or takes
    over. With the intensity of selection alpha at infinity, a mutant that beats the population takes over, one that is beaten
    dies out, and an even one takes over half the time. The chain of populations so made moves from agent i to each other
    agent j with chance c / (K - 1), where c is 1 - epsilon, epsilon and 1/2 in these cases (the perturbed limit of Rowland et
    al. 2019 that makes the distribution unique; with epsilon this small it is the limit itself to about epsilon).

    Args:
        beaten: ``(K, K) bool``: whether the row's agent beats the column's.
        epsilon: Chance that a beaten mutant takes over all the same.

    Returns:
        ``(K,) float64``, the stationary distribution: above 0, sums to 1.

    Raises:
        ValueError: Two agents beat each other, or epsilon is not inside (0, 1/2).
    """
    beaten = np.asarray(beaten, bool)
    if (beaten & beaten.T).any() or not 0 < epsilon < 0.5:
        raise ValueError("no two agents may beat each other, and epsilon must lie inside (0, 1/2)")
    chance = np.where(beaten.T, 1 - epsilon, np.where(beaten, epsilon, 0.5)) / max(len(beaten) - 1, 1)
    np.fill_diagonal(chance, 0)
    return stationary(chance)


def stationary(chance: np.ndarray) -> np.ndarray:
    """The stationary distribution of a Markov chain in which every state leads to every other one.

    By elimination of states without a subtraction (Grassmann, Taksar & Heyman 1985), so that chances of very different sizes
    lose no digits.

    Args:
        chance: ``(K, K) float64``: of a step from the row's to the column's state; the diagonal does not matter.

    Returns:
        ``(K,) float64``.
    """
    chain = np.array(chance, np.float64)
    for n in range(len(chain) - 1, 0, -1):
        chain[:n, n] /= chain[n, :n].sum()
        chain[:n, :n] += np.outer(chain[:n, n], chain[n, :n])
    share = np.ones(len(chain))
    for n in range(1, len(chain)):
        share[n] = share[:n] @ chain[:n, n]
    return share / share.sum()


def cycles(beaten: np.ndarray) -> list[list[int]]:
    """All triples in which the first beats the second, the second the third, and the third the first.

    Each is given once, its smallest number first.
    """
    found = []
    for i, j, k in itertools.combinations(range(len(beaten)), 3):
        found += [[a, b, c] for a, b, c in ((i, j, k), (i, k, j)) if beaten[a, b] and beaten[b, c] and beaten[c, a]]
    return found


def components(beaten: np.ndarray) -> list[list[int]]:
    """The largest sets of agents, two or more, of which each beats each other one, directly or by way of others."""
    labels = connected_components(np.asarray(beaten), directed=True, connection="strong")[1]
    groups = [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
    return sorted(group for group in groups if len(group) > 1)


def diagnose(result: dict[str, Any]) -> None:
    """Adds to a result of ``ratings.summarise``: ``alpha_rank`` of each agent, and ``cycles`` by names.

    ``cycles`` is a dict of ``rings``, the triples of :func:`cycles`, and ``knots``, the sets of :func:`components`.
    """
    names = [agent["name"] for agent in result["agents"]]
    beaten = beats(result["matrix"]["low"])
    for agent, share in zip(result["agents"], alpha_rank(beaten), strict=True):
        agent["alpha_rank"] = float(share)
    found = {"rings": cycles(beaten), "knots": components(beaten)}
    result["cycles"] = {kind: [[names[k] for k in ring] for ring in rings] for kind, rings in found.items()}
