"""Games through OpenSpiel's door, for the tests."""

import numpy as np
import pyspiel

import envs.openspiel  # registers the games

TINY = "fairy_rings_tiny_dance_of_eights"
SPECS = [
    TINY,
    "fairy_rings_fairy_ring(fireflies=all,players=3)",
    "fairy_rings_fairy_ring_objectives",
    "fairy_rings_dance_of_eights(copies=1,max_turns=6,players=4)",
]
LONG = "fairy_rings_mushroom_rings"


def load(spec=TINY):
    return pyspiel.load_game(spec)


def act(state, rng):
    """Plays an event of chance or a random decision."""
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=chances)))
    else:
        state.apply_action(int(rng.choice(state.legal_actions())))


def states_of(spec, seed, decisions=1000):
    """The states of a random game from its beginning on, each before it is played on; and the last one."""
    state, rng = load(spec).new_initial_state(), np.random.default_rng(seed)
    while not state.is_terminal() and decisions:
        yield state
        decisions -= not state.is_chance_node()
        act(state, rng)
    yield state


def middle(spec=TINY, seed=0, decisions=3):
    """A state in which a player is to decide, some decisions into a random game."""
    *_, state = (state.clone() for state in states_of(spec, seed, decisions) if state.is_player_node())
    return state


def deal(game, seed):
    """The first position of a game with a seed."""
    state = game.new_initial_state()
    for byte in int(seed).to_bytes(8, "big"):
        state.apply_action(byte)
    return state


__all__ = ["LONG", "SPECS", "TINY", "act", "deal", "envs", "load", "middle", "states_of"]
