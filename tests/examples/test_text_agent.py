"""Games played by text alone: rules where language models look for them, a seat's view in words, sentences to choose from."""

import inspect

import numpy as np
import pytest

import envs
from envs.vector import VectorAECEnv
from examples import text_agent


def test_the_rules_are_where_tools_look_for_them(game_for_two):
    env = envs.make(game_for_two)
    rules = inspect.getdoc(env.unwrapped)
    assert rules == inspect.cleandoc(game_for_two.guide) and rules.startswith(f"You are one of 2 players of {game_for_two.title}")
    assert 1000 < len(rules) < 5000 and "{" not in rules and "None" not in rules


def test_the_rules_are_those_of_the_options():
    objectives = envs.make_game("fairy_ring", objectives=True).guide
    assert "objectives" in objectives and "objectives" not in envs.make_game("fairy_ring").guide
    assert "After 7 turns" in envs.make_game("dance_of_eights", max_turns=7).guide
    assert envs.make_game("mushroom_rings", permission="refuse").guide != envs.make_game("mushroom_rings").guide
    assert envs.make_game("examples.tic_tac_toe").guide.startswith("Tic-tac-toe")


def test_a_seat_reads_what_it_sees_and_its_own_moves_alone(game_for_two):
    env = envs.raw_env(game_for_two)
    env.reset(seed=4)
    acting = env.agent_selection
    (waiting,) = set(env.agents) - {acting}
    moves = env.legal_moves()
    assert set(moves) <= set(np.flatnonzero(env.last()[0]["action_mask"])) and len(set(moves.values())) == len(moves)
    seen = env.observe_text(acting)
    assert all(f"\n{action}: {sentence}\n" in seen for action, sentence in moves.items())
    assert "Choose a move" not in env.observe_text(waiting) and moves[min(moves)] not in env.observe_text(waiting)
    table = VectorAECEnv(game_for_two, 1, seed=0, autoreset=False)
    for agent in (acting, waiting):
        table.set_records(np.array([env.record], game_for_two.state_dtype))
        world = table.worlds(np.array([3], np.uint64), np.array([env.agents.index(agent)]))
        other = envs.raw_env(game_for_two)
        other.reset(seed=4)
        before = other.observe_text(agent)
        other._io["state"] = world  # what the seat cannot know, dealt anew
        assert other.observe_text(agent) == before == env.observe_text(agent)
    with pytest.raises(ValueError, match="there is no agent 'player_2'; choose from player_0, player_1"):
        env.observe_text("player_2")


def test_a_reader_of_text_alone_plays_a_whole_game():
    told = []
    askers = dict.fromkeys(("player_0", "player_1"), text_agent.reader)
    rewards = text_agent.play("fairy_ring", 2, 0, askers, told.append)
    assert len(told) > 40 and sum(rewards) == 0 and all(sentence.startswith("player ") for sentence in told)
    assert text_agent.play("fairy_ring", 2, 0, askers, lambda sentence: None) == rewards


def test_answers_that_are_no_move_are_asked_again_and_then_replaced():
    prompts = []

    def confused(prompt):
        prompts.append(prompt)
        return "No idea, perhaps 99?"

    moves = {3: "player 0 draws a card", 5: "player 0 waits"}
    assert text_agent.choose(confused, "rules", "seen", moves) == 3
    assert len(prompts) == text_agent.ATTEMPTS and "names no legal move" in prompts[1] and "names" not in prompts[0]
    assert text_agent.action_of("Not 3 but 5", moves) == 5
    assert text_agent.action_of("In 5 minutes: player 0 draws a card!", moves) == 3
