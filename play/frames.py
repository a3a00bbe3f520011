"""A replay as frames: what each viewer sees of every moment, packed small."""

from pathlib import Path
from typing import Any

import numpy as np

from envs import engine
from envs.events import Event
from envs.game import Game
from envs.replay import NOTHING, Named, open_game, read_lines, transitions
from play.views import ALL, Viewer, events_of, marks_of, opening_of, view_of


def frames(path: Path, named: Named = NOTHING) -> dict[str, Any]:
    """Everything a page needs to show a replay.

    Pictures of neighbouring moments differ in few lines: ``lines`` lists every line once, a picture is a list of places in it.

    Returns:
        Title, names, ``scores`` ``(T, P)``, ``actors`` ``(T,)`` (who decided what led to the moment), ``lines``, and ``views``:
        for each viewer ``pictures`` and ``events`` of the T moments.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    opening = env.states.copy()
    moves = list(transitions(lines, game, env))
    shared = dict[str, int]()
    records = [opening, *(after for _, _, after in moves)]
    return {
        "title": f"{game.title}, {game.num_players} players, seed {lines[0]['seed']}",
        "file": path.name,
        "names": [f"Player {p}" for p in range(game.num_players)],
        "scores": [_scores(game, record) for record in records],
        "actors": [None, *(int(before["current_player"][0]) for before, _, _ in moves)],
        "views": {str(viewer): _seen(game, opening, moves, viewer, shared) for viewer in (ALL, *range(game.num_players))},
        "lines": list(shared),
    }


def _seen(game: Game, opening: np.ndarray, moves: list[Any], viewer: Viewer, shared: dict[str, int]) -> dict[str, Any]:
    told = [
        opening_of(game, opening, viewer),
        *(events_of(game, before, action, after, viewer) for before, action, after in moves),
    ]
    records = [opening, *(after for _, _, after in moves)]
    pictures = [picture(game, record, events, viewer) for record, events in zip(records, told, strict=True)]
    return {
        "pictures": [[shared.setdefault(line, len(shared)) for line in text.splitlines()] for text in pictures],
        "events": [[event.to_dict() for event in events] for events in told],
    }


def picture(game: Game, record: np.ndarray, events: list[Event], viewer: Viewer) -> str:
    """A moment as SVG text, the last move marked."""
    return game.draw(view_of(game, record, viewer), marks_of(events, {}))


def _scores(game: Game, record: np.ndarray) -> list[float]:
    """The rulebook's points of each seat as the game stands."""
    results = np.zeros(1, engine.result_dtype(game.num_players))
    game.kernels.standings_batch(record, game.rules, results)
    return [float(score) for score in results["scores"][0]]
