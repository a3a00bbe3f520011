"""Fairy Ring's own network: what each part of it reads, and where it says that a card leads."""

from collections import Counter

import numpy as np
import pytest
import torch as th

import envs
from agents import checkpoint
from agents.networks.blueprint import Blueprint
from agents.networks.fairy_ring import WAYS
from agents.policy import PolicyAgent
from envs import engine
from envs.fairy_ring.observation import AHEAD
from envs.fairy_ring.state import (
    CHOOSE_ACTION,
    COLUMNS,
    FLY_ACTION,
    GATHER_ACTION,
    GROW_ACTION,
    HAND,
    MOVEMENTS,
    MUSHROOMS,
    NUM_ACTIONS,
    NUM_TYPES,
    PAYS,
    PLANT_LEFT_ACTION,
    PLANT_RIGHT_ACTION,
    TURNS,
    Phase,
)
from tests.agents.observations import answer, in_phase, make_network, some_views, weights_of, without_the_flat_part
from tests.envs.fairy_ring.test_cards import card_rows, save

CHOOSE = slice(CHOOSE_ACTION, CHOOSE_ACTION + HAND)
GROW = slice(GROW_ACTION, GROW_ACTION + MUSHROOMS)
FLY = slice(FLY_ACTION, FLY_ACTION + MOVEMENTS)
GATHER = slice(GATHER_ACTION, GATHER_ACTION + MUSHROOMS)
LEFT, RIGHT, GROWN = range(WAYS)


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", num_players=3)


@pytest.fixture(scope="module")
def views(game):
    return some_views(game)


def steps_of(game, views, name):
    """The movements of cards: ``(K, ..., 3)``."""
    return np.rint(game.section(views, name)[..., NUM_TYPES : NUM_TYPES + MOVEMENTS] * 10).astype(int)


def without_context(game):
    """A network in which nothing is joined: a logit depends on its own card and its own mushroom alone."""
    network = make_network(game)
    network.trunk[0].weight.data[:] = 0
    return network


# --- places of the logits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "place"), [("choose_logits", CHOOSE), ("fly.logits", FLY), ("gather_logits", GATHER)])
def test_logits_are_at_the_places_of_the_actions(game, views, name, place):
    network = make_network(game)
    before = answer(network, views)[0]
    network.get_submodule(name).bias.data += 1
    expected = before.copy()
    expected[:, place] += 1
    np.testing.assert_allclose(answer(network, views)[0], expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("parameter", "index", "place"),
    [("plant_logits", 0, [PLANT_LEFT_ACTION]), ("plant_logits", 1, [PLANT_RIGHT_ACTION]), ("grow.bias", ..., GROW)],
)
def test_the_worth_of_a_place_is_at_its_action_and_counts_in_choosing(game, views, parameter, index, place):
    network = make_network(game)
    before = answer(network, views)[0]
    network.get_parameter(parameter).data[index] += 1
    changed = answer(network, views)[0] != before
    assert changed[:, place].all()
    assert changed[:, CHOOSE].any()
    others = np.ones(NUM_ACTIONS, bool)
    others[CHOOSE] = others[place] = False
    assert not changed[:, others].any()


# --- cards --------------------------------------------------------------------------------------------------------------


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


def test_only_growth_that_is_possible_counts_in_choosing(game, views):
    """A change to an own mushroom changes what growing on it is worth, but only cards of its type take that into account."""
    network, views, place = without_context(game), views.copy(), 1
    network.reached.weight.data[:] = 0  # nor is a card read with what its flight reaches, which own mushrooms change too
    size = game.section(views, "villages")[:, 0, place, :NUM_TYPES]
    size[::2] = size[::2] > 0  # every other one is full
    changed_views = views.copy()
    mushroom = game.section(changed_views, "villages")[:, 0, place]
    mushroom[:, NUM_TYPES] += 0.5  # one more firefly
    changed = answer(network, changed_views)[0] != answer(network, views)[0]
    kinds = game.section(views, "hand")[:, :, :NUM_TYPES]
    may_grow = (kinds * ((size > 0) & (size < 1))[:, None]).any(-1)
    assert changed[:, GROW_ACTION + place].all()
    assert may_grow.any()
    assert (kinds[::2] * (size[::2] == 1)[:, None]).any()
    np.testing.assert_array_equal(changed[:, CHOOSE], may_grow)


# --- the route ----------------------------------------------------------------------------------------------------------


def steps_to_a_planted_one(game, views):
    """How many mushrooms a fairy passes before one planted on the left and one planted on the right: ``(2, K)``."""
    starts_own = game.section(views, "fairies")[:, 0, 0].any(-1)
    ahead_own = game.section(views, "ahead")[:, :, COLUMNS] == 1
    passed = np.full((2, len(views)), 99)
    for k, own in enumerate(np.column_stack([starts_own, ahead_own])):
        for i in reversed(range(AHEAD)):
            if own[i] != own[i + 1]:
                passed[LEFT if own[i] else RIGHT, k] = i
    return passed


@pytest.mark.parametrize("row", [1, 2, 4])
def test_a_mushroom_on_the_route_changes_just_what_leads_to_it(game, views, row):
    """Mushroom number ``row`` is reached by that movement, and by one more if a mushroom has been planted before it."""
    network, changed_views = without_context(game), views.copy()
    ahead = game.section(changed_views, "ahead")
    ahead[:, row - 1, :PAYS] = 0.25
    ahead[:, row - 1, PAYS] += 0.5
    changed = answer(network, changed_views)[0] != answer(network, views)[0]
    passed = steps_to_a_planted_one(game, views)[:, :, None, None]

    def leads_there(name):
        steps = steps_of(game, views, name).reshape(len(views), -1, MOVEMENTS)
        planted = ((steps == row) & (passed >= row)) | ((steps == row + 1) & (passed < row))
        return np.stack([*planted, steps == row])

    ways = leads_there("hand").any(-1)
    assert ways.any((1, 2)).all()
    np.testing.assert_array_equal(changed[:, CHOOSE], ways.any(0))
    ways = leads_there("revealed")[:, :, 0]
    for way, place in ((LEFT, PLANT_LEFT_ACTION), (RIGHT, PLANT_RIGHT_ACTION)):
        np.testing.assert_array_equal(changed[:, place], ways[way].any(-1))
    np.testing.assert_array_equal(changed[:, GROW], np.repeat(ways[GROWN].any(-1)[:, None], MUSHROOMS, 1))
    np.testing.assert_array_equal(changed[:, FLY], ways[GROWN])


def real_landings(env, action):
    """Where fairies land when those who are to place a card do this: for each row, each movement's (village, mushroom)."""
    movers, rows = env.agent_selection.copy(), np.arange(env.num_envs)
    env.step(np.where(env.states["phase"] == Phase.PLACE, action, env.last()[0]["action_mask"].argmax(1)))
    placed, flying, options = env.get_state(), env.states["phase"] == Phase.FLY, []
    landed = np.stack([env.states["fairy_village"], env.states["fairy_mushroom"]], -1)[rows, movers]
    for option in range(MOVEMENTS):
        env.set_state(placed)
        env.step(np.where(flying, FLY_ACTION + option, env.last()[0]["action_mask"].argmax(1)))
        flown = np.stack([env.states["fairy_village"], env.states["fairy_mushroom"]], -1)[rows, movers]
        options.append(np.where(flying[:, None], flown, landed))
    return np.stack(options, 1).astype(int)


class Ring:
    """A ring of villages before a card is placed, from the record of a game."""

    def __init__(self, state):
        self.player = int(state["current_player"])
        self.sizes = state["num_mushrooms"].astype(int).tolist()
        self.fairy = int(state["fairy_village"][self.player]), int(state["fairy_mushroom"][self.player])

    def route(self):
        """The next mushrooms, as (village, mushroom)."""
        (village, mushroom), route = self.fairy, []
        for _ in range(AHEAD):
            mushroom -= 1
            if mushroom < 0:
                village = (village + 1) % len(self.sizes)
                mushroom = self.sizes[village] - 1
            route.append((village, mushroom))
        return route

    def passed(self, way):
        """How many mushrooms the fairy passes before it comes to one planted on the left or on the right."""
        village, passed = self.fairy
        if way == LEFT and village == self.player:
            return passed
        between = (self.player - village - 1) % len(self.sizes)
        passed += sum(self.sizes[(village + 1 + i) % len(self.sizes)] for i in range(between))
        return passed + (self.sizes[self.player] if way == LEFT else 0)

    def before(self, way, landed):
        """What a mushroom was called before the card was placed; None for the card itself."""
        village, mushroom = map(int, landed)
        if village != self.player or way == GROWN:
            return village, mushroom
        if way == LEFT:
            return (village, mushroom - 1) if mushroom else None
        return (village, mushroom) if mushroom < self.sizes[village] else None


def compare_flights(game, env, network, way):
    """Counts flights of which the network knows the end, and flights that come by the planted mushroom a second time."""
    before, counts = env.states.copy(), Counter()
    views, mask = env.last()[0]["observation"].copy(), env.last()[0]["action_mask"]
    may = before["phase"] == Phase.PLACE
    action = np.full(len(mask), PLANT_LEFT_ACTION + way)
    if way == GROWN:
        may &= mask[:, GROW].any(1)
        action = np.where(may, GROW_ACTION + mask[:, GROW].argmax(1), PLANT_LEFT_ACTION)
    card = th.from_numpy(game.section(views, "revealed")[:, None])
    shares = network._flights(th.from_numpy(views), card)[:, way, 0].numpy()
    movements, landed = steps_of(game, views, "revealed"), real_landings(env, action)
    for row in np.flatnonzero(may):
        ring = Ring(before[row])
        if way != GROWN and movements[row].max() > ring.passed(way) + 1 + sum(ring.sizes):
            counts["around"] += 1
            continue
        expected, found = Counter(), Counter()
        for end in landed[row]:
            expected[ring.before(way, end)] += 1
        for place, share in zip([*ring.route(), None], shares[row], strict=True):
            found[place] += round(float(share) * MOVEMENTS)
        assert +found == expected
        counts["planted" if None in expected else "known"] += 1
    return counts


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_cards_lead_where_the_fairy_lands_by_the_rules(num_players):
    """But for a flight around the whole ring, which comes by the planted mushroom a second time: that one is not known."""
    game = envs.make_game("fairy_ring", num_players)
    network, env = make_network(game), envs.make_vec(game, 30, seed=8)
    words, actions = np.arange(30, dtype=np.uint64), np.zeros(30, np.int64)
    counts = [Counter() for _ in range(WAYS)]
    for _ in range(2 * 2 * TURNS * num_players - 2):  # each player chooses and places a card a turn: no game is over yet
        saved = env.get_state()
        for way in range(WAYS):
            counts[way] += compare_flights(game, env, network, way)
            env.set_state(saved)
        game.kernels.sample_batch(engine.rows(env.last()[0]["action_mask"].copy()), words, actions)
        env.step(actions)
    for way in (LEFT, RIGHT):
        assert counts[way]["planted"] > 20
        assert counts[way]["known"] > 300
        assert counts[way]["around"] < 0.2 * counts[way].total()
    assert counts[GROWN]["known"] == counts[GROWN].total() > 20


def test_a_way_around_the_whole_ring_passes_a_planted_mushroom_once_only():
    """Two villages of one mushroom each: the fairy comes by the planted one with every third step, but only the first counts."""
    game = envs.make_game("fairy_ring", 2)
    env = envs.make_vec(game, 1, seed=0)
    views = th.from_numpy(env.last()[0]["observation"].copy())
    card = th.zeros(1, 1, game.section(env.last()[0]["observation"], "revealed").shape[-1])
    ends = []
    for movement in range(1, 8):
        card[0, 0, NUM_TYPES] = movement / 10
        ends.append(make_network(game)._flights(views, card)[0, LEFT, 0].argmax().item())
    assert ends == [AHEAD, 0, 1, 2, 3, 4, 5]


# --- sections -----------------------------------------------------------------------------------------------------------


def test_cards_are_read_with_what_the_own_mushrooms_pay(game, views):
    """Gathering from another one's mushroom pays its finder too: from the best own one of that type."""
    network, richer = without_context(game), views.copy()
    network.mushroom.weight.data[:] = 0  # nor are the own mushrooms read as places to grow
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
    # Where the own fairy stands is read too, though without a slope: what is planted may then lie ahead of it or not.
    elsewhere = views.copy()
    fairies = game.section(elsewhere, "fairies")
    fairies[:, 0] = fairies[:, 0, [1, 2, 0]]
    assert (answer(network, elsewhere)[0] != answer(network, views)[0]).any()


def test_a_deck_whose_movements_lead_beyond_the_route_shown(tmp_path):
    rows = card_rows()
    for row in rows[1:]:
        row[3] = {"3": "30", "2|4|6": "2|40|99"}.get(row[3], row[3])
    game = envs.make_game("fairy_ring", num_players=4, deck=str(save(tmp_path, rows)))
    views = some_views(game, count=30, moves=20)
    assert steps_of(game, views, "hand").max() == 99 > AHEAD
    network = make_network(game)
    shares = network._flights(th.from_numpy(views), th.from_numpy(game.section(views, "hand").copy())).sum(-1)
    held = game.section(views, "hand").any(-1)
    np.testing.assert_allclose(shares.numpy(), np.broadcast_to(held[:, None], shares.shape), atol=1e-6)
    logits, values = answer(network, views)
    assert np.isfinite(logits).all()
    assert np.isfinite(values).all()
    facts = Blueprint(game, "own", (16, 12)).facts
    checkpoint.save_snapshot(tmp_path / "long.zip", weights_of(network), {**checkpoint.game_facts(game), **facts})
    np.testing.assert_allclose(PolicyAgent(tmp_path / "long.zip", game).network.logits(views), logits, atol=1e-4)
