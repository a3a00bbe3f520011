"""The folder of a run: which one it is, that it holds nothing else, and that no other process trains in it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from envs.files import Lock
from training.settings import Settings

MODEL = "model.zip"
_FILES = ("metrics.csv", "settings.json", "learning_curve.png", "scores.json", "snapshots", "labels", "tensorboard")


@contextmanager
def claim_new(settings: Settings, out: Path | None) -> Iterator[Path]:
    """Makes the folder of a new run and has it alone; a folder that was made and stays empty is taken away at the end.

    Args:
        settings: Of the run.
        out: The folder; None: the first one in ``runs/`` that is not there yet.

    Raises:
        ValueError: It holds a run, or files that a run would write over, or another process trains in it.
        OSError: It cannot be made.
    """
    if out:
        check_free(out)
    folders = [out] if out else (Path("runs") / name for name in _names(settings))
    folder, made = next(filter(None, (_make(folder, exist_ok=out is not None) for folder in folders)))
    try:
        with Lock(folder):
            check_free(folder)  # another one may have been quicker
            yield folder
    finally:
        for path in made:
            with suppress(OSError):  # it is not empty
                path.rmdir()


@contextmanager
def claim(folder: Path) -> Iterator[Path]:
    """Has the folder of a run alone.

    Raises:
        ValueError: Another process trains in it.
        OSError: It cannot be written to.
    """
    with Lock(folder):
        yield folder


def _names(settings: Settings) -> Iterator[str]:
    name = f"{settings.env}-{settings.num_players}p-{settings.seed}"
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _make(folder: Path, exist_ok: bool) -> tuple[Path, list[Path]] | None:
    """Makes a folder; which ones were made, the innermost first; None where it must not, but does exist."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
    except FileExistsError:
        if exist_ok:
            raise
        return None
    return folder, missing


def check_free(folder: Path) -> None:
    """Refuses a folder in which a run would write over something.

    Raises:
        ValueError: What is in the way; the message names it.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder; choose another --out")
    if (folder / MODEL).exists():
        raise ValueError(f"{folder} already holds a run; go on with --resume {folder} or choose another --out")
    for name in _FILES:
        path = folder / name
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise ValueError(f"{path} is there already, but no run; choose another --out")
