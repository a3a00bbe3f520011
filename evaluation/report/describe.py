"""The report of a match, see ``evaluation.report.files``, made from its games."""

from typing import Any

from evaluation import cycles, ratings, workers
from evaluation.provenance import machine, versions
from evaluation.tournament import Match


def figures_of(
    match: Match, anchor: str | None, seed: int, is_timed: bool = False, has_bounds: bool = True
) -> dict[str, Any]:
    """Figures, matrix, diagnostics and counts of forfeited games, as in ``evaluation.report.files``.

    Raises:
        ValueError: The games do not link all agents, so they cannot be rated.
    """
    result = ratings.summarise(match, anchor, has_bounds, seed=seed)
    result["settings"] |= {"rotations": match.lineup.shape[1], "threads": 1}
    cycles.diagnose(result)
    for k, agent in enumerate(result["agents"]):
        agent["counts"] = {"illegal": int(match.forfeits[k] - match.slow[k])}
        if is_timed or match.slow.any():
            agent["counts"]["slow"] = int(match.slow[k])
    return result


def complaints(match: Match) -> list[str]:
    """What the agents did wrong, a sentence for each that forfeited games."""
    return [f"{name} forfeited games: {fault}." for name, fault in zip(match.agents, match.faults, strict=True) if fault]


def describe(
    match: Match, tournament: workers.Tournament, *, anchor: str | None, seed: int, command: str
) -> dict[str, Any]:
    """The report of a match, see ``evaluation.report.files``; ``command`` says how to play it again.

    Raises:
        ValueError: The games do not link all agents, so they cannot be rated.
    """
    game = tournament.game
    result = figures_of(match, anchor, seed, tournament.move_time is not None)
    if tournament.move_time is not None:
        result["settings"]["move_time"] = tournament.move_time
    return result | {
        "env": game.id,
        "num_players": game.num_players,
        "options": dict(game.options),
        "seed": seed,
        "command": command,
        "versions": versions(tournament.specs, game),
        "notes": complaints(match),
    }


def costs(match: Match) -> dict[str, Any]:
    """What the agents cost on this machine: wall time per decision, measured around every call but the first, which may compile.

    Agents are asked for many games at a time; asked for one, most cost more.
    """
    agents = [
        {"name": name, "decisions": int(count), "seconds": float(seconds), "microseconds": float(1e6 * seconds / max(count, 1))}
        for name, count, seconds in zip(match.agents, match.chunk.decisions, match.chunk.seconds, strict=True)
    ]
    return {"machine": machine(), "agents": agents}
