"""Who plays on a board: compared with who should, with the entries beside it, and with the files of the agents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.hosted import make_player
from evaluation.leaderboard import file as board
from evaluation.leaderboard import secret_files
from evaluation.leaderboard.entries import Entrant, baselines, entries_for
from evaluation.leaderboard.found import FoundBoard
from evaluation.leaderboard.make import board_path, refuse_same_names
from evaluation.provenance import fingerprint


def problems_of(found: FoundBoard) -> Iterator[str]:
    """All that is wrong with the agents of a board, their secrets, and what it says of itself, a line each."""
    try:
        refuse_same_names(found.entrants)
    except ValueError as error:
        yield str(error)
    yield from _names_of_files(found)
    yield from _missing_baselines(found)
    yield from _entries(found)
    for entrant in found.entrants:
        if entrant.file != (here := fingerprint(entrant.spec(found.path.parent), found.game)):
            yield f"the file of {entrant.name} is not the one that played: {here} instead of {entrant.file}"
    if found.facts["command"] != (right := board.command_of(found.facts, found.path.name)):
        yield f"its command is {found.facts['command']!r}, but it is made by {right!r}"
    yield from _secrets(found)


def _secrets(found: FoundBoard) -> Iterator[str]:
    """Secrets that are not those that were committed to, in its own file or in the one beside it."""
    facts = found.facts
    meetings = secret_files.Meetings(facts, found.entrants, facts["pairs"])
    for who, claimed, right in zip(meetings.names, facts["commitments"], meetings.commitments(found.secrets), strict=True):
        if claimed != right:
            yield f"the secret of {who} does not fit its commitment {claimed[:12]}..., made for another secret or other agents"
    if len(set(facts["secrets"])) < len(facts["pairs"]):
        yield "two pairs have one secret, but each draws its own"
    try:
        beside = secret_files.commitments_beside(found.path, meetings)
    except ValueError as error:
        yield str(error)
        return
    for who, claimed, shown in zip(meetings.names, facts["commitments"], beside, strict=True):
        if shown != claimed:
            other = f"{shown[:12]}..." if shown else "none"
            yield f"the commitment of {who} is {claimed[:12]}..., but the one shown before its first game is {other}"


def _names_of_files(found: FoundBoard) -> Iterator[str]:
    """A board under the name of another one."""
    right = board_path(Path(), found.game.name, found.game.num_players).stem
    if not found.is_entry and found.path.stem != right:
        yield f"it is {right}, but its file is called {found.path.name}"


def _missing_baselines(found: FoundBoard) -> Iterator[str]:
    """Agents of this package that should play and do not."""
    names = found.names
    for entrant in baselines(found.game):
        if entrant.name in names:
            continue
        try:
            make_player(entrant.agent, found.game).close()
        except ValueError:
            continue  # it cannot be made here either
        yield f"{entrant.name} does not play, but belongs on every board of {found.game.name}"


def _entries(found: FoundBoard) -> Iterator[str]:
    """Agents that are neither of this package nor as an entry says."""
    own = {entrant.name for entrant in baselines(found.game)}
    others = [entrant for entrant in found.entrants if entrant.name not in own]
    if found.is_entry:
        if found.facts["entry"] != _as_entered(found.entrants[0]):
            yield f"its first agent is {_as_entered(found.entrants[0])}, but the entry is {found.facts['entry']}"
        others = [entrant for entrant in others if entrant is not found.entrants[0]]
        yield from (f"{entrant.name} plays, but is neither the entry nor an agent of this package's boards" for entrant in others)
        return
    entries = entries_for(found.path.parent, found.game.name, found.game.num_players) if others else []
    for entrant in others:
        entered = next((one.from_above for one in entries if one.entrant.name == entrant.name), None)
        if entered is None:
            yield f"{entrant.name} plays, but no file in entries/ is of that name"
        elif _as_entered(entered) != _as_entered(entrant):
            yield f"{entrant.name} is {_as_entered(entrant)}, but its entry says {_as_entered(entered)}"


def _as_entered(entrant: Entrant) -> dict[str, Any]:
    return {key: value for key, value in entrant.plain.items() if key != "file"}
