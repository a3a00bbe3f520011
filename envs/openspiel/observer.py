"""What a seat sees and knows, as OpenSpiel asks for it: a string, and an array in named parts.

Observations are what every door of the suite gives: the string is ``Game.to_dict`` for the seat as JSON, the array the sections
of the slice table. Information states, those with perfect recall, are all that the seat was told (``histories``); their array
``history (1 + M, 2 + D)`` has a row for every decision of the game, M at most, and one for now: whether it is filled, the own
action there (its number + 1, over the number of actions; 0 where another seat decided), and what the seat saw. A game in which
that would be more than ``histories.MOST_NUMBERS`` numbers has no such array.
"""

import json
from typing import Any

import numpy as np
import pyspiel

from envs.openspiel.histories import Table

DEALING = "the deal"
"""What everybody sees before the first position."""


class Observer:
    """An observer of OpenSpiel, see ``open_spiel.python.observation``.

    Attributes:
        tensor: ``(numbers,) float32``, written anew by ``set_from``; None where there is none.
        dict: Its named parts.

    Args:
        table: Whose games.
        kind: What to observe; None: an observation.
        params: OpenSpiel's parameters of observers; there are none.

    Raises:
        ValueError: Parameters, or another kind than what a single seat sees.
    """

    def __init__(self, table: Table, kind: Any, params: Any) -> None:
        game = table.game
        if params:
            raise ValueError(f"observers of {game.name} have no parameters, but {params} are given")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"{game.name} is observed as one seat sees it: with public_info and PrivateInfoType.SINGLE_PLAYER")
        self._recalls = kind.perfect_recall
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if not self._recalls:
            self.tensor = np.zeros(game.observation_size, np.float32)
            self.dict = {name: game.section(self.tensor, name) for name in game.slices}
        elif table.columns:
            self.tensor = np.zeros(table.rows * table.columns, np.float32)
            self.dict = {"history": self.tensor.reshape(table.rows, table.columns)}

    def set_from(self, state: Any, player: int) -> None:
        """Writes the array for a seat; zeros while the deal goes on."""
        if self.tensor is None:
            raise ValueError("there is no array of information states: the game may be too long for it")
        position = state.node.position
        self.tensor[:] = 0
        if position is None:
            return
        if self._recalls:
            rows = position.seen(player)
            self.dict["history"][: len(rows)] = rows
        else:
            self.tensor[:] = position.table.views([position.record], player)[0]

    def string_from(self, state: Any, player: int) -> str:
        """The string for a seat."""
        position = state.node.position
        if position is None:
            return DEALING
        if self._recalls:
            return "\n".join(position.told(player))
        return json.dumps(position.table.game.to_dict(position.record, player), separators=(",", ":"))
