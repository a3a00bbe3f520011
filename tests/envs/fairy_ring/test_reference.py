"""The compiled rules against the slow reference, which was written from the rule texts alone.

``FAIRY_RING_GAMES`` sets how many games are compared for each number of players, without and with objectives (default 250).
"""

import os
from functools import partial
from pathlib import Path

import pytest

import envs
import envs.fairy_ring
from tests.comparison import compare
from tests.envs.fairy_ring.reference import Reference

GAMES = int(os.environ.get("FAIRY_RING_GAMES", "250"))
CARDS = Path(envs.fairy_ring.__file__).with_name("cards.csv")


def _compare(num_players, games, seed, cards=CARDS, **options):
    game = envs.make_game("fairy_ring", num_players, deck=None if cards is CARDS else str(cards), **options)
    make_reference = partial(_reference, num_players, dict(game.options), cards)
    compare(game, games, seed, make_reference)


def _reference(num_players, options, cards, state):
    return Reference(num_players, options, state, cards)


@pytest.mark.parametrize("objectives", [False, True])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_agree(num_players, objectives):
    _compare(num_players, GAMES, 0, objectives=objectives)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_games_with_all_fireflies_agree(num_players):
    _compare(num_players, 100, 50_000, objectives=True, fireflies="all")


@pytest.mark.parametrize("num_players", [2, 4])
def test_games_with_a_deck_of_copies_agree(num_players, tmp_path):
    rows = ["id,deck,type,movement,fireflies,mana,min_players,copies"]
    rows += ["0,start,Academy,,2,,,2", "1,start,Spring,,0,3,,2"]
    for number, deck in enumerate("12"):
        base = 2 + 6 * number
        rows += [
            f"{base},{deck},Magidrome,{1 + 8 * number},0,0,2,7",
            f"{base + 1},{deck},Spring,1|2|11,0,31,2,6",
            f"{base + 2},{deck},Lookout,30,1,,3,5",
            f"{base + 3},{deck},Luminarium,2,2,,2,5",
            f"{base + 4},{deck},Pollenarium,1,0,,4,2",
            f"{base + 5},{deck},Magidrome,3,0,31,2,9",
        ]
    cards = tmp_path / "cards.csv"
    cards.write_text("\n".join(rows) + "\n")
    _compare(num_players, 100, 60_000, cards=cards, objectives=True)
