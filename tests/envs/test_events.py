"""What is told of a game: for every rule set, and what a seat may not be told."""

import numpy as np
import pytest

import envs
from envs import engine
from envs.events import CHOICE, END, HEADING, MOVE, reckoning
from envs.fairy_ring.pictures.view import flight
from envs.vector import VectorAECEnv


def played(game, seed, *, every=1):
    """Decisions of a random game: the environment before it, the action, and the record after it."""
    env = VectorAECEnv(game, 1, seed=seed, autoreset=False)
    env.reset(np.array([seed]))
    rng, number = np.random.default_rng(seed), 0
    while env.agent_selection[0] >= 0:
        before = env.states.copy()
        action = int(rng.choice(game.legal_actions(before)))
        after = stepped(game, before, action)
        if number % every == 0:
            yield env, before, action, after
        env.step(np.array([action]))
        number += 1


def stepped(game, record, action):
    """The record that an action leads to."""
    env = VectorAECEnv(game, 1, seed=0, autoreset=False)
    env.set_records(np.atleast_1d(record))
    env.step(np.array([action]))
    return env.states.copy()


def test_every_decision_of_a_game_is_told_and_the_end_is_counted_up(game):
    told = []
    for _, before, action, after in played(game, seed=3):
        events = game.events(before, action, after)
        assert events[0].player == before["current_player"][0]
        assert all(event.text and event.to_dict()["text"] == event.text for event in events)
        told += events
    if game.tell is None:
        assert {event.kind for event in told} == {MOVE}
        return
    assert told[-1].kind == END
    assert "win" in told[-1].text or "share" in told[-1].text
    assert sum(event.kind == HEADING for event in told) >= 1
    assert (CHOICE in {event.kind for event in told}) == (game.name == "mushroom_rings")


def test_a_seat_is_told_nothing_that_it_does_not_see(game):
    """Two games that look the same to a seat before and after a decision of somebody else are told alike to it."""
    compared = 0
    for env, before, action, after in played(game, seed=5, every=5 if game.name == "mushroom_rings" else 1):
        mover = int(before["current_player"][0])
        seat = (mover + 1) % game.num_players
        seen, told = game.to_dict(after, seat), game.events(before, action, after, seat)
        world = env.worlds(np.array([engine.word_of(1, 2, compared)], np.uint64), np.array([seat]))
        for other in game.legal_actions(world):
            led_to, move = stepped(game, world, other), game.move(before, action)
            secret = move.get("type") == "choose" or game.move(world, other) == move
            if secret and game.to_dict(led_to, seat) == seen:
                assert game.events(world, other, led_to, seat) == told
                compared += 1
    assert compared > 3


@pytest.mark.parametrize("name", ["fairy_ring", "dance_of_eights"])
def test_others_are_not_told_which_card_was_taken_in_secret(name):
    game = envs.make_game(name, 3)
    _, before, action, after = next(played(game, seed=1))
    action = game.legal_actions(before)[0]
    after = stepped(game, before, action)
    mover = int(before["current_player"][0])
    own, others = (game.events(before, action, after, seat)[0].text for seat in (mover, (mover + 1) % 3))
    assert others in (f"player {mover} chooses a card", f"player {mover} draws a card")
    assert own != others and own == game.events(before, action, after)[0].text


@pytest.mark.parametrize("num_players", [2, 4])
def test_a_flight_ends_where_the_fairy_stands_and_all_mana_is_told(num_players):
    game = envs.make_game("fairy_ring_objectives", num_players)
    flights = gathered = 0
    for _, before, action, after in played(game, seed=8):
        mover, view = int(before["current_player"][0]), game.to_dict(after)
        events = game.events(before, action, after)
        for event in events:
            if event.path:
                fairy = view["players"][mover]["fairy"]
                assert event.path[-1] == f"mushroom:{fairy['player']}:{fairy['mushroom']}"
                start = game.to_dict(before)["players"][mover]["fairy"]
                if start["player"] != mover:
                    assert event.path[0] == f"mushroom:{start['player']}:{start['mushroom']}"
                assert len(flight(view, (fairy["player"], fairy["mushroom"]), len(event.path))) == len(event.path)
                flights += 1
        worth = [20 * new["points"] + new["mana"] - 20 * old["points"] - old["mana"]
                 for old, new in zip(game.to_dict(before)["players"], view["players"], strict=True)]  # fmt: skip
        told = [0] * num_players
        for event in events:
            words = event.text.split()
            if words[-1] == "mana" and "gathers" in words or "passes" in words:
                told[event.player] += int(words[-2])
            elif event.text.endswith("+1 point"):
                told[event.player] += 20
        assert told == worth
        gathered += sum(told)
    assert flights == 12 * num_players
    assert gathered > 100


def test_the_final_count_names_the_tie_break():
    def last(*numbers):
        return reckoning([(line, "") for line in numbers], ("points", "mana"))[-1].text

    assert last((3, 4), (5, 0)) == "player 1 wins: most points"
    assert last((5, 4), (5, 0)) == "player 0 wins: most mana, with equal points"
    assert last((5, 4), (2, 9), (5, 4)) == "player 0 and player 2 share the victory: equal points and mana"


def test_a_game_that_tells_nothing_of_its_own_is_told_by_its_sentences():
    import dataclasses

    game = envs.make_game("dance_of_eights", 2)
    plain = dataclasses.replace(game, tell=None)
    _, before, action, after = next(played(game, seed=1))
    assert plain.opening(before) == []
    assert [event.text for event in plain.events(before, action, after, 1)] == [game.sentence(before, action)]
