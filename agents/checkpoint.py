"""Checkpoints: one zip file that holds a policy, what game it is for, and what a run needs to go on.

========================  ==================================================================================================
``policy.pth``            the weights, as stable-baselines3 saves them
``facts.json``            the game: name, version, players, options, sizes; and how to build the network
``data`` and others       the rest of stable-baselines3's format: ``SelfPlayPPO.load(path)`` works
``run.pickle``            only in a run's ``model.zip``: games, random generators, counters; read by ``--resume`` alone
========================  ==================================================================================================

A file is written aside, flushed to the disk and renamed: at any moment a reader finds the old one or the new one, whole.
"""

import io
import json
import os
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envs.files import write_aside
from envs.game import Game

SHIPPED = Path(__file__).with_name("checkpoints")
"""The folder of the checkpoints that come with this package, see its README."""

FORMAT = 1
FACTS, WEIGHTS, RUN = "facts.json", "policy.pth", "run.pickle"


def shipped_path(game: Game) -> Path:
    """The file of the checkpoint that is shipped for a rule set and number of players; it need not be there."""
    return SHIPPED / f"{game.name}_{game.num_players}p.zip"


def checkpoint_file(spec: str, game: Game) -> str:
    """The file of a checkpoint that is there: of ``"ppo"``, the shipped one, or of a path.

    Raises:
        ValueError: There is none; the message lists those that are shipped if one of them was asked for.
    """
    path = shipped_path(game) if spec == "ppo" else Path(spec)
    if path.is_file():
        return str(path)
    if spec != "ppo":
        raise ValueError(f"there is no checkpoint {spec}")
    shipped = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.zip"))) or "none"
    raise ValueError(f"there is no trained agent ppo for {path.stem}; there are: {shipped}")


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
        if facts.get(key) != own[key]:
            raise ValueError(f"the checkpoint's {word} is {facts.get(key)!r}, but {own[key]!r} is asked for")


def pack(parts: Mapping[str, bytes], base: bytes = b"") -> bytes:
    """A zip file of the parts, added to those of the zip file ``base``."""
    buffer = io.BytesIO(base)
    with zipfile.ZipFile(buffer, "a" if base else "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read_part(path: str | os.PathLike[str], name: str) -> bytes:
    """One part of a checkpoint.

    Raises:
        ValueError: There is no such file or part, or the file is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is no checkpoint: {error}") from error


def read_facts(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts of a checkpoint.

    Raises:
        ValueError: The file is no checkpoint.
    """
    try:
        facts = json.loads(read_part(path, FACTS))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no checkpoint: its facts cannot be read") from error
    if not isinstance(facts, dict):
        raise ValueError(f"{path} is no checkpoint: its facts are no table")
    return facts


def read_weights(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The weights of a checkpoint, tensors by name; nothing in the file is executed.

    Raises:
        ValueError: The file is no checkpoint.
    """
    import torch as th

    content = read_part(path, WEIGHTS)
    try:
        return th.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path} holds no weights that can be read") from error


def weights_bytes(weights: Mapping[str, Any]) -> bytes:
    """Tensors by name as stable-baselines3 keeps them in a zip file."""
    import torch as th

    buffer = io.BytesIO()
    th.save(dict(weights), buffer)
    return buffer.getvalue()


def save_snapshot(path: str | os.PathLike[str], weights: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Writes a policy that can play but not be trained further."""
    write_aside(path, pack({WEIGHTS: weights_bytes(weights), FACTS: json.dumps(facts).encode()}))


def save_run(path: str | os.PathLike[str], model: Any, facts: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    """Writes a whole run: the model in stable-baselines3's format, the facts, and what else is needed to go on.

    Args:
        path: The file.
        model: A model of stable-baselines3.
        facts: See ``game_facts``.
        run: Plain data.
    """
    buffer = io.BytesIO()
    model.save(buffer)
    parts = {FACTS: json.dumps(facts).encode(), RUN: pickle.dumps(dict(run))}
    write_aside(path, pack(parts, buffer.getvalue()))


def read_run(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What ``save_run`` kept beside the model. Only for files that one has written oneself: pickles can run code.

    Raises:
        ValueError: The file is no checkpoint of a run.
    """
    return pickle.loads(read_part(path, RUN))
