"""The loop of a training run: learn, evaluate now and then, keep checkpoints, until all is learned or somebody stops it."""

import sys
from contextlib import nullcontext
from typing import Any

from tqdm import tqdm

from training.metrics import Score, score_columns, score_table
from training.progress import Ticker, step
from training.run import WATCHED_DEALS, Run
from training.scores import SCORED, write_scores
from training.stopping import StopSignal

FINAL_DEALS = 1  # seed of the deals of the table at the end


def train(run: Run) -> None:
    """Learns until the decisions of the settings are made, or Ctrl-C.

    Raises:
        OSError: A file could not be written; the last checkpoint is whole.
    """
    with StopSignal() as stop:
        if not run.is_complete:
            with step("learning from the first games"):
                iterate(run)
        with bar_of(run, tqdm, mininterval=0.5 if sys.stderr.isatty() else 20) as bar, _moving(bar):
            while not run.is_complete and not stop.is_wanted:
                _, words = iterate(run)
                if words:
                    bar.set_postfix_str(words, refresh=False)
                bar.update(run.settings.samples)
        run.save()


def iterate(run: Run) -> tuple[dict[str, float], str]:
    """Learns from one rollout, evaluates and saves where that is due; its metrics, and any evaluation in words."""
    row, words = run.learn(), ""
    is_due = run.iteration % run.settings.eval_every == 0 or run.is_complete
    if is_due:
        scores = run.evaluate(run.settings.eval_deals, WATCHED_DEALS)
        row |= score_columns(scores)
        wins = ", ".join(f"{name} {result.win_share['mean']:.0%}" for name, result in scores.items())
        words = f"wins against {wins}"
    run.metrics.write(row)
    if is_due or run.is_save_due:
        run.save()
    return row, words


def bar_of(run: Run, kind: Any, **more: Any) -> Any:
    """The progress of a run, a bar of tqdm's. It ends with a whole rollout, which is behind the decisions that were asked for."""
    samples = run.settings.samples
    return kind(
        desc=run.game.id, total=-(-run.settings.timesteps // samples) * samples, initial=run.model.num_timesteps,
        unit=" samples", unit_scale=True, dynamic_ncols=True, smoothing=0.05, **more,
    )  # fmt: skip


def _moving(bar: Any) -> Any:
    """Lets the clock of a bar go on while an iteration lasts, where somebody may be looking."""
    return Ticker(1.0, bar.refresh) if sys.stderr.isatty() else nullcontext()


def score_finally(run: Run, deals: int) -> dict[str, Score]:
    """The final scores, which are written into the folder too.

    Raises:
        OSError: They could not be written.
    """
    scores = run.evaluate(deals, FINAL_DEALS)
    write_scores(run.folder / SCORED, scores, run.model.num_timesteps)
    return scores


def print_table(run: Run, deals: int) -> None:
    """The final scores, on deals that no evaluation on the way has used; ``scores.json`` keeps them."""
    with step("scoring the policy on new deals"):
        scores = score_finally(run, deals)
    decisions = f"{run.model.num_timesteps:,} decisions in {run.seconds:.0f} s"
    print(f"\n{run.game.id}, {run.game.num_players} players: {decisions}; with 95 % intervals")
    print(score_table(scores))
