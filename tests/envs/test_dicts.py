"""A state dict with anything wrong in it is refused with a ValueError that says where, and nothing else is ever raised.

In a dict of each phase of a game every value in turn is replaced, left out, or joined by one under an unknown key.
"""

import copy
import random
from importlib import import_module

import numpy as np
import pytest

import envs
from agents.registry import make_agent

WRONG = [None, "x", [], {}, -1, 10**12, 0.5, True]
OPTIONS = {"mushroom_rings": {"trade_board": True}}  # without it nothing is traded
MOST_GAMES = 40  # in which every phase is met
CHANCE = 0.1
ENTRIES = 2  # of each list


@pytest.fixture(params=list(envs.GAMES))
def states(request):
    """The game, and a dict of each of its phases."""
    game = envs.make_game(request.param, **OPTIONS.get(request.param, {}))
    phases = phases_of(game)
    by_phase: dict[str | None, dict] = {}
    for seed in range(MOST_GAMES):
        for state in game_of(game, seed):
            by_phase.setdefault(state.get("phase"), state)
        if by_phase.keys() == phases:
            break
    assert by_phase.keys() == phases
    return game, list(by_phase.values())


def phases_of(game):
    """What ``phase`` may be in a dict; a game without an enum ``Phase`` has but one."""
    state = import_module(f"{game.package}.state")
    return {phase.name.lower() for phase in state.Phase} if hasattr(state, "Phase") else {None}


def game_of(game, seed):
    """The dicts of a game in which the rule-based player, if there is one, and now and then chance decide."""
    env, rng = envs.make_vec(game, 1, seed=seed, autoreset=False), random.Random(seed)
    player = make_agent("greedy" if game.tuned.greedy else "random", game)
    yield game.to_dict(env.states)
    while legal := game.legal_actions(env.states):
        # Who lays no stored tiles will have to discard some.
        kept = [action for action in legal if game.move(env.states, action).get("type") != "stored"] or legal
        if rng.random() < CHANCE:
            action = rng.choice(kept)
        else:
            view, mask = env.last()[0], np.zeros((1, game.num_actions), np.int8)
            mask[0, kept] = 1
            (action,) = player.act(view["observation"], mask, env.states.copy())
        env.step(np.array([action]))
        yield game.to_dict(env.states)


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
            changed = [state]
            holder, last = changed, 0
            for key in place:
                holder[last] = copy.copy(holder[last])  # what does not hold the place is shared
                holder, last = holder[last], key
            if change == "without":
                del holder[last]
            elif change == "more":
                if not isinstance(holder[last], dict):
                    continue
                holder[last] = holder[last] | {"more": 1}
            elif type(holder[last]) is type(change) and holder[last] == change:
                continue
            else:
                holder[last] = change
            if changed:
                yield changed[0], (*place, change)


def spoil(game, state):
    """Spoils a dict in every way: each is refused or is another state; returns how many there were."""
    tried = 0
    for wrong, how in spoiled(state):
        tried += 1
        try:
            record = game.from_dict(wrong)
        except ValueError as error:
            assert str(error), how
        except Exception as error:
            pytest.fail(f"{how} of {state}: {error!r}")
        else:
            assert game.to_dict(record) == wrong, how
    return tried


def test_a_spoiled_dict_is_refused_or_is_another_state(states):
    game, dicts = states
    assert all(game.to_dict(game.from_dict(state)) == state for state in dicts)
    assert sum(spoil(game, state) for state in dicts) > 40 * len(dicts)
