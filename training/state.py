"""What a run needs to go on besides its network, as plain data: JSON and arrays in its checkpoint.

=======================  =======================================================================================================
``run.json``             settings, counters, how the pool of snapshots and its draws stand
``run/games.bin``        the games, as ``VectorAECEnv.get_state`` gives them
``run/learns.npy``       ``(N, P) bool``: which seats learn
``run/torch_rng.npy``    ``(B,) uint8``: PyTorch's random numbers
``run/metrics.csv``      the lines of ``metrics.csv`` up to here
=======================  =======================================================================================================

A checkpoint may be anybody's: nothing is unpickled, and every number is checked before it is used. N games, P seats.
"""

import io
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

from agents.archive import as_array, read_parts
from agents.checkpoint import read_run
from envs.checks import integer, show
from training.settings import Settings

GAMES, LEARNS, NOISE, LINES = "run/games.bin", "run/learns.npy", "run/torch_rng.npy", "run/metrics.csv"
MOST_BYTES = {GAMES: 2**30, LEARNS: 2**24, NOISE: 2**16, LINES: 2**28}

_WORD = 2**64
_LONGEST_RUN = 2**53
_STATISTICS = 4


@dataclass(frozen=True)
class RunState:
    """A run at one of its checkpoints.

    Attributes:
        settings: Of the run.
        iteration: Updates made.
        seconds: They took.
        start: SHA-256 of the checkpoint with whose weights it began; None without one.
        env: The games and who plays them, as ``SelfPlayVecEnv.get_state`` gives it.
        noise: ``(B,) uint8``: PyTorch's random numbers.
        lines: The content of ``metrics.csv``.
    """

    settings: Settings
    iteration: int
    seconds: float
    start: str | None
    env: Mapping[str, Any]
    noise: np.ndarray
    lines: bytes

    @property
    def timesteps(self) -> int:
        """Decisions learned from."""
        return self.iteration * self.settings.samples

    def numbers(self) -> dict[str, Any]:
        """What JSON can say of it."""
        plain = {name: value for name, value in self.env.items() if name not in ("games", "learns")}
        counters = {"iteration": self.iteration, "timesteps": self.timesteps, "seconds": self.seconds, "start": self.start}
        return {"settings": asdict(self.settings), **counters, "env": plain}

    def parts(self) -> dict[str, bytes]:
        """What it cannot, by the name of the part."""
        arrays = {LEARNS: self.env["learns"], NOISE: self.noise}
        return {GAMES: self.env["games"], LINES: self.lines, **{name: _npy(array) for name, array in arrays.items()}}


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The settings of a run's checkpoint, by name and unchecked: making ``Settings`` of them checks each.

    Raises:
        ValueError: The file is no checkpoint of a run.
    """
    settings = read_run(path).get("settings")
    if not isinstance(settings, dict) or not isinstance(settings.get("env"), str):
        raise ValueError(f"{path} is damaged: its settings are {show(settings)}")
    return settings


def read_state(path: str | os.PathLike[str], settings: Settings) -> RunState:
    """The state in a run's checkpoint.

    Args:
        path: The file.
        settings: Of the run, from ``read_settings``, maybe with other timesteps.

    Raises:
        ValueError: The file is no checkpoint of a run, or something in it cannot be; one line that names the file and what.
    """
    run, parts = read_run(path), read_parts(path, MOST_BYTES)
    try:
        return _checked(run, parts, settings)
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _checked(run: Mapping[str, Any], parts: Mapping[str, bytes], settings: Settings) -> RunState:
    iteration = integer("its iteration", run.get("iteration"), 0, _LONGEST_RUN // settings.samples)
    integer("its timesteps", run.get("timesteps"), iteration * settings.samples, iteration * settings.samples)
    env = _checked_env(run.get("env"), iteration, settings)
    env["games"] = parts[GAMES]
    env["learns"] = as_array(parts[LEARNS], np.bool_, (settings.num_envs, settings.num_players), LEARNS)
    if (env["learns"].view(np.uint8) > 1).any():
        raise ValueError(f"{LEARNS} holds other numbers than 0 and 1")
    seconds, start = _number("seconds", run.get("seconds")), _digest(run.get("start"))
    return RunState(settings, iteration, seconds, start, env, as_array(parts[NOISE], np.uint8, None, NOISE), parts[LINES])


def _checked_env(env: Any, iteration: int, settings: Settings) -> dict[str, Any]:
    names = ("playing", "pool", "pool_rng", "statistics", "dropped_games")
    if not isinstance(env, dict) or set(env) != set(names):
        raise ValueError(f"its env is {show(env)}; it must be a table of {', '.join(names)}")
    pool, statistics = env["pool"], env["statistics"]
    if not isinstance(pool, list) or len(pool) > settings.pool_size:
        raise ValueError(f"its pool is {show(pool)}; it must be a list of at most {settings.pool_size} snapshots")
    if not isinstance(statistics, list) or len(statistics) != _STATISTICS:
        raise ValueError(f"its statistics are {show(statistics)}; they must be {_STATISTICS} numbers")
    pool = [integer("a snapshot of its pool", number, 1, iteration) for number in pool]
    if pool != sorted(set(pool)):
        raise ValueError(f"its pool is {show(pool)}; its snapshots must be in their order")
    return {
        "playing": integer("its playing snapshot", env["playing"], -1, iteration),
        "pool": pool,
        "pool_rng": _checked_rng(env["pool_rng"]),
        "statistics": [_number("statistics", number) for number in statistics],
        "dropped_games": integer("its dropped_games", env["dropped_games"], 0, _WORD),
    }


def _checked_rng(rng: Any) -> dict[str, Any]:
    """The state of numpy's generator PCG64."""
    words = rng.get("state") if isinstance(rng, dict) else None
    if not isinstance(words, dict) or set(words) != {"state", "inc"}:
        raise ValueError(f"its pool_rng is {show(rng)}; it must be the state of a PCG64")
    return {
        "bit_generator": "PCG64",
        "state": {name: integer(f"{name} of its pool_rng", word, 0, _WORD**2 - 1) for name, word in words.items()},
        "has_uint32": integer("has_uint32 of its pool_rng", rng.get("has_uint32"), 0, 1),
        "uinteger": integer("uinteger of its pool_rng", rng.get("uinteger"), 0, 2**32 - 1),
    }


def _number(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not isfinite(value):
        raise ValueError(f"its {name} is {show(value)}; it must be a number")
    return float(value)


def _digest(value: Any) -> str | None:
    is_digest = isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")
    if value is not None and not is_digest:
        raise ValueError(f"its start is {show(value)}; it must be a SHA-256 or null")
    return value


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
