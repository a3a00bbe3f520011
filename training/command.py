"""The command line of training: ``python train.py --env fairy_ring --num-players 3``.

Every seat learns (``training.selfplay_env``, ``training.rollout_buffer``) with masked PPO from sb3-contrib. A run is a folder:

``model.zip``          the latest whole checkpoint: a player for ``evaluate.py``, and all that ``--resume FOLDER`` needs to go on
                       to the same numbers as if it had never stopped
``snapshots/``         earlier policies, by iteration: players too, and the pool of opponents
``metrics.csv``        one line per iteration, and one before the first; the same in ``tensorboard/``. A column is empty where
                       there is nothing to tell, see ``training.metrics``
``settings.json``, ``learning_curve.png``
"""

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.checkpoint import show
from agents.registry import MAKERS, names_file
from envs import GAMES, refuse_foreign
from envs.command_line import Parser, describe_games, how_to_watch
from training.folder import MODEL, claim, claim_new, named_folder
from training.progress import step
from training.settings import Settings, flag_of, tuned_of
from training.state import read_settings

if TYPE_CHECKING:
    from training.run import Run


def make_parser() -> Parser:
    """The command line: a flag for every setting, ``--out`` and ``--resume``."""
    parser = Parser(
        prog="train.py",
        description="Trains a policy by self-play.",
        epilog=f"{describe_games()}\n\n{describe_defaults()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("--out", type=named_folder, metavar="DIR", help="folder of the run [runs/GAME-PLAYERS-SEED]")
    resumes = "goes on with a run; only --timesteps may be given with it; --env or --against with code of your own must be"
    parser.add_argument("--resume", type=named_folder, metavar="DIR", help=resumes)
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
    parser.add_argument(flag_of(item.name), **about)


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
        game = settings.make_game()
        if not _is_checkpoint(settings.against):
            settings.make_opponent(game)  # a wrong word is told before PyTorch is imported, which takes seconds
        return settings, out, None
    if out is not None:
        given["out"] = out
    return resumed_settings(resumed, given), out, resumed


def resumed_settings(resumed: Path, given: Mapping[str, Any]) -> Settings:
    """Those of the run to resume. Its file may name no module to import: a game or an agent of one's own is named again.

    Raises:
        ValueError: It is no run, or something is given that it keeps.
    """
    given = dict(given)
    named = {name: given.pop(name, None) for name in ("env", "against")}
    others = sorted(set(given) - {"timesteps"}, key=lambda name: (name == "out", name))
    if others:
        raise ValueError(f"{flag_of(others[0])} does not go with --resume: the run keeps its settings")
    kept = read_settings(resumed / MODEL)
    with naming(resumed):
        settings = _kept_settings(resumed, kept, named)
    return replace(settings, **given)


def _kept_settings(resumed: Path, kept: dict[str, Any], named: Mapping[str, Any]) -> Settings:
    for name, value in named.items():
        if value not in (None, kept.get(name)):
            raise ValueError(f"--{name} is {value}, but {resumed} holds a run of --{name} {show(kept.get(name))}")
    refuse_foreign(kept["env"], [named["env"]])
    try:
        settings = Settings(**kept)
    except TypeError as error:
        raise ValueError(f"{resumed} holds a run of another version of train.py") from error
    if _is_own_code(settings.against) and named["against"] is None:
        word = shlex.quote(settings.against)
        raise ValueError(f"{resumed} names code, {word}, which is not run because a file says so; add --against {word}")
    return settings


@contextmanager
def naming(folder: Path) -> Iterator[None]:
    """Lets every error tell which run it is about."""
    try:
        yield
    except ValueError as error:
        if str(folder) in str(error):
            raise
        raise ValueError(f"{folder}: {error}") from error


def _is_checkpoint(agent: str) -> bool:
    return agent.partition(":")[0] == "ppo" or names_file(agent)


def _is_own_code(agent: str) -> bool:
    return agent != "none" and agent.partition(":")[0] not in MAKERS and not _is_checkpoint(agent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program.

    Returns:
        Its exit code: 0; 1 when a file could not be written on the way, 2 when it could not begin, 130 when it was stopped.
    """
    with ExitStack() as stack:
        try:
            settings, out, resumed = read_command_line(arguments)
            folder = stack.enter_context(claim(resumed) if resumed else claim_new(settings, out))
            run = _prepare(settings, folder, resumed is not None)
        except (ValueError, OSError, MemoryError) as error:
            return _complain(error, 2)
        except KeyboardInterrupt:
            return _complain("stopped before anything was learned", 130)
        stack.callback(run.close)
        return _train(run)


def _prepare(settings: Settings, folder: Path, is_resumed: bool) -> "Run":
    """A run that is ready to learn."""
    with step("importing PyTorch"):
        from training.run import Run
    place = naming(folder) if is_resumed else nullcontext()
    with place, step(f"dealing {settings.num_envs} games of {settings.env}") as say:
        run = Run(settings, folder, is_resumed)
        if not is_resumed:
            say(f", played on at random by up to {run.venv.played_ahead.max()} decisions")
    if not is_resumed:
        with step("scoring the policy before it learns"):
            run.begin()
        return run
    with naming(folder), step(f"going back to {run.path}"):
        changed = run.restore()
    if changed:
        again = "metrics.csv was changed since; it has the lines of the checkpoint again"
        print(f"{again}, and {changed} those that it had", file=sys.stderr)
    return run


def _train(run: "Run") -> int:
    """Learns to the end, and says what came of it."""
    from training.loop import print_table, train

    try:
        train(run)
        picture = run.metrics.draw(run.settings.num_players)
        if run.is_complete:
            print_table(run, deals=10 * run.settings.eval_deals)
    except (OSError, MemoryError) as error:
        return _complain(f"cannot go on: {_reason(error)}; {_way_on(run)}", 1)
    except KeyboardInterrupt:
        return _complain(f"stopped at once; {_way_on(run)}", 130)
    print(f"checkpoint {run.path}, learning curve {picture}")
    print(how_to_watch(run.game, run.settings.env, run.settings.option, [str(run.path)]))
    if run.is_complete:
        return 0
    print(f"stopped early; {_way_on(run)}")
    return 130


def _way_on(run: "Run") -> str:
    if not run.path.exists():
        return f"{run.folder} holds no checkpoint any more"
    words = ["python", "train.py", "--resume", str(run.folder)]
    words += [] if run.settings.env in GAMES else ["--env", run.settings.env]
    words += ["--against", run.settings.against] if _is_own_code(run.settings.against) else []
    return f"go on with: {shlex.join(words)}"


def _reason(error: object) -> str:
    """An error in one line."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}".strip()
    return " ".join(str(error).split())


def _complain(error: object, code: int) -> int:
    print(f"train.py: error: {_reason(error)}", file=sys.stderr)
    return code
