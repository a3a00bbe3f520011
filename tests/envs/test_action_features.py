"""Action features through all doors: shapes, names, whose they are, and what a game without them says."""

import copy
import pickle

import numpy as np
import pytest

import envs
from envs.describing import Describer


def test_both_doors_tell_the_same_of_legal_actions_alone(game_for_two):
    game = game_for_two
    vector, single = envs.make_vec(game, 2, action_features=True), envs.raw_env(game, action_features=True)
    vector.reset([5, 6])
    single.reset(seed=5)
    for _ in range(12):
        shown, alone = vector.last()[0], single.last()[0]
        features, mask = shown["action_features"], shown["action_mask"]
        assert features.shape == (2, game.num_actions, game.num_features)
        assert features.dtype == np.float32
        assert (features[:, :, 0] == mask).all()
        assert not features[mask == 0].any()
        assert alone["action_features"].tobytes() == features[0].tobytes()
        assert vector.single_observation_space.contains({name: part[0].copy() for name, part in shown.items()})
        assert single.observation_space("player_0").contains(alone)
        assert features.tobytes() == Describer(game)(vector.states, mask).tobytes()
        vector.step(mask.argmax(1))
        single.step(int(alone["action_mask"].argmax()))


def test_who_waits_is_told_nothing_of_actions(game_for_two):
    vector = envs.make_vec(game_for_two, 3, seed=1, action_features=True)
    single = envs.raw_env(game_for_two, action_features=True)
    single.reset(seed=1)
    acts = vector.agent_selection == 1
    features = vector.observe(1)["action_features"]
    assert not features[~acts].any()
    assert (features[acts] == vector.last()[0]["action_features"][acts]).all()
    waits = next(agent for agent in single.agents if agent != single.agent_selection)
    assert not single.observe(waits)["action_features"].any()
    assert single.observe(single.agent_selection)["action_features"].any()


def test_views_are_read_only_copies_are_not_and_copied_environments_have_their_own(game_for_two):
    vector = envs.make_vec(game_for_two, 2, seed=1, action_features=True)
    shown = vector.last()[0]["action_features"]
    with pytest.raises(ValueError, match="read-only"):
        shown[0, 0, 0] = 3
    before = shown.copy()
    for made in (copy.deepcopy(vector), pickle.loads(pickle.dumps(vector))):
        made.step(made.last()[0]["action_mask"].argmax(1))
        made.last()
        assert (vector.last()[0]["action_features"] == before).all()
    fresh = envs.make_vec(game_for_two, 2, seed=1, action_features=True, copy=True).last()[0]["action_features"]
    fresh[0, 0, 0] = 3
    single = envs.raw_env(game_for_two, action_features=True)
    single.reset(seed=1)
    again = pickle.loads(pickle.dumps(copy.deepcopy(single)))
    assert again.last()[0]["action_features"].tobytes() == single.last()[0]["action_features"].tobytes()


def test_names_and_places_of_the_features(game_for_two):
    game = game_for_two
    assert next(iter(game.action_slices.items())) == ("legal", slice(0, 1))
    assert sum(part.stop - part.start for part in game.action_slices.values()) == game.num_features
    lines = game.action_table().splitlines()
    assert f"{game.num_features} numbers of an action" in lines[0]
    assert [line.split()[1] for line in lines[1:]] == list(game.action_slices)


def test_a_game_that_describes_nothing_says_so():
    game = envs.make_game("examples.tic_tac_toe")
    assert (game.num_features, game.action_slices) == (0, {})
    for make in (envs.raw_env, lambda game, **options: envs.make_vec(game, 2, **options)):
        with pytest.raises(ValueError, match="^examples.tic_tac_toe does not describe its actions: it has no action features$"):
            make(game, action_features=True)
