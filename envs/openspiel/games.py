"""The rule sets as games of OpenSpiel, and their states."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

import envs
from envs.checks import integer
from envs.game import Game
from envs.openspiel.histories import CHANCE, TERMINAL, Made, Node, Past, Position, Table
from envs.openspiel.observer import Observer
from envs.openspiel.resampling import redealt
from envs.openspiel.text import from_text, to_text
from envs.options import Option

PREFIX = "fairy_rings_"
_BYTE_OUTCOMES = 256


def register(name: str, short_name: str | None = None) -> str:
    """Registers a rule set as a game of OpenSpiel.

    Args:
        name: A key of ``envs.GAMES``, or ``package.module``: anybody's own game, which is imported.
        short_name: What OpenSpiel is to call it; ``fairy_rings_`` and the name unless given.

    Returns:
        What OpenSpiel calls it.

    Raises:
        ValueError: There is no such game.
    """
    module = envs.game_module(name)
    short_name = short_name or PREFIX + name.replace(".", "_")
    defaults = {option: _parameter(choice, envs.own_options(name).get(option)) for option, choice in module.OPTIONS.items()}
    specification = {"players": min(module.PLAYERS), **defaults}
    headline = (module.__doc__ or name).strip().partition("\n")[0].rstrip(".")
    seats = (min(module.PLAYERS), max(module.PLAYERS))

    game_type = _game_type(short_name, headline, seats, specification)

    class Registered(SpielGame):
        # A class, because OpenSpiel lets go of what makes its games when there is no interpreter any more to take away a
        # function.
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            super().__init__(name, {**specification, **(params or {})}, game_type, params)

    pyspiel.register_game(game_type, Registered)
    return short_name


def _parameter(option: Option, own: Any) -> Any:
    """What OpenSpiel takes for the default of an option; its parameters know no None."""
    default = option.default if own is None else own
    return "" if default is None else default


def _game_type(
    short_name: str, long_name: str, seats: tuple[int, int], specification: Mapping[str, Any], with_history: bool = True
) -> pyspiel.GameType:
    kind = pyspiel.GameType
    return kind(
        short_name=short_name,
        long_name=long_name,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=seats[1],
        min_num_players=seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=with_history,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(specification),
    )


def _options(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Rule options from the parameters of a game of OpenSpiel."""
    table = envs.game_module(name).OPTIONS
    return {
        option: None if value == "" and not table[option].values else value
        for option, value in parameters.items()
        if option != "players"
    }


class SpielGame(pyspiel.Game):
    """A rule set as a game of OpenSpiel.

    Attributes:
        game: The rule set.

    Args:
        name: Of the rule set.
        parameters: ``players`` and every rule option.
        game_type: What was registered.
        given: The parameters that somebody asked for.

    Raises:
        ValueError: A number of players or an option that does not fit.
    """

    def __init__(
        self, name: str, parameters: Mapping[str, Any], game_type: pyspiel.GameType, given: Mapping[str, Any] | None
    ) -> None:
        self.game: Game = envs.make_game(name, parameters["players"], **_options(name, parameters))
        self.table = Table(self.game)
        if self.table.columns == 0:
            seats = (game_type.min_num_players, game_type.max_num_players)
            specification = game_type.parameter_specification
            game_type = _game_type(game_type.short_name, game_type.long_name, seats, specification, with_history=False)
        chance = self.table.chance
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=chance.most_outcomes(self.game) if chance else _BYTE_OUTCOMES,
            num_players=self.game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.max_decisions,
        )
        super().__init__(game_type, info, dict(given or {}))

    def new_initial_state(self, start: Any = None) -> "SpielState":
        """The state before the deal.

        Raises:
            ValueError: Another beginning is asked for.
        """
        if start is not None:
            raise ValueError(f"games of {self.game.name} begin with the deal; deserialize_state gives other states")
        return SpielState(self, self.table.root)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What OpenSpiel makes its observers of."""
        return Observer(self.table, iig_obs_type, params)

    def deserialize_state(self, text: Any) -> "SpielState":
        """The state that ``serialize`` made a text of. The text may come from anywhere, see ``text``.

        Raises:
            ValueError: It is no such text, or the rules do not lead to what it says.
        """
        node, made = from_text(self.table, text)
        return self.state_at(node, made)

    def state_at(self, node: Node, made: list[Made]) -> "SpielState":
        """A state with a history that is told and not played again."""
        if not made:
            return SpielState(self, node)
        state = SpielState(self, Past(self.table, made, node))
        for _, action in made:
            state.apply_action(action)  # OpenSpiel keeps histories to itself
        return state


class SpielState(pyspiel.State):
    """A state: a node of a history, see ``histories``.

    OpenSpiel copies and pickles Python states by their ``__dict__``. Here that is the node alone: copies share it, for it never
    changes, and a pickle holds it as the text of ``serialize``, which is checked like any other. To unpickle what a stranger sent
    is still to run what it says, and ``pyspiel.deserialize_game_and_state`` does just that; ``Game.deserialize_state`` does not.

    Args:
        game: Whose state it is.
        node: Where it is.
    """

    def __init__(self, game: SpielGame, node: Node) -> None:
        super().__init__(game)
        self.node = node

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "node" and isinstance(value, str):
            value = from_text(self.get_game().table, value)[0]
        object.__setattr__(self, name, value)

    def __deepcopy__(self, memo: dict[int, Any]) -> "SpielState":
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (str(self.get_game()), self.serialize())

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's ids for chance and the end."""
        return self.node.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node.player == TERMINAL

    def returns(self) -> list[float]:
        """What every seat is paid in all: (players beaten - players lost to) / (P - 1), at the end."""
        position = self.node.position
        return [0.0] * self.num_players() if position is None else list(position.rewards)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes and their probabilities, where chance acts."""
        return self.node.chances()

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal()

    def _apply_action(self, action: int) -> None:
        self.node = self.node.child(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.node.words(action)

    def __str__(self) -> str:
        position = self.node.position
        lines = [] if position is None else [str(position.table.game.to_dict(position.record))]
        return "\n".join([*lines, "chance is to act"] if self.node.player == CHANCE else lines)

    def serialize(self) -> str:
        """The state as JSON, see ``text``."""
        return to_text(self.node)

    def resample_from_infostate(self, player: int, sampler: Any) -> "SpielState":
        """A state that ``player`` cannot tell from this one, see ``resampling``.

        Args:
            player: The seat to act.
            sampler: Gives numbers from 0 to 1: the source of chance.

        Raises:
            ValueError: It is not that seat's turn.
        """
        return self.resampled(player, np.random.default_rng(int(sampler() * (1 << 53))))

    def resampled(self, player: int, rng: np.random.Generator) -> "SpielState":
        """The same with numpy's source of chance."""
        integer("player", player, 0, self.num_players() - 1)
        if player != self.node.player:
            raise ValueError(f"player is {player}, who is not to act; a state is dealt anew for the seat to act")
        assert isinstance(self.node, Position)
        node, made = redealt(self.node, player, rng)
        return self.get_game().state_at(node, made)

    # --- plain data, as OpenSpiel asks for it in to_dict, action_to_struct, struct_to_actions and to_observation_struct ---

    def _to_struct(self) -> dict[str, Any]:
        return self._position().table.game.to_dict(self._position().record)

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        return self._position().table.game.to_dict(self._position().record, player)

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return self._position().table.game.move(self._position().record, action)

    def _struct_to_actions(self, move: Mapping[str, Any]) -> list[int]:
        return [self._position().table.game.action(self._position().record, move)]

    def _position(self) -> Position:
        if self.node.position is None:
            raise ValueError("nothing is dealt yet")
        return self.node.position


def _remake(game: str, text: str) -> SpielState:
    return pyspiel.load_game(game).deserialize_state(text)
