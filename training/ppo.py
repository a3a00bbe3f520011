"""Masked PPO over games in which all seats learn: the policy and the algorithm, from those of sb3-contrib.

N games or K decisions, D observation length, A actions.
"""

from collections.abc import Callable
from typing import Any

import torch as th
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.networks.blueprint import Blueprint
from agents.networks.layers import FlatNetwork
from training.data_parallel import Halves
from training.rollout_buffer import SeatRolloutBuffer

# Every torch distribution would check its arguments: 4 to 7 % of all training time for errors that cannot happen here.
th.distributions.Distribution.set_default_validate_args(False)

ILLEGAL_LOGIT = -1e8  # as in sb3-contrib: its exponential is exactly 0, and no infinity can become a NaN


class SeatPolicy(MaskableActorCriticPolicy):
    """A network of ``agents.networks.blueprint`` as a policy of sb3-contrib, with a shorter way from logits to log-probabilities.

    sb3-contrib builds its distribution twice for every minibatch; here one log-softmax does.

    Args:
        *args: As of ``MaskableActorCriticPolicy``.
        blueprint: Of the network.
        threads: That share the work of a game's own network, see ``training.data_parallel``; the flat one is too small for two.
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
