"""Every public call of games and environments, with hostile arguments in one or more places.

A call is written down with arguments that are right; a try puts something else in the place of some of them. Whatever is refused
changes nothing; whatever is taken leaves the environment valid and has nothing compiled anew.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import envs
from envs.aec import TurnBasedEnv
from envs.game import Game
from envs.vector import VectorAECEnv
from tests.fuzz.case import Case
from tests.fuzz.hostile import a_scalar, an_array
from tests.fuzz.judge import is_accepted, require
from tests.fuzz.targets import Try
from tests.fuzz.targets.positions import a_record, check_valid, games

N = 4


class Array(NamedTuple):
    """An argument that is N integers from 0 to ``most``."""

    most: int


class Scalar(NamedTuple):
    """An argument that is one thing, such as this."""

    good: Any


class Record(NamedTuple):
    """An argument that is a record of the game."""


Call = tuple[Callable[..., Any], Mapping[str, Any]]


class Stage:
    """A game with both environments, and all of their calls.

    Args:
        game: The rule set.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.vector = VectorAECEnv(game, N, seed=1, illegal="raise", autoreset=False)
        self.single = envs.raw_env(game)
        self.wrapped = envs.make(game)
        self.start()
        game.legal_actions(self.vector.states[0])
        for call, arguments in self.calls():
            call(**{name: _good(kind, game, Random(1)) for name, kind in arguments.items()})

    def start(self) -> None:
        """Begins anew, with games that are under way."""
        self.vector.reset(5)
        self.single.reset(seed=5)
        self.wrapped.reset(seed=5)

    def calls(self) -> list[Call]:
        """What can be called, with what is right by kind."""
        return [*self._of_game(), *self._of_vector(), *self._of_single()]

    def _of_game(self) -> list[Call]:
        game, seat, record = self.game, Scalar(1), Record()
        action = Scalar(0)
        return [
            (game.to_dict, {"record": record, "seat": seat}),
            (game.text, {"record": record, "seat": seat}),
            (game.svg, {"record": record, "seat": seat}),
            (game.choices, {"record": record, "seat": seat}),
            (game.opening, {"record": record, "seat": seat}),
            (game.legal_actions, {"record": record}),
            (_legal(game, game.move), {"record": record, "action": action}),
            (_legal(game, game.sentence), {"record": record, "action": action}),
            (_moved(game), {"record": record, "move": Scalar({})}),
            (_events(game), {"before": record, "action": action, "after": record, "seat": seat}),
            (game.from_dict, {"state": Scalar(game.to_dict(a_record(game, Random(0)))), "seed": Scalar(3)}),
            (game.section, {"observation": Scalar(np.zeros(game.observation_size)), "name": Scalar(game.sections[0].name)}),
            (_records(game), {"given": record}),
        ]

    def _of_vector(self) -> list[Call]:
        env, game, seats = self.vector, self.game, Array(self.game.num_players - 1)
        return [
            (env.reset, {"seed": Scalar(3)}),
            (env.reset, {"seed": Array(99)}),
            (_legal_step(env), {"actions": Array(0)}),
            (_legal_rows(env), {"rows": Array(N - 1), "actions": Array(0)}),
            (_distinct(env.deal_rows), {"rows": Array(N - 1)}),
            (_distinct(env.observe_rows), {"rows": Array(N - 1), "seats": seats}),
            (_distinct(env.final_observations), {"rows": Array(N - 1)}) if game.can_truncate else (env.standings, {}),
            (env.observe, {"seat": Scalar(1)}),
            (env.observe, {"seat": seats}),
            (env.worlds, {"words": Array(99), "seats": seats}),
            (env.render, {"row": Scalar(1), "mode": Scalar("ansi"), "seat": Scalar(1)}),
            (env.render, {"row": Scalar(1), "mode": Scalar("svg"), "seat": Scalar(None)}),
            (_distinct(_own_records(env)), {"rows": Array(N - 1)}),
            (env.set_state, {"state": Scalar(env.get_state())}),
            (_made(VectorAECEnv), {"game": Scalar(game), **_vector_options()}),
            (_made(envs.make_vec), {"name": Scalar(game), **_vector_options()}),
            (_made(envs.make_vec), {"name": Scalar("dance_of_eights"), "num_players": Scalar(2), **_vector_options()}),
        ]

    def _of_single(self) -> list[Call]:
        env, wrapped, game = self.single, self.wrapped, self.game
        name = {"name": Scalar("dance_of_eights"), "num_players": Scalar(3)}
        return [
            (env.reset, {"seed": Scalar(3), "options": Scalar(None)}),
            (wrapped.reset, {"seed": Scalar(3)}),
            (env.observe, {"agent": Scalar("player_1")}),
            (env.observation_space, {"agent": Scalar("player_1")}),
            (env.action_space, {"agent": Scalar("player_1")}),
            (_single_step(env), {"action": Scalar(0)}),
            (env.last, {"observe": Scalar(True)}),
            (env.set_state, {"state": Scalar(env.get_state())}),
            (_made(TurnBasedEnv), {"game": Scalar(game), **_single_options()}),
            (_made(envs.raw_env), {**name, **_single_options()}),
            (_made(envs.make), {**name, **_single_options()}),
            (envs.make_game, {**name, "copies": Scalar(2), "max_turns": Scalar(9)}),
            (envs.make_game, {"name": Scalar("fairy_ring"), "fireflies": Scalar("all"), "deck": Scalar(None)}),
            (envs.make_game, {"name": Scalar("mushroom_rings"), "table_radius": Scalar(8), "components": Scalar(None)}),
            (envs.game_module, {"name": Scalar("fairy_ring")}),
        ]

    def signatures(self) -> int:
        """How often something was compiled."""
        kernels = [getattr(self.game.kernels, name) for name in dir(self.game.kernels)]
        return sum(len(kernel.signatures) for kernel in kernels if hasattr(kernel, "signatures"))

    def states(self) -> tuple[bytes, bytes]:
        """Of both environments."""
        return self.vector.get_state(), self.single.get_state()


def prepare(folder: Path) -> Try:
    """Tries the calls of every game."""
    stages = [Stage(game) for game in games()[1:]]
    compiled = {stage: stage.signatures() for stage in stages}  # rule sets of one module share their kernels

    def make_try(case: Case) -> bool:
        stage = case.rng.choice(stages)
        call, arguments = case.rng.choice(stage.calls())
        given = _given(stage.game, arguments, case.rng)
        case.inputs |= {"call": f"{stage.game} {_name(call)}", **{name: _shown(value) for name, value in given.items()}}
        before = stage.states()
        accepted = is_accepted(lambda: call(**given))
        if accepted:
            check_valid(stage.game, stage.vector.states)
            check_valid(stage.game, np.array([stage.single.record]))
            stage.start()
        else:
            require(stage.states() == before, "refused, but changed")
        require(stage.signatures() == compiled[stage], "something was compiled anew")
        return accepted

    return make_try


def _given(game: Game, arguments: Mapping[str, Any], rng: Random) -> dict[str, Any]:
    """The right arguments, and something else for some of them."""
    given = {name: _good(kind, game, rng) for name, kind in arguments.items()}
    changed = [name for name in arguments if rng.random() < 0.25] or [rng.choice(list(arguments) or ["none"])]
    return given | {name: _hostile(arguments[name], game, rng) for name in changed if name in arguments}


def _good(kind: Any, game: Game, rng: Random) -> Any:
    if isinstance(kind, Record):
        return a_record(game, rng)
    return np.arange(N) % (kind.most + 1) if isinstance(kind, Array) else kind.good


def _hostile(kind: Any, game: Game, rng: Random) -> Any:
    if isinstance(kind, Array):
        return an_array(rng, N, kind.most)
    if isinstance(kind, Record) and rng.random() < 0.6:
        record, other = a_record(game, rng), a_record(rng.choice(games()), rng)
        return rng.choice(
            [record[0], record[:0], other, other[0], record.view(np.uint8), np.tile(record, 2), record.reshape(1, 1)]
        )
    return a_scalar(rng)


def _shown(value: Any) -> str:
    try:
        return f"{type(value)} {value!r}"[:5000]
    except Exception as error:
        return f"{type(value)}, whose repr raises {type(error)}"


def _name(call: Any) -> str:
    return getattr(call, "__qualname__", repr(call))


# --- calls whose right arguments depend on where the game stands ----------------------------------------------------------


def _legal(game: Game, call: Callable) -> Callable:
    """A right action is a legal one."""

    def legal(record: Any, action: Any) -> Any:
        right = type(action) is int and action == 0 and game.legal_actions(record)
        return call(record, right[0]) if right else call(record, action) if right != [] else None

    return _called(legal, call)


def _called(wrapper: Callable, call: Callable) -> Callable:
    wrapper.__qualname__ = _name(call)
    return wrapper


def _moved(game: Game) -> Callable:
    def action(record: Any, move: Any) -> Any:
        right = type(move) is dict and not move and game.legal_actions(record)
        if right == []:
            return None
        return game.action(record, game.move(record, right[0]) if right else move)

    return _called(action, game.action)


def _events(game: Game) -> Callable:
    def events(before: Any, action: Any, after: Any, seat: Any) -> Any:
        if type(action) is int and action == 0 and isinstance(before, np.ndarray) and before.dtype == game.state_dtype:
            return game.opening(after, seat)  # what happened between two positions that do not follow is not defined
        return game.events(before, action, after, seat)

    return _called(events, game.events)


def _records(game: Game) -> Callable:
    def check_records(given: Any) -> None:
        game.check_records(given)

    return _called(check_records, game.check_records)


def _legal_step(env: VectorAECEnv) -> Callable:
    """Right actions, all 0, are the first legal ones."""

    def step(actions: Any) -> None:
        right = isinstance(actions, np.ndarray) and type(actions) is np.ndarray and actions.dtype == np.int64
        right = right and actions.shape == (N,) and not actions.any()
        env.step(env.last()[0]["action_mask"].argmax(axis=1) if right else actions)

    return _called(step, env.step)


def _legal_rows(env: VectorAECEnv) -> Callable:
    def step_rows(rows: Any, actions: Any) -> None:
        if isinstance(actions, np.ndarray) and actions.shape == (N,) and not actions.any():
            actions = env.last()[0]["action_mask"].argmax(axis=1)
        env.step_rows(rows, actions)

    return _called(step_rows, env.step_rows)


def _single_step(env: TurnBasedEnv) -> Callable:
    def step(action: Any) -> None:
        env.step(int(env.last()[0]["action_mask"].argmax()) if type(action) is int and action == 0 else action)

    return _called(step, env.step)


def _distinct(call: Callable) -> Callable:
    """Right rows are in another order: nothing to do for this list of calls but to name it."""

    def distinct(**given: Any) -> Any:
        return call(**given)

    return _called(distinct, call)


def _own_records(env: VectorAECEnv) -> Callable:
    def set_records(rows: Any) -> None:
        env.set_records(env.states.copy(), rows)

    return _called(set_records, env.set_records)


def _made(make: Callable) -> Callable:
    """Makes an environment of few games, whatever is asked for besides."""

    def made(**given: Any) -> None:
        if type(number := given.get("num_envs")) is int and number > 1000:
            given["num_envs"] = 1000
        env = make(**given)
        env.reset()
        env.last()
        env.close()

    return _called(made, make)


def _vector_options() -> dict[str, Any]:
    return {
        "num_envs": Scalar(2), "seed": Scalar(1), "reward": Scalar("win"), "illegal": Scalar("random"),
        "copy": Scalar(True), "autoreset": Scalar(True),
    }  # fmt: skip


def _single_options() -> dict[str, Any]:
    return {
        "render_mode": Scalar("ansi"), "reward": Scalar("win"), "illegal": Scalar("random"), "copy": Scalar(True),
        "view": Scalar(0), "max_cycles": Scalar(9),
    }  # fmt: skip
