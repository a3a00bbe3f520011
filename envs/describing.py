"""Action features: what is known of the immediate result of every legal action, as numbers beside the observation.

``Game.action_table()`` tells what the numbers of an action mean. N games, A actions, F features.
"""

from typing import Any

import numpy as np

from envs import engine
from envs.game import Game


class Describer:
    """Describes the actions of a game's positions. It has memory of its own to work in: one thread at a time.

    Args:
        game: The rule set.

    Raises:
        ValueError: Its actions are not described.
    """

    def __init__(self, game: Game) -> None:
        if not game.num_features:
            raise ValueError(f"{game.name} does not describe its actions: it has no action features")
        self.game = game
        self.tools: Any = game.describe_tools(game) if game.describe_tools else np.zeros(1, game.state_dtype)

    def __call__(self, records: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The features of the legal actions of the players to act, zeros for all others.

        Args:
            records: ``(N,)`` records of the game, possible ones. Re-dealt for the player to act they give the same.
            action_masks: ``(N, A) int8``.

        Returns:
            ``(N, A, F) float32``, a fresh array.
        """
        features = self.empty(len(records))
        self.write(np.ascontiguousarray(records), engine.rows(np.ascontiguousarray(action_masks)), engine.rows(features))
        return features

    def empty(self, count: int) -> np.ndarray:
        """``(N, A, F) float32``: memory for ``write``, zeros."""
        return np.zeros((count, self.game.num_actions, self.game.num_features), np.float32)

    def write(self, records: np.ndarray, mask_rows: np.ndarray, feature_rows: np.ndarray) -> None:
        """The same into rows that hold zeros, or what was written there before.

        Args:
            records: ``(N,)`` records.
            mask_rows: ``(N,)`` of ``engine.rows``.
            feature_rows: ``(N,)`` of ``engine.rows``.
        """
        self.game.kernels.describe_batch(records, self.game.rules, mask_rows, self.tools, feature_rows)
