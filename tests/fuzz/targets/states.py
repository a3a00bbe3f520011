"""Saved states: the bytes of ``get_state`` with another header or other records, or damaged."""

import json
from pathlib import Path

import numpy as np

import envs
from envs.batch import _SAVED
from envs.saving import MAGIC
from envs.vector import VectorAECEnv
from tests.comparison import random_choice
from tests.fuzz.case import Case
from tests.fuzz.judge import is_accepted, require
from tests.fuzz.mutate import a_value, change_bytes, change_data, to_json
from tests.fuzz.targets import Try
from tests.fuzz.targets.positions import check_valid, games, play_on
from tests.tampering import with_changed_bytes, with_changed_field

N = 3
HEAD = len(MAGIC) + 4
DECISIONS = 10


class Door:
    """One environment and states it was in.

    Args:
        env: The environment.
        states: It was in.
    """

    def __init__(self, env, states):
        self.env, self.states, self.game = env, states, env.game
        arrays = [getattr(env, name) for name in _SAVED] if isinstance(env, VectorAECEnv) else env._parts()
        self.told = np.concatenate([_told(array) for array in arrays])

    def is_dealt(self) -> bool:
        """Whether there is a game yet."""
        return isinstance(self.env, VectorAECEnv) or "agents" in vars(self.env)

    def records(self) -> np.ndarray:
        """``(N,)`` or ``(1,)``."""
        return self.env.states if isinstance(self.env, VectorAECEnv) else np.array([self.env.record])


def prepare(folder: Path) -> Try:
    """Tries the states of every game in both environments, with finished games that restart and without."""
    doors = [_vector(game, autoreset) for game in games() for autoreset in (True, False)] + [_single(game) for game in games()]
    everything = [state for door in doors for state in door.states]

    def make_try(case: Case) -> bool:
        door = case.rng.choice(doors)
        state = _changed(door, everything, case)
        case.inputs |= {"door": repr((type(door.env).__name__, door.game)), "state": state if isinstance(state, bytes) else b""}
        before = door.env.get_state()
        if not is_accepted(lambda: door.env.set_state(state)):
            require(door.env.get_state() == before, "refused, but changed")
            return False
        require(_parts(door.env.get_state(), door) == _parts(bytes(state), door), "another state than was given")
        if door.is_dealt():
            check_valid(door.game, door.records())
            play_on(door.game, door.records().copy(), DECISIONS, case.number)
        _go_on(door.env, case)
        door.env.set_state(case.rng.choice(door.states))
        return True

    return make_try


def _vector(game, autoreset: bool) -> Door:
    env, rng, states = VectorAECEnv(game, N, seed=2, autoreset=autoreset), np.random.default_rng(2), []
    for decision in range(120):
        if decision % 12 == 0:
            states.append(env.get_state())
        env.step(random_choice(env.last()[0]["action_mask"], rng))
    return Door(env, states)


def _single(game) -> Door:
    env, rng = envs.raw_env(game), np.random.default_rng(2)
    states = []
    for seed in range(4):
        env.reset(seed=seed)
        for _ in range(rng.integers(200)):
            if not env.agents:
                break
            _step(env, rng)
        states.append(env.get_state())
    return Door(env, states)


def _step(env, rng) -> None:
    view, _, terminated, truncated, _ = env.last()
    env.step(None if terminated or truncated else int(random_choice(view["action_mask"][None], rng)[0]))


def _go_on(env, case: Case) -> None:
    """Plays in the environment itself: what it keeps besides the records must do too."""
    rng = case.numpy
    for _ in range(DECISIONS):
        if isinstance(env, VectorAECEnv):
            env.step(random_choice(env.last()[0]["action_mask"], rng))
            env.last()
        elif "agents" in vars(env) and env.agents:
            _step(env, rng)
    env.reset()
    env.set_state(env.get_state())


def _changed(door: Door, everything: list[bytes], case: Case):
    rng, state = case.rng, case.rng.choice(door.states)
    act = rng.randrange(10)
    if act == 0:
        return rng.choice([a_value(rng), rng.choice(everything), memoryview(state), bytearray(state), b"", state[:HEAD], MAGIC])
    if act <= 2:
        return change_bytes(state, rng)
    length = int.from_bytes(state[len(MAGIC) : HEAD], "little")
    header, body = state[HEAD : HEAD + length], state[HEAD + length :]
    if act <= 5:
        header = to_json(change_data(json.loads(header), rng, 2), rng)
    elif act <= 8:
        body = _changed_records(door, body, case)
    else:
        body = body[:-16] + change_bytes(body[-16:], rng)  # what comes behind the records, of the same length or another
    size = len(header) + rng.choice([0] * 20 + [1, -1, 2**31])
    return MAGIC + max(0, size).to_bytes(4, "little") + header + body


def _changed_records(door: Door, body: bytes, case: Case) -> bytes:
    count, kind = len(door.records()), door.game.state_dtype
    size = count * kind.itemsize
    records = np.frombuffer(body[:size], kind).copy()
    rest = bytearray(body[size:])
    if case.rng.random() < 0.4:
        for _ in range(case.rng.randint(1, 3)):
            rest[case.rng.randrange(len(rest))] = case.rng.choice([0, 1, 2, 127, 128, 255, case.rng.randrange(256)])
        return body[:size] + bytes(rest)
    changed = with_changed_bytes(records, case.numpy) if case.rng.random() < 0.3 else with_changed_field(records, case.numpy)[0]
    records[case.rng.randrange(count)] = changed[0]
    return records.tobytes() + bytes(rest)


def _parts(state: bytes, door: Door) -> tuple:
    """What a state says, however its header is written and whatever is in the gaps between fields."""
    length = int.from_bytes(state[len(MAGIC) : HEAD], "little")
    body = np.frombuffer(state[HEAD + length :], np.uint8)
    return json.loads(state[HEAD : HEAD + length].decode("utf-8-sig")), body[door.told].tobytes()


def _told(array: np.ndarray) -> np.ndarray:
    """Which bytes of an array belong to a field."""
    fields = array.dtype.fields or {"": (array.dtype, 0)}
    told = np.zeros(array.dtype.itemsize, bool)
    for kind, start, *_ in fields.values():
        told[start : start + kind.itemsize] = True
    return np.tile(told, array.size)
