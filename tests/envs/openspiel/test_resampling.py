"""States dealt anew for a seat: it cannot tell them from the real one, and they hold nothing of it that it does not know."""

import json

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts

import envs.openspiel
from tests.envs.openspiel.games import LONG, SPECS, TINY, act, load, middle, states_of


def known(state, seat):
    """All that a seat gets from OpenSpiel."""
    has_history = state.get_game().get_type().provides_information_state_tensor
    return (
        state.information_state_string(seat),
        state.observation_string(seat),
        np.float32(state.observation_tensor(seat)).tobytes(),
        np.float32(state.information_state_tensor(seat)).tobytes() if has_history else b"",
        state.legal_actions(),
        [state.action_to_string(action) for action in state.legal_actions()[:20]],
        state.returns(),
    )


@pytest.mark.parametrize("spec", [*SPECS, LONG])
def test_not_a_byte_of_what_the_seat_knows_changes(spec):
    rng, others = np.random.default_rng(0), 0
    for number, state in enumerate(states_of(spec, 3, decisions=40)):
        if not state.is_player_node() or number % 3:
            continue
        seat = state.current_player()
        world = envs.openspiel.resampler(state, seat, rng)
        assert known(world, seat) == known(state, seat)
        again = envs.openspiel.resampler(world, seat, rng)
        assert known(again, seat) == known(state, seat)
        made, told = state.full_history(), world.full_history()
        assert [(one.player, one.action) for one in made if one.player >= 0] == [
            (one.player, one.action) for one in told if one.player >= 0
        ]
        others += world.node.record.tobytes() != state.node.record.tobytes()
    assert others


@pytest.mark.parametrize("spec", SPECS)
def test_both_go_on_alike_and_the_others_memory_begins_anew(spec):
    rng, state = np.random.default_rng(1), middle(spec, decisions=4)
    seat = state.current_player()
    world = envs.openspiel.resampler(state, seat, rng)
    told = state.information_state_string(seat)
    act(world, rng)
    while world.is_chance_node():
        act(world, rng)
    assert world.information_state_string(seat).startswith(told)
    other = (seat + 1) % world.num_players()
    assert json.loads(world.information_state_string(other).partition("\n")[0]) == {"redealt": 4} or "tiny" in spec
    while not world.is_terminal():
        act(world, rng)
    assert sum(world.returns()) == pytest.approx(0)


def test_of_the_seed_nothing_is_left():
    state = middle("fairy_rings_dance_of_eights", seed=4)
    world = state.resample_from_infostate(state.current_player(), pyspiel.UniformProbabilitySampler(1, 0.0, 1.0))
    assert state.history()[:8] != [0] * 8 == world.history()[:8]
    hidden = state.node.record["hands"][0, 1 - state.current_player()].tobytes()
    assert world.node.record["hands"][0, 1 - state.current_player()].tobytes() != hidden
    assert world.node.parent is None and world.node.before is None


def test_in_the_tiny_game_it_is_a_state_of_the_tree_with_the_probability_of_its_chance():
    state = middle(f"{TINY}(nymphs=4)", seed=2, decisions=5)
    seat, rng, game = state.current_player(), np.random.default_rng(0), state.get_game()
    for _ in range(40):
        world = envs.openspiel.resampler(state, seat, rng)
        replayed = game.new_initial_state()
        for action in world.history():
            assert action in replayed.legal_actions()
            replayed.apply_action(action)
        assert replayed.serialize() == world.serialize()
        assert replayed.information_state_string(1 - seat) == world.information_state_string(1 - seat)


def test_it_is_for_the_seat_to_act_alone():
    state = middle()
    wrong = {1 - state.current_player(): "who is not to act", 2: "player is 2; it must be", "0": "player is '0'"}
    for seat, message in wrong.items():
        with pytest.raises(ValueError, match=message):
            envs.openspiel.resampler(state, seat)


@pytest.mark.parametrize("spec", [TINY, SPECS[1], SPECS[3]])
def test_openspiels_ismcts_plays(spec):
    game, rng = load(spec), np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = ismcts.ISMCTSBot(game, evaluator, 1.0, 8, random_state=rng)
    bot.set_resampler(envs.openspiel.resampler)
    state = middle(spec, decisions=3)
    for _ in range(2):
        before = state.serialize()
        action = int(bot.step(state))
        assert action in state.legal_actions() and state.serialize() == before
        state.apply_action(action)
        while state.is_chance_node():
            act(state, np.random.default_rng(0))


def test_openspiels_ismcts_takes_a_ring_by_the_states_own_resampling():
    """A Ring is certain, so every search of some length takes it."""
    game, rng = load(), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 1.0, 60, random_state=rng)
    wins = 0
    last = [[s.clone() for s in states_of(TINY, seed) if s.is_player_node()][-1:] for seed in range(60)]
    for (state,) in filter(None, last):  # where a Ring is dealt there is none
        winning = [a for a in state.legal_actions() if state.child(a).returns()[state.current_player()] == 1]
        if winning and len(state.legal_actions()) > 1 and wins < 5:
            assert bot.step(state) in winning
            wins += 1
    assert wins == 5


def test_openspiels_mcts_plays():
    """The one in Python: the compiled one breaks down over every game that is written in Python (OpenSpiel 2.0.2)."""
    rng, state = np.random.RandomState(0), middle()
    bot = mcts.MCTSBot(load(), 1.0, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    assert bot.step(state) in state.legal_actions()
