"""Reinforcement-learning environments for games about fairy rings.

Ways in, the same games::

    env = envs.make("fairy_ring", num_players=3)                       # PettingZoo AEC, one game
    env = pettingzoo.make("aec", "fairy_rings/fairy_ring-v0")          # the same by PettingZoo's registry
    env = envs.make_vec("fairy_ring", num_envs=1024, num_players=3)    # N games, one decision in each per step
    env = gymnasium.make("envs:fairy_rings/fairy_ring-v0", opponents="greedy")    # one seat; agents play the others
    env = gymnasium.make_vec("envs:fairy_rings/fairy_ring-v0", num_envs=1024)     # the same N times

``from envs import fairy_ring_v0; fairy_ring_v0.env()`` is PettingZoo's older form of the first.

A name with a dot is anybody's own game, a module that is imported: ``envs.make("examples.tic_tac_toe")``.
"""

from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from envs.aec import TurnBasedEnv
    from envs.game import Game
    from envs.vector import VectorAECEnv

NAMESPACE = "fairy_rings"


class Entry(NamedTuple):
    """Where a rule set is: its module, the options that make it this rule set, and the module's ``VERSION``, for names."""

    module: str
    options: Mapping[str, Any] = {}
    version: int = 0


GAMES: dict[str, Entry] = {
    "fairy_ring": Entry("envs.fairy_ring"),
    "fairy_ring_objectives": Entry("envs.fairy_ring", {"objectives": True}),
    "dance_of_eights": Entry("envs.dance_of_eights"),
    "mushroom_rings": Entry("envs.mushroom_rings"),
}
"""Every rule set by name. A new game is one line here."""

GAME_PARTS = ("make_game", "PLAYERS", "OPTIONS")
"""What the module of a game must have, see ``envs.game``."""

ENV_OPTIONS = ("render_mode", "reward", "illegal", "copy", "view", "max_cycles", "action_features", "mask_in")
VECTOR_OPTIONS = ("seed", "reward", "illegal", "copy", "autoreset", "action_features", "threads")


def make_game(name: "str | Game", num_players: int | None = None, **options: Any) -> "Game":
    """The rule set of a name under a choice of options.

    Args:
        name: A key of ``GAMES``; ``package.module``, anybody's own game, see ``game_module``; or a game, given back as it is.
        num_players: Seats; None: two, or those of the game that is given.
        **options: Rule options, see ``game_options``.

    Raises:
        ValueError: An unknown name, number of players, option or value; for a game that is given, another number of players
            than its own, or an option.
    """
    from envs.checks import integer, show
    from envs.game import Game

    if isinstance(name, Game):
        players = name.num_players if num_players is None else integer("num_players", num_players, 1)
        if players != name.num_players:
            raise ValueError(f"num_players is {players}, but the game that was given is made for {name.num_players}")
        if options:
            raise ValueError(f"parameter {show(next(iter(options)))} comes too late: the game that was given is made already")
        return name
    module = game_module(name)
    players = integer("num_players", 2 if num_players is None else num_players, 1)
    return module.make_game(name, players, {**own_options(name), **options})


def own_options(name: str) -> Mapping[str, Any]:
    """The options that make a rule set this one; other games have none."""
    return GAMES[name].options if isinstance(name, str) and name in GAMES else {}


def game_module(name: str) -> ModuleType:
    """The module of a rule set.

    Args:
        name: A key of ``GAMES``, or ``package.module``: anybody's own game. That module is imported, so such a name must come
            from the person at the keyboard; see ``refuse_foreign``.

    Raises:
        ValueError: There is no such rule set or module, or the module is no game. An error inside the module comes as it is.
    """
    if isinstance(name, str) and name in GAMES:
        return import_module(GAMES[name].module)
    if _is_full_name(name):
        return _own_game(name)
    from envs.checks import show
    from envs.options import suggestion

    choices = f"choose from {', '.join(GAMES)}, or name a game of your own as package.module"
    raise ValueError(f"there is no game {show(name)}{suggestion(name, GAMES)}; {choices}")


def _is_full_name(name: object) -> bool:
    """Whether something is ``package.module``."""
    return isinstance(name, str) and "." in name and all(part.isidentifier() for part in name.split("."))


def _own_game(name: str) -> ModuleType:
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        from envs.checks import show

        missing = error.name or ""
        if not f"{name}.".startswith(f"{missing}."):
            raise  # the module is there, and what it needs is not
        where = "put the folder that holds it into PYTHONPATH (PYTHONPATH=. for the current one)"
        raise ValueError(f"there is no game {show(name)}: Python finds no module {missing!r}; {where}") from error
    if lacking := [part for part in GAME_PARTS if not hasattr(module, part)]:
        raise ValueError(f"{name!r} is no game: the module has no {', '.join(lacking)}")
    return module


def refuse_foreign(name: object, named: Collection[str] | None = None) -> None:
    """Refuses a game's name that was read from a file and would import a module: a file may come from anybody.

    Args:
        name: What the file says.
        named: Own games that the command line has named, which are let through; None: it has no way to name one.

    Raises:
        ValueError: The name is ``package.module`` and not among them.
    """
    if _is_full_name(name) and name not in (named or ()):
        from envs.checks import one_line, show

        remedy = "" if named is None else f"; if you trust it, add --env {one_line(str(name))}"
        raise ValueError(f"game {show(name)} is not of this suite, and a module is not imported because a file names it{remedy}")


def raw_env(name: "str | Game", num_players: int | None = None, **options: Any) -> "TurnBasedEnv":
    """One game as a PettingZoo AEC environment that raises on illegal actions.

    Args:
        name: As of ``make_game``.
        num_players: As of ``make_game``.
        **options: Rule options of the game, those of ``envs.aec.TurnBasedEnv``, and ``mask_in``: ``"observation"``, a dict with
            the action mask in it, or ``"info"``, where observations are flat, see ``envs.flat``.

    Raises:
        ValueError: An unknown name, number of players, option or value.
    """
    from envs.aec import MASK_PLACES, TurnBasedEnv
    from envs.checks import index_of
    from envs.flat import FlatTurnBasedEnv

    own = _take(ENV_OPTIONS, options, name)
    kind = (TurnBasedEnv, FlatTurnBasedEnv)[index_of("mask_in", own.pop("mask_in", "observation"), MASK_PLACES)]
    return kind(make_game(name, num_players, **options), **own)


def make(name: "str | Game", num_players: int | None = None, **options: Any) -> "AECEnv":
    """One game as a PettingZoo AEC environment, wrapped as PettingZoo's classic games are: an illegal action ends it.

    Args:
        name: As of ``make_game``.
        num_players: As of ``make_game``.
        **options: As of ``raw_env``; with ``illegal`` given, the environment is not wrapped and does what it says.

    Raises:
        ValueError: An unknown name, number of players, option or value.
    """
    from envs.wrapping import wrap

    env = raw_env(name, num_players, **options)
    return env if "illegal" in options else wrap(env)


def make_vec(name: "str | Game", num_envs: int, num_players: int | None = None, **options: Any) -> "VectorAECEnv":
    """N games at a time, see ``envs.vector.VectorAECEnv``.

    Args:
        name: As of ``make_game``.
        num_envs: N.
        num_players: As of ``make_game``.
        **options: Rule options of the game, and those of ``envs.vector.VectorAECEnv``.

    Raises:
        ValueError: An unknown name, number of players, option or value.
    """
    from envs.vector import VectorAECEnv

    own = _take(VECTOR_OPTIONS, options, name)
    return VectorAECEnv(make_game(name, num_players, **options), num_envs, **own)


def _take(own: Sequence[str], options: dict[str, Any], name: "str | Game") -> dict[str, Any]:
    """Takes the parameters of an environment out of all that were given; what is left are rule options.

    Raises:
        ValueError: A parameter that neither has.
    """
    taken = {key: options.pop(key) for key in own if key in options}
    check_parameters(own, options, name)
    return taken


def check_parameters(own: Sequence[str], options: Collection[str], name: "str | Game") -> None:
    """Refuses what neither an environment nor the rules of its game have.

    Args:
        own: The parameters of the environment.
        options: What was given beside them.
        name: As of ``make_game``; a game that is made already takes no options.

    Raises:
        ValueError: A parameter that neither has; the message lists both.
    """
    rules = game_module(name).OPTIONS if isinstance(name, str) else {}
    for key in options:
        if key not in rules:
            from envs.checks import show
            from envs.options import suggestion

            known = f"the environment has {', '.join(own)}; the rules of {name} have {', '.join(rules) or 'none'}"
            raise ValueError(f"there is no parameter {show(key)}{suggestion(key, [*own, *rules])}; {known}")


GYMNASIUM, GYMNASIUM_VECTOR = "doors.gymnasium_env:OneSeatEnv", "doors.gymnasium_vector:OneSeatVectorEnv"
"""What Gymnasium's registry imports when somebody makes one of its environments, and not before: agents play in them."""


def _register() -> None:
    """Enters every rule set into the registries of Gymnasium and, where it has one, PettingZoo."""
    from functools import partial

    import gymnasium
    import pettingzoo

    for name, entry in GAMES.items():
        env_id = f"{NAMESPACE}/{name}-v{entry.version}"
        if hasattr(pettingzoo, "register"):  # older versions than 1.27 have no registry
            pettingzoo.register("aec", env_id, entry_point=partial(make, name))
        gymnasium.register(env_id, entry_point=GYMNASIUM, vector_entry_point=GYMNASIUM_VECTOR, kwargs={"game": name})


def __getattr__(attribute: str) -> Any:
    """``fairy_ring_v0`` and the like: the module form of PettingZoo's games."""
    name, _, version = attribute.rpartition("_v")
    if name not in GAMES or version != str(GAMES[name].version):
        raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
    from functools import partial

    return SimpleNamespace(env=partial(make, name), raw_env=partial(raw_env, name), __name__=f"{__name__}.{attribute}")


_register()
