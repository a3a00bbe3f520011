"""The same table in a terminal: numbered sentences, over a plain line."""

from collections.abc import Callable

from play.table import PERSON, Table
from play.worker import Worker


def play_in_terminal(
    table: Table, worker: Worker, read: Callable[[str], str] = input, write: Callable[[str], None] = print
) -> None:
    """Plays a game; people choose by the number before a sentence, ``b`` shows the board, ``q`` leaves."""
    told = 0
    while True:
        seat = table.to_act
        person = seat >= 0 and table.seats[seat] == PERSON
        viewer = seat if person else (table.people[0] if table.people else "all")
        for events in table.events(viewer)[told:]:
            for event in events:
                write(("" if event.kind in ("heading", "end") else "  ") + event.text)
        told = table.number + 1
        if seat < 0:
            return
        action = _ask(table, seat, read, write) if person else worker.act(table.seats[seat], table.question())
        if action is None:
            return
        table.play(action)


def _ask(table: Table, seat: int, read: Callable[[str], str], write: Callable[[str], None]) -> int | None:
    """The action that a person chooses; None to leave."""
    moves = table.moves()
    for number, move in enumerate(moves, 1):
        write(f"{number:4}  {move['text']}")
    while True:
        try:
            answer = read(f"player {seat}, 1 to {len(moves)}, b for the board, q to leave: ").strip()
        except (EOFError, KeyboardInterrupt):
            return None
        if answer == "q":
            return None
        if answer == "b":
            write(table.game.text(table.moments[-1].record, seat))
        elif answer.isascii() and answer.isdecimal() and len(answer) < 8 and 1 <= int(answer) <= len(moves):
            return int(moves[int(answer) - 1]["action"])
        else:
            write(f"{answer[:40]!r} is no number from 1 to {len(moves)}")
