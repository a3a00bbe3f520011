"""The dancers: the rows of ``cards.csv``, equal ones taken together."""

import csv
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

ATTRIBUTES = {
    "sex": {"F": "female", "M": "male"},
    "size": {"T": "tiny", "S": "small", "B": "big"},
    "alignment": {"M": "mischievous", "G": "good", "E": "evil"},
    "element": {"E": "earth", "W": "water", "S": "sky", "F": "forest"},
}
"""The four attributes and the values of each: the letter in the card list and the word."""

VALUES = tuple((attribute, letter) for attribute, letters in ATTRIBUTES.items() for letter in letters)
"""All values of all attributes, in the order in which they are counted everywhere."""


class Card(NamedTuple):
    """A dancer; the attributes are letters of ``ATTRIBUTES``.

    Attributes:
        id: Its place among the distinct cards, in the order of their first rows.
        name: What Fey it is.
        sex: F or M.
        size: T, S or B.
        alignment: M, G or E.
        element: E, W, S or F.
        rows: How many rows of the card list it has.
    """

    id: int
    name: str
    sex: str
    size: str
    alignment: str
    element: str
    rows: int

    @property
    def columns(self) -> tuple[int, ...]:
        """The places of its four values in ``VALUES``."""
        return tuple(VALUES.index((attribute, getattr(self, attribute))) for attribute in ATTRIBUTES)

    @property
    def words(self) -> str:
        """Its attributes in words."""
        return ", ".join(letters[getattr(self, attribute)] for attribute, letters in ATTRIBUTES.items())


@cache
def load_cards() -> tuple[Card, ...]:
    """The distinct cards of the shipped list, indexed by their id."""
    with Path(__file__).with_name("cards.csv").open(newline="", encoding="utf-8") as file:
        rows = Counter(tuple(row.items()) for row in csv.DictReader(file))
    return tuple(Card(id=number, rows=count, **dict(row)) for number, (row, count) in enumerate(rows.items()))  # type: ignore[misc]
