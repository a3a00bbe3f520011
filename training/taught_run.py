"""Learning from a search: rounds of labels, each followed by passes over all labels so far (``--algo exit``).

Expert iteration (Anthony, Tian and Barber, "Thinking fast and slow with deep learning and tree search", NIPS 2017), with means in
place of visits: the policy raises the expected worth of its actions by the search's means, which all first actions had the same
number of simulations for. Visits of a small search follow its prior, and a policy that copies them copies the prior.

K positions, A actions.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from torch import nn

from agents.checkpoint import save_snapshot
from agents.greedy import make_greedy
from agents.policy import NetworkAgent, PolicyNetwork, own_weights, read_policy
from training.labels import Labels, facts_of, join, label_round, make_teacher, read_labels, write_labels
from training.run import Run
from training.settings import Settings

VALUE_WEIGHT = 0.25  # of the value's loss


class TaughtRun(Run):
    """A run that learns from labels; see ``training.run.Run``. An iteration is a round.

    Args:
        settings: Of the run.
        folder: Where it is, or is to be.
        is_resumed: As of ``Run``.
    """

    def __init__(self, settings: Settings, folder: Path, is_resumed: bool = False) -> None:
        self.teacher = make_teacher(settings.teacher, settings.make_game())
        super().__init__(settings, folder, is_resumed)
        self.label_facts = facts_of(self.game, settings.teacher, settings.labels)
        self._rounds: list[Labels] = []
        self._first: dict[str, th.Tensor] = {}

    def learn(self) -> dict[str, float]:
        """One round: labels, and passes over all labels so far; returns its metrics."""
        settings, begin = self.settings, time.perf_counter()
        if self.iteration == 0:
            self._keep_first()
        labels, games = label_round(self.teacher, self._player(), settings.seed, self.iteration, settings.labels)
        path = self.labels_path(self.iteration + 1)
        path.parent.mkdir(exist_ok=True)
        write_labels(path, labels, self.label_facts)
        self._rounds.append(labels)
        learned = self._fit()
        self.iteration += 1
        self.model.num_timesteps += settings.labels
        if self.iteration % settings.snapshot_every == 0:
            self.keep_snapshot()
        seconds = time.perf_counter() - begin
        self.seconds += seconds
        speed = {"samples_per_second": settings.samples / seconds, "games": games}
        counters = {"iteration": self.iteration, "timesteps": self.model.num_timesteps, "seconds": self.seconds}
        return {**counters, **speed, **learned}

    def _keep_first(self) -> None:
        """Keeps the weights that each round begins with, as snapshot 0."""
        path = self.snapshot_path(0)
        path.parent.mkdir(exist_ok=True)
        save_snapshot(path, self.model.policy.state_dict(), self.facts)
        self._first = read_policy(path, self.blueprint)

    def labels_path(self, number: int) -> Path:
        """The file of a round's labels."""
        return self.folder / "labels" / f"{number:06d}.zip"

    def _player(self) -> Any:
        """Who plays the games: the rule-based player, or the policy as it is now."""
        if self.settings.label_play == "greedy":
            return make_greedy(self.game)
        return NetworkAgent(PolicyNetwork(self.blueprint, self.model.policy.state_dict()), sample=True)

    def _fit(self) -> dict[str, float]:
        """Passes over all labels so far, from the weights that the run began with.

        To go on from the weights of the round before would pass over the first labels again and again, most of it while they are
        few, and learn their noise by heart (docs/learning.md).
        """
        settings, policy = self.settings, self.model.policy
        labels = join(self._rounds)
        better, worth = labels.advantages()
        better /= np.sqrt(np.square(better[labels.visits > 0]).mean()) + 1e-8
        self._begin_anew()
        steps, sums = max(1, settings.epochs * len(labels) // settings.batch_size), np.zeros(3)
        for step, rows in zip(range(steps), minibatches(len(labels), settings.batch_size), strict=False):
            self.model._update_current_progress_remaining(step, steps)
            self.model._update_learning_rate(policy.optimizer)
            inputs, masks = self.venv.inputs.of_worlds(labels.worlds[rows])
            sums += self._step(self._losses(inputs, masks, better[rows], worth[rows]))
        self.model.logger.name_to_value.clear()
        self.model._n_updates += settings.epochs
        means = dict(zip(("policy_gradient_loss", "entropy_loss", "value_loss"), (sums / steps).tolist(), strict=True))
        return {**means, "learning_rate": policy.optimizer.param_groups[0]["lr"]}

    def _begin_anew(self) -> None:
        """Gives the network the weights that the run began with, and the optimizer no memory."""
        self.model.policy.network.load_state_dict(own_weights(self._first, self.blueprint))
        self.model.policy.optimizer.state.clear()

    def _step(self, parts: tuple[th.Tensor, ...]) -> list[float]:
        """One step of the optimizer; returns the parts of the loss as numbers."""
        policy = self.model.policy
        policy.optimizer.zero_grad()
        (parts[0] + self.settings.entropy * parts[1] + VALUE_WEIGHT * parts[2]).backward()
        nn.utils.clip_grad_norm_(policy.parameters(), self.model.max_grad_norm)
        policy.optimizer.step()
        return [float(part.detach()) for part in parts]

    def _losses(self, inputs: np.ndarray, masks: np.ndarray, better: np.ndarray, worth: np.ndarray) -> tuple[th.Tensor, ...]:
        """What the policy's actions are worth less than the mean, its negative entropy, and the value's square error."""
        log_probs, values, _ = self.model.policy._heads(th.from_numpy(inputs), masks)
        probs = log_probs.exp()
        lost = -(probs * th.from_numpy(better)).sum(-1).mean()
        return lost, (probs * log_probs).sum(-1).mean(), (values[:, 0] - th.from_numpy(worth)).square().mean()

    def restore(self) -> Path | None:
        """As of ``Run``; the labels of the rounds so far are read too.

        Raises:
            ValueError: As of ``Run``, or the labels of a round are missing, damaged or of something else.
            OSError: As of ``Run``.
        """
        changed = super().restore()
        paths = map(self.labels_path, range(1, self.iteration + 1))
        if self.iteration:
            self._first = read_policy(self.snapshot_path(0), self.blueprint)
        self._rounds = [read_labels(path, self.game, self.label_facts) for path in paths]
        return changed


def minibatches(count: int, size: int) -> Iterator[np.ndarray]:
    """Pass after pass over K positions in random orders: rows ``(size,) int64``, or all that there are."""
    rows = th.empty(0, dtype=th.int64)
    while True:
        while len(rows) < min(size, count):
            rows = th.cat([rows, th.randperm(count)])
        yield rows[:size].numpy()
        rows = rows[size:]


def make_run(settings: Settings, folder: Path, is_resumed: bool = False) -> Run:
    """A run by the algorithm of its settings."""
    return (TaughtRun if settings.algo == "exit" else Run)(settings, folder, is_resumed)
