"""The loop of a training run: learn, evaluate now and then, keep checkpoints, until all is learned or somebody stops it."""

import signal
import sys
from typing import Any

from tqdm import tqdm

from training.metrics import score_columns, score_table
from training.run import Run

WATCHED_DEALS, FINAL_DEALS = 0, 1  # seeds of the deals of the evaluations on the way, and of the table at the end


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
