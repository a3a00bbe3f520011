"""The component data: the shipped files, and what is said of files that are wrong."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import envs
from envs.mushroom_rings import components
from envs.mushroom_rings.components.loading import load_components

SHIPPED = Path(components.__file__).parents[1]


@pytest.fixture
def folder(tmp_path):
    for name in ("tiles.csv", "board.toml"):
        shutil.copy(SHIPPED / name, tmp_path)
    return tmp_path


def test_the_shipped_data_has_92_tiles_with_110_mushrooms():
    tiles = load_components().tiles
    colors = Counter(color for tile in tiles for segment in tile for color in segment.mushrooms)
    assert len(tiles) == 93 and colors == {"red": 30, "yellow": 30, "blue": 20, "pink": 20, "purple": 10}


def test_other_data_is_played(folder):
    board = folder / "board.toml"
    board.write_text(board.read_text().replace("red = [2, 4, 6, 9, 12, 16]", "red = [3, 4, 6, 9, 12, 16]"))
    game = envs.make_game("mushroom_rings", components=str(folder))
    assert game.rules["payouts"][0, 0, 0] == 3


BROKEN = [
    ("tiles.csv", "1,S,0-1,red", "2,S,0-1,red", "row 2, column id: found '2', expected 1"),
    ("tiles.csv", "1,S,0-1,red", "1,S,0-0,red", "row 2, column path_1: found '0-0'"),
    ("tiles.csv", "1,S,0-1,red", "1,S,0-1,green", "row 2, column mushrooms_1: found 'green'"),
    ("tiles.csv", "41,SSa,0-1,red,2-3", "41,SSa,0-1,red,1-3", "row 42, column path_2: found '1-3'"),
    ("tiles.csv", "1,S,0-1,red,,,,", "1,S,0-1,red,,,", "row 2: found 7 columns"),
    ("tiles.csv", "id,shape", "id,form", "row 1: found"),
    ("board.toml", "sales_per_visit = 2", "sales_per_visit = 3", "market.sales_per_visit: found 3, expected 2"),
    ("board.toml", "scores = [0, 1, 3, 6", "scores = [0, 1, 3", "flowers.scores: found"),
    ("board.toml", "paths = [[0, 1], [2, 3], [4, 5]]", "paths = [[0, 1], [2, 3], [3, 5]]", "stump.paths: found"),
    ("board.toml", 'bonus = "tile"', 'bonus = "tiles"', "slots.4.bonus: found 'tiles'"),
    ("board.toml", "never_blocked = 2", "never_blocked = 9", "market.never_blocked: found 9"),
    ("board.toml", "[stump]", "[stumps]", "stump: found nothing"),
    ("board.toml", 'choice = "A", pay = { red = 2 }', 'choice = "A", pay = { point = 2 }', "trades.0.pay.point: found"),
    ("board.toml", "colors = [", "colors = (", "the file: found"),
]


@pytest.mark.parametrize(("name", "right", "wrong", "message"), BROKEN)
def test_an_error_names_file_place_and_what_was_wrong(folder, name, right, wrong, message):
    text = (folder / name).read_text()
    assert right in text
    (folder / name).write_text(text.replace(right, wrong, 1))
    with pytest.raises(ValueError, match=re.escape(name) + ", " + re.escape(message)):
        load_components(folder)


def test_too_few_tiles_are_refused(folder):
    rows = (folder / "tiles.csv").read_text().splitlines()
    (folder / "tiles.csv").write_text("\n".join(rows[:12]))
    with pytest.raises(ValueError, match="expected at least 17"):
        load_components(folder)


def test_a_missing_folder_or_file_is_named(folder):
    missing = folder / "nowhere"
    with pytest.raises(ValueError, match=f"^there is no folder {re.escape(str(missing))} with tiles.csv and board.toml$"):
        envs.make_game("mushroom_rings", components=str(missing))
    path = folder / "tiles.csv"
    with pytest.raises(ValueError, match=f"^there is no folder {re.escape(str(path))} with"):
        load_components(path)
    path.unlink()
    with pytest.raises(ValueError, match=f"^there is no file {re.escape(str(path))}$"):
        load_components(folder)
    path.mkdir()
    with pytest.raises(ValueError, match=f"^cannot read {re.escape(str(path))}: "):
        load_components(folder)


def test_another_encoding_is_named(folder):
    path = folder / "tiles.csv"
    path.write_bytes(path.read_bytes() + "\u00e9".encode("latin-1"))
    with pytest.raises(ValueError, match=r"tiles\.csv, the file: .*, expected text in UTF-8$"):
        load_components(folder)
