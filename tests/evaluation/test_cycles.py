"""Alpha-rank against chains solved by hand, by numpy and by OpenSpiel; circles by names."""

import numpy as np
import pytest

from evaluation.cycles import EPSILON, alpha_rank, beats, components, cycles, diagnose, stationary
from evaluation.report import figures
from tests.evaluation.test_report import make_report

NAMES = "abcdef"


def relation(*pairs, size=3):
    """Who beats whom, from words such as "ab": a beats b."""
    beaten = np.zeros((size, size), bool)
    for pair in pairs:
        beaten[NAMES.index(pair[0]), NAMES.index(pair[1])] = True
    return beaten


@pytest.mark.parametrize(("pairs", "shares"), [
    (("ab", "bc", "ca"), (1 / 3, 1 / 3, 1 / 3)),
    (("ab", "bc", "ac"), (1, 0, 0)),
    ((), (1 / 3, 1 / 3, 1 / 3)),
    # From a to c 1/4; from b to a 1/2; from c to b 1/2 and to a 1/4: what flows in flows out at 3/5, 1/5, 1/5.
    (("ab", "bc"), (3 / 5, 1 / 5, 1 / 5)),
    # c is beaten by both and left for good; a and b are even.
    (("ac", "bc"), (1 / 2, 1 / 2, 0)),
    # From a to c 1/4, from b to a 1/2 and to c 1/4, from c to a and to b 1/4: 5/9, 1/9 and 3/9.
    (("ab",), (5 / 9, 1 / 9, 3 / 9)),
])  # fmt: skip
def test_alpha_rank_of_three_agents_is_what_a_hand_finds(pairs, shares):
    np.testing.assert_allclose(alpha_rank(relation(*pairs)), shares, atol=1e-8)


def test_alpha_rank_with_much_noise_solved_by_hand():
    """Two agents: from the better 1/10, to it 9/10."""
    np.testing.assert_allclose(alpha_rank(relation("ab", size=2), epsilon=0.1), [0.9, 0.1], rtol=1e-14)
    assert alpha_rank(relation(size=1)).tolist() == [1.0]


def random_relation(rng, size):
    upper = np.triu(rng.integers(-1, 2, (size, size)), 1)
    return (upper - upper.T) > 0


@pytest.mark.parametrize("seed", range(5))
def test_the_elimination_finds_the_eigenvector(seed):
    rng = np.random.default_rng(seed)
    chance = rng.random((6, 6)) / 6
    np.fill_diagonal(chance, 0)
    share = stationary(chance)
    np.testing.assert_allclose(share @ chance, share * chance.sum(axis=1), rtol=1e-12)
    assert share.sum() == pytest.approx(1, abs=1e-15) and share.min() > 0


def test_small_chances_lose_no_digits():
    """Up a ladder with chance e and down with 1 - e: each rung has e / (1 - e) of the one below."""
    e = 1e-12
    chance = np.diag([e] * 4, 1) + np.diag([1 - e] * 4, -1)
    share = stationary(chance)
    np.testing.assert_allclose(share[1:] / share[:-1], e / (1 - e), rtol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_alpha_rank_agrees_with_open_spiel(seed):
    alpharank = pytest.importorskip("open_spiel.python.egt.alpharank")
    beaten = random_relation(np.random.default_rng(seed), 5)
    payoffs = np.where(beaten, 1.0, np.where(beaten.T, 0.0, 0.5))
    theirs = alpharank.compute([payoffs], use_inf_alpha=True, inf_alpha_eps=0.01)[2]
    np.testing.assert_allclose(alpha_rank(beaten, epsilon=0.01), theirs, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_other_names_permute_the_diagnostics(seed):
    rng = np.random.default_rng(seed)
    beaten, order = random_relation(rng, 6), rng.permutation(6)
    mixed = beaten[np.ix_(order, order)]
    np.testing.assert_allclose(alpha_rank(mixed), alpha_rank(beaten)[order], rtol=1e-9)
    assert len(cycles(mixed)) == len(cycles(beaten))
    found = sorted(sorted(int(order[k]) for k in group) for group in components(mixed))
    assert found == [sorted(knot) for knot in components(beaten)]


def test_impossible_relations_are_refused():
    for beaten, epsilon in ((relation("ab", "ba"), 0.1), (relation("ab"), 0.5), (relation("ab"), 0.0), (relation("aa"), 0.1)):
        with pytest.raises(ValueError, match="beat each other"):
            alpha_rank(beaten, epsilon)


@pytest.mark.parametrize(("pairs", "rings", "held"), [
    (("ab", "bc", "ca"), [[0, 1, 2]], [[0, 1, 2]]),
    (("ba", "cb", "ac"), [[0, 2, 1]], [[0, 1, 2]]),
    (("ab", "bc", "ac"), [], []),
    (("ab", "bc", "cd", "da"), [], [[0, 1, 2, 3]]),
    (("ab", "bc", "ac", "cd", "da", "bd"), [[0, 1, 3], [0, 2, 3]], [[0, 1, 2, 3]]),
    (("ab", "bc", "ca", "de", "ef", "fd", "ad"), [[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]),
])  # fmt: skip
def test_circles_are_found_once_each(pairs, rings, held):
    beaten = relation(*pairs, size=6)
    assert cycles(beaten) == rings and components(beaten) == held


def test_only_intervals_above_one_half_count():
    assert beats([[np.nan, 0.51], [0.5, np.nan]]).tolist() == [[False, True], [False, False]]
    assert beats([[None, 0.9], [0.0, None]]).tolist() == [[False, True], [False, False]]


def circle_report():
    result = make_report(("rock", "paper", "scissors"))
    low = np.full((3, 3), np.nan)
    low[1, 0] = low[2, 1] = low[0, 2] = 0.6
    result["matrix"]["low"] = low
    diagnose(result)
    return result


def test_a_report_names_its_circles():
    result = circle_report()
    assert result["cycles"] == {"rings": [["rock", "scissors", "paper"]], "knots": [["rock", "paper", "scissors"]]}
    assert [agent["alpha_rank"] for agent in result["agents"]] == pytest.approx([1 / 3] * 3)
    headings, rows = figures.results_table(figures.tidy(result))
    assert headings[-1] == "Alpha-rank, %" and {row[-1] for row in rows} == {"33.3"}
    notes = " ".join(figures.notes_of(result))
    assert "rock beats scissors beats paper beats rock." in notes and "No ladder" not in notes


def test_long_lists_of_circles_are_cut_and_larger_knots_named():
    result = make_report()
    result["cycles"] = {"rings": [["a", "b", "c"]] * 13, "knots": [["a", "b", "c", "d"], ["e", "f", "g"]]}
    notes = figures.notes_of(result)
    assert "; and 3 more." in notes[-3] and notes[-2] == "No ladder can be made of: a, b, c, d."


def test_epsilon_is_small_enough_not_to_show():
    assert EPSILON * 100 < 10**-figures.DECIMALS
