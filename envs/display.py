"""How environments show themselves: a short ``repr``, and in a notebook the picture of the game.

The picture leaks nothing unasked: it is the view of the seat that the environment was made with (``view=``), and without one
only what every seat sees, no matter which seat is to act.
"""

from typing import Any

from envs.position import describe
from envs.views import PUBLIC, view_of


class Shown:
    """Makes an environment, or a wrapper around one, show itself."""

    def __repr__(self) -> str:
        env: Any = self.unwrapped  # type: ignore[attr-defined]
        stands = describe(env.game, env.record) if env.is_dealt else f"{env.game.id}, {env.game.num_players} players, not reset"
        return f"{type(env).__name__}({stands})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        env: Any = self.unwrapped  # type: ignore[attr-defined]
        if not env.is_dealt:
            return {"text/plain": repr(self)}
        view = view_of(env.game, env.record, PUBLIC if env.view is None else env.view)
        return {"text/plain": repr(self), "image/svg+xml": env.game.draw(view)}
