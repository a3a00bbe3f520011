"""Records from outside: whether they are possible positions, and what is wrong with the first that is not.

``game`` is an ``envs.game.Game``, which calls these functions.
"""

from typing import Any

import numpy as np

from envs import engine
from envs.checks import show


def check(game: Any, records: np.ndarray) -> None:
    """Refuses records that are not possible positions, see ``Game.check_records``."""
    if not isinstance(records, np.ndarray) or records.dtype != game.state_dtype:
        raise ValueError(f"records are {_kind_of(records)}; they must be an array of the state_dtype of {game!r}")
    if records.ndim != 1 or not records.flags.c_contiguous:
        raise ValueError(f"records have shape {records.shape} and strides {records.strides}; they must be (N,) without gaps")
    faults = faults_of(game, records)
    ended = np.flatnonzero((faults != 0) & (records["current_player"] == engine.NO_PLAYER))
    faults[ended] *= ~_are_forfeited(game, records[ended])
    wrong = first_fault(game, faults)
    if wrong is not None:
        raise ValueError(f"row {np.flatnonzero(faults)[0]}: {wrong}")


def _kind_of(records: Any) -> str:
    """What stands where records should, for a message."""
    if not isinstance(records, np.ndarray):
        return show(type(records).__name__)
    return "of other fields" if records.dtype.names else str(records.dtype)


def faults_of(game: Any, records: np.ndarray) -> np.ndarray:
    """``(N,) int64``: 0, or 1 + the place of the first impossible field of each record."""
    if not (records.flags.aligned and records.flags.writeable):
        records = records.copy()  # what compiled code knows of memory is made for arrays of our own
    faults = np.zeros(len(records), np.int64)
    game.kernels.check_batch(records.view(game.state_dtype), game.rules, np.zeros(1, game.state_dtype), faults)
    # The gaps of one game have other names for other numbers of players, which compiled code cannot follow.
    for place, name in enumerate(game.state_dtype.names or (), 1):
        if name.startswith(engine.GAP):
            faults[(faults == 0) & records[name].any(axis=1)] = place
    return faults


def _are_forfeited(game: Any, records: np.ndarray) -> np.ndarray:
    """``(N,) bool``: where some seat would be to act had the last action not ended the game."""
    before = np.repeat(records, game.num_players)
    before["current_player"] = np.tile(np.arange(game.num_players), len(records))
    before["decisions"] -= before["decisions"] > 0
    return (faults_of(game, before) == 0).reshape(-1, game.num_players).any(axis=1)


def first_fault(game: Any, faults: np.ndarray) -> str | None:
    """What is impossible in the first record that is, in words."""
    for fault in faults[faults != 0][:1]:
        field = (game.state_dtype.names or ())[fault - 1]
        may_be = "zeros" if field.startswith(engine.GAP) else getattr(game.kernels, "POSSIBLE", {}).get(field)
        return f"field {field} is not possible" + (f": it must be {may_be}" if may_be else "")
    return None
