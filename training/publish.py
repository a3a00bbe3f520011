"""Makes the agent ``ppo`` of a rule set from a finished training run: ``python -m training.publish RUN_FOLDER``.

A run that learned from a search makes the agent ``exit``, one of an advised network the agent ``advised``; their files end in
``_exit`` and ``_advised``. Writes two files to ``agents/checkpoints/``: ``RULE_SET_Pp.zip``, the run's checkpoint stripped to
what plays, and ``RULE_SET_Pp.json``, what made it. Run it on the machine that trained: machine and versions are those it runs on.
"""

import hashlib
import io
import json
import shlex
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import envs
from agents.checkpoint import FACTS, SHIPPED, WEIGHTS, check_facts, read_facts, read_weights, shipped_path, weights_bytes
from agents.policy import PREFIX, PolicyAgent
from envs.checks import one_line, show
from envs.command_line import MOST_LETTERS, Parser, named_path
from envs.files import write_aside
from envs.game import Game
from evaluation.provenance import machine, versions
from training.folder import MODEL
from training.metrics import fixed_opponents, score
from training.settings import Settings, flag_of
from training.state import RunState, read_settings, read_state

FORMAT = 1
MOST_BYTES = 5_000_000
DEALS, SEED = 1000, 2  # of the figures; the deals of no evaluation of train.py
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # for all parts, so that the same weights give the same file


def publish(run: Path, folder: Path = SHIPPED, deals: int = DEALS) -> list[Path]:
    """Writes checkpoint and facts of a run, and returns their paths.

    Args:
        run: Folder of a finished run of ``train.py``.
        folder: Where the files go.
        deals: Deals of the figures, each played from every seat.

    Raises:
        ValueError: The folder holds no finished run, or one of other options than its rule set's, or the file is too large.
        OSError: The files could not be written.
    """
    model = run / MODEL
    facts, kept = read_facts(model), read_settings(model)
    envs.refuse_foreign(kept["env"])
    state = read_state(model, Settings(**kept))
    settings = state.settings
    if state.timesteps < settings.timesteps:
        raise ValueError(f"{run} has stopped early; go on with: python train.py --resume {run}")
    game = envs.make_game(settings.env, settings.num_players)
    check_facts(facts, game)
    if facts.get("options") != dict(game.options):
        raise ValueError(f"{run} was trained with options {show(facts.get('options'))}, but {game.name} has {dict(game.options)}")
    content = strip(model)
    if len(content) > MOST_BYTES:
        raise ValueError(f"the checkpoint has {len(content):,} bytes; at most {MOST_BYTES:,} are shipped")
    story = tell(game, state, content) | {"figures": measure(model, game, deals)}
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / shipped_path(game, word_of(settings)).with_suffix(suffix).name for suffix in (".zip", ".json")]
    for path, part in zip(paths, (content, (json.dumps(story, indent=2, sort_keys=True) + "\n").encode()), strict=True):
        write_aside(path, part)
    return paths


def word_of(settings: Settings) -> str:
    """The agent that a run makes: no policy that contains the rule-based player, or learned from a search, is called ppo."""
    return "advised" if settings.network == "advised" else settings.algo


def strip(model: Path) -> bytes:
    """A checkpoint that holds the policy's weights and facts and nothing else; the same weights give the same bytes."""
    weights = {name: tensor for name, tensor in read_weights(model).items() if name.startswith(PREFIX)}
    parts = {WEIGHTS: weights_bytes(weights), FACTS: json.dumps(read_facts(model), sort_keys=True).encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), part, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def tell(game: Game, state: RunState, content: bytes) -> dict[str, Any]:
    """What made a checkpoint: command, seed, the checkpoint it began with, time, machine, versions."""
    settings = asdict(state.settings)
    libraries = ("stable-baselines3", "sb3-contrib")
    return {
        "format": FORMAT,
        "game": game.id,
        "num_players": game.num_players,
        "options": dict(game.options),
        "command": command_of(settings),
        "seed": settings["seed"],
        "start": state.start,
        "decisions": state.timesteps,
        "training_seconds": round(state.seconds),
        "published": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions([word_of(state.settings)], game, libraries),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def command_of(settings: Mapping[str, Any]) -> str:
    """The command line that trains with these settings, defaults left out."""
    usual = vars(Settings(env=settings["env"]))
    words = ["python", "train.py", "--env", settings["env"]]
    for name, value in settings.items():
        if name == "env" or value == usual.get(name):
            continue
        words += [flag_of(name), *map(str, value if isinstance(value, list) else [value])]
    return shlex.join(words)


def measure(path: Path, game: Game, deals: int) -> dict[str, Any]:
    """How the policy's likeliest actions do against each fixed opponent: games, win share and placement with intervals."""
    policy = PolicyAgent(path, game)
    figures = {}
    for name, opponent in fixed_opponents(game).items():
        result = score(policy, opponent, game, deals, SEED)
        shares = {"win_share": result.win_share, "placement": result.placement}
        rounded = {what: {key: round(value, 6) for key, value in each.items()} for what, each in shares.items()}
        figures[name] = {"games": result.games, "deals_seed": SEED, **rounded}
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code: 0, or 2 for a run that cannot be published."""
    parser = Parser(prog="python -m training.publish", description=__doc__)
    parser.add_argument("run", type=named_path, metavar="RUN_FOLDER", help="folder of a finished run of train.py")
    parser.add_argument(
        "--out", type=named_path, default=SHIPPED, metavar="DIR", help="where the files go [agents/checkpoints]"
    )
    parser.add_argument("--deals", type=int, default=DEALS, help="deals of the figures [%(default)s]")
    args = parser.parse_args(argv)
    try:
        if args.deals < 2:
            raise ValueError(f"--deals is {args.deals}; it must be at least 2")
        paths = publish(args.run, args.out, args.deals)
    except (ValueError, OSError) as error:
        print(f"training.publish: error: {one_line(str(error), MOST_LETTERS)}", file=sys.stderr)
        return 2
    print("\n".join(f"wrote {path}" for path in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
