"""Records that somebody has tampered with: how they are made, and what a game does that goes on from those that are let pass.

``python -m tests.tampering NAME PLAYERS NUMBER DECISIONS [OPTIONS]`` makes a number of them, prints how many pass and a hash of
what is found wrong with the others, and plays on from those that pass. The tests run it under other compiler settings.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envs
from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv
from tests.comparison import random_choice

APART = ("rng", "decisions")  # fields that a state dict does not tell
RULE_SETS = {
    "dance_of_eights": [
        ("dance_of_eights", 2, {"max_turns": 12}),
        ("dance_of_eights", 4, {"max_turns": 12, "copies": 1}),
        ("dance_of_eights", 7, {"max_turns": 6, "copies": 1}),
    ],
    "fairy_ring": [("fairy_ring", 2, {}), ("fairy_ring", 4, {"fireflies": "all"}), ("fairy_ring_objectives", 3, {})],
}
"""Name, players and options of some rule sets of a game; Mushroom Rings has tests of its own, with other changes."""


def records_of(game: Game, seed: int, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Every record of whole random games, and a world of each in which something may be to be decided."""
    env = VectorAECEnv(game, games, seed=seed, autoreset=False)
    rng = np.random.default_rng(seed)
    records, worlds = [env.states.copy()], []
    while (env.agent_selection >= 0).any():
        worlds.append(env.worlds(_words(rng, games), rng.integers(game.num_players, size=games)))
        env.step(random_choice(env.last()[0]["action_mask"], rng))
        records.append(env.states.copy())
    return np.concatenate(records), np.concatenate(worlds)


def _words(rng: np.random.Generator, number: int) -> np.ndarray:
    return rng.integers(2**64, size=number, dtype=np.uint64)


def comes_back(game: Game, record: np.ndarray) -> bool:
    """Whether a dict can be made of a ``(1,)`` record and the same record of the dict, but for what dicts do not tell.

    Of a game in which nobody is to act it is enough that it would with some seat to act: then that one has forfeited it.
    """
    if _is_the_same(game, record):
        return True
    before = np.repeat(record, game.num_players)
    before["current_player"] = np.arange(game.num_players)
    return bool(record["current_player"] == engine.NO_PLAYER) and any(_is_the_same(game, each[None]) for each in before)


def _is_the_same(game: Game, record: np.ndarray) -> bool:
    try:
        again = game.from_dict(game.to_dict(record))
    except (ValueError, IndexError, KeyError, OverflowError):
        return False
    for name in APART:
        again[name] = record[name]
    return again.tobytes() == record.tobytes()


def faulty_field(game: Game, record: np.ndarray) -> str | None:
    """The impossible field that is found in a ``(1,)`` record, or None."""
    try:
        game.check_records(record)
    except ValueError as error:
        return str(error).removeprefix("row 0: field ").split()[0]
    return None


def with_changed_field(records: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """A ``(1,)`` copy of one of the records with another number in one place of one field, and the field."""
    record = records[rng.integers(len(records))][None].copy()
    fields = [name for name in records.dtype.names if name != "rng"]
    name = fields[rng.integers(len(fields))]
    part = record[name]
    place = tuple(rng.integers(size) for size in part.shape)
    other = records[name][rng.integers(len(records))][place[1:]]  # what stands there in another game
    candidates = [part[place] + rng.integers(-2, 3), rng.integers(-3, 70), other, rng.choice(part.ravel()), rng.integers(2**62)]
    part[place] = np.array([candidates[rng.integers(len(candidates))]]).astype(part.dtype)[0]
    return record, name


def change_fields(game: Game, records: np.ndarray, number: int, seed: int) -> list[str | None]:
    """Changes fields, one in each copy of a record: what passes is what its dict makes again. Returns what is found in each."""
    rng, found = np.random.default_rng(seed), list[str | None]()
    for _ in range(number):
        record, changed = with_changed_field(records, rng)
        field = faulty_field(game, record)
        # A dict does not tell the number of decisions, and so not whether they are too many for this turn either.
        if field != "decisions":
            assert (field is None) == comes_back(game, record), (changed, field)
        found.append(field)
    return found


def named_when_impossible(game: Game, state: dict[str, Any], change: Callable[[np.ndarray], None], field: str) -> None:
    """A position passes; changed, it is refused, which names the field, and does not come back from its dict."""
    record = game.from_dict(state)
    game.check_records(record)
    change(record)
    with pytest.raises(ValueError, match=rf"^row 0: field {field} is not possible: it must be "):
        game.check_records(record)
    assert not comes_back(game, record) or field == "decisions", field


def set_field(name: str, value: int, *place: Any) -> Callable[[np.ndarray], None]:
    """A change: another number in a place of a field."""

    def change(record):
        record[name][(0, *place)] = value

    return change


def with_changed_bytes(records: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A ``(1,)`` copy of one of the records with 1 to 20 random bytes in it."""
    record = records[rng.integers(len(records))][None].copy()
    memory = record.view(np.uint8)
    places = rng.integers(len(memory), size=rng.integers(1, 21))
    memory[places] = rng.integers(256, size=len(places), dtype=np.uint8)
    return record


def play_on(game: Game, records: np.ndarray, decisions: int, seed: int) -> None:
    """Plays random legal decisions, looks at every seat's view, re-deals; every position on the way is a possible one."""
    env = VectorAECEnv(game, len(records), seed=seed, autoreset=False)
    env.set_records(records)
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        masks = env.last()[0]["action_mask"]
        assert masks[env.agent_selection >= 0].any(axis=1).all()
        env.step(random_choice(masks, rng))
        env.state()
        worlds = env.worlds(_words(rng, len(records)), rng.integers(game.num_players, size=len(records)))
        game.check_records(env.states)
        game.check_records(worlds[env.agent_selection >= 0])  # of a game that is over nobody asks for worlds


def main(arguments: list[str]) -> None:
    """Prints how many records pass and what is wrong with the others, and plays on."""
    name, (players, number, decisions) = arguments[0], map(int, arguments[1:4])
    game = envs.make_game(name, players, **json.loads(arguments[4] if arguments[4:] else "{}"))
    rng = np.random.default_rng(0)
    records = records_of(game, 0, 2)[0]
    tampered = [with_changed_field(records, rng)[0] for _ in range(number // 2)]
    tampered += [with_changed_bytes(records, rng) for _ in range(number // 2)]
    fields = [faulty_field(game, record) for record in tampered]
    passed = [record for record, field in zip(tampered, fields, strict=True) if field is None]
    print(len(passed), hashlib.sha256(repr(fields).encode()).hexdigest())
    if decisions:
        play_on(game, np.concatenate(passed), decisions, seed=1)


if __name__ == "__main__":
    main(sys.argv[1:])
