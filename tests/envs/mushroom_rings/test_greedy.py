"""The rule-based player: its choices at tables laid by hand, blind to what the seat cannot know, and strong."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from agents.greedy.mushroom_rings import laying
from agents.greedy.mushroom_rings.appraisal import look, sight_dtype
from agents.greedy.mushroom_rings.weights import WEIGHTS
from agents.registry import make_agent
from envs.mushroom_rings.rules.placing import orientations
from envs.mushroom_rings.state import NONE, ORIENTATIONS, Phase
from envs.mushroom_rings.survey import weigh_segments
from envs.vector import VectorAECEnv
from evaluation import tournament

from .table import Table, claim, new_game, with_player
from .test_bonuses import closes_a_large_ring
from .test_garden import THREE, TWICE
from .test_gnomes import at_gnome_step, signpost

SHARP = [1, 4, 7, 8, 9, 10, 11, 12]  # tiles that join two edges side by side, none of them in TWICE


@pytest.fixture(scope="module")
def game():
    return new_game()


def choice(table):
    """What greedy does now."""
    view = table.env.last()[0]
    agent = make_agent("greedy", table.game)
    return table.game.move(table.env.states, agent.act(view["observation"], view["action_mask"], table.env.states.copy())[0])


def play_on(table, *phases):
    """Lets greedy play while one of these phases lasts; returns the state."""
    while table.state["phase"] in phases:
        table.do(**{"kind" if key == "type" else key: value for key, value in choice(table).items()})
    return table.state


PLACING = ("place", "cell", "orientation")


# --- tiles --------------------------------------------------------------------------------------------------------------


def test_it_closes_the_large_ring(game):
    state = play_on(Table(game, TWICE, [20]), *PLACING)
    assert [ring["size"] for ring in state["rings"]] == [3, 10]


def test_a_stored_wildflower_closes_what_no_other_tile_does_and_is_kept_where_none_is_to_close(game):
    state = play_on(Table(game, TWICE, SHARP, with_player(storage=[93])), *PLACING)
    assert 10 in [ring["size"] for ring in state["rings"]] and state["players"][0]["storage"] == []
    state = play_on(Table(game, [], range(50, 58), with_player(storage=[93])), *PLACING)
    assert state["players"][0]["storage"] == [93]


def test_it_closes_its_own_ring_and_not_anothers(game):
    def claimed_by(player):
        def change(state):
            claim(state, player, 0, 0, 0, 0, [[0, 0, 0], [1, 0, 0]])

        return change

    state = play_on(Table(game, THREE, SHARP[1:], claimed_by(0)), *PLACING)
    assert [ring["owner"] for ring in state["rings"]] == [0]
    state = play_on(Table(game, THREE, SHARP[1:], claimed_by(1)), *PLACING)
    assert 1 not in [ring["owner"] for ring in state["rings"]] and state["phase"] == "gnome"


@pytest.mark.parametrize(("side", "rotation", "give"), [(0, 2, True), (1, 4, False)])
def test_it_gives_leave_for_what_closes_its_ring_and_not_for_what_leads_it_astray(game, side, rotation, give):
    def change(state):
        path = max(state["paths"], key=lambda path: len(path["segments"]))
        path["gnome"] = [1, 0]
        state["players"][1]["gnomes"][0] = {"at": "path", "q": 0, "r": 0, "edge": 0}

    table = Table(game, TWICE, [60], change)
    assert table.lay(60, -1, 0, rotation, side)["phase"] == "leave"
    assert choice(table) == {"type": "leave", "give": give}


def test_it_discards_a_garden_tile_rather_than_the_wildflower(game):
    table = closes_a_large_ring(game, with_player(markers=[1], storage=[60, 61]))
    table.do("slot", slot=11)
    assert play_on(table, "mushroom")["phase"] == "discard"
    assert 93 in play_on(table, "discard")["players"][0]["storage"]


# --- gifts --------------------------------------------------------------------------------------------------------------


def test_it_takes_the_two_markers_when_they_are_the_last(game):
    assert choice(closes_a_large_ring(game, with_player(markers=[0, 1, 2, 3, 4, 5])))["slot"] in (9, 10)


def test_it_picks_the_dearest_mushroom_and_the_flower_when_it_is_worth_more(game):
    table = closes_a_large_ring(game, with_player(flowers=[0, 1, 2, 3, 4, 5], flower_market=[0, 0, 0, 0, 0, 0, 2, 0]))
    table.do("slot", slot=9)
    assert choice(table) == {"type": "signpost", "name": "flower"}
    table = closes_a_large_ring(game)
    table.do("slot", slot=9)
    assert choice(table) == {"type": "signpost", "name": "red"}


# --- gnomes -------------------------------------------------------------------------------------------------------------


def test_its_gnome_takes_waiting_mushrooms(game):
    table = at_gnome_step(game)
    assert play_on(table, "gnome", "destination", "where", "edge")["players"][0]["gnomes"][0] == {"at": "ring", "ring": 0}


def test_its_gnome_claims_the_path_that_nearly_is_a_ring(game):
    table = at_gnome_step(game, garden=TWICE)
    state = play_on(table, "gnome", "destination", "where", "edge")
    claimed = next(path for path in state["paths"] if path["gnome"] == [0, 0])
    assert len(claimed["segments"]) > 5


def test_it_leaves_no_good_claim_for_little(game):
    def change(state):
        path = max(state["paths"], key=lambda path: len(path["segments"]))
        path["gnome"] = [0, 0]
        state["players"][0]["gnomes"][0] = {"at": "path", "q": 0, "r": 0, "edge": 0}

    table = at_gnome_step(game, change, garden=TWICE)
    assert choice(table)["type"] != "gnome" or choice(table)["gnome"] == 1


def at_last_move(game, **player):
    table = at_gnome_step(game)
    state = table.state | {"last_moves": True, "ending": True, "laid": 0}
    with_player(**player)(state)
    state["bag_size"] = len(state["bag"])
    table.set(state)
    return table


def test_at_the_end_only_points_count(game):
    market = [0, 0, 0, 0, 0, 0, 2, 0]
    flowers = [0, 1, 2, 3, 4, 5]  # the 7th brings 7 points
    table = at_last_move(game, flowers=flowers, flower_market=market, mushrooms={"red": 4})
    assert play_on(table, "gnome", "destination")["players"][0]["flowers"] == [*flowers, 6]
    table = at_last_move(game, flowers=flowers, flower_market=market, mushrooms={"red": 5, "purple": 3, "blue": 7})
    assert play_on(table, "gnome", "destination", "sale")["players"][0]["treasure"] == 22 + 10
    assert choice(at_last_move(game)) == {"type": "stay"}


def test_it_holds_mushrooms_back_for_a_better_sale_while_there_is_time(game):
    table = at_gnome_step(game, with_player(mushrooms={"red": 2}))
    assert play_on(table, "gnome", "destination", "where", "edge")["players"][0]["mushrooms"]["red"] >= 2
    table = at_gnome_step(game, with_player(mushrooms={"red": 7, "yellow": 2}))
    state = play_on(table, "gnome", "destination", "sale")
    assert state["players"][0]["treasure"] == 16 and state["players"][0]["mushrooms"]["yellow"] == 2


def test_it_trades_cheap_mushrooms_for_dear_ones():
    table = at_gnome_step(new_game(trade_board=True), signpost("pink", mushrooms={"pink": 2}))
    state = play_on(table, "gnome", "destination", "trade")
    assert state["players"][0]["mushrooms"] == {"red": 0, "yellow": 0, "blue": 0, "pink": 2, "purple": 3}


# --- what it expects ----------------------------------------------------------------------------------------------------


def positions(game, steps, num_envs, seed=0):
    """Environments on their way through games in which greedy and random players take turns."""
    env = VectorAECEnv(game, num_envs, seed=seed)
    agents = [make_agent("greedy", game), make_agent("random", game)]
    words = np.random.default_rng(seed)
    for number in range(steps):
        yield env
        view = env.last()[0]
        worlds = env.worlds(words.integers(2**63, size=num_envs, dtype=np.uint64))
        env.step(agents[number // 60 % 4 == 3].act(view["observation"], view["action_mask"], worlds))


def test_what_it_expects_of_closing_a_path_is_what_the_rules_make_of_it(game):
    """For a tile of one segment laying it by the rules comes to the same worth as adding up the path."""
    sight, scratch, found = np.zeros(1, sight_dtype(game)), np.zeros(1, game.state_dtype), 0
    common = game.rules[0], WEIGHTS, sight[0]
    for step, env in enumerate(positions(game, steps=220, num_envs=6)):
        if step % 6:
            continue
        for state in env.states.copy():
            look(state, *common, int(state["turn_player"]))
            weigh_segments(game.rules[0], sight[0], 15)
            for slot in np.flatnonzero(state["open_meets"][: state["num_open"]]):
                for orientation in range(ORIENTATIONS):
                    paths = [sight[0]["end_path"][slot, edge] for edge in game.rules[0]["segment_edges"][15, orientation, 0]]
                    fits = orientations(state, game.rules[0], 15, slot) >> orientation & 1
                    if fits and paths[0] == paths[1] != NONE and sight[0]["hubs"][paths[0]] == 0:
                        arguments = (state, *common, scratch, 15, slot, orientation)
                        by_rules = laying._tried(*arguments)
                        edges = int(game.rules[0]["path_edges"][15, orientation])
                        added_up = laying._closing(state, WEIGHTS, sight[0], int(paths[0]), 0)
                        assert edges.bit_count() == 2 and by_rules == pytest.approx(added_up)
                        found += 1
    assert found > 20


# --- fair, the same in every batch, strong ------------------------------------------------------------------------------

RULE_SETS = [(2, {}), (3, {"trade_board": True}), (4, {"permission": "refuse"})]


@pytest.mark.parametrize(("players", "options"), RULE_SETS)
def test_it_plays_legally_and_knows_nothing_of_the_bag(players, options):
    game = new_game(players, **options)
    agent, words, phases, changed = make_agent("greedy", game), np.random.default_rng(5), Counter(), 0
    for env in positions(game, steps=330, num_envs=24):
        view = env.last()[0]
        first, second = (env.worlds(words.integers(2**63, size=24, dtype=np.uint64)) for _ in range(2))
        actions = agent.act(view["observation"], view["action_mask"], first)
        assert actions.dtype == np.int64 and view["action_mask"][np.arange(24), actions].all()
        changed += int((first["pile"] != second["pile"]).any(axis=1).sum())
        second["pile"], second["rng"] = 1, 3
        assert np.array_equal(actions, agent.act(np.zeros_like(view["observation"]), view["action_mask"], second))
        phases.update(env.states["phase"].tolist())
    asked = set(Phase) - {Phase.OVER, Phase.LEAVE, Phase.DISCARD, Phase.TRADE}
    assert asked <= set(phases) and changed > 5000
    assert (Phase.TRADE in phases) == bool(options.get("trade_board"))


def test_it_plays_the_same_alone_as_among_others(game):
    for step, env in enumerate(positions(game, steps=300, num_envs=8)):
        if step % 10 == 0:
            view, worlds = env.last()[0], env.worlds(np.arange(8, dtype=np.uint64))
            observations, masks = view["observation"], view["action_mask"]
            together = make_agent("greedy", game).act(observations, masks, worlds)
            agent = make_agent("greedy", game)
            alone = [agent.act(observations[i : i + 1], masks[i : i + 1], worlds[i : i + 1])[0] for i in reversed(range(8))]
            assert together.tolist() == alone[::-1]


PROGRAM = """
from tests.envs.mushroom_rings.test_greedy import positions
from tests.envs.mushroom_rings.table import new_game
for env in positions(new_game(2), steps=20, num_envs=2):
    print(env.states["decisions"].tolist(), env.states["num_open"].tolist(), env.agent_selection.tolist())
print(env.states.tobytes().hex())
"""


def test_it_plays_the_same_without_the_compiler():
    def run(**settings):
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **settings}
        return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True).stdout

    assert run(NUMBA_DISABLE_JIT="1") == run()


def wins(game, deals):
    """Win share of one greedy player against random ones, over all rotations."""
    agents, players = [make_agent("greedy", game), make_agent("random", game)], game.num_players
    lineup = np.concatenate([[np.roll([0] + [1] * (players - 1), shift) for shift in range(players)]] * deals)
    match = tournament.play(game, agents, lineup, np.repeat(tournament.deal_seeds(deals, 9), players))
    assert match.forfeits.tolist() == [0, 0]
    return match.wins[lineup == 0].mean()


@pytest.mark.parametrize(("players", "options"), [*RULE_SETS, (2, {"trade_board": True})])
def test_it_beats_random_players(players, options):
    assert wins(new_game(players, **options), deals=30) > 0.95
