"""What may be shown to whom: one seat, everybody who only watches, or somebody who may see everything."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envs.game import Game

PUBLIC, ALL = "public", "all"
Viewer = int | str
"""A seat, or one of the two above."""


def view_of(game: Game, record: np.ndarray, viewer: Viewer) -> dict[str, Any]:
    """A record as a viewer sees it; ``PUBLIC`` sees only what every seat sees."""
    if viewer == ALL:
        return game.to_dict(record)
    if viewer != PUBLIC:
        return game.to_dict(record, int(viewer))
    return _common([game.to_dict(record, seat) for seat in range(game.num_players)])


def _common(views: Sequence[Any]) -> Any:
    """What several views agree on; None where they differ."""
    first = views[0]
    if all(view == first for view in views[1:]):
        return first
    if all(isinstance(view, Mapping) for view in views):
        return {key: _common([view[key] for view in views]) for key in first}
    lists = all(isinstance(view, list) and len(view) == len(first) for view in views)
    if lists and not isinstance(first[0], int | str):
        return [_common(entries) for entries in zip(*views, strict=True)]
    return None
