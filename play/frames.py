"""A replay as frames: what each viewer sees of every moment, packed small."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from envs import engine
from envs.events import Event
from envs.game import Game
from envs.replay import NOTHING, Named, open_game, read_lines, transitions
from play.views import ALL, Viewer, marks_of, view_of


class Moments(NamedTuple):
    """A recorded game.

    Attributes:
        game: The rule set.
        seed: Of the game.
        records: ``(1,)`` each, of its T moments.
        actions: The T - 1 actions between them.
        truncated: Whether it was cut off.
    """

    game: Game
    seed: int
    records: list[np.ndarray]
    actions: list[int]
    truncated: bool


def moments(path: Path, named: Named = NOTHING) -> Moments:
    """The moments of a replay.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
    """
    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    records, actions = [env.states.copy()], []
    for _, action, after in transitions(lines, game, env):
        records.append(after)
        actions.append(action)
    return Moments(game, lines[0]["seed"], records, actions, bool(lines[-1].get("truncated")))


def frames(name: str, shown: Moments) -> dict[str, Any]:
    """Everything a page needs to show a recorded game.

    Pictures of neighbouring moments differ in few lines: ``lines`` lists every line once, a picture is a list of places in it.

    Args:
        name: Of its file.
        shown: The game.

    Returns:
        Title, names, ``scores`` ``(T, P)``, ``actors`` ``(T,)`` (who decided what led to the moment), ``lines``, and ``views``:
        for each viewer ``pictures`` and ``events`` of the T moments.
    """
    game, records, shared = shown.game, shown.records, dict[str, int]()
    return {
        "title": f"{game.title}, {game.num_players} players, seed {shown.seed}",
        "file": name,
        "names": [f"Player {p}" for p in range(game.num_players)],
        "scores": [_scores(game, record) for record in records],
        "actors": [None, *(int(record["current_player"][0]) for record in records[:-1])],
        "views": {str(viewer): _packed(shown, viewer, shared) for viewer in (ALL, *range(game.num_players))},
        "lines": list(shared),
    }


def seen(shown: Moments, viewer: Viewer) -> tuple[list[str], list[list[Event]]]:
    """Every moment as a viewer sees it: as SVG text with the last move marked, and what happened."""
    game, records = shown.game, shown.records
    views = [view_of(game, record, viewer) for record in records]
    told = [game.told_of_deal(views[0])]
    for number, action in enumerate(shown.actions):
        told.append(game.told_of_move(records[number][0], action, views[number], views[number + 1]))
    return [game.draw(view, marks_of(events, {})) for view, events in zip(views, told, strict=True)], told


def _packed(shown: Moments, viewer: Viewer, shared: dict[str, int]) -> dict[str, Any]:
    pictures, told = seen(shown, viewer)
    return {
        "pictures": [[shared.setdefault(line, len(shared)) for line in text.splitlines()] for text in pictures],
        "events": [[event.to_dict() for event in events] for events in told],
    }


def _scores(game: Game, record: np.ndarray) -> list[float]:
    """The rulebook's points of each seat as the game stands."""
    results = np.zeros(1, engine.result_dtype(game.num_players))
    game.kernels.standings_batch(record, game.rules, results)
    return [float(score) for score in results["scores"][0]]
