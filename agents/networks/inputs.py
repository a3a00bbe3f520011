"""What a network reads of positions: the observation alone, or followed by the features of all actions.

N positions, D observation length, A actions, F features of an action, T terms of the rule-based player for an action.
"""

from typing import Any, Protocol

import numpy as np

from agents.greedy import make_greedy
from envs import engine
from envs.describing import Describer
from envs.game import Game

ADVICE = 2
"""Terms T for each action: 1 for the rule-based player's choice; what it holds the action to be worth, less the best one's."""

MOST_BEHIND = 16.0
"""No action counts as worth less than so much less than the best."""

OBSERVED, CANDIDATES, ADVISED = range(3)
"""Kinds of inputs: the observation; with features of the actions; with those and the terms of the rule-based player."""


def input_size(game: Game, kind: int) -> int:
    """Length of an input."""
    return game.observation_size + game.num_actions * columns(game, kind)


def columns(game: Game, kind: int) -> int:
    """Numbers of an action in an input, F + T."""
    return 0 if kind == OBSERVED else game.num_features + (ADVICE if kind == ADVISED else 0)


def missing_for(game: Game, kind: int) -> str | None:
    """Why such inputs cannot be made of a game; None if they can."""
    if kind >= CANDIDATES and not game.num_features:
        return f"needs action features, and {game.name} does not describe its actions"
    if kind == ADVISED and game.tuned.greedy is None:
        return f"needs a rule-based player, and there is none for {game.name}"
    return None


class Adviser(Protocol):
    """A rule-based player that tells what it holds actions to be worth; ``agents.greedy`` has those of the suite."""

    def worths(self, worlds: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """What the actions of K games are worth to the player to act, ``(K, A) float32``; illegal ones are not looked at."""


class Inputs:
    """Makes the inputs of a network. It has memory of its own to work in: one thread at a time.

    Args:
        game: The rule set.
        kind: ``OBSERVED``, ``CANDIDATES`` or ``ADVISED``.

    Raises:
        ValueError: There are no such inputs for the game.
    """

    def __init__(self, game: Game, kind: int = OBSERVED) -> None:
        if reason := missing_for(game, kind):
            raise ValueError(f"the network {reason}")
        self.game, self.kind, self.size = game, kind, input_size(game, kind)
        self._columns = columns(game, kind)
        self._describer = Describer(game) if kind >= CANDIDATES else None
        self._greedy: Any = make_greedy(game) if kind == ADVISED else None
        self._memory = np.zeros((0, 0, 0), np.float32)

    def __call__(self, observations: np.ndarray, action_masks: np.ndarray, records: np.ndarray) -> np.ndarray:
        """Inputs of the players to act.

        Args:
            observations: ``(N, D) float32``.
            action_masks: ``(N, A) int8``.
            records: ``(N,)`` records of the game; all that is read of them stays the same when they are re-dealt.

        Returns:
            ``(N, size) float32``; for ``OBSERVED`` the observations themselves.
        """
        if self._describer is None:
            return observations
        records, masks = np.ascontiguousarray(records), np.ascontiguousarray(action_masks)
        inputs = np.empty((len(observations), self.size), np.float32)
        inputs[:, : self.game.observation_size] = observations
        told = inputs[:, self.game.observation_size :].reshape(len(inputs), self.game.num_actions, self._columns)
        told[:, :, : self.game.num_features] = self._features(records, masks)
        if self._greedy is not None:
            told[:, :, self.game.num_features :] = self._advice(observations, masks, records)
        return inputs

    def _features(self, records: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """``(N, A, F) float32``, written over by the next call: in memory that holds zeros but for legal actions."""
        assert self._describer is not None
        if len(self._memory) != len(records):
            self._memory = self._describer.empty(len(records))
        self._describer.write(records, engine.rows(masks), engine.rows(self._memory))
        return self._memory

    def of_worlds(self, worlds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inputs ``(K, size) float32`` and masks ``(K, A) int8`` of the seats to act in K records, as they may imagine them."""
        game, count = self.game, len(worlds)
        observations = np.zeros((count, game.observation_size), np.float32)
        masks, traces = np.zeros((count, game.num_actions), np.int8), np.zeros((count, game.trace_size), np.int64)
        game.kernels.show_batch(
            worlds, game.rules, engine.rows(observations), engine.rows(traces), engine.rows(masks), np.empty(count, np.int8)
        )
        return self(observations, masks, worlds), masks

    def of_views(self, observations: np.ndarray) -> np.ndarray:
        """Inputs of seats that are not to act, ``(N, D)`` to ``(N, size)``: there is nothing to tell of actions."""
        if self._describer is None:
            return observations
        inputs = np.zeros((*observations.shape[:-1], self.size), np.float32)
        inputs[..., : self.game.observation_size] = observations
        return inputs

    def _advice(self, observations: np.ndarray, masks: np.ndarray, records: np.ndarray) -> np.ndarray:
        """``(N, A, T) float32``: the terms of the rule-based player; zeros where nobody is to act."""
        advice = np.zeros((*masks.shape, ADVICE), np.float32)
        rows = np.flatnonzero(masks.any(1))
        asked = records[rows], masks[rows]
        choices = self._greedy.act(observations[rows], asked[1].copy(), asked[0])
        advice[rows, choices, 0] = 1
        if hasattr(self._greedy, "worths"):
            worths = np.where(asked[1] > 0, self._greedy.worths(*asked), -np.inf)
            below = np.maximum(worths - worths.max(1, keepdims=True), -MOST_BEHIND)
            advice[rows, :, 1] = np.where(asked[1] > 0, below, 0)
        return advice
