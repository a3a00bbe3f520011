"""The compiled engine: one random word, one cache of machine code, and the loops over a batch of games.

A game is one record of a numpy structured dtype, a batch is an array of records. A game brings six *verbs*, functions over one
record that neither raise nor allocate:

=====================================  ==================================================================================
``reset(state, rules)``                deal a new game; the random word is already seeded
``step(state, rules, action) -> int``  play a legal action; :data:`RUNNING`, :data:`TERMINATED` or :data:`TRUNCATED`
``legal(state, rules, mask)``          write the action mask of the player to act, 1 = legal
``observe(state, rules, seat, out)``   write what ``seat`` may know
``redeal(state, rules, seat)``         shuffle all that ``seat`` cannot know; the random word is already a fresh one
``score(state, rules, scores, standings)``  the rulebook's points, and integers of which the higher stands better
=====================================  ==================================================================================

A game with long views may bring a seventh, ``observe_again(state, rules, seat, out, trace)``, which the loops call for rows that
they write again and again. There ``out`` is what it wrote with the same ``trace`` before, of whatever game and seat, so that it
need write only what has changed. ``trace (Game.trace_size,) int64`` is for its own notes, zeros as long as ``out`` is unknown.

A game that describes its actions brings ``describe(state, rules, seat, mask, tools, out)``. For every legal action, those of
``mask``, it writes the facts of the immediate result that ``seat``, the player to act, can know: row ``out[action]`` of ``(A, F)
float32``, whose first number, 1 for legal, is there already and whose others are 0. What is written may not change under
``redeal``. ``tools`` is what ``Game.describe_tools`` gives, memory and tables; without that it is ``(1,)`` record of the game.

A game whose records may come from outside brings ``fault_of(state, rules, scratch) -> int``: 0 for a possible position, else 1 +
the place in ``state.dtype.names`` of an impossible field. ``scratch`` is another record to work in. It is the one verb that must
bear any bytes: what it has passed, the other verbs may index with. Without it every record is taken to be possible.

``state`` is a record that begins with :data:`HEADER`, ``rules`` a read-only record with the component tables of the game.
:func:`install` adds the loops over a batch to the module that holds the verbs. They are installed there, not made by a closure,
because Numba finds only functions of a real module in its cache.
"""

import sys
from collections import namedtuple
from collections.abc import Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from envs.engine.compiler import cache_folder, config, inline, jit, kernel, merged, sources_of, uncompiled, wrapping
from envs.engine.rng import below, byte_total, draw, find_byte, mix, mix_in, pick, scaled, seed_word, word_of

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2
"""What ``step`` says of the game: it goes on, the rules ended it, a limit ended it."""

NO_PLAYER = -1
NO_ACTION = -1  # illegal in every game

REWARD_KINDS = ("placement", "win", "score")
PLACEMENT, WIN, SCORE = range(3)

ILLEGAL_POLICIES = ("raise", "forfeit", "random")
RAISE, FORFEIT, RANDOM = range(3)

HEADER: list[tuple[str, Any]] = [
    ("rng", np.uint64),  # the only source of chance in the game: the state of a splitmix64 generator
    ("decisions", np.int32),  # decisions made so far
    ("current_player", np.int8),  # who decides now, NO_PLAYER when the game is over
]
"""The fields with which the record of every game begins."""

GAP = "_gap_"
"""How the names of the fields begin that fill a record up; they hold zeros."""

STREAM = np.dtype([("seed", np.uint64), ("row", np.int64), ("episode", np.int64)], align=True)
"""What a game is seeded from: its trajectory depends on these three numbers and its actions alone."""

VERBS = ("reset", "step", "legal", "observe", "redeal", "score")
_LOOPS = Path(__file__).with_name("loops.py")


# --- results ------------------------------------------------------------------------------------------------------------


@jit
def write_results(kind, standings, scores, rewards, ranks):
    """Turns standings (higher is better, equal is a tie) into ranks from 1 and rewards of the asked kind."""
    players = len(standings)
    winners = 0
    for p in range(players):
        beaten, lost = 0, 0
        for q in range(players):
            beaten += standings[p] > standings[q]
            lost += standings[p] < standings[q]
        ranks[p] = lost + 1
        winners += lost == 0
        rewards[p] = np.float32(beaten - lost) / np.float32(players - 1)
    if kind == WIN:
        for p in range(players):
            rewards[p] = np.float32(1.0) / np.float32(winners) if ranks[p] == 1 else np.float32(0.0)
    elif kind == SCORE:
        for p in range(players):
            rewards[p] = scores[p]


@jit
def write_forfeit(kind, offender, scores, rewards, ranks):
    """The offender comes last, the others share the victory; under "score" it gets nothing for its game."""
    players = len(rewards)
    for p in range(players):
        ranks[p] = 1
        rewards[p] = np.float32(1.0) / np.float32(players - 1)
        if kind == SCORE:
            rewards[p] = scores[p]
    ranks[offender] = players
    rewards[offender] = np.float32(-1.0) if kind == PLACEMENT else np.float32(0.0)


# --- how a single game stands -------------------------------------------------------------------------------------------

OVER = 256
"""A packed turn is below it as long as the game goes on; one number because a kernel that returns two costs more."""


@inline
def pack_turn(code, seat):
    """Code and seat to act (``NO_PLAYER`` when there is none) of the one game of an AEC environment as one number."""
    return code * OVER + seat + 1


def unpack_turn(packed: int) -> tuple[int, int]:
    """Code and seat of :func:`pack_turn`."""
    return packed // OVER, packed % OVER - 1


# --- the loops over a batch ---------------------------------------------------------------------------------------------


def install(namespace: dict[str, Any]) -> Any:
    """Adds the loops over a batch to a module that holds the six verbs.

    Args:
        namespace: ``globals()`` of that module; call this after the verbs are defined or imported.

    Returns:
        The module, as ``envs.game.Kernels``.

    Raises:
        TypeError: A verb is missing.
    """
    missing = [verb for verb in VERBS if verb not in namespace]
    if missing:
        raise TypeError(f"{namespace['__name__']} lacks the rule functions {', '.join(missing)}")
    own_text = namespace.get("__doc__")
    exec(compile(_LOOPS.read_text(encoding="utf-8"), str(_LOOPS), "exec"), namespace)
    namespace["__doc__"] = own_text  # not that of the loops
    return sys.modules[namespace["__name__"]]


# --- memory -------------------------------------------------------------------------------------------------------------


@cache
def interned(dtype: np.dtype) -> np.dtype:
    """The same object for every layout that is the same.

    A call of compiled code knows the layout of a record by this object; another one it compares field by field (2 us).
    """
    return dtype


@cache
def _row_dtype(kind: np.dtype, shape: tuple[int, ...]) -> np.dtype:
    return np.dtype([("row", kind, shape)])


def rows(array: np.ndarray) -> np.ndarray:
    """The same memory as ``(N,)`` records with the one field ``row``.

    A row view of a plain array counts references at every use in compiled code; a record's field does not (2x).

    Args:
        array: ``(N, K)`` or ``(N, K, L)``, contiguous.
    """
    flat = array.reshape(len(array), prod(array.shape[1:]))
    return flat.view(_row_dtype(array.dtype, array.shape[1:])).reshape(len(array))


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """The aligned record of a game, from :data:`HEADER` and the game's own fields.

    The gaps that alignment leaves are fields too: numpy, unlike compiled code, leaves whatever it finds in them when it
    copies a record, and then equal games would differ in their bytes.
    """
    layout: Any = np.dtype([*HEADER, *fields], align=True)
    filled: list[tuple[Any, ...]] = []
    end = 0
    for field in [*HEADER, *fields]:
        kind, offset = layout.fields[field[0]][:2]
        filled += _gap(end, offset) + [field]
        end = offset + kind.itemsize
    return np.dtype(filled + _gap(end, layout.itemsize), align=True)


def field_numbers(dtype: np.dtype) -> Any:
    """A named tuple with 1 + the place of every field of a record, the gaps apart: what ``fault_of`` answers."""
    numbers = {name: place for place, name in enumerate(dtype.names or (), 1) if not name.startswith(GAP)}
    return namedtuple("field_numbers", numbers)(**numbers)


def _gap(start: int, stop: int) -> list[tuple[Any, ...]]:
    return [(f"{GAP}{start}", np.int8, (stop - start,))] if stop > start else []


@cache
def result_dtype(num_players: int) -> np.dtype:
    """What a finished game leaves: per seat rewards, scores, standings and ranks; its length."""
    per_seat = (num_players,)
    return np.dtype(
        [
            ("rewards", np.float32, per_seat),
            ("scores", np.float32, per_seat),
            ("standings", np.int64, per_seat),
            ("ranks", np.int8, per_seat),
            ("length", np.int32),
            ("illegal", np.bool_),  # the last action was illegal
        ],
        align=True,
    )


def require_loops(module: Any) -> None:
    """Checks that the loops were installed in a module.

    Raises:
        TypeError: They were not.
    """
    if not hasattr(module, "step_batch"):
        raise TypeError(f"{module.__name__} has no compiled loops: call engine.install(globals()) at its end")
