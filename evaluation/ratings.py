"""Figures and ratings of a tournament between agents, with intervals over deals.

`Results` holds one row per game. From it come means, the pairwise matrix and a Bradley-Terry rating, each with a standard
error and an interval, or all of them at once as plain data (`summarise`).

The unit of every interval is the **deal**, not the game: all games on one deal, and all seats one agent holds in them,
are one observation. Games that share cards are not independent; taken as if they were, intervals come out too narrow.

Letters used below: M games, P seats (players), K agents, D distinct deals, B bootstrap resamples.
"""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import t as student_t

from envs.checks import show

ELO_PER_LOG_ODDS = 400 / np.log(10)  # 400 points are odds of 10 to 1 (Elo 1978)
RIDGE = 1e-3
RESAMPLES = 1000
LEVEL = 0.95

# A Newton step on a logistic likelihood is sure to go uphill while no difference of two ratings changes by more than
# 1.79: the root of exp(r) - r - 1 = r ** 2 (Bach 2010, Self-concordant analysis for logistic regression, prop. 1).
_MAX_STEP = 1.5
_LAST_STEP = 1e-7  # Newton converges quadratically: after a step this small the error is near rounding
_MAX_ITERATIONS = 1000
_BOOTSTRAP_CHUNK = 64  # resamples drawn at once, to bound memory


@dataclasses.dataclass(frozen=True, eq=False)
class Results:
    """Everything a tournament leaves behind: one row per game.

    An agent may sit in several seats of one game. Arrays are checked and converted to the dtypes below.

    Attributes:
        agents: names of the K agents, all different.
        deals: `(M,) int64`, number of the deal each game was played on.
        lineup: `(M, P) int16`, index into `agents` of who sits in each seat.
        rewards: `(M, P) float64`, placement: (players beaten - players lost to) / (P - 1); a tie counts as neither.
        wins: `(M, P) float64`, share of the victory: 1, split among joint winners.
        scores: `(M, P) float64`, the rulebook's points.
        lengths: `(M,) int64`, decisions in each game.

    Raises:
        ValueError: if names repeat, shapes disagree, a value is impossible, or an agent never plays.
    """

    agents: tuple[str, ...]
    deals: np.ndarray
    lineup: np.ndarray
    rewards: np.ndarray
    wins: np.ndarray
    scores: np.ndarray
    lengths: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "agents", tuple(self.agents))
        for name, dtype in (("deals", np.int64), ("lineup", np.int16), ("lengths", np.int64)):
            object.__setattr__(self, name, _integers(name, getattr(self, name), dtype))
        for name in ("rewards", "wins", "scores"):
            object.__setattr__(self, name, _finite(name, getattr(self, name)))
        _check_shapes(self)
        _check_values(self)

    @property
    def beaten(self) -> np.ndarray:
        """`(M, P) int64`: players beaten minus players lost to, as integers, so that sums of it are exact."""
        return np.rint(self.rewards * (self.lineup.shape[1] - 1)).astype(np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class Estimates:
    """Means of an array of quantities and how sure they are; NaN where there is no data, or fewer than two deals."""

    mean: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def at(self, index: Any) -> dict[str, float]:
        """Returns one of the estimates as plain floats under the names of the four fields."""
        fields = ("mean", "standard_error", "low", "high")
        return {field: float(getattr(self, field)[index]) for field in fields}

    def within(self, least: float, most: float) -> "Estimates":
        """The same with intervals that end where the quantity does; a Student t interval of few deals knows no ends."""
        return Estimates(self.mean, self.standard_error, np.clip(self.low, least, most), np.clip(self.high, least, most))


@dataclasses.dataclass(frozen=True, eq=False)
class Ratings(Estimates):
    """Bradley-Terry ratings `(K,)` on the Elo scale; `mean` is the estimate.

    Attributes:
        separated: `(K,) bool`, true for an agent that the data cannot rate against the anchor (see `rate`).
        settings: what `rate` was asked for, with the name of the anchor filled in.
    """

    separated: np.ndarray
    settings: dict[str, Any]


def placement(results: Results, level: float = LEVEL) -> Estimates:
    """Returns each agent's mean placement reward a seat, `(K,)`; exactly 0 for equal agents in balanced rotations."""
    totals = _deal_totals(results, results.beaten) / (results.lineup.shape[1] - 1)
    return ratio_estimates(totals, _seats_taken(results), level)


def win_share(results: Results, level: float = LEVEL) -> Estimates:
    """Returns each agent's mean share of the victory a seat, `(K,)`; chance gives 1 / P."""
    return ratio_estimates(_deal_totals(results, results.wins), _seats_taken(results), level)


def score(results: Results, level: float = LEVEL) -> Estimates:
    """Returns each agent's mean rulebook points a seat, `(K,)`."""
    return ratio_estimates(_deal_totals(results, results.scores), _seats_taken(results), level)


def length(results: Results, level: float = LEVEL) -> Estimates:
    """Returns the mean number of decisions in a game, as arrays of shape `()`."""
    rows = _deal_rows(results)
    return ratio_estimates(np.bincount(rows, weights=results.lengths), np.bincount(rows), level)


def pairwise(results: Results, level: float = LEVEL) -> tuple[Estimates, np.ndarray]:
    """Compares every two agents by the games in which they meet.

    Returns:
        The share of comparisons won by the row's agent against the column's, `(K, K)`, a tie counting one half; and
        the number of comparisons, `(K, K) int64`. Two agents that never meet, and the diagonal, are NaN and 0.
    """
    wins = deal_wins(results)
    comparisons = wins + wins.swapaxes(1, 2)
    return ratio_estimates(wins, comparisons, level), np.rint(comparisons.sum(axis=0)).astype(np.int64)


def ratio_estimates(totals: np.ndarray, counts: np.ndarray, level: float = LEVEL) -> Estimates:
    """Estimates means per count from clusters of unequal size.

    The mean is a ratio of two sums over deals, so its variance is that of the linearised residuals: the ratio
    estimator (Cochran 1977, Sampling Techniques, section 6.4), with a Student t interval over the deals that have data.
    A quantity without any variation, such as an agent that never wins, gets an interval of width 0.

    Args:
        totals: `(D, ...) float64`, sum of the quantity over each deal.
        counts: `(D, ...)`, how many values each sum has.
        level: probability that an interval covers the true value.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    clusters = np.count_nonzero(counts, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = counts.sum(axis=0)
        mean = totals.sum(axis=0) / size
        squares = ((totals - mean * counts) ** 2).sum(axis=0) * clusters / (clusters - 1)
        error = np.where(clusters > 1, np.sqrt(squares) / size, np.nan)
        margin = student_t.ppf((1 + level) / 2, clusters - 1) * error
    return Estimates(mean, error, mean - margin, mean + margin)


def deal_wins(results: Results) -> np.ndarray:
    """Counts pairwise outcomes within games, deal by deal.

    Every two seats of a game held by different agents are one comparison, decided by placement. Two seats of the same
    agent say nothing about it and are left out.

    Returns:
        `(D, K, K) float64`: wins of the row's agent over the column's, a tie counting one half on both sides.
    """
    agents, rows = len(results.agents), _deal_rows(results)
    wins, beaten = np.zeros((rows.max() + 1) * agents * agents), results.beaten
    for one, other in itertools.combinations(range(results.lineup.shape[1]), 2):
        first, second = results.lineup[:, one].astype(np.int64), results.lineup[:, other].astype(np.int64)
        share = (1 + np.sign(beaten[:, one] - beaten[:, other])) / 2
        share_of_other = 1 - share
        share[first == second] = share_of_other[first == second] = 0
        wins += np.bincount((rows * agents + first) * agents + second, share, wins.size)
        wins += np.bincount((rows * agents + second) * agents + first, share_of_other, wins.size)
    return wins.reshape(-1, agents, agents)


def bradley_terry(wins: np.ndarray, ridge: float = RIDGE, start: np.ndarray | None = None) -> np.ndarray:
    """Fits log strengths to pairwise wins by penalised maximum likelihood.

    The chance that i beats j is 1 / (1 + exp(s_j - s_i)) (Bradley & Terry 1952; Hunter 2004 for its likelihood). The
    fit maximises the log likelihood minus ridge / 2 * sum(s ** 2). The ridge makes the maximum unique and finite: it
    fixes the mean of s at 0, and it holds back an agent that won everything, whose strength would be infinite. At
    the default, two agents end 900 to 100 within 0.003 Elo points of the unpenalised fit, 999 to 1 within 1 point, and
    1,000 to 0 about 2,100 points apart.

    Args:
        wins: `(K, K)` or `(B, K, K) float64`, wins of row over column with ties as halves, zero on the diagonal.
        ridge: strength of the penalty, in comparisons.
        start: `(K,) float64`, where Newton's method starts; zeros if not given.

    Returns:
        `(K,)` or `(B, K) float64`, natural-log strengths with mean 0.

    Raises:
        ValueError: if `wins` is anything else, or `ridge` is not positive.
    """
    wins = _finite("wins", wins)
    if wins.ndim not in (2, 3) or wins.shape[-1] != wins.shape[-2]:
        raise ValueError(f"wins must be (K, K) or (B, K, K), got shape {wins.shape}")
    if wins.min() < 0 or np.einsum("...kk->...", wins).any() or not ridge > 0:
        raise ValueError("wins must be 0 or more, with a diagonal of zeros, and ridge must be positive")
    stack = wins.reshape(-1, *wins.shape[-2:])
    strengths = np.zeros(stack.shape[:2]) if start is None else np.tile(start - np.mean(start), (len(stack), 1))
    moving = np.arange(len(stack))
    for _ in range(_MAX_ITERATIONS):
        step = _newton_step(strengths[moving], stack[moving], ridge)
        strengths[moving] += step
        moving = moving[np.ptp(step, axis=1) > _LAST_STEP]
        if moving.size == 0:
            return strengths.reshape(wins.shape[:-1])
    raise ArithmeticError(f"Bradley-Terry fit did not converge in {_MAX_ITERATIONS} steps")


def rate(
    results: Results,
    anchor: str | None = None,
    *,
    ridge: float = RIDGE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
) -> Ratings:
    """Rates agents on the Elo scale, with intervals by the cluster bootstrap over deals.

    A resample draws D deals with replacement, sums their win matrices and fits again; the interval holds the middle
    `level` of the resampled ratings (percentile bootstrap; Efron & Tibshirani 1993, ch. 13, for clusters Davison &
    Hinkley 1997, section 3.8). Everything is relative to the anchor, whose rating is 0 without error.

    If some agents never lost a comparison to the others, no finite maximum-likelihood difference exists between the two
    groups (Ford 1957) and the ridge alone decides how far apart they end. Such agents are `separated` from the anchor:
    they keep that number, and their error and interval are NaN.

    Args:
        results: the games.
        anchor: name of the agent at 0; "random" if it plays, else the first, if not given.
        ridge: see `bradley_terry`.
        resamples: bootstrap resamples, B.
        seed: seed of the resampling; the same seed gives the same intervals.
        level: probability that an interval covers the true value.

    Raises:
        ValueError: if the anchor does not play, two groups of agents never met, or a setting is out of range.
    """
    if resamples < 2 or not 0 < level < 1:
        raise ValueError(f"need two or more resamples and a level between 0 and 1, got {resamples} and {level}")
    zero = anchor_index(results.agents, anchor)
    wins = deal_wins(results)
    total = wins.sum(axis=0)
    _check_connected(results, total, zero)
    best = bradley_terry(total, ridge)
    draws = bradley_terry(_resample(wins, resamples, seed), ridge, start=best)
    draws = ELO_PER_LOG_ODDS * (draws - draws[:, [zero]])
    groups = connected_components(total > 0, directed=True, connection="strong")[1]
    separated = groups != groups[zero]
    draws[:, separated | (len(wins) < 2)] = np.nan
    error, (low, high) = draws.std(axis=0, ddof=1), np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    anchored = results.agents[zero]
    settings = {"anchor": anchored, "bootstrap_seed": seed, "level": level, "resamples": resamples, "ridge": ridge}
    return Ratings(ELO_PER_LOG_ODDS * (best - best[zero]), error, low, high, separated, settings)


def summarise(results: Results, anchor: str | None = None, has_bounds: bool = True, **rating: Any) -> dict[str, Any]:
    """Computes everything above as plain data: the keys `agents`, `matrix`, `games` and `settings` of a report.

    The arguments are those of `rate`. The agents keep the order of `results.agents`. Unless `has_bounds` is false, as it was
    once, intervals of shares stay between 0 and 1, and those of placements between -1 and 1.
    """
    ratings = rate(results, anchor, **rating)
    level = ratings.settings["level"]
    estimates: dict[str, Estimates] = {
        "rating": ratings,
        "win_share": win_share(results, level),
        "placement": placement(results, level),
        "score": score(results, level),
    }
    seats = _seats_taken(results).sum(axis=0)
    shares, counts = pairwise(results, level)
    if has_bounds:
        estimates["win_share"], estimates["placement"] = estimates["win_share"].within(0, 1), estimates["placement"].within(-1, 1)
        shares = shares.within(0, 1)
    matrix = {"share": shares.mean, "low": shares.low, "high": shares.high, "count": counts}
    return {
        "agents": [
            {"name": name, "seats": int(seats[k]), "separated": bool(ratings.separated[k])}
            | {figure: estimate.at(k) for figure, estimate in estimates.items()}
            for k, name in enumerate(results.agents)
        ],
        "matrix": {key: values.tolist() for key, values in matrix.items()},
        "games": {
            "count": len(results.deals),
            "deals": len(np.unique(results.deals)),
            "length": length(results, level).at(()),
        },
        "settings": ratings.settings,
    }


def _newton_step(strengths: np.ndarray, wins: np.ndarray, ridge: float) -> np.ndarray:
    """Returns the steps of Newton's method from strengths `(B, K)`, shortened where they would overshoot."""
    gaps = strengths[:, :, None] - strengths[:, None, :]
    expected = (wins + wins.swapaxes(1, 2)) * expit(gaps)
    gradient = (wins - expected).sum(axis=2) - ridge * strengths
    weights = expected * expit(-gaps)
    hessian = (weights.sum(axis=2) + ridge)[:, :, None] * np.eye(wins.shape[1]) - weights
    step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
    step -= step.mean(axis=1, keepdims=True)  # 0 but for rounding, which the ridge alone would hold back too weakly
    reach = np.ptp(step, axis=1, keepdims=True)
    return step * (_MAX_STEP / np.maximum(reach, _MAX_STEP))


def _resample(wins: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Sums `(D, K, K)` win matrices over deals drawn with replacement: `(B, K, K)`.

    Wins are halves and multiplicities integers, so the sums are exact in any order, on any machine.
    """
    rng, deals, sums = np.random.default_rng(seed), len(wins), []
    for done in range(0, resamples, _BOOTSTRAP_CHUNK):
        chunk = min(_BOOTSTRAP_CHUNK, resamples - done)
        times_drawn = [np.bincount(rng.integers(deals, size=deals), minlength=deals) for _ in range(chunk)]
        sums.append(np.array(times_drawn, dtype=np.float64) @ wins.reshape(deals, -1))
    return np.concatenate(sums).reshape(resamples, *wins.shape[1:])


def _deal_rows(results: Results) -> np.ndarray:
    """Returns `(M,) int64`: the deals renumbered 0 to D - 1."""
    return np.unique(results.deals, return_inverse=True)[1]


def _deal_totals(results: Results, values: np.ndarray) -> np.ndarray:
    """Sums `(M, P)` values over the seats an agent holds in a deal: `(D, K) float64`."""
    agents, rows = len(results.agents), _deal_rows(results)
    cells = rows[:, None] * agents + results.lineup
    return np.bincount(cells.ravel(), values.ravel(), (rows.max() + 1) * agents).reshape(-1, agents)


def _seats_taken(results: Results) -> np.ndarray:
    """Counts the seats an agent holds in a deal: `(D, K) float64`."""
    return _deal_totals(results, np.ones(results.lineup.shape))


def anchor_index(agents: Sequence[str], anchor: str | None) -> int:
    """Which agent has the rating 0: the anchor, or else the random one, or the first.

    Raises:
        ValueError: The anchor does not play.
    """
    if anchor is None:
        return agents.index("random") if "random" in agents else 0
    if anchor not in agents:
        raise ValueError(f"the anchor {show(anchor)} does not play; agents are {', '.join(agents)}")
    return agents.index(anchor)


def _check_connected(results: Results, total: np.ndarray, zero: int) -> None:
    groups = connected_components(total + total.T > 0, directed=False)[1]
    apart = [name for name, group in zip(results.agents, groups, strict=True) if group != groups[zero]]
    if apart:
        raise ValueError(f"no chain of games links {results.agents[zero]!r} with {', '.join(apart)}: cannot rate them")


def _integers(name: str, values: Any, dtype: type) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers, got dtype {array.dtype}")
    if array.size and (array.min() < np.iinfo(dtype).min or array.max() > np.iinfo(dtype).max):
        raise ValueError(f"{name} do not fit {np.dtype(dtype)}")
    return array.astype(dtype)


def _finite(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers, and at least one")
    return array


def _check_shapes(results: Results) -> None:
    names = results.agents
    if not names or not all(names) or len(set(names)) < len(names):
        raise ValueError(f"agents need different, non-empty names, got {names}")
    shape = results.lineup.shape
    if len(shape) != 2 or shape[0] < 1 or shape[1] < 2:
        raise ValueError(f"lineup must be (M, P) with at least one game and two seats, got shape {shape}")
    for name in ("deals", "rewards", "wins", "scores", "lengths"):
        expected, actual = shape[:1] if name in ("deals", "lengths") else shape, getattr(results, name).shape
        if actual != expected:
            raise ValueError(f"{name} must have shape {expected} to fit lineup, got {actual}")


def _check_values(results: Results) -> None:
    names, lineup, slack = results.agents, results.lineup, 1e-6  # slack: rewards may have been float32
    if lineup.min() < 0 or lineup.max() >= len(names):
        raise ValueError(f"lineup holds indices from 0 to {len(names) - 1}, got {lineup.min()} to {lineup.max()}")
    if absent := [name for k, name in enumerate(names) if k not in lineup]:
        raise ValueError(f"agents without a game: {', '.join(absent)}")
    uneven = np.abs(results.rewards - results.beaten / (lineup.shape[1] - 1)) > slack
    bad = (uneven | (np.abs(results.rewards) > 1 + slack)).any(axis=1)
    bad |= np.abs(results.rewards.sum(axis=1)) > slack
    if bad.any():
        game = int(bad.argmax())
        raise ValueError(f"rewards of game {game} are no placement rewards: {results.rewards[game].tolist()}")
    if results.wins.min() < 0 or results.wins.sum(axis=1).max() > 1 + slack or results.lengths.min() < 0:
        raise ValueError("wins must be shares of one victory (0 or more, 1 or less together), lengths 0 or more")
