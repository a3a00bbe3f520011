"""PPO for one seat through Gymnasium's vector door, top to bottom in one file, in the manner of CleanRL::

    python -m examples.ppo_single_file --env-id envs:fairy_rings/dance_of_eights-v0 --opponents greedy --total-timesteps 500000

The learner plays one seat of N games, agents play the others inside ``step`` (Schulman et al. 2017, "Proximal policy optimization
algorithms"). It needs Gymnasium, PyTorch and this suite. What differs from the loop for Atari: illegal actions are masked out, a
finished game is followed by the next one in the same step (``AutoresetMode.SAME_STEP``), and nothing is discounted, for a game
pays at its end. ``examples/minimal_ppo.py`` learns by self-play instead.
"""

import argparse
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


@dataclass(frozen=True)
class Args:
    """What can be chosen on the command line."""

    env_id: str = "envs:fairy_rings/fairy_ring-v0"
    opponents: str = "random"
    num_players: int = 2
    seed: int = 0
    total_timesteps: int = 400_000
    num_envs: int = 256
    num_steps: int = 32
    learning_rate: float = 1e-3
    gae_lambda: float = 0.95
    num_minibatches: int = 8
    update_epochs: int = 4
    clip_coef: float = 0.2
    ent_coef: float = 0.003
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5


def layer_init(layer: nn.Linear, std: float = 2**0.5) -> nn.Linear:
    """Orthogonal weights and no bias."""
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, 0.0)
    return layer


class Agent(nn.Module):
    """Two networks: a policy that knows what is legal, and a value."""

    def __init__(self, num_inputs: int, num_actions: int) -> None:
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(num_inputs, 128)), nn.Tanh(), layer_init(nn.Linear(128, 128)), nn.Tanh(),
            layer_init(nn.Linear(128, 1), 1.0),
        )  # fmt: skip
        self.actor = nn.Sequential(
            layer_init(nn.Linear(num_inputs, 128)), nn.Tanh(), layer_init(nn.Linear(128, 128)), nn.Tanh(),
            layer_init(nn.Linear(128, num_actions), 0.01),
        )  # fmt: skip

    def get_value(self, obs: torch.Tensor) -> torch.Tensor:
        """Values ``(K,)`` of observations ``(K, D)``."""
        return self.critic(obs).squeeze(-1)

    def get_policy(self, obs: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """The distribution over legal actions, of observations ``(K, D)`` and masks ``(K, A)``."""
        return Categorical(logits=self.actor(obs).masked_fill(mask == 0, -1e8), validate_args=False)


def train(args: Args, **parameters: Any) -> list[float]:
    """Learns; returns the mean return of the last 1,000 games, one for each update.

    Args:
        args: What was chosen.
        **parameters: More parameters of the environment, such as rule options.
    """
    torch.manual_seed(args.seed)
    envs = gymnasium.make_vec(
        args.env_id, num_envs=args.num_envs, opponents=args.opponents, num_players=args.num_players, **parameters
    )  # fmt: skip
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    num_inputs, num_actions = envs.single_observation_space.shape[0], envs.single_action_space.n  # type: ignore[index, attr-defined]
    agent = Agent(num_inputs, num_actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs, masks = torch.zeros((*shape, num_inputs)), torch.zeros((*shape, num_actions), dtype=torch.int8)
    actions, logprobs = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
    rewards, dones, values = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)

    returns, curve, begun = deque[float](maxlen=1000), list[float](), time.perf_counter()
    next_obs, infos = envs.reset(seed=args.seed)
    for update in range(1, args.total_timesteps // (args.num_steps * args.num_envs) + 1):
        for step in range(args.num_steps):
            obs[step], masks[step] = torch.from_numpy(next_obs), torch.from_numpy(infos["action_mask"])
            with torch.no_grad():
                policy, values[step] = agent.get_policy(obs[step], masks[step]), agent.get_value(obs[step])
            actions[step] = policy.sample()
            logprobs[step] = policy.log_prob(actions[step])
            next_obs, reward, terminations, truncations, infos = envs.step(actions[step].numpy())
            over = terminations | truncations  # a game that is cut off pays nobody: it is worth 0, as one that has ended
            rewards[step], dones[step] = torch.from_numpy(reward), torch.from_numpy(over)
            returns.extend(reward[over])

        with torch.no_grad():  # advantages, backwards: behind the end of a game there is nothing to come
            advantages, last = torch.zeros(shape), torch.zeros(args.num_envs)
            next_value = agent.get_value(torch.from_numpy(next_obs))
            for t in reversed(range(args.num_steps)):
                goes_on = 1.0 - dones[t]
                last = rewards[t] + goes_on * (next_value + args.gae_lambda * last) - values[t]
                advantages[t], next_value = last, values[t]

        batch = [part.flatten(0, 1) for part in (obs, masks, actions, logprobs, advantages, advantages + values)]
        for _ in range(args.update_epochs):
            for rows in torch.randperm(args.num_steps * args.num_envs).tensor_split(args.num_minibatches):
                b_obs, b_masks, b_actions, b_logprobs, b_advantages, b_returns = (part[rows] for part in batch)
                policy = agent.get_policy(b_obs, b_masks)
                ratio = (policy.log_prob(b_actions) - b_logprobs).exp()
                b_advantages = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = -torch.min(b_advantages * ratio, b_advantages * clipped).mean()
                v_loss = 0.5 * (agent.get_value(b_obs) - b_returns).square().mean()
                loss = pg_loss - args.ent_coef * policy.entropy().mean() + args.vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        curve.append(float(np.mean(returns)) if returns else float("nan"))
        if update % 5 == 0 or update == 1:
            steps = update * args.num_steps * args.num_envs
            speed = steps / (time.perf_counter() - begun)
            print(f"{steps:9,} decisions, {speed:7,.0f} a second: mean return {curve[-1]:+.3f}", flush=True)
    envs.close()
    return curve


def main(words: Sequence[str] | None = None) -> None:
    """Learns and tells how it goes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for each in fields(Args):
        flag = f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=type(each.default), default=each.default, help="[%(default)s]")
    torch.set_num_threads(1)
    train(Args(**vars(parser.parse_args(words))))


if __name__ == "__main__":
    main()
