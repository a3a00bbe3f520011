"""Games in which agents play all seats but one."""

import copy
import pickle

import numpy as np
import pytest

import envs
from agents.agent import RandomAgent
from agents.opponents import OneSeatGames, seat_opponents
from tests import race


@pytest.fixture(scope="module")
def game():
    return race.make_game(num_players=3)


def likely(games, rng):
    return (rng.random((games.num_envs, games.game.num_actions)) * games.masks()).argmax(1)


def play(games, steps, seed=0):
    """Random decisions of the learner; everything that is seen on the way, as bytes."""
    rng, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        games.step(likely(games, rng))
        *ends, results = games.ends
        results = [results[name] for name in ("rewards", "ranks", "scores", "length")]  # the gaps between fields hold anything
        parts = (games.observations(), games.masks(), games.learner, games.rewards, *ends, *results)
        seen.append(b"".join(part.tobytes() for part in parts))
    return seen


class Spy(RandomAgent):
    """Looks at the one game whose worlds it is given."""

    table: OneSeatGames

    def __init__(self, game):
        super().__init__(game)
        self.seen = []

    def act(self, observations, action_masks, worlds):
        self.seen.append((worlds.copy(), self.table.games.states.copy()))
        return super().act(observations, action_masks, worlds)


def test_the_same_seed_leads_to_the_same_games_and_the_rows_do_not_touch_each_other(game):
    one, other = (OneSeatGames(game, 20, "random") for _ in range(2))
    one.reset(3)
    other.reset(3)
    assert play(one, 30) == play(other, 30)
    other.reset(4)
    assert play(one, 5, seed=1) != play(other, 5, seed=1)
    alone, together = OneSeatGames(game, 1, "random"), OneSeatGames(game, 3, "random")
    alone.reset([8])
    together.reset([7, 8, 9])
    for _ in range(30):
        assert alone.observations()[0].tobytes() == together.observations()[1].tobytes()
        actions = together.masks().argmax(1)
        alone.step(actions[1:2])
        together.step(actions)


def test_the_seat_is_drawn_for_each_game(game):
    games = OneSeatGames(game, 3000, "random")
    games.reset(0)
    first = games.learner.copy()
    # Three standard deviations of a share of 1/3 in 3,000 draws are 0.026.
    assert np.abs(np.bincount(first, minlength=3) / 3000 - 1 / 3).max() < 0.026
    games.reset()
    assert 0.25 < np.mean(games.learner == first) < 0.42
    games = OneSeatGames(game, 10, "random", seat=2)
    games.reset(0)
    assert (games.learner == 2).all()


def test_an_opponent_gets_worlds_of_its_own():
    game = envs.make_game("dance_of_eights", 3)
    spy = Spy(game)
    spy.table = OneSeatGames(game, 1, spy)
    spy.table.reset(0)
    play(spy.table, 20)
    assert len(spy.seen) > 20
    for world, truth in spy.seen:
        assert world["rng"] != truth["rng"]
        assert world["current_player"] == truth["current_player"]
    assert sum(world["deck"].tobytes() != truth["deck"].tobytes() for world, truth in spy.seen) > 15


def test_what_an_opponent_is_given_tells_nothing_of_the_deal():
    game = envs.make_game("dance_of_eights", 3)
    games = OneSeatGames(game, 6, "random")
    games.reset(0)
    play(games, 5)
    rows, seats = np.arange(6), games.games.agent_selection.astype(np.int64)

    def given():
        observations, masks, worlds = games.games.views_of(rows, seats, games._keys)
        return observations.tobytes(), masks.tobytes(), worlds["rng"].tobytes()

    before, truth = given(), games.games.states.copy()
    games.games.set_records(games.games.worlds(np.arange(6, dtype=np.uint64), seats))
    assert games.games.states.tobytes() != truth.tobytes()
    assert given() == before


class Broken:
    name = "broken"

    def __init__(self, answer):
        self.answer, self.is_broken = answer, False

    def act(self, observations, action_masks, worlds):
        return self.answer(action_masks) if self.is_broken else action_masks.argmax(1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: np.full(len(masks), 99), "opponent broken has played action 99, which is illegal; legal are"),
        (lambda masks: masks.argmin(1), "opponent broken has played action .*, which is illegal; legal are"),
        (lambda masks: masks, "opponent broken has answered actions int8 of shape"),
        (lambda masks: [0.5] * len(masks), "opponent broken has answered actions float64 of shape"),
    ],
)
def test_an_opponent_that_fails_is_named_and_the_games_are_to_be_dealt_anew(answer, message):
    game = envs.make_game("dance_of_eights", 3)
    broken = Broken(answer)
    games = OneSeatGames(game, 3, [broken, "random"], seat=0)
    games.reset(0)
    broken.is_broken = True
    with pytest.raises(RuntimeError, match=message):
        for _ in range(20):
            games.step(games.masks().argmax(1))
    with pytest.raises(RuntimeError, match="call reset"):
        games.step(games.masks().argmax(1))
    broken.is_broken = False
    games.reset()
    games.step(games.masks().argmax(1))


def test_an_illegal_action_of_the_learner_changes_nothing(game):
    games = OneSeatGames(game, 3, "random")
    games.reset(0)
    before = games.games.get_state()
    with pytest.raises(ValueError, match="illegal actions in 3 rows: row 0: action 7 of player"):
        games.step(np.full(3, 7))
    with pytest.raises(ValueError, match="actions must be 3 integers"):
        games.step(np.zeros(3))
    assert games.games.get_state() == before
    games.step(games.masks().argmax(1))


def test_wrong_opponents_are_named(game):
    with pytest.raises(ValueError, match="1 opponents for 2 seats"):
        seat_opponents(["random"], game)
    with pytest.raises(ValueError, match="opponents is 3; it must be an agent, a name of one, or 2 of them"):
        seat_opponents(3, game)
    with pytest.raises(ValueError, match="opponent None is no agent: it has no method act"):
        seat_opponents(["random", None], game)
    with pytest.raises(ValueError, match="there is no agent 'greddy'"):
        seat_opponents("greddy", game)
    assert len({id(agent) for agent in seat_opponents(["random", "random"], game)}) == 1


def test_nothing_is_played_before_the_first_reset(game):
    games = OneSeatGames(game, 2, "random")
    with pytest.raises(RuntimeError, match="call reset"):
        games.step(np.zeros(2, np.int64))


def test_copies_go_on_alike_and_share_their_agents():
    game = envs.make_game("dance_of_eights", 3)
    games = OneSeatGames(game, 3, "random")
    games.reset(0)
    play(games, 7)
    twin, pickled = copy.deepcopy(games), pickle.loads(pickle.dumps(games))
    assert twin.opponents[0] is games.opponents[0]
    assert play(twin, 60) == play(pickled, 60) == play(games, 60)
