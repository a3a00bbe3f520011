"""Agents on a command line and the report of their match: names, versions, fingerprints, notes."""

import hashlib
import os
import platform
import shlex
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from agents import diagnostics, ratings, workers
from agents.agent import checkpoint_path
from agents.tournament import Match
from envs.game import Game

PACKAGES = ("numpy", "numba", "scipy")
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
    """What tells an agent from another of the same name: SHA-256 of its checkpoint, or of the file its class is in.

    None for the agents of this package, which come with its version.
    """
    path = checkpoint_path(spec, game)
    module, _, name = spec.partition(":")
    if path is None and name and "." not in name and "/" not in module:
        try:
            path = getattr(import_module(module), "__file__", None)
        except ImportError:
            return None
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else None


def rules_digest(game: Game) -> str:
    """What tells a game's component tables, such as a deck of one's own, from others."""
    return hashlib.sha256(game.rules.tobytes()).hexdigest()


def settings_of(tournament: workers.Tournament) -> dict[str, Any]:
    """All that decides the results of a tournament, as plain data; see ``agents.partial``."""
    game = tournament.game
    schedule = hashlib.sha256(tournament.lineup.tobytes() + np.ascontiguousarray(tournament.deals).tobytes()).hexdigest()
    prints = {f"file of {name}": fingerprint(spec, game) for name, spec in zip(tournament.names, tournament.specs, strict=True)}
    return {
        "game": game.id,
        "number of players": game.num_players,
        "options": dict(game.options),
        "rules": rules_digest(game),
        "agents": list(tournament.specs),
        "number of games": len(tournament.deals),
        "schedule": schedule,
        "move time": tournament.move_time,
        "versions": versions(tournament.specs, game),
        **prints,
    }


def figures_of(match: Match, anchor: str | None, seed: int, is_timed: bool = False) -> dict[str, Any]:
    """Figures, matrix, diagnostics and counts of forfeited games, as in ``agents.report``.

    Raises:
        ValueError: The games do not link all agents, so they cannot be rated.
    """
    result = ratings.summarise(match, anchor, seed=seed)
    diagnostics.diagnose(result)
    for k, agent in enumerate(result["agents"]):
        agent["counts"] = {"illegal": int(match.forfeits[k] - match.slow[k])}
        if is_timed:
            agent["counts"]["slow"] = int(match.slow[k])
    return result


def complaints(match: Match) -> list[str]:
    """What the agents did wrong, a sentence for each that forfeited games."""
    return [f"{name} forfeited games: {fault}." for name, fault in zip(match.agents, match.faults, strict=True) if fault]


def describe(
    match: Match, tournament: workers.Tournament, *, anchor: str | None, seed: int, argv: Sequence[str]
) -> dict[str, Any]:
    """The report of a match, see ``agents.report``.

    Raises:
        ValueError: The games do not link all agents, so they cannot be rated.
    """
    game = tournament.game
    result = figures_of(match, anchor, seed, tournament.move_time is not None)
    result["settings"] |= {"rotations": game.num_players, "threads": 1}
    if tournament.move_time is not None:
        result["settings"]["move_time"] = tournament.move_time
    return result | {
        "env": game.id,
        "num_players": game.num_players,
        "options": dict(game.options),
        "seed": seed,
        "command": shlex.join(["python", "evaluate.py", *argv]),
        "versions": versions(tournament.specs, game),
        "notes": complaints(match),
    }


def costs(match: Match) -> dict[str, Any]:
    """What the agents cost on this machine: wall time a decision, measured around every call but the first, which may compile.

    Agents are asked for many games at a time; asked for one, most cost more.
    """
    agents = [
        {"name": name, "decisions": int(count), "seconds": float(seconds), "microseconds": float(1e6 * seconds / max(count, 1))}
        for name, count, seconds in zip(match.agents, match.chunk.decisions, match.chunk.seconds, strict=True)
    ]
    return {"machine": machine(), "agents": agents}


def machine() -> dict[str, Any]:
    """The machine in words: processor, cores, system."""
    processor = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    return {"processor": processor, "cores": workers.cores(), "system": f"{platform.system()} {platform.machine()}"}
