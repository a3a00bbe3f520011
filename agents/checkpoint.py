"""Checkpoints: one zip file that holds a policy, what game it is for, and what a run needs to go on.

========================  ==================================================================================================
``policy.pth``            the weights, as stable-baselines3 saves them
``facts.json``            the game: name, version, players, options, sizes; and how to build the network
``data`` and others       the rest of stable-baselines3's format: ``SelfPlayPPO.load(path)`` works
``run.json``, ``run/...`` only in a run's ``model.zip``: settings, counters, games, random generators, see ``training.state``
========================  ==================================================================================================

A file is written aside, flushed to the disk and renamed: at any moment a reader finds the old one or the new one, whole. Files
are read as data: ``data``, in which stable-baselines3 keeps pickles, is for its own ``load`` and is never looked at here.
"""

import io
import json
import os
import pickletools
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.archive import are_stored, pack, read_parts
from envs.checks import show
from envs.files import write_aside
from envs.game import Game

SHIPPED = Path(__file__).with_name("checkpoints")
"""The folder of the checkpoints that come with this package, see its README."""

FORMAT, RUN_FORMAT = 1, 1
FACTS, WEIGHTS, OPTIMIZER, RUN = "facts.json", "policy.pth", "policy.optimizer.pth", "run.json"
MOST_FACTS, MOST_TENSORS = 100_000, 500_000_000  # bytes

_PARTS_OF_TENSORS = {"collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch FloatStorage"}


TRAINED = ("ppo", "exit", "advised")
"""Words for shipped checkpoints: learned by self-play from nothing; learned from a search; containing the rule-based player."""


def shipped_path(game: Game, word: str = "ppo") -> Path:
    """The file of the checkpoint that is shipped for a rule set and number of players; it need not be there.

    Args:
        game: The rule set.
        word: One of ``TRAINED``.
    """
    kind = "" if word == TRAINED[0] else f"_{word}"
    return SHIPPED / f"{game.name}_{game.num_players}p{kind}.zip"


def advised_name(name: str, facts: Mapping[str, Any]) -> str:
    """What an agent is called: one that contains the rule-based player says so."""
    return f"{name}:advised" if facts.get("network") == "advised" else name


def checkpoint_file(spec: str, game: Game) -> str:
    """The file of a checkpoint that is there: of a word of ``TRAINED``, a shipped one, or of a path.

    Raises:
        ValueError: There is none; the message lists those that are shipped if one of them was asked for.
    """
    path = shipped_path(game, spec) if spec in TRAINED else Path(spec)
    if path.is_file():
        return str(path)
    if spec not in TRAINED:
        raise ValueError(f"there is no checkpoint {spec}")
    shipped = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.zip"))) or "none"
    raise ValueError(f"there is no trained agent {spec} for {path.stem}; there are: {shipped}")


def game_facts(game: Game) -> dict[str, Any]:
    """What a policy must know of the game it was trained for."""
    return {
        "format": FORMAT,
        "game": game.name,
        "version": game.version,
        "num_players": game.num_players,
        "options": dict(game.options),
        "observation_size": game.observation_size,
        "num_actions": game.num_actions,
    }


def check_facts(facts: Mapping[str, Any], game: Game) -> None:
    """Refuses a checkpoint of another game.

    Options may differ, as far as the policy can see and do the same things: a policy may be tried on a variant.

    Raises:
        ValueError: Name, version, number of players or a size differs; the message says which.
    """
    words = {
        "format": "format",
        "game": "game",
        "version": "version",
        "num_players": "number of players",
        "observation_size": "observation size",
        "num_actions": "number of actions",
    }
    own = game_facts(game)
    for key, word in words.items():
        found = facts.get(key)
        if found != own[key] or type(found) is not type(own[key]):
            raise ValueError(f"the checkpoint's {word} is {show(found)}, but {own[key]!r} is asked for")


def read_facts(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts of a checkpoint.

    Raises:
        ValueError: The file is no checkpoint.
    """
    return _table(path, read_parts(path, {FACTS: MOST_FACTS})[FACTS], "facts")


def _table(path: str | os.PathLike[str], content: bytes, what: str) -> dict[str, Any]:
    """A dict from JSON."""
    try:
        table = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no checkpoint: its {what} cannot be read") from error
    if not isinstance(table, dict):
        raise ValueError(f"{path} is no checkpoint: its {what} are no table")
    return table


def read_weights(path: str | os.PathLike[str], most: int = MOST_TENSORS) -> dict[str, Any]:
    """The weights of a checkpoint, tensors by name; nothing in the file is executed.

    Args:
        path: The file.
        most: How many bytes they may have.

    Raises:
        ValueError: The file is no checkpoint, or a larger one.
    """
    weights = read_tensors(path, WEIGHTS, most)
    if not isinstance(weights, dict) or not all(isinstance(name, str) for name in weights):
        raise ValueError(f"{path} holds no weights by name")
    return weights


def read_tensors(path: str | os.PathLike[str], name: str, most: int = MOST_TENSORS) -> Any:
    """What PyTorch has saved as a part of a checkpoint: tensors and plain data; nothing in the file is executed.

    Raises:
        ValueError: The file is no checkpoint, the part is larger than allowed, or anything else than tensors is asked for.
    """
    import torch as th

    content = read_parts(path, {name: most})[name]
    try:
        _check_made_by_torch(content)
        with warnings.catch_warnings(action="ignore"):
            return th.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # what a damaged file raises is up to PyTorch
        raise ValueError(f"{path} holds no weights that can be read") from error


def _check_made_by_torch(content: bytes) -> None:
    """Lets PyTorch see nothing that it would inflate, or that asks for another thing than a tensor.

    Raises:
        ValueError: It must not be loaded.
    """
    if not are_stored(content):
        raise ValueError("not a file of torch.save")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        orders = archive.read(next(name for name in archive.namelist() if name.endswith("/data.pkl")))
    for opcode, argument, _ in pickletools.genops(orders):
        is_call_by_name = opcode.name in ("GLOBAL", "INST", "STACK_GLOBAL")
        if is_call_by_name and argument not in _PARTS_OF_TENSORS:
            raise ValueError(f"{argument} is asked for")


def weights_bytes(weights: Mapping[str, Any]) -> bytes:
    """Tensors by name as stable-baselines3 keeps them in a zip file."""
    import torch as th

    buffer = io.BytesIO()
    th.save(dict(weights), buffer)
    return buffer.getvalue()


def save_snapshot(path: str | os.PathLike[str], weights: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Writes a policy that can play but not be trained further."""
    write_aside(path, pack({WEIGHTS: weights_bytes(weights), FACTS: json.dumps(facts).encode()}))


def save_run(
    path: str | os.PathLike[str], model: Any, facts: Mapping[str, Any], run: Mapping[str, Any], parts: Mapping[str, bytes]
) -> None:
    """Writes a whole run: the model in stable-baselines3's format, the facts, and what else is needed to go on.

    Args:
        path: The file.
        model: A model of stable-baselines3.
        facts: See ``game_facts``.
        run: What JSON can say of the run.
        parts: By name, what it cannot.
    """
    buffer = io.BytesIO()
    model.save(buffer)
    tables = {FACTS: json.dumps(facts).encode(), RUN: json.dumps({"format": RUN_FORMAT, **run}, allow_nan=False).encode()}
    write_aside(path, pack({**tables, **parts}, buffer.getvalue()))


def read_run(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What ``save_run`` kept of the run as JSON; what is in it is the file's word, and to be checked.

    Raises:
        ValueError: The file is no checkpoint of a run, or one of another version of this program.
    """
    run = _table(path, read_parts(path, {RUN: MOST_FACTS})[RUN], "run's numbers")
    if run.get("format") != RUN_FORMAT:
        raise ValueError(f"{path} holds a run of format {show(run.get('format'))}; {RUN_FORMAT} is read here")
    return run
