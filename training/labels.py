"""Positions labelled by a search: what each legal action is worth, to be learned from.

Games are played by a rule-based player or by the policy that learns, now and then at random, and in a part of their decisions a
search says what each action is worth. It is given the position as the seat to act may imagine it, dealt anew, and that is what is
kept. A label depends on (seed, chunk, row) and on who plays, never on other rows, chunks or processes.

``labels/NNNNNN.zip`` in the folder of a run has those of a round: ``facts.json`` tells of what, ``worlds.bin`` the records, and
``visits.npy (K, A) int32`` and ``values.npy (K, A) float32`` what the search found. K positions, A actions.
"""

import io
import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.archive import pack, read_parts
from agents.checkpoint import game_facts
from agents.registry import make_agent
from agents.search import SearchAgent
from envs import engine
from envs.checks import show
from envs.files import write_aside
from envs.game import Game
from training.games import Games

FORMAT = 1
GAMES = 64
"""Games of a chunk."""

LABELLED, EXPLORED = 0.25, 0.15
"""Parts of the decisions with a choice: labelled, and of all decisions: played at random."""

DOUBT = 2.0
"""A mean of n simulations counts n / (n + DOUBT) towards that of the position."""

_LABEL, _EXPLORE, _PICK = (np.uint64(int.from_bytes(word)) for word in (b"Label", b"Explore", b"Pick"))
_FACTS, _WORLDS, _VISITS, _VALUES = "facts.json", "worlds.bin", "visits.npy", "values.npy"
_MOST_FACTS = 10_000


@dataclass(frozen=True)
class Labels:
    """Positions and what a search found in them.

    Attributes:
        worlds: ``(K,)`` records, dealt anew for the seat to act.
        visits: ``(K, A) int32``: simulations of each action.
        values: ``(K, A) float32``: their mean, 0 where there were none.
    """

    worlds: np.ndarray
    visits: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.worlds)

    def part(self, rows: Any) -> "Labels":
        """Some of them."""
        return Labels(self.worlds[rows], self.visits[rows], self.values[rows])

    def advantages(self) -> tuple[np.ndarray, np.ndarray]:
        """By how much each action is better than the mean of the position, shrunk by doubt, ``(K, A) float32``; and what the
        position is worth when the best is played, ``(K,) float32``."""
        number = self.visits.astype(np.float32)
        mean = (self.values * number).sum(1, keepdims=True) / np.maximum(1, number.sum(1, keepdims=True))
        better = np.where(number > 0, (self.values - mean) * number / (number + DOUBT), 0).astype(np.float32)
        return better, (mean[:, 0] + better.max(1)).astype(np.float32)


def join(parts: list[Labels]) -> Labels:
    """Labels one after another."""
    arrays = zip(*((part.worlds, part.visits, part.values) for part in parts), strict=True)
    return Labels(*map(np.concatenate, arrays))


def make_teacher(spec: str, game: Game) -> SearchAgent:
    """The search that labels.

    Raises:
        ValueError: There is no such agent, or it is no search with a number of simulations.
    """
    example = "such as ismcts:48,root=even"
    try:
        teacher = make_agent(spec, game)
    except ValueError as error:
        raise ValueError(f"--teacher: {error}") from error
    if not isinstance(teacher, SearchAgent) or teacher.settings.simulations is None:
        raise ValueError(f"--teacher is {spec!r}; it must be a search with a number of simulations, {example}")
    return teacher


def label_round(teacher: SearchAgent, player: Agent, seed: int, number: int, count: int) -> tuple[Labels, int]:
    """Labels of a round: chunk after chunk until there are enough of them.

    Args:
        teacher: The search.
        player: Plays the games.
        seed: Of the run.
        number: Of the round.
        count: Labels, K.

    Returns:
        The labels, and how many games were played for them.
    """
    parts: list[Labels] = []
    while missing := count - sum(map(len, parts)):
        parts.append(label_chunk(teacher, player, seed, number, len(parts), most=missing))
    return join(parts), GAMES * len(parts)


def label_chunk(
    teacher: SearchAgent, player: Agent, seed: int, number: int, chunk: int, rows: int = GAMES, most: int | None = None
) -> Labels:
    """Labels of the first games of a chunk, in the order of the rows and, in a row, of the decisions; at most ``most``."""
    game = teacher.game
    words = np.random.SeedSequence([seed, number, chunk]).generate_state(1, np.uint64)
    games = Games(game, rows, seed=int(words[0]), autoreset=False)
    asked: list[np.ndarray] = []
    worlds: list[np.ndarray] = []
    while len(live := np.flatnonzero(games.agent_selection >= 0)):
        shown = games.last()[0]
        masks, dealt = shown["action_mask"][live], games.worlds_of(live)
        labelled = _chosen(dealt["rng"], _LABEL, LABELLED) & (masks.sum(1) > 1)
        asked.append(live[labelled])
        worlds.append(dealt[labelled].copy())
        actions = player.act(shown["observation"][live], masks.copy(), dealt.copy())
        explores = _chosen(dealt["rng"], _EXPLORE, EXPLORED)
        games.step_rows(live, np.where(explores, _random_actions(masks, dealt["rng"]), actions))
    order = np.argsort(np.concatenate(asked), kind="stable")
    return search(teacher, np.concatenate(worlds)[order][:most])  # labels that are not kept would cost as much as the others


def search(teacher: SearchAgent, worlds: np.ndarray) -> Labels:
    """What the search finds in K positions."""
    found = teacher.search(worlds, with_values=True)
    assert found.values is not None
    means = found.values / np.maximum(1, found.visits)
    return Labels(worlds, found.visits.astype(np.int32), means.astype(np.float32))


def _chosen(words: np.ndarray, purpose: np.uint64, share: float) -> np.ndarray:
    """Which decisions a part falls on, by their random words."""
    return np.array(_hashed(words, purpose) < np.uint64(int(share * 2**64)))


def _random_actions(masks: np.ndarray, words: np.ndarray) -> np.ndarray:
    actions = np.empty(len(masks), np.int64)
    _pick_batch(engine.rows(np.ascontiguousarray(masks)), _hashed(words, _PICK), actions)
    return actions


def _hashed(words: np.ndarray, purpose: np.uint64) -> np.ndarray:
    hashed = np.empty(len(words), np.uint64)
    _hash_batch(np.ascontiguousarray(words), purpose, hashed)
    return hashed


@engine.kernel
def _hash_batch(words, purpose, hashed):
    for i in range(len(words)):
        hashed[i] = engine.mix_in(engine.mix_in(words[i], purpose), 0)


@engine.kernel
def _pick_batch(masks, words, actions):
    for i in range(len(actions)):
        actions[i] = engine.pick(masks[i]["row"], words[i])


# --- files --------------------------------------------------------------------------------------------------------------


def facts_of(game: Game, teacher: str, count: int) -> dict[str, Any]:
    """What labels are of; only labels of the same are learned from."""
    own = {**game_facts(game), "rules": game.rules_digest}
    return {"labels": FORMAT, **own, "teacher": teacher, "count": count}


def write_labels(path: str | os.PathLike[str], labels: Labels, facts: dict[str, Any]) -> None:
    """Writes the labels of a round.

    Raises:
        OSError: They could not be written.
    """
    parts = {_FACTS: json.dumps(facts).encode(), _WORLDS: labels.worlds.tobytes()}
    write_aside(path, pack(parts | {_VISITS: _npy(labels.visits), _VALUES: _npy(labels.values)}))


def read_labels(path: str | os.PathLike[str], game: Game, facts: dict[str, Any]) -> Labels:
    """The labels of a round; the file may be anybody's.

    Args:
        path: The file.
        game: The rule set.
        facts: What they must be of, see ``facts_of``.

    Raises:
        ValueError: There is no such file, it is of something else, or holds what no search of this game finds; one line.
    """
    count, actions = int(facts["count"]), game.num_actions
    numbers = count * actions * 4 + 1000
    most = {_FACTS: _MOST_FACTS, _WORLDS: count * game.state_dtype.itemsize, _VISITS: numbers, _VALUES: numbers}
    found = _facts(path, read_parts(path, {_FACTS: _MOST_FACTS})[_FACTS])
    for name, wanted in facts.items():
        if found.get(name) != wanted:
            raise ValueError(f"{path} holds labels whose {name} is {show(found.get(name))}, but {show(wanted)} is asked for")
    parts = read_parts(path, most)
    if len(parts[_WORLDS]) != count * game.state_dtype.itemsize:
        raise ValueError(f"{path} is damaged: its positions are not {count}")
    worlds = np.frombuffer(parts[_WORLDS], game.state_dtype).copy()
    visits = _array(path, parts[_VISITS], np.int32, (count, actions))
    values = _array(path, parts[_VALUES], np.float32, (count, actions))
    try:
        game.check_records(worlds)
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if (worlds["current_player"] < 0).any() or (visits < 0).any() or not (np.abs(values) <= 1).all():
        raise ValueError(f"{path} is damaged: no search finds such numbers")
    return Labels(worlds, visits, values)


def _facts(path: str | os.PathLike[str], content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} holds no labels: its facts cannot be read") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds no labels: its facts are no table")
    return found


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _array(path: str | os.PathLike[str], content: bytes, kind: Any, shape: tuple[int, ...]) -> np.ndarray:
    expected = _npy(np.zeros(shape, kind))
    head = len(expected) - np.dtype(kind).itemsize * int(np.prod(shape))
    if len(content) != len(expected) or content[:head] != expected[:head]:
        raise ValueError(f"{path} is damaged: an array of it is not {np.dtype(kind)} of shape {shape}")
    return np.frombuffer(content[head:], kind).reshape(shape).copy()
