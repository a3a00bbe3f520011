"""What stable-baselines3 learns with when all seats learn: the rollout buffer, the network and the algorithm that joins them.

In a rollout a row is a game, and its decisions are made by changing seats. The buffer keeps one trajectory per (game, seat), so
that a seat's value is bootstrapped from its *own* next decision. No sign is flipped anywhere: with three players "my value is
minus yours" is false. T steps, N games, P seats, D observation length, A actions.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.halves import Halves
from agents.networks import Blueprint, FlatNetwork
from envs import engine

# Every torch distribution would check its arguments: 4 to 7 % of all training time for errors that cannot happen here.
th.distributions.Distribution.set_default_validate_args(False)

ILLEGAL_LOGIT = -1e8  # as in sb3-contrib: its exponential is exactly 0, and no infinity can become a NaN


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
        venv: An environment with ``last_turn``, ``seats_to_move`` and ``num_players``, such as ``AllSeatsVecEnv``.
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


class SeatPolicy(MaskableActorCriticPolicy):
    """A network of ``agents.networks`` as a policy of sb3-contrib, with a shorter way from logits to log-probabilities.

    sb3-contrib builds its distribution twice for every minibatch; here one log-softmax does.

    Args:
        *args: As of ``MaskableActorCriticPolicy``.
        blueprint: Of the network.
        threads: That share the work of a game's own network, see ``agents.halves``; the flat one is too small to gain by two.
        **kwargs: As of ``MaskableActorCriticPolicy``.
    """

    def __init__(self, *args: Any, blueprint: Blueprint, threads: int = 1, **kwargs: Any) -> None:
        self.blueprint, self.threads = blueprint, threads
        super().__init__(*args, **kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"blueprint": self.blueprint, "threads": self.threads}

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        self.network = self.blueprint.build()
        is_flat = isinstance(self.network, FlatNetwork)
        self._outputs: Callable[[th.Tensor], Any] = self.network if is_flat else Halves(self.network, self.threads)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs  # type: ignore[call-arg]
        )  # fmt: skip

    def _heads(self, observations: th.Tensor, action_masks: Any) -> tuple[th.Tensor, th.Tensor, th.Tensor | None]:
        logits, values = self._outputs(observations)
        illegal = None
        if action_masks is not None:
            illegal = th.as_tensor(action_masks).reshape(logits.shape) == 0
            logits = logits.masked_fill(illegal, ILLEGAL_LOGIT)
        return logits.log_softmax(-1), values, illegal

    def forward(
        self, obs: th.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Actions ``(N,)``, values ``(N, 1)`` and log-probabilities ``(N,)`` for observations ``(N, D)``."""
        log_probs, values, illegal = self._heads(obs, action_masks)
        keys = log_probs
        if not deterministic:
            # The largest of logit + Gumbel noise is a draw from the softmax (Gumbel 1954); -log(Exp(1)) is Gumbel noise.
            keys = log_probs - th.empty_like(log_probs).exponential_().log()
        if illegal is not None:
            keys = keys.masked_fill(illegal, -th.inf)
        actions = keys.argmax(-1)
        return actions, values, log_probs.gather(1, actions[:, None]).squeeze(1)

    def evaluate_actions(
        self, obs: th.Tensor, actions: th.Tensor, action_masks: Any = None
    ) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Values ``(K, 1)``, log-probabilities of the actions ``(K,)`` and entropies ``(K,)``."""
        log_probs, values, _ = self._heads(obs, action_masks)
        # An illegal action has probability exactly 0 and a finite log-probability: it adds nothing.
        entropy = -(log_probs.exp() * log_probs).sum(-1)
        return values, log_probs.gather(1, actions[:, None]).squeeze(1), entropy

    def get_distribution(self, obs: th.Tensor, action_masks: Any = None) -> Any:  # type: ignore[override]
        """The library's distribution of the actions; not needed for learning."""
        distribution = self.action_dist.proba_distribution(action_logits=self._outputs(obs)[0])
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: th.Tensor) -> th.Tensor:  # type: ignore[override]
        """Values ``(K, 1)``."""
        return self._outputs(obs)[1]

    def _predict(  # type: ignore[override]
        self, observation: th.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> th.Tensor:
        return self.forward(observation, deterministic, action_masks)[0]


class SelfPlayPPO(MaskablePPO):
    """Proximal policy optimisation (Schulman et al. 2017) with masks, over a :class:`SeatRolloutBuffer`."""

    def _setup_model(self) -> None:
        super()._setup_model()
        if isinstance(self.rollout_buffer, SeatRolloutBuffer):
            self.rollout_buffer.predict_values = self.policy.predict_values

    def _excluded_save_params(self) -> list[str]:
        # The buffer's arguments hold the environment, the last observations belong to it: neither is a part of a model.
        unsaved = ["rollout_buffer_class", "rollout_buffer_kwargs", "_last_obs", "_last_original_obs", "_last_episode_starts"]
        return [*super()._excluded_save_params(), *unsaved]
