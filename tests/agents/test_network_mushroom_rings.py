"""The network of Mushroom Rings: what it sees of the garden, how it turns tiles, and where it says that a ring can be closed."""

from itertools import combinations

import numpy as np
import pytest
import torch as th

import envs
from agents.networks.mushroom_rings import CHANNELS, HexConvolution, _cells, _turned_edges, bends
from envs import engine
from envs.mushroom_rings.observation import AROUND
from envs.mushroom_rings.observation.planes import CHOSEN, CLAIMS, JOINS, LAID
from envs.mushroom_rings.state import (
    AFTER_CELLS,
    CELL_ACTION,
    DISCARD,
    EDGES,
    NONE,
    OFFER,
    ORIENTATION,
    ORIENTATIONS,
    PLANES,
    SEGMENTS,
    STORAGE,
    TILE_FEATURES,
    Phase,
)
from tests.agents.observations import answer, make_network, some_views

JOINED = slice(JOINS, JOINS + EDGES)
MEETS = AROUND - 1  # the number of an edge that says that the path there meets itself
RINGS_CAN_CLOSE = 30  # positions in which some tile can close a ring


@pytest.fixture(scope="module")
def game():
    return envs.make_game("mushroom_rings", num_players=2, table_radius=8)


@pytest.fixture(scope="module")
def views(game):
    return some_views(game, 12, 250)[::7]


def number_of_cells(game):
    return len(game.rules[0]["q"])


# --- the hex table ------------------------------------------------------------------------------------------------------


def test_a_convolution_sees_a_cell_and_its_six_neighbors_alone(game):
    rules, side = game.rules[0], game.sections[0].shape[0]
    squares = rules["square"] // PLANES
    convolution = HexConvolution(1, 1)
    torn = range(0, number_of_cells(game), 5)
    planes = th.zeros(len(torn), 1, side, side)
    with th.no_grad():
        convolution.weight.uniform_(1, 2)
        convolution.bias.zero_()
        for i, cell in enumerate(torn):
            planes[i, 0].view(-1)[int(squares[cell])] = 1
        seen = convolution(planes).flatten(1).numpy() != 0
    for i, cell in enumerate(torn):
        around = [other for other in rules["neighbor"][cell] if other != NONE]
        assert set(np.flatnonzero(seen[i, squares])) == {cell, *around}


@pytest.mark.parametrize(("num_players", "radius"), [(2, 8), (4, 12)])
def test_cells_are_in_the_order_of_their_actions(num_players, radius):
    game = envs.make_game("mushroom_rings", num_players, table_radius=radius)
    assert _cells(radius) == (game.rules[0]["square"] // PLANES).tolist()
    env = envs.make_vec(game, 12, seed=2)
    words, actions, chosen = np.arange(12, dtype=np.uint64), np.zeros(12, np.int64), 0
    for _ in range(60):
        game.kernels.sample_batch(engine.rows(env.last()[0]["action_mask"].copy()), words, actions)
        choosing, seats = env.states["phase"] == Phase.CELL, env.agent_selection.copy()
        env.step(actions)
        marked = game.section(env.last()[0]["observation"], "garden")[..., CHOSEN].reshape(12, -1)
        goes_on = choosing & (env.states["hand_cell"] != NONE) & (env.agent_selection == seats)
        for row in np.flatnonzero(goes_on):
            assert np.flatnonzero(marked[row]).tolist() == [_cells(radius)[actions[row] - CELL_ACTION]]
            chosen += 1
    assert chosen > 20


def test_a_change_in_the_garden_changes_the_cells_within_three_steps(game, views):
    """Three convolutions, one after another; what joins everything is not to read the garden."""
    network, rules = make_network(game), game.rules[0]
    garden = game.slices["garden"].stop
    read = network.trunk[0].in_features - (game.observation_size - garden)
    network.trunk[0].weight.data[:, -read:] = 0
    changed_views, cell = views.copy(), int(rules["origin"]) + 2
    game.section(changed_views, "garden").reshape(len(views), -1, PLANES)[:, _cells(8)[cell], CLAIMS] += 0.5
    changed = answer(network, changed_views)[0] != answer(network, views)[0]
    dq, dr = rules["q"] - rules["q"][cell].astype(int), rules["r"] - rules["r"][cell].astype(int)
    steps = np.maximum.reduce([abs(dq), abs(dr), abs(dq + dr)])
    at_cells = changed[:, CELL_ACTION : CELL_ACTION + number_of_cells(game)]
    assert not at_cells[:, steps > 3].any()
    for distance in range(4):
        assert at_cells[:, steps == distance].any(), distance
    assert not changed[:, :CELL_ACTION].any()


# --- logits -------------------------------------------------------------------------------------------------------------


def block(game, phase, length):
    start = CELL_ACTION + number_of_cells(game) + int(AFTER_CELLS[phase])
    return np.arange(start, start + length)


def test_logits_are_at_the_places_of_the_actions(game, views):
    network = make_network(game)
    cells = np.arange(CELL_ACTION, CELL_ACTION + number_of_cells(game))
    every = np.arange(game.num_actions)
    ranges = {
        ("tiles.logits", 0): every[: OFFER + STORAGE],
        ("tiles.logits", 1): block(game, DISCARD, STORAGE + 1),
        ("turns.logits", 0): block(game, ORIENTATION, ORIENTATIONS),
        ("place_logits", 0): cells,
        ("plain_logits", ...): np.setdiff1d(every, cells),
    }
    for (name, index), place in ranges.items():
        before = answer(network, views)[0]
        network.get_submodule(name).bias.data[index] += 1
        expected = before.copy()
        expected[:, place] += 1
        np.testing.assert_allclose(answer(network, views)[0], expected, rtol=0, atol=1e-4, err_msg=name)


def test_plain_logits_are_in_the_order_of_the_other_actions(game, views):
    network = make_network(game)
    before = answer(network, views)[0]
    count = network.plain_logits.out_features
    network.plain_logits.bias.data += th.arange(count)
    cells = number_of_cells(game)
    shifts = [*range(CELL_ACTION), *[0] * cells, *range(CELL_ACTION, count)]
    np.testing.assert_allclose(answer(network, views)[0] - before, np.tile(shifts, (len(views), 1)), atol=1e-3)


def test_a_tile_is_read_alike_wherever_it_lies(game, views):
    """Offered tiles that swap places swap their logits, when what joins everything does not read the offer."""
    network = make_network(game)
    rest = game.slices["offer"].start - game.slices["garden"].stop
    network.trunk[0].weight.data[:, rest : rest + OFFER * TILE_FEATURES] = 0
    network.plain_logits.weight.data[:] = 0
    swapped = views.copy()
    offer = game.section(swapped, "offer")
    offer[:, [1, 6]] = offer[:, [6, 1]]
    before, after = answer(network, views)[0], answer(network, swapped)[0]
    expected = before.copy()
    expected[:, [1, 6]] = before[:, [6, 1]]
    np.testing.assert_allclose(after, expected, rtol=0, atol=1e-4)
    assert np.abs(before[:, 1] - before[:, 6]).mean() > 0.05


def test_stored_tiles_are_those_of_the_observer(game):
    env = envs.make_vec(game, 3, seed=0)
    env._states["storage"][:, 0], env._states["storage"][:, 1] = [5, 9, 14], [20, 21, 22]
    env._states["storage_size"] = SEGMENTS
    network = make_network(game)
    for seat in range(2):
        view = env.observe(seat)["observation"]
        tiles = game.rules[0]["tile_features"][env.states["storage"][:, seat] + 1]
        np.testing.assert_array_equal(network._stored(th.from_numpy(view)).numpy(), tiles)


# --- turning tiles ------------------------------------------------------------------------------------------------------


def test_turned_edges_are_those_of_the_tables(game):
    shares, turns = game.rules[0]["edge_share"], np.array(_turned_edges())
    assert len(shares) > 80
    np.testing.assert_array_equal(shares, np.stack([shares[:, 0][:, turn] for turn in turns], 1))


# --- bends --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([0, 0, 0, 0, 0, 0], [0, 0, 0]),
        ([1, 2, 3, 0, 0, 0], [0, 0, 0]),
        ([1, 1, 0, 0, 0, 0], [1, 0, 0]),
        ([1, 0, 0, 0, 0, 1], [1, 0, 0]),  # edge 5 lies beside edge 0
        ([0, 2, 0, 2, 0, 0], [0, 1, 0]),
        ([0, 2, 0, 0, 0, 2], [0, 1, 0]),
        ([3, 0, 0, 3, 0, 0], [0, 0, 1]),
        ([1, 2, 3, 1, 2, 3], [0, 0, 1]),
        ([1, 2, 1, 2, 3, 3], [1, 1, 0]),
        ([-1, -1, 0, 1, 0, 0], [0, 0, 0]),  # used up by a ring
        ([1, 1, 1, 1, 1, 1], [1, 1, 1]),  # a hub
    ],
)
def test_bends(edges, expected):
    assert bends(th.tensor(edges) / SEGMENTS).tolist() == expected


def test_a_path_that_meets_itself_bends_only_empty_cells(game, views):
    garden = game.section(views, "garden")
    found = make_network(game)._cell_bends(th.from_numpy(garden.copy())).numpy()
    empty = garden[..., LAID] == 0
    assert not found[~empty].any()
    meets = garden[..., JOINED] * empty[..., None]
    assert meets.any(-1).sum() > RINGS_CAN_CLOSE
    for cell, bend in zip(meets.reshape(-1, EDGES), found.reshape(-1, EDGES // 2), strict=True):
        apart = {min(b - a, EDGES + a - b) for a, b in combinations(np.flatnonzero(cell), 2)}
        assert bend.tolist() == [float(n in apart) for n in (1, 2, 3)]


# --- closing a ring -----------------------------------------------------------------------------------------------------


def closing_feature(game, views):
    """What an orientation is said to close, by its three segments: ``(K, 12, 3)``."""
    network, heard = make_network(game), []
    network.turns.register_forward_pre_hook(lambda _, given: heard.append(given[0]))
    answer(network, views)
    return heard[0][..., -SEGMENTS:].numpy()


def meeting_paths(state, rules, cell):
    """The path at each edge of an empty cell, from the record of a game; NONE for no path."""
    paths = []
    for edge in range(EDGES):
        index = state["place"][rules["neighbor"][cell, edge]] if rules["neighbor"][cell, edge] != NONE else NONE
        across = (edge + 3) % EDGES
        segment = NONE
        if index >= 0 and state["edge_ring"][index, across] == NONE:
            segment = rules["edge_segment"][state["tile"][index], state["orientation"][index], across]
        paths.append(NONE if segment == NONE else int(state["path"][SEGMENTS * index + segment]))
    return paths


def positions_with_a_tile_in_hand(game, count=40, moves=500):
    """Yields records, views and masks of positions in which a tile in hand has a cell and gets its orientation."""
    env = envs.make_vec(game, count, seed=6)
    words, actions = np.arange(count, dtype=np.uint64), np.zeros(count, np.int64)
    cells = np.arange(CELL_ACTION, CELL_ACTION + number_of_cells(game))
    for _ in range(moves):
        mask = env.last()[0]["action_mask"]
        game.kernels.sample_batch(engine.rows(mask), words, actions)
        # A cell at which a path meets itself is chosen whenever there is one.
        garden = game.section(env.last()[0]["observation"], "garden").reshape(count, -1, PLANES)[:, _cells(8)]
        good = (garden[..., JOINED] > 0).any(-1) & (garden[..., LAID] == 0) & (mask[:, cells] == 1)
        wanted = (env.states["phase"] == Phase.CELL) & good.any(1)
        actions[wanted] = CELL_ACTION + good[wanted].argmax(1)
        env.step(actions)
        rows = np.flatnonzero(env.states["phase"] == Phase.ORIENTATION)
        yield env.states[rows].copy(), env.last()[0]["observation"][rows].copy(), env.last()[0]["action_mask"][rows].copy()


def test_the_closing_feature_is_one_where_a_segment_joins_two_edges_at_which_a_path_meets_itself(game):
    """Exact where one path meets itself at the cell; where two do, a segment from one to the other is said to close one too."""
    rules, turns, exact, two_paths = game.rules[0], block(game, ORIENTATION, ORIENTATIONS), [0, 0], 0
    for states, views, masks in positions_with_a_tile_in_hand(game):
        closes = closing_feature(game, views) if len(views) else ()
        for state, said, legal in zip(states, closes, masks[:, turns], strict=True):
            paths = meeting_paths(state, rules, int(state["hand_cell"]))
            meeting = {path for path in paths if path != NONE and paths.count(path) > 1}
            for orientation in np.flatnonzero(legal):
                ends = rules["segment_edges"][state["hand_tile"], orientation].tolist()
                both = [NONE not in end and all(paths[edge] in meeting for edge in end) for end in ends]
                same = [is_said and paths[end[0]] == paths[end[1]] for is_said, end in zip(both, ends, strict=True)]
                assert said[orientation].tolist() == both
                exact[any(same)] += both == same
                two_paths += both != same
    assert min(exact) > RINGS_CAN_CLOSE
    assert two_paths < 0.05 * exact[1]


def test_an_orientation_that_is_said_to_close_a_ring_closes_one_by_the_rules(game):
    """But where two paths meet themselves, a segment from one to the other closes a ring only if another one leads back."""
    rules, turns, closed, wrong = game.rules[0], block(game, ORIENTATION, ORIENTATIONS), [0, 0], 0
    for states, views, masks in positions_with_a_tile_in_hand(game, moves=250):
        if not len(views):
            continue
        said = closing_feature(game, views).any(-1)
        env = envs.make_vec(game, len(states), seed=0)
        for orientation in range(ORIENTATIONS):
            env.set_records(states)
            legal = masks[:, turns[orientation]] == 1
            env.step(np.where(legal, turns[orientation], masks.argmax(1)))
            for row in np.flatnonzero(legal & (env.states["num_laid"] > states["num_laid"])):
                rings = env.states["num_rings"][row] > states["num_rings"][row]
                paths = meeting_paths(states[row], rules, int(states[row]["hand_cell"]))
                meeting = {path for path in paths if path != NONE and paths.count(path) > 1}
                assert said[row, orientation] >= rings  # none is missed
                if len(meeting) < 2:
                    assert said[row, orientation] == rings
                    closed[int(rings)] += 1
                wrong += said[row, orientation] != rings
    assert min(closed) > RINGS_CAN_CLOSE
    assert wrong < 0.01 * sum(closed)


def test_edges_of_the_chosen_cell_are_read_from_the_record(game):
    rules = game.rules[0]
    for states, views, _ in positions_with_a_tile_in_hand(game, count=10, moves=100):
        around = game.section(views, "around")
        for state, edges in zip(states, around, strict=True):
            paths = meeting_paths(state, rules, int(state["hand_cell"]))
            assert (edges[:, 2] == 1).tolist() == [path != NONE for path in paths]
            assert (edges[:, MEETS] == 1).tolist() == [path != NONE and paths.count(path) > 1 for path in paths]


def test_the_trunk_reads_the_cell_chosen(game, views):
    """The value changes with the cell marked as chosen, though nothing else does."""
    network, marked = make_network(game), views.copy()
    network.near.weight.data[:, CHOSEN] = 0  # not by the way of the planes
    garden = game.section(marked, "garden").reshape(len(views), -1, PLANES)
    garden[:, :, CHOSEN] = 0
    none = answer(network, marked)[1].copy()
    values = []
    for cell in (0, number_of_cells(game) // 2, number_of_cells(game) // 2 + 3):
        garden[:, :, CHOSEN] = 0
        garden[:, _cells(8)[cell], CHOSEN] = 1
        values.append(answer(network, marked)[1])
    assert network.near.out_channels == CHANNELS
    assert (np.stack(values) != none).any((1, 2)).all()
    assert (values[1] != values[2]).any()
