"""PettingZoo's wrappers around an AEC environment, as its classic games have them."""

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from envs.aec import TurnBasedEnv
from envs.display import Shown


def wrap(env: TurnBasedEnv) -> AECEnv:
    """Wraps an environment as PettingZoo's classic games are: an illegal action ends the game."""
    wrapped: AECEnv = Terminating(env, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return OrderEnforcing(wrapped)


class Terminating(wrappers.TerminateIllegalWrapper):
    """The innermost wrapper: an illegal action ends the game, and its player loses."""

    def set_state(self, state: bytes) -> None:
        """As of ``TurnBasedEnv``; what was legal before is forgotten."""
        self.env.set_state(state)
        self._prev_obs = self._prev_info = None
        self._terminated = False


class OrderEnforcing(Shown, wrappers.OrderEnforcingWrapper):
    """The outermost wrapper: complains of a step before ``reset``, and shows itself as the environment does."""

    def set_state(self, state: bytes) -> None:
        """As of ``TurnBasedEnv``; it stands for a ``reset``."""
        self.env.set_state(state)
        self._has_reset = self._has_updated = True

    def __str__(self) -> str:
        return str(self.env)
