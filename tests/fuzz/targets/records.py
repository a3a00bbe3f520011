"""Records from outside: arrays of the right type with anything in them, and arrays of other types."""

from pathlib import Path

import numpy as np

from envs.vector import VectorAECEnv
from tests.fuzz.case import Case
from tests.fuzz.judge import is_accepted, require
from tests.fuzz.targets import Try
from tests.fuzz.targets.positions import a_record, games, play_on, records
from tests.tampering import with_changed_bytes, with_changed_field

DECISIONS = 12


def prepare(folder: Path) -> Try:
    """Tries records of all games."""
    tables = {game: VectorAECEnv(game, 3, seed=1, autoreset=False) for game in games()}

    def make_try(case: Case) -> bool:
        game = case.rng.choice(games())
        env, record = tables[game], _record(game, case)
        case.inputs |= {"game": repr(game), "record": record.tobytes(), "type": repr(record.dtype)}
        before = env.get_state()
        if not is_accepted(lambda: env.set_records(record, [1])):
            require(env.get_state() == before, "refused, but changed")
            return False
        require(env.states[1].tobytes() == record.tobytes(), "another record than was given")
        play_on(game, record.reshape(1), DECISIONS, case.number)
        return True

    return make_try


def _record(game, case: Case) -> np.ndarray:
    rng, act = case.rng, case.rng.randrange(12)
    if act <= 4:
        record, case.inputs["field"] = with_changed_field(records(game), case.numpy)
        for _ in range(rng.choice([0, 0, 1, 4])):
            record, _ = with_changed_field(record, case.numpy)
        return record
    if act <= 7:
        return with_changed_bytes(records(game), case.numpy)
    if act == 8:
        return np.frombuffer(rng.randbytes(game.state_dtype.itemsize), game.state_dtype)
    if act == 9:
        return _spliced(game, case)
    if act == 10:
        return _with_extremes(game, case)
    return _of_another_kind(game, case)


def _spliced(game, case: Case) -> np.ndarray:
    """Some fields of one position, the others of another."""
    one, other = a_record(game, case.rng), a_record(game, case.rng)
    for name in case.rng.sample(game.state_dtype.names, case.rng.randint(1, 3)):
        one[name] = other[name]
    return one


def _with_extremes(game, case: Case) -> np.ndarray:
    """The least or the largest number of its type in some field."""
    record = a_record(game, case.rng)
    for name in case.rng.sample(game.state_dtype.names, case.rng.randint(1, 3)):
        part = record[name].reshape(-1)
        limits = np.iinfo(part.dtype) if part.dtype.kind in "iu" else None
        if limits:
            part[case.rng.randrange(len(part))] = case.rng.choice([limits.min, limits.max, -1 if limits.min else 0, 0])
            record[name] = part.reshape(record[name].shape)
    return record


def _of_another_kind(game, case: Case) -> np.ndarray:
    record, other = a_record(game, case.rng), a_record(case.rng.choice(games()), case.rng)
    kinds = [
        lambda: other,
        lambda: record.view(np.uint8),
        lambda: record.astype(record.dtype.newbyteorder()),
        lambda: np.concatenate([record, record]),
        lambda: record.astype(object),
        lambda: record[["rng", "decisions"]],
        lambda: record[:0],
        lambda: record[0],
    ]
    return np.asarray(case.rng.choice(kinds)())
