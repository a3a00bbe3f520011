"""All networks: shapes, gradients, that rows do not mix, and how a checkpoint builds the same network again."""

import json
import pickle
import re

import numpy as np
import pytest
import torch as th

import envs
from agents import checkpoint
from agents.networks.blueprint import Blueprint
from agents.networks.fairy_ring import RingNetwork
from agents.networks.layers import FlatNetwork
from agents.networks.mushroom_rings import GardenNetwork
from agents.policy import PolicyAgent, PolicyNetwork
from tests.agents.observations import answer, make_network, some_views, weights_of


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", num_players=3)


@pytest.fixture(scope="module")
def views(game):
    return some_views(game)


def save_network(path, game, network, facts):
    checkpoint.save_snapshot(path, weights_of(network), {**checkpoint.game_facts(game), **facts})


# --- all games and kinds ------------------------------------------------------------------------------------------------

KINDS = ("own", "flat")  # those that read observations alone; of the others see test_candidates.py
RULE_SETS = [
    *(("fairy_ring", players, {}) for players in (2, 3, 4)),
    *(("fairy_ring_objectives", players, {}) for players in (2, 3, 4)),
    ("mushroom_rings", 2, {"table_radius": 8}),
    ("mushroom_rings", 4, {}),
]
ONE_OF_EACH = [("fairy_ring", 3, {}), ("mushroom_rings", 2, {"table_radius": 8})]
OWN = {"fairy_ring": RingNetwork, "fairy_ring_objectives": RingNetwork, "mushroom_rings": GardenNetwork}


def game_and_views(name, num_players, options, thorough=True):
    """A game and observations of it, in which all that a network reads comes up if they are to be thorough."""
    game = envs.make_game(name, num_players, **options)
    if name == "mushroom_rings":
        return game, some_views(game, 12, 250)[::7] if thorough else some_views(game, 6, 30)
    return game, some_views(game) if thorough else some_views(game, 12, 8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "num_players", "options"), RULE_SETS)
def test_logits_of_all_actions_and_a_value(name, num_players, options, kind):
    game, views = game_and_views(name, num_players, options, thorough=False)
    network = make_network(game, kind)
    assert type(network) is (OWN[name] if kind == "own" else FlatNetwork)
    logits, values = answer(network, views)
    assert logits.shape == (len(views), game.num_actions)
    assert values.shape == (len(views), 1)
    assert np.isfinite(logits).all()
    assert np.isfinite(values).all()
    assert (logits.std(0) > 0).all()


def test_a_game_without_a_network_of_its_own_has_the_flat_one():
    game = envs.make_game("dance_of_eights")
    own, flat = (make_network(game, kind) for kind in KINDS)
    assert type(own) is type(flat) is FlatNetwork
    views = some_views(game, count=6, moves=4)
    np.testing.assert_array_equal(answer(own, views)[0], answer(flat, views)[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "num_players", "options"), ONE_OF_EACH)
def test_an_untrained_network_is_nearly_uniform(name, num_players, options, kind):
    game, views = game_and_views(name, num_players, options)
    logits, _ = answer(make_network(game, kind, (128, 128), loud=False), views)
    assert np.abs(logits).max() < 0.05
    assert (logits.std(0) > 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "num_players", "options"), [*ONE_OF_EACH, ("mushroom_rings", 4, {})])
def test_a_rows_logits_do_not_depend_on_the_other_rows(name, num_players, options, kind):
    game, views = game_and_views(name, num_players, options)
    network = PolicyNetwork(Blueprint(game, kind, (16, 12)), weights_of(make_network(game, kind)))
    logits, rng = network.logits(views), np.random.default_rng(0)
    for count in (*range(1, 41), 100, 301):
        rows = rng.permutation(len(views))[:count]
        np.testing.assert_array_equal(network.logits(views[rows]), logits[rows])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "num_players", "options"), ONE_OF_EACH)
def test_every_section_and_every_weight_is_used_and_gradients_are_finite(name, num_players, options, kind):
    game, views = game_and_views(name, num_players, options)
    network = make_network(game, kind)
    observations = th.from_numpy(views).requires_grad_()
    logits, values = network(observations)
    (logits.square().mean() + values.square().mean()).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name
    assert observations.grad.isfinite().all()
    for name, place in game.slices.items():
        assert observations.grad[:, place].any(), name


# --- blueprints and checkpoints -----------------------------------------------------------------------------------------


def test_an_unknown_kind_is_refused(game):
    with pytest.raises(ValueError, match="^network is 'deep'; choose from own, flat, candidates, advised$"):
        Blueprint(game, "deep").build()


def test_a_blueprint_can_be_pickled(game):
    blueprint = pickle.loads(pickle.dumps(Blueprint(game, "flat", (5, 4))))
    assert blueprint.facts == {"network": "flat", "widths": [5, 4]}
    assert (blueprint.game.id, blueprint.game.num_players) == (game.id, 3)
    blueprint.build().load_state_dict(make_network(game, "flat", (5, 4)).state_dict())


def test_weights_of_another_network_are_refused(game):
    flat, own = make_network(game, "flat"), make_network(game, "own")
    message = "^the weights are not those of a policy this suite trains$"
    for kind, widths, weights in (
        ("own", (16, 12), weights_of(flat)),
        ("flat", (16, 12), weights_of(own)),
        ("own", (16, 13), weights_of(own)),
        ("own", (16,), weights_of(own)),
        ("flat", (16, 12), flat.state_dict()),  # without the prefix
    ):
        with pytest.raises(ValueError, match=message):
            PolicyNetwork(Blueprint(game, kind, widths), weights)


def test_fixed_weights_are_a_copy_and_cost_no_random_numbers(game, views):
    network = make_network(game)
    before = th.get_rng_state()
    fixed = PolicyNetwork(Blueprint(game, "own", (16, 12)), weights_of(network))
    assert th.equal(th.get_rng_state(), before)
    logits = fixed.logits(views)
    np.testing.assert_allclose(logits, answer(network, views)[0], atol=1e-4)
    with th.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
    np.testing.assert_array_equal(fixed.logits(views), logits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "num_players", "options"), ONE_OF_EACH)
def test_a_checkpoint_tells_how_to_build_its_network(tmp_path, name, num_players, options, kind):
    game, views = game_and_views(name, num_players, options, thorough=False)
    network, path = make_network(game, kind, (9, 6)), tmp_path / "some.zip"
    save_network(path, game, network, Blueprint(game, kind, (9, 6)).facts)
    facts = checkpoint.read_facts(path)
    assert (facts["network"], facts["widths"]) == (kind, [9, 6])
    agent = PolicyAgent(path, game)
    assert type(agent.network.network) is type(network)
    np.testing.assert_allclose(agent.network.logits(views), answer(network, views)[0], atol=1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": None}, "the checkpoint's network is None; it must be one of own, flat, candidates, advised"),
        ({"network": ["own"]}, "the checkpoint's network is ['own']; it must be one of own, flat, candidates, advised"),
        ({"network": "flat"}, "the weights are not those of a policy this suite trains"),
        ({"widths": None}, "the checkpoint's widths are None; they must be 1 to 16 integers from 1 to 8192"),
        ({"widths": []}, "the checkpoint's widths are []; they must be 1 to 16 integers from 1 to 8192"),
        ({"widths": [16, 0]}, "the checkpoint's widths are [16, 0]; they must be 1 to 16 integers from 1 to 8192"),
        ({"widths": [16, True]}, "the checkpoint's widths are [16, True]; they must be 1 to 16 integers from 1 to 8192"),
        ({"widths": "16"}, "the checkpoint's widths are '16'; they must be 1 to 16 integers from 1 to 8192"),
        ({"widths": [8193]}, "the checkpoint's widths are [8193]; they must be 1 to 16 integers from 1 to 8192"),
        (
            {"widths": [1] * 17},
            "the checkpoint's widths are [1, 1, 1, 1, 1, 1, 1, 1, ...]; they must be 1 to 16 integers from 1 to 8192",
        ),
        ({"widths": [8192, 8192]}, "a network with 78,871,364 weights is too large; at most 50,000,000 are allowed"),
        ({"widths": [16]}, "the weights are not those of a policy this suite trains"),
        ({"game": None}, "the checkpoint's game is None, but 'fairy_ring' is asked for"),
    ],
)
def test_facts_that_are_wrong_are_named_in_one_line(tmp_path, game, changes, message):
    """None stands for an entry that is missing."""
    facts = {**checkpoint.game_facts(game), **Blueprint(game, "own", (16, 12)).facts, **changes}
    known = {name: value for name, value in facts.items() if value is not None}
    checkpoint.save_snapshot(tmp_path / "wrong.zip", weights_of(make_network(game)), known)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        PolicyAgent(tmp_path / "wrong.zip", game)


def test_a_policy_computes_with_one_thread_and_leaves_the_number_of_the_program(tmp_path, game):
    network, path, seen = make_network(game), tmp_path / "some.zip", []
    save_network(path, game, network, Blueprint(game, "own", (16, 12)).facts)
    before = th.get_num_threads()
    try:
        th.set_num_threads(2)
        agent = PolicyAgent(path, game)
        assert th.get_num_threads() == 2
        agent.network.network.register_forward_pre_hook(lambda *_: seen.append(th.get_num_threads()))
        agent.network.logits(np.zeros((3, game.observation_size), np.float32))
        with pytest.raises(RuntimeError):
            agent.network.logits(np.zeros((3, 1), np.float32))
        assert (seen, th.get_num_threads()) == ([1, 1], 2)
    finally:
        th.set_num_threads(before)


@pytest.mark.parametrize("content", [b"", b"{\n", b"\xff\xfe\xfa", json.dumps(["own"]).encode()])
def test_facts_that_cannot_be_read_are_said_so_in_one_line(tmp_path, game, content):
    path = tmp_path / "wrong.zip"
    checkpoint.write_aside(path, checkpoint.pack({checkpoint.FACTS: content}))
    with pytest.raises(ValueError, match=r"^[^\n]*wrong\.zip is no checkpoint: its facts [^\n]*$"):
        PolicyAgent(path, game)
