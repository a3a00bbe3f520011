"""Leaderboards: made to the byte, shown on a page, entered by others, and found out when they are changed."""

import json
import re
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import envs
import evaluate
from evaluation.keyed import Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard import make as leaderboard
from evaluation.leaderboard import verify as checking
from evaluation.leaderboard.entries import Entrant, Entry, baselines
from evaluation.tournament import schedule
from tests.evaluation.test_report import Page

MAKE = ["--leaderboard", "dance_of_eights", "--num-players", "2", "--games", "12", "--quiet"]
NAME = "dance_of_eights_2p"

OTHERS = """
from agents.agent import RandomAgent

class Lowest(RandomAgent):
    def act(self, observations, action_masks, worlds):
        return action_masks.argmax(axis=1)

class Stumbling(Lowest):
    def act(self, observations, action_masks, worlds):
        if (worlds["rng"] % 64 == 0).any():
            raise ValueError("a bad word")
        return super().act(observations, action_masks, worlds)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working folder with two entries that have no results yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("evaluation.leaderboard.entries.BASELINES", ("random", "greedy", "ppo", "unheard_of:100"))
    monkeypatch.setattr("agents.checkpoint.SHIPPED", tmp_path / "nothing")
    entries = tmp_path / "leaderboard" / "entries"
    entries.mkdir(parents=True)
    (entries / "entering.py").write_text(OTHERS)
    for name, agent in (("low", "Lowest"), ("stumble", "Stumbling")):
        entry = {"name": name, "agent": f"entering:{agent}", "authors": ["A. Fairy", "B. Elf"], "about": "as <simple> as can be"}
        facts = {"format": 1, "rule_set": "dance_of_eights", "num_players": 2, "entry": entry}
        (entries / f"{name}.json").write_text(json.dumps(facts))
    yield tmp_path / "leaderboard"
    sys.modules.pop("entering", None)


@pytest.fixture
def made(place):
    """The file of a leaderboard."""
    assert evaluate.main(MAKE) == 0
    return place / f"{NAME}.json"


def without_timing(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.json") if ".timing." not in path.name}


def check(path, *more):
    """The exit code of a check."""
    return evaluate.main(["--check-leaderboard", str(path), *more])


# --- the board ----------------------------------------------------------------------------------------------------------


def test_a_board_has_all_agents_all_games_and_the_same_bytes_again(made, capsys):
    first = made.read_bytes()
    found = json.loads(first)
    assert [entrant["name"] for entrant in found["entrants"]] == ["random", "greedy", "low", "stumble"]
    assert found["entrants"][2]["authors"] == ["A. Fairy", "B. Elf"] and len(found["entrants"][2]["file"]) == 64
    assert found["pairs"] == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] and len(found["results"]) == 6 * 12
    assert found["games"]["count"] == 72 and found["games"]["deals"] == 6 == found["deals"]
    assert found["agents"][0]["rating"]["mean"] < -100 and found["agents"][1]["alpha_rank"] > 0.99
    assert found["agents"][3]["counts"]["illegal"] > 0 and "stumble forfeited games: ValueError: a bad word." in found["notes"]
    assert {"python", "numpy"} <= set(found["versions"])
    assert evaluate.main([*MAKE, "--workers", "2"]) == 0 and made.read_bytes() == first
    said = capsys.readouterr().out
    assert "without ppo: " in said and "stumble forfeited games: ValueError: a bad word." in said
    assert {path.name for path in made.parent.iterdir()} == {"entries", "index.html", made.name, f"{NAME}.timing.json"}
    again = found["command"].split()[2:]
    assert again == ["--leaderboard", "dance_of_eights", "--num-players", "2", "--games", "12"]


def test_the_games_of_a_pair_do_not_depend_on_who_else_plays(made, place):
    together = json.loads(made.read_text())["results"]
    for path in (place / "entries").glob("*.json"):
        path.unlink()
    evaluate.main(MAKE)
    assert json.loads(made.read_text())["results"] == together[:12]


@pytest.mark.parametrize(("num_players", "pairs"), [(2, [[0, 1], [1, 2]]), (3, [[2, 0]]), (4, [[0, 1], [0, 2]])])
def test_every_pair_plays_the_same_deals_from_all_seats(num_players, pairs):
    lineup, deals = board.schedule(pairs, num_players, 9, seed=4, secret=Secret.from_seed(4))
    two, seeds = schedule(2, num_players, 9, 4)
    size = 9 * num_players
    for number, pair in enumerate(pairs):
        own = slice(number * size, (number + 1) * size)
        assert (deals[own] == seeds).all() and (lineup[own] == np.array(pair)[two]).all()
    assert len(lineup) == len(pairs) * size


def test_rows_hold_all_of_a_game():
    lost = [0, [0, 1, 1], [2, -2, 0], [1, 0, 0], [3, 0, 1.5], 40, 1, "an illegal action, 9"]
    rows = [lost, [0, [1, 0, 1], [0] * 3, [0] * 3, [0] * 3, 7, -1]]
    lineup, chunk = board.chunk_of(rows, 3, 2)
    assert chunk.outcomes["rewards"][0].tolist() == [1, -1, 0] and chunk.outcomes["wins"].tolist() == [[1, 0, 0], [0, 0, 0]]
    assert board.rows_of(lineup, chunk, [0, 0]) == rows and chunk.faults == {0: "an illegal action, 9"}
    for broken in (rows[0][:-1], rows[0][:6], [*rows[1], "fault"], [0, [0], [0], [0], [0], 1, -1], 3):
        with pytest.raises(ValueError, match="result 1 is no game"):
            board.chunk_of([rows[0], broken], 3, 2)


def test_which_boards_a_name_means():
    everything = leaderboard.boards_for("all", None)
    assert everything == [(name, count) for name in envs.GAMES for count in envs.game_module(name).PLAYERS]
    assert leaderboard.boards_for("all", 4) == [(name, 4) for name in envs.GAMES]
    assert leaderboard.boards_for("all", 7) == [("dance_of_eights", 7)]
    assert leaderboard.boards_for("fairy_ring", None) == [("fairy_ring", 2), ("fairy_ring", 3), ("fairy_ring", 4)]
    assert leaderboard.boards_for("dance_of_eights", 5) == [("dance_of_eights", 5)]
    with pytest.raises(ValueError, match="fairy_rings"):
        leaderboard.boards_for("fairy_rings", None)


@pytest.mark.parametrize("rule_set, num_players", [("fairy_ring", 9), ("all", 9)])
def test_a_number_of_players_that_no_game_has_is_refused(rule_set, num_players, tmp_path):
    (name, count), *_ = leaderboard.boards_for(rule_set, num_players)
    with pytest.raises(ValueError, match=r"fairy_ring.* 9"):
        leaderboard.Plan(name, count, tmp_path / "board.json")


def test_few_deals_where_games_are_long_or_many_seats_search():
    boards = [("fairy_ring", 2), ("fairy_ring", 3), ("mushroom_rings", 2), ("mushroom_rings", 4)]
    assert [leaderboard.usual_deals(envs.make_game(*found)) for found in boards] == [100, 10, 10, 5]


def test_ratings_are_relative_to_greedy(made):
    found = json.loads(made.read_text())
    ratings = {agent["name"]: agent["rating"] for agent in found["agents"]}
    assert found["settings"]["anchor"] == "greedy" and ratings["greedy"]["mean"] == 0 and ratings["random"]["mean"] < 0


def test_baselines_are_those_that_can_play():
    entrants, missing = baselines(envs.make_game("dance_of_eights", 7))
    assert [entrant.name for entrant in entrants][:2] == ["random", "greedy"]
    assert all(line.startswith("without ") for line in missing)


def test_a_board_can_be_stopped_and_gone_on_with(place, monkeypatch, capsys):
    expected = None
    for stop_after in (1000, 3):
        calls = []

        def play_or_stop(*arguments, calls=calls, stop_after=stop_after, play=leaderboard.workers._play, **more):
            calls.append(1)
            if len(calls) == stop_after:
                raise KeyboardInterrupt
            return play(*arguments, **more)

        monkeypatch.setattr(leaderboard.workers, "CHUNK_GAMES", 10)
        with monkeypatch.context() as patch:
            patch.setattr(leaderboard.workers, "_play", play_or_stop)
            code = evaluate.main([*MAKE, "--workers", "1"])
        expected = expected or (place / f"{NAME}.json").read_bytes()
        assert code == (0 if stop_after == 1000 else 130)
    assert (place / f"{NAME}.partial.npz").exists()
    (place / f"{NAME}.json").unlink()
    assert evaluate.main(MAKE) == 0
    assert (place / f"{NAME}.json").read_bytes() == expected and not (place / f"{NAME}.partial.npz").exists()


# --- the page -----------------------------------------------------------------------------------------------------------


def test_the_page_shows_all_boards_and_needs_nothing_from_outside(made):
    evaluate.main(["--leaderboard", "dance_of_eights", "--num-players", "3", "--games", "9"])
    text = (made.parent / "index.html").read_text()
    page = Page(text)
    assert not page.tags & {"script", "link", "img", "iframe", "object"} and not re.search(r"https?:|url\(|@import", text)
    assert {value for key, value in page.attributes if key == "href"} == {f"#{NAME}", "#dance_of_eights_3p"}
    assert {f"{NAME}", "dance_of_eights_3p"} <= {value for key, value in page.attributes if key == "id"}
    for words in ("greedy", "low", "Alpha-rank, %", "\N{MICRO SIGN}s a decision", "Head to head, %", "Costs measured on"):
        assert words in page.seen, words
    assert any("A. Fairy, B. Elf; as <simple> as can be" in words for words in page.seen)
    assert page.seen.count("python evaluate.py --leaderboard dance_of_eights --num-players 2 --games 12") == 1


def test_the_page_does_without_costs(made):
    made.with_suffix(".timing.json").unlink()
    text = leaderboard.write_index(made.parent).read_text()
    assert "s a decision" not in text and "greedy" in text


# --- entries ------------------------------------------------------------------------------------------------------------


def test_an_entry_is_played_against_the_agents_of_this_package_and_checked(place):
    path = place / "entries" / "low.json"
    before = json.loads(path.read_text())
    assert evaluate.main(["--enter", str(path), "--games", "8"]) == 0
    found = json.loads(path.read_text())
    assert found["entry"] == before["entry"] and found["pairs"] == [[0, 1], [0, 2]]
    assert [agent["name"] for agent in found["agents"]] == ["low", "random", "greedy"] and len(found["results"]) == 16
    assert check(path, "--share", "1") == 0
    assert evaluate.main(MAKE) == 0
    assert [agent["name"] for agent in json.loads((place / f"{NAME}.json").read_text())["agents"]][2] == "low"


def test_a_board_is_made_without_an_entry_that_cannot_play_and_says_so(place, capsys):
    path = place / "entries" / "low.json"
    path.write_text(path.read_text().replace("entering:Lowest", "entering:Highest"))
    assert evaluate.main(MAKE) == 0
    said = capsys.readouterr().out
    assert "without low of low.json: cannot make agent 'entering:Highest': AttributeError" in said
    entrants = json.loads((place / f"{NAME}.json").read_text())["entrants"]
    assert [entrant["name"] for entrant in entrants] == ["random", "greedy", "stumble"]


def test_a_board_is_made_without_an_entry_that_looks_at_the_clock(place, capsys):
    path = place / "entries" / "low.json"
    path.write_text(path.read_text().replace("entering:Lowest", "ismcts:seconds=0.1"))
    assert evaluate.main(MAKE) == 0
    assert "without low of low.json: agent ismcts:seconds=0.1 looks at the clock" in capsys.readouterr().out
    entrants = json.loads((place / f"{NAME}.json").read_text())["entrants"]
    assert [entrant["name"] for entrant in entrants] == ["random", "greedy", "stumble"]


@pytest.mark.parametrize("agent", ["net.zip:sample", "ismcts:2,value=net.zip"])
def test_a_checkpoint_can_enter_and_a_search_that_has_its_values_from_one(place, agent):
    from agents.checkpoint import game_facts, save_snapshot
    from agents.networks.blueprint import Blueprint

    game = envs.make_game("dance_of_eights", 2)
    blueprint = Blueprint(game, "flat", (4,))
    weights = {f"network.{name}": tensor for name, tensor in blueprint.build().state_dict().items()}
    save_snapshot(place / "entries" / "net.zip", weights, {**game_facts(game), **blueprint.facts})
    facts = {"format": 1, "rule_set": "dance_of_eights", "num_players": 2, "entry": {"name": "net", "agent": agent}}
    path = place / "entries" / "net.json"
    path.write_text(json.dumps(facts))
    assert evaluate.main(["--enter", str(path), "--games", "4"]) == 0 and check(path, "--share", "1") == 0
    assert evaluate.main(MAKE) == 0
    found = json.loads((place / f"{NAME}.json").read_text())
    entrant = found["entrants"][3]
    assert entrant["agent"] == agent.replace("net.zip", "entries/net.zip") and "torch" in found["versions"]
    assert entrant["file"] == sha256((place / "entries" / "net.zip").read_bytes()).hexdigest()
    assert check(place / f"{NAME}.json", "--share", "0.3") == 0


@pytest.mark.parametrize(("change", "words"), [
    ({"format": 2}, "its format is not 1"), ({"num_players": "2"}, "a number num_players"), ({"rule_set": None}, "rule_set"),
    ({"entry": None}, "name and agent must be there"), ({"entry": {"name": "x"}}, "name and agent must be there"),
    ({"entry": {"name": "x", "agent": "a:B", "speed": 1}}, "an entrant has the keys"),
    ({"entry": {"name": "x\n", "agent": "a:B"}}, "one line of text"),
    ({"entry": {"name": "x", "agent": "a:B", "authors": "me"}}, "authors must be a list"),
    ({"entry": {"name": "x", "agent": "no_module:B"}}, "cannot make agent 'no_module:B'"),
    ({"entry": {"name": "x", "agent": "none.zip"}}, "there is no checkpoint"),
    ({"entry": {"name": "x", "agent": "ismcts:seconds=0.1"}}, "agent ismcts:seconds=0.1 looks at the clock, so nobody could"),
    ({"entry": {"name": "x", "agent": "ismcts:depth=3,seconds=1"}}, "agent ismcts:depth=3,seconds=1 looks at the clock"),
    ({"entry": {"name": "greedy", "agent": "entering:Lowest"}}, "two agents are called 'greedy'"),
    ({"rule_set": "fairy_rong"}, "there is no game 'fairy_rong'"), ({"num_players": 9}, "not 9"),
])  # fmt: skip
def test_broken_entries_are_refused_in_one_line(place, capsys, change, words):
    path = place / "entries" / "low.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    kept = path.read_bytes()
    with pytest.raises(SystemExit) as stop:
        evaluate.main(["--enter", str(path)])
    message = capsys.readouterr().err.rpartition("error: ")[2]
    assert stop.value.code == 2 and words in message and message.count("\n") == 1 and path.read_bytes() == kept


def test_a_board_of_one_agent_is_refused(place, monkeypatch, capsys):
    monkeypatch.setattr("evaluation.leaderboard.entries.BASELINES", ("random",))
    for path in (place / "entries").glob("*.json"):
        path.unlink()
    with pytest.raises(SystemExit):
        evaluate.main(MAKE)
    assert "only random can play dance_of_eights with 2; a leaderboard needs two agents" in capsys.readouterr().err


def test_entries_name_their_checkpoints_from_where_they_are():
    entry = Entry(Path("x.json"), "fairy_ring", 2, Entrant("x", "x.zip:sample"))
    assert entry.from_above.agent == "entries/x.zip:sample" and entry.entrant.spec(Path("a")) == "a/x.zip:sample"
    assert Entry(Path("x.json"), "fairy_ring", 2, Entrant("x", "m:C")).from_above.agent == "m:C"
    search = Entry(Path("x.json"), "fairy_ring", 2, Entrant("x", "ismcts:5,value=x.zip,prior=0"))
    assert search.from_above.agent == "ismcts:5,value=entries/x.zip,prior=0"


# --- checks -------------------------------------------------------------------------------------------------------------


def swap(found):
    """The other seat wins a game, in all columns."""
    for column in range(2, 5):
        found["results"][5][column].reverse()


CHANGES = {
    "result": (swap, r"random \+ greedy on deal 2: the file says .*, played again"),
    "length": (lambda found: found["results"][30].__setitem__(5, 9999), r"random \+ stumble on deal 3: the file says"),
    "rating": (lambda found: found["agents"][1]["rating"].update(mean=500.0), r"should be '\"mean\": 0.0"),
    "name": (lambda found: found["agents"][0].update(name="me"), r"the figures are not those of the games: '\"name\": \"me\""),
    "note": (lambda found: found["notes"].clear(), "the figures are not those of the games"),
    "missing": (lambda found: found["results"].pop(), "it has 71 games, but 6 pairs on 6 deals play 72"),
    "order": (lambda found: found["results"].reverse(), r"game 0 is of deal 5 with line-up \[3, 2\]"),
    "seats": (lambda found: found["results"][0][1].reverse(), r"game 0 is of deal 0 with line-up"),
    "seed": (lambda found: found.update(seed=1), "but the schedule has deal|played again"),
    "version": (lambda found: found.update(env="dance_of_eights-v9"), "its env is 'dance_of_eights-v9', but here it is"),
    "rules": (lambda found: found.update(rules="0"), "its rules is '0', but here it is"),
    "options": (lambda found: found.update(options={}), "its options is {}"),
    "file": (lambda found: found["entrants"][2].update(file="0" * 64), "the file of low is not the one that played"),
    "agent": (lambda found: found["entrants"][2].update(agent="random", file=None), r"random \+ low on deal"),
    "unknown agent": (lambda found: found["entrants"][2].update(agent="nobody"), "there is no agent 'nobody'"),
    "clock": (lambda found: found["entrants"][2].update(agent="ismcts:seconds=1"), "agent ismcts:seconds=1 looks at the clock"),
    "columns": (lambda found: found["results"][3].pop(), "result 3 is no game"),
    "no seed": (lambda found: found.pop("seed"), "is no leaderboard with results: it has no 'seed'"),
    "rule set": (lambda found: found.update(rule_set="chess"), "there is no game 'chess'"),
    "impossible": (lambda found: found["results"][0].__setitem__(2, [1, 1]), "no placement rewards"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_board_is_found_out(made, capsys, change):
    edit, words = CHANGES[change]
    found = json.loads(made.read_text())
    edit(found)
    made.write_text(board.to_text(found) if "seed" in found else json.dumps(found))
    capsys.readouterr()
    assert check(made, "--share", "1") == 1
    printed = capsys.readouterr().out
    assert re.search(words, printed), printed
    assert printed.startswith(str(made)) and "differences" in printed


def test_differences_name_the_line_they_are_on(made, capsys):
    found = json.loads(made.read_text())
    swap(found)
    right = found | board.build(found, found["results"])  # whoever cheats well makes the figures fit
    made.write_text(board.to_text(right))
    assert check(made, "--share", "1") == 1
    pattern = rf"{re.escape(str(made))}:(\d+): random .* the file says (.*), played again"
    number, claimed = re.search(pattern, capsys.readouterr().out).groups()
    assert json.loads(made.read_text().splitlines()[int(number) - 1].rstrip(",")) == json.loads(claimed) == found["results"][5]


def test_another_form_of_the_same_file_is_found_out(made, capsys):
    made.write_text(json.dumps(json.loads(made.read_text())))
    assert check(made) == 1
    assert ":1: the figures are not those of the games" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "[]", "{}", "nonsense", '{"rule_set": "dance_of_eights"}'])
def test_what_is_no_board_is_said_to_be_none(tmp_path, capsys, content):
    path = tmp_path / "board.json"
    path.write_text(content)
    assert check(path) == 1 and "is no leaderboard with results" in capsys.readouterr().out
    assert check(tmp_path / "nowhere.json") == 1


def test_all_boards_are_checked_unless_some_are_named(made, place, capsys):
    capsys.readouterr()
    assert evaluate.main(["--check-leaderboard"]) == 1  # the entries have no results
    printed = capsys.readouterr().out
    assert f"{NAME}.json: 8 of 72 games were played again: all as it says" in printed or "all as it says" in printed
    assert "entries/low.json is no leaderboard with results" in printed


def test_the_content_and_a_word_draw_the_share():
    found = {"pairs": [[0, 1]] * 5, "deals": 400, "num_players": 2}
    games = checking.drawn(found, "text", 0.1)
    assert 0.07 * 4000 < len(games) < 0.13 * 4000 and (games[1::2] == games[::2] + 1).all() and (games[::2] % 2 == 0).all()
    assert np.array_equal(games, checking.drawn(found, "text", 0.1))
    for other in (checking.drawn(found, "texts", 0.1), checking.drawn(found, "text", 0.1, "salt")):
        assert len(np.intersect1d(games, other)) < 0.5 * len(games)
    assert len(checking.drawn(found, "text", 1.0)) == 4000 and len(checking.drawn(found, "text", 1e-9)) == 2


def test_the_boards_that_are_published_follow_from_their_games():
    folder = Path(evaluate.__file__).parent / "leaderboard"
    files = leaderboard.board_files(folder)
    assert leaderboard.board_path(folder, "fairy_ring", 2) in files and (folder / "index.html").exists()
    for path in files:
        text = path.read_text()
        assert list(checking._figures(json.loads(text), text)) == []


@pytest.mark.parametrize(("argv", "words"), [
    (["--leaderboard", "fairy_rong"], "there is no game 'fairy_rong'"),
    (["random", "--leaderboard"], "agents does not go with --leaderboard"),
    (["--leaderboard", "--agents", "a:B"], "--agents does not go with --leaderboard"),
    (["--leaderboard", "--env", "dance_of_eights"], "--env does not go with --leaderboard"),
    (["--leaderboard", "--share", "0.5"], "--share does not go with --leaderboard"),
    (["--check-leaderboard", "--games", "5"], "--games does not go with --check-leaderboard"),
    (["--enter", "x.json", "--num-players", "3"], "--num-players does not go with --enter"),
    (["--enter", "x.json", "--leaderboard"], "not allowed with"),
    (["random", "greedy", "--salt", "x"], "--salt is for --check-leaderboard"),
    (["--check-leaderboard", "--share", "0"], "0 is no part above 0 and up to 1"),
    (["--check-leaderboard", "--share", "1.5"], "1.5 is no part above 0 and up to 1"),
    (["--check-leaderboard"], "there are no leaderboards in leaderboard"),
    (["--enter", "nowhere.json"], "nowhere.json is no entry: "),
    (["--leaderboard", "dance_of_eights", "--num-players", "99"], "not 99"),
])  # fmt: skip
def test_mistakes_are_answered_in_one_line(capsys, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        evaluate.main(argv)
    message = capsys.readouterr().err.rpartition("error: ")[2]
    assert stop.value.code == 2 and words in message and message.count("\n") == 1
