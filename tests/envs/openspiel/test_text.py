"""States as text: back without loss, and nothing that the rules do not lead to is taken."""

import base64
import json
import pickle

import numpy as np
import pyspiel
import pytest

import envs.openspiel
from tests.envs.openspiel.games import SPECS, TINY, load, middle, states_of

DANCE = "fairy_rings_dance_of_eights(max_turns=6)"


def same(one, other):
    assert (one.serialize(), one.history(), str(one), one.returns()) == (
        other.serialize(), other.history(), str(other), other.returns(),
    )  # fmt: skip
    assert [(a.player, a.action) for a in one.full_history()] == [(a.player, a.action) for a in other.full_history()]
    for seat in range(one.num_players()):
        assert one.information_state_string(seat) == other.information_state_string(seat)


@pytest.mark.parametrize("spec", SPECS)
def test_every_state_comes_back(spec):
    game = load(spec)
    for number, state in enumerate(states_of(spec, 5)):
        if number < 12 or number % 16 == 0 or state.is_terminal():
            same(state, game.deserialize_state(state.serialize()))


@pytest.mark.parametrize("spec", [TINY, DANCE])
def test_a_state_dealt_anew_comes_back_and_says_nothing_of_the_real_one(spec):
    state = middle(spec, decisions=3)
    world = envs.openspiel.resampler(state, state.current_player(), np.random.default_rng(0))
    world.apply_action(world.legal_actions()[-1])
    back = world.get_game().deserialize_state(world.serialize())
    same(world, back)
    assert np.array_equal(world.information_state_tensor(0), back.information_state_tensor(0))
    assert base64.b64encode(state.node.record.tobytes()).decode() not in world.serialize()


def test_openspiel_and_pickle_keep_states_too():
    for spec in (TINY, DANCE):
        state = middle(spec)
        game, back = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
        assert str(game) == str(state.get_game())
        same(state, back)
        same(state, pickle.loads(pickle.dumps(state)))
        assert b"envs.openspiel" not in base64.b64decode(pyspiel.serialize_game_and_state(game, state).rpartition("__dict__=")[2])


# --- texts of strangers -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real():
    state = middle(DANCE, decisions=4)
    world = envs.openspiel.resampler(state, state.current_player(), np.random.default_rng(1))
    return state.get_game(), json.loads(state.serialize()), json.loads(world.serialize())


PICKLE = "history=\nmove_number=0\n__dict__=gAR9lC4="
NOT_TEXTS = [b"{}", None, 7, "", "{", "null", "[]", "{}", "[" * 100_000, '{"format":1}', PICKLE]


@pytest.mark.parametrize("text", NOT_TEXTS, ids=lambda text: repr(text)[:20])
def test_what_is_no_text_of_a_state_is_refused(real, text):
    with pytest.raises(ValueError, match="the state|is missing"):
        real[0].deserialize_state(text)


def test_a_text_longer_than_any_state_is_refused_before_it_is_read(real, monkeypatch):
    monkeypatch.setattr("envs.openspiel.text.MOST_LETTERS", 100)
    with pytest.raises(ValueError, match="letters; it must have at most 100"):
        real[0].deserialize_state(json.dumps(real[1]))


CHANGES = [
    (("format",), 2, "format is 2; it must be 1"),
    (("format",), True, "format is True"),
    (("more",), 1, "more is unknown"),
    (("game", "name"), "chess", "game.name|game.game|is missing|is unknown"),
    (("game", "num_players"), 3, "the state is of another game: game.num_players is 3; it must be 2"),
    (("game", "rules"), "0", "game.rules is '0'"),
    (("history",), {}, "history is {}; it must be a list"),
    (("history", 0), [-1], r"the length of history\[0\] is 1; it must be 2"),
    (("history", 0), [-2, 0], r"history\[0\]\[0\] is -2"),
    (("history", 0), [0, 0], r"history\[0\]\[0\] is 0; it must be -1, who acts there"),
    (("history", 0), [-1, 256], r"history\[0\]: action 256 is not legal here"),
    (("history", 0), [-1, 1.0], r"history\[0\]\[1\] is 1.0; it must be an integer"),
    (("history", 0), [-1, 10**30], r"history\[0\]\[1\] is 1000"),
    (("history", 7), [-1, 99], "record is not what the history leads to|not legal here|who acts there"),
    (("history", 8), [0, 84], r"history\[8\]: action 84 is not legal"),
    (("history", 8), [1, 0], r"history\[8\]\[0\] is 1; it must be 0"),
    (("history",), [[0, 0]] * 10_000, "the length of history is 10000; it must be an integer from 0 to 56"),
    (("record",), None, "record is not what the history leads to"),
    (("record",), "AAAA", "record is not what the history leads to"),
    (("redealt",), {}, "redealt.seat is missing"),
    (("redealt",), [], "redealt is"),
]


def changed(content, path, value):
    made = json.loads(json.dumps(content))
    part = made
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return json.dumps(made)


@pytest.mark.parametrize(("path", "value", "message"), CHANGES, ids=str)
def test_a_changed_text_is_refused_and_the_place_is_named(real, path, value, message):
    with pytest.raises(ValueError, match=message):
        real[0].deserialize_state(changed(real[1], path, value))


REDEALT = [
    ("seat", 2, "redealt.seat is 2; it must be an integer from 0 to 1"),
    ("after", 1000, "redealt.after is 1000"),
    ("after", -1, "redealt.after is -1"),
    ("record", "!!", "redealt.record is no base64 text"),
    ("record", 5, "redealt.record is no base64 text"),
    ("record", "AAAA", "redealt.record has 3 bytes; it must have 376"),
    ("record", base64.b64encode(b"\xff" * 376).decode(), "redealt.record: row 0: field"),
    ("lines", [1], "redealt.lines must be texts"),
    ("lines", "", "redealt.lines is ''; it must be a list"),
    ("rows", "", "redealt.rows has 0 bytes"),
]


@pytest.mark.parametrize(("key", "value", "message"), REDEALT, ids=str)
def test_the_same_of_a_state_dealt_anew(real, key, value, message):
    with pytest.raises(ValueError, match=message):
        real[0].deserialize_state(changed(real[2], ("redealt", key), value))


def test_random_changes_of_letters_are_refused_or_make_a_state_that_goes_on(real):
    game, rng = real[0], np.random.default_rng(0)
    for content in real[1:]:
        text = json.dumps(content)
        for _ in range(150):
            letters = list(text)
            for place in rng.integers(len(text), size=rng.integers(1, 4)):
                letters[place] = chr(rng.integers(32, 127))
            try:
                state = game.deserialize_state("".join(letters))
            except ValueError:
                continue
            for _ in range(20):
                if state.is_terminal():
                    break
                state.apply_action(int(rng.choice(state.legal_actions())))
                state.information_state_string(0)
