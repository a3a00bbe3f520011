"""What made some results: names, versions and fingerprints of agents, tables and machines."""

import hashlib
import os
import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from agents.registry import checkpoint_path
from envs.game import Game
from evaluation import executor, workers
from evaluation.foreign import sources_of
from evaluation.sources import PACKAGES, digest
from evaluation.unfinished import UnfinishedResults

TRAINING_PACKAGES = ("torch",)


def different_names(specs: Sequence[str]) -> list[str]:
    """Names for agents: what they were asked for by, and a number behind the second and further of the same."""
    seen: Counter[str] = Counter()
    names = []
    for spec in specs:
        seen[spec] += 1
        names.append(spec if seen[spec] == 1 else f"{spec}#{seen[spec]}")
    return names


def versions(specs: Sequence[str], game: Game, more: Sequence[str] = ()) -> dict[str, str]:
    """The versions of Python and of the libraries on which results of these agents may depend, and of ``more``."""
    packages = PACKAGES + TRAINING_PACKAGES * any(checkpoint_path(spec, game) for spec in specs) + tuple(more)
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def fingerprint(spec: str, game: Game) -> str | None:
    """What tells an agent from another of the same name: SHA-256 of its checkpoint, or of the files its class is made of.

    None for the agents of this package, see ``evaluation.sources.own_sources``.
    """
    path = checkpoint_path(spec, game)
    paths = [Path(path)] if path else sources_of(spec)
    return digest(paths) if paths else None


def settings_of(tournament: workers.Tournament) -> dict[str, Any]:
    """All that decides the results of a tournament, as plain data; see ``evaluation.unfinished``."""
    game = tournament.game
    schedule = hashlib.sha256(tournament.lineup.tobytes() + np.ascontiguousarray(tournament.deals).tobytes()).hexdigest()
    prints = {f"file of {name}": fingerprint(spec, game) for name, spec in zip(tournament.names, tournament.specs, strict=True)}
    return {
        "game": game.id,
        "number of players": game.num_players,
        "options": dict(game.options),
        "rules": game.rules_digest,
        "agents": list(tournament.specs),
        "number of games": len(tournament.deals),
        "schedule": schedule,
        "secrets": hashlib.sha256("".join(one.commitment for one in dict.fromkeys(tournament.secrets)).encode()).hexdigest(),
        "move time": tournament.move_time,
        "versions": versions(tournament.specs, game),
        **prints,
    }


def unfinished_results(tournament: workers.Tournament, path: Path, is_fresh: bool) -> UnfinishedResults:
    """What was played of a tournament before; nothing, where it is to begin anew.

    Raises:
        ValueError: The file holds something else.
    """
    if is_fresh:
        path.unlink(missing_ok=True)
    games, agents = len(tournament.deals), len(tournament.names)
    return UnfinishedResults(games, tournament.game.num_players, agents, path, settings_of(tournament))


def machine() -> dict[str, Any]:
    """The machine in words: processor, cores, system."""
    processor = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    return {"processor": processor, "cores": executor.cores(), "system": f"{platform.system()} {platform.machine()}"}
