"""The command line of training: ``python train.py --env fairy_ring --num-players 3``.

Every seat learns (``training.selfplay_env``, ``training.rollout_buffer``) with masked PPO from sb3-contrib. A run is a folder:

``model.zip``          the latest whole checkpoint: a player for ``evaluate.py``, and all that ``--resume FOLDER`` needs to go on
                       to the same numbers as if it had never stopped
``snapshots/``         earlier policies, by iteration: players too, and the pool of opponents
``metrics.csv``        one line an iteration; the same in ``tensorboard/``
``settings.json``, ``learning_curve.png``
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import Field, fields, replace
from itertools import count
from pathlib import Path
from typing import Any

from agents.checkpoint import read_run
from envs import GAMES, refuse_foreign
from envs.command_line import Parser, describe_games
from training.settings import Settings, tuned_of


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
    resumes = "goes on with a run; only --timesteps may be given with it, and --env of a game of your own must be"
    parser.add_argument("--resume", type=Path, metavar="DIR", help=resumes)
    for item in fields(Settings):
        _add_flag(parser, item)
    return parser


def _add_flag(parser: Parser, item: Field) -> None:
    """The flag of a setting."""
    default, place = item.metadata["default"], item.metadata["place"]
    shown = " ".join(map(str, default)) or "none" if isinstance(default, list) else default
    about: dict[str, Any] = {"metavar": place, "help": f"{item.metadata['meaning']} [{shown}]"}
    kind: Any = item.type
    if kind in (list[int], list[str]):
        about |= {"nargs": "+", "action": "extend", "type": kind.__args__[0]}
    else:
        about |= {"type": kind, "choices": item.metadata["choices"] or None}
    parser.add_argument(f"--{item.name.replace('_', '-')}", **about)


def describe_defaults() -> str:
    """The settings that are not the same for all games, for the end of ``--help``."""
    own = {name: tuned_of(name).training for name in GAMES}
    lines = [f"  {name}: {' '.join(f'{key}={value}' for key, value in other.items())}" for name, other in own.items()]
    return "\n".join(["defaults that differ by game:", *lines])


def read_command_line(arguments: Sequence[str] | None) -> tuple[Settings, Path | None, Path | None]:
    """Settings, the folder asked for, and the folder of the run to resume.

    Raises:
        ValueError: A setting that does not fit the game or the others.
    """
    given = vars(make_parser().parse_args(arguments))
    out, resumed = given.pop("out", None), given.pop("resume", None)
    if resumed is None:
        settings = Settings(**given)
        settings.make_game()
        return settings, out, None
    return _resumed_settings(resumed, given, out), out, resumed


def _resumed_settings(resumed: Path, given: dict[str, Any], out: Path | None) -> Settings:
    """Those of the run to resume. Its file may name no module to import: a game of one's own is named again."""
    named = given.pop("env", None)
    others = sorted(set(given) - {"timesteps"}) + ["out"] * (out is not None)
    if others:
        raise ValueError(f"--{others[0].replace('_', '-')} does not go with --resume: the run keeps its settings")
    kept = read_run(resumed / "model.zip")["settings"]
    if named not in (None, kept.get("env")):
        raise ValueError(f"--env is {named}, but {resumed} holds a run of {kept.get('env')}")
    refuse_foreign(kept.get("env"), [named])
    try:
        return replace(Settings(**kept), **given)
    except TypeError as error:
        raise ValueError(f"{resumed} holds a run of another version of train.py") from error


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
        # PyTorch takes seconds to import: a wrong argument is told before.
        from training.loop import print_table, train
        from training.run import Run

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
    own = "" if settings.env in GAMES else f" --env {settings.env}"
    print(f"stopped early; go on with: python train.py --resume {run.folder}{own}")
    return 130
