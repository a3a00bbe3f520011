"""A table in the terminal, and the command line that sets it."""

import io

import pytest

from play.command import main, seats_of
from play.table import PERSON
from play.terminal import play_in_terminal
from tests.play.guests import Quick, table_of


def answers(*given, then="1"):
    """Stands for a person who types these lines and then always the same."""
    left = list(given)
    return lambda prompt: left.pop(0) if left else then


def played(table, read):
    lines = []
    play_in_terminal(table, Quick(), read, lines.append)
    return lines


def test_a_game_is_played_to_its_end_by_numbers():
    table = table_of("dance_of_eights", None, "random", max_turns=3)
    lines = played(table, answers())
    assert table.to_act < 0
    assert any(line.startswith("   1  ") for line in lines)
    assert any("win" in line or "nobody" in line for line in lines[-2:])
    told = [event.text for events in table.events(0) for event in events]
    assert [line.strip() for line in lines if line.strip() in told] == told, "the whole log, in order, once"


def test_only_a_number_of_the_list_is_a_move():
    table = table_of("fairy_ring", None, None)
    count = len(table.moves())
    wrong = ["", "0", str(count + 1), "-1", "one", "²", "1.0", "9" * 5000, "b", "q"]
    lines = played(table, answers(*wrong))
    assert table.number == 0
    assert sum("is no number from 1 to" in line for line in lines) == len(wrong) - 2
    board = table.game.text(table.moments[-1].record, table.to_act)
    assert board in lines


def test_the_end_of_the_input_leaves_the_game():
    def read(prompt):
        raise EOFError

    table = table_of("dance_of_eights", None, None)
    played(table, read)
    assert table.number == 0


def hand_of(seat, board):
    """The line of a board that tells somebody's hand."""
    lines = board.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"Player {seat}"))
    return next(line for line in lines[start:] if line.startswith("hand "))


def test_nothing_hidden_is_told():
    table = table_of("dance_of_eights", None, "random", max_turns=3)
    lines = played(table, answers(*["b", "1"] * 3, then="q"))
    told = {part for line in lines for part in line.splitlines()}
    for seat, is_shown in ((0, True), (1, False)):
        hands = {hand_of(seat, table.game.text(moment.record)) for moment in table.moments}
        assert bool(hands & told) == is_shown


def test_the_command_seats_two_people_at_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\nb\nq\n"))
    assert main(["--env", "dance_of_eights", "--people", "2", "--agents", "--terminal", "--seed", "3"]) == 0
    shown = capsys.readouterr().out
    assert "player 0, 1 to" in shown and "is no number" not in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--env", "chess"], "chess"),
        (["--env", "fairy_ring", "--people", "9"], "players"),
        (["--env", "fairy_ring", "--people", "-1"], "--people: '-1' is not an integer from 0"),
        (["--env", "fairy_ring", "--num-players", "3", "--agents", "greedy", "random", "random"], "do not make the 3 players"),
        (["--env", "fairy_ring", "--option", "nonsense=1"], "nonsense"),
        (["--env", "fairy_ring", "--seed", "-1"], "seed"),
        (["--env", "fairy_ring", "--seed", str(1 << 64)], "seed"),
        (["--env", "fairy_ring", "--pause", "nan"], "pause"),
        (["--env", "fairy_ring", "--port", "70000"], "port"),
        (["--env", "fairy_ring", "--agents", "nobody"], "nobody"),
    ],
)
def test_the_command_line_says_what_is_wrong(words, why, capsys):
    with pytest.raises(SystemExit) as error:
        main([*words, "--no-browser"])
    assert error.value.code == 2
    assert why in capsys.readouterr().err


def test_one_agent_takes_all_seats_that_people_leave():
    assert seats_of(1, ["greedy"], 3) == [PERSON, "greedy", "greedy"]
    assert seats_of(0, ["greedy", "random"], 2) == ["greedy", "random"]
    assert seats_of(2, [], 2) == [PERSON, PERSON]
