"""Schedules and matches: balance, rotations of equal agents, broken agents, and the words that agents get."""

import itertools
import sys
import time

import numpy as np
import pytest

import envs
from agents.agent import RandomAgent
from agents.registry import make_agent
from envs.vector import VectorAECEnv
from evaluation import ratings, tournament
from tests import race

SIZES = [(1, 2), (2, 2), (5, 2), (2, 3), (3, 3), (4, 3), (2, 4), (3, 4), (4, 4), (6, 4)]
RULE_SETS = [("fairy_ring_objectives", 2), ("fairy_ring_objectives", 3), ("fairy_ring_objectives", 4), ("mushroom_rings", 2)]


@pytest.fixture(scope="module", params=RULE_SETS, ids=str)
def game(request):
    return envs.make_game(*request.param)


@pytest.fixture(scope="module")
def duel():
    return envs.make_game("fairy_ring", 2)


class Recorder(RandomAgent):
    """Plays at random and keeps all it was given."""

    def __init__(self, game):
        super().__init__(game)
        self.asked = []

    def act(self, observations, action_masks, worlds):
        self.asked.append((observations.copy(), action_masks.copy(), worlds.copy()))
        return super().act(observations, action_masks, worlds)


class Broken:
    """Does something wrong from its n-th decision on."""

    def __init__(self, answer, name="broken"):
        self.answer, self.name = answer, name

    def act(self, observations, action_masks, worlds):
        return self.answer(action_masks)


def raises(masks):
    raise KeyError("no move\nfound")


class Mute(Exception):
    """Cannot be asked for its message."""

    def __str__(self):
        raise KeyError


class Own(BaseException):
    """No ordinary error."""


class Lazy:
    """An answer that is computed when somebody looks at it."""

    def __init__(self, compute):
        self.compute = compute

    def __array__(self, *arguments, **more):
        return self.compute()


def throws(error):
    def answer(masks):
        raise error

    return answer


def nearly_legal(masks):
    """The lowest legal action; an illegal one when it has to place a card."""
    return np.where(masks[:, 0] == 1, masks.argmax(axis=1), 0)


# --- schedules ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_agents", "num_players"), SIZES)
def test_each_deal_is_played_in_all_rotations(num_agents, num_players):
    lineup, deals = tournament.schedule(num_agents, num_players, 60, seed=3)
    assert lineup.shape == (60 * num_players, num_players) and deals.shape == (60 * num_players,)
    assert len(np.unique(deals)) == 60 and deals.min() >= 2**62
    for table, seeds in zip(lineup.reshape(60, num_players, -1), deals.reshape(60, -1), strict=True):
        assert len(set(seeds)) == 1
        assert {tuple(row) for row in table} == {tuple(np.roll(table[0], shift)) for shift in range(num_players)}
        assert all(np.array_equal(np.sort(seat), np.sort(table[0])) for seat in table.T)


@pytest.mark.parametrize(("num_agents", "num_players"), SIZES)
def test_agents_and_meetings_are_balanced(num_agents, num_players):
    lineup, _ = tournament.schedule(num_agents, num_players, 120, seed=0)
    tables = lineup[::num_players]
    assert all(len(set(table)) == min(num_agents, num_players) for table in tables)
    seats = np.bincount(tables.ravel(), minlength=num_agents)
    assert seats.max() - seats.min() <= 1
    pairs = list(itertools.combinations(range(num_agents), 2))
    meetings = [sum(a in table and b in table for table in tables.tolist()) for a, b in pairs]
    assert not pairs or max(meetings) - min(meetings) <= 2


def test_two_agents_at_a_table_of_four_meet_in_every_composition():
    lineup, _ = tournament.schedule(2, 4, 30)
    assert np.bincount(lineup[::4].sum(axis=1)).tolist() == [0, 10, 10, 10]


def test_a_schedule_depends_on_its_seed_alone():
    one, again, other = (tournament.schedule(5, 3, 40, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not np.array_equal(one[0], other[0]) and not np.isin(one[1], other[1]).any()


@pytest.mark.parametrize(("arguments", "words"), [
    ((7, 3, 2, 0), "need at least 3 deals"), ((2, 2, 0, 0), "need at least 1 deals"), ((2, 2, 5, -1), "seed -1"),
    ((2, 2, 5, 2**62), "seed"), ((0, 2, 5, 0), "0 agents"),
])  # fmt: skip
def test_impossible_schedules_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        tournament.schedule(*arguments)


# --- games --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_equal_agents_score_exactly_nothing_on_every_deal(game, spec):
    agents = [make_agent(spec, game) for _ in range(2)]
    lineup, deals = tournament.schedule(2, game.num_players, 40, seed=7)
    match = tournament.play(game, agents, lineup, deals, names=["one", "two"])
    assert np.abs(match.rewards).max() > 0
    for deal in np.unique(deals):
        rows = deals == deal
        # Rotations are the same game with other names in the seats.
        assert (match.rewards[rows] == match.rewards[rows][0]).all() and len(set(match.lengths[rows])) == 1
        for k in range(2):
            assert match.beaten[rows][lineup[rows] == k].sum() == 0
            assert abs(match.rewards[rows][lineup[rows] == k].sum()) < 1e-12
    assert ratings.placement(match).mean.tolist() == [0, 0]


def test_results_do_not_depend_on_batches_or_neighbours(game):
    agents = [make_agent(spec, game) for spec in ("random", "greedy")]
    lineup, deals = tournament.schedule(2, game.num_players, 20)
    whole = tournament.play(game, agents, lineup, deals)
    parts = tournament.play(game, agents, lineup, deals, batch=7)
    assert all(np.array_equal(getattr(whole, name), getattr(parts, name)) for name in ("rewards", "scores", "lengths"))
    order = np.random.default_rng(0).permutation(len(deals))
    mixed = tournament.play(game, agents, lineup[order], deals[order])
    assert np.array_equal(mixed.rewards, whole.rewards[order])


def test_figures_of_a_game_are_those_of_the_rules(game):
    agents = [make_agent("random", game)]
    lineup, deals = tournament.schedule(1, game.num_players, 30)
    match = tournament.play(game, agents, lineup, deals)
    assert match.agents == ("random",) and match.faults == ("",) and match.forfeits.tolist() == [0]
    assert np.allclose(match.rewards.sum(axis=1), 0) and np.allclose(match.wins.sum(axis=1), 1)
    best = match.scores == match.scores.max(axis=1, keepdims=True)
    assert best[match.wins > 0].all()
    assert (match.rewards[match.wins == 1] == 1).all() and match.lengths.max() <= game.max_decisions


def test_an_agent_gets_the_view_and_a_re_dealt_world_of_the_seat_to_act(duel):
    agent = Recorder(duel)
    lineup, deals = np.zeros((8, 2), int), np.repeat(np.arange(4) + 2**62, 2)
    tournament.play(duel, [agent], lineup, deals)
    env, words = VectorAECEnv(duel, 8, autoreset=False), []
    env.reset(deals)
    for observations, masks, worlds in agent.asked:
        live = env.agent_selection >= 0
        view = env.last()[0]
        assert np.array_equal(observations, view["observation"][live]) and np.array_equal(masks, view["action_mask"][live])
        assert np.array_equal(worlds["current_player"], env.agent_selection[live])
        assert np.array_equal(worlds["points"], env.states["points"][live])
        words.append(worlds["rng"])
        actions = np.zeros(8, np.int64)
        actions[live] = RandomAgent(duel).act(observations, masks, worlds)
        env.step(actions)
    assert (env.agent_selection < 0).all()
    # Rotations of a deal get the same words; all else has its own.
    first = np.concatenate([step.reshape(-1, 2)[:, 0] for step in words])
    assert all((step[::2] == step[1::2]).all() for step in words) and len(np.unique(first)) == len(first)


def test_hidden_cards_of_a_world_are_not_those_of_the_game(duel):
    agent = Recorder(duel)
    tournament.play(duel, [agent], np.zeros((64, 2), int), np.arange(64) + 2**62)
    env = VectorAECEnv(duel, 64, autoreset=False)
    env.reset(np.arange(64) + 2**62)
    worlds, seats = agent.asked[0][2], env.agent_selection.astype(int)
    rows = np.arange(64)
    assert np.array_equal(worlds["hand"][rows, seats], env.states["hand"][rows, seats])
    same = (worlds["hand"][rows, 1 - seats] == env.states["hand"][rows, 1 - seats]).all(axis=1)
    assert same.mean() < 0.1


def test_games_over_at_the_deal_count_with_their_result(duel, monkeypatch):
    """A deal that leaves nothing to decide is possible in other games."""
    reset = VectorAECEnv.reset

    def over_at_once(env, seed=None):
        reset(env, seed)
        while (env.agent_selection >= 0).any():
            env.step(env.last()[0]["action_mask"].argmax(axis=1))
        env._codes[:], env._ended = 1, env.num_envs

    monkeypatch.setattr(VectorAECEnv, "reset", over_at_once)
    agent = Recorder(duel)
    match = tournament.play(duel, [agent], np.zeros((6, 2), int), np.arange(6))
    assert agent.asked == [] and (match.lengths > 0).all() and np.allclose(match.wins.sum(axis=1), 1)


@pytest.mark.parametrize(("answer", "fault"), [
    (raises, "KeyError: 'no move"),
    (lambda masks: np.zeros((len(masks), 1), np.int64), "actions int64 of shape"),
    (lambda masks: masks.argmax(axis=1).astype(float), "actions float64 of shape"),
    (lambda masks: np.full(len(masks), np.nan), "actions float64 that are not finite"),
    (lambda masks: masks.argmax(axis=1) == 0, "actions bool of shape"),
    (lambda masks: [[1], [2, 3]], "ValueError: setting an array element"),
    (lambda masks: sys.exit("no more"), "SystemExit: no more"),
    (lambda masks: Lazy(lambda: sys.exit("no")), "SystemExit: no"),
    (throws(GeneratorExit()), "GeneratorExit"),
    (throws(Own("mine")), "Own: mine"),
    (throws(Mute()), "Mute"),
    (throws(ValueError("\x1b[31m\ud800" + 1000 * "x")), "ValueError: \N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}xxx"),
    (lambda masks: None, "actions object of shape"),
    (lambda masks: np.full(len(masks), 99), "an illegal action, 99"),
    (lambda masks: np.full(len(masks), -1), "an illegal action"),
    (nearly_legal, "an illegal action"),
])  # fmt: skip
def test_a_broken_agent_forfeits_and_the_others_play_on(game, answer, fault):
    players = game.num_players
    agents = [make_agent("random", game), Broken(answer)]
    lineup = np.concatenate([np.zeros((3, players), int), np.eye(players, dtype=int)[:, ::-1]])
    deals = np.arange(len(lineup)) + 5
    match = tournament.play(game, agents, lineup, deals)
    assert match.forfeits.tolist() == [0, players] and match.faults[0] == ""
    assert match.faults[1].startswith(fault) and match.faults[1].isprintable() and len(match.faults[1]) <= 200
    offended = lineup == 1
    assert (match.rewards[offended] == -1).all() and (match.scores[offended] == 0).all() and (match.wins[offended] == 0).all()
    others = ~offended & offended.any(axis=1, keepdims=True)
    assert np.allclose(match.rewards[others], 1 / (players - 1)) and np.allclose(match.wins[others], 1 / (players - 1))
    clean = tournament.play(game, agents[:1], lineup[:3], deals[:3])
    assert np.array_equal(match.rewards[:3], clean.rewards) and np.array_equal(match.lengths[:3], clean.lengths)


def test_nobody_throws_one_seat_away_to_win_with_another():
    game = race.make_game(num_players=3)
    agents = [make_agent("random", game), Broken(lambda masks: np.full(len(masks), 99))]
    lineup = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    match = tournament.play(game, agents, lineup, np.arange(4))
    offended = match.offender == 1
    assert offended[:3].any() and offended[3]
    for row in np.flatnonzero(offended[:3]):
        own = lineup[row] == 1
        assert match.rewards[row].tolist() == np.where(own, -0.5, 1.0).tolist()
        assert match.wins[row].tolist() == (~own).tolist() and not match.scores[row][own].any()
    assert abs(match.rewards[3].sum()) < 1e-9


class Fragile(RandomAgent):
    """Fails for every call in which one of its games has an odd word, naming how many games it was asked for."""

    name = "fragile"

    def act(self, observations, action_masks, worlds):
        if (worlds["rng"] % 64 == 0).any():
            raise ValueError(f"{len(worlds)} games")
        return super().act(observations, action_masks, worlds)


def test_an_agent_loses_no_game_but_those_it_fails_in_whatever_the_batches(duel):
    agents = [make_agent("random", duel), Fragile(duel)]
    lineup, deals = tournament.schedule(2, 2, 40)
    whole = tournament.play(duel, agents, lineup, deals)
    assert 0 < whole.forfeits[1] < 80 and whole.faults[1] == "ValueError: 1 games"
    for batch in (1, 7):
        parts = tournament.play(duel, agents, lineup, deals, batch=batch)
        assert np.array_equal(parts.rewards, whole.rewards) and np.array_equal(parts.offender, whole.offender)
        assert parts.faults == whole.faults


def sleeps(seconds):
    def answer(masks):
        time.sleep(seconds * len(masks))
        return masks.argmax(axis=1)

    return answer


def hangs(masks):
    while True:
        try:
            time.sleep(10)
        except Exception:
            continue


@pytest.mark.parametrize("answer", [sleeps(0.03), hangs, lambda masks: Lazy(lambda: hangs(masks))])
def test_who_is_too_slow_loses_and_is_broken_off(duel, monkeypatch, answer):
    monkeypatch.setattr("evaluation.guarded.GRACE", 0.0)
    agents = [make_agent("random", duel), Broken(answer)]
    tournament.play(duel, agents[:1], np.zeros((1, 2), int), np.arange(1))  # compiles
    lineup = np.array([[0, 1], [1, 0], [0, 0]])
    match = tournament.play(duel, agents, lineup, np.arange(3), move_time=0.02)
    assert match.forfeits.tolist() == match.slow.tolist() == [0, 2]
    assert match.faults[1].startswith("too slow: 0.") and "at 0.02 s each" in match.faults[1]
    assert (match.rewards[:2][lineup[:2] == 1] == -1).all()


def test_the_first_call_may_take_longer_and_is_not_counted_as_cost(duel):
    calls = []

    def slow_at_first(masks):
        time.sleep(0 if calls else 0.2)
        calls.append(len(masks))
        return masks.argmax(axis=1)

    agents = [make_agent("random", duel), Broken(slow_at_first)]
    match = tournament.play(duel, agents, np.array([[0, 1], [1, 0]]), np.arange(2), move_time=0.05)
    assert match.forfeits.tolist() == [0, 0]
    assert match.chunk.decisions[1] == sum(calls[1:]) and 0 < match.chunk.seconds[1] < 0.2


def test_progress_adds_up_to_all_games(duel):
    ended = []
    tournament.play(duel, [RandomAgent(duel)], np.zeros((25, 2), int), np.arange(25), batch=10, progress=ended.append)
    assert sum(ended) == 25 and min(ended) > 0


@pytest.mark.parametrize(("change", "words"), [
    ({"lineup": np.zeros((4, 3), int)}, "lineup must be"), ({"lineup": np.full((4, 2), 2)}, "integers from 0 to 1"),
    ({"names": ["a", "a"]}, "different names"), ({"names": ["a"]}, "different names"),
    ({"deals": np.array([0, 1, -2, 3])}, "integers from 0"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(duel, change, words):
    arguments = {"lineup": np.array([[0, 1]] * 4), "deals": np.arange(4), "names": ["a", "b"]} | change
    with pytest.raises(ValueError, match=words):
        tournament.play(duel, [RandomAgent(duel), RandomAgent(duel)], **arguments)
