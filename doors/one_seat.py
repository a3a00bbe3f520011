"""What Gymnasium's two environments of one seat have in common: their parameters, spaces, and what they tell."""

from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np

import envs
from agents.agent import Agent
from agents.opponents import Ends, OneSeatGames
from envs import engine
from envs.aec import MASK_PLACES
from envs.checks import index_of, integer
from envs.game import Game
from envs.vector import observation_space

Opponents = str | Agent | Iterable[str | Agent]
"""One for all other seats, or one for each."""

PARAMETERS = ("opponents", "num_players", "seat", "reward", "illegal", "mask_in", "render_mode", "view")
LEARNER = "learner"
"""The word for the learner's seat, whichever it is, as the seat whose view is drawn."""


class Table:
    """The games of an environment of one seat, and how they are shown.

    Args:
        game: As of ``envs.make_game``.
        num_envs: N.
        given: ``PARAMETERS`` of the environment, all of them.
        options: Rule options of the game.
        autoreset: As of ``OneSeatGames``.
        threads: As of ``OneSeatGames``.

    Raises:
        ValueError: A parameter or option that there is not, or one with a wrong value.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        *,
        autoreset: bool,
        threads: int = 1,
    ) -> None:
        own = (*PARAMETERS, "copy", "num_envs", "threads") if autoreset else PARAMETERS
        envs.check_parameters(own, options, game)
        self.is_in_info = index_of("mask_in", given["mask_in"], MASK_PLACES) == MASK_PLACES.index("info")
        made = envs.make_game(game, given["num_players"], **options)
        self.view = view = given["view"]
        if view is not None and view != LEARNER:
            self.view = integer("view", view, 0, made.num_players - 1)
        kept = {name: given[name] for name in ("opponents", "seat", "reward", "illegal")}
        self.seats = OneSeatGames(made, num_envs, autoreset=autoreset, threads=threads, **kept)
        self.game, self.num_envs = made, self.seats.num_envs
        space: Any = observation_space(made)
        self.observation_space: gymnasium.Space = space["observation"] if self.is_in_info else space
        self.action_space = gymnasium.spaces.Discrete(made.num_actions)

    def shown(self, observation: np.ndarray, mask: np.ndarray) -> Any:
        """An observation in the form of the space: with its mask in it, or without."""
        return observation if self.is_in_info else {"observation": observation, "action_mask": mask}

    def picture(self, row: int, mode: str) -> Any:
        """A picture of a game, whole or as somebody sees it."""
        return self.seats.games.render(row, mode, int(self.seats.learner[row]) if self.view == LEARNER else self.view)


def told_at_end(ends: Ends) -> dict[str, np.ndarray]:
    """What is told of games that ended, K of them: the learners' rank, score and length, and the mask, in which nothing is legal.

    Returns:
        ``rank (K,) int64`` from 1, ``score (K,) float64``, ``length (K,) int64`` in decisions of all seats.
    """
    own, results = (np.arange(len(ends.rows)), ends.seats), ends.results
    return {
        "rank": results["ranks"][own].astype(np.int64),
        "score": results["scores"][own].astype(np.float64),
        "length": results["length"].astype(np.int64),
    }


def flags_of(ends: Ends, num_envs: int) -> tuple[np.ndarray, np.ndarray]:
    """Terminations and truncations of all games, ``(N,) bool`` each."""
    terminations, truncations = np.zeros((2, num_envs), np.bool_)
    terminations[ends.rows] = ends.codes == engine.TERMINATED
    truncations[ends.rows] = ends.codes == engine.TRUNCATED
    return terminations, truncations


def check_reset_options(options: Mapping[str, Any] | None) -> None:
    """Refuses options of ``reset``: there are none.

    Raises:
        ValueError: One was given.
    """
    if options:
        raise ValueError(f"reset has no option {next(iter(options))!r}; it takes a seed alone")
