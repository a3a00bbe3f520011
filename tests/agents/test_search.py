"""The tree search: right where the best play can be worked out, blind to hidden things, the same however it is asked."""

import itertools
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import envs
from agents.checkpoint import game_facts, save_snapshot
from agents.networks.blueprint import Blueprint
from agents.policy import PREFIX
from agents.registry import checkpoint_path, make_agent
from agents.search import SearchAgent, Settings, default_settings, parse_settings
from envs import engine
from envs.check import redealt
from envs.fairy_ring.state import ROUNDS, TURNS, Phase
from envs.vector import VectorAECEnv
from evaluation import tournament
from tests import race

RANDOM = Settings(simulations=40, rollout="random", depth=10)


def worlds_on_the_way(game, steps, num_envs=8, seed=0):
    """What the seats to act know at every step of random games."""
    env = VectorAECEnv(game, num_envs, seed=seed)
    words, actions = np.arange(num_envs, dtype=np.uint64), np.zeros(num_envs, np.int64)
    for step in range(steps):
        yield env.worlds(words + np.uint64(1000 * step))
        game.kernels.sample_batch(engine.rows(env.last()[0]["action_mask"].copy()), words, actions)
        env.step(actions)


def some_worlds(game, skip=5, count=4):
    return np.concatenate(list(itertools.islice(worlds_on_the_way(game, skip + count), skip, None)))


def same(one, other):
    return one.actions.tolist() == other.actions.tolist() and one.visits.tolist() == other.visits.tolist()


# --- where the best play can be worked out ------------------------------------------------------------------------------


def race_value(steps, player, decisions):
    """What the race for two is worth to the player to act, and its value after each legal action."""
    values = {}
    for action in (race.PASS, race.STEP, race.GAMBLE):
        if (action == race.PASS and steps[player] == 1) or (action == race.GAMBLE and steps[player] == 0):
            continue
        after = list(steps)
        after[player] = {race.PASS: steps[player], race.STEP: steps[player] + 1, race.GAMBLE: 0}[action]
        wins = action == race.STEP and after[player] == race.GOAL
        if wins:
            value = 1.0
        elif decisions + 1 >= race.LIMIT:
            value = 0.0
        elif action == race.STEP:
            value = race_value(after, player, decisions + 1)[0]
        else:
            value = -race_value(after, 1 - player, decisions + 1)[0]
        values[action] = value if action != race.GAMBLE else 1 / 3 + 2 / 3 * value
    return max(values.values()), values


@pytest.mark.parametrize("more", [{"exploration": 0.5}, {"exploration": 2.0}, {"rollouts": 3}, {"expand": 5}])
def test_in_a_race_the_search_finds_the_best_action(more):
    game = race.make_game(num_players=2)
    agent = SearchAgent(game, Settings(simulations=4000, **more))
    compared = 0
    for own, other, decisions in itertools.product(range(race.GOAL), range(race.GOAL), range(1, race.LIMIT)):
        best, values = race_value([own, other], 0, decisions)
        rest = sorted(values.values())[:-1]
        if not rest or best - rest[-1] < 0.1:
            continue
        record = np.zeros(1, game.state_dtype)
        record["rng"], record["decisions"], record["winner"] = 7, decisions, -1
        record["steps"][0] = own, other
        assert values[agent.search(record).actions[0]] == best, (own, other, decisions, values)
        compared += 1
    assert compared > 20


def leads_after(game, record, seat):
    """The lead, in standings, that each action leads to if the seat alone decides from here on."""
    leads = {}
    for action in game.legal_actions(record):
        after = record.copy()
        game.kernels.step(after[0], game.rules[0], action)
        if after["current_player"][0] == engine.NO_PLAYER:
            results = np.zeros(1, engine.result_dtype(2))
            game.kernels.standings_batch(after, game.rules, results)
            leads[action] = int(results["standings"][0, seat] - results["standings"][0, 1 - seat])
        else:
            assert after["current_player"][0] == seat
            leads[action] = max(leads_after(game, after, seat).values())
    return leads


def test_the_last_card_of_a_game_is_played_as_well_as_can_be():
    game = envs.make_game("fairy_ring", 2)
    agent = SearchAgent(game, Settings(simulations=600, rollout="random", scale=20.0, prior=0.0))
    clear = 0
    for worlds in worlds_on_the_way(game, game.max_decisions, num_envs=24):
        last = (worlds["round"] == ROUNDS) & (worlds["turn"] == TURNS) & (worlds["phase"] == Phase.PLACE)
        for i in np.flatnonzero(last & (worlds["current_player"] != worlds["first_player"])):
            seat = int(worlds["current_player"][i])
            leads = leads_after(game, worlds[i : i + 1], seat)
            assert leads[int(agent.search(worlds[i : i + 1]).actions[0])] == max(leads.values()), leads
            clear += min(leads.values()) < max(leads.values())
    assert clear > 10


# --- what it may know, and what it may not depend on --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fairy_ring", "dance_of_eights", "mushroom_rings"])
def test_neither_hidden_cards_nor_draws_to_come_change_a_visit(name):
    game = envs.make_game(name, 2)
    agent = SearchAgent(game, replace(default_settings(game), simulations=12))
    different = 0
    for worlds in worlds_on_the_way(game, 12):
        seats = worlds["current_player"]
        others = [redealt(game, worlds[i : i + 1], int(seats[i]), 99 + i) for i in np.flatnonzero(seats >= 0)]
        worlds, others = worlds[seats >= 0], np.concatenate(others)
        others["rng"] = worlds["rng"]  # the agent's word of the row; all other chance is dealt from it
        different += sum(one.tobytes() != other.tobytes() for one, other in zip(worlds, others, strict=True))
        assert same(agent.search(worlds), agent.search(others))
    assert different > 20


def test_another_word_gives_other_visits():
    game = envs.make_game("fairy_ring", 2)
    agent, worlds = SearchAgent(game, RANDOM), some_worlds(game)
    before = agent.search(worlds).visits
    worlds["rng"] += np.uint64(1)
    assert before.tolist() != agent.search(worlds).visits.tolist()


def test_rows_do_not_know_of_each_other_and_worlds_are_left_alone(monkeypatch):
    game = envs.make_game("fairy_ring", 2)
    worlds = some_worlds(game)
    before = worlds.tobytes()
    agent = SearchAgent(game, replace(default_settings(game), simulations=30))
    together = agent.search(worlds)
    alone = [agent.search(worlds[i : i + 1]) for i in range(len(worlds))]
    monkeypatch.setattr("agents.search.agent.MAX_NODES", 100)  # three rows at a time
    in_parts = agent.search(worlds)
    assert same(together, in_parts) and worlds.tobytes() == before
    assert together.visits.tolist() == [found.visits[0].tolist() for found in alone]
    assert in_parts.decisions == together.decisions == sum(found.decisions for found in alone)


def test_the_real_simulations_are_counted_and_one_legal_action_needs_none():
    game = envs.make_game("fairy_ring", 2)
    agent = SearchAgent(game, RANDOM)
    for worlds in worlds_on_the_way(game, 30):
        found = agent.search(worlds)
        choices = [game.legal_actions(world) for world in worlds]
        assert found.visits.sum(axis=1).tolist() == [40 if len(legal) > 1 else 0 for legal in choices]
        for action, visits, legal in zip(found.actions, found.visits, choices, strict=True):
            assert action in legal and set(np.flatnonzero(visits)) <= set(legal) and visits[action] == visits.max()


def test_each_new_node_has_so_many_rollouts_and_young_nodes_have_no_children():
    game = envs.make_game("fairy_ring", 2)
    worlds = some_worlds(game)

    def search(**more):
        return SearchAgent(game, Settings(simulations=40, rollout="random", **more)).search(worlds)

    searched = np.array([len(game.legal_actions(world)) > 1 for world in worlds])
    assert search(expand=40, depth=5).decisions == 40 * (1 + 5) * searched.sum()
    assert search(expand=40, depth=5, rollouts=3).decisions == 40 * (1 + 3 * 5) * searched.sum()
    assert search(expand=40, depth=0).decisions < search(expand=4, depth=0).decisions < search(depth=0).decisions
    assert same(search(depth=0), search(depth=0, rollouts=3))  # the same value three times
    assert not same(search(depth=5), search(depth=5, rollouts=3))


def test_equal_searchers_are_equal():
    game = envs.make_game("fairy_ring", 2)
    agents = [make_agent("ismcts:8,rollout=random,prior=0", game) for _ in range(2)]
    lineup, deals = tournament.schedule(2, 2, deals=6)
    match = tournament.play(game, agents, lineup, deals, names=["one", "other"])
    whole = tournament.play(game, agents, lineup, deals, names=["one", "other"], batch=3)
    assert match.forfeits.sum() == 0 and (match.rewards.reshape(-1, 2, 2)[:, 0] == match.rewards.reshape(-1, 2, 2)[:, 1]).all()
    assert match.rewards.tobytes() == whole.rewards.tobytes()


# --- whole games of every rule set --------------------------------------------------------------------------------------


def play_whole_games(game, settings, limit):
    """Plays two games with the search, up to a limit of decisions; every action is checked on the way."""
    env = VectorAECEnv(game, 2, seed=5, autoreset=False)
    agent = SearchAgent(game, settings)
    for number in range(limit):
        rows = np.flatnonzero(env.agent_selection >= 0)
        if len(rows) == 0:
            return
        actions = np.zeros(2, np.int64)
        actions[rows] = agent.act(None, None, env.worlds(np.array([number, number + 1000], np.uint64))[rows])
        env.step(actions)  # raises if one is illegal


def test_only_legal_actions_in_games_for_two(game_for_two):
    play_whole_games(game_for_two, replace(default_settings(game_for_two), simulations=6, depth=4), game_for_two.max_decisions)


GAMES = """
import sys
import envs
from tests.agents.test_search import play_whole_games
from agents.search import Settings
for name in envs.GAMES:
    for players in envs.game_module(name).PLAYERS:
        if players > 2:
            game = envs.make_game(name, players)
            play_whole_games(game, Settings(simulations=3, rollout="greedy", prior=0.3, depth=1), limit=int(sys.argv[1]))
print("played")
"""

FOUND = """
import numpy as np
import envs
from tests.agents.test_search import Settings, SearchAgent, some_worlds
for name, count in (("fairy_ring", 12), ("dance_of_eights", 6)):
    game = envs.make_game(name, 2)
    for rollout in ("random", "greedy"):
        agent = SearchAgent(game, Settings(simulations=count, rollout=rollout, prior=0.3, scale=20.0, depth=6))
        found = agent.search(some_worlds(game, count=1)[:3])
        print(found.actions.tolist(), [np.flatnonzero(visits).tolist() for visits in found.visits], found.decisions)
"""


def python(program, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_only_legal_actions_in_games_for_more_without_the_compiler():
    assert python(GAMES, "24", NUMBA_DISABLE_JIT="1") == "played\n"


def test_without_the_compiler_it_finds_the_same():
    assert python(FOUND) == python(FOUND, NUMBA_DISABLE_JIT="1")


# --- settings -----------------------------------------------------------------------------------------------------------


def test_settings_are_read_from_the_name():
    game = envs.make_game("fairy_ring", 2)
    assert parse_settings("", game) == default_settings(game)
    assert parse_settings("25", game).simulations == parse_settings("simulations=25", game).simulations == 25
    text = "7,exploration=0.5,rollout=random,rollouts=2,expand=9,depth=0,prior=0,scale=3"
    expected = Settings(7, exploration=0.5, prior=0.0, rollout="random", rollouts=2, expand=9, depth=0, scale=3.0)
    assert parse_settings(text, game) == expected
    assert parse_settings("seconds=0.5", game) == replace(default_settings(game), simulations=None, seconds=0.5)
    assert make_agent("ismcts:25,depth=3", game).name == "ismcts:25,depth=3"
    assert make_agent("ismcts", game).settings == default_settings(game)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("explorations=1", "no option 'explorations' .did you mean 'exploration'"),
        ("0", "option simulations is '0'; it must be an integer from 1"),
        ("many", "option simulations is 'many'"),
        ("10000000000", "option simulations is '10000000000'; it must be an integer from 1 to 1,073,741,823"),
        ("4,5", "option simulations is given twice"),
        ("depth=-1", "option depth is '-1'; it must be an integer from 0"),
        ("exploration=wide", "option exploration is 'wide'; it must be a number from 0"),
        ("exploration=inf", "option exploration is 'inf'"),
        ("prior=1.5", "option prior is '1.5'; it must be a number from 0 to 1"),
        ("seconds=0", "option seconds is '0'; it must be a number above 0"),
        ("rollout=best", "option rollout is 'best'; choose from greedy, random"),
        ("100,seconds=1", "option seconds does not go with simulations"),
        ("value=none.zip", "option value: there is no checkpoint none.zip"),
        ("value=none.zip,depth=3", "option depth does not go with value"),
        ("value=none.zip,rollouts=3", "option rollouts does not go with value"),
        ("policy=none.zip", "option policy: there is no checkpoint none.zip"),
        ("policy=ppo,value=ppo", "option policy does not go with a value"),
        ("policy=ppo,root=even", "option policy does not go with root=even"),
        ("policy=ppo,prior=0", "option prior is 0; with policy it must be above 0"),
        ("rollouts=0", "option rollouts is '0'; it must be an integer from 1"),
        ("expand=0", "option expand is '0'; it must be an integer from 1"),
    ],
)
def test_wrong_settings_are_named(text, message):
    with pytest.raises(ValueError, match=f"ismcts.*{message}"):
        make_agent(f"ismcts:{text}", envs.make_game("fairy_ring", 2))


@pytest.mark.parametrize("text", ["rollout=greedy", "prior=0.5"])
def test_without_a_greedy_player_the_game_is_named(text):
    with pytest.raises(ValueError, match=f"option {text.split('=')[0]}.* there is none for race"):
        make_agent(f"ismcts:{text}", race.make_game())


# --- values and time ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[2, 3])
def race_checkpoint(request, tmp_path_factory):
    """A game and a checkpoint with an untrained network for it."""
    game = race.make_game(num_players=request.param)
    path = tmp_path_factory.mktemp("values") / "model.zip"
    blueprint = Blueprint(game, "flat", (8,))
    weights = {PREFIX + name: tensor for name, tensor in blueprint.build().state_dict().items()}
    save_snapshot(path, weights, {**game_facts(game), **blueprint.facts})
    return game, path


def test_a_network_values_new_nodes(race_checkpoint):
    game, path = race_checkpoint
    agent = make_agent(f"ismcts:30,value={path}", game)
    worlds = next(worlds_on_the_way(game, 1))
    together = agent.search(worlds)
    assert together.visits.sum(axis=1).tolist() == [30 if len(game.legal_actions(world)) > 1 else 0 for world in worlds]
    for i in range(len(worlds)):
        assert same(agent.search(worlds[i : i + 1]), type(together)(together.actions[i : i + 1], together.visits[i : i + 1], 0))


def test_the_shipped_checkpoint_can_be_the_value(race_checkpoint, tmp_path, monkeypatch):
    game, path = race_checkpoint
    monkeypatch.setattr("agents.checkpoint.SHIPPED", tmp_path)
    (tmp_path / "race_4p.zip").touch()
    name = f"race_{game.num_players}p"
    with pytest.raises(ValueError, match=f"^ismcts: option value: there is no trained agent ppo for {name}; there are: race_4p$"):
        make_agent("ismcts:30,value=ppo", game)
    (tmp_path / f"{name}.zip").write_bytes(path.read_bytes())
    worlds = next(worlds_on_the_way(game, 1))
    found = make_agent("ismcts:30,value=ppo", game).search(worlds)
    assert same(found, make_agent(f"ismcts:30,value={path}", game).search(worlds))


def test_a_policy_shares_out_the_first_simulations(race_checkpoint):
    """With one simulation a search plays what the policy likes best, and with all of the exploration hardly anything else."""
    game, path = race_checkpoint
    worlds = next(worlds_on_the_way(game, 1))
    liked = [game.legal_actions(world)[-1] for world in worlds]
    for spec in ("1", "50,prior=1"):
        agent = make_agent(f"ismcts:{spec},policy={path}", game)
        agent.policy.logits = lambda inputs: np.eye(game.num_actions, dtype=np.float32)[liked] * 20
        assert agent.act(None, None, worlds).tolist() == liked
    visits = agent.search(worlds).visits
    assert (visits[np.arange(len(worlds)), liked] > 40).all()


def test_a_search_with_a_policy_knows_nothing_hidden_and_does_not_know_the_other_rows():
    game = envs.make_game("fairy_ring", 2)
    agent = make_agent("ismcts:8,policy=exit", game)
    for worlds in worlds_on_the_way(game, 30):
        seats = worlds["current_player"]
        others = np.concatenate([redealt(game, worlds[i : i + 1], int(seats[i]), 7 + i) for i in range(len(worlds))])
        others["rng"] = worlds["rng"]
        together = agent.search(worlds)
        assert same(together, agent.search(others))
        assert together.visits[:1].tolist() == agent.search(worlds[:1]).visits.tolist()


@pytest.mark.parametrize("option", ["policy", "value"])
def test_a_network_whose_numbers_overflow_does_no_harm(race_checkpoint, option):
    game, path = race_checkpoint
    agent = make_agent(f"ismcts:20,{option}={path}", game)
    if option == "policy":
        agent.policy.logits = lambda inputs: np.full((len(inputs), game.num_actions), np.nan, np.float32)
    else:
        agent.values = lambda observations: np.full(len(observations), np.nan, np.float32)
    worlds = next(worlds_on_the_way(game, 1))
    actions = agent.act(None, None, worlds)
    assert all(action in game.legal_actions(world) for action, world in zip(actions, worlds, strict=True))


def test_what_made_a_search_that_a_policy_advises_is_its_checkpoint(race_checkpoint):
    game, path = race_checkpoint
    assert checkpoint_path(f"ismcts:5,policy={path}", game) == str(path)


def test_a_search_by_rollouts_does_without_torch():
    program = "import sys, envs\nfrom agents.registry import make_agent\nmake_agent('ismcts:5', envs.make_game('fairy_ring'))\n"
    assert python(program + "print('torch' in sys.modules)") == "False\n"


def test_a_value_of_one_seat_decides(race_checkpoint):
    game, path = race_checkpoint
    agent = make_agent(f"ismcts:200,value={path}", game)
    own_steps = slice(2, 3)
    agent.values = lambda observations: observations[:, own_steps].sum(axis=1) / race.GOAL  # of the seat that looks
    worlds = next(worlds_on_the_way(game, 1))
    assert agent.act(None, None, worlds).tolist() == [race.STEP] * len(worlds)


def test_a_checkpoint_of_another_game_is_refused(race_checkpoint):
    game, path = race_checkpoint
    with pytest.raises(ValueError, match="race"):
        make_agent(f"ismcts:value={path}", envs.make_game("fairy_ring", 2))


def test_a_search_by_time_ends_when_the_time_is_up():
    game = race.make_game(num_players=2)
    ticks = itertools.count()
    agent = SearchAgent(game, Settings(simulations=None, seconds=100.0), clock=lambda: float(next(ticks)))
    worlds = some_worlds(game, skip=0, count=1)
    worlds = worlds[[len(game.legal_actions(world)) > 1 for world in worlds]]
    found = agent.search(worlds)
    assert next(ticks) == 101 * len(worlds)  # one look at the start, one after each of 100 chunks, in every row
    assert (found.visits.sum(axis=1) >= 100).all() and len(found.actions) == len(worlds)
    hurried = SearchAgent(game, Settings(simulations=None, seconds=0.5), clock=lambda: float(next(ticks)))
    assert (hurried.search(worlds).visits.sum(axis=1) == 1).all()


def test_a_full_tree_goes_on_without_new_nodes(monkeypatch):
    monkeypatch.setattr("agents.search.agent.TIMED_NODES", 3)
    game = race.make_game(num_players=2)
    ticks = itertools.count()
    agent = SearchAgent(game, Settings(simulations=None, seconds=40.0), clock=lambda: float(next(ticks)))
    worlds = some_worlds(game, skip=1, count=1)
    worlds = worlds[[len(game.legal_actions(world)) > 1 for world in worlds]]
    visits = agent.search(worlds).visits
    assert (visits.sum(axis=1) >= 40).all() and ((visits > 0).sum(axis=1) <= 2).all()


# --- strength -----------------------------------------------------------------------------------------------------------


def test_it_beats_greedy_in_fairy_ring():
    game = envs.make_game("fairy_ring", 2)
    agents = [make_agent("ismcts:100", game), make_agent("greedy", game)]
    lineup, deals = tournament.schedule(2, 2, deals=40)
    match = tournament.play(game, agents, lineup, deals)
    assert match.wins[lineup == 0].mean() > 0.65 and match.forfeits.sum() == 0


# --- an even root -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fairy_ring", "dance_of_eights"])
def test_an_even_root_gives_every_first_action_its_share_and_plays_the_best_mean(name):
    game = envs.make_game(name)
    agent = SearchAgent(game, replace(RANDOM, root="even"))
    worlds = some_worlds(game)
    found = agent.search(worlds, with_values=True)
    for world, visits, values, action in zip(worlds, found.visits, found.values, found.actions, strict=True):
        legal = game.legal_actions(world)
        if len(legal) > 1:
            assert np.flatnonzero(visits).tolist() == legal
            assert visits[legal].max() - visits[legal].min() <= 1
            assert values[action] / visits[action] == (values[legal] / visits[legal]).max()
    assert same(found, agent.search(worlds))


def test_the_root_is_an_option_of_the_agent():
    game = envs.make_game("fairy_ring")
    assert parse_settings("9,root=even", game).root == "even"
    assert default_settings(game).root == "bound"
    with pytest.raises(ValueError, match=r"^ismcts: option root is 'odd'; choose from bound, even$"):
        parse_settings("root=odd", game)
