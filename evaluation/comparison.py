"""Agents compared from Python: ``evaluation.compare("fairy_ring", ["greedy", my_agent, "ismcts:100"], games=1000)``.

It plays the tournament of ``evaluate.py``, on the same deals and to the same figures; besides words it takes agents as objects.
"""

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import envs
from agents.agent import Agent, first_line
from envs.checks import integer, show
from envs.game import Game
from evaluation import GAMES, tournament
from evaluation.guarded import GuardedAgent, Player
from evaluation.hosted import make_player
from evaluation.keyed import FIRST_DEAL, Secret
from evaluation.provenance import different_names
from evaluation.ratings import anchor_index
from evaluation.report import files
from evaluation.report.describe import describe
from evaluation.report.figures import FIGURES, order_of, tidy, title_of
from evaluation.report.html import html_matrix, html_results, tag, to_html
from evaluation.tournament import Match
from evaluation.workers import Tournament, run

AnyAgent = str | Agent | Callable[[Game], Agent]
"""A word, an agent, or its class (any function that is called with the game and gives an agent)."""

_STYLE = """.fairy-rings table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5em 0; }
.fairy-rings th, .fairy-rings td { padding: .2em .6em; text-align: right; }
.fairy-rings td:nth-child(2), .fairy-rings th:nth-child(2) { text-align: left; }
.fairy-rings .plot, .fairy-rings tfoot { display: none; }
.fairy-rings td.more { background: rgb(52 112 224 / var(--strength)); }
.fairy-rings td.less { background: rgb(230 128 20 / var(--strength)); }"""


class Comparison:
    """What a tournament has shown. In a notebook it is two tables: the agents, and who beats whom.

    Attributes:
        report: The report of ``evaluate.py`` as plain data, see ``evaluation.report.files``.
        match: Every game of it, see ``evaluation.tournament.Match``.
    """

    def __init__(self, report: Mapping[str, Any], match: Match) -> None:
        self.report, self.match = dict(report), match

    @property
    def agents(self) -> list[str]:
        """The names, best first."""
        return [row["agent"] for row in self.table]

    @property
    def table(self) -> list[dict[str, Any]]:
        """A dict for each agent, best first, ready for ``pandas.DataFrame``.

        ``agent``, ``seats`` (how many it took), ``illegal`` (games forfeited), and for each of ``rating``, ``win_share``,
        ``placement`` and ``score`` the mean and the ends of its interval: ``rating``, ``rating_low``, ``rating_high``, and so on.
        None where there is no such number.
        """
        agents = tidy(self.report)["agents"]
        return [_row(agents[k]) for k in order_of(tidy(self.report))]

    @property
    def ratings(self) -> dict[str, dict[str, float | None]]:
        """By agent, best first, ``mean``, ``standard_error``, ``low`` and ``high`` of its rating on the Elo scale."""
        agents = {agent["name"]: agent["rating"] for agent in tidy(self.report)["agents"]}
        return {name: agents[name] for name in self.agents}

    def beats(self, one: str, other: str) -> dict[str, Any]:
        """How often one agent ends a game ahead of another, a tie as one half: ``share``, ``low``, ``high``, ``count``.

        Raises:
            ValueError: There is no such agent.
        """
        names = list(self.match.agents)
        for name in (one, other):
            if name not in names:
                raise ValueError(f"there is no agent {show(name)}; choose from {', '.join(names)}")
        matrix = tidy(self.report)["matrix"]
        return {key: rows[names.index(one)][names.index(other)] for key, rows in matrix.items()}

    def to_json(self) -> str:
        """The report as JSON, as ``evaluate.py`` writes it."""
        return files.to_json(self.report)

    def to_html(self) -> str:
        """The report as a page that needs nothing from outside."""
        return to_html(self.report)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes evaluation.json, .md and .html into a folder; returns their paths."""
        return files.write(self.report, folder)

    def __repr__(self) -> str:
        ranking = " > ".join(f"{name} {rating['mean'] or 0:.0f}" for name, rating in self.ratings.items())
        return f"Comparison({title_of(self.report)}: {ranking})"

    def __str__(self) -> str:
        return files.to_text(self.report)

    def _repr_html_(self) -> str:
        report = tidy(self.report)
        content = tag("p", title_of(report)), html_results(report), html_matrix(report)
        box = tag("div", tag("style", _STYLE), *content, class_="fairy-rings")
        return ElementTree.tostring(box, encoding="unicode", method="html")


def _row(agent: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"agent": agent["name"], "seats": agent["seats"], **agent["counts"]}
    for figure in FIGURES:
        estimate = agent[figure.key]
        row |= {figure.key: estimate["mean"], f"{figure.key}_low": estimate["low"], f"{figure.key}_high": estimate["high"]}
    return row


class _Seated(NamedTuple):
    """An agent as it is asked for: its name, the word it comes from (None: it is an object), and itself."""

    name: str
    spec: str | None
    player: Player


def compare(
    game: "str | Game",
    agents: Iterable[AnyAgent] | Mapping[str, AnyAgent],
    games: int = GAMES,
    seed: int = 0,
    *,
    num_players: int | None = None,
    workers: int = 1,
    move_time: float | None = None,
    anchor: str | None = None,
    progress: bool = True,
    **options: Any,
) -> Comparison:
    """Plays agents against each other and rates them, every deal with all seat rotations.

    Agents given as objects play in this process and thread, as its own code. Words play as behind ``evaluate.py``: a
    ``"package.module:Class"`` gets a process of its own.

    Args:
        game: A name as of ``envs.make_game``, or a game.
        agents: Two or more: words as of ``agents.registry.make_agent``, agents, or classes; or a table of them by name.
        games: How many, rounded up to whole deals.
        seed: Of deals, line-ups and intervals. The same seed gives the same figures, if agents keep to ``agents.agent.Agent``.
        num_players: Seats; None: two, or those of the game that is given.
        workers: Processes; more than one only where all agents are words. They are started anew, so a script that asks for
            some needs ``if __name__ == "__main__":``.
        move_time: Seconds an agent has for a decision; None: no limit (10 for ``package.module:Class``).
        anchor: The name that is rated 0; ``random`` if it plays, else the first.
        progress: Whether to show a bar while it plays.
        **options: Rule options of the game.

    Raises:
        ValueError: A game, agent, number or name that there is not, or games that do not link all agents; one line.
    """
    made = envs.make_game(game, num_players, **options)
    games = integer("games", games, 1)
    workers = integer("workers", workers, 1)
    seed = integer("seed", seed, 0, FIRST_DEAL - 1)
    if move_time is not None and not 0 < move_time < float("inf"):
        raise ValueError(f"move_time is {show(move_time)}; it must be a number of seconds above 0")
    seats = _seat_all(agents, made, move_time, workers)
    planned = _plan(made, seats, games, seed, anchor, move_time)
    match = _play(planned, workers, progress)
    try:
        report = describe(match, planned, anchor=anchor, seed=seed, command=_call(made, planned, len(planned.deals), seed))
    except ValueError as error:
        raise ValueError(f"{error} (more games may help)") from error
    return Comparison(report, match)


def _seat_all(agents: Any, game: Game, move_time: float | None, workers: int) -> list[_Seated]:
    if isinstance(agents, str) or not isinstance(agents, Iterable):
        raise ValueError(f"agents is {show(agents)}; it must be a list of agents, or a table of them by name")
    named = [(str(name), agent) for name, agent in agents.items()] if isinstance(agents, Mapping) else [("", a) for a in agents]
    if len(named) < 2:
        raise ValueError("at least two agents are needed to compare")
    if workers > 1 and not all(isinstance(agent, str) for _, agent in named):
        raise ValueError(f"workers is {workers}; agents given as objects play in this process, so it must be 1 with them")
    seated: list[_Seated] = []
    try:
        for name, agent in named:
            seated.append(_seat(name, agent, game, move_time))
    except BaseException:
        _close(seated)
        raise
    names = different_names([seat.name for seat in seated])
    return [seat._replace(name=name) for seat, name in zip(seated, names, strict=True)]


def _close(seated: Iterable[_Seated]) -> None:
    for seat in seated:
        seat.player.close()


def _seat(name: str, agent: Any, game: Game, move_time: float | None) -> _Seated:
    if isinstance(agent, str):
        return _Seated(name or agent, agent, make_player(agent, game, move_time))
    made = agent
    if isinstance(agent, type) or not hasattr(agent, "act"):
        if not callable(agent):
            raise ValueError(f"agent {show(agent)} is none: it must be a word such as 'greedy', a class, or have a method act")
        try:
            made = agent(game)
        except Exception as error:  # anything may happen in somebody else's code
            raise ValueError(f"cannot make agent {_name(agent)!r}: {first_line(error)}") from error
    if not callable(getattr(made, "act", None)):
        raise ValueError(f"cannot make agent {_name(agent)!r}: it has no method act")
    own = getattr(made, "name", None)
    return _Seated(name or (own if isinstance(own, str) and own else _name(agent)), None, GuardedAgent(made, move_time))


def _name(agent: Any) -> str:
    """What to call an object that has no name of its own."""
    agent = agent.func if isinstance(agent, functools.partial) else agent
    return str(getattr(agent, "__name__", type(agent).__name__))


def _plan(
    game: Game, seats: list[_Seated], games: int, seed: int, anchor: str | None, move_time: float | None
) -> Tournament:
    names = [seat.name for seat in seats]
    try:
        anchor_index(names, anchor)
        schedule = tournament.schedule(len(seats), game.num_players, -(-games // game.num_players), seed)
        specs = [seat.spec or seat.name for seat in seats]
        secret, players = Secret.from_seed(seed), [seat.player for seat in seats]
        return Tournament(game, specs, names, *schedule, move_time, secret=secret, players=players)
    except BaseException:
        _close(seats)
        raise


def _play(planned: Tournament, processes: int, progress: bool) -> Match:
    from tqdm.auto import tqdm

    with tqdm(total=len(planned.deals), unit=" games", desc=planned.game.id, disable=not progress) as bar:
        return run(planned, processes, None, bar.update)


def _call(game: Game, planned: Tournament, games: int, seed: int) -> str:
    """The call that gives these figures, for the report."""
    rules = "".join(f", {name}={value!r}" for name, value in game.options.items())
    agents = f"[{', '.join(map(repr, planned.names))}]"
    return f"evaluation.compare({game.name!r}, {agents}, games={games}, seed={seed}, num_players={game.num_players}{rules})"
