"""The game of the example keeps what the suite promises, is as a slow reference says, is learned, searched, and run as told."""

from functools import cache

import numpy as np
import pytest

import envs
import evaluate
import train
from agents.registry import make_agent
from envs import check, command_line, replay
from evaluation import tournament
from evaluation.ratings import win_share
from examples import tic_tac_toe
from tests.envs.test_dicts import spoil
from tests.examples.commands import commands_of
from tests.training.test_interruptions import interrupt_after

NAME = "examples.tic_tac_toe"
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


# --- perfect play on the small board ------------------------------------------------------------------------------------


def winner_of(board):
    """The symbol that has a line on a board of nine symbols, or None."""
    return next((board[a] for a, b, c in LINES if board[a] == board[b] == board[c] != "."), None)


@cache
def worth(board, symbol):
    """What the best play is worth to the symbol that is to move: 1, 0 or -1."""
    if winner_of(board):
        return -1
    return max((-worth(played(board, cell, symbol), other(symbol)) for cell in empty(board)), default=0)


def empty(board):
    return [cell for cell in range(9) if board[cell] == "."]


def played(board, cell, symbol):
    return board[:cell] + symbol + board[cell + 1 :]


def other(symbol):
    return "O" if symbol == "X" else "X"


class Perfect:
    """Plays a random one of the best moves."""

    name = "perfect"

    def act(self, observations, action_masks, worlds):
        return np.array([self._move(world) for world in worlds])

    def _move(self, world):
        board = "".join(".XO"[mark + 1] for mark in world["board"])
        symbol = "XO"[world["current_player"]]
        values = {cell: -worth(played(board, cell, symbol), other(symbol)) for cell in empty(board)}
        best = [cell for cell, value in values.items() if value == max(values.values())]
        return best[int(world["rng"] % np.uint64(len(best)))]


def test_the_reference_knows_that_the_game_is_a_draw():
    assert worth("." * 9, "X") == 0
    assert worth("XX.OO....", "X") == 1


# --- the game -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"size": 5, "line": 4}], ids=str)
def test_keeps_what_the_suite_promises(options):
    check.check_game(envs.make_game(NAME, **options), games=2)


def test_random_games_are_as_the_reference_says():
    env = envs.raw_env(NAME)
    rng, ends = np.random.default_rng(0), set()
    for seed in range(60):
        env.reset(seed=seed)
        board, symbol = "." * 9, "X"
        while env.record["current_player"] >= 0:
            mask = env.last()[0]["action_mask"]
            assert np.flatnonzero(mask).tolist() == empty(board)
            assert env.record["current_player"] == "XO".index(symbol)
            action = int(rng.choice(np.flatnonzero(mask)))
            env.step(action)
            board, symbol = played(board, action, symbol), other(symbol)
            assert (winner_of(board) is not None or not empty(board)) == (env.record["current_player"] < 0)
        ends.add(winner_of(board))
        expected = {"X": [1, -1], "O": [-1, 1], None: [0, 0]}[winner_of(board)]
        assert list(env.rewards.values()) == expected
    assert ends == {"X", "O", None}


def test_a_seat_sees_its_own_marks_first():
    game = envs.make_game(NAME)
    record = game.from_dict({"board": ["XO.", ".X.", "..."], "current_player": 1, "winner": None})
    x, o = [1, 0, 0, 0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert check.seen(game, record, 0).tolist() == x + o
    assert check.seen(game, record, 1).tolist() == o + x
    assert game.legal_actions(record) == [2, 3, 5, 6, 7, 8]
    assert game.move(record, 5) == {"row": 1, "column": 2}
    assert game.sentence(record, 5) == "player 1 marks row 2, column 3 with O"
    assert game.text(record) == "Player 1 to act\nX O .\n. X .\n. . .\n"
    assert game.svg(record).count('fill="#b3422f"') == 2 and game.svg(record).count('fill="#2f5fb3"') == 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"board": ["XX.", ".X.", "..."]}, "no game leads there"),  # three marks against none
        ({"board": ["O..", "...", "..."]}, "no game leads there"),  # the second player began
        ({"board": ["XXX", "OOO", "..."]}, "no game leads there"),  # a mark after the end
        ({"board": ["XXX", "OO.", "O.."]}, "no game leads there"),  # the same: O marked last
        ({"board": ["XO", ".X.", "...."]}, "board"),
        ({"board": ["XY.", ".X.", "..."]}, "must be 9 cells of . X O"),
        ({"winner": 0}, "winner is 0; it must be None"),
        ({"current_player": 0}, "current_player is 0; it must be 1"),
    ],
)
def test_an_impossible_dict_is_refused(change, named):
    with pytest.raises(ValueError, match=named):
        envs.make_game(NAME).from_dict({"board": ["XO.", ".X.", "..."], "current_player": 1, "winner": None, **change})


def test_two_lines_of_one_mark_are_one_end():
    game = envs.make_game(NAME)
    crossing = {"board": ["XXX", "XOO", "XOO"], "current_player": None, "winner": 0}
    assert game.to_dict(game.from_dict(crossing)) == crossing
    wide, apart = envs.make_game(NAME, size=5, line=4), ["XXXX.", "OOO..", "OOO..", ".O...", "XXXX."]
    with pytest.raises(ValueError, match="no game leads there"):
        wide.from_dict({"board": apart, "current_player": None, "winner": 0})


def test_a_spoiled_dict_is_refused_or_is_another_state():
    game = envs.make_game(NAME)
    states = (
        {"board": ["XO.", ".X.", "..."], "current_player": 1, "winner": None},
        {"board": ["XXX", "OO.", "..."], "current_player": None, "winner": 0},
    )
    assert sum(spoil(game, state) for state in states) > 80


def test_a_long_line_wants_a_large_board():
    with pytest.raises(ValueError, match="option line is 4; on a board of size 3 it must be from 3 to 3"):
        envs.make_game(NAME, line=4)
    with pytest.raises(ValueError, match="is for 2 players, not 3"):
        envs.make_game(NAME, 3)


# --- players ------------------------------------------------------------------------------------------------------------


def match_of(first, second, deals):
    game = envs.make_game(NAME)
    lineup, seeds = tournament.schedule(2, 2, deals, seed=1)
    return tournament.play(game, [first, second], lineup, seeds), lineup


def test_the_search_hardly_ever_loses_to_random_and_holds_against_perfect_play():
    game = envs.make_game(NAME)
    search, random = make_agent("ismcts:200", game), make_agent("random", game)
    match, lineup = match_of(search, random, deals=40)
    rewards = match.rewards[lineup == 0]
    assert (rewards < 0).mean() < 0.05 and rewards.mean() > 0.8
    match, _ = match_of(make_agent("ismcts:4000,exploration=3", game), Perfect(), deals=10)
    assert not match.forfeits.any()
    assert match.rewards.tolist() == [[0, 0]] * 20


def test_random_loses_to_perfect_play():
    match, lineup = match_of(Perfect(), make_agent("random", envs.make_game(NAME)), deals=200)
    assert match.rewards[lineup == 0].min() >= 0 and win_share(match).at(0)["mean"] > 0.9


def test_a_short_run_learns_to_beat_random(tmp_path, capsys):
    short = ["--timesteps", "150000", "--eval-every", "1000", "--eval-deals", "100"]
    assert train.main(["--env", NAME, *short, "--out", str(tmp_path / "run")]) == 0
    shown = capsys.readouterr().out
    assert float(shown.partition("random")[2].split()[1].rstrip("%")) > 80


def test_a_run_goes_on_by_the_command_that_it_prints(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    short = ["--timesteps", "2048", "--num-envs", "64", "--num-steps", "16", "--batch-size", "256", "--eval-deals", "2"]
    with monkeypatch.context() as patch:
        interrupt_after(patch, 1)
        assert train.main(["--env", NAME, *short, "--out", str(folder)]) == 130
    printed = capsys.readouterr().out.rpartition("train.py ")[2].split()
    assert printed == ["--resume", str(folder), "--env", NAME]
    assert train.main(printed[:2]) == 2
    assert f"if you trust it, add --env {NAME}" in capsys.readouterr().err
    assert train.main([*printed[:2], "--env", "fairy_ring"]) == 2
    assert f"--env is fairy_ring, but {folder} holds a run of --env {NAME!r}" in capsys.readouterr().err
    assert train.main(printed) == 0
    assert f"{NAME}-v0, 2 players: 2,048 decisions" in capsys.readouterr().out


# --- what its head says -------------------------------------------------------------------------------------------------

DOORS = {
    "-m envs.check": (check.main, ["--games", "1"]),
    "-m envs.replay": (replay.main, []),
    "train.py": (train.main, ["--timesteps", "8192", "--eval-deals", "2"]),
    "evaluate.py": (evaluate.main, ["--games", "4"]),
}
"""The programs by what is typed, and arguments that make them short."""


def run(words):
    door = next(name for name in DOORS if " ".join(words).startswith(name))
    program, short = DOORS[door]
    return program([*words[len(door.split()) :], *short])


def test_the_commands_of_its_head_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = commands_of(tic_tac_toe)
    assert len(commands) == len(DOORS)
    assert [run(words) for words in commands] == [0] * len(DOORS)
    assert {path.name for path in tmp_path.iterdir()} == {"runs", "evaluations", "replays"}
    (recorded,) = (tmp_path / "replays").iterdir()
    assert replay.main(["check", "--env", NAME, str(recorded)]) == 0
    assert replay.main(["show", "--env", NAME, str(recorded)]) == 0
    assert "Tic-tac-toe, 2 players, seed 0" in capsys.readouterr().out


def test_its_options_are_parsed_and_described():
    assert command_line.parse_options(NAME, ["size=4", "line=4"]) == {"size": 4, "line": 4}
    with pytest.raises(ValueError, match="option size is '6'; choose from 3 to 5"):
        command_line.parse_options(NAME, ["size=6"])
    described = command_line.describe_game(NAME).splitlines()
    assert described[0].startswith(f"  {NAME} (2 players): Tic-tac-toe and its larger kin")
    assert described[1] == "    size=3 to 5 [3]: cells of a side of the board"
