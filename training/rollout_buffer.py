"""The rollout buffer with which stable-baselines3 learns when all seats learn.

In a rollout a row is a game, and its decisions are made by changing seats. The buffer keeps one trajectory per (game, seat), so
that a seat's value is bootstrapped from its *own* next decision. No sign is flipped anywhere: with three players "my value is
minus yours" is false. T steps, N games, P seats, D observation length, A actions.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch as th
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from envs import engine


@dataclass
class Turn:
    """What one step of a self-play environment did, for the buffer.

    Attributes:
        acted: ``(N,) int8``: the seat whose decision it was.
        codes: ``(N,) int8``: whether the game then went on, ended by the rules, or was cut by a limit (``engine.RUNNING``, ...).
        payoffs: ``(N, P) float32``: what was paid to every seat until the next decision of a learning seat.
        cut_rows: ``(L,)``: the games that were cut.
        cut_observations: ``(L, P, D) float32``: every seat's last view of those.
    """

    acted: np.ndarray
    codes: np.ndarray
    payoffs: np.ndarray
    cut_rows: np.ndarray
    cut_observations: np.ndarray


@engine.kernel
def seat_advantages(acted, codes, payoffs, cut_values, values, last_seats, last_values, gamma, gae_lambda, advantages, learned):
    """Generalized advantage estimates (Schulman et al. 2015, equation 16), one trajectory per game and seat.

    Backwards through every game, each seat carries what follows its latest decision seen so far: the value and the advantage of
    its own next decision, and what was paid to it in between. A seat's last decision in the rollout is ``learned`` only if what
    follows is known: the game's end, or the value ``last_values`` of the seat to move after the rollout.

    Args:
        acted: ``(T, N) int8``: the seat that decided.
        codes: ``(T, N) int8``: whether the game ended with that decision.
        payoffs: ``(T, N, P) float32``: what each seat was paid after it.
        cut_values: ``(T, N, P) float32``: of a game cut by a limit, the value of each seat's last view; otherwise 0.
        values: ``(T, N) float32``: the value of the view that was decided on.
        last_seats: ``(N,) int8``: the seat to move after the rollout.
        last_values: ``(N,) float32``: its value.
        gamma: Discount per own decision.
        gae_lambda: Lambda of the estimate.
        advantages: ``(T, N) float32``, written; 0 where not learned.
        learned: ``(T, N) bool``, written: whether the decision is a sample.
    """
    steps, games, seats = payoffs.shape
    next_value = np.zeros(seats, np.float64)
    next_advantage = np.zeros(seats, np.float64)
    paid = np.zeros(seats, np.float64)
    known = np.zeros(seats, np.bool_)
    for row in range(games):
        for p in range(seats):
            next_value[p], next_advantage[p], paid[p], known[p] = 0.0, 0.0, 0.0, False
        next_value[last_seats[row]] = last_values[row]
        known[last_seats[row]] = True
        for t in range(steps - 1, -1, -1):
            for p in range(seats):
                if codes[t, row] != engine.RUNNING:
                    next_value[p], next_advantage[p], paid[p], known[p] = cut_values[t, row, p], 0.0, 0.0, True
                paid[p] += payoffs[t, row, p]
            p = acted[t, row]
            advantage = paid[p] + gamma * next_value[p] - values[t, row] + gamma * gae_lambda * next_advantage[p]
            learned[t, row] = known[p]
            advantages[t, row] = advantage if known[p] else 0.0
            next_value[p], next_advantage[p], paid[p], known[p] = values[t, row], advantages[t, row], 0.0, True


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """Rollouts of games in which every decision of every learning seat is a sample.

    Decisions whose outcome is not in the buffer are left out of the minibatches, so they touch neither the loss nor the mean and
    deviation with which stable-baselines3 normalises the advantages of a minibatch. The minibatches are of equal size (plus or
    minus one): a small rest would weigh as much as a full one, and of a rest of one sample the deviation is not a number.

    Args:
        *args: As of ``MaskableRolloutBuffer``.
        venv: An environment with ``last_turn``, ``seats_to_move`` and ``num_players``, such as ``SelfPlayVecEnv``.
        **kwargs: As of ``MaskableRolloutBuffer``.

    Attributes:
        predict_values: The policy's value function, ``(K, D)`` to ``(K, 1)`` tensors; needed for games cut by a limit.
    """

    def __init__(self, *args: Any, venv: Any, **kwargs: Any) -> None:
        self.venv = venv
        self.predict_values: Callable[[th.Tensor], th.Tensor] = _no_values
        super().__init__(*args, **kwargs)

    def reset(self) -> None:
        """Forgets the rollout; the large arrays are kept, for fresh memory costs more than its use."""
        shape = (self.buffer_size, self.n_envs)
        if not hasattr(self, "observations"):
            self.mask_dims = int(self.action_space.n)  # type: ignore[attr-defined]
            self.observations = np.zeros((*shape, *self.obs_shape), np.float32)
            self.action_masks = np.zeros((*shape, self.mask_dims), np.int8)
        self.actions = np.zeros((*shape, 1), np.int64)
        self.acted = np.zeros(shape, np.int8)
        self.codes = np.zeros(shape, np.int8)
        self.payoffs = np.zeros((*shape, self.venv.num_players), np.float32)
        self.values, self.log_probs, self.advantages, self.returns = np.zeros((4, *shape), np.float32)
        self.learned = np.zeros(shape, np.bool_)
        self._cuts: list[tuple[int, np.ndarray, np.ndarray]] = []
        self.pos, self.full, self.generator_ready = 0, False, False

    def add(  # type: ignore[override]
        self,
        obs: np.ndarray,
        action: np.ndarray,
        reward: np.ndarray,
        episode_start: np.ndarray,
        value: th.Tensor,
        log_prob: th.Tensor,
        action_masks: np.ndarray | None = None,
    ) -> None:
        """Keeps one decision of every game; who made it and what it led to is asked of the environment.

        Args:
            obs: ``(N, D)``: what was decided on.
            action: ``(N, 1)``.
            reward: Not looked at: one number per game cannot tell what each seat was paid.
            episode_start: Not looked at.
            value: ``(N, 1)``.
            log_prob: ``(N,)``.
            action_masks: ``(N, A)``.
        """
        turn: Turn = self.venv.last_turn
        self.observations[self.pos] = obs
        self.actions[self.pos] = action.reshape(-1, 1)
        self.action_masks[self.pos] = 1 if action_masks is None else action_masks.reshape(-1, self.mask_dims)
        self.values[self.pos] = value.numpy().reshape(-1)
        self.log_probs[self.pos] = log_prob.numpy()
        self.acted[self.pos], self.codes[self.pos], self.payoffs[self.pos] = turn.acted, turn.codes, turn.payoffs
        if len(turn.cut_rows):
            self._cuts.append((self.pos, turn.cut_rows, turn.cut_observations))
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_returns_and_advantage(self, last_values: th.Tensor, dones: np.ndarray) -> None:
        """Advantages and returns of the whole rollout.

        Args:
            last_values: ``(N, 1)``: the values of the views that the seats to move have after the rollout.
            dones: Not looked at: the ends are kept with the decisions.
        """
        seat_advantages(
            self.acted, self.codes, self.payoffs, self._cut_values(), self.values, self.venv.seats_to_move,
            last_values.numpy().reshape(-1), self.gamma, self.gae_lambda, self.advantages, self.learned,
        )  # fmt: skip
        self.returns = self.advantages + self.values

    def _cut_values(self) -> np.ndarray:
        """The values of every seat's last view in the games that were cut, ``(T, N, P) float32``."""
        cut_values = np.zeros_like(self.payoffs)
        for step, rows, observations in self._cuts:
            flat = th.from_numpy(observations.reshape(-1, observations.shape[-1]))
            with th.no_grad():
                cut_values[step, rows] = self.predict_values(flat).numpy().reshape(len(rows), -1)
        return cut_values

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """The learned decisions once, in a random order, in minibatches of about ``batch_size``."""
        assert self.full, "the rollout is not complete"
        if not self.generator_ready:
            self._keep_learned()
        count = len(self._rows)
        order = th.randperm(count).numpy()
        for chunk in np.array_split(order, max(1, round(count / (batch_size or count)))):
            yield self._get_samples(chunk)

    def _keep_learned(self) -> None:
        """Flattens the arrays to learned decisions; of the large ones only the places are noted."""
        self._rows = np.flatnonzero(self.learned)
        for name in ("actions", "values", "log_probs", "advantages", "returns"):
            flat = getattr(self, name).reshape(self.learned.size, -1)
            setattr(self, name, flat[self._rows])
        self.generator_ready = True

    def _get_samples(  # type: ignore[override]
        self, batch_inds: np.ndarray, env: Any = None
    ) -> MaskableRolloutBufferSamples:
        rows = self._rows[batch_inds]
        small = (self.actions, self.values, self.log_probs, self.advantages, self.returns)
        actions, values, log_probs, advantages, returns = (th.from_numpy(part[batch_inds].reshape(-1)) for part in small)
        observations = th.from_numpy(self.observations.reshape(self.learned.size, -1)[rows])
        masks = th.from_numpy(self.action_masks.reshape(self.learned.size, -1)[rows])
        return MaskableRolloutBufferSamples(observations, actions, values, log_probs, advantages, returns, masks)


def _no_values(observations: th.Tensor) -> th.Tensor:
    raise RuntimeError("the buffer needs predict_values to go on from games that were cut by a limit")
