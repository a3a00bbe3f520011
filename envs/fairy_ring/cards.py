"""The mushroom cards: one row of ``cards.csv`` each, checked when they are loaded."""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from envs.checks import one_line, show, show_path
from envs.files import read_regular, reason

TYPES = ("Magidrome", "Academy", "Lookout", "Luminarium", "Pollenarium", "Spring")
TYPES_WITH_MANA = ("Magidrome", "Spring")
DECKS = ("start", "1", "2")
MOST_BYTES = 1 << 20  # of a card list
MAX_CARDS = 100  # most different cards in a card list
HAND_SIZE = 7
PLAYER_COUNTS = (2, 3, 4)

_SHIPPED = Path(__file__).with_name("cards.csv")
_COLUMNS = ("id", "deck", "type", "movement", "fireflies", "mana", "min_players", "copies")
_START_CARDS = max(PLAYER_COUNTS)


class Card(NamedTuple):
    """One kind of mushroom card.

    Attributes:
        id: Its place in the list, from 0.
        deck: ``"start"``, ``"1"`` or ``"2"`` (the round it is dealt in).
        type: One of ``TYPES``.
        movement: How far the fairy flies: one number; three to choose from on a Spring; none on a start card.
        fireflies: 0 to 2.
        mana: The printed mana of a Magidrome or a Spring; 0 on the others.
        min_players: The card is left out of games with fewer players; 0 on a start card.
        copies: How many of it the deck holds.
    """

    id: int
    deck: str
    type: str
    movement: tuple[int, ...]
    fireflies: int
    mana: int
    min_players: int
    copies: int


class _Row:
    """One line of a card file, which knows where it stands when something is wrong with it."""

    def __init__(self, path: Path, line: int, cells: Sequence[str]) -> None:
        self.path = path
        self.line = line
        self.cells = dict(zip(_COLUMNS, (cell.strip() for cell in cells), strict=False))

    def error(self, column: str, expected: str) -> ValueError:
        found = self.cells.get(column, "")
        return _error(self.path, f"row {self.line}, column {column}", f"found {show(found)}, expected {expected}")

    def word(self, column: str, allowed: Sequence[str]) -> str:
        """The cell as one of the allowed words."""
        if self.cells[column] not in allowed:
            raise self.error(column, "one of " + ", ".join(allowed))
        return self.cells[column]

    def number(self, column: str, low: int, high: int) -> int:
        """The cell as an integer from low to high."""
        number = _as_number(self.cells[column])
        if number is None or not low <= number <= high:
            raise self.error(column, f"an integer from {low} to {high}")
        return number

    def empty(self, column: str, owner: str) -> None:
        """Check that the cell is empty, as it must be for the owner (a kind of card)."""
        if self.cells[column]:
            raise self.error(column, f"nothing, for {owner} has none")

    def movement(self, deck: str, kind: str) -> tuple[int, ...]:
        """The numbers of the movement cell: none, one or three."""
        if deck == "start":
            self.empty("movement", "a start card")
            return ()
        if kind != "Spring":
            return (self.number("movement", 1, 99),)
        numbers = [_as_number(part) for part in self.cells["movement"].split("|")]
        steps = tuple(number for number in numbers if number is not None and 1 <= number <= 99)
        if len(numbers) != 3 or len(steps) != 3 or not steps[0] < steps[1] < steps[2]:
            raise self.error("movement", "three rising integers from 1 to 99 with | between them, for a Spring")
        return steps

    def mana(self, kind: str) -> int:
        """The mana cell: a number for the two types that print it."""
        if kind in TYPES_WITH_MANA:
            return self.number("mana", 0, 31)
        self.empty("mana", f"a card of type {kind}")
        return 0

    def min_players(self, deck: str) -> int:
        """The player count cell: a number on the cards of the two rounds."""
        if deck == "start":
            self.empty("min_players", "a start card")
            return 0
        return self.number("min_players", PLAYER_COUNTS[0], PLAYER_COUNTS[-1])

    def card(self, card_id: int) -> Card:
        """The whole row as the card with this id."""
        if _as_number(self.cells["id"]) != card_id:
            raise self.error("id", f"{card_id}: ids count up from 0, one a row")
        deck = self.word("deck", DECKS)
        kind = self.word("type", TYPES)
        return Card(
            id=card_id,
            deck=deck,
            type=kind,
            movement=self.movement(deck, kind),
            fireflies=self.number("fireflies", 0, 2),
            mana=self.mana(kind),
            min_players=self.min_players(deck),
            copies=self.number("copies", 1, 9),
        )


def load_cards(path: str | os.PathLike[str] | None = None) -> tuple[Card, ...]:
    """Read and check a card list.

    Args:
        path: A file in the format of the shipped ``cards.csv``; None for the shipped one.

    Returns:
        The cards, indexed by their id.

    Raises:
        ValueError: The file cannot be read, or breaks the format; the message names file, row, column, what is there and what is
            expected.
    """
    source = _SHIPPED if path is None else Path(path)
    rows = _rows(source)
    first = next(rows, (1, []))
    _check_header(source, *first)
    cards: list[Card] = []
    for line, cells in rows:
        if len(cells) != len(_COLUMNS):
            column = _COLUMNS[min(len(cells), len(_COLUMNS) - 1)]
            problem = f"the row has {len(cells)} columns, expected {len(_COLUMNS)}"
            raise _error(source, f"row {line}, column {column}", problem)
        row = _Row(source, line, cells)
        if len(cards) == MAX_CARDS:
            raise row.error("id", f"no more rows after {MAX_CARDS} cards")
        cards.append(row.card(len(cards)))
    _check_counts(source, cards)
    return tuple(cards)


def _as_number(text: str) -> int | None:
    text = text.strip()
    # No column takes more than two digits; longer ones are out of range without being read.
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _error(path: Path, place: str, problem: str) -> ValueError:
    return ValueError(f"{show_path(path)}, {one_line(place)}: {problem}")


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row that is not blank."""
    try:
        content = read_regular(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the list of cards {show_path(path)}: {reason(error)}") from error
    # Spreadsheets write a byte order mark, which "utf-8-sig" skips.
    yield from _cells(path, csv.reader(io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")))


def _cells(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except (csv.Error, UnicodeDecodeError) as error:
        place = f"row {reader.line_num + 1}, column {_COLUMNS[0]}"
        raise _error(path, place, f"{error}; expected CSV text in UTF-8") from error


def _check_header(path: Path, line: int, cells: Sequence[str]) -> None:
    names = [cell.strip() for cell in cells]
    for index, expected in enumerate(_COLUMNS):
        found = names[index] if index < len(names) else ""
        if found != expected:
            place = f"row {line}, column {expected}"
            raise _error(path, place, f"found {show(found)}, expected the header {','.join(_COLUMNS)}")
    if len(names) > len(_COLUMNS):
        place = f"row {line}, column {names[len(_COLUMNS)]}"
        raise _error(path, place, f"an unknown column, expected the header {','.join(_COLUMNS)}")


def _check_counts(path: Path, cards: Sequence[Card]) -> None:
    """Check that every player count can be dealt from the list."""
    start = sum(card.copies for card in cards if card.deck == "start")
    if start < _START_CARDS:
        raise _error(path, "column copies", f"deck start holds {start} cards, expected at least {_START_CARDS}")
    for deck in DECKS[1:]:
        for players in PLAYER_COUNTS:
            size = sum(card.copies for card in cards if card.deck == deck and card.min_players <= players)
            needed = HAND_SIZE * players
            if size < needed:
                problem = f"deck {deck} holds {size} cards for {players} players, expected at least {needed}"
                raise _error(path, "column copies", problem)
