"""A state dict with anything wrong in it is refused with a ValueError that says where, and nothing else is ever raised.

In dicts from several phases of random games every value in turn is replaced, left out, or joined by one under an unknown key.
"""

import copy
import random

import numpy as np
import pytest

import envs

WRONG = [None, "x", [], {}, -1, 10**12, 0.5, True]
POSITIONS = 12
ENTRIES = 2  # of each list


@pytest.fixture(params=list(envs.GAMES))
def states(request):
    """The game, and dicts of a random game in as many phases as it comes to."""
    game = envs.make_game(request.param)
    env, rng, by_phase = envs.make_vec(game, 1, seed=3), random.Random(3), {}
    for _ in range(150):
        state = game.to_dict(env.states)
        by_phase[state["phase"]] = state
        env.step(np.array([rng.choice(game.legal_actions(env.states))]))
    return game, list(by_phase.values())[:POSITIONS]


def places(value, place=()):
    """Every place in plain data, of long lists the first entries only."""
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value[:ENTRIES])
    else:
        inside = ()
    for key, part in inside:
        yield (*place, key)
        yield from places(part, (*place, key))


def spoiled(state):
    """The dict with one thing wrong in it, in every way; and the way."""
    for place in [(), *places(state)]:
        for change in ["without", "more", *WRONG]:
            changed = [copy.deepcopy(state)]
            holder, last = changed, 0
            for key in place:
                holder, last = holder[last], key
            if change == "without":
                del holder[last]
            elif change == "more":
                if not isinstance(holder[last], dict):
                    continue
                holder[last]["more"] = 1
            elif type(holder[last]) is type(change) and holder[last] == change:
                continue
            else:
                holder[last] = change
            if changed:
                yield changed[0], (*place, change)


def test_a_spoiled_dict_is_refused_or_is_another_state(states):
    game, dicts = states
    tried = 0
    for state in dicts:
        assert game.to_dict(game.from_dict(state)) == state
        for wrong, how in spoiled(state):
            tried += 1
            try:
                record = game.from_dict(wrong)
            except ValueError as error:
                assert str(error), how
            except Exception as error:
                pytest.fail(f"{how} of {state['phase']}: {error!r}")
            else:
                assert game.to_dict(record) == wrong, how
    assert tried > 300
