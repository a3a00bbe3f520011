"""Agents by name, the random player, and the rule-based player of Fairy Ring: legal, fair, right about the rules, strong."""

import csv
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import envs
from agents.greedy import fairy_ring
from agents.registry import MAKERS, make_agent
from envs import engine
from envs.fairy_ring import cards
from envs.fairy_ring.state import FLY_ACTION, GATHER_ACTION, MANA_PER_POINT, Phase
from envs.game import Tuned
from envs.vector import VectorAECEnv
from evaluation import tournament


class Patient:
    """Somebody's own agent."""

    def __init__(self, game):
        self.game = game

    def act(self, observations, action_masks, worlds):
        return action_masks.argmax(axis=1)


class Silent:
    def __init__(self, game):
        pass


def positions(game, steps, num_envs=64, seed=0):
    """Environments on their way through games in which greedy and random players take turns."""
    env = VectorAECEnv(game, num_envs, seed=seed)
    agents = [make_agent("greedy", game), make_agent("random", game)]
    words = np.random.default_rng(seed)
    for number in range(steps):
        yield env
        view = env.last()[0]
        worlds = env.worlds(words.integers(2**63, size=num_envs, dtype=np.uint64))
        env.step(agents[number // 7 % 2].act(view["observation"], view["action_mask"], worlds))


# --- by name ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", 2)


def test_agents_are_made_by_name(game):
    assert make_agent("random", game).name == "random" and make_agent("greedy", game).name == "greedy"
    own = make_agent(f"{__name__}:Patient", game)
    assert isinstance(own, Patient) and own.game is game and own.name == f"{__name__}:Patient"


@pytest.mark.parametrize(("spec", "words"), [
    ("", "there is no agent ''; choose from random, greedy, ppo, exit, advised, ismcts, a checkpoint PATH.zip, or package"),
    ("gready", "there is no agent 'gready'"), (":Class", "there is no agent"), ("module:", "there is no agent"),
    ("random:2", "takes nothing after a colon"), ("no/model.zip", "there is no checkpoint no/model.zip"),
    ("no/model.zip:sample", "there is no checkpoint no/model.zip$"),
    (f"{__name__}:Silent", "it has no method act"), (f"{__name__}:Nobody", "AttributeError"),
    ("no.such:A", "ModuleNotFoundError"),
])  # fmt: skip
def test_other_names_are_refused_in_one_line(game, spec, words):
    with pytest.raises(ValueError, match=words) as refusal:
        make_agent(spec, game)
    assert "\n" not in str(refusal.value)


def test_a_game_without_a_rule_based_player_is_named(game, monkeypatch):
    monkeypatch.setattr("envs.fairy_ring.TUNED", Tuned())
    game = envs.make_game(game.name, game.num_players)
    with pytest.raises(ValueError, match="there is no greedy agent for fairy_ring"):
        make_agent("greedy", game)


def test_a_new_kind_of_agent_is_one_entry(game, monkeypatch):
    monkeypatch.setitem(MAKERS, "patient", lambda argument, game: (argument, Patient(game)))
    assert make_agent("patient:200", game)[0] == "200"


def test_agents_do_not_load_torch():
    code = "import sys, evaluate, agents.agent, evaluation.tournament, envs.options; print('torch' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "False"


# --- random -------------------------------------------------------------------------------------------------------------


def test_random_takes_each_legal_action_equally_often(game):
    agent, count = make_agent("random", game), 60_000
    worlds = np.zeros(count, game.state_dtype)
    worlds["rng"] = np.random.default_rng(1).integers(2**63, size=count, dtype=np.uint64)
    masks = np.zeros((count, game.num_actions), np.int8)
    masks[:, [0, 3, 37]] = 1
    actions = agent.act(np.zeros((count, 1), np.float32), masks, worlds)
    assert actions.dtype == np.int64 and np.array_equal(actions, agent.act(np.zeros((count, 1), np.float32), masks, worlds))
    seen = Counter(actions.tolist())
    assert set(seen) == {0, 3, 37} and max(seen.values()) - min(seen.values()) < 600


# --- greedy -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[(2, True), (3, False), (4, True)], ids=str)
def table(request):
    players, objectives = request.param
    return envs.make_game("fairy_ring", players, objectives=objectives)


def test_greedy_plays_legally_and_cannot_see_hidden_cards(table):
    """The same action whatever is dealt to the others, and whatever lies in the fields that a seat cannot know."""
    agent, words, phases, changed = make_agent("greedy", table), np.random.default_rng(5), Counter(), 0
    for env in positions(table, steps=200, num_envs=48):
        view, seats = env.last()[0], env.agent_selection.astype(int)
        first, second = (env.worlds(words.integers(2**63, size=48, dtype=np.uint64)) for _ in range(2))
        actions = agent.act(view["observation"], view["action_mask"], first)
        assert actions.dtype == np.int64 and view["action_mask"][np.arange(48), actions].all()
        changed += int((first["hand"] != second["hand"]).any(axis=(1, 2)).sum())
        second["box"], second["unseen"], second["rng"] = 1, 2, 3
        others = np.arange(table.num_players) != seats[:, None]
        second["hand"][others], second["chosen"][others] = 0, 0
        assert np.array_equal(actions, agent.act(np.zeros((48, 1), np.float32), np.zeros((48, 1), np.int8), second))
        phases.update(env.states["phase"].tolist())
    assert set(phases) == {Phase.CHOOSE, Phase.PLACE, Phase.FLY, Phase.GATHER} and min(phases.values()) > 50
    assert changed > 1000


def plays(game, states):
    """Every placement of the revealed card with every flight: states, actions and movements, a row each."""
    rows = []
    for index, state in enumerate(states):
        movements = [int(m) for m in game.rules[0]["movement"][state["chosen"][state["current_player"]]] if m]
        rows += [(index, action, movement) for action in game.legal_actions(state) for movement in movements]
    index, actions, movements = np.array(rows).T
    return states[index], actions, movements


def gains(game, states, actions, movements):
    """What each play pays every seat by the rules, in mana, if the player gathers the most; ``(N, P)``."""
    env, rows, p = VectorAECEnv(game, len(states), autoreset=False), np.arange(len(states)), states["current_player"]

    def standings():
        return env.states["points"].astype(int) * MANA_PER_POINT + env.states["mana"]

    def step(chosen, live):
        """Plays in the live rows; the others stay as they are."""
        before = env.states.copy()
        env.step(np.where(live, chosen, env.last()[0]["action_mask"].argmax(axis=1)))
        env.set_records(np.where(live, env.states, before))

    env.set_records(states)
    start = standings()
    step(actions, np.ones(len(rows), bool))
    options = game.rules[0]["movement"][env.states["played"]] == movements[:, None]
    step(FLY_ACTION + options.argmax(axis=1), env.states["phase"] == Phase.FLY)
    asked, flown, best = env.states["phase"] == Phase.GATHER, env.states.copy(), standings()
    best[asked] = -1
    for action in range(GATHER_ACTION, game.num_actions):
        step(np.full(len(rows), action), asked & (env.last()[0]["action_mask"][:, action] == 1))
        better = standings()[rows, p] > best[rows, p]
        best[better & asked] = standings()[better & asked]
        env.set_records(flown)
    return best - start


@engine.kernel
def expect_batch(states, tables, weights, actions, movements, others, expected):
    """What greedy expects of each play when nothing comes after the turn."""
    for i in range(len(states)):
        p = int(states[i]["current_player"])
        fairy_ring.villages.put_card(states[i], tables[0], p, int(states[i]["chosen"][p]), actions[i])
        expected[i] = fairy_ring._objectives(states[i], weights, p, 0)
        expected[i] += fairy_ring._flight(states[i], others, p, movements[i])


def placing(game, steps, seed, last_turn=False):
    """States in which a card has been revealed."""
    found = []
    for env in positions(game, steps, num_envs=8, seed=seed):
        last = (env.states["round"] == 2) & (env.states["turn"] == 6)
        found.append(env.states[(env.states["phase"] == Phase.PLACE) & (last | (not last_turn))])
    return np.concatenate(found)


def test_what_greedy_expects_of_a_play_is_what_the_rules_pay(table):
    states, actions, movements = plays(table, placing(table, steps=140, seed=2))
    paid, expected = gains(table, states, actions, movements), np.empty(len(states))
    mine = paid[np.arange(len(states)), states["current_player"]]
    for others in (0.0, 1.0):
        expect_batch(states.copy(), table.rules, fairy_ring.WEIGHTS, actions, movements, others, expected)
        assert np.array_equal(expected, mine - others * (paid.sum(axis=1) - mine))
    assert len(states) > 1000 and (paid.min(axis=1) >= 0).all()


def test_greedy_takes_the_best_of_the_last_turn(table):
    """When nothing comes after, the play that gains most against the others is the best."""
    agent, last = make_agent("greedy", table), placing(table, steps=400, seed=3, last_turn=True)
    chosen = agent.act(np.zeros(0), np.zeros(0), last)
    for row, action in enumerate(chosen):
        states, actions, movements = plays(table, last[row : row + 1])
        paid = gains(table, states, actions, movements)
        mine = paid[:, states["current_player"][0]]
        worth = mine - agent.weights.others * (paid.sum(axis=1) - mine) / (table.num_players - 1)
        assert worth[actions == action].max() == pytest.approx(worth.max())
    assert len(last) > 30


def wins(game, deals):
    """Win share of one greedy player against random ones, over all rotations."""
    agents = [make_agent("greedy", game), make_agent("random", game)]
    base = np.array([0] + [1] * (game.num_players - 1))
    lineup = np.concatenate([[np.roll(base, shift) for shift in range(game.num_players)]] * deals)
    match = tournament.play(game, agents, lineup, np.repeat(tournament.deal_seeds(deals, 9), game.num_players))
    assert match.forfeits.tolist() == [0, 0]
    return match.wins[lineup == 0].mean()


def test_greedy_beats_random_players(table):
    assert wins(table, deals=150) > {2: 0.97, 3: 0.92, 4: 0.88}[table.num_players]


def test_greedy_plays_other_card_lists_and_all_fireflies(tmp_path):
    source = list(csv.reader(cards._SHIPPED.open()))
    rows = [row for row in source if not (row[1] == "1" and row[2] == "Luminarium")]
    rows += [["", "1", "Magidrome", "12", "0", "1", "2", "5"]]
    path = tmp_path / "cards.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *([str(number), *row[1:]] for number, row in enumerate(rows[1:]))])
    game = envs.make_game("fairy_ring", 2, deck=str(path), fireflies="all")
    assert wins(game, deals=60) > 0.9


def test_every_listed_player_is_there():
    for name in envs.GAMES:
        assert make_agent("greedy", envs.make_game(name)).name == "greedy"
