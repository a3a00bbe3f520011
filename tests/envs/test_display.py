"""Environments and positions in a notebook: a picture, a short repr, and nothing that was not asked for."""

import copy

import numpy as np
import pytest

import envs
from envs.position import Position
from envs.vector import VectorAECEnv
from envs.views import ALL, PUBLIC


def test_an_environment_shows_what_everybody_sees_whoever_is_to_act(game_for_two):
    """Whatever any seat keeps to itself, dealt anew, changes nothing."""
    game = game_for_two
    env, table = envs.make(game), VectorAECEnv(game, 1, seed=0, autoreset=False)
    env.reset(seed=2)
    shown = env._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg ") and shown["text/plain"] == repr(env)
    table.set_records(np.array([env.unwrapped.record], game.state_dtype))
    for seat in range(2):
        world = table.worlds(np.array([7], np.uint64), np.array([seat]))
        assert Position(game, world).svg() == shown["image/svg+xml"]


def test_an_environment_made_for_a_seat_shows_the_view_of_that_seat():
    env = envs.make("dance_of_eights", view=1)
    env.reset(seed=2)
    game, record = env.unwrapped.game, env.unwrapped.record
    assert env._repr_mimebundle_()["image/svg+xml"] == game.svg(record, 1) != game.svg(record, 0)
    assert copy.deepcopy(env)._repr_mimebundle_() == env._repr_mimebundle_()


def test_a_repr_is_short_and_tells_how_the_game_stands():
    env = envs.make("fairy_ring", num_players=3)
    assert repr(env) == "TurnBasedEnv(fairy_ring-v0, 3 players, not reset)"
    assert env._repr_mimebundle_() == {"text/plain": repr(env)}
    env.reset(seed=0)
    seat = env.agent_selection.removeprefix("player_")
    assert repr(env) == repr(env.unwrapped) == f"TurnBasedEnv(fairy_ring-v0, 3 players, decision 0, player {seat} to act)"
    assert str(env) == "fairy_ring_v0"  # as PettingZoo has it


def test_a_position_is_seen_by_whom_it_is_made_for():
    env = envs.raw_env("dance_of_eights")
    env.reset(seed=4)
    position = Position(env.game, env.record)
    assert position.viewer == PUBLIC and position.moves() == {} and position.seat == 0
    own, other, everything = (position.seen_by(viewer) for viewer in (0, 1, ALL))
    assert own.text() == str(own) == env.game.text(env.record, 0) and own.view == env.game.to_dict(env.record, 0)
    assert own._repr_svg_() == env.game.svg(env.record, 0)
    assert everything.svg() == env.game.svg(env.record) and len({p.svg() for p in (position, own, other, everything)}) == 4
    assert own.moves() == everything.moves() == {a: env.game.sentence(env.record, a) for a in env.game.legal_actions(env.record)}
    assert other.moves() == {}
    assert repr(own) == "Position(dance_of_eights-v0, 2 players, decision 0, player 0 to act, seen by player 0)"


@pytest.mark.parametrize(
    ("viewer", "message"),
    [("nobody", "viewer is 'nobody'; choose from public, all, or a seat"), (2, "viewer is 2"), (True, "viewer is True")],
)
def test_a_viewer_that_there_is_not_is_refused(viewer, message):
    env = envs.raw_env("dance_of_eights")
    env.reset(seed=4)
    with pytest.raises(ValueError, match=message):
        Position(env.game, env.record, viewer)
