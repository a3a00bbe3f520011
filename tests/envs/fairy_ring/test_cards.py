"""The card list of Fairy Ring: the shipped one, and what is said of a list that is wrong."""

import csv
from collections import Counter

import pytest

from envs.fairy_ring.cards import TYPES, Card, load_cards

HEADER = ["id", "deck", "type", "movement", "fireflies", "mana", "min_players", "copies"]


def card_rows():
    """The header and twelve cards which are just enough: the smallest list for four players."""
    rows = [list(HEADER)]
    for deck in ("start", "1", "2"):
        for kind, copies in (("Magidrome", 4), ("Academy", 9), ("Spring", 9), ("Lookout", 6)):
            movement = "" if deck == "start" else "2|4|6" if kind == "Spring" else "3"
            mana = "2" if kind in ("Magidrome", "Spring") else ""
            players = "" if deck == "start" else "2"
            number_of_copies = 1 if deck == "start" else copies
            rows.append([str(len(rows) - 1), deck, kind, movement, "1", mana, players, str(number_of_copies)])
    return rows


def save(folder, rows, **how):
    """Write rows to a file."""
    path = folder / "list.csv"
    with path.open("w", newline="", **({"encoding": "utf-8"} | how)) as file:
        csv.writer(file).writerows(rows)
    return path


def test_the_shipped_list_has_the_66_cards_of_the_box():
    cards = load_cards()
    assert Counter(card.deck for card in cards for _ in range(card.copies)) == {"start": 6, "1": 30, "2": 30}
    assert {card.type for card in cards} == set(TYPES)
    assert [card.id for card in cards] == list(range(len(cards)))


def test_another_list_is_read_with_blank_lines_and_a_byte_order_mark(tmp_path):
    rows = card_rows()
    cards = load_cards(save(tmp_path, [*rows[:4], [], *rows[4:], []], encoding="utf-8-sig"))
    assert cards[0] == Card(0, "start", "Magidrome", (), 1, 2, 0, 1)
    assert cards[6] == Card(6, "1", "Spring", (2, 4, 6), 1, 2, 2, 9)
    assert load_cards(str(tmp_path / "list.csv")) == cards


# The first start card is in row 2; rows 6 to 9 are Magidrome, Academy, Spring, Lookout of deck 1.
@pytest.mark.parametrize(
    ("row", "column", "value", "expected"),
    [
        (1, "type", "kind", "header"),
        (3, "id", "2", "1"),
        (3, "id", "one", "1"),
        (2, "deck", "0", "start, 1, 2"),
        (7, "type", "Toadstool", "Academy"),
        (2, "movement", "3", "nothing"),
        (6, "movement", "", "from 1 to 99"),
        (6, "movement", "0", "from 1 to 99"),
        (6, "movement", "100", "from 1 to 99"),
        (6, "movement", "1|2|3", "from 1 to 99"),
        (8, "movement", "4", "three rising"),
        (8, "movement", "2|4", "three rising"),
        (8, "movement", "2|4|4", "three rising"),
        (8, "movement", "6|4|2", "three rising"),
        (8, "movement", "2|4|100", "three rising"),
        (8, "movement", "2|x|4|6", "three rising"),
        (6, "fireflies", "3", "from 0 to 2"),
        (6, "fireflies", "-1", "from 0 to 2"),
        (6, "fireflies", "\u0661", "from 0 to 2"),
        (6, "mana", "", "from 0 to 31"),
        (8, "mana", "32", "from 0 to 31"),
        (7, "mana", "0", "nothing"),
        (2, "min_players", "2", "nothing"),
        (6, "min_players", "5", "from 2 to 4"),
        (6, "min_players", "", "from 2 to 4"),
        (6, "copies", "0", "from 1 to 9"),
        (6, "copies", "10", "from 1 to 9"),
        (6, "copies", "1.5", "from 1 to 9"),
    ],
)
def test_a_wrong_cell_is_named_by_file_row_and_column(tmp_path, row, column, value, expected):
    rows = card_rows()
    rows[row - 1][HEADER.index(column)] = value
    path = save(tmp_path, rows)
    with pytest.raises(ValueError) as caught:
        load_cards(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, row {row}, column {column}: ")
    assert repr(value) in message
    assert expected in message


def test_rows_of_the_wrong_length_are_named(tmp_path):
    for cells, column in ((5, "mana"), (9, "copies")):
        rows = card_rows()
        rows[6] = (rows[6] + ["1"])[:cells]
        with pytest.raises(ValueError, match=f"row 7, column {column}: the row has {cells} columns, expected 8"):
            load_cards(save(tmp_path, rows))
    rows = card_rows()
    rows[0].append("colour")
    with pytest.raises(ValueError, match="row 1, column colour: "):
        load_cards(save(tmp_path, rows))


def test_an_empty_file_lacks_its_header(tmp_path):
    with pytest.raises(ValueError, match="row 1, column id: .*header"):
        load_cards(save(tmp_path, []))


def test_other_encodings_are_refused_by_name(tmp_path):
    rows = card_rows()
    rows[1][2] = "Magidr\u00f4me"
    with pytest.raises(ValueError, match=r"list\.csv, row 1, column id: .*UTF-8"):
        load_cards(save(tmp_path, rows, encoding="latin-1"))


def test_a_list_that_cannot_be_read_is_named(tmp_path):
    for path, reason in ((tmp_path / "none.csv", "No such file"), (tmp_path, "it is a folder")):
        with pytest.raises(ValueError, match=f"cannot read the list of cards {path}: {reason}"):
            load_cards(path)


def test_more_cards_than_the_engine_can_number_are_refused(tmp_path):
    rows = card_rows()
    extra = [[str(card_id), *rows[-1][1:]] for card_id in range(12, 101)]
    with pytest.raises(ValueError, match="row 102, column id: found '100', expected no more rows"):
        load_cards(save(tmp_path, [*rows, *extra]))
    assert len(load_cards(save(tmp_path, [*rows, *extra[:-1]]))) == 100


@pytest.mark.parametrize(
    ("row", "column", "value", "problem"),
    [
        (9, "copies", "5", "deck 1 holds 27 cards for 4 players, expected at least 28"),
        (11, "min_players", "4", "deck 2 holds 19 cards for 3 players, expected at least 21"),
        (11, "copies", "1", "deck 2 holds 20 cards for 3 players, expected at least 21"),
        (2, "deck", "1", "deck start holds 3 cards, expected at least 4"),
    ],
)
def test_decks_too_small_to_deal_are_refused(tmp_path, row, column, value, problem):
    rows = card_rows()
    rows[row - 1][HEADER.index(column)] = value
    if column == "deck":
        rows[row - 1][HEADER.index("movement")] = "3"
        rows[row - 1][HEADER.index("min_players")] = "2"
    with pytest.raises(ValueError, match=f"list.csv, column copies: {problem}"):
        load_cards(save(tmp_path, rows))


def test_a_deck_for_two_counts_only_the_cards_for_two(tmp_path):
    rows = card_rows()
    for row in (6, 7, 8):
        rows[row - 1][HEADER.index("min_players")] = "3"
    with pytest.raises(ValueError, match="deck 1 holds 6 cards for 2 players, expected at least 14"):
        load_cards(save(tmp_path, rows))
