"""Recorded games of boards: those of the board, which one can check, watch, and reach from the page."""

import json

import pytest

import evaluate
from envs.replay import command as replay
from evaluation.leaderboard import make, recorded
from evaluation.leaderboard.found import FoundBoard
from tests.evaluation.boards import MAKE, NAME, edit
from tests.evaluation.test_report import Page


def test_the_page_links_every_two_agents_to_a_game_of_theirs(made, capsys):
    assert recorded.main([str(made)]) == 0
    files = sorted(make.games_folder(made).iterdir())
    found = FoundBoard.read(made)
    whole = {tuple(sorted(set(row[1]))) for row in found.facts["results"] if row[6] < 0}  # few of those that stumble
    assert {(0, 1), (0, 2), (1, 2)} <= whole
    assert [path.stem for path in files] == [f"{i}-{j}" for i, j in sorted(whole)]
    assert replay.main(["check", *map(str, files)]) == 0
    for pair, path in zip(sorted(whole), files, strict=True):
        first, *decisions, last = map(json.loads, path.read_text().splitlines())
        rows = [row for deal, row in zip(found.schedule.deals, found.facts["results"], strict=True) if deal == first["seed"]]
        assert rows and tuple(sorted(set(rows[0][1]))) == pair
        assert [len(decisions), last["rewards"]] in [[row[5], row[2]] for row in rows]
    page = Page((made.parent / "index.html").read_text())
    links = [value for key, value in page.attributes if key == "href" and value.startswith("games/")]
    assert sorted(links) == sorted(2 * [f"games/{NAME}/{path.name}" for path in files])
    assert f"wrote {len(whole)} games in" in capsys.readouterr().out


def test_a_game_that_comes_out_otherwise_is_not_kept(made, capsys):
    def lengthen(found):
        for row in found["results"]:
            row[5] += 1

    edit(made, lengthen)
    with pytest.raises(SystemExit):
        recorded.main([str(made)])
    assert f"{NAME}.json: game 0 comes out otherwise than it says" in capsys.readouterr().err
    assert not list(make.games_folder(made).glob("*.jsonl"))


def test_a_board_that_is_made_anew_keeps_no_games_of_other_agents(made):
    assert recorded.record(made)
    assert evaluate.main(MAKE) == 0
    assert not make.games_folder(made).exists() and "games/" not in (made.parent / "index.html").read_text()
