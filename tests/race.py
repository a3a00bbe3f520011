"""A tiny game for tests of what is shared: it ends at once, by anybody's hand, or is cut by a limit.

Action 0 passes. Action 1 takes a step. Action 2 gambles: one time in three the player wins at once, otherwise it loses its steps.
Who has made three steps wins. After ``LIMIT`` decisions the game is truncated. After a step the same player decides again.
"""

import sys

import numpy as np

from envs import engine
from envs.game import Game, Section

PASS, STEP, GAMBLE = range(3)
GOAL, LIMIT = 3, 8


@engine.jit
def reset(state, rules):
    """Deals a game; who begins is chance."""
    state["steps"][:] = 0
    state["winner"] = -1
    state["current_player"] = engine.below(state, len(state["steps"]))


@engine.jit
def step(state, rules, action):
    """Plays a legal action."""
    p = int(state["current_player"])
    wins = False
    if action == STEP:
        state["steps"][p] += 1
        wins = state["steps"][p] == GOAL
    if action == GAMBLE:
        state["steps"][p] = 0
        wins = engine.below(state, 3) == 0
    if action != STEP:
        state["current_player"] = (p + 1) % len(state["steps"])
    if wins:
        state["winner"] = p
        state["current_player"] = engine.NO_PLAYER
        return engine.TERMINATED
    if state["decisions"] >= LIMIT:
        state["current_player"] = engine.NO_PLAYER
        return engine.TRUNCATED
    return engine.RUNNING


@engine.jit
def legal(state, rules, mask):
    """No gamble without a step to lose; no pass on the first step."""
    steps = state["steps"][state["current_player"]]
    mask[PASS] = steps != 1
    mask[STEP] = 1
    mask[GAMBLE] = steps > 0


@engine.jit
def observe(state, rules, seat, out):
    """Who sees it, decisions made, own steps and all steps."""
    out[0] = np.float32(seat)
    out[1] = np.float32(state["decisions"])
    out[2] = np.float32(state["steps"][seat])
    out[3] = np.float32(state["current_player"])


@engine.jit
def redeal(state, rules, seat):
    """Nothing is hidden."""


@engine.jit
def score(state, rules, scores, standings):
    """A point for the winner."""
    for p in range(len(standings)):
        standings[p] = 1 if p == state["winner"] else 0
        scores[p] = np.float32(standings[p])


loops = engine.install(globals())


def make_game(name: str = "race", num_players: int = 3, options: dict | None = None) -> Game:
    """The game for a number of players."""
    fields = [*engine.HEADER, ("winner", np.int8), ("steps", np.int8, (num_players,))]
    return Game(
        name=name,
        version=0,
        title="Race",
        num_players=num_players,
        options=options or {},
        state_dtype=np.dtype(fields, align=True),
        rules=np.zeros(1, np.dtype([("unused", np.int8)])),
        num_actions=3,
        sections=[Section("all", (4,), "seat, decisions, own steps, seat to act")],
        observation_high=float(LIMIT),
        observation_low=-1.0,
        max_decisions=LIMIT,
        kernels=loops,
        package=__name__,
        words=sys.modules[__name__],
        pictures=sys.modules[__name__],
        can_truncate=True,
    )
