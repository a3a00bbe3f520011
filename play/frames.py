"""A replay as frames: what each viewer sees of every moment, packed small."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envs import engine
from envs.events import Event
from envs.game import Game
from envs.replay import NOTHING, Named, open_game, read_lines, transitions
from play.views import ALL, Viewer, marks_of, view_of


def frames(path: Path, named: Named = NOTHING) -> dict[str, Any]:
    """Everything a page needs to show a replay.

    Pictures of neighbouring moments differ in few lines: ``lines`` lists every line once, a picture is a list of places in it.

    Returns:
        Title, names, ``scores`` ``(T, P)``, ``actors`` ``(T,)`` (who decided what led to the moment), ``lines``, and ``views``:
        for each viewer ``pictures`` and ``events`` of the T moments.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    game, seed, records, actions = moments(path, named)
    shared = dict[str, int]()
    return {
        "title": f"{game.title}, {game.num_players} players, seed {seed}",
        "file": path.name,
        "names": [f"Player {p}" for p in range(game.num_players)],
        "scores": [_scores(game, record) for record in records],
        "actors": [None, *(int(record["current_player"][0]) for record in records[:-1])],
        "views": {str(viewer): _packed(game, records, actions, viewer, shared) for viewer in (ALL, *range(game.num_players))},
        "lines": list(shared),
    }


def moments(path: Path, named: Named = NOTHING) -> tuple[Game, int, list[np.ndarray], list[int]]:
    """The game of a replay, its seed, the records ``(1,)`` of its T moments, and the T - 1 actions between them.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    records, actions = [env.states.copy()], []
    for _, action, after in transitions(lines, game, env):
        records.append(after)
        actions.append(action)
    return game, lines[0]["seed"], records, actions


def seen(
    game: Game, records: Sequence[np.ndarray], actions: Sequence[int], viewer: Viewer
) -> tuple[list[str], list[list[Event]]]:
    """Every moment as a viewer sees it: as SVG text with the last move marked, and what happened."""
    views = [view_of(game, record, viewer) for record in records]
    told = [game.told_of_deal(views[0])]
    for number, action in enumerate(actions):
        told.append(game.told_of_move(records[number][0], action, views[number], views[number + 1]))
    return [game.draw(view, marks_of(events, {})) for view, events in zip(views, told, strict=True)], told


def _packed(
    game: Game, records: Sequence[np.ndarray], actions: Sequence[int], viewer: Viewer, shared: dict[str, int]
) -> dict[str, Any]:
    pictures, told = seen(game, records, actions, viewer)
    return {
        "pictures": [[shared.setdefault(line, len(shared)) for line in text.splitlines()] for text in pictures],
        "events": [[event.to_dict() for event in events] for events in told],
    }


def _scores(game: Game, record: np.ndarray) -> list[float]:
    """The rulebook's points of each seat as the game stands."""
    results = np.zeros(1, engine.result_dtype(game.num_players))
    game.kernels.standings_batch(record, game.rules, results)
    return [float(score) for score in results["scores"][0]]
