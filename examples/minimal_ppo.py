"""Learns any game by self-play with PPO, in one file with nothing but PyTorch, NumPy and ``envs``::

    python -m examples.minimal_ppo --env fairy_ring --seconds 60

Every seat of every game is played by the one network and learns from its own decisions (Schulman et al. 2017, "Proximal policy
optimization algorithms", with the advantages of Schulman et al. 2015, "High-dimensional continuous control using generalized
advantage estimation"). A line now and then tells how often it wins against random players. ``train.py`` does the same with
snapshots of earlier policies as opponents, networks that know a game, checkpoints and statistics.

T steps of N games between two updates, P seats, D observation length, A actions, K decisions of a minibatch.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch as th
from torch import nn

import envs
from envs.command_line import parse_options
from envs.game import Game
from envs.vector import VectorAECEnv


@dataclass(frozen=True)
class Settings:
    """What PPO is told. There is no discount: games are finite, and pay at their end."""

    num_envs: int = 256
    num_steps: int = 32
    batch_size: int = 1024
    epochs: int = 4
    learning_rate: float = 1e-3
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.003


class Network(nn.Module):
    """Two hidden layers for policy and value together."""

    def __init__(self, game: Game, width: int = 128) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(game.observation_size, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.logits, self.value = nn.Linear(width, game.num_actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.logits.weight, 0.01)  # so that the first policy is nearly uniform

    def forward(self, observations: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Logits ``(K, A)`` and values ``(K, 1)`` for observations ``(K, D)``."""
        latent = self.trunk(observations)
        return self.logits(latent), self.value(latent)


class Learner:
    """A network, the games it plays against itself, and the arrays it learns from.

    Args:
        env: N games.
        network: From ``(K, D)`` observations to ``(K, A)`` logits and ``(K, 1)`` values.
        settings: Of PPO; ``num_envs`` is that of ``env``.
    """

    def __init__(self, env: VectorAECEnv, network: nn.Module, settings: Settings) -> None:
        self.env, self.network, self.settings = env, network, settings
        self.optimizer = th.optim.Adam(network.parameters(), lr=settings.learning_rate, eps=1e-5)
        shape, game = (settings.num_steps, env.num_envs), env.game
        self.observations = np.zeros((*shape, game.observation_size), np.float32)
        self.masks = np.zeros((*shape, game.num_actions), np.int8)
        self.actions, self.seats = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.values, self.log_probs = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.paid = np.zeros((*shape, game.num_players), np.float32)
        self.ended = np.zeros(shape, np.bool_)

    def iteration(self) -> None:
        """Plays T steps and learns from them."""
        seats, values = self.rollout()
        self.update(*self.advantages(seats, values))

    def evaluate(self, observations: np.ndarray | th.Tensor, masks: np.ndarray | th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Log-probabilities ``(K, A)`` and values ``(K,)``; an illegal action has probability 0."""
        logits, values = self.network(th.as_tensor(observations))
        return logits.masked_fill(th.as_tensor(masks) == 0, -1e8).log_softmax(-1), values.squeeze(1)

    @th.no_grad()
    def rollout(self) -> tuple[np.ndarray, np.ndarray]:
        """Fills the arrays; returns the seats to move after them and the values of what these see, ``(N,)`` each."""
        for t in range(self.settings.num_steps):
            shown = self.env.last()[0]
            self.observations[t], self.masks[t] = shown["observation"], shown["action_mask"]
            self.seats[t] = self.env.agent_selection
            log_probs, values = self.evaluate(self.observations[t], self.masks[t])
            actions = draw(log_probs)
            self.values[t], self.actions[t] = values.numpy(), actions.numpy()
            self.log_probs[t] = log_probs.gather(1, actions[:, None]).squeeze(1).numpy()
            self.env.step(self.actions[t])
            _, self.paid[t], terminations, truncations, _ = self.env.last()
            self.ended[t] = terminations | truncations
        shown = {name: view.copy() for name, view in self.env.last()[0].items()}  # PyTorch warns of read-only memory
        values = self.evaluate(shown["observation"], shown["action_mask"])[1]
        return self.env.agent_selection.astype(np.int64), values.numpy()

    def advantages(self, seats: np.ndarray, last_values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Estimates ``(T, N)``, and which of them are known, one trajectory for each seat of each game.

        Backwards through the rollout every seat carries what follows its latest decision seen so far: the value and the
        advantage of its *own* next decision, and what it was paid in between. Others decide in between, so what the game turns
        into for the next player is nobody's estimate: with three players "my value is minus yours" is false. A seat's last
        decision is left out if the rollout does not tell what follows. A game that was cut by a limit pays nobody: it is worth 0.
        """
        games = np.arange(self.env.num_envs)
        next_value, next_advantage, paid = np.zeros((3, len(games), self.env.num_players), np.float32)
        known = np.zeros(next_value.shape, np.bool_)
        next_value[games, seats], known[games, seats] = last_values, True
        advantages, is_known = np.zeros_like(self.values), np.zeros_like(self.ended)
        for t in reversed(range(self.settings.num_steps)):
            ended, own = self.ended[t], (games, self.seats[t])
            next_value[ended], next_advantage[ended], paid[ended], known[ended] = 0, 0, 0, True
            paid += self.paid[t]
            gain = paid[own] + next_value[own] - self.values[t] + self.settings.gae_lambda * next_advantage[own]
            is_known[t] = known[own]
            advantages[t] = np.where(is_known[t], gain, 0)
            next_value[own], next_advantage[own], paid[own], known[own] = self.values[t], advantages[t], 0, True
        return advantages, is_known

    def update(self, advantages: np.ndarray, is_known: np.ndarray) -> None:
        """A few times through all known decisions, in minibatches."""
        returns = advantages + self.values
        arrays = (self.observations, self.masks, self.actions, self.log_probs, advantages, returns)
        parts = [th.from_numpy(array.reshape(is_known.size, -1)) for array in arrays]
        rows = th.from_numpy(np.flatnonzero(is_known))
        for _ in range(self.settings.epochs):
            order = rows[th.randperm(len(rows))]
            for chunk in order.tensor_split(max(1, round(len(rows) / self.settings.batch_size))):
                loss = self.loss(*(part[chunk] for part in parts))
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimizer.step()

    def loss(self, *batch: th.Tensor) -> th.Tensor:
        """The clipped objective, the error of the values and the entropy: a scalar, of ``(K, ...)`` parts of the rollout."""
        observations, masks, actions, old_log_probs, advantages, returns = batch
        log_probs, values = self.evaluate(observations, masks)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        ratio = (log_probs.gather(1, actions) - old_log_probs).exp()
        clipped = ratio.clamp(1 - self.settings.clip_range, 1 + self.settings.clip_range)
        policy_loss = -th.min(advantages * ratio, advantages * clipped).mean()
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        value_loss = (returns.squeeze(1) - values).square().mean()
        return policy_loss + 0.5 * value_loss - self.settings.entropy * entropy


def draw(log_probs: th.Tensor) -> th.Tensor:
    """A random action from each row of log-probabilities ``(K, A)``: the largest after adding Gumbel noise, ``(K,)``."""
    return (log_probs - th.empty_like(log_probs).exponential_().log()).argmax(1)


@th.no_grad()
def win_share(learner: Learner, games: int = 512) -> float:
    """Wins of the policy's likeliest actions in one seat, each in turn, random players in the others; a tie of k is 1/k."""
    env = envs.make_vec(learner.env.game, games, seed=2**40, reward="win", copy=True, autoreset=False)
    own_seat, shares = np.arange(games) % env.num_players, np.zeros(games)
    while (env.agent_selection >= 0).any():
        shown = env.last()[0]
        log_probs, _ = learner.evaluate(shown["observation"], shown["action_mask"])
        uniform = np.random.random(shown["action_mask"].shape) * shown["action_mask"]
        is_own = env.agent_selection == own_seat
        env.step(np.where(is_own, log_probs.argmax(1).numpy(), uniform.argmax(1)))
        shares += env.last()[1][np.arange(games), own_seat]
    return float(shares.mean())


def main() -> None:
    """Learns for a while and tells how it goes."""
    parser = argparse.ArgumentParser(description="Learns any game by self-play with PPO.")
    parser.add_argument("--env", default="fairy_ring", help="a game of the suite, or package.module [%(default)s]")
    parser.add_argument("--num-players", type=int, default=2, help="seats [%(default)s]")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a rule option of the game")
    parser.add_argument("--seconds", type=float, default=60, help="how long to learn [%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="of the weights, the games and all noise [%(default)s]")
    for name, value in vars(Settings()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value, help="[%(default)s]")
    args = parser.parse_args()
    th.set_num_threads(1)
    th.manual_seed(args.seed)
    np.random.seed(args.seed)
    settings = Settings(**{name: getattr(args, name) for name in vars(Settings())})
    try:
        game = envs.make_game(args.env, args.num_players, **parse_options(args.env, args.option))
        env = envs.make_vec(game, settings.num_envs, seed=args.seed)
    except ValueError as error:
        parser.error(str(error))
    learner = Learner(env, Network(game), settings)
    print(f"{game.id}, {game.num_players} players; wins against random at first: {win_share(learner):.1%}")
    begun, decisions, spent, told = time.perf_counter(), 0, 0.0, 0.0
    while spent < args.seconds:
        learner.iteration()
        decisions += settings.num_envs * settings.num_steps
        spent = time.perf_counter() - begun
        if spent - told >= args.seconds / 10:
            told = spent
            print(f"{spent:4.0f} s, {decisions:9,} decisions: {win_share(learner):.1%}", flush=True)
    print(f"after {decisions:,} decisions, in 4,096 games: {win_share(learner, 4096):.1%}")


if __name__ == "__main__":
    main()
