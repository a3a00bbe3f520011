"""All that decides the numbers of a training run. The command line is made from these settings; nothing here needs PyTorch."""

import operator
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import envs
from agents.networks import KINDS, MOST_WIDTHS, WIDEST, are_widths
from envs.checks import show
from envs.command_line import parse_options
from envs.game import Game, Tuned
from envs.options import suggestion

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.networks.blueprint import Blueprint

MOST_SAMPLES = 2**22
"""Decisions in a rollout: with the views of the games it fills gigabytes."""

LARGEST = 1000
"""Of rates and weights: far beyond what makes sense, and far below where their arithmetic overflows."""

_MOST = {
    "timesteps": 2**53, "labels": 2**20, "num_envs": 2**16, "num_steps": 2**16, "epochs": 1000, "pool_size": 1000, "threads": 2,
    "snapshot_every": 2**31, "eval_every": 2**31, "eval_deals": 10**6, "checkpoint_seconds": 2**31,
}  # fmt: skip

LABEL_PLAYERS = ("greedy", "student")

TAUGHT = {"timesteps": 262_144, "batch_size": 512, "entropy": 0.05, "eval_every": 4, "final_learning_rate": 1e-5}
"""Usual defaults of ``exit``, where they are others than those of ``ppo``; of a game, ``Tuned.taught`` goes before them."""

_UNSET: Any = object()  # stands for the default of the game, or else the usual one


def setting(default: Any, place: str, meaning: str, choices: Sequence[Any] = ()) -> Any:
    """A field of :class:`Settings`: its usual default, and the placeholder and the line of its flag in ``--help``."""
    return field(default=_UNSET, metadata={"default": default, "place": place, "meaning": meaning, "choices": choices})


@dataclass(frozen=True)
class Settings:
    """All that decides the numbers of a run; what is not given is as the game has it (``TUNED``), or else as usual.

    Raises:
        ValueError: A value that does not fit, or no such game.
    """

    env: str = setting("fairy_ring", "GAME", "the game, see below")
    num_players: int = setting(2, "P", "seats")
    algo: str = setting("ppo", "NAME", "how to learn: ppo, by self-play; or exit, from a search's labels", ("ppo", "exit"))
    option: list[str] = setting([], "NAME=VALUE", "rule options of the game, NAME=VALUE each")
    reward: str = setting("placement", "KIND", "what the end of a game pays", ("placement", "win", "score"))
    timesteps: int = setting(5_000_000, "N", "decisions to learn from")
    seed: int = setting(0, "SEED", "of the first weights, the deals and all noise")
    num_envs: int = setting(256, "N", "games at a time")
    num_steps: int = setting(32, "N", "decisions in each game between two updates")
    batch_size: int = setting(1024, "N", "decisions in a minibatch")
    epochs: int = setting(4, "N", "times that an update goes through its decisions")
    learning_rate: float = setting(1e-3, "RATE", "of the first update")
    final_learning_rate: float = setting(1e-4, "RATE", "of the last update; linear in between")
    gae_lambda: float = setting(0.95, "SHARE", "of the advantage estimates")
    clip_range: float = setting(0.2, "RANGE", "of the probability ratio")
    entropy: float = setting(0.003, "WEIGHT", "weight of the policy's entropy in the loss")
    teacher: str = setting("ismcts:48,root=even", "AGENT", "exit: the search whose means are learned from")
    labels: int = setting(8192, "N", "exit: labelled decisions of a round; each counts as one of the timesteps")
    label_play: str = setting("greedy", "WHO", "exit: who plays the games, the rule-based player or the learner", LABEL_PLAYERS)
    network: str = setting("own", "KIND", "own of the game, flat, candidates or advised, see docs/training.md", KINDS)
    net: list[int] = setting([128, 128], "WIDTH", "widths of the hidden layers")
    shaping: float = setting(0.0, "WEIGHT", "paid for each unit of lead over the others that a seat gains")
    snapshot_share: float = setting(0.25, "SHARE", "part of the games in which an earlier policy plays one seat")
    against: str = setting("none", "AGENT", "an agent, such as greedy, that plays all other seats: learns a best response")
    start: str = setting("none", "FILE", "ppo or a checkpoint FILE.zip, with whose weights to begin; all else begins anew")
    snapshot_every: int = setting(25, "N", "iterations between two snapshots")
    pool_size: int = setting(20, "N", "latest snapshots that may play")
    eval_every: int = setting(50, "N", "iterations between two evaluations, each followed by a checkpoint")
    eval_deals: int = setting(100, "N", "deals in an evaluation; each is played from every seat")
    checkpoint_seconds: int = setting(180, "SECONDS", "between two checkpoints at most, by the clock; the numbers are the same")
    threads: int = setting(2, "N", "that share the work of a game's own network; the numbers are the same for 1 and 2", (1, 2))

    def __post_init__(self) -> None:
        env = fields(self)[0]
        tuned = tuned_of(env.metadata["default"] if self.env is _UNSET else _typed(env, self.env))
        own = {**tuned.training, **(TAUGHT | dict(tuned.taught) if self.algo == "exit" else {})}
        for item in fields(self):
            if getattr(self, item.name) is _UNSET:
                object.__setattr__(self, item.name, own.get(item.name, item.metadata["default"]))
        self._check_all()

    def _check_all(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, _typed(item, getattr(self, item.name)))
        for name, most in _MOST.items():
            _check(self, name, 1 <= getattr(self, name) <= most, f"from 1 to {most}")
        most = MOST_SAMPLES // self.num_envs
        _check(self, "num_steps", self.num_steps <= most, f"at most {most} with that number of games")
        _check(self, "seed", 0 <= self.seed < 2**31, "from 0 to 2147483647")
        made_of = "labels" if self.algo == "exit" else "envs x steps"
        _check(self, "batch_size", 2 <= self.batch_size <= self.samples, f"from 2 to {self.samples} ({made_of})")
        if self.algo == "exit":
            _check(self, "against", self.against == "none", "none with --algo exit, which learns from a search")
            self._check_label_player()
        _check(self, "net", are_widths(self.net), f"1 to {MOST_WIDTHS} widths from 1 to {WIDEST}")
        for name in ("gae_lambda", "snapshot_share"):
            _check(self, name, 0 <= getattr(self, name) <= 1, "from 0 to 1")
        for name in ("learning_rate", "final_learning_rate", "clip_range"):
            _check(self, name, 0 < getattr(self, name) <= LARGEST, f"above 0 and at most {LARGEST}")
        for name in ("entropy", "shaping"):
            _check(self, name, 0 <= getattr(self, name) <= LARGEST, f"from 0 to {LARGEST}")

    @classmethod
    def for_game(cls, env: str, num_players: int = 2, **given: Any) -> "Settings":
        """Settings with the rule options of the game as arguments: ``Settings.for_game("fairy_ring", 3, objectives=True)``.

        Args:
            env: The game, as of ``envs.make_game``.
            num_players: Seats.
            **given: Settings, and rule options of the game; what is not given is as the game has it, or else as usual.

        Raises:
            ValueError: There is no such game, setting or option, or a value does not fit.
        """
        names, rules = [item.name for item in fields(cls)], envs.game_module(env).OPTIONS
        for name in given:
            if name not in names and name not in rules:
                near = suggestion(name, [*names, *rules])
                known = f"settings are {', '.join(names)}; the rules of {env} have {', '.join(rules) or 'none'}"
                raise ValueError(f"there is no setting {show(name)}{near}; {known}")
        own = {name: rules[name].check(name, given.pop(name)) for name in rules if name in given}
        words = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in own.items()]
        given["option"] = [*given.get("option", []), *words]
        return cls(env=env, num_players=num_players, **given)

    def _check_label_player(self) -> None:
        has_greedy = tuned_of(self.env).greedy is not None
        is_there = self.label_play != "greedy" or has_greedy
        _check(self, "label_play", is_there, f"student, for there is no rule-based player for {self.env}")

    @property
    def samples(self) -> int:
        """Decisions in an iteration: a rollout, or a round of labels."""
        return self.labels if self.algo == "exit" else self.num_envs * self.num_steps

    def blueprint(self, game: Game) -> "Blueprint":
        """Of the network these settings name."""
        from agents.networks.blueprint import Blueprint

        return Blueprint(game, self.network, tuple(self.net))

    def make_opponent(self, game: Game) -> "Agent | None":
        """The agent to learn against, None for self-play."""
        from agents.registry import make_agent

        return None if self.against == "none" else make_agent(self.against, game)

    def make_game(self) -> Game:
        """The game these settings name."""
        return envs.make_game(self.env, self.num_players, **parse_options(self.env, self.option))


def _typed(item: Field, value: Any) -> Any:
    """A value of a setting's own type.

    Raises:
        ValueError: It is of another one, or none of the choices.
    """
    kind: Any = item.type
    try:
        typed = [_one(kind.__args__[0], each) for each in _many(value)] if kind in _LISTS else _one(kind, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{flag_of(item.name)} is {show(value)}; it must be {_WORDS[kind]}") from error
    choices = item.metadata["choices"]
    if choices and typed not in choices:
        raise ValueError(f"{flag_of(item.name)} is {show(value)}; choose from {', '.join(map(str, choices))}")
    return typed


_LISTS = (list[int], list[str])
_WORDS: dict[Any, str] = {
    int: "an integer", float: "a number", str: "a word", list[int]: "a list of integers", list[str]: "a list of words"
}  # fmt: skip


def _many(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise TypeError
    return value


def _one(kind: type, value: Any) -> Any:
    if isinstance(value, bool) or isinstance(value, str) != (kind is str):
        raise TypeError
    return operator.index(value) if kind is int else kind(value)


def flag_of(name: str) -> str:
    """A setting on the command line."""
    return f"--{name.replace('_', '-')}"


def _check(settings: Settings, name: str, is_good: bool, wanted: str) -> None:
    if not is_good:
        raise ValueError(f"{flag_of(name)} is {show(getattr(settings, name))}; it must be {wanted}")


def tuned_of(game_name: str) -> Tuned:
    """What the suite has for a game, which need not be made for it.

    Raises:
        ValueError: There is no such game.
    """
    return getattr(envs.game_module(game_name), "TUNED", Tuned())
