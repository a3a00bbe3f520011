"""Checks leaderboards: who plays, on which deals, that the figures follow from the games, and the games from the deals.

Which games are played again is drawn by a hash of the file's content, so changing a result changes the draw. Those who check
the files of others should add a word of their own, named after the file was handed in.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation import sandbox, workers
from evaluation.foreign import let_import
from evaluation.leaderboard import file as board
from evaluation.leaderboard import fresh, who
from evaluation.leaderboard.entries import ENTRIES, make_entrants
from evaluation.leaderboard.found import FoundBoard
from evaluation.leaderboard.make import tournament_of
from evaluation.provenance import versions
from evaluation.sources import own_sources

MOST_SHOWN, MOST_LETTERS, MOST_REASON = 10, 100, 400
HEADING = ' "results": ['

Watch = Callable[[str, int], AbstractContextManager[Callable[[int], Any] | None]]
"""Opens something that shows progress, from a name and a number of games; what it gives is called with games that are played."""


def nobody_watches(name: str, games: int) -> AbstractContextManager[None]:
    """No progress is shown."""
    return nullcontext()


class Verdict(NamedTuple):
    """What a check of a file has come to.

    Attributes:
        problems: What is wrong, a line each.
        about: A sentence that tells what was done.
        wanted: Games that were to be played for it.
        played: Games that were.
        comparisons: Those with fresh deals.
    """

    problems: list[str]
    about: str
    wanted: int = 1
    played: int = 0
    comparisons: Sequence[fresh.Comparison] = ()

    @property
    def is_well(self) -> bool:
        """Whether all that was to be played was, and nothing is wrong."""
        return not self.problems and 0 < self.wanted == self.played


def check(
    path: Path,
    share: float,
    salt: str = "",
    workers_count: workers.Workers = None,
    is_fresh: bool = False,
    watch: Watch = nobody_watches,
) -> Verdict:
    """Checks a file, a leaderboard's or an entry's.

    Args:
        path: The file.
        share: Part of the deals of the pairs that is played, above 0; one at least.
        salt: A word that decides, with the content, which are played again.
        workers_count: Who plays, see ``evaluation.workers.run``.
        is_fresh: Whether fresh deals are played in place of the file's own.
        watch: Shows progress.
    """
    try:
        found = FoundBoard.read(path)
        sandbox.hide(path)  # it has the secrets of the games that are to be played
        let_import(path.parent / ENTRIES)
        let_import(path.parent)
        problems = [*_facts(found), *([] if found.is_old else who.problems_of(found)), *_schedule(found)]
        if problems:  # nor does code run of agents that are not those they should be
            return Verdict([f"{path}: {problem}" for problem in problems[:MOST_SHOWN]], f"{path}: nothing was played")
        problems = [f"{path}:{line}" for line in _figures(found)]
        verdict = _play_fresh if is_fresh else _play_again
        return verdict(found, problems, share, salt, workers_count, watch)
    except (OSError, ValueError, ArithmeticError) as error:
        reason = " ".join(str(error).split())[:MOST_REASON]
        return Verdict([f"{path} is no leaderboard with results: {reason}"], f"{path}: nothing was played")


def _play_again(
    found: FoundBoard, problems: list[str], share: float, salt: str, count: workers.Workers, watch: Watch
) -> Verdict:
    games = drawn(found.facts, found.text, share, salt)
    able, players, refused = make_entrants(found.entrants, found.path.parent, found.game)
    if refused:
        raise ValueError(refused[0])
    planned = tournament_of(found.game, able, found.path.parent, found.schedule.take(games), players)
    with watch(found.path.name, len(games)) as progress:
        played = workers.run_games(planned, count, progress=progress)
    rows = board.rows_of(planned.lineup, played, board.deal_numbers(found.facts)[games])
    problems += [f"{found.path}:{line}" for line in _differences(found, games, rows)]
    about = f"{found.path}: {len(rows)} of {len(found.facts['results'])} games were played again{_circumstances(found)}"
    return Verdict(problems, about, len(games), len(rows))


def _play_fresh(
    found: FoundBoard, problems: list[str], share: float, salt: str, count: workers.Workers, watch: Watch
) -> Verdict:
    planned = fresh.fresh_tournament(found, share)
    with watch(found.path.name, len(planned.deals)) as progress:
        played = workers.run_games(planned, count, progress=progress)
    about = f"{found.path}: {len(played.outcomes)} games were played on fresh deals{_circumstances(found)}"
    comparisons = fresh.compare(found, planned, played)
    return Verdict(problems, about, len(planned.deals), len(played.outcomes), comparisons)


def _circumstances(found: FoundBoard) -> str:
    """What is no fault, but may explain one."""
    others = []
    if versions([entrant.agent for entrant in found.entrants], found.game) != found.facts["versions"]:
        others.append("other versions of Python or libraries")
    if found.facts.get("sources", own_sources()) != own_sources():
        others.append("other sources of rules and agents")
    notes = [f"with {' and '.join(others)} than it was made with"] if others else []
    notes += ["from before there were secrets: its deals were known to all"] if found.is_old else []
    notes += ["a claim: an entry's own run"] if found.is_entry else []
    return f" ({'; '.join(notes)})" if notes else ""


def drawn(found: board.Board, text: str, share: float, salt: str = "") -> np.ndarray:
    """The numbers of the games to play again: all rotations of the deals drawn, ``(n,) int64``."""
    content = hashlib.sha256(text.encode()).hexdigest()
    blocks = list(itertools.product(range(len(found["pairs"])), range(found["deals"])))
    luck = [hashlib.sha256(f"{salt}\n{content}\n{pair} {deal}".encode()).digest() for pair, deal in blocks]
    chosen = [k for k, word in enumerate(luck) if int.from_bytes(word[:8]) < share * 2**64]
    chosen = chosen or [min(range(len(luck)), key=lambda k: luck[k])]
    return (np.array(chosen)[:, None] * found["num_players"] + np.arange(found["num_players"])).ravel()


def _facts(found: FoundBoard) -> Iterator[str]:
    """What of the game is not as it is here."""
    game = found.game
    here = {"env": game.id, "options": dict(game.options), "rules": game.rules_digest}
    for key, value in here.items():
        if found.facts[key] != value:
            yield f"its {key} is {found.facts[key]!r}, but here it is {value!r}"[:MOST_REASON]


def _schedule(found: FoundBoard) -> Iterator[str]:
    """Games that are not those of the schedule."""
    numbers, rows = board.deal_numbers(found.facts), found.facts["results"]
    for number, (row, deal, seats) in enumerate(zip(rows, numbers.tolist(), found.schedule.lineup.tolist(), strict=True)):
        if not isinstance(row, list):
            yield f"result {number} is no game: it is no list"
        elif row[:2] != [deal, seats]:
            claimed = f"game {number} is of deal {row[:1]} with line-up {row[1:2]}"[: 2 * MOST_LETTERS]
            yield f"{claimed}, but the schedule has deal {deal} with {seats}"


def _figures(found: FoundBoard) -> Iterator[str]:
    """The first line that is not as the games of the file make it."""
    kept = {key: found.facts[key] for key in (*board.HEADER, "entry") if key in found.facts}
    right = board.to_text(board.build(kept, found.facts["results"]))
    if found.text == right:
        return
    lines = itertools.zip_longest(found.text.split("\n"), right.split("\n"), fillvalue="")
    for number, (line, wanted) in enumerate(lines, 1):
        if line != wanted:
            both = f"{line.strip()[:MOST_LETTERS]!r} should be {wanted.strip()[:MOST_LETTERS]!r}"
            yield f"{number}: the figures are not those of the games: {both}"
            return


def _differences(found: FoundBoard, games: np.ndarray, rows: Sequence[board.Row]) -> Iterator[str]:
    """Games that came out otherwise when they were played again."""
    lines = found.text.split("\n")
    # In a file of another form, which has been told, games have no lines.
    first = lines.index(HEADING) + 2 if HEADING in lines else 0
    wrong = 0
    for game, row in zip(games.tolist(), rows, strict=True):
        claimed: board.Row = found.facts["results"][game]
        if board.line_of(claimed) == board.line_of(row):
            continue
        wrong += 1
        if wrong <= MOST_SHOWN:
            pair = " + ".join(found.names[k] for k in sorted(set(row[1])))
            both = f"the file says {json.dumps(claimed)}, played again {json.dumps(row)}"
            yield f"{first + game}: {pair} on deal {row[0]}: {both}"
    if wrong > MOST_SHOWN:
        yield f"{first}: and {wrong - MOST_SHOWN} more games differ"


def check_all(
    paths: Sequence[Path],
    share: float,
    salt: str,
    count: workers.Workers,
    say: Callable[[str], Any],
    is_fresh: bool = False,
    watch: Watch = nobody_watches,
) -> bool:
    """Checks files one after the other; returns whether all are well."""
    verdicts = []
    for path in paths:
        verdict = check(path, share, salt, count, is_fresh, watch)
        verdicts.append(verdict)
        for problem in verdict.problems:
            say(problem)
        well = "its form is as it says" if is_fresh else "all as it says"
        say(f"{verdict.about}: {well if verdict.is_well else f'{max(len(verdict.problems), 1)} differences'}")
    comparisons = [one for verdict in verdicts for one in verdict.comparisons]
    corrected = fresh.holm([one.chance for one in comparisons])
    for one, chance in zip(comparisons, corrected, strict=True):
        say(one.tell(chance))
    are_counted = len(verdicts) == len(paths) > 0 and all(verdict.is_well for verdict in verdicts)
    return are_counted and all(chance >= fresh.LEVEL for chance in corrected)
