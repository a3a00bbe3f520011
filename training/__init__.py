"""Learning by self-play: settings, environments for stable-baselines3, the algorithm, runs and their files.

From Python::

    settings = training.Settings.for_game("fairy_ring", num_players=3, timesteps=500_000)
    run = training.train(settings, callback=lambda row: print(row["timesteps"]))
    run.evaluate(["greedy", "ismcts:100"])
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from training.across_seeds import SeedStudy, aggregate
    from training.python import TrainedRun, load, resume, resume_seeds, train, train_seeds
    from training.settings import Settings

_PLACES = {
    "Settings": "settings",
    **dict.fromkeys(("SeedStudy", "aggregate"), "across_seeds"),
    **dict.fromkeys(("TrainedRun", "load", "resume", "resume_seeds", "train", "train_seeds"), "python"),
}

__all__ = ["SeedStudy", "Settings", "TrainedRun", "aggregate", "load", "resume", "resume_seeds", "train", "train_seeds"]


def __getattr__(name: str) -> Any:
    """Imports what Python users need when it is first asked for: PyTorch takes seconds to import."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"training.{_PLACES[name]}"), name)
