"""A training run in its folder: the learner and its games, counters, metrics and checkpoints."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch as th
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import LinearSchedule

from agents.checkpoint import OPTIMIZER, check_facts, game_facts, read_facts, read_tensors, save_run, save_snapshot
from agents.policy import NetworkAgent, PolicyNetwork, bytes_of, own_weights, read_policy
from envs.files import write_aside
from envs.game import Game
from evaluation.provenance import fingerprint
from training.folder import MODEL
from training.metrics import Metrics, Score, fixed_opponents, score, score_columns
from training.optimizer import check_memory
from training.ppo import SeatPolicy, SelfPlayPPO
from training.rollout_buffer import SeatRolloutBuffer
from training.selfplay_env import SelfPlayVecEnv
from training.settings import Settings
from training.snapshots import SnapshotPool
from training.state import RunState, read_state
from training.warm_start import start_weights

WATCHED_DEALS = 0
"""The seed of the deals of all evaluations on the way."""


def make_model(settings: Settings, game: Game) -> Any:
    """An untrained learner with its games. They are finite, so nothing is discounted (gamma 1)."""
    blueprint = settings.blueprint(game)
    venv = SelfPlayVecEnv(
        game,
        settings.num_envs,
        seed=settings.seed,
        reward=settings.reward,
        snapshot_share=settings.snapshot_share,
        pool=SnapshotPool(blueprint, settings.pool_size, settings.seed),
        against=settings.make_opponent(game),
        shaping=settings.shaping,
        staggered=True,
        inputs=blueprint.inputs(),
    )
    model = SelfPlayPPO(
        SeatPolicy,
        venv,
        learning_rate=LinearSchedule(settings.learning_rate, settings.final_learning_rate, 1.0),
        n_steps=settings.num_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=1.0,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        rollout_buffer_class=SeatRolloutBuffer,
        rollout_buffer_kwargs={"venv": venv},
        policy_kwargs={"blueprint": blueprint, "threads": settings.threads},
        seed=settings.seed,
        device="cpu",
    )
    model.set_logger(Logger(None, []))  # of its own accord the library makes one with an empty folder for temporary files
    return model


class Run:
    """A run in its folder: the learner and its games, counters and metrics.

    Nothing is written before ``begin`` or ``restore``.

    Args:
        settings: Of the run.
        folder: Where it is, or is to be.
        is_resumed: Whether ``restore`` is to follow, so that the weights to begin with are not asked for.

    Attributes:
        start: SHA-256 of the checkpoint with whose weights it began, which may be another file by now; None without one.

    Raises:
        ValueError: An agent of the settings cannot be made, or a network would be too large.
    """

    def __init__(self, settings: Settings, folder: Path, is_resumed: bool = False) -> None:
        th.set_num_threads(1)  # `training.data_parallel` says why
        self.settings, self.folder = settings, folder
        self.game = settings.make_game()
        self.opponents = fixed_opponents(self.game)
        if settings.against != "none" and settings.against not in self.opponents:
            self.opponents[settings.against] = settings.make_opponent(self.game)
        self.blueprint = settings.blueprint(self.game)
        self.model = make_model(settings, self.game)
        self.venv = self.model.env
        self.start: str | None = None
        if settings.start != "none" and not is_resumed:
            self.model.policy.network.load_state_dict(start_weights(settings.start, self.blueprint))
            self.start = fingerprint(settings.start, self.game)
        self.facts = {**game_facts(self.game), **self.blueprint.facts}
        _, self.callback = self.model._setup_learn(settings.timesteps)
        self.iteration, self.seconds = 0, 0.0
        self.metrics = Metrics(folder, list(self.opponents))
        self._saved = (-1, time.monotonic())  # the iteration and the time of the last checkpoint

    @property
    def path(self) -> Path:
        """The latest checkpoint."""
        return self.folder / MODEL

    @property
    def is_complete(self) -> bool:
        """Whether all decisions of the settings are made."""
        return self.model.num_timesteps >= self.settings.timesteps

    @property
    def is_save_due(self) -> bool:
        """Whether the last checkpoint is as old as one may be."""
        return time.monotonic() - self._saved[1] >= self.settings.checkpoint_seconds

    def begin(self) -> None:
        """Scores the policy before it learns, and writes the first checkpoint and the other files.

        The checkpoint comes first: a folder with other files of a run, but without one, is none.

        Raises:
            OSError: They could not be written.
        """
        scores = self.evaluate(self.settings.eval_deals, WATCHED_DEALS)
        self.metrics.write({"iteration": 0, "timesteps": 0, "seconds": 0.0, **score_columns(scores)})
        self.save()
        self._open_files()

    def _open_files(self) -> Path | None:
        write_aside(self.folder / "settings.json", json.dumps(asdict(self.settings), indent=1).encode())
        return self.metrics.open(self.model.num_timesteps)

    def learn(self) -> dict[str, float]:
        """One iteration: plays a rollout and learns from it; returns its metrics."""
        settings, model, begin = self.settings, self.model, time.perf_counter()
        model.collect_rollouts(self.venv, self.callback, model.rollout_buffer, settings.num_steps)
        model._update_current_progress_remaining(model.num_timesteps, settings.timesteps)
        model.train()
        self.iteration += 1
        if self.iteration % settings.snapshot_every == 0:
            self.keep_snapshot()
        self.venv.draw_snapshot()
        seconds = time.perf_counter() - begin
        self.seconds += seconds
        learned = {name.removeprefix("train/"): float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.name_to_value.clear()
        return {
            "iteration": self.iteration,
            "timesteps": model.num_timesteps,
            "seconds": self.seconds,
            "samples_per_second": settings.samples / seconds,
            **self.venv.take_statistics(),
            **learned,
        }

    def keep_snapshot(self) -> None:
        """Puts the policy as it is now into the folder and into the pool."""
        weights = self.model.policy.state_dict()
        path = self.snapshot_path(self.iteration)
        path.parent.mkdir(exist_ok=True)
        save_snapshot(path, weights, self.facts)
        self.venv.pool.add(self.iteration, weights)

    def snapshot_path(self, number: int) -> Path:
        """The file of a snapshot."""
        return self.folder / "snapshots" / f"{number:06d}.zip"

    def evaluate(self, deals: int, seed: int) -> dict[str, Score]:
        """Scores of the policy, playing its likeliest actions, against each fixed opponent."""
        policy = NetworkAgent(PolicyNetwork(self.blueprint, self.model.policy.state_dict()))
        return {name: score(policy, other, self.game, deals, seed) for name, other in self.opponents.items()}

    def save(self) -> None:
        """Writes the checkpoint, unless it is there.

        Raises:
            OSError: It could not be written; the one before it is as it was.
        """
        if self._saved[0] == self.iteration:
            return
        noise = th.get_rng_state().numpy()
        state = RunState(
            self.settings, self.iteration, self.seconds, self.start, self.venv.get_state(), noise, self.metrics.content
        )
        save_run(self.path, self.model, self.facts, state.numbers(), state.parts())
        self._saved = self.iteration, time.monotonic()

    def restore(self) -> Path | None:
        """Goes back to the checkpoint in the folder.

        Returns:
            Where the lines of ``metrics.csv`` are now if they were changed since; the file itself has those of the checkpoint.

        Raises:
            ValueError: It is of another version of the game, it is damaged, or a snapshot is missing.
            OSError: The other files could not be written.
        """
        path = self.path
        check_facts(read_facts(path), self.game)
        state = read_state(path, self.settings)
        weights, pool = read_policy(path, self.blueprint), self.venv.pool
        optimizer = self.model.policy.optimizer
        numbers, tensors = sum(weight.numel() for weight in weights.values()), len(weights)
        memory = read_tensors(path, OPTIMIZER, most=bytes_of(2 * numbers, 3 * tensors))
        for number in state.env["pool"]:
            pool.add(number, read_policy(self.snapshot_path(number), self.blueprint))
        try:
            self.metrics.take(state.lines, state.iteration)
            memory = check_memory(memory, optimizer)
            self.model._last_obs = self.venv.set_state(state.env)
            _set_noise(state)
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}") from error
        self.model.policy.network.load_state_dict(own_weights(weights, self.blueprint))
        optimizer.load_state_dict(memory)
        self.iteration, self.seconds, self.start = state.iteration, state.seconds, state.start
        self.model.num_timesteps = state.timesteps
        self.model._n_updates = self.iteration * self.settings.epochs
        self._saved = self.iteration, time.monotonic()
        return self._open_files()

    def close(self) -> None:
        """Closes the files."""
        self.metrics.close()


def _set_noise(state: RunState) -> None:
    """Lets PyTorch's random numbers go on as in a checkpoint."""
    noise = th.from_numpy(state.noise)
    if noise.shape != th.get_rng_state().shape:
        raise ValueError(f"its random numbers have {len(noise)} bytes, not {len(th.get_rng_state())}")
    try:
        th.set_rng_state(noise)
    except RuntimeError as error:
        raise ValueError("its random numbers are none of PyTorch's") from error
