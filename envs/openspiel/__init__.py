"""The OpenSpiel door: ``import envs.openspiel`` registers every rule set as a Python game of OpenSpiel.

    import pyspiel
    import envs.openspiel

    game = pyspiel.load_game("fairy_rings_dance_of_eights(players=3)")     # parameters: players, and every rule option
    state = game.new_initial_state()
    while not state.is_terminal(): ...

``fairy_rings_tiny_dance_of_eights`` is small enough to be solved, see ``envs.dance_of_eights.tiny``; ``register`` takes games of
anybody's own. ``resampler`` is for OpenSpiel's ISMCTS, ``bot.set_resampler(envs.openspiel.resampler)``. How chance is played is
told in ``histories``, what a seat sees in ``observer``, states as text in ``text``. Rewards are placements, so every game is
zero-sum.
"""

from typing import Any

import numpy as np

import envs

try:
    import pyspiel  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError("games of OpenSpiel need its package: pip install 'fairy-rings[openspiel]' or open-spiel") from error

from envs.openspiel.games import SpielGame, SpielState, register

__all__ = ["NAMES", "SpielGame", "SpielState", "register", "resampler"]

TINY = "envs.dance_of_eights.tiny"
NAMES = [*map(register, envs.GAMES), register(TINY, "fairy_rings_tiny_dance_of_eights")]
"""What OpenSpiel calls them."""

_rng = np.random.default_rng()


def resampler(state: Any, player: int, rng: np.random.Generator | None = None) -> SpielState:
    """A state that a seat cannot tell from the one it is in: all that it cannot know is dealt anew, see ``resampling``.

    Args:
        state: One of this suite's.
        player: The seat to act.
        rng: Where chance comes from; numpy's, seeded by the system, unless given.

    Raises:
        ValueError: It is not that seat's turn.
    """
    return state.resampled(player, _rng if rng is None else rng)
