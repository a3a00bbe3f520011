"""What a table shows and takes: nothing hidden is sent, nothing wrong is played."""

import json

import numpy as np
import pytest

import envs
from envs import engine
from play.table import Moment, Refused
from play.views import ALL, PUBLIC
from tests.play.guests import Quick, table_of, token_of

NAMES = list(envs.GAMES)


def play_on(table, decisions):
    """Plays decisions by chance; returns whether the game goes on."""
    for _ in range(decisions):
        if table.to_act < 0:
            return False
        table.play(Quick().act("", table.question()))
    return table.to_act >= 0


@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_sent_to_a_seat_do_not_change_when_hidden_cards_are_dealt_anew(name):
    table = table_of(name, None, None, None)
    tokens = {seat: token for token, seat in table.tokens.items()}
    changed = 0
    for step in range(12):
        for seat, token in tokens.items():
            sent = json.dumps(table.state(token, table.number))
            world = np.zeros(1, table.game.state_dtype)
            words = np.array([engine.word_of(9, seat, step)], np.uint64)
            here = table.moments[-1]
            table.game.kernels.redeal_batch(here.record, table.game.rules, np.array([seat]), words, world)
            table.moments[-1] = Moment(world, here.action)
            assert json.dumps(table.state(token, table.number)) == sent
            changed += table.game.to_dict(world) != table.game.to_dict(here.record)
            table.moments[-1] = here
        if not play_on(table, 3):
            break
    assert changed > 3


@pytest.mark.parametrize("name", NAMES)
def test_who_only_watches_sees_what_every_seat_sees(name):
    table = table_of(name, None, "greedy")
    play_on(table, 3)
    assert table.viewer(table.watcher) == PUBLIC
    public, seats = table.state(table.watcher)["state"], [table.game.to_dict(table.moments[-1].record, seat) for seat in (0, 1)]

    def check(shown, *known):
        if shown is None:
            return
        if isinstance(shown, dict):
            for key in shown:
                check(shown[key], *(view[key] for view in known))
        elif isinstance(shown, list):
            for place, entry in enumerate(shown):
                check(entry, *(view[place] for view in known))
        else:
            assert all(view == shown for view in known)

    check(public, *seats)
    assert public != table.game.to_dict(table.moments[-1].record)
    assert table.state(table.watcher)["moves"] == []
    agents = table_of(name, "greedy", "greedy")
    assert agents.viewer(agents.watcher) == ALL


def test_wrong_moves_are_refused_and_change_nothing():
    table = table_of("dance_of_eights", None, None)
    first, second = table.tokens
    before = table.moments[-1].record.tobytes()
    legal = table.state(first)["moves"][0]["action"]
    wrong = [
        (second, legal, 0, "not your turn"),
        (table.watcher, legal, 0, "only watches"),
        ("x", legal, 0, "not one of this table"),
        ("\ud800", legal, 0, "not one of this table"),
        (first, legal, 1, "gone on"),
        (first, legal, -1, "gone on"),
        (first, 84, 0, "not legal"),
        (first, 10**30, 0, "not legal"),
        (first, True, 0, "integers"),
        (first, "0", 0, "integers"),
        (first, legal, None, "integers"),
    ]
    for token, action, number, why in wrong:
        with pytest.raises(Refused, match=why):
            table.move(token, action, number)
    assert table.moments[-1].record.tobytes() == before
    assert table.revision == 0
    table.move(first, legal, 0)
    assert table.number == table.revision == 1


def test_a_move_is_taken_back_with_the_answers_of_the_agents():
    table = table_of("dance_of_eights", None, "greedy")
    (token,) = table.tokens
    with pytest.raises(Refused, match="nothing to take back"):
        table.undo(token)
    deal, told = table.moments[0].record.tobytes(), table.state(token)["events"]
    play_on(table, 4)
    assert table.to_act == 0 and table.state(token)["may_undo"]
    table.undo(token)
    assert (table.number, table.to_act) == (1, 0) and table.state(token)["may_undo"]
    table.undo(token)
    assert not table.state(token)["may_undo"]
    assert table.moments[-1].record.tobytes() == deal
    assert table.state(token)["events"] == told
    two = table_of("dance_of_eights", None, None)
    play_on(two, 2)
    with pytest.raises(Refused, match="one person"):
        two.undo(next(iter(two.tokens)))


def test_names_are_given_by_their_seats_alone():
    table = table_of("fairy_ring", None, "greedy")
    (token,) = table.tokens
    table.rename(token, "  Morgana ")
    assert table.names == ["Morgana", "greedy (1)"]
    for name in ("", "   ", "x" * 25, "a\nb", 7, None):
        with pytest.raises(Refused):
            table.rename(token, name)
    with pytest.raises(Refused):
        table.rename(table.watcher, "Nobody")


def test_a_new_game_is_dealt_when_nobody_else_minds():
    table = table_of("fairy_ring", None, "greedy")
    (token,) = table.tokens
    seen = table.state(token)["svg"]
    table.again(token)
    assert table.number == 0 and table.state(token)["svg"] != seen
    two = table_of("fairy_ring", None, None)
    with pytest.raises(Refused, match="when this one is over"):
        two.again(next(iter(two.tokens)))


@pytest.mark.parametrize("name", NAMES)
def test_every_legal_move_can_be_clicked(name):
    table = table_of(name, None, None)
    for _ in range(8):
        record = table.moments[-1].record
        choices = table.game.choices(record)
        offered = {move["action"] for move in table.moves()}
        assert offered == {action for actions in choices.values() for action in actions}
        svg = table.state(token_of(table, table.to_act))["svg"]
        for piece, actions in choices.items():
            assert f'data-piece="{piece}" data-action="{" ".join(map(str, actions))}"' in svg
        if not play_on(table, 7):
            break
