"""What is told of actions in Mushroom Rings, against what playing them leads to."""

import numpy as np

import envs
from envs.mushroom_rings.action_features import OWNERS
from envs.mushroom_rings.state import OFFER, SEGMENTS, Phase


def play(seed, agent_moves):
    """Stops before every decision of a game in which tiles are laid to close rings where that is told, else at random."""
    env = envs.raw_env("mushroom_rings", 2, action_features=True)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(agent_moves):
        if env.record["current_player"] < 0:
            return
        view = env.observe(env.agent_selection)
        yield env, view
        features, legal = view["action_features"], np.flatnonzero(view["action_mask"])
        rings = features[legal][:, env.game.action_slices["rings"]].sum(1)
        env.step(int(legal[(rings + rng.random(len(legal)) / 100).argmax()]))


class Trial:
    """Plays single actions on a copy of a game."""

    def __init__(self):
        self.env = envs.raw_env("mushroom_rings", 2, action_features=True)
        self.env.reset(seed=0)

    def after(self, env, action):
        self.env._io[:], self.env.agent_selection = env._io, env.agent_selection
        self.env.step(action)
        return self.env


def test_a_ring_is_told_where_laying_a_tile_closes_one():
    closed, trial = 0, Trial()
    for seed in range(2):
        for env, view in play(seed, 120):
            record, game = env.record, env.game
            if record["phase"] != Phase.ORIENTATION:
                continue
            rings = view["action_features"][:, game.action_slices["rings"]].reshape(-1, OWNERS, 2)
            laying = view["action_features"][:, game.action_slices["laying"]]
            for action in np.flatnonzero(view["action_mask"]).tolist():
                after = trial.after(env, action)
                if laying[action, 1]:
                    assert after.record["phase"] == Phase.LEAVE or after.record["num_laid"] == record["num_laid"] + 1
                    continue
                number = int(after.record["num_rings"]) - int(record["num_rings"])
                assert (number > 0) == (laying[action, 0] > 0) == rings[action].any()
                if number == 1 and int(record["hand_tile"]) < int(game.rules[0]["first_wildflower"]):
                    size = int(after.record["ring_size"][record["num_rings"]])
                    with_hubs = any(int(tile) >= int(game.rules[0]["first_wildflower"]) for tile in record["tile"])
                    told = rings[action, :, 0].max() * 7
                    assert round(told) >= min(7, size) if with_hubs else round(told) == min(7, size)
                closed += number > 0
    assert closed > 4


def test_a_tile_and_a_cell_tell_the_most_of_their_orientations():
    compared, trial = 0, Trial()
    for env, view in play(5, 80):
        record, game = env.record, env.game
        if record["phase"] != Phase.CELL:
            continue
        features, rings, joins = view["action_features"], game.action_slices["rings"], game.action_slices["joins"]
        for action in np.flatnonzero(view["action_mask"])[:4].tolist():
            after = trial.after(env, action)
            if after.record["phase"] == Phase.ORIENTATION:
                shown = after.observe(after.agent_selection)
                turned = shown["action_features"][shown["action_mask"] > 0]
                for part in (rings, joins):
                    np.testing.assert_array_equal(turned[:, part].max(0), features[action, part])
                compared += 1
    assert compared > 10


def test_tiles_tell_what_they_are():
    for env, view in play(1, 60):
        if env.record["phase"] == Phase.PLACE:
            for source in np.flatnonzero(view["action_mask"][:OFFER]).tolist():
                told = view["action_features"][source, env.game.action_slices["tile"]]
                tile = int(env.record["offer"][source])
                assert round(told[0] * SEGMENTS) == int(env.game.rules[0]["segments"][tile])
                assert (told[2], told[3]) == (0, 0)
