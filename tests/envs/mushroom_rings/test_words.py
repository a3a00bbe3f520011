"""Dicts, sentences and what re-dealing must not change."""

import copy
import random

import numpy as np
import pytest

import envs

from .table import Table, new_game
from .test_garden import DOUBLE, TWICE


@pytest.fixture(scope="module")
def game():
    return new_game()


def played(game, decisions, seed=0):
    """An environment after so many random decisions."""
    env, rng = envs.make_vec(game, 1, seed=seed), random.Random(seed)
    for _ in range(decisions):
        env.step(np.array([rng.choice(game.legal_actions(env.states))]))
    return env


def test_redealing_shuffles_the_pile_and_nothing_else(game):
    for decisions in (0, 40, 150):
        env = played(game, decisions)
        before, view = env.states.copy(), env.observe(1)["observation"].copy()
        world = env.worlds(np.array([99], np.uint64), np.array([1]))
        top = int(before["top"][0])
        assert sorted(world["pile"][0]) == sorted(before["pile"][0])
        assert not np.array_equal(world["pile"], before["pile"]) and not world["pile"][0, :top].any()
        assert game.to_dict(world, 1) == game.to_dict(before, 1)
        env.set_records(world)
        assert env.observe(1)["observation"].tobytes() == view.tobytes()
        for name in set(game.state_dtype.names) - {"pile", "rng"}:
            assert world[name].tobytes() == before[name].tobytes(), name


def test_what_is_dealt_anew_does_not_depend_on_what_was_hidden(game):
    for decisions in (0, 150, 290):
        env = played(game, decisions)
        word, seat = np.array([5], np.uint64), np.array([1])
        first = env.worlds(word, seat).copy()
        top = int(env.states["top"][0])
        other = env.states.copy()
        other["pile"][0, top:] = other["pile"][0, top:][::-1].copy()
        env.set_records(other)
        second = env.worlds(word, seat)
        assert first.tobytes() == second.tobytes() and len(set(first["pile"][0, top:])) == 92 - top


def test_a_seat_does_not_see_the_bag(game):
    view = game.to_dict(played(game, 30).states, 0)
    assert view["bag"] is None and view["set_aside"] is None and view["bag_size"] > 0
    with pytest.raises(ValueError, match="bag is None"):
        game.from_dict(view)


def change(path, value):
    def changed(state):
        *way, last = path
        for key in way:
            state = state[key]
        state[last] = value

    return changed


WRONG = [
    (change(["phase"], "think"), "phase is 'think'"),
    (change(["laid"], 3), "laid is 3; it must be an integer from 0 to 2"),
    (change(["garden", 3, "q"], 40), r"garden\[3\] is \(40"),
    (change(["garden", 2, "tile"], 93), "wildflowers has a tile that has left"),
    (change(["players", 1, "storage"], [0]), r"players\[1\].storage\[0\] is 0"),
    (change(["players", 1, "markers"], [12]), r"players\[1\].markers\[0\] is 12"),
    (change(["players", 2, "flowers"], [1, 1]), r"players\[2\].flowers is \[1, 1\]"),
    (change(["players", 0, "gnomes", 0], {"at": "path", "q": 5, "r": 5, "edge": 0}), r"players\[0\].gnomes\[0\] is"),
    (change(["players", 0, "gnomes", 0], {"at": "sea"}), r"players\[0\].gnomes\[0\].at is 'sea'"),
    (change(["rings", 0, "size"], 4), r"rings\[0\].size is 4"),
    (change(["rings", 0, "signpost"], "green"), r"rings\[0\].signpost is 'green'"),
    (change(["rings", 0, "gnomes"], [[0, 0]]), r"rings\[0\].gnomes is"),
    (change(["market", "blocked", "red"], [9]), "market.blocked.red"),
    (change(["offer", 0], 200), r"offer\[0\] is 200"),
    (change(["offer", 0], 2), "tile 2 is in"),
    (change(["bag_size"], 1), "bag_size is 1"),
    (change(["rings"], []), "rings has 0 entries; it must be a list of 1$"),
    (change(["hand", "cell"], 3), "hand.cell is 3; it must be a list of 2 entries$"),
    (change(["players", 0, "storage"], [1] * 4), r"players\[0\].storage has 4 entries; it must be a list of 0 to 3$"),
    (change(["current_player"], 1), "current_player is 1"),
    (lambda state: state.pop("paths"), "paths is missing"),
]


def doubled(state):
    state["garden"] = state["garden"][:1] + 9 * state["garden"][1:]


def stored(*tiles):
    def changed(state):
        state["players"][0]["storage"] = list(tiles)
        state["offer"] = [None if tile in tiles else tile for tile in state["offer"]]

    return changed


def in_phase(phase, **hand):
    """In this phase, the only ring being scored or what is given in hand."""

    def changed(state):
        state["phase"], state["closed"] = phase, [0] if "ring" in hand else []
        state["hand"] |= hand

    return changed


def picking(slot, *picked):
    def changed(state):
        in_phase("mushroom", ring=0, picked=list(picked) or None)(state)
        state["players"][0]["markers"] = [slot]

    return changed


def after_the_end(**changes):
    def changed(state):
        state |= {"ending": True, "last_moves": True} | changes

    return changed


def at_signpost(name, phase, **hand):
    """Gnome 0 of player 0 is at a signpost in the ring."""

    def changed(state):
        state["rings"][0] |= {"signpost": name, "gnomes": [[0, 0]]}
        state["players"][0]["gnomes"][0] = {"at": "ring", "ring": 0}
        in_phase(phase, gnome=0, place="signpost", **hand)(state)

    return changed


IMPOSSIBLE = [
    (doubled, "tile 2 is in two places"),
    (stored(1, 4, 7), "players must have a third tile"),
    (stored(93), "wildflowers has a tile that has left"),
    (change(["players", 1, "flowers"], [2]), "players have a flower that lies on its wildflower tile"),
    (change(["flower_market", 2], 1), "flower_market has more"),
    (change(["market", "blocked", "red"], [2]), "market.blocked has the space of the pair"),
    (change(["market", "blockers", "red"], 6), "market.blockers has more"),
    (change(["closed"], [0, 0]), "closed has 2 entries"),
    (change(["phase"], "cell"), "hand.tile is None, which does not fit phase 'cell'"),
    (change(["phase"], "mushroom"), "hand.ring is None, which does not fit phase 'mushroom'"),
    (change(["hand", "sold"], "red"), "hand.sold is 'red', which does not fit phase 'place'"),
    (in_phase("cell", tile=60), "hand.tile is 60, which does not fit phase 'cell'"),
    (in_phase("orientation", tile=1, cell=[0, 1]), r"hand.cell is \[0, 1\], which does not fit"),
    (in_phase("leave", tile=1, cell=[-1, 0], side=0, rotation=0), "hand.side is 0, which does not fit phase 'leave'"),
    (in_phase("signpost", ring=0), "players have no marker for hand.ring"),
    (picking(0), "players have the last marker on a slot that lets nobody pick"),
    (picking(5, "red"), r"hand.picked is \['red'\], which does not fit"),
    (in_phase("sale", gnome=0, place="path"), "hand.place is 'path', which does not fit phase 'sale'"),
    (at_signpost("red", "take"), "hand.place is 'signpost', which does not fit phase 'take'"),
    (at_signpost("red", "trade"), "hand.place is 'signpost', which does not fit phase 'trade'"),
    (after_the_end(), "tiles are laid, but last_moves is True"),
    (after_the_end(phase="gnome", laid=2), "laid is not 0, but last_moves is True"),
    (after_the_end(phase="gnome", refused=True), "refused is True, but last_moves is True"),
    (lambda state: state["rings"][0].update(signpost="red", owner=0, owed=True), "rings have a signpost twice, or have one"),
    (lambda state: state.update(phase="gnome", closed=[0]), "closed has rings"),
]


@pytest.mark.parametrize(("spoil", "message"), WRONG + IMPOSSIBLE)
def test_a_wrong_dict_is_told_with_its_place(game, spoil, message):
    state = copy.deepcopy(Table(game, TWICE).state)
    spoil(state)
    with pytest.raises(ValueError, match=message):
        game.from_dict(state)


def test_sentences_say_what_a_move_does(game):
    table = Table(game, DOUBLE, [41])
    table.do("tile", slot=0)
    table.do("cell", q=1, r=0)
    action = game.action(table.env.states, {"type": "orientation", "side": 0, "rotation": 0})
    words = game.sentence(table.env.states, action)
    assert words == "player 0 lays tile 41 (E-SE red, SW-W yellow) at (1, 0), closing a ring of 3 and a ring of 3"


def test_every_move_has_a_sentence_and_every_state_a_picture(game):
    for seed in range(2):
        env, rng = envs.make_vec(game, 1, seed=seed), random.Random(seed)
        for decision in range(120):
            legal = game.legal_actions(env.states)
            for action in rng.sample(legal, min(3, len(legal))):
                assert game.sentence(env.states, action).startswith("player ")
                assert game.action(env.states, game.move(env.states, action)) == action
            if decision % 40 == 0:
                assert "offer: " in game.text(env.states, 0)
                assert game.svg(env.states, 0).startswith("<svg")
            env.step(np.array([rng.choice(legal)]))


def test_the_observation_is_egocentric_and_in_bounds(game):
    env = played(game, 200)
    for seat in range(3):
        view = env.observe(seat)["observation"][0]
        assert view.min() >= game.observation_low and view.max() <= game.observation_high
        turn = game.section(view, "turn_player")
        assert turn.argmax() == (int(env.states["turn_player"][0]) - seat) % 3
        assert (game.section(view, "garden")[..., 0] > 0).sum() == env.states["num_laid"][0]
