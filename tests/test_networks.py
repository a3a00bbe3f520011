"""The networks: shapes, what each part of Fairy Ring's own network reads, and how a checkpoint builds the same one again."""

import json
import pickle
import re

import numpy as np
import pytest
import torch as th
from torch import nn

import envs
from agents import checkpoint
from agents.networks import KINDS, Blueprint, FlatNetwork
from agents.policy import PREFIX, PolicyAgent, PolicyNetwork
from agents.ring_network import RingNetwork
from envs import engine
from envs.fairy_ring.observation import AHEAD
from envs.fairy_ring.state import CHOOSE_ACTION, FLY_ACTION, HAND, MOVEMENTS, NUM_TYPES, PAYS, Phase
from tests.fairy_ring.test_cards import card_rows, save

CHOOSE = slice(CHOOSE_ACTION, CHOOSE_ACTION + HAND)
FLY = slice(FLY_ACTION, FLY_ACTION + MOVEMENTS)
LOGITS = ("choose.logits", "own.logits", "fly.logits", "plant_logits")  # the last layers of a RingNetwork


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", num_players=3)


@pytest.fixture(scope="module")
def views(game):
    return some_views(game)


def some_views(game, count=60, moves=30):
    """Observations, from random games, in which every phase comes up: ``(K, D)``."""
    env = envs.make_vec(game, count, seed=4)
    words, actions, seen = np.arange(count, dtype=np.uint64), np.zeros(count, np.int64), []
    for move in range(moves):
        game.kernels.sample_batch(engine.rows(env.last()[0]["action_mask"]), words, actions)
        env.step(actions)
        seen.append(env.last()[0]["observation"][move % 3 :: 3].copy())
    return np.concatenate(seen)


def in_phase(game, views, phase):
    return views[game.section(views, "phase")[:, phase] == 1]


def make_network(game, kind="own", widths=(16, 12), loud=True):
    """A network; a loud one has logits that are not all near 0."""
    th.manual_seed(3)
    network = Blueprint(game, kind, widths).build()
    for name, layer in network.named_modules():
        if loud and name in (*LOGITS, "logits"):
            nn.init.normal_(layer.weight)
    return network


def without_the_flat_part(network, game, names):
    """The same network, in which the layers that join everything do not read these sections."""
    with th.no_grad():
        for name in names:
            network.trunk[0].weight[:, game.slices[name]] = 0
    return network


def weights_of(network):
    return {PREFIX + name: tensor for name, tensor in network.state_dict().items()}


@th.no_grad()
def answer(network, views):
    logits, values = network(th.from_numpy(views))
    return logits.numpy(), values.numpy()


def save_network(path, game, network, facts):
    checkpoint.save_snapshot(path, weights_of(network), {**checkpoint.game_facts(game), **facts})


# --- both kinds ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("name", ["fairy_ring", "fairy_ring_objectives"])
def test_logits_of_all_actions_and_a_value(name, num_players, kind):
    game = envs.make_game(name, num_players=num_players)
    network = make_network(game, kind)
    assert type(network) is (RingNetwork if kind == "own" else FlatNetwork)
    views = some_views(game, count=12, moves=8)
    logits, values = answer(network, views)
    assert logits.shape == (len(views), 38)
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
def test_an_untrained_network_is_nearly_uniform(game, views, kind):
    logits, _ = answer(make_network(game, kind, (128, 128), loud=False), views)
    assert np.abs(logits).max() < 0.05
    assert (logits.std(0) > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_rows_logits_do_not_depend_on_the_other_rows(game, views, kind):
    network = PolicyNetwork(Blueprint(game, kind, (16, 12)), weights_of(make_network(game, kind)))
    logits, rng = network.logits(views), np.random.default_rng(0)
    for count in (*range(1, 40), 100, 301):
        rows = rng.permutation(len(views))[:count]
        np.testing.assert_array_equal(network.logits(views[rows]), logits[rows])


@pytest.mark.parametrize("kind", KINDS)
def test_every_section_and_every_weight_is_used_and_gradients_are_finite(game, views, kind):
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


# --- Fairy Ring's own ---------------------------------------------------------------------------------------------------


def test_logits_are_at_the_places_of_the_actions(game, views):
    network = make_network(game)
    before = answer(network, views)[0]
    ranges = {"choose": CHOOSE, "plant_logits": slice(7, 9), "fly": FLY}
    for name, place in ranges.items():
        layer = getattr(network, name)
        with th.no_grad():
            getattr(layer, "logits", layer).bias += 1
        after = answer(network, views)[0]
        changed = np.isclose(after - before, 1, atol=1e-4)
        assert changed[:, place].all()
        assert changed.sum() == changed[:, place].size
        before = after
    for column, place in enumerate((slice(9, 22), slice(25, 38))):  # to grow, to gather from
        with th.no_grad():
            network.own.logits.bias[column] += 1
        after = answer(network, views)[0]
        changed = np.isclose(after - before, 1, atol=1e-4)
        assert changed[:, place].all()
        assert changed.sum() == changed[:, place].size
        before = after


def swap_cards(game, views, one, other):
    swapped = views.copy()
    hand = game.section(swapped, "hand")
    hand[:, [one, other]] = hand[:, [other, one]]
    assert np.shares_memory(hand, swapped)
    return swapped


def swap(logits, one, other):
    swapped = logits.copy()
    swapped[:, [one, other]] = logits[:, [other, one]]
    return swapped


@pytest.mark.parametrize(("one", "other"), [(0, 1), (2, 5)])
def test_a_card_is_read_alike_at_every_place_of_the_hand(game, views, one, other):
    choosing = in_phase(game, views, Phase.CHOOSE)
    # What joins everything reads the hand in order too; without that the swap is exact.
    network = without_the_flat_part(make_network(game), game, ["hand"])
    logits, values = answer(network, choosing)
    logits_after, values_after = answer(network, swap_cards(game, choosing, one, other))
    np.testing.assert_allclose(logits_after, swap(logits, one, other), rtol=0, atol=1e-4)
    np.testing.assert_allclose(values_after, values, rtol=0, atol=1e-5)
    assert np.abs(logits[:, one] - logits[:, other]).mean() > 0.1


def test_an_untrained_network_nearly_swaps_the_logits_of_swapped_cards(game, views):
    choosing = in_phase(game, views, Phase.CHOOSE)
    network = make_network(game, widths=(128, 128))
    logits, values = answer(network, choosing)
    logits_after, values_after = answer(network, swap_cards(game, choosing, 0, 1))
    moved = np.abs(logits_after - logits)[:, :2].mean()
    assert np.abs(logits_after - swap(logits, 0, 1)).mean() < 0.3 * moved
    assert np.abs(values_after - values).mean() < 0.1


def test_equal_cards_of_a_hand_have_equal_logits(game, views):
    equal = in_phase(game, views, Phase.CHOOSE).copy()
    hand = game.section(equal, "hand")
    hand[:, 4] = hand[:, 1]
    logits, _ = answer(make_network(game), equal)
    np.testing.assert_allclose(logits[:, 4], logits[:, 1], rtol=0, atol=1e-5)
    assert (np.abs(logits[:, 0] - logits[:, 1]) > 1e-3).any()


def steps_of(game, views, name):
    """The movements of cards: ``(K, ..., 3)``."""
    return np.rint(game.section(views, name)[..., NUM_TYPES : NUM_TYPES + MOVEMENTS] * 10).astype(int)


@pytest.mark.parametrize("row", [1, 2, 4])
def test_a_mushroom_on_the_route_changes_just_what_leads_to_it(game, views, row):
    network = make_network(game)
    network.trunk[0].weight.data[:] = 0  # nothing joined: a logit depends on its own card alone
    changed_views = views.copy()
    ahead = game.section(changed_views, "ahead")
    ahead[:, row - 1, :PAYS] = 0.25
    ahead[:, row - 1, PAYS] += 0.5
    changed = answer(network, changed_views)[0] != answer(network, views)[0]
    for place, steps in ((CHOOSE, steps_of(game, views, "hand")), (FLY, steps_of(game, views, "revealed")[..., None])):
        leads_there = ((steps == row) | (steps == row + 1)).any(-1)  # a mushroom planted on the left may come between
        assert leads_there.any()
        np.testing.assert_array_equal(changed[:, place], leads_there)


def test_cards_are_read_with_what_the_own_mushrooms_pay(game, views):
    """Gathering from another one's mushroom pays its finder too: from the best own one of that type."""
    network = make_network(game)
    network.trunk[0].weight.data[:] = 0
    richer = views.copy()
    village = game.section(richer, "villages")[:, 0]
    village[..., PAYS] += (village[..., :NUM_TYPES] > 0).any(-1)
    changed = answer(network, richer)[0] != answer(network, views)[0]
    assert changed[:, CHOOSE].any()
    assert changed[:, FLY].any()


def test_every_part_is_read_apart_from_the_flat_one(game, views):
    network = without_the_flat_part(make_network(game), game, game.slices)
    observations = th.from_numpy(views).requires_grad_()
    logits, values = network(observations)
    (logits.sum() + values.sum()).backward()
    read = {name for name, place in game.slices.items() if observations.grad[:, place].any()}
    assert read == {"hand", "revealed", "villages", "ahead"}


def test_a_deck_whose_movements_lead_beyond_the_route_shown(tmp_path):
    rows = card_rows()
    for row in rows[1:]:
        row[3] = {"3": "30", "2|4|6": "2|40|99"}.get(row[3], row[3])
    game = envs.make_game("fairy_ring", num_players=4, deck=str(save(tmp_path, rows)))
    views = some_views(game, count=30, moves=20)
    assert steps_of(game, views, "hand").max() == 99 > AHEAD
    network = make_network(game)
    logits, values = answer(network, views)
    assert np.isfinite(logits).all()
    assert np.isfinite(values).all()
    facts = Blueprint(game, "own", (16, 12)).facts
    save_network(tmp_path / "long.zip", game, network, facts)
    np.testing.assert_allclose(PolicyAgent(tmp_path / "long.zip", game).network.logits(views), logits, atol=1e-4)


# --- blueprints and checkpoints -----------------------------------------------------------------------------------------


def test_an_unknown_kind_is_refused(game):
    with pytest.raises(ValueError, match="^network is 'deep'; choose from own, flat$"):
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
def test_a_checkpoint_tells_how_to_build_its_network(tmp_path, game, views, kind):
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
        ({"network": None}, "the checkpoint's network is None; it must be one of own, flat"),
        ({"network": ["own"]}, "the checkpoint's network is ['own']; it must be one of own, flat"),
        ({"network": "flat"}, "the weights are not those of a policy this suite trains"),
        ({"widths": None}, "the checkpoint's widths are None; they must be whole numbers from 1"),
        ({"widths": []}, "the checkpoint's widths are []; they must be whole numbers from 1"),
        ({"widths": [16, 0]}, "the checkpoint's widths are [16, 0]; they must be whole numbers from 1"),
        ({"widths": [16, True]}, "the checkpoint's widths are [16, True]; they must be whole numbers from 1"),
        ({"widths": "16"}, "the checkpoint's widths are '16'; they must be whole numbers from 1"),
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


@pytest.mark.parametrize("content", [b"", b"{\n", b"\xff\xfe\xfa", json.dumps(["own"]).encode()])
def test_facts_that_cannot_be_read_are_said_so_in_one_line(tmp_path, game, content):
    path = tmp_path / "wrong.zip"
    checkpoint.write_aside(path, checkpoint.pack({checkpoint.FACTS: content}))
    with pytest.raises(ValueError, match=r"^[^\n]*wrong\.zip is no checkpoint: its facts [^\n]*$"):
        PolicyAgent(path, game)
