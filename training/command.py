"""The command line of training: ``python train.py --env fairy_ring --num-players 3``.

Every seat learns (``training.selfplay_env``, ``training.rollout_buffer``) with masked PPO from sb3-contrib. A run is a folder:

``model.zip``          the latest whole checkpoint: a player for ``evaluate.py``, and all that ``--resume FOLDER`` needs to go on
                       to the same numbers as if it had never stopped
``snapshots/``         earlier policies, by iteration: players too, and the pool of opponents
``metrics.csv``        one line per iteration, and one before the first; the same in ``tensorboard/``. A column is empty where
                       there is nothing to tell, see ``training.metrics``
``scores.json``        the scores at the end, on deals that no evaluation on the way has used
``labels/``            with ``--algo exit``: the positions of each round and what the search found in them
``settings.json``, ``learning_curve.png``

With ``--seeds 0-4`` it is a folder of such folders, see ``training.seeds``.
"""

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from agents.checkpoint import TRAINED, checkpoint_file, read_facts
from agents.registry import MAKERS, names_file
from envs import GAMES, refuse_foreign
from envs.checks import integer, one_line, show
from envs.command_line import MOST_LETTERS, Parser, describe_games, how_to_watch, named_path
from envs.files import Lock
from envs.game import Game
from training.folder import MODEL, claim, claim_new
from training.labels import make_teacher
from training.progress import step
from training.seeds import STUDY, Study, parse_seeds, read_study, studies_in, watch_all
from training.settings import Settings, flag_of, tuned_of
from training.state import read_settings
from training.stopping import StopSignal

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
    parser.add_argument("--out", type=named_path, metavar="DIR", help="folder of the run [runs/GAME-PLAYERS-SEED]")
    resumes = "goes on with a run; only --timesteps may be given with it; --env or --against with code of your own must be"
    parser.add_argument("--resume", type=named_path, metavar="DIR", help=resumes)
    many = "trains these seeds side by side, such as 0-4 or 0,3,7, and tells what holds over them; see --workers"
    parser.add_argument("--seeds", type=parse_seeds, metavar="SEEDS", help=many)
    parser.add_argument("--workers", type=_workers, metavar="N", help="processes for --seeds [one for each core]")
    places = "local: this machine; auto: the cluster that runs here; or HOST:PORT"
    parser.add_argument("--ray", metavar="ADDRESS", help=f"trains --seeds on a Ray cluster ({places})")
    for item in fields(Settings):
        _add_flag(parser, item)
    return parser


def _workers(word: str) -> int:
    return integer("it", int(word), 1, 1024)


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


def read_command_line(given: dict[str, Any]) -> tuple[Settings, Path | None, Path | None]:
    """Settings, the folder asked for, and the folder of the run to resume.

    Args:
        given: What the parser has found.

    Raises:
        ValueError: A setting that does not fit the game or the others.
    """
    out, resumed = given.pop("out", None), given.pop("resume", None)
    for flag in {"workers", "ray"} & set(given):
        raise ValueError(f"--{flag} is for --seeds; a run is one process")
    if resumed is None:
        settings = Settings(**given)
        game = settings.make_game()
        if not {"network", "net"} & set(given):
            settings = _with_network_of_start(settings, game)
        if not _is_checkpoint(settings.against):
            settings.make_opponent(game)  # a wrong word is told before PyTorch is imported, which takes seconds
        if settings.algo == "exit":
            make_teacher(settings.teacher, game)
        return settings, out, None
    if out is not None:
        given["out"] = out
    return resumed_settings(resumed, given), out, resumed


def _with_network_of_start(settings: Settings, game: Game) -> Settings:
    """A run that begins with a checkpoint, and is not told which network to learn with, goes on with the checkpoint's."""
    if settings.start == "none":
        return settings
    try:
        facts = read_facts(checkpoint_file(settings.start, game))
        return replace(settings, network=facts["network"], net=facts["widths"])
    except (ValueError, KeyError):
        return settings  # what is wrong with it, `warm_start` tells


def resumed_settings(resumed: Path, given: Mapping[str, Any]) -> Settings:
    """Those of the run to resume. Its file may name no module to import: a game or an agent of one's own is named again.

    Raises:
        ValueError: It is no run, or something is given that it keeps.
    """
    _refuse_what_is_kept(given)
    return settings_to_go_on(resumed, read_settings(resumed / MODEL), given)


def _refuse_what_is_kept(given: Mapping[str, Any]) -> None:
    """Refuses what a run keeps from its beginning to its end.

    Raises:
        ValueError: Something of it is given anew.
    """
    others = sorted(set(given) - {"timesteps", "env", "against"}, key=lambda name: (name == "out", name))
    if others:
        raise ValueError(f"{flag_of(others[0])} does not go with --resume: the run keeps its settings")


def settings_to_go_on(resumed: Path, kept: dict[str, Any], given: Mapping[str, Any]) -> Settings:
    """Settings that a folder keeps, with those that may be given anew.

    Raises:
        ValueError: They are damaged, or something is given that it keeps.
    """
    _refuse_what_is_kept(given)
    given = dict(given)
    named = {name: given.pop(name, None) for name in ("env", "against")}
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
    return agent.partition(":")[0] in TRAINED or names_file(agent)


def _is_own_code(agent: str) -> bool:
    return agent != "none" and agent.partition(":")[0] not in MAKERS and not _is_checkpoint(agent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program.

    Returns:
        Its exit code: 0; 1 when a file could not be written on the way, 2 when it could not begin, 130 when it was stopped.
    """
    given = vars(make_parser().parse_args(arguments))
    if "seeds" in given or (given.get("resume", Path()) / STUDY).is_file():
        return _train_seeds(given)
    with ExitStack() as stack:
        try:
            settings, out, resumed = read_command_line(given)
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
        from training.taught_run import make_run
    place = naming(folder) if is_resumed else nullcontext()
    with place, step(f"dealing {settings.num_envs} games of {settings.env}") as say:
        run = make_run(settings, folder, is_resumed)
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


def _train_seeds(given: dict[str, Any]) -> int:
    """Trains several seeds, and says what holds over them; codes as of :func:`main`."""
    workers, address = given.pop("workers", None), given.pop("ray", None)
    with ExitStack() as stack:
        try:
            if address is not None:
                from evaluation.on_ray import Ray  # takes seconds to import

                workers = Ray(address, workers)
            study = open_study(given)
            stack.enter_context(Lock(study.folder))
        except (ValueError, OSError) as error:
            return _complain(error, 2)
        stop = stack.enter_context(StopSignal())
        print(f"seeds {', '.join(map(str, study.seeds))} in {study.folder}, what each says in seed-N.log", file=sys.stderr)
        try:
            failed = watch_all(study, main, workers, lambda: stop.is_wanted, tqdm, mininterval=0.5 if sys.stderr.isatty() else 20)
        except KeyboardInterrupt:
            failed = []
        except RuntimeError as error:  # of an executor
            failed = [_reason(error)]
    for line in failed:
        print(f"train.py: {line}", file=sys.stderr)
    if not all(map(study.is_done, study.seeds)):
        words = shlex.join(["python", "train.py", "--resume", str(study.folder), *_own_words(study.settings)])
        print(f"{'some seeds failed' if failed else 'stopped early'}; go on with: {words}")
        return 1 if failed else 130
    from training.across_seeds import SeedStudy

    found = SeedStudy(study)
    print(found)
    print("\n".join(f"wrote {path}" for path in found.write()))
    return 0


def open_study(given: dict[str, Any]) -> Study:
    """A study in its folder: a new one, or the one to resume.

    Raises:
        ValueError: A setting that does not fit, or a folder that holds something else.
        OSError: The folder cannot be written.
    """
    out, resumed = given.pop("out", None), given.pop("resume", None)
    if resumed is not None:
        return _resumed_study(resumed, given, out)
    if "seed" in given:
        raise ValueError("--seed does not go with --seeds, which names them all")
    seeds = given.pop("seeds")
    settings = Settings(**{"threads": 1, **given})  # other runs have the other cores; the numbers are the same
    settings.make_game()
    if not _is_checkpoint(settings.against):
        settings.make_opponent(settings.make_game())
    folder = out or next(path for path in studies_in(Path("runs"), settings, seeds) if not path.exists())
    study = Study(folder, settings, seeds)
    study.write()
    return study


def _resumed_study(folder: Path, given: dict[str, Any], out: Path | None) -> Study:
    if out is not None:
        raise ValueError("--out does not go with --resume: the run keeps its folder")
    kept, seeds = read_study(folder)
    if given.pop("seeds", seeds) != seeds:
        raise ValueError(f"--seeds does not go with --resume: {folder} has seeds {', '.join(map(str, seeds))}")
    study = Study(folder, settings_to_go_on(folder, kept, given), seeds)
    study.rewrite()
    return study


def _own_words(settings: Settings) -> list[str]:
    """What must be named again to go on: code of one's own."""
    words = [] if settings.env in GAMES else ["--env", settings.env]
    return words + (["--against", settings.against] if _is_own_code(settings.against) else [])


def _way_on(run: "Run") -> str:
    if not run.path.exists():
        return f"{run.folder} holds no checkpoint any more"
    words = ["python", "train.py", "--resume", str(run.folder)]
    return f"go on with: {shlex.join([*words, *_own_words(run.settings)])}"


def _reason(error: object) -> str:
    """An error in one line."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}".strip()
    return one_line(str(error), MOST_LETTERS)


def _complain(error: object, code: int) -> int:
    print(f"train.py: error: {_reason(error)}", file=sys.stderr)
    return code
