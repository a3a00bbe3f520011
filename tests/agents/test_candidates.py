"""Networks that score candidates: what they read, that rows do not mix, where the advised one begins, and their checkpoints."""

import re

import numpy as np
import pytest
import torch as th

import envs
from agents import checkpoint
from agents.greedy import make_greedy
from agents.networks.blueprint import Blueprint
from agents.networks.inputs import ADVICE
from agents.policy import PolicyAgent, PolicyNetwork
from tests.agents.observations import make_network, weights_of

KINDS = ("candidates", "advised")
RULE_SETS = ("fairy_ring_objectives", "dance_of_eights", "mushroom_rings")


class Positions:
    """Positions of a game that random players have begun: observations, masks and records."""

    def __init__(self, name):
        self.game = envs.make_game(name, 2, **({"table_radius": 8} if name == "mushroom_rings" else {}))
        env, rng = envs.make_vec(self.game, 48, seed=4), np.random.default_rng(1)
        for move in range(30):
            mask = env.last()[0]["action_mask"]
            rows = np.flatnonzero(np.arange(48) >= move)  # all at another decision
            env.step_rows(rows, (rng.random(mask.shape) * mask).argmax(1)[rows])
        shown = env.last()[0]
        self.observations, self.masks = shown["observation"].copy(), shown["action_mask"].copy()
        self.records = env.states.copy()

    def inputs(self, kind, rows=slice(None)):
        return Blueprint(self.game, kind, (16, 12)).inputs()(self.observations[rows], self.masks[rows], self.records[rows])


@pytest.fixture(scope="module", params=RULE_SETS)
def positions(request):
    return Positions(request.param)


@pytest.mark.parametrize("kind", KINDS)
def test_logits_values_and_gradients_of_every_weight(positions, kind):
    game, network = positions.game, make_network(positions.game, kind)
    logits, values = network(th.from_numpy(positions.inputs(kind)))
    assert (logits.shape, values.shape) == ((48, game.num_actions), (48, 1))
    (logits.square().mean() + values.square().mean()).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_rows_logits_do_not_depend_on_the_other_rows(positions, kind):
    network = PolicyNetwork(Blueprint(positions.game, kind, (16, 12)), weights_of(make_network(positions.game, kind)))
    logits, rng = network.logits(positions.inputs(kind)), np.random.default_rng(0)
    for count in (*range(1, 20), 33, 48):
        rows = rng.permutation(48)[:count]
        found = network.logits(positions.inputs(kind, rows))
        legal = positions.masks[rows] > 0
        np.testing.assert_array_equal(found[legal], logits[rows][legal])


def test_like_candidates_are_scored_alike(positions):
    """An action's features alone move its logit, and that of no other action."""
    network, inputs = make_network(positions.game, "candidates"), th.from_numpy(positions.inputs("candidates"))
    before = network(inputs)[0]
    row = int(positions.masks.sum(1).argmax())
    one, other = np.flatnonzero(positions.masks[row])[:2]
    start, size = positions.game.observation_size, positions.game.num_features
    changed = inputs.clone()
    changed[row, start + one * size + 1 : start + (one + 1) * size] += 0.5
    difference = (network(changed)[0] - before).abs() > 1e-6
    assert difference[row, one]
    assert difference.sum() == 1
    changed = inputs.clone()
    for action in (one, other):
        changed[row, start + action * size : start + (action + 1) * size] = inputs[row, start + other * size :][:size]
    gap = network(changed)[0][row] - network.plain_logits(network.trunk(inputs[row : row + 1, network.read_from : start]))[0]
    assert th.isclose(gap[one], gap[other], atol=1e-6)


def test_an_advised_network_begins_at_the_choice_of_the_rule_based_player(positions):
    game = positions.game
    network = PolicyNetwork(Blueprint(game, "advised"), weights_of(make_network(game, "advised", (128, 128), loud=False)))
    words = np.zeros(48, np.uint64)
    found = network.act(positions.observations, positions.masks, positions.records, words, sample=False)
    choice = make_greedy(game).act(positions.observations, positions.masks.copy(), positions.records.copy())
    assert (found == choice).mean() > 0.9  # of actions that are worth the same, another one may come first
    terms = positions.inputs("advised")[:, game.observation_size :].reshape(48, game.num_actions, -1)[:, :, -ADVICE:]
    assert (terms[np.arange(48), choice, 0] == 1).all()
    assert terms[:, :, 0].sum() == 48
    assert (terms[:, :, 1] <= 0).all()
    assert (terms[np.arange(48), choice, 1] > -1e-3).all()
    assert not terms[positions.masks == 0].any()


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_seat_cannot_know_changes_no_logit(positions, kind):
    game = positions.game
    worlds = np.zeros_like(positions.records)
    seats, words = positions.records["current_player"].astype(np.int64), np.arange(48, dtype=np.uint64)
    game.kernels.redeal_batch(positions.records, game.rules, seats, words, worlds)
    again = Blueprint(game, kind).inputs()(positions.observations, positions.masks, worlds)
    assert again.tobytes() == positions.inputs(kind).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_says_which_features_it_needs(positions, kind, tmp_path):
    game, path = positions.game, tmp_path / "some.zip"
    network, blueprint = make_network(game, kind, (9, 6)), Blueprint(game, kind, (9, 6))
    assert blueprint.facts["features"] == [game.features_version, game.num_features]
    facts = {**checkpoint.game_facts(game), **blueprint.facts}
    checkpoint.save_snapshot(path, weights_of(network), facts)
    agent = PolicyAgent(path, game)
    actions = agent.act(positions.observations, positions.masks, positions.records)
    assert positions.masks[np.arange(48), actions].all()
    assert agent.network.values(positions.observations).shape == (48,)
    checkpoint.save_snapshot(path, weights_of(network), {**facts, "features": [7, 3]})
    message = f"the checkpoint's action features are [7, 3] (version, number), but those of {game.name} are version 0 with "
    with pytest.raises(ValueError, match=f"^{re.escape(message)}{game.num_features} numbers$"):
        PolicyAgent(path, game)


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_without_features_is_told_what_else_there_is(kind):
    game = "examples.tic_tac_toe"
    message = f"network {kind} needs action features, and {game} does not describe its actions; choose from own, flat"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Blueprint(envs.make_game(game), kind).build()
