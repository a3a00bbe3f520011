"""``evaluation.compare``: the figures of evaluate.py, from Python, with agents as objects."""

import json
import signal
import threading
from functools import partial

import numpy as np
import pytest

import envs
import evaluate
import evaluation

GAME = "examples.tic_tac_toe"
SMALL = {"games": 30, "progress": False}


class First:
    """Plays the first legal action."""

    def __init__(self, game, column=0):
        self.column = column

    def act(self, observations, action_masks, worlds):
        return action_masks.argmax(axis=1)


class Broken(First):
    name = "broken"

    def act(self, observations, action_masks, worlds):
        raise OSError("out of order")


@pytest.fixture(scope="module")
def result():
    return evaluation.compare(GAME, ["random", "ismcts:8", First], seed=3, **SMALL)


def test_words_give_the_figures_of_the_command(tmp_path):
    words = ["random", "ismcts:8", "random"]
    evaluate.main([*words, "--env", GAME, "--games", "30", "--seed", "3", "--quiet", "--out", str(tmp_path)])
    written = json.loads((tmp_path / "evaluation.json").read_text())
    told = json.loads(evaluation.compare(GAME, words, seed=3, **SMALL).to_json())
    assert written.pop("command") != told.pop("command") and written == told


def test_a_result_has_a_table_ratings_and_a_matrix(result):
    assert [row["agent"] for row in result.table] == result.agents == list(result.ratings) and result.agents[0] == "ismcts:8"
    first = result.table[0]
    assert first["rating_low"] <= first["rating"] <= first["rating_high"] and first["illegal"] == 0
    assert result.ratings["random"]["mean"] == 0 and result.ratings["ismcts:8"]["mean"] == first["rating"]
    one, other = result.beats("ismcts:8", "random"), result.beats("random", "ismcts:8")
    assert one["share"] + other["share"] == pytest.approx(1) and one["low"] <= one["share"] and one["count"] == other["count"]
    assert result.match.lineup.shape == (30, 2)
    with pytest.raises(ValueError, match="there is no agent 'greedy'; choose from random, ismcts:8, First"):
        result.beats("greedy", "random")


def test_a_result_shows_itself_and_can_be_kept(result, tmp_path):
    assert repr(result).startswith(f"Comparison({GAME}-v0: 2 players, 30 games on 15 deals: ismcts:8 ")
    assert "Head to head" in str(result)
    shown = result._repr_html_()
    assert all(f">{name}</td>" in shown for name in ("random", "First")) and "<script" not in shown
    assert "<body" not in shown and result.to_html().startswith("<!DOCTYPE html>")
    assert [path.name for path in result.write(tmp_path / "new")] == ["evaluation.json", "evaluation.md", "evaluation.html"]
    assert json.loads(result.to_json())["command"].startswith(f"evaluation.compare('{GAME}', ['random', 'ismcts:8', 'First']")


def test_a_name_is_shown_as_text_and_not_as_markup():
    result = evaluation.compare(GAME, {"<b>": First, "random": "random"}, **SMALL)
    assert "&lt;b&gt;" in result._repr_html_() and "<b>" not in result._repr_html_()


def test_objects_classes_functions_and_names(result):
    game = envs.make_game(GAME)
    result = evaluation.compare(game, [First(game), First, partial(First, column=1), lambda game: First(game)], **SMALL)
    assert sorted(result.agents) == ["<lambda>", "First", "First#2", "First#3"]
    assert all(row["placement"] == 0 for row in result.table)  # equal agents are exactly equal


def test_an_agent_that_fails_forfeits_and_the_result_says_why():
    result = evaluation.compare(GAME, {"mine": Broken, "random": "random"}, **SMALL)
    assert result.match.forfeits.tolist() == [30, 0]
    assert result.report["notes"] == ["mine forfeited games: OSError: out of order."]


def test_a_thread_gives_the_same_and_no_signal_is_touched(result):
    found, before = [], signal.getsignal(signal.SIGINT)
    thread = threading.Thread(
        target=lambda: found.append(evaluation.compare(GAME, ["random", "ismcts:8", First], seed=3, move_time=60, **SMALL))
    )
    thread.start()
    thread.join()
    assert np.array_equal(found[0].match.rewards, result.match.rewards)
    assert signal.getsignal(signal.SIGINT) == before


def no_agent(game):
    raise ImportError("no such library")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"game": "fairy_rings"}, "there is no game 'fairy_rings'.*choose from fairy_ring"),
        ({"agents": "greedy"}, "agents is 'greedy'; it must be a list of agents"),
        ({"agents": ["random"]}, "at least two agents are needed"),
        ({"agents": ["random", "gredy"]}, "there is no agent 'gredy'; choose from random, greedy"),
        ({"agents": ["random", 5]}, "agent 5 is none: it must be a word"),
        ({"agents": ["random", no_agent]}, "cannot make agent 'no_agent': ImportError: no such library"),
        ({"agents": ["random", lambda game: game]}, "cannot make agent '<lambda>': it has no method act"),
        ({"agents": ["random", First], "workers": 2}, "agents given as objects play in this process"),
        ({"games": 0}, "games is 0; it must be an integer from 1"),
        ({"seed": -1}, "seed is -1"),
        ({"move_time": 0}, "move_time is 0; it must be a number of seconds above 0"),
        ({"num_players": 3}, "is for 2 players, not 3"),
        ({"anchor": "greedy"}, "greedy"),
        ({"size": 9}, "option size is 9"),
        ({"deck": "x"}, "deck"),
        ({"agents": ["random", "random", "random"], "games": 1}, "need at least 2 deals"),
    ],
)
def test_a_mistake_is_named_before_anything_is_played(words, message):
    words = {"game": GAME, "agents": ["random", "random"], **SMALL, **words}
    with pytest.raises(ValueError, match=message):
        evaluation.compare(**words)
