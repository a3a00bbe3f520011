"""What happened in a game, for a log that people follow and for marks in pictures."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

View = Mapping[str, Any]

HEADING, CHOICE, MOVE, EFFECT, END = "heading", "choice", "move", "effect", "end"
"""Kinds of event: a round or turn begins; a part of a decision is made, such as a tile that is still to be laid; a decision is
made; something follows from it; the game is counted up."""


class Event(NamedTuple):
    """One thing that happened.

    Attributes:
        kind: One of the kinds above.
        text: A line for the log; players are called ``player 0`` and so on.
        player: Whom it is about, None where it is nobody in particular.
        pieces: The pieces it touched, by the names that the game's pictures give them.
        path: Pieces in the order in which something moved over them.
    """

    kind: str
    text: str
    player: int | None = None
    pieces: tuple[str, ...] = ()
    path: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data, fit for JSON."""
        return {**self._asdict(), "pieces": list(self.pieces), "path": list(self.path)}


def plural(number: int, word: str, words: str = "") -> str:
    """A number with its word: ``plural(2, "point")`` is ``"2 points"``."""
    return f"{number} {word if number in (1, -1) else words or word + 's'}"


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence: ``a, b and c``."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def reckoning(lines: Sequence[tuple[tuple[int, ...], str]], criteria: Sequence[str]) -> list[Event]:
    """The end of a game: a line for every player, then who wins and by what.

    Args:
        lines: For each player the numbers that are compared, the first one first, and how they came about.
        criteria: What the numbers are, for a tie-break: ``("points", "mana")``.
    """
    best = max(numbers for numbers, _ in lines)
    winners = [player for player, (numbers, _) in enumerate(lines) if numbers == best]
    told = [Event(END, f"player {player}: {text}", player) for player, (_, text) in enumerate(lines)]
    return [*told, Event(END, _victory(winners, [numbers for numbers, _ in lines], criteria), winners[0])]


def _victory(winners: Sequence[int], numbers: Sequence[tuple[int, ...]], criteria: Sequence[str]) -> str:
    if len(winners) > 1:
        shared = " and ".join(criteria)
        return f"{listed([f'player {player}' for player in winners])} share the victory: equal {shared}"
    winner, decided = winners[0], 0
    rivals = [other for player, other in enumerate(numbers) if player != winner]
    while any(other[: decided + 1] == numbers[winner][: decided + 1] for other in rivals):
        decided += 1
    tie = f", with equal {' and '.join(criteria[:decided])}" if decided else ""
    return f"player {winner} wins: most {criteria[decided]}{tie}"
