"""Training from Python: ``training.train(Settings.for_game("fairy_ring"))``, in a script, a thread or a notebook.

What a run leaves, and its numbers, are those of ``train.py``. Nothing of the calling program is changed: signals, figures and the
random numbers of Python, numpy and PyTorch are afterwards as they were before.
"""

import random
import threading
from argparse import ArgumentTypeError
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from tqdm.auto import tqdm

from agents.policy import PolicyAgent
from envs.checks import integer, show
from envs.files import Lock
from evaluation.comparison import AnyAgent, Comparison, compare
from training.across_seeds import SeedStudy
from training.command import main, naming, open_study, resumed_settings
from training.folder import MODEL, claim, claim_new
from training.learning_curve import draw
from training.loop import bar_of, iterate
from training.metrics import fixed_opponents
from training.run import Run
from training.scores import METRICS, read_rows
from training.seeds import LARGEST_SEED, Study, parse_seeds, studies_in, watch_all
from training.settings import Settings
from training.state import read_settings
from training.taught_run import make_run

Row = dict[str, float | None]
Callback = Callable[[Row], object]

_WHOLE = ("iteration", "timesteps", "games")
_turn = threading.Lock()


class TrainedRun:
    """A training run in its folder. In a notebook it is its last scores and its learning curve.

    Args:
        folder: Of the run.
        settings: All that decides its numbers.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings

    @property
    def checkpoint(self) -> Path:
        """The latest checkpoint: a player for every command, and all that goes on with the run."""
        return self.folder / MODEL

    @property
    def snapshots(self) -> list[Path]:
        """Earlier policies, by iteration: players too."""
        return sorted((self.folder / "snapshots").glob("*.zip"))

    @property
    def metrics(self) -> list[Row]:
        """A dict for each line of ``metrics.csv``, ready for ``pandas.DataFrame``; None where there is nothing to tell."""
        return [{name: _number(name, cell) for name, cell in line.items()} for line in read_rows(self.folder / METRICS)]

    @property
    def timesteps(self) -> int:
        """Decisions learned from."""
        return int(self.metrics[-1]["timesteps"] or 0)

    @property
    def is_complete(self) -> bool:
        """Whether all decisions of the settings are made."""
        return self.timesteps >= self.settings.timesteps

    @property
    def opponents(self) -> list[str]:
        """Against whom the policy was scored on the way."""
        names = [name.removesuffix("_win_share") for name in self.metrics[0] if name.endswith("_win_share")]
        return [name for name in names if name]

    def agent(self, sample: bool = False) -> PolicyAgent:
        """The trained policy as a player, see ``agents.agent.Agent``: its likeliest action, or a draw from it."""
        return PolicyAgent(self.checkpoint, self.settings.make_game(), sample)

    def evaluate(self, agents: Iterable[AnyAgent] | Mapping[str, AnyAgent] = (), games: int = 1000, **more: Any) -> Comparison:
        """Plays the policy against others, on deals that no training has seen.

        Args:
            agents: As of ``evaluation.compare``; none: those that it was scored against on the way.
            games: As of ``evaluation.compare``.
            **more: Other arguments of ``evaluation.compare``, such as ``seed`` and ``workers``.

        Raises:
            ValueError: As of ``evaluation.compare``.
        """
        game, own = self.settings.make_game(), str(self.checkpoint)
        all_of_them: Any = {own: own, **agents} if isinstance(agents, Mapping) else [own, *(agents or fixed_opponents(game))]
        return compare(game, all_of_them, games, **more)

    def __repr__(self) -> str:
        settings = self.settings
        state = f"{self.timesteps:,} of {settings.timesteps:,} decisions"
        return f"TrainedRun({str(self.folder)!r}, {settings.env}, {settings.num_players} players, {state})"

    def _repr_html_(self) -> str:
        rows = self.metrics
        scored = next((row for row in reversed(rows) if row.get("random_win_share") is not None), {})
        cells = "".join(
            f"<tr><td>{escape(name)}</td><td>{scored.get(f'{name}_win_share') or 0:.1%}</td>"
            f"<td>{scored.get(f'{name}_placement') or 0:+.3f}</td></tr>"
            for name in self.opponents
        )
        text = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in rows]
        picture = b64encode(draw(text, self.opponents, self.settings.num_players)).decode()
        head = "<tr><th>against</th><th>win share</th><th>placement</th></tr>"
        return (
            f"<p>{escape(repr(self))}</p><table><thead>{head}</thead><tbody>{cells}</tbody></table>"
            f'<img alt="learning curve" style="max-width:100%" src="data:image/png;base64,{picture}">'
        )


def _number(name: str, cell: str | None) -> float | None:
    if not cell:
        return None
    return int(cell) if name in _WHOLE else float(cell)


def train(
    settings: Settings, out: str | PathLike[str] | None = None, *, callback: Callback | None = None, progress: bool = True
) -> TrainedRun:
    """Learns by self-play until the decisions of the settings are made.

    Args:
        settings: Of the run, see ``Settings.for_game``.
        out: Its folder; None: the first one in ``runs/`` that is not there yet.
        callback: Called with the metrics of each iteration, a line of ``metrics.csv``; where it returns False the run stops, with
            a checkpoint. What it raises ends the run too; the last checkpoint is whole.
        progress: Whether to show a bar.

    Raises:
        ValueError: The folder holds something else, or an agent or checkpoint of the settings cannot be used.
        OSError: A file could not be written.
        RuntimeError: Another training is at work in this process.
    """
    if not isinstance(settings, Settings):
        raise ValueError(f"settings is {show(settings)}; it must be Settings, such as Settings.for_game('fairy_ring')")
    with _undisturbed(), claim_new(settings, None if out is None else Path(out)) as folder:
        run = make_run(settings, folder)
        try:
            run.begin()
            return _learn(run, callback, progress)
        finally:
            run.close()


def resume(
    folder: str | PathLike[str],
    *,
    timesteps: int | None = None,
    env: str | None = None,
    against: str | None = None,
    callback: Callback | None = None,
    progress: bool = True,
) -> TrainedRun:
    """Goes on with a run to the same numbers as if it had never stopped.

    Args:
        folder: Of the run.
        timesteps: To learn on to more decisions.
        env: The game, where it is one of your own: a file may name no module to import.
        against: The agent to learn against, where it is one of your own.
        callback: As of :func:`train`.
        progress: As of :func:`train`.

    Raises:
        ValueError: There is no run, it is damaged, or of another version of the game.
        OSError: A file could not be written.
        RuntimeError: Another training is at work in this process.
    """
    given = {"timesteps": timesteps, "env": env, "against": against}
    place = Path(folder)
    settings = resumed_settings(place, {name: value for name, value in given.items() if value is not None})
    with _undisturbed(), claim(place), naming(place):
        run = make_run(settings, place, is_resumed=True)
        try:
            run.restore()
            return _learn(run, callback, progress)
        finally:
            run.close()


def train_seeds(
    settings: Settings,
    seeds: Iterable[int] = range(5),
    out: str | PathLike[str] | None = None,
    *,
    workers: int | None = None,
    progress: bool = True,
) -> SeedStudy:
    """Trains several seeds side by side, each in a process of its own.

    The processes are started anew, so a script that calls it needs ``if __name__ == "__main__":``.

    Args:
        settings: Of every run, but for the seed.
        seeds: Different ones.
        out: Folder of the study; None: the first one in ``runs/`` that is not there yet. With the folder of a study that was
            stopped :func:`resume_seeds` goes on.
        workers: Processes at a time; None: one for each core.
        progress: Whether to show a bar.

    Raises:
        ValueError: A seed that is none, or a folder that holds something else.
        OSError: A file could not be written.
        RuntimeError: Some runs failed; the message says why.
    """
    words = ",".join(str(integer("a seed", seed, 0, LARGEST_SEED)) for seed in seeds)
    try:
        numbers = parse_seeds(words)
    except ArgumentTypeError as error:
        raise ValueError(str(error)) from error
    folder = Path(out) if out is not None else next(p for p in studies_in(Path("runs"), settings, numbers) if not p.exists())
    study = Study(folder, settings, numbers)
    study.write()
    return _train_study(study, workers, progress)


def resume_seeds(folder: str | PathLike[str], *, workers: int | None = None, progress: bool = True, **given: Any) -> SeedStudy:
    """Goes on with a study that was stopped; ``timesteps``, ``env`` and ``against`` as of :func:`resume`.

    Raises:
        ValueError: There is no study, or it is damaged.
        OSError: A file could not be read or written.
        RuntimeError: Some runs failed; the message says why.
    """
    return _train_study(open_study({"resume": Path(folder), **given}), workers, progress)


def _train_study(study: Study, workers: int | None, progress: bool) -> SeedStudy:
    number = None if workers is None else integer("workers", workers, 1)
    with Lock(study.folder):
        failed = watch_all(study, main, number, lambda: False, tqdm, disable=not progress)
        if failed:
            raise RuntimeError("; ".join(failed))
        found = SeedStudy(study)
        found.write()
        return found


def _learn(run: Run, callback: Callback | None, progress: bool) -> TrainedRun:
    with bar_of(run, tqdm, disable=not progress) as bar:
        while not run.is_complete:
            row, words = iterate(run)
            if words:
                bar.set_postfix_str(words, refresh=False)
            bar.update(run.settings.samples)
            if callback is not None and callback({name: row.get(name) for name in run.metrics.columns}) is False:
                break
    run.save()
    run.metrics.draw(run.settings.num_players)
    return TrainedRun(run.folder, run.settings)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Leaves the random numbers and threads of the program as they were; one training at a time, for they share them.

    Raises:
        RuntimeError: There is another one.
    """
    if not _turn.acquire(blocking=False):
        reason = "one training at a time in a process, for all share PyTorch's random numbers"
        raise RuntimeError(f"{reason}; training.train_seeds trains several side by side")
    kept = random.getstate(), np.random.get_state(), th.get_rng_state(), th.get_num_threads()
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
        th.set_rng_state(kept[2])
        th.set_num_threads(kept[3])
        _turn.release()


def load(folder: str | PathLike[str], *, env: str | None = None) -> TrainedRun:
    """A run that was trained before, as :func:`train` gave it.

    Args:
        folder: Of the run.
        env: The game, where it is one of your own: a file may name no module to import.

    Raises:
        ValueError: There is no run, or it is damaged.
    """
    place = Path(folder)
    if not (place / MODEL).is_file():
        raise ValueError(f"{place} holds no run: there is no {MODEL}")
    against = read_settings(place / MODEL).get("against")  # nobody is to play against it, so naming it is safe
    given = {"against": against, "env": env}
    return TrainedRun(place, resumed_settings(place, {name: value for name, value in given.items() if value is not None}))
