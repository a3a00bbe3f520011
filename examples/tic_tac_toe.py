"""Tic-tac-toe and its larger kin: a row of equal marks wins, a full board is a draw.

A whole game in one file: copy it to begin a game of your own. ``envs/game.py`` lists what a game must have, ``envs/engine`` says
what each verb does, and ``CONTRIBUTING.md`` leads from here to a game of the suite. From the folder above this one::

    python -m envs.check examples.tic_tac_toe --option size=4
    python train.py --env examples.tic_tac_toe
    python evaluate.py --env examples.tic_tac_toe random ismcts:200 --games 100
    python -m envs.replay record --env examples.tic_tac_toe --agents ismcts:200 random --out replays
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from envs import engine
from envs.checks import show
from envs.drawing.svg import Svg
from envs.engine.one_hot import ONE, ZERO
from envs.game import Game, Section, Tuned
from envs.options import Option, complete_options

VERSION = 0  # grows when the same seed and actions lead to another game, or when other numbers are observed
PLAYERS = range(2, 3)
OPTIONS = {
    "size": Option(3, "cells of a side of the board", range(3, 6)),
    "line": Option(3, "equal marks in a row that win, at most the size", range(3, 6)),
}
# So short a game needs much entropy: a policy that has found a draw meets few other positions, and forgets how to win them.
TUNED = Tuned(training={"timesteps": 1_000_000, "net": [64, 64], "learning_rate": 5e-3, "entropy": 0.2, "eval_every": 20})

EMPTY = -1  # in a cell; otherwise the seat whose mark it is
SYMBOLS = {EMPTY: ".", 0: "X", 1: "O"}


# --- the verbs: they are compiled, so they neither raise nor allocate, and write state["field"] -------------------------


@engine.jit
def reset(state, rules):
    """Begins a game. Every field is written, for the record may hold the game before."""
    state["board"][:] = EMPTY
    state["winner"] = engine.NO_PLAYER
    state["current_player"] = 0


@engine.jit
def step(state, rules, action):
    """Marks the cell ``action``, which is legal; ``decisions`` counts it already."""
    seat = int(state["current_player"])
    state["board"][action] = seat
    if has_line(state["board"], rules["lines"], seat):
        state["winner"] = seat
    elif state["decisions"] < len(state["board"]):
        state["current_player"] = 1 - seat
        return engine.RUNNING
    state["current_player"] = engine.NO_PLAYER
    return engine.TERMINATED


@engine.jit
def has_line(board, lines, seat):
    """Whether a seat has marked all cells of a line."""
    for i in range(len(lines)):
        marks = 0
        for cell in lines[i]:
            marks += board[cell] == seat
        if marks == len(lines[i]):
            return True
    return False


@engine.jit
def legal(state, rules, mask):
    """Every empty cell may be marked. The whole mask is written."""
    for cell in range(len(mask)):
        mask[cell] = state["board"][cell] == EMPTY


@engine.jit
def observe(state, rules, seat, out):
    """Own marks, then those of the other: seen from the seat that looks, so that one policy can play both."""
    cells = len(state["board"])
    for cell in range(cells):
        out[cell] = ONE if state["board"][cell] == seat else ZERO
        out[cells + cell] = ONE if state["board"][cell] == 1 - seat else ZERO


@engine.jit
def redeal(state, rules, seat):
    """Would shuffle what ``seat`` cannot know, such as a deck and the other hands; here nothing is hidden."""


@engine.jit
def score(state, rules, scores, standings):
    """A point for the winner. Equal standings are a draw."""
    for p in range(len(standings)):
        standings[p] = p == state["winner"]
        scores[p] = standings[p]


loops = engine.install(globals())  # adds the loops over a batch of games to this module
this_module: Any = sys.modules[__name__]


# --- the game: its facts under a choice of options ----------------------------------------------------------------------


def make_game(name: str, num_players: int, options: Mapping[str, Any]) -> Game:
    """The game; a ValueError tells in one line which number of players or which option does not fit."""
    if num_players not in PLAYERS or isinstance(num_players, bool):
        raise ValueError(f"{name} is for 2 players, not {show(num_players)}")
    chosen = complete_options(OPTIONS, options, name)
    size, line = chosen["size"], chosen["line"]
    if line > size:
        raise ValueError(f"option line is {line}; on a board of size {size} it must be from 3 to {size}")
    lines = np.array(winning_lines(size, line), np.int8)
    tables = np.zeros(1, np.dtype([("lines", np.int8, lines.shape)]))  # what the verbs call rules
    tables[0]["lines"] = lines
    return Game(
        name=name,
        version=VERSION,
        title="Tic-tac-toe",
        num_players=num_players,
        options=chosen,
        state_dtype=engine.record_dtype([("winner", np.int8), ("board", np.int8, (size * size,))]),
        rules=tables,
        num_actions=size * size,
        sections=[
            Section("own", (size, size), "1: a mark of the seat that looks"),
            Section("other", (size, size), "1: a mark of the other seat"),
        ],
        observation_high=1.0,
        max_decisions=size * size,
        kernels=loops,
        package=__name__,
        words=this_module,
        pictures=this_module,
    )


def winning_lines(size: int, line: int) -> list[list[int]]:
    """The cells of each piece of a row, column or diagonal that wins."""
    found = []
    for row, column in np.ndindex(size, size):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            cells = [(row + k * down, column + k * right) for k in range(line)]
            if all(0 <= r < size and 0 <= c < size for r, c in cells):
                found.append([r * size + c for r, c in cells])
    return found


# --- words: a record as plain data and back, actions as moves and sentences ---------------------------------------------


def to_dict(game: Game, state: Any, seat: int | None) -> dict[str, Any]:
    """A record as plain data. What ``seat`` cannot know would be None."""
    size, (current, winner) = game.options["size"], (int(state["current_player"]), int(state["winner"]))
    return {
        "board": ["".join(SYMBOLS[int(mark)] for mark in row) for row in state["board"].reshape(size, size)],
        "current_player": None if current == engine.NO_PLAYER else current,
        "winner": None if winner == engine.NO_PLAYER else winner,
    }


def from_dict(game: Game, view: Mapping[str, Any], state: Any) -> None:
    """Fills a record from a board, or raises a ValueError; ``Game`` finds out whether the rest of the dict agrees with it."""
    marks, cells = {symbol: mark for mark, symbol in SYMBOLS.items()}, "".join(view["board"])
    if len(cells) != game.num_actions or not set(cells) <= set(marks):
        raise ValueError(f"board is {show(view['board'])}; it must be {game.num_actions} cells of {' '.join(marks)}")
    board = state["board"]
    board[:] = [marks[cell] for cell in cells]
    first, second = int((board == 0).sum()), int((board == 1).sum())
    last = 0 if first > second else 1
    full = [set(line) for line in game.rules[0]["lines"].tolist() if {*board[line]} in ({0}, {1})]
    # Seats take turns, and what completed a line, or two that cross, was the last mark.
    if first - second not in (0, 1) or (full and last not in board[list(set.intersection(*full))]):
        raise ValueError(f"board is {show(view['board'])}; no game leads there")
    state["decisions"] = first + second
    state["winner"] = last if full else engine.NO_PLAYER
    state["current_player"] = engine.NO_PLAYER if full or first + second == len(board) else 1 - last


def move(game: Game, state: Any, action: int) -> dict[str, Any]:
    """The structured form of a legal action."""
    row, column = divmod(action, game.options["size"])
    return {"row": row, "column": column}


def sentence(game: Game, state: Any, action: int) -> str:
    """A legal action in words."""
    seat, (row, column) = int(state["current_player"]), divmod(action, game.options["size"])
    return f"player {seat} marks row {row + 1}, column {column + 1} with {SYMBOLS[seat]}"


# --- pictures: drawn from the dict, so they cannot show more than it says ------------------------------------------------


def status(view: Mapping[str, Any]) -> str:
    """How the game stands."""
    if view["current_player"] is not None:
        return f"Player {view['current_player']} to act"
    return "A draw" if view["winner"] is None else f"Player {view['winner']} wins"


def text(game: Game, view: Mapping[str, Any]) -> str:
    """Plain characters for a terminal."""
    return "\n".join([status(view), *(" ".join(row) for row in view["board"])]) + "\n"


def svg(game: Game, view: Mapping[str, Any]) -> str:
    """An SVG document."""
    side, colours = 60 * game.options["size"], {"X": "#b3422f", "O": "#2f5fb3"}
    picture = Svg(side, side + 30, f"{game.title}: {status(view)}")
    picture.rect(0, 0, side, side + 30, fill="white")
    for row, marks in enumerate(view["board"]):
        for column, mark in enumerate(marks):
            picture.rect(60 * column, 60 * row, 60, 60, fill="none", stroke="#444444")
            if mark in colours:
                picture.text(60 * column + 30, 60 * row + 45, mark, 40, fill=colours[mark], text_anchor="middle")
    picture.text(side / 2, side + 20, status(view), 14, text_anchor="middle")
    return picture.to_string()
