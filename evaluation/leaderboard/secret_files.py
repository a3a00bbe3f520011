"""Deals that nobody knew: a secret for every two agents of a board, drawn when they first meet.

Before the first game two files lie beside a board ``NAME.json``:

    NAME.commitments.json   for every two agents a hash of their secret, of the game and of both agents; to be shown at once
    NAME.secrets.json       the secrets themselves; gone when the board is there, which has them then

An interrupted board is resumed with its secrets, and a board that is made anew keeps those of agents that have met before. No
command draws a second secret for two agents that have one. Agents whose files have changed are others: they have not met.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from envs.dicts import wrong_form
from envs.files import write_aside
from evaluation import json_file
from evaluation.keyed import Secret
from evaluation.leaderboard.entries import Entrant

FORMAT = 1
GAME = ("env", "num_players", "options", "rules")
"""What of a board's header a secret is for, with the two agents."""


def commitments_path(path: Path) -> Path:
    """The file that shows the commitments of a board, or of an entry's own run."""
    return path.with_suffix(".commitments.json")


def secrets_path(path: Path) -> Path:
    """The file that keeps the secrets of a board until it is there."""
    return path.with_suffix(".secrets.json")


@dataclass(frozen=True)
class Meetings:
    """Who meets whom on a board.

    Attributes:
        header: Of the board, with the keys ``GAME``.
        entrants: Its agents.
        pairs: By number; each has a secret.
    """

    header: Mapping[str, Any]
    entrants: Sequence[Entrant]
    pairs: Sequence[Sequence[int]]

    @property
    def names(self) -> list[str]:
        """Each pair in words."""
        return [" + ".join(self.entrants[k].name for k in pair) for pair in self.pairs]

    @property
    def game(self) -> dict[str, Any]:
        """What they play."""
        return {key: self.header[key] for key in GAME}

    @cached_property
    def agents(self) -> list[list[dict[str, Any]]]:
        """Who each pair is: names, words and hashes of files."""
        known = [{"name": one.name, "agent": one.agent, "file": one.file} for one in self.entrants]
        return [[known[k] for k in pair] for pair in self.pairs]

    @cached_property
    def subjects(self) -> list[str]:
        """What the secret of each pair is committed to."""
        return [json.dumps({**self.game, "agents": pair}, sort_keys=True, ensure_ascii=False) for pair in self.agents]

    def commitments(self, secrets: Sequence[Secret]) -> list[str]:
        """The commitment to the secret of each pair."""
        return [secret.commit_to(subject) for secret, subject in zip(secrets, self.subjects, strict=True)]


def keep_or_draw(path: Path, board: Any, meetings: Meetings) -> list[Secret]:
    """The secrets of a board's pairs, in their order; when this returns, both files tell of them.

    Args:
        path: The board's file.
        board: What is in it, if there is a board already.
        meetings: Of the board that is to be.

    Raises:
        ValueError: A file is damaged, or a commitment was shown and its secret is lost.
        OSError: A file cannot be read or written.
    """
    known = _published(board) | _kept(secrets_path(path))
    lost = {pair for pair, shown in enumerate(_shown(path, meetings)) if shown}
    secrets = []
    for pair, subject in enumerate(meetings.subjects):
        secret = next((one for commitment, one in known.items() if one.commit_to(subject) == commitment), None)
        if secret is None and pair in lost:
            raise ValueError(
                f"{commitments_path(path)} shows a commitment for {meetings.names[pair]}, but its secret is not "
                f"in {path} or {secrets_path(path)}; remove the file to draw others, which everybody can see"
            )
        secrets.append(secret or Secret.draw())
    _write(path, meetings, secrets)
    return secrets


def discard(path: Path) -> None:
    """Removes the file of secrets: the board has them now."""
    secrets_path(path).unlink(missing_ok=True)


def commitments_beside(path: Path, meetings: Meetings) -> list[str | None]:
    """What the file of commitments beside a board shows for each of its pairs; None where it does not know the pair.

    Raises:
        ValueError: It is not there, or damaged.
    """
    if not commitments_path(path).exists():
        raise ValueError(f"the commitments that were shown before its first game are not there: {commitments_path(path)}")
    return _shown(path, meetings)


def _write(path: Path, meetings: Meetings, secrets: Sequence[Secret]) -> None:
    """The secrets first: a commitment whose secret is lost would be of no use."""
    commitments = meetings.commitments(secrets)
    private = {"format": FORMAT, "secrets": {c: secret.hex for c, secret in zip(commitments, secrets, strict=True)}}
    pairs = [{"agents": agents, "commitment": c} for agents, c in zip(meetings.agents, commitments, strict=True)]
    public = {"format": FORMAT, **meetings.game, "pairs": pairs}
    write_aside(secrets_path(path), (json.dumps(private, indent=1) + "\n").encode(), is_private=True)
    write_aside(commitments_path(path), (json.dumps(public, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode())


def _published(board: Any) -> dict[str, Secret]:
    """The secrets that a board has shown, by commitment; none of a board from before there were any."""
    try:
        return {c: Secret.from_hex(text) for c, text in zip(board["commitments"], board["secrets"], strict=True)}
    except (KeyError, TypeError, ValueError):
        return {}  # what is no board has nothing to keep


def _kept(path: Path) -> dict[str, Secret]:
    if not path.exists():
        return {}
    try:
        found = json_file.read(path)
        if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("secrets"), dict):
            raise ValueError(f"it has not the format {FORMAT}")
        return {commitment: Secret.from_hex(text) for commitment, text in found["secrets"].items()}
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} holds no secrets that can be read: {error}; without it what was played is of no use") from error


def _shown(path: Path, meetings: Meetings) -> list[str | None]:
    """The commitment that the file beside a board shows for each pair; None for those it does not know, or of another game."""
    path = commitments_path(path)
    if not path.exists():
        return [None] * len(meetings.pairs)
    try:
        found = json_file.read(path)
        pattern = {"format": None, **dict.fromkeys(GAME), "pairs": [{"agents": None, "commitment": None}]}
        if wrong := wrong_form(found, pattern):
            raise ValueError(wrong)
        if found["format"] != FORMAT or not all(isinstance(pair["commitment"], str) for pair in found["pairs"]):
            raise ValueError(f"its format is not {FORMAT}, or a commitment is no text")
    except ValueError as error:
        raise ValueError(f"{path} holds no commitments that can be read: {' '.join(str(error).split())[:200]}") from error
    if any(found[key] != value for key, value in meetings.game.items()):
        return [None] * len(meetings.pairs)
    shown = {json.dumps(pair["agents"], sort_keys=True): pair["commitment"] for pair in found["pairs"]}
    return [shown.get(json.dumps(agents, sort_keys=True)) for agents in meetings.agents]
