"""What is known of a tournament that is not over: kept in one file, written aside and renamed."""

import io
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.archive import are_stored
from envs.files import read_regular, write_aside
from evaluation import json_file
from evaluation.batch import NOBODY
from evaluation.tournament import Chunk

SAVE_EVERY = 5.0  # seconds
MOST_BYTES = 1 << 30


class UnfinishedResults:
    """The results so far of a tournament of M games among K agents.

    Args:
        games: M.
        num_players: Seats, P.
        agents: K.
        path: The file; None: only in memory.
        settings: All that decides the results, as plain data; a file of other settings is refused.

    Attributes:
        done: ``(M,) bool``: the games that are played.
        whole: All games in their order; those not played yet are blank.

    Raises:
        ValueError: The file is of another tournament or cannot be read; the message says what differs.
    """

    def __init__(
        self,
        games: int,
        num_players: int,
        agents: int,
        path: Path | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.path, self.settings = path, json.loads(json.dumps(dict(settings or {})))
        self.done = np.zeros(games, bool)
        self.whole = Chunk.blank(games, num_players, agents)
        self._saved = time.monotonic()
        if path is not None and path.exists():
            self._load(path)

    def add(self, games: slice, chunk: Chunk) -> None:
        """Takes the results of some games, and saves from time to time."""
        self.done[games] = True
        self.whole.put(games, chunk)
        if time.monotonic() - self._saved >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Writes the file, if there is to be one and something to keep."""
        if self.path is None or not self.done.any():
            return
        buffer = io.BytesIO()
        facts = json.dumps({"settings": self.settings, "faults": self.whole.faults}).encode()
        np.savez(
            buffer,
            facts=np.frombuffer(facts, np.uint8),
            done=self.done,
            outcomes=self.whole.outcomes,
            seconds=self.whole.seconds,
            decisions=self.whole.decisions,
        )
        write_aside(self.path, buffer.getvalue())
        self._saved = time.monotonic()

    def discard(self) -> None:
        """Removes the file: the tournament is over."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _load(self, path: Path) -> None:
        try:
            facts, loaded = _read(path)
            settings = dict(facts["settings"])
            faults = {int(row): str(fault) for row, fault in facts["faults"].items()}
        except Exception as error:  # what reading a damaged file raises is up to several libraries
            raise ValueError(f"{path} holds no partial results that can be read; remove it to begin anew") from error
        if different := [key for key in {**self.settings, **settings} if self.settings.get(key) != settings.get(key)]:
            first = different[0]
            raise ValueError(
                f"{path} holds partial results of another tournament: {first} was {settings.get(first)!r} and is now "
                f"{self.settings.get(first)!r}; give the same command, another --out, or --fresh to begin anew"
            )
        own = {"done": self.done, **self.whole._asdict()}
        if any(loaded[name].shape != own[name].shape or loaded[name].dtype != own[name].dtype for name in loaded):
            raise ValueError(f"{path} holds partial results of another size; remove it to begin anew")
        offenders = np.where(loaded["done"], loaded["outcomes"]["offender"], NOBODY)
        if offenders.max(initial=NOBODY) >= len(self.whole.seconds) or not set(np.flatnonzero(offenders >= 0)) <= set(faults):
            raise ValueError(f"{path} holds games that agents forfeited without a reason; remove it to begin anew")
        if not _are_possible(**loaded):
            raise ValueError(f"{path} holds results that no game has; remove it to begin anew")
        for name, values in loaded.items():
            own[name][:] = values
        self.whole.faults.update(faults)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Facts and arrays of a file, which is no more work than it is long: its parts are not compressed."""
    content = read_regular(path, MOST_BYTES)
    if not are_stored(content):
        raise ValueError("it is compressed")
    with np.load(io.BytesIO(content), allow_pickle=False) as parts:
        facts = json_file.parse(parts["facts"].tobytes().decode())
        arrays = {name: parts[name] for name in ("done", "outcomes", "seconds", "decisions")}
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):  # the library gives any other part as bytes
        raise ValueError("a part is no array")
    return facts, arrays


def _are_possible(done: np.ndarray, outcomes: np.ndarray, seconds: np.ndarray, decisions: np.ndarray) -> bool:
    """Whether games that are played can have come out like that."""
    games = outcomes[done]
    is_fine = (np.abs(games["rewards"]) <= 1).all() and (games["wins"] >= 0).all() and (games["wins"] <= 1).all()
    is_fine &= np.isfinite(games["scores"]).all() and (games["length"] >= 0).all() and (games["offender"] >= NOBODY).all()
    return bool(is_fine and np.isfinite(seconds).all() and (seconds >= 0).all() and (decisions >= 0).all())
