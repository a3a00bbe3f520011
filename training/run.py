"""A training run in its folder: the learner and its games, counters, metrics and checkpoints."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch as th
from stable_baselines3.common.utils import LinearSchedule

from agents.checkpoint import check_facts, game_facts, read_facts, read_run, read_weights, save_run, save_snapshot
from agents.policy import NetworkAgent, PolicyNetwork
from envs.files import write_aside
from envs.game import Game
from evaluation.provenance import fingerprint
from training.metrics import Metrics, Score, fixed_opponents, score
from training.ppo import SeatPolicy, SelfPlayPPO
from training.rollout_buffer import SeatRolloutBuffer
from training.selfplay_env import SelfPlayVecEnv
from training.settings import Settings
from training.snapshots import SnapshotPool
from training.warm_start import start_weights


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
    )
    return SelfPlayPPO(
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


class Run:
    """A run in its folder: the learner and its games, counters and metrics.

    Args:
        settings: Of the run.
        folder: Where it is, or is to be.
        is_resumed: Whether ``restore`` is to follow, so that the weights to begin with are not asked for.

    Attributes:
        start: SHA-256 of the checkpoint with whose weights it began, which may be another file by now; None without one.

    Raises:
        ValueError: An agent of the settings cannot be made; nothing has been written then.
    """

    def __init__(self, settings: Settings, folder: Path, is_resumed: bool = False) -> None:
        th.set_num_threads(1)  # `training.data_parallel` says why
        self.settings, self.folder = settings, folder
        self.game = settings.make_game()
        self.opponents = fixed_opponents(self.game)
        if settings.against != "none" and settings.against not in self.opponents:
            self.opponents[settings.against] = settings.make_opponent(self.game)
        self.model = make_model(settings, self.game)
        self.venv = self.model.env
        self.blueprint = settings.blueprint(self.game)
        self.start: str | None = None
        if settings.start != "none" and not is_resumed:
            self.model.policy.network.load_state_dict(start_weights(settings.start, self.blueprint))
            self.start = fingerprint(settings.start, self.game)
        self.facts = {**game_facts(self.game), **self.blueprint.facts}
        _, self.callback = self.model._setup_learn(settings.timesteps)
        self.iteration, self.seconds = 0, 0.0
        (folder / "snapshots").mkdir(parents=True, exist_ok=True)
        write_aside(folder / "settings.json", json.dumps(asdict(settings), indent=1).encode())
        self.metrics = Metrics(folder, list(self.opponents))

    @property
    def is_complete(self) -> bool:
        """Whether all decisions of the settings are made."""
        return self.model.num_timesteps >= self.settings.timesteps

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
        save_snapshot(self.snapshot_path(self.iteration), weights, self.facts)
        self.venv.pool.add(self.iteration, weights)

    def snapshot_path(self, number: int) -> Path:
        """The file of a snapshot."""
        return self.folder / "snapshots" / f"{number:06d}.zip"

    def evaluate(self, deals: int, seed: int) -> dict[str, Score]:
        """Scores of the policy, playing its likeliest actions, against each fixed opponent."""
        policy = NetworkAgent(PolicyNetwork(self.blueprint, self.model.policy.state_dict()))
        return {name: score(policy, other, self.game, deals, seed) for name, other in self.opponents.items()}

    def save(self) -> None:
        """Writes the checkpoint. Metrics come first: it says how much of them is its past."""
        state = {
            "settings": asdict(self.settings),
            "iteration": self.iteration,
            "timesteps": self.model.num_timesteps,
            "seconds": self.seconds,
            "start": self.start,
            "metrics_bytes": self.metrics.flush(),
            "venv": self.venv.get_state(),
            "torch_rng": th.get_rng_state().numpy().tobytes(),
        }
        save_run(self.folder / "model.zip", self.model, self.facts, state)

    def restore(self) -> None:
        """Goes back to the checkpoint in the folder.

        Raises:
            ValueError: It is of another version of the game, or a snapshot is missing.
        """
        path = self.folder / "model.zip"
        check_facts(read_facts(path), self.game)
        state = read_run(path)
        self.model.set_parameters(path, device="cpu")
        for number in state["venv"]["pool"]:
            self.venv.pool.add(number, read_weights(self.snapshot_path(number)))
        self.model._last_obs = self.venv.set_state(state["venv"])
        self.iteration, self.seconds, self.start = state["iteration"], state["seconds"], state.get("start")
        self.model.num_timesteps = state["timesteps"]
        self.model._n_updates = self.iteration * self.settings.epochs
        self.metrics.cut(state["metrics_bytes"], state["timesteps"])
        th.set_rng_state(th.frombuffer(bytearray(state["torch_rng"]), dtype=th.uint8))
