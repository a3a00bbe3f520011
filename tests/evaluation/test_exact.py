"""Exact answers on the tiny game: they are those of OpenSpiel's other implementations, and of games that are played."""

import numpy as np
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability

import envs
from agents.registry import make_agent
from evaluation import exact
from tests.envs.openspiel.games import TINY

SPEC = f"{TINY}(max_turns=1)"


@pytest.fixture(scope="module")
def game():
    return exact.load(SPEC)


@pytest.fixture(scope="module")
def sets(game):
    return exact.information_sets(game)


@pytest.fixture(scope="module")
def greedy(game, sets):
    return exact.table_of(game, sets, make_agent("greedy", game.game), 1)


@pytest.fixture(scope="module")
def best(game):
    return exact.solved(game, 15)


def test_it_finds_the_information_sets_that_openspiel_finds(game, sets):
    table = policy.TabularPolicy(game)
    assert {one.key for one in sets} == set(table.state_lookup)
    for one in sets:
        mask = table.legal_actions_mask[table.state_lookup[one.key]]
        assert np.flatnonzero(mask).tolist() == one.position.legal()


def test_the_exploitability_is_that_of_openspiels_python_code(game, sets, greedy):
    for table in (exact.uniform(sets), greedy):
        tabular = policy.TabularPolicy(game)
        for key, choices in table.items():
            tabular.policy_for_key(key)[:] = 0
            for action, share in choices:
                tabular.policy_for_key(key)[action] = share
        slow = exploitability.nash_conv(game, tabular, return_only_nash_conv=False)
        found = exact.exploited(game, table)
        assert found.exploitability == pytest.approx(slow.nash_conv / 2, abs=1e-9)
        assert sum(found.least) == pytest.approx(-slow.nash_conv, abs=1e-9)


def test_cfr_comes_near_to_the_best_play_and_bounds_the_value_from_both_sides(game, greedy, best):
    found = [exact.exploited(game, table) for table in (exact.solved(game, 1), exact.solved(game, 4), best)]
    assert found[0].exploitability > 0.1 > found[1].exploitability > found[2].exploitability
    assert 0 < found[2].exploitability < 0.005
    low, high = found[2].least[0], -found[2].least[1]
    assert low < 26 / 75 < high < low + 0.01
    assert exact.exploited(game, greedy).least[0] < low + 1e-9


def test_nobody_wins_against_the_best_play(game, sets, greedy, best):
    for table in (exact.uniform(sets), greedy):
        loss, most = exact.returns(game, table, best), exact.exploited(game, table).exploitability
        assert -most - 1e-9 <= loss < 0.005
        assert exact.returns(game, best, table) == pytest.approx(-loss, abs=1e-9)
    assert exact.returns(game, greedy, greedy) == pytest.approx(0, abs=1e-9)


def test_the_expected_return_is_the_mean_of_games_that_are_played(game, sets, greedy):
    """The same agents in the compiled engine: its deals and draws have the probabilities of the chance events."""
    rules, games = game.game, 6000
    paid = np.zeros(games)
    for seat in range(2):
        env = envs.make_vec(rules, games, seed=7 + seat, autoreset=False)
        players = [make_agent("greedy", rules), make_agent("random", rules)]
        rng = np.random.default_rng(seat)
        while (env.agent_selection >= 0).any():
            view = env.last()[0]
            actions = np.zeros(games, np.int64)
            worlds = env.worlds(rng.integers(1 << 64, size=games, dtype=np.uint64))
            for number, player in enumerate(players):
                rows = np.flatnonzero(env.agent_selection == (seat + number) % 2)
                if len(rows):
                    actions[rows] = player.act(view["observation"][rows], view["action_mask"][rows], worlds[rows])
            env.step(actions)
            paid += env.last()[1][:, seat]
    expected = exact.returns(game, greedy, exact.uniform(sets))
    error = (paid / 2).std() / np.sqrt(games)
    assert 0 < error < 0.02
    assert (paid / 2).mean() == pytest.approx(expected, abs=4 * error)


def test_a_player_that_mixes_is_a_table_of_its_shares(game, sets):
    few = sets[:40]
    table = exact.table_of(game, few, make_agent("random", game.game), 400, seed=1)
    for one in few:
        choices = len(one.position.legal())
        for _, share in table[one.key]:
            assert share == pytest.approx(1 / choices, abs=5 * np.sqrt(0.25 / 400))
    halves = exact.mixed([table, exact.uniform(few)], [0.5, 0.5])
    key, choices = next((key, choices) for key, choices in table.items() if len(choices) > 1)
    assert halves[key][0][1] == pytest.approx((choices[0][1] + 1 / len(choices)) / 2)


@pytest.mark.parametrize("spec", ["fairy_rings_dance_of_eights", "kuhn_poker", "fairy_rings_fairy_ring(players=3)"])
def test_a_game_that_cannot_be_solved_is_refused(spec):
    with pytest.raises(ValueError, match="cannot be solved"):
        exact.load(spec)
