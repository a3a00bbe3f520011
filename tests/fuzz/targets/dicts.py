"""State dicts: whole ones with changes, and those of a seat, in which something is missing."""

import json
from pathlib import Path

from envs.dicts import difference
from tests.fuzz.case import Case
from tests.fuzz.judge import is_accepted, require
from tests.fuzz.mutate import a_value, change_data
from tests.fuzz.targets import Try
from tests.fuzz.targets.positions import a_record, games, play_on

DECISIONS = 8


def prepare(folder: Path) -> Try:
    """Tries dicts of all games."""
    return make_try


def make_try(case: Case) -> bool:
    """Changes the dict of a position and makes a record of it."""
    game, rng = case.rng.choice(games()), case.rng
    seat = rng.choice([None] * 9 + [rng.randrange(game.num_players)])
    state = game.to_dict(a_record(game, rng), seat)
    if rng.random() < 0.97:
        state = change_data(state, rng)
    else:
        state = a_value(rng)
    seed = rng.choice([0, 5, 2**64 - 1, *[a_value(rng)] * (rng.random() < 0.1)])
    case.inputs |= {"game": repr(game), "state": state, "seed": seed}
    found = []
    if not is_accepted(lambda: found.append(game.from_dict(state, seed))):
        return False
    (record,) = found
    game.check_records(record)
    require(difference(game.to_dict(record), state) is None, "another dict than was given")
    require(json.loads(json.dumps(game.to_dict(record))) == state, "a dict that is no JSON")
    play_on(game, record, DECISIONS, case.number)
    game.text(record)
    return True
