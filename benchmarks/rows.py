"""Rows of the speed table: what was measured, in what unit, what it aims at, and whether it got there."""

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One measured figure.

    Attributes:
        what: What was measured.
        value: The figure; None if it could not be measured here, then ``note`` says why.
        unit: Its unit.
        at_most: The aim is to be at or below this; None for no such aim.
        at_least: The aim is to be at or above this; None for no such aim.
        note: How it was measured, or what differs.
    """

    what: str
    value: float | None
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def aim(self) -> str:
        """The aim in words, empty without one."""
        if self.at_most is not None:
            return f"at most {number(self.at_most)}"
        return "" if self.at_least is None else f"at least {number(self.at_least)}"

    @property
    def is_missed(self) -> bool:
        """Whether there is an aim that the figure does not reach; a figure that is missing or not a number reaches none."""
        if self.at_most is None and self.at_least is None:
            return False
        if self.value is None:
            return True
        below = self.at_most is None or self.value <= self.at_most
        above = self.at_least is None or self.value >= self.at_least
        return not (below and above)


def number(value: float) -> str:
    """A figure with three significant digits, or all digits of a large one."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def markdown(title: str, rows: Iterable[Row]) -> str:
    """A part of the table; figures that miss their aim are in bold and marked MISSED."""
    lines = [f"### {title}", "", "| what | figure | aim | |", "|---|---|---|---|"]
    for row in rows:
        figure = "not measured" if row.value is None else f"{number(row.value)} {row.unit}".strip()
        verdict = "" if not row.aim else "MISSED" if row.is_missed else "met"
        figure = f"**{figure}**" if row.is_missed else figure
        lines.append(f"| {row.what} | {figure} | {row.aim} | {'. '.join(filter(None, (verdict, row.note)))} |")
    return "\n".join(lines) + "\n"
