"""Recorded games as data sets: a Parquet file with a row for each decision, or Minari episodes.

Every file is played again from its seed and compared line by line first (``envs.replay.checking``), so what is in a data set is
what the rules give, whoever has sent the files. Games are written one by one: memory does not grow with their number. pyarrow
and minari come with the extra ``data``.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from envs.files import writing_aside
from envs.game import Game
from envs.replay.checking import play_again
from envs.replay.reading import NOTHING, Named, ReplayError
from envs.replay.recording import named_by_content
from envs.vector import VectorAECEnv, observation_space

_INSTALL = "pip install 'fairy-rings[data]'"


class Trajectory(NamedTuple):
    """A recorded game as arrays. T decisions, P seats, D observation length, A actions.

    Attributes:
        game: The rule set.
        reward: The kind of its rewards.
        seed: Of the game.
        seats: ``(T,) int8``: who decided.
        observations: ``(T, D) float32``: what that seat saw.
        masks: ``(T, A) int8``: what was legal.
        actions: ``(T,) int64``.
        rewards: ``(P,) float32``: paid at the end.
        terminated: Whether the rules ended it.
        truncated: Whether a limit did.
        finals: ``(P, D) float32``: what each seat sees at the end.
    """

    game: Game
    reward: str
    seed: int
    seats: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    terminated: bool
    truncated: bool
    finals: np.ndarray


def trajectory(path: Path, named: Named = NOTHING) -> Trajectory:
    """A replay as arrays, after every line of it was compared.

    Raises:
        ReplayError: A line is broken or differs; the message names the line and the field.
    """
    seen: list[tuple[int, np.ndarray, np.ndarray, int]] = []

    def look(env: VectorAECEnv, action: int) -> None:
        view = env.last()[0]
        seen.append((int(env.agent_selection[0]), view["observation"][0].copy(), view["action_mask"][0].copy(), action))

    game, env, seed, _ = play_again(path, named, look)
    seats, observations, masks, actions = zip(*seen, strict=True) if seen else ((), (), (), ())
    _, rewards, terminations, truncations, _ = env.last()
    finals = np.stack([env.observe(seat)["observation"][0] for seat in range(game.num_players)])
    return Trajectory(
        game, env.reward, seed, np.array(seats, np.int8),
        np.array(observations, np.float32).reshape(-1, game.observation_size),
        np.array(masks, np.int8).reshape(-1, game.num_actions), np.array(actions, np.int64),
        rewards[0].copy(), bool(terminations[0]), bool(truncations[0]), finals.astype(np.float32),
    )  # fmt: skip


def trajectories(paths: Sequence[Path], named: Named = NOTHING) -> Iterator[Trajectory]:
    """Replays one by one, all of one game with the same options.

    Raises:
        ReplayError: One is broken, or of another game than the first; the message names the file.
    """
    first: dict[str, Any] | None = None
    for path in paths:
        try:
            found = trajectory(path, named)
        except (ReplayError, OSError) as error:
            raise ReplayError(f"{path}: {error}") from error
        facts = facts_of(found)
        first = first or facts
        if different := [key for key in facts if facts[key] != first[key]]:
            key = different[0]
            was = f"{key} {first[key]!r}; {paths[0]} has"
            raise ReplayError(f"{path}: a data set is of one game, but this one has {key} {facts[key]!r} and not {was} it")
        yield found


def facts_of(played: Trajectory) -> dict[str, Any]:
    """What all games of a data set have in common, as plain data."""
    game = played.game
    return {
        "game": game.name,
        "version": game.version,
        "options": named_by_content(game),
        "num_players": game.num_players,
        "reward": played.reward,
        "num_actions": game.num_actions,
        "sections": [[section.name, list(section.shape), section.meaning] for section in game.sections],
    }


# --- Parquet ------------------------------------------------------------------------------------------------------------


def to_parquet(paths: Sequence[Path], out: Path, named: Named = NOTHING) -> tuple[int, int]:
    """Writes a Parquet file with a row for each decision and a row group for each game.

    ``game`` counts the files, ``seed`` is the game's, ``step`` counts its decisions, ``seat`` decided, ``observation``
    (D float32) and ``action_mask`` (A int8) are what it saw, ``action`` what it did; ``rewards`` (P float32) is what that
    decision paid to every seat, ``terminated`` and ``truncated`` whether it ended the game. The metadata ``fairy_rings`` says
    which game, and what the numbers of an observation mean.

    Returns:
        Number of rows, and of seats of games that decided something.

    Raises:
        ReplayError: A replay is broken, or of another game; nothing is written then.
        OSError: The file could not be written.
        ImportError: pyarrow is missing.
    """
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError(f"Parquet needs pyarrow: {_INSTALL}") from error
    rows = episodes = 0
    with writing_aside(out) as file, ExitStack() as stack:
        writer = None
        for number, played in enumerate(trajectories(paths, named)):
            table = _table(number, played)
            writer = writer or stack.enter_context(parquet.ParquetWriter(file, table.schema, compression="zstd"))
            writer.write_table(table, row_group_size=max(len(table), 1))
            rows, episodes = rows + len(table), episodes + len(np.unique(played.seats))
    return rows, episodes


def _table(number: int, played: Trajectory) -> Any:
    import pyarrow as arrow

    count, game = len(played.actions), played.game
    rewards = np.zeros((count, game.num_players), np.float32)
    ends = np.zeros((2, count), np.bool_)
    if count:
        rewards[-1] = played.rewards
        ends[:, -1] = played.terminated, played.truncated
    columns = {
        "game": arrow.array(np.full(count, number, np.int32)),
        "seed": arrow.array(np.full(count, played.seed, np.uint64)),
        "step": arrow.array(np.arange(count, dtype=np.int32)),
        "seat": arrow.array(played.seats),
        "observation": _lists(played.observations),
        "action_mask": _lists(played.masks),
        "action": arrow.array(played.actions.astype(np.int32)),
        "rewards": _lists(rewards),
        "terminated": arrow.array(ends[0]),
        "truncated": arrow.array(ends[1]),
    }
    return arrow.table(columns, metadata={"fairy_rings": json.dumps(facts_of(played))})


def _lists(rows: np.ndarray) -> Any:
    """``(T, K)`` numbers as T lists of K."""
    import pyarrow as arrow

    return arrow.FixedSizeListArray.from_arrays(arrow.array(rows.reshape(-1)), rows.shape[1])


# --- Minari -------------------------------------------------------------------------------------------------------------


def to_minari(paths: Sequence[Path], out: Path, named: Named = NOTHING) -> tuple[int, int]:
    """Writes a data set of Minari's: an episode for each game and seat.

    ``minari.MinariDataset(out / "data")`` reads it, and ``minari.load_dataset("NAME-v0")`` where ``MINARI_DATASETS_PATH`` names
    the folder that holds it and it is called ``NAME-v0``.

    An episode has the decisions of that seat alone, and after the last one what it sees at the end. Observations are tables of
    ``observation`` and ``action_mask``, as in the environments; a seat is paid with its last decision.

    Returns:
        Number of decisions and of episodes.

    Raises:
        ReplayError: A replay is broken, or of another game; nothing is written then.
        OSError: The folder is there already, or could not be written.
        ImportError: minari is missing.
    """
    try:
        import pyarrow  # noqa: F401 (what the data set is kept with)
        from minari.data_collector.episode_buffer import EpisodeBuffer
    except ImportError as error:
        raise ImportError(f"Minari's data sets need minari and pyarrow: {_INSTALL}") from error
    out = out.absolute()  # minari joins relative paths with themselves
    if out.exists():
        raise FileExistsError(f"{out} is there already; choose another --out")
    aside = out.with_name(f".{out.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    rows = episodes = 0
    storage: Any = None
    try:
        for played in trajectories(paths, named):
            if storage is None:
                aside.mkdir(parents=True)
                storage = _new_storage(aside / "data", played.game)
            made = [EpisodeBuffer(id=episodes + place, **part) for place, part in enumerate(_episodes(played))]
            storage.update_episodes(made)
            rows, episodes = rows + len(played.actions), episodes + len(made)
            about = _about(out.name, facts_of(played))
        if storage is not None:
            storage.update_metadata(about)
            aside.rename(out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return rows, episodes


def _new_storage(folder: Path, game: Game) -> Any:
    from gymnasium.spaces import Discrete
    from minari.dataset.minari_storage import MinariStorage

    return MinariStorage.new(folder, observation_space(game), Discrete(game.num_actions), data_format="arrow")


def _about(name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    from importlib.metadata import version

    plain = re.sub(r"[^\w-]", "-", name, flags=re.ASCII)
    return {
        "dataset_id": plain if re.search(r"-v\d+$", plain) else f"{plain}-v0",
        "minari_version": version("minari"),
        "algorithm_name": "recorded games",
        "fairy_rings": json.dumps(facts),
    }


def _episodes(played: Trajectory) -> Iterator[dict[str, Any]]:
    """The decisions of each seat that made some, as parts of Minari's buffers."""
    for seat in range(played.game.num_players):
        own = np.flatnonzero(played.seats == seat)
        if not len(own):
            continue
        observations = np.concatenate([played.observations[own], played.finals[seat][None]])
        masks = np.concatenate([played.masks[own], np.zeros_like(played.masks[:1])])
        last = np.arange(len(own)) == len(own) - 1
        yield {
            "seed": played.seed % 2**63,
            "observations": {"observation": observations, "action_mask": masks},
            "actions": played.actions[own],
            "rewards": np.where(last, played.rewards[seat], 0).astype(np.float64),
            "terminations": last & played.terminated,
            "truncations": last & played.truncated,
        }


FORMS: dict[str, Callable[[Sequence[Path], Path, Named], tuple[int, int]]] = {"parquet": to_parquet, "minari": to_minari}
"""What replays can be exported to."""
