"""What is told of actions in Fairy Ring, against what playing them leads to."""

import copy

import numpy as np
import pytest

import envs
from envs.fairy_ring.action_features import FLIGHT, WAY, WAYS
from envs.fairy_ring.state import Phase

from .table import Table, player, position

OWN, OTHERS, LANDS, HOME = range(1, 5)  # of a way


def ways_of(game, features):
    """Numbers of each way by action: ``(A, WAYS, WAY)``."""
    return features[:, game.action_slices["ways"]].reshape(-1, WAYS, WAY)


def mana(record, objectives=True):
    points = record["points"].astype(int)
    if not objectives:
        points = points - np.array([int(done).bit_count() for done in record["completed"]])
    return points * 20 + record["mana"].astype(int)


def play_on(env, action):
    """A copy of the game after an action, and after the richest mushroom is gathered from where that is asked."""
    after, seat = copy.deepcopy(env), env.agent_selection
    after.step(action)
    if after.record["phase"] == Phase.GATHER and after.agent_selection == seat:
        game, features = env.game, after.observe(seat)["action_features"]
        after.step(int(np.where(features[:, 0] > 0, features[:, game.action_slices["flight"]][:, 0], -1).argmax()))
    return after


@pytest.mark.parametrize(("num_players", "objectives"), [(2, True), (3, False)])
def test_flights_pay_what_is_told(num_players, objectives):
    env = envs.raw_env("fairy_ring", num_players, objectives=objectives, action_features=True)
    game, rng, seen = env.game, np.random.default_rng(2), set()
    for seed in range(6):
        env.reset(seed=seed)
        while env.record["current_player"] >= 0:
            seat, phase = int(env.record["current_player"]), Phase(int(env.record["phase"]))
            view = env.observe(env.agent_selection)
            legal, features = np.flatnonzero(view["action_mask"]), view["action_features"]
            for action in legal.tolist() if phase != Phase.CHOOSE else []:
                before, after = mana(env.record, False), play_on(env, action)
                told = features[action, game.action_slices["flight"]]
                if phase == Phase.PLACE:
                    if after.record["phase"] == Phase.FLY:
                        continue
                    told = ways_of(game, features)[action, min(action - 7, 2), 1 : 1 + FLIGHT]
                    done = int(after.record["completed"][seat]) & ~int(env.record["completed"][seat])
                    assert ways_of(game, features)[action, min(action - 7, 2), WAY - 4] == done.bit_count()
                gains = mana(after.record, False) - before
                assert round(told[0] * 20) == gains[seat]
                assert round(told[1] * 20) == gains.sum() - gains[seat]
                seen.add(phase)
            env.step(int(rng.choice(legal)))
    assert seen == {Phase.PLACE, Phase.FLY, Phase.GATHER}


def test_a_choice_of_a_card_tells_what_placing_it_will():
    env = envs.raw_env("fairy_ring", 2, objectives=True, action_features=True)
    game, rng, compared = env.game, np.random.default_rng(1), 0
    for seed in range(4):
        env.reset(seed=seed)
        while env.record["current_player"] >= 0:
            view = env.observe(env.agent_selection)
            action = int(rng.choice(np.flatnonzero(view["action_mask"])))
            if env.record["phase"] == Phase.CHOOSE and env.record["current_player"] == env.record["first_player"]:
                promised = ways_of(game, view["action_features"])[action]
            env.step(action)
            if env.record["phase"] == Phase.PLACE and env.record["current_player"] == env.record["first_player"]:
                features = env.observe(env.agent_selection)["action_features"]
                placed = ways_of(game, features)
                for way, place in ((0, 7), (1, 8)):
                    assert placed[place, way].tobytes() == promised[way].tobytes()
                    compared += 1
                if promised[2, 0]:
                    assert any((placed[9:22, 2] == promised[2]).all(1))
    assert compared > 60


def test_a_placement_by_hand():
    table = Table(position(player([[2]], chosen=16), player([[0], [6]])))
    game = table.game
    env = envs.make_vec(game, 1, autoreset=False, action_features=True)
    env.set_records(table.env.states)
    features = ways_of(game, env.last()[0]["action_features"][0])
    # Planted on the left it moves the fairy to the right, which then flies one mushroom less of the other village.
    # Possible; own and others' mana, lands at home, steps home; placed pays; best, Academy, all pays, fireflies, mushrooms, and
    # with six turns left best and fireflies again.
    village = [3 / 20, 3 / 20, 0, 6 / 100, 0.1, 0.2, 18 / 100, 6 / 100]
    for action, way, told in (
        (7, 0, [1, 0, 3 / 20, 0, 0.2, *village]),
        (8, 1, [1, 0, 3 / 20, 0, 0.1, *village]),
        (9, 2, [1, 0, 3 / 20, 0, 0.1, 8 / 20, 8 / 20, 0, 8 / 100, 0, 0.1, 48 / 100, 0]),
    ):
        found = np.delete(features[action, way], [5, 6, 7, 8])[: len(told)]
        np.testing.assert_allclose(found, told, rtol=1e-6)
        assert not np.delete(features[action], way, 0).any()
        assert (features[action, way, [7, 8]] == 0).all()  # no hand is passed on after the last turn of a round
        assert features[action, way, 6] >= features[action, way, 5]


def test_the_next_hand_pays_on_average_what_its_movements_do():
    env = envs.raw_env("fairy_ring", 2, action_features=True)
    env.reset(seed=4)
    while env.record["turn"] < 3 or env.record["phase"] != Phase.PLACE:
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    record, game = env.record, env.game
    seat, other = int(record["current_player"]), 1 - int(record["current_player"])
    told = ways_of(game, env.observe(env.agent_selection)["action_features"])[8, 1]
    after = copy.deepcopy(env)
    after.step(8)
    at, mushroom = int(after.record["fairy_village"][seat]), int(after.record["fairy_mushroom"][seat])
    cards = [card for card in record["hand"][other].tolist() if card >= 0]
    gains = [gain_of(after.record, seat, at, mushroom, steps) for card in cards for steps in movements_of(game, card)]
    np.testing.assert_allclose(told[5:7], [np.mean(gains) / 20, max(gains) / 20], rtol=1e-5)


def movements_of(game, card):
    return [steps for steps in game.rules[0]["movement"][card].tolist() if steps > 0]


def gain_of(record, seat, at, mushroom, steps):
    """What a flight from a place would pay a seat of two more than the other."""
    gain = 0
    for left in range(steps, 0, -1):
        mushroom -= 1
        if mushroom < 0:
            at, mushroom = 1 - at, int(record["num_mushrooms"][1 - at]) - 1
        kind, pays = int(record["type"][at, mushroom]), int(record["village"][at, mushroom, -1])
        if kind == 5 and left > 1:
            gain += pays if at == seat else -pays
    if kind == 5:
        return gain
    factor = steps if kind == 1 else 1
    if at == seat:
        return gain + pays * factor
    own = record["village"][seat, : int(record["num_mushrooms"][seat]), -1].astype(int)
    own = own[record["type"][seat, : len(own)] == kind].tolist()
    return gain + factor * (max(own, default=0) - pays)
