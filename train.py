"""Trains a policy for one of the games by self-play: ``python train.py --env fairy_ring --num-players 3``.

Every seat learns (``agents.allseats``, ``agents.rollout``) with masked PPO from sb3-contrib. A run is a folder:

``model.zip``          the latest whole checkpoint: a player for ``evaluate.py``, and all that ``--resume FOLDER`` needs to go on
                       to the same numbers as if it had never stopped
``snapshots/``         earlier policies, by iteration: players too, and the pool of opponents
``metrics.csv``        one line an iteration; the same in ``tensorboard/``
``settings.json``, ``learning_curve.png``
"""

import argparse
import json
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch as th
from stable_baselines3.common.utils import LinearSchedule
from tqdm import tqdm

import envs
from agents.agent import Agent, make_agent
from agents.allseats import AllSeatsVecEnv, SnapshotPool
from agents.checkpoint import check_facts, game_facts, read_facts, read_run, read_weights, save_run, save_snapshot, write_aside
from agents.evaluation import fingerprint
from agents.metrics import Metrics, Score, fixed_opponents, score, score_columns, score_table
from agents.networks import KINDS, Blueprint
from agents.policy import NetworkAgent, PolicyNetwork
from agents.rollout import SeatPolicy, SeatRolloutBuffer, SelfPlayPPO
from agents.start import start_weights
from envs.game import Game
from envs.options import describe_games, parse_options

# --- settings -----------------------------------------------------------------------------------------------------------

GAME_DEFAULTS: dict[str, dict[str, Any]] = {
    # A short lambda keeps the luck of the later game out of the advantages, but also what a village earns later on: 0.9 stays
    # 4 to 5 points of win share below 0.97.
    # Standings of Fairy Ring are counted in mana, 20 to the point.
    "fairy_ring": {"timesteps": 3_200_000, "gae_lambda": 0.97, "final_learning_rate": 2e-5, "shaping": 0.005},
    "fairy_ring_objectives": {"timesteps": 3_200_000, "gae_lambda": 0.97, "final_learning_rate": 2e-5, "shaping": 0.005},
    "dance_of_eights": {"timesteps": 8_000_000},
    # 43 KB of observation a decision and a convolution: fewer games, fewer passes. Standings count a point 10,000.
    "mushroom_rings": {
        "timesteps": 500_000, "num_envs": 64, "num_steps": 128, "batch_size": 512, "epochs": 3,
        "gae_lambda": 0.97, "final_learning_rate": 2e-5, "shaping": 2e-6,
    },
}  # fmt: skip
"""By game: the settings whose defaults differ from those of :class:`Settings`."""

WATCHED_DEALS, FINAL_DEALS = 0, 1  # seeds of the deals of the evaluations on the way, and of the table at the end


def setting(default: Any, meaning: str, choices: Sequence[Any] = ()) -> Any:
    """A field of :class:`Settings` with its line for ``--help``."""
    make = {"default_factory": lambda: list(default)} if isinstance(default, list) else {"default": default}
    return field(**make, metadata={"meaning": meaning, "choices": choices})


@dataclass(frozen=True)
class Settings:
    """All that decides the numbers of a run. The command line is made from this class."""

    env: str = setting("fairy_ring", "the game, see below")
    num_players: int = setting(2, "seats")
    option: list[str] = setting([], "rule options of the game, NAME=VALUE each")
    reward: str = setting("placement", "what the end of a game pays", ("placement", "win", "score"))
    timesteps: int = setting(5_000_000, "decisions to learn from")
    seed: int = setting(0, "of the first weights, the deals and all noise")
    num_envs: int = setting(256, "games at a time")
    num_steps: int = setting(32, "decisions in each game between two updates")
    batch_size: int = setting(1024, "decisions in a minibatch")
    epochs: int = setting(4, "times that an update goes through its decisions")
    learning_rate: float = setting(1e-3, "of the first update")
    final_learning_rate: float = setting(1e-4, "of the last update; linear in between")
    gae_lambda: float = setting(0.95, "of the advantage estimates")
    clip_range: float = setting(0.2, "of the probability ratio")
    entropy: float = setting(0.003, "weight of the policy's entropy in the loss")
    network: str = setting("own", "the game's own network where it has one, or the flat one", KINDS)
    net: list[int] = setting([128, 128], "widths of the hidden layers")
    shaping: float = setting(0.0, "paid for each unit of lead over the others that a seat gains as the game goes")
    snapshot_share: float = setting(0.25, "part of the games of self-play in which an earlier policy plays one seat")
    against: str = setting("none", "an agent, such as greedy, that plays all seats but one: learns a best response to it")
    start: str = setting("none", "ppo or a checkpoint FILE.zip, with whose weights to begin; all else begins anew")
    snapshot_every: int = setting(25, "iterations between two snapshots")
    pool_size: int = setting(20, "latest snapshots that may play")
    eval_every: int = setting(50, "iterations between two evaluations, each followed by a checkpoint")
    eval_deals: int = setting(100, "deals in an evaluation; each is played from every seat")
    threads: int = setting(2, "that share the work of a game's own network; the numbers are the same for 1 and 2", (1, 2))

    def __post_init__(self) -> None:
        counts = ("timesteps", "num_envs", "num_steps", "epochs", "pool_size", "threads")
        for name in (*counts, "snapshot_every", "eval_every", "eval_deals"):
            _check(self, name, getattr(self, name) >= 1, "at least 1")
        _check(self, "seed", 0 <= self.seed < 2**31, "from 0 to 2147483647")
        _check(self, "batch_size", 2 <= self.batch_size <= self.samples, f"from 2 to {self.samples} (envs x steps)")
        _check(self, "net", len(self.net) > 0 and min(self.net) >= 1, "one width or more, each at least 1")
        for name in ("gae_lambda", "snapshot_share"):
            _check(self, name, 0 <= getattr(self, name) <= 1, "from 0 to 1")
        for name in ("learning_rate", "final_learning_rate", "clip_range"):
            _check(self, name, 0 < getattr(self, name) < np.inf, "above 0")
        for name in ("entropy", "shaping"):
            _check(self, name, 0 <= getattr(self, name) < np.inf, "0 or more")

    @property
    def samples(self) -> int:
        """Decisions in a rollout."""
        return self.num_envs * self.num_steps

    def blueprint(self, game: Game) -> Blueprint:
        """Of the network these settings name."""
        return Blueprint(game, self.network, tuple(self.net))

    def make_opponent(self, game: Game) -> Agent | None:
        """The agent to learn against, None for self-play."""
        return None if self.against == "none" else make_agent(self.against, game)

    def make_game(self) -> Game:
        """The game these settings name."""
        return envs.make_game(self.env, self.num_players, **parse_options(self.env, self.option))


def _check(settings: Settings, name: str, is_good: bool, wanted: str) -> None:
    if not is_good:
        raise ValueError(f"--{name.replace('_', '-')} is {getattr(settings, name)}; it must be {wanted}")


# --- the command line ---------------------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with exit code 2."""
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())}\n")


def make_parser() -> Parser:
    """The command line: a flag for every setting, ``--out`` and ``--resume``."""
    parser = Parser(
        prog="train.py",
        description="Trains a policy by self-play.",
        epilog=f"{describe_games()}\n\n{describe_defaults()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the run [runs/GAME-PLAYERS-SEED]")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="goes on with a run; only --timesteps may be given with it")
    for item in fields(Settings):
        default = getattr(Settings(), item.name)
        shown = " ".join(map(str, default)) or "none" if isinstance(default, list) else default
        meaning = f"{item.metadata['meaning']} [{shown}]"
        flag = f"--{item.name.replace('_', '-')}"
        if item.type is bool:
            parser.add_argument(flag, action="store_true", help=meaning)
        elif item.type in (list[int], list[str]):
            element = item.type.__args__[0]
            parser.add_argument(flag, nargs="+", action="extend", type=element, metavar="X", help=meaning)
        else:
            parser.add_argument(flag, type=item.type, choices=item.metadata["choices"] or None, metavar="X", help=meaning)
    return parser


def describe_defaults() -> str:
    """The settings that are not the same for all games, for the end of ``--help``."""
    lines = [f"  {name}: {' '.join(f'{key}={value}' for key, value in own.items())}" for name, own in GAME_DEFAULTS.items()]
    return "\n".join(["defaults that differ by game:", *lines])


def read_command_line(arguments: Sequence[str] | None) -> tuple[Settings, Path | None, Path | None]:
    """Settings, the folder asked for, and the folder of the run to resume.

    Raises:
        ValueError: A setting that does not fit the game or the others.
    """
    given = vars(make_parser().parse_args(arguments))
    out, resumed = given.pop("out", None), given.pop("resume", None)
    if resumed is None:
        settings = Settings(**{**GAME_DEFAULTS.get(given.get("env", "fairy_ring"), {}), **given})
        settings.make_game()
        return settings, out, None
    others = sorted(set(given) - {"timesteps"}) + ["out"] * (out is not None)
    if others:
        raise ValueError(f"--{others[0].replace('_', '-')} does not go with --resume: the run keeps its settings")
    try:
        kept = Settings(**read_run(resumed / "model.zip")["settings"])
    except TypeError as error:
        raise ValueError(f"{resumed} holds a run of another version of train.py") from error
    return replace(kept, **given), out, resumed


# --- a run --------------------------------------------------------------------------------------------------------------


def make_model(settings: Settings, game: Game) -> Any:
    """An untrained learner with its games. They are finite, so nothing is discounted (gamma 1)."""
    blueprint = settings.blueprint(game)
    venv = AllSeatsVecEnv(
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
        th.set_num_threads(1)  # `agents.halves` says why
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


# --- the loop -----------------------------------------------------------------------------------------------------------


def train(run: Run) -> None:
    """Learns until the decisions of the settings are made, or Ctrl-C."""
    settings, model = run.settings, run.model
    bar = tqdm(
        desc=run.game.id, total=settings.timesteps, initial=model.num_timesteps, unit=" samples", unit_scale=True,
        dynamic_ncols=True, smoothing=0.05, mininterval=0.5 if sys.stderr.isatty() else 20,
    )  # fmt: skip
    with bar, StopSignal() as stop:
        while not run.is_complete and not stop.is_wanted:
            row = run.learn()
            is_due = run.iteration % settings.eval_every == 0 or run.is_complete
            if is_due:
                scores = run.evaluate(settings.eval_deals, WATCHED_DEALS)
                row |= score_columns(scores)
                wins = (f"{name} {result.win_share['mean']:.0%}" for name, result in scores.items())
                bar.set_postfix_str(f"wins against {', '.join(wins)}", refresh=False)
            run.metrics.write(row)
            if is_due:
                run.save()
            bar.update(settings.samples)
        run.save()


class StopSignal:
    """Turns the first Ctrl-C into a wish to stop; the second one stops at once."""

    def __init__(self) -> None:
        self.is_wanted = False

    def __enter__(self) -> "StopSignal":
        self._before = {number: signal.signal(number, self._want) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def _want(self, number: int, frame: Any) -> None:
        self.is_wanted = True
        signal.signal(number, signal.default_int_handler)

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def print_table(run: Run, deals: int) -> None:
    """The final scores, on deals that no evaluation on the way has used."""
    scores = run.evaluate(deals, FINAL_DEALS)
    decisions = f"{run.model.num_timesteps:,} decisions in {run.seconds:.0f} s"
    print(f"\n{run.game.id}, {run.game.num_players} players: {decisions}; with 95 % intervals")
    print(score_table(scores))


def new_folder(settings: Settings, out: Path | None) -> Path:
    """The folder of a new run.

    Raises:
        ValueError: The asked one already holds a run.
    """
    if out is None:
        name = f"{settings.env}-{settings.num_players}p-{settings.seed}"
        candidates = (Path("runs") / (name if n == 1 else f"{name}-{n}") for n in count(1))
        return next(folder for folder in candidates if not folder.exists())
    if (out / "model.zip").exists():
        raise ValueError(f"{out} already holds a run; go on with --resume {out} or choose another --out")
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code: 0, 2 for a wrong argument, 130 when it was stopped."""
    try:
        settings, out, resumed = read_command_line(arguments)
        run = Run(settings, resumed or new_folder(settings, out), is_resumed=resumed is not None)
        if resumed:
            run.restore()
        else:
            run.save()
    except (ValueError, OSError) as error:
        print(f"train.py: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    train(run)
    picture = run.metrics.draw(settings.num_players)
    if run.is_complete:
        print_table(run, deals=10 * settings.eval_deals)
    print(f"checkpoint {run.folder / 'model.zip'}, learning curve {picture}")
    run.metrics.close()
    if run.is_complete:
        return 0
    print(f"stopped early; go on with: python train.py --resume {run.folder}")
    return 130


if __name__ == "__main__":
    sys.exit(main())
