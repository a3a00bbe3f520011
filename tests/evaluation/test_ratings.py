"""The figures and ratings of a tournament, against closed forms, choix and simulated agents."""

import choix
import numpy as np
import pytest

from evaluation import ratings
from evaluation.ratings import Results


def make_results(agents, deals, lineup, beaten, scores=None) -> Results:
    """Builds results from `(M, P)` finishing values: the higher ends ahead, equal ones tie."""
    lineup, beaten = np.asarray(lineup), np.asarray(beaten)
    rewards = np.sign(beaten[:, :, None] - beaten[:, None, :]).sum(axis=2) / (lineup.shape[1] - 1)
    first = beaten == beaten.max(axis=1, keepdims=True)
    wins = first / first.sum(axis=1, keepdims=True)
    scores = beaten if scores is None else scores
    return Results(tuple(agents), np.asarray(deals), lineup, rewards, wins, scores, np.full(len(lineup), 40))


def play(strengths, num_deals: int, num_players: int, seed: int, luck: float = 0.5) -> Results:
    """Plays deals with all rotations between agents that obey the Bradley-Terry model exactly.

    Gumbel noise makes the chance of i ahead of j 1 / (1 + exp(s_j - s_i)). With probability `luck` an agent's noise is
    the one it has in all games of the deal, so that those games are not independent.
    """
    rng = np.random.default_rng(seed)
    strengths = np.asarray(strengths)
    order = np.argsort(rng.random((num_deals, len(strengths))), axis=1)[:, :num_players]
    lineup = np.stack([np.roll(order, turn, axis=1) for turn in range(num_players)], axis=1).reshape(-1, num_players)
    deals = np.repeat(np.arange(num_deals), num_players)
    of_deal = rng.gumbel(size=(num_deals, len(strengths)))[deals[:, None], lineup]
    noise = np.where(rng.random(lineup.shape) < luck, of_deal, rng.gumbel(size=lineup.shape))
    return make_results([f"agent {k}" for k in range(len(strengths))], deals, lineup, strengths[lineup] + noise)


def duel(wins: int, losses: int, ties: int = 0) -> Results:
    """Two agents, one game a deal, the first in seat 0."""
    outcome = np.repeat([1, -1, 0], [wins, losses, ties])
    games = len(outcome)
    return make_results(("one", "two"), np.arange(games), np.tile([0, 1], (games, 1)), np.stack([outcome, -outcome], 1))


def pick(results: Results, rows) -> Results:
    fields = (results.deals, results.lineup, results.rewards, results.wins, results.scores, results.lengths)
    return Results(results.agents, *(field[rows] for field in fields))


@pytest.mark.parametrize(("wins", "losses"), [(750, 250), (500, 500), (999, 1)])
def test_two_agents_are_rated_by_the_log_of_their_odds(wins, losses):
    rated = ratings.rate(duel(wins, losses), "two", resamples=2)
    assert rated.mean[0] == pytest.approx(400 * np.log10(wins / losses), abs=1.0 if losses == 1 else 0.02)
    assert rated.mean[1] == 0


def test_a_tie_counts_as_half_a_win_for_both():
    with_ties, without = duel(60, 20, ties=20), duel(70, 30)
    np.testing.assert_array_equal(ratings.deal_wins(with_ties).sum(axis=0), ratings.deal_wins(without).sum(axis=0))
    assert ratings.rate(with_ties, resamples=2).mean[1] == ratings.rate(without, resamples=2).mean[1]
    np.testing.assert_allclose(ratings.pairwise(with_ties)[0].mean, [[np.nan, 0.7], [0.3, np.nan]])
    np.testing.assert_allclose(ratings.win_share(with_ties).mean, [0.7, 0.3])
    np.testing.assert_allclose(ratings.placement(with_ties).mean, [0.4, -0.4])


def test_the_ridge_bounds_an_unbeaten_agent_and_solves_its_equation():
    strengths = ratings.bradley_terry(np.array([[0, 1000.0], [0, 0]]))
    gap = strengths[0] - strengths[1]
    # The gradient for two agents: losses expected of the first = ridge times its strength, half the gap.
    assert 1000 / (1 + np.exp(gap)) == pytest.approx(ratings.RIDGE * gap / 2, rel=1e-9)
    assert 1900 < ratings.ELO_PER_LOG_ODDS * gap < 2100


@pytest.mark.parametrize("seed", range(5))
def test_strengths_agree_with_choix(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 60, size=(8, 8)) / 2.0
    np.fill_diagonal(wins, 0)
    expected = choix.ilsr_pairwise_dense(wins, max_iter=1000)
    np.testing.assert_allclose(ratings.bradley_terry(wins, ridge=1e-9), expected - expected.mean(), atol=1e-6)


def test_the_ridge_agrees_with_the_penalty_of_choix():
    rng = np.random.default_rng(0)
    pairs = [(i, j) for i in range(5) for j in range(5) if i < j for _ in range(rng.integers(1, 6))]
    wins = np.zeros((5, 5))
    np.add.at(wins, tuple(np.transpose(pairs)), 1)
    # The penalty of choix is alpha * sum(s ** 2), ours ridge / 2 * sum(s ** 2). Here every agent beats all later ones.
    expected = choix.opt_pairwise(5, pairs, alpha=0.05, tol=1e-12)
    np.testing.assert_allclose(ratings.bradley_terry(wins, ridge=0.1), expected - expected.mean(), atol=1e-6)


@pytest.mark.parametrize("games", [0.5, 1e3, 1e6])
def test_the_fit_converges_from_anywhere_on_the_hardest_data(games):
    chain = np.triu(np.full((12, 12), games), k=1)
    strengths = ratings.bradley_terry(chain)
    assert (np.diff(strengths) < 0).all()
    np.testing.assert_allclose(strengths, ratings.bradley_terry(chain, start=np.linspace(-30, 90, 12)), atol=1e-6)


def test_a_start_on_the_flat_part_of_the_likelihood_does_not_overshoot():
    even = np.array([[0, 50.0], [50, 0]])  # an uncapped first step from here lands thousands of log odds away
    np.testing.assert_allclose(ratings.bradley_terry(even, start=np.array([5.0, -5])), 0, atol=1e-12)


def test_a_stack_is_fitted_as_its_members_are():
    stack = np.random.default_rng(1).integers(0, 9, size=(7, 4, 4)) * (1 - np.eye(4))
    alone = [ratings.bradley_terry(wins) for wins in stack]
    np.testing.assert_allclose(ratings.bradley_terry(stack), alone, atol=1e-9)


def test_pairs_of_seats_count_once_each_and_never_for_the_same_agent():
    results = make_results(("a", "b"), [7, 7], [[0, 0, 1], [1, 0, 1]], [[3, 1, 2], [1, 2, 2]])
    # Game 1: a ahead of b, a behind b. Game 2: a ahead of one b, level with the other.
    np.testing.assert_array_equal(ratings.deal_wins(results), [[[0, 2.5], [1.5, 0]]])
    np.testing.assert_array_equal(ratings.pairwise(results)[1], [[0, 4], [4, 0]])


def test_unequal_seats_are_weighted_as_seats():
    results = make_results(("a", "b"), [0, 0, 1], [[0, 0, 1], [0, 1, 1], [1, 0, 0]], [[3, 2, 1], [2, 1, 0], [0, 9, 5]])
    np.testing.assert_allclose(ratings.score(results).mean, [(3 + 2 + 2 + 9 + 5) / 5, (1 + 1 + 0 + 0) / 4])


def test_the_standard_error_of_equal_clusters_is_that_of_their_means():
    totals = np.array([4.0, 1, 3, 8, 2])
    estimates = ratings.ratio_estimates(totals, np.full(5, 2.0))
    assert estimates.standard_error == pytest.approx((totals / 2).std(ddof=1) / np.sqrt(5))
    half_width = 2.7764451 * estimates.standard_error  # Student t with 4 degrees of freedom
    assert estimates.high - estimates.mean == pytest.approx(half_width)


def test_repeating_the_games_of_a_deal_does_not_narrow_an_interval():
    once = play([0, 0.5, 1], 100, 3, seed=2)
    twice = pick(once, np.repeat(np.arange(300), 2))
    for figure in (ratings.placement, ratings.win_share, ratings.score, ratings.length):
        np.testing.assert_allclose(figure(twice).standard_error, figure(once).standard_error)
    np.testing.assert_allclose(ratings.pairwise(twice)[0].high, ratings.pairwise(once)[0].high)
    rated_once, rated_twice = (ratings.rate(results, resamples=100) for results in (once, twice))
    np.testing.assert_allclose(rated_twice.high - rated_twice.low, rated_once.high - rated_once.low, atol=0.1)


def test_relabelling_agents_permutes_everything():
    results = play([0, 0.3, 0.9, 1.4], 80, 3, seed=3)
    new_place = np.array([2, 0, 3, 1])
    agents = tuple(results.agents[k] for k in np.argsort(new_place))
    moved = Results(
        agents,
        results.deals,
        new_place[results.lineup],
        results.rewards,
        results.wins,
        results.scores,
        results.lengths,
    )
    pairs = [(f(results), f(moved)) for f in (ratings.placement, ratings.win_share, ratings.score)]
    pairs.append(tuple(ratings.rate(each, "agent 1", resamples=100) for each in (results, moved)))
    for before, after in pairs:
        for field in ("mean", "standard_error", "low", "high"):
            np.testing.assert_allclose(getattr(after, field)[new_place], getattr(before, field), rtol=0, atol=1e-7)
    shares = ratings.pairwise(moved)[0].mean[np.ix_(new_place, new_place)]
    np.testing.assert_allclose(shares, ratings.pairwise(results)[0].mean)


def test_the_order_of_the_games_and_the_numbers_of_the_deals_do_not_matter():
    results = play([0, 0.5, 1], 50, 3, seed=4)
    shuffled = pick(results, np.random.default_rng(0).permutation(150))
    renumbered = Results(
        shuffled.agents,
        shuffled.deals * 1000 - 7,
        *(shuffled.lineup, shuffled.rewards, shuffled.wins, shuffled.scores, shuffled.lengths),
    )
    np.testing.assert_array_equal(ratings.rate(renumbered).low, ratings.rate(results).low)
    np.testing.assert_allclose(ratings.score(renumbered).high, ratings.score(results).high)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6, 7])
def test_equal_agents_in_balanced_rotations_get_exactly_zero(num_players):
    # Seats decide everything, as they do when equal agents meet on one deal with keyed noise.
    deals = np.random.default_rng(num_players).integers(0, 4, size=(30, num_players))
    lineup = np.tile([np.roll(np.arange(num_players), turn) for turn in range(num_players)], (30, 1))
    agents = [f"copy {k}" for k in range(num_players)]
    results = make_results(agents, np.repeat(np.arange(30), num_players), lineup, np.repeat(deals, num_players, axis=0))
    placement = ratings.placement(results)
    assert not placement.mean.any() and not placement.standard_error.any()
    rated = ratings.rate(results, resamples=20)
    assert not rated.mean.any() and not rated.low.any() and not rated.high.any()


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    strengths, runs = np.array([0, 0.3, 0.8, 1.5]), 100
    truth = play(strengths, 200_000, 3, seed=99, luck=0)
    placement, share = ratings.placement(truth).mean, ratings.win_share(truth).mean
    covered = np.zeros((runs, 3))
    for run in range(runs):
        results = play(strengths, 150, 3, seed=run, luck=1)
        rated = ratings.rate(results, "agent 0", resamples=200, seed=run)
        pairs = [(rated, ratings.ELO_PER_LOG_ODDS * strengths)]
        pairs += [(ratings.placement(results), placement), (ratings.win_share(results), share)]
        covered[run] = [((e.low <= t) & (t <= e.high))[1:].mean() for e, t in pairs]
    # 400 such runs cover .94 to .95 of the time; intervals that took each game as a unit covered .71 to .75.
    assert (covered.mean(axis=0) > 0.9).all(), covered.mean(axis=0)
    assert (covered.mean(axis=0) < 0.995).all(), covered.mean(axis=0)


def test_ratings_find_the_strengths_they_were_made_from():
    strengths = np.linspace(0, 2, 6)
    rated = ratings.rate(play(strengths, 20_000, 4, seed=5), resamples=2)
    np.testing.assert_allclose(rated.mean, ratings.ELO_PER_LOG_ODDS * strengths, atol=10)


def test_the_bootstrap_is_repeatable_and_follows_its_seed():
    results = play([0, 0.5, 1], 60, 3, seed=6)
    first, again, other = (ratings.rate(results, seed=seed, resamples=150) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.low, again.low)
    assert (first.low != other.low).any()
    np.testing.assert_array_equal(first.mean, other.mean)


def test_the_anchor_is_random_unless_named():
    games = play([0, 0.5, 1], 60, 3, seed=7)
    fields = (games.deals, games.lineup, games.rewards, games.wins, games.scores, games.lengths)
    named = Results(("greedy", "random", "search"), *fields)
    assert ratings.rate(named, resamples=2).settings["anchor"] == "random"
    assert ratings.rate(games, resamples=2).settings["anchor"] == "agent 0"
    rated = ratings.rate(named, "search", resamples=20)
    assert rated.mean[2] == rated.low[2] == rated.high[2] == rated.standard_error[2] == 0
    np.testing.assert_allclose(rated.mean, ratings.rate(named, resamples=2).mean - ratings.rate(named, resamples=2).mean[2])


def test_an_agent_that_never_loses_is_marked_and_has_no_interval():
    games = play([0, 0.5], 40, 2, seed=8)
    lineup = np.concatenate([games.lineup, np.tile([2, 0], (10, 1)), np.tile([1, 2], (10, 1))])
    finish = np.concatenate([games.scores, np.tile([1, 0], (10, 1)), np.tile([0, 1], (10, 1))])
    results = make_results((*games.agents, "best"), np.arange(len(lineup)), lineup, finish)
    rated = ratings.rate(results, resamples=50)
    np.testing.assert_array_equal(rated.separated, [False, False, True])
    assert rated.mean[2] > 500 and np.isnan(rated.low[2]) and np.isfinite(rated.low[:2]).all()
    np.testing.assert_array_equal(ratings.rate(results, "best", resamples=50).separated, [True, True, False])


def test_one_deal_gives_means_and_no_intervals():
    results = pick(play([0, 1, 2], 1, 3, seed=9), slice(None))
    for estimates in (ratings.placement(results), ratings.score(results), ratings.length(results)):
        assert np.isfinite(estimates.mean).all()
        assert np.isnan([estimates.standard_error, estimates.low, estimates.high]).all()
    assert np.isnan(ratings.rate(results).low).all()


def test_an_agent_alone_is_rated_zero():
    results = make_results(("self",), [0, 1], [[0, 0], [0, 0]], [[1, 0], [0, 1]])
    assert ratings.rate(results).mean == [0]
    assert ratings.placement(results).mean == [0]
    assert np.isnan(ratings.pairwise(results)[0].mean).all()


def test_summarise_holds_what_the_functions_return():
    results = play([0, 0.5, 1], 30, 3, seed=10)
    summary = ratings.summarise(results, "agent 2", resamples=50, seed=3, level=0.9)
    rated = ratings.rate(results, "agent 2", resamples=50, seed=3, level=0.9)
    assert [agent["name"] for agent in summary["agents"]] == list(results.agents)
    assert [agent["rating"]["high"] for agent in summary["agents"]] == rated.high.tolist()
    assert [agent["score"]["low"] for agent in summary["agents"]] == ratings.score(results, 0.9).low.tolist()
    assert summary["games"] | {"length": 0} == {"count": 90, "deals": 30, "length": 0}
    assert summary["games"]["length"]["mean"] == 40
    assert summary["settings"] == {
        "anchor": "agent 2",
        "bootstrap_seed": 3,
        "level": 0.9,
        "resamples": 50,
        "ridge": ratings.RIDGE,
    }
    assert sum(agent["seats"] for agent in summary["agents"]) == 270


BROKEN = {
    "different, non-empty names": {"agents": ("a", "a")},
    "without a game: c": {"agents": ("a", "b", "c")},
    "lineup must be": {"lineup": np.array([0, 1])},
    "indices from 0 to 1": {"lineup": np.array([[0, 2], [1, 0]])},
    "integers": {"lineup": np.array([[0.0, 1], [1, 0]])},
    "do not fit int16": {"lineup": np.array([[0, 70000], [1, 0]])},
    "deals must have shape": {"deals": np.arange(3)},
    "scores must have shape": {"scores": np.zeros((2, 3))},
    "scores must be finite": {"scores": np.array([[0, np.nan], [1, 2]])},
    "rewards of game 1 are no placement rewards": {"rewards": np.array([[1.0, -1], [0.5, -0.5]])},
    "rewards of game 0 are no placement rewards": {"rewards": np.array([[1.0, 1], [1, -1]])},
    "shares of one victory": {"wins": np.array([[1.0, 1], [1, 0]])},
    "lengths 0 or more": {"lengths": np.array([3, -1])},
}


@pytest.mark.parametrize("message", BROKEN)
def test_impossible_results_are_refused_by_name(message):
    fields = {
        "agents": ("a", "b"),
        "deals": np.arange(2),
        "lineup": np.array([[0, 1], [1, 0]]),
        "rewards": np.array([[1.0, -1], [1, -1]]),
        "wins": np.array([[1.0, 0], [1, 0]]),
        "scores": np.zeros((2, 2)),
        "lengths": np.array([3, 4]),
    }
    Results(**fields)
    with pytest.raises(ValueError, match=message):
        Results(**fields | BROKEN[message])


def test_impossible_requests_are_refused():
    results = duel(3, 2)
    with pytest.raises(ValueError, match="anchor 'nobody' does not play"):
        ratings.rate(results, "nobody")
    with pytest.raises(ValueError, match="resamples"):
        ratings.rate(results, resamples=1)
    with pytest.raises(ValueError, match="level"):
        ratings.rate(results, level=95)
    with pytest.raises(ValueError, match="level"):
        ratings.score(results, level=1)
    with pytest.raises(ValueError, match="ridge"):
        ratings.rate(results, ridge=0)
    with pytest.raises(ValueError, match="diagonal"):
        ratings.bradley_terry(np.ones((2, 2)))
    with pytest.raises(ValueError, match="shape"):
        ratings.bradley_terry(np.ones((2, 3)))
    islands = make_results("abcd", [0, 1], [[0, 1], [2, 3]], [[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="no chain of games links 'a' with c, d"):
        ratings.rate(islands)
