"""The rollout buffer: advantages by hand and against a slow loop, and that what has no outcome is not learned from."""

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
import torch as th

from agents.networks.blueprint import Blueprint
from envs.engine import RUNNING, TERMINATED, TRUNCATED
from training.ppo import SeatPolicy
from training.rollout_buffer import SeatRolloutBuffer, Turn

D, A = 3, 4


def make_buffer(steps, games, seats, gamma=1.0, gae_lambda=0.95):
    """An empty buffer beside a stand-in for the environment."""
    venv = SimpleNamespace(num_players=seats, last_turn=None, seats_to_move=np.zeros(games, np.int8))
    box, discrete = gymnasium.spaces.Box(-9, 9, (D,), np.float32), gymnasium.spaces.Discrete(A)
    return SeatRolloutBuffer(steps, box, discrete, "cpu", gae_lambda, gamma, games, venv=venv)


def add(buffer, acted, codes, payoffs, values, observations=None, cuts=((), ())):
    """Adds one decision of every game."""
    games = buffer.n_envs
    cut_rows = np.array(cuts[0], np.int64)
    cut_views = np.array(cuts[1], np.float32).reshape(len(cut_rows), buffer.venv.num_players, D)
    buffer.venv.last_turn = Turn(
        np.array(acted, np.int8), np.array(codes, np.int8), np.array(payoffs, np.float32), cut_rows, cut_views
    )
    if observations is None:
        observations = np.zeros((games, D), np.float32)
    numbers = th.tensor(np.array(values, np.float32))
    masks = np.ones((games, A), np.int8)
    buffer.add(observations, np.zeros(games), np.zeros(games), np.zeros(games), numbers[:, None], -numbers, action_masks=masks)


def make_policy(widths, gain=None):
    """A policy for such observations and actions; with a gain its logits differ, untrained ones are all near 0."""
    game = SimpleNamespace(observation_size=D, num_actions=A, kernels=SimpleNamespace(__name__="nothing"))
    box, discrete = gymnasium.spaces.Box(-9, 9, (D,), np.float32), gymnasium.spaces.Discrete(A)
    policy = SeatPolicy(box, discrete, lambda _: 1e-3, blueprint=Blueprint(game, "flat", widths))
    if gain is not None:
        th.nn.init.normal_(policy.network.logits.weight, std=gain)
    return policy


def finish(buffer, seats_to_move, last_values):
    """Computes the advantages."""
    buffer.venv.seats_to_move = np.array(seats_to_move, np.int8)
    buffer.compute_returns_and_advantage(th.tensor(np.array(last_values, np.float32))[:, None], np.zeros(buffer.n_envs))


def add_one_game(buffer, decisions):
    """Adds ``(seat, code, payoffs, value)`` of a single game, decision by decision."""
    for seat, code, payoffs, value in decisions:
        add(buffer, [seat], [code], [payoffs], [value])


def test_each_seat_is_bootstrapped_from_its_own_next_decision():
    nothing = (0, 0, 0)
    buffer = make_buffer(6, 1, 3, gamma=0.5, gae_lambda=0.5)
    add_one_game(
        buffer,
        [
            (0, RUNNING, nothing, 1.0),
            (1, RUNNING, nothing, 2.0),
            (1, RUNNING, nothing, 3.0),  # the same seat decides twice in a row
            (2, RUNNING, nothing, 4.0),
            (0, RUNNING, nothing, 5.0),
            (1, RUNNING, nothing, 6.0),
        ],
    )
    finish(buffer, seats_to_move=[2], last_values=[10.0])
    # seat 2: 0.5 * 10 - 4 = 1.     seat 0: 0.5 * 5 - 1 = 1.5; its decision at 5 is its last.
    # seat 1: at 3: 0.5 * 6 - 3 = 0; at 2: 0.5 * 3 - 2 + 0.25 * 0 = -0.5; its decision at 6 is its last.
    assert buffer.advantages[:, 0].tolist() == [1.5, -0.5, 0.0, 1.0, 0.0, 0.0]
    assert buffer.learned[:, 0].tolist() == [True, True, True, True, False, False]
    assert buffer.returns[:, 0].tolist() == [2.5, 1.5, 3.0, 5.0, 5.0, 6.0]


def test_the_end_pays_every_seat_at_its_own_last_decision_whoever_ends_the_game():
    nothing = (0, 0, 0)
    buffer = make_buffer(5, 1, 3, gamma=1.0, gae_lambda=0.5)
    add_one_game(
        buffer,
        [
            (0, RUNNING, nothing, 0.25),
            (2, RUNNING, nothing, 0.5),
            (1, TERMINATED, (-1, 1, 0), 0.75),
            (1, RUNNING, nothing, 8.0),  # the next game
            (2, RUNNING, nothing, 9.0),
        ],
    )
    finish(buffer, seats_to_move=[1], last_values=[10.0])
    assert buffer.advantages[:, 0].tolist() == [-1.25, -0.5, 0.25, 2.0, 0.0]
    assert buffer.learned[:, 0].tolist() == [True, True, True, True, False]


def test_lambda_weighs_a_seats_own_later_advantages():
    buffer = make_buffer(4, 1, 2, gamma=1.0, gae_lambda=0.5)
    add_one_game(
        buffer,
        [(0, RUNNING, (0, 0), 1.0), (1, RUNNING, (0, 0), 7.0), (0, RUNNING, (0, 0), 2.0), (1, TERMINATED, (1, -1), 7.0)],
    )
    finish(buffer, seats_to_move=[0], last_values=[0.0])
    # seat 0: last 1 - 2 = -1, first 2 - 1 + 0.5 * -1 = 0.5; seat 1: last -1 - 7 = -8, first 7 - 7 + 0.5 * -8 = -4
    assert buffer.advantages[:, 0].tolist() == [0.5, -4.0, -1.0, -8.0]


def test_a_truncated_game_goes_on_in_the_value_of_every_seats_own_last_view():
    nothing = (0, 0, 0)
    buffer = make_buffer(3, 2, 3, gamma=0.5, gae_lambda=1.0)
    buffer.predict_values = lambda views: views[:, :1] * 10
    views = [[[1, 0, 0], [2, 0, 0], [3, 0, 0]]]
    add(buffer, [0, 0], [RUNNING, RUNNING], [nothing, nothing], [1.0, 1.0])
    add(buffer, [2, 1], [TRUNCATED, RUNNING], [nothing, nothing], [2.0, 2.0], cuts=([0], views))
    add(buffer, [1, 2], [RUNNING, TERMINATED], [nothing, (0, 1, -1)], [3.0, 3.0])
    finish(buffer, seats_to_move=[1, 0], last_values=[4.0, 4.0])
    # game 0: seat 0: 0.5 * 10 - 1 = 4; seat 2: 0.5 * 30 - 2 = 13; then a new game. Game 1 is not touched by the cut.
    assert buffer.advantages[:, 0].tolist() == [4.0, 13.0, -1.0]
    assert buffer.advantages[:, 1].tolist() == [-1.0, -1.0, -4.0]
    assert buffer.learned.all()


def slow_advantages(acted, codes, payoffs, cut_values, values, seat_to_move, last_value, gamma, gae_lambda):
    """One game: every seat's decisions are collected into trajectories first, then each is gone through forwards."""
    advantages, learned = [0.0] * len(acted), [False] * len(acted)
    for seat in range(payoffs.shape[1]):
        begin = 0
        ends = [t for t in range(len(acted)) if codes[t] != RUNNING]
        for end in [*ends, None]:
            stretch = range(begin, len(acted) if end is None else end + 1)
            own = [t for t in stretch if acted[t] == seat]
            deltas = []
            for place, t in enumerate(own):
                following = own[place + 1] if place + 1 < len(own) else None
                until = stretch.stop if following is None else following
                paid = sum(payoffs[u, seat] for u in range(t, until))
                if following is not None:
                    deltas.append(paid + gamma * values[following] - values[t])
                elif end is not None:
                    deltas.append(paid + gamma * cut_values[end, seat] - values[t])
                elif seat == seat_to_move:
                    deltas.append(paid + gamma * last_value - values[t])
            for place in range(len(deltas)):
                weights = [(gamma * gae_lambda) ** k for k in range(len(deltas) - place)]
                advantages[own[place]] = sum(w * d for w, d in zip(weights, deltas[place:], strict=True))
                learned[own[place]] = True
            begin = stretch.stop
    return advantages, learned


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_compiled_pass_equals_a_slow_loop_on_random_games(seats):
    rng = np.random.default_rng(seats)
    steps, games = 40, 30
    buffer = make_buffer(steps, games, seats, gamma=0.9, gae_lambda=0.8)
    buffer.predict_values = lambda views: views.sum(1, keepdim=True)
    cut_values = np.zeros((steps, games, seats), np.float32)
    for step in range(steps):
        codes = rng.choice([RUNNING, TERMINATED, TRUNCATED], games, p=[0.9, 0.06, 0.04])
        views = rng.normal(size=(np.count_nonzero(codes == TRUNCATED), seats, D)).astype(np.float32)
        cut_values[step, codes == TRUNCATED] = views.sum(-1)
        payoffs = rng.normal(size=(games, seats)) * (codes == TERMINATED)[:, None]
        acted = rng.integers(seats, size=games)
        add(buffer, acted, codes, payoffs, rng.normal(size=games), cuts=(np.flatnonzero(codes == TRUNCATED), views))
    seats_to_move, last_values = rng.integers(seats, size=games), rng.normal(size=games)
    finish(buffer, seats_to_move, last_values)
    for row in range(games):
        parts = (part[:, row] for part in (buffer.acted, buffer.codes, buffer.payoffs, cut_values, buffer.values))
        advantages, learned = slow_advantages(*parts, seats_to_move[row], np.float32(last_values[row]), 0.9, 0.8)
        assert buffer.learned[:, row].tolist() == learned
        np.testing.assert_allclose(buffer.advantages[:, row], advantages, rtol=0, atol=1e-5)


def filled_buffer(steps=7, games=5):
    """A buffer whose observations, values and advantages tell which decision they are of."""
    rng = np.random.default_rng(5)
    buffer = make_buffer(steps, games, 3)
    for step in range(steps):
        numbers = step * games + np.arange(games)
        observations = np.repeat(numbers[:, None], D, 1).astype(np.float32)
        add(buffer, rng.integers(3, size=games), [RUNNING] * games, np.zeros((games, 3)), numbers, observations)
    finish(buffer, rng.integers(3, size=games), rng.normal(size=games))
    return buffer


def test_minibatches_hold_each_learned_decision_once_and_no_other():
    buffer = filled_buffer()
    learned = np.flatnonzero(buffer.learned)
    advantages = buffer.advantages.reshape(-1).copy()
    assert 0 < len(learned) < buffer.learned.size
    for _ in range(2):
        seen = []
        for batch in buffer.get(8):
            numbers = batch.observations[:, 0].numpy().astype(int)
            seen += numbers.tolist()
            np.testing.assert_array_equal(batch.old_values.numpy(), numbers)
            np.testing.assert_array_equal(batch.old_log_prob.numpy(), -numbers)
            np.testing.assert_array_equal(batch.advantages.numpy(), advantages[numbers])
            np.testing.assert_array_equal(batch.returns.numpy(), advantages[numbers] + numbers)
        assert sorted(seen) == learned.tolist()


def test_minibatches_are_of_equal_size():
    sizes = [len(batch.actions) for batch in filled_buffer(10, 7).get(16)]
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == round(sum(sizes) / 16)


def test_a_decision_without_outcome_changes_no_gradient():
    def gradient(junk):
        th.manual_seed(0)
        buffer = filled_buffer()
        unknown = ~buffer.learned
        buffer.observations[unknown] = junk
        buffer.values[unknown] = junk
        buffer.advantages[unknown] = junk
        buffer.returns[unknown] = junk
        policy = make_policy([8])
        for batch in buffer.get(8):
            normalised = (batch.advantages - batch.advantages.mean()) / batch.advantages.std()
            values, log_prob, entropy = policy.evaluate_actions(batch.observations, batch.actions, batch.action_masks)
            loss = -(log_prob * normalised).mean() + (values.flatten() - batch.returns).square().mean() - entropy.mean()
            loss.backward()
        return th.cat([parameter.grad.flatten() for parameter in policy.parameters()])

    assert th.equal(gradient(0.0), gradient(1e6))


def test_the_short_way_to_log_probabilities_is_that_of_the_library():
    th.manual_seed(1)
    for gain in (None, 1.0):
        policy = make_policy([8, 8], gain)
        observations, masks = th.randn(50, D), th.rand(50, A) < 0.5
        masks[:, 1] = True
        actions, values, log_prob = policy(observations, action_masks=masks.numpy())
        assert masks[th.arange(50), actions].all()
        distribution = policy.get_distribution(observations, masks)
        own_values, own_log_prob, entropy = policy.evaluate_actions(observations, actions, masks)
        for computed in (log_prob, own_log_prob):
            th.testing.assert_close(computed, distribution.log_prob(actions))
        th.testing.assert_close(entropy, distribution.entropy())
        th.testing.assert_close(values, policy.predict_values(observations))
        th.testing.assert_close(own_values, values)


def test_actions_are_drawn_with_the_probabilities_of_the_policy():
    th.manual_seed(2)
    policy = make_policy([4], gain=1.0)
    observations, masks = th.ones(20_000, D), np.tile(np.array([1, 0, 1, 1], np.int8), (20_000, 1))
    actions, _, log_prob = policy(observations, action_masks=masks)
    shares = np.bincount(actions.numpy(), minlength=A) / len(actions)
    expected = policy.get_distribution(observations[:1], masks[:1]).distribution.probs[0].detach().numpy()
    assert expected.max() > expected[[0, 2, 3]].min() + 0.1
    np.testing.assert_allclose(shares, expected, atol=0.015)
    assert shares[1] == 0
