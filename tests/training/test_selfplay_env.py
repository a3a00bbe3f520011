"""The environment in which all seats learn: whose decisions are samples, what they are paid, snapshots, shaping."""

import numpy as np
import pytest
import torch as th

import envs
from agents.agent import RandomAgent
from agents.networks.blueprint import Blueprint
from envs.engine import RUNNING, TRUNCATED
from envs.vector import VectorAECEnv
from tests import climb, race
from tests.training.environments import all_seats, blueprint, random_actions, random_weights
from training.games import leads_of
from training.ppo import SeatPolicy, SelfPlayPPO
from training.rollout_buffer import SeatRolloutBuffer
from training.selfplay_env import NO_SNAPSHOT, SelfPlayVecEnv, SnapshotPool


@pytest.fixture(scope="module")
def game():
    return race.make_game(num_players=3)


def test_without_snapshots_it_is_the_vector_environment(game):
    venv, plain = all_seats(game), VectorAECEnv(game, 40, seed=3)
    rng = np.random.default_rng(0)
    observations = venv.reset()
    for _ in range(50):
        shown = plain.last()[0]
        np.testing.assert_array_equal(observations, shown["observation"])
        actions, acted = random_actions(venv.action_masks(), rng), plain.agent_selection.copy()
        observations, rewards, dones, _ = venv.step(actions)
        plain.step(actions)
        _, payoffs, terminations, truncations, infos = plain.last()
        turn = venv.last_turn
        np.testing.assert_array_equal(turn.acted, acted)
        np.testing.assert_array_equal(turn.payoffs, payoffs)
        np.testing.assert_array_equal(dones, terminations | truncations)
        np.testing.assert_array_equal(turn.codes == TRUNCATED, truncations)
        np.testing.assert_array_equal(turn.cut_rows, infos.get("truncated_rows", []))
        if truncations.any():
            np.testing.assert_array_equal(turn.cut_observations, infos["final_observation"])
        assert not rewards.any()


def seats_of_others(venv):
    """By row: the seat that does not learn, -1 where all do."""
    learns = venv.learning_seats
    return np.where(learns.all(1), -1, learns.argmin(1))


def test_a_snapshots_decisions_never_leave_the_environment(game):
    venv = all_seats(game, num_envs=60, share=0.5, snapshots=(1, 2))
    rng = np.random.default_rng(0)
    venv.reset()
    seats_of_snapshots = set()
    for _ in range(100):
        frozen = seats_of_others(venv)
        assert (frozen[30:] == -1).all()
        assert (venv.seats_to_move != frozen).all()
        seats_of_snapshots |= set(frozen[:30].tolist())
        venv.step(random_actions(venv.action_masks(), rng))
        assert (venv.last_turn.acted != frozen).all()
        if rng.random() < 0.1:
            venv.draw_snapshot()
    assert {0, 1, 2} <= seats_of_snapshots <= {-1, 0, 1, 2}
    assert venv.dropped_games > 0  # the gambler sometimes wins before anybody else has decided anything


def test_payoffs_of_games_that_a_snapshot_ended_reach_the_learners(game):
    venv = all_seats(game, num_envs=60, share=1.0, snapshots=(1,))
    rng = np.random.default_rng(0)
    venv.reset()
    ended_by_snapshot = 0
    for _ in range(100):
        frozen = seats_of_others(venv)
        *_, dones, infos = venv.step(random_actions(venv.action_masks(), rng))
        turn = venv.last_turn
        for row in np.flatnonzero(dones):
            rank, payoff = infos[row]["rank"], turn.payoffs[row]
            if turn.codes[row] != TRUNCATED:
                assert (payoff[rank == 1] == 1).all()
                assert payoff.sum() == pytest.approx(0)
                ended_by_snapshot += frozen[row] >= 0 and rank[frozen[row]] == 1
        assert not turn.payoffs[~dones].any()
        assert (turn.codes[~dones] == RUNNING).all()
    assert ended_by_snapshot > 10


def test_statistics_count_games_and_rewards_against_snapshots(game):
    venv = all_seats(game, num_envs=60, share=0.5, snapshots=(1,))
    rng = np.random.default_rng(0)
    venv.reset()
    lengths, paid = [], []
    for _ in range(60):
        frozen = seats_of_others(venv)
        *_, dones, infos = venv.step(random_actions(venv.action_masks(), rng))
        for row in np.flatnonzero(dones):
            lengths.append(infos[row]["length"])
            if frozen[row] >= 0:
                paid.append(venv.last_turn.payoffs[row, frozen[row]])
    statistics = venv.take_statistics()
    assert statistics["games"] == len(lengths)
    assert statistics["length"] == pytest.approx(np.mean(lengths))
    assert statistics["reward_against_others"] == pytest.approx(-np.mean(paid) / 2)
    assert venv.take_statistics() == {"games": 0}


def test_a_saved_state_goes_on_the_same_way(game):
    def play(venv, steps):
        rng = np.random.default_rng(9)
        trace = []
        for _ in range(steps):
            observations, *_ = venv.step(random_actions(venv.action_masks(), rng))
            venv.draw_snapshot()
            trace += [observations, venv.last_turn.payoffs, venv.last_turn.acted]
        return np.concatenate([part.ravel() for part in trace])

    venv = all_seats(game, share=0.5, snapshots=(1, 2, 3))
    venv.reset()
    play(venv, 10)
    state = venv.get_state()
    expected = play(venv, 20)
    other = all_seats(game, share=0.5, snapshots=(1, 2, 3), seed=77)
    other.set_state(state)
    np.testing.assert_array_equal(play(other, 20), expected)
    with pytest.raises(ValueError, match="pool"):
        all_seats(game, share=0.5, snapshots=(1, 2)).set_state(state)


def test_against_an_agent_one_seat_learns_and_nothing_else(game):
    class Noted(RandomAgent):
        def act(self, observations, action_masks, worlds):
            noted.append(worlds["current_player"].copy())
            return super().act(observations, action_masks, worlds)

    noted = []
    pool = SnapshotPool(Blueprint(game, "flat", [8]), seed=3)
    pool.add(1, random_weights(game, 1))
    venv = SelfPlayVecEnv(game, 40, seed=3, snapshot_share=1, pool=pool, against=Noted(game))
    venv.draw_snapshot()
    venv.reset()
    rng, seats, paid = np.random.default_rng(0), set(), []
    for _ in range(60):
        assert (venv.learning_seats.sum(1) == 1).all()
        learner = venv.learning_seats.argmax(1)
        np.testing.assert_array_equal(venv.seats_to_move, learner)
        seats |= set(learner.tolist())
        *_, dones, _ = venv.step(random_actions(venv.action_masks(), rng))
        np.testing.assert_array_equal(venv.last_turn.acted, learner)
        paid += venv.last_turn.payoffs[dones, learner[dones]].tolist()
    assert seats == set(range(game.num_players))
    assert set(np.concatenate(noted).tolist()) == set(range(game.num_players))
    assert venv.games.results["illegal"].sum() == 0
    assert venv.take_statistics()["reward_against_others"] == pytest.approx(np.mean(paid))


def test_recent_snapshots_are_drawn_more_often(game):
    pool = SnapshotPool(blueprint(game), size=3)
    assert pool.draw() == NO_SNAPSHOT
    for number in range(5):
        pool.add(number, random_weights(game, number))
    assert pool.numbers == [2, 3, 4]
    counts = np.bincount([pool.draw() for _ in range(1000)], minlength=5)
    assert counts[0] == counts[1] == 0
    assert 0 < counts[2] < counts[3] < counts[4]


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_algorithm_learns_from_all_seats(num_players):
    game = race.make_game(num_players=num_players)
    venv = all_seats(game, num_envs=16, share=0.25, snapshots=(1,))
    model = SelfPlayPPO(
        SeatPolicy, venv, n_steps=16, batch_size=64, n_epochs=2, gamma=1.0, seed=0, device="cpu",
        rollout_buffer_class=SeatRolloutBuffer, rollout_buffer_kwargs={"venv": venv},
        policy_kwargs={"blueprint": blueprint(game)},
    )  # fmt: skip
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(16 * 16 * 4)
    assert all(not th.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))
    assert all(parameter.isfinite().all() for parameter in model.policy.parameters())
    assert venv.games.results["illegal"].sum() == 0


# --- shaping ------------------------------------------------------------------------------------------------------------

SHAPING = 0.25


def test_a_lead_is_measured_against_the_mean_of_the_others():
    leads = leads_of(np.array([[3, 0, 0], [1, 1, 1], [0, -2, 5]], np.int64))
    assert leads.tolist() == [[3, -1.5, -1.5], [0, 0, 0], [-1.5, -4.5, 6]]
    assert leads_of(np.array([[40, 25]])).tolist() == [[15, -15]]


def test_a_step_pays_by_hand():
    venv = all_seats(climb.make_game(num_players=3), num_envs=1, shaping=SHAPING)
    venv.reset()
    first = int(venv.seats_to_move[0])
    order = [first, (first + 1) % 3, (first + 2) % 3]
    venv.step(np.array([race.STEP]))
    assert venv.last_turn.payoffs[0, order].tolist() == [0.25, -0.125, -0.125]
    venv.step(np.array([race.STEP]))
    assert venv.last_turn.payoffs[0, order].tolist() == [0.25, -0.125, -0.125]
    *_, dones, _ = venv.step(np.array([race.STEP]))  # the goal; the next game has been dealt
    assert dones.all()
    assert venv.last_turn.payoffs[0, order].tolist() == [0.25 + 1, -0.125 - 0.5, -0.125 - 0.5]
    venv.step(np.array([race.PASS]))
    assert not venv.last_turn.payoffs.any()


def play_beside_an_unshaped_one(game, share, shaping, steps, num_envs=60):
    """Plays the same decisions with and without shaping.

    Yields the two environments, which games have ended, and the infos of those.
    """
    snapshots = (1, 2) if share else ()
    shaped, plain = (all_seats(game, num_envs, share, snapshots, shaping=unit) for unit in (shaping, 0.0))
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(shaped.reset(), plain.reset())
    yield shaped, plain, np.ones(num_envs, bool), None
    for _ in range(steps):
        actions = random_actions(shaped.action_masks(), rng)
        observations, _, dones, infos = shaped.step(actions)
        np.testing.assert_array_equal(observations, plain.step(actions)[0])
        for name in ("acted", "codes", "cut_rows", "cut_observations"):
            np.testing.assert_array_equal(getattr(shaped.last_turn, name), getattr(plain.last_turn, name))
        yield shaped, plain, dones, infos


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_shaping_pays_every_game_its_reward_and_the_lead_gained(num_players, share):
    paid, opening, began_ahead, cut = np.zeros((60, num_players)), np.zeros((60, num_players)), 0, 0
    ended = 0
    for shaped, plain, dones, infos in play_beside_an_unshaped_one(climb.make_game(num_players=num_players), share, SHAPING, 120):
        turn = shaped.last_turn
        if infos is not None:
            np.testing.assert_allclose(turn.payoffs.sum(1), 0, atol=1e-6)
            paid += turn.payoffs
            for row in np.flatnonzero(dones):
                gained = leads_of(infos[row]["score"][None])[0] - opening[row]  # in a climb score and standing are the same
                np.testing.assert_allclose(paid[row], plain.last_turn.payoffs[row] + SHAPING * gained, rtol=0, atol=1e-6)
                ended, cut = ended + 1, cut + (turn.codes[row] == TRUNCATED)
        paid[dones] = 0
        opening[dones] = shaped.games.leads()[dones]
        began_ahead += np.count_nonzero(opening[dones].any(1))
    assert ended > 500
    assert cut > 5
    if share:
        assert shaped.dropped_games > 0  # ends and restarts in one step
        assert began_ahead > 0
    else:
        assert began_ahead == 0  # so over a whole game the lead gained is the final lead


@pytest.mark.parametrize(("num_players", "share"), [(2, 0.5), (3, 0.0), (4, 0.5)])
def test_a_whole_game_of_fairy_ring_pays_reward_and_final_lead(num_players, share):
    game = envs.make_game("fairy_ring", num_players=num_players)
    paid, ended, on_the_way = np.zeros((24, num_players)), 0, 0
    for shaped, plain, dones, infos in play_beside_an_unshaped_one(game, share, 0.005, 70 * num_players, num_envs=24):
        if infos is None:
            continue
        payoffs = shaped.last_turn.payoffs
        np.testing.assert_allclose(payoffs.sum(1), 0, atol=1e-6)
        paid += payoffs
        on_the_way += np.count_nonzero(payoffs[~dones].any(1))
        final = leads_of(shaped.games.results["standings"])
        np.testing.assert_allclose(paid[dones], (plain.last_turn.payoffs + 0.005 * final)[dones], rtol=0, atol=1e-5)
        ended += np.count_nonzero(dones)
        paid[dones] = 0
    assert ended > 24
    assert on_the_way > 500


def test_no_shaping_pays_rewards_alone():
    for _, plain, dones, infos in play_beside_an_unshaped_one(climb.make_game(num_players=3), 0.5, 0.0, 60):
        if infos is not None:
            assert not plain.last_turn.payoffs[~dones].any()
            for row in np.flatnonzero(dones & (plain.last_turn.codes != TRUNCATED)):
                rank = infos[row]["rank"]
                places = [1 - (np.count_nonzero(rank < r) * 2 + np.count_nonzero(rank == r) - 1) / 2 for r in rank]
                np.testing.assert_allclose(plain.last_turn.payoffs[row], places, atol=1e-6)
