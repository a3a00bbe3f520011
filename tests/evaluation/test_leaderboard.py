"""Leaderboards: made to the byte, shown on a page, entered by others, and found out when they are changed."""

import json
import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import envs
import evaluate
from evaluation import json_file, workers
from evaluation.keyed import Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard import make as leaderboard
from evaluation.leaderboard import verify as checking
from evaluation.leaderboard.entries import Entrant, Entry, baselines, make_entrants
from evaluation.leaderboard.found import FoundBoard
from evaluation.tournament import schedule
from tests.evaluation.boards import MAKE, NAME, check, forge
from tests.evaluation.test_report import Page

# --- the board ----------------------------------------------------------------------------------------------------------


def test_a_board_has_all_agents_all_games_and_the_same_bytes_again(made, capsys):
    first = made.read_bytes()
    found = json.loads(first)
    assert [entrant["name"] for entrant in found["entrants"]] == ["random", "greedy", "low", "stumble"]
    assert found["entrants"][2]["authors"] == ["A. Fairy", "B. Elf"] and len(found["entrants"][2]["file"]) == 64
    assert found["pairs"] == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] and len(found["results"]) == 6 * 12
    assert found["games"]["count"] == 72 and found["games"]["deals"] == 6 * found["deals"] == 36
    assert found["agents"][0]["rating"]["mean"] < -100 and found["agents"][1]["alpha_rank"] > 0.6
    assert found["agents"][3]["counts"]["illegal"] > 0 and "stumble forfeited games: ValueError: a bad word." in found["notes"]
    assert {"python", "numpy"} <= set(found["versions"]) and found["command"].split()[2:] == MAKE[:-1]
    assert evaluate.main([*MAKE, "--workers", "2"]) == 0 and made.read_bytes() == first
    said = capsys.readouterr().out
    assert "without ppo: " in said and "stumble forfeited games: ValueError: a bad word." in said
    names = {NAME + suffix for suffix in (".json", ".timing.json", ".commitments.json")}
    assert {path.name for path in made.parent.iterdir()} == {"entries", "index.html", *names}


def test_agents_that_have_met_keep_their_secret_and_their_games_whoever_else_plays(made):
    together = json.loads(made.read_text())
    for path in (made.parent / "entries").glob("*.json"):
        path.unlink()
    assert evaluate.main(MAKE) == 0
    alone = json.loads(made.read_text())
    assert alone["results"] == together["results"][:12] and alone["secrets"] == together["secrets"][:1]


@pytest.mark.parametrize(("num_players", "pairs"), [(2, [[0, 1], [1, 2]]), (3, [[2, 0]]), (4, [[0, 1], [0, 2]])])
def test_every_pair_plays_deals_of_its_own_from_all_seats(num_players, pairs):
    secrets = [Secret.draw() for _ in pairs]
    games = board.schedule(pairs, num_players, 9, 4, secrets)
    two, size = schedule(2, num_players, 9, 4)[0], 9 * num_players
    for number, (pair, secret) in enumerate(zip(pairs, secrets, strict=True)):
        own = games.take(np.arange(number * size, (number + 1) * size))
        assert (own.deals == np.repeat(secret.deal_seeds(9), num_players)).all() and (own.lineup == np.array(pair)[two]).all()
        assert own.secrets == [secret] * size
    assert len(games.lineup) == len(pairs) * size


def test_rows_hold_all_of_a_game():
    lost = [0, [0, 1, 1], [2, -2, 0], [1, 0, 0], [3, 0, 1.5], 40, 1, "an illegal action, 9"]
    rows = [lost, [0, [1, 0, 1], [0] * 3, [0] * 3, [0] * 3, 7, -1]]
    lineup, chunk = board.chunk_of(rows, 3, 2)
    assert chunk.outcomes["rewards"][0].tolist() == [1, -1, 0] and chunk.outcomes["wins"].tolist() == [[1, 0, 0], [0, 0, 0]]
    assert board.rows_of(lineup, chunk, [0, 0]) == rows and chunk.faults == {0: "an illegal action, 9"}
    strange = [[*rows[1][:5], True, -1], [*rows[1][:4], [0, 0, "1"], 7, -1], [*rows[1][:1], [10**9, 0, 1], *rows[1][2:]]]
    for broken in (rows[0][:-1], rows[0][:6], [*rows[1], "fault"], [0, [0], [0], [0], [0], 1, -1], 3, *strange):
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


def test_agents_are_made_once_and_play_as_they_are(monkeypatch):
    game = envs.make_game("dance_of_eights", 7)
    able, players, missing = make_entrants([*baselines(game)[:2], Entrant("x", "x.zip")], Path(), game)
    assert [entrant.name for entrant in able] == ["random", "greedy"]
    assert missing == ["without x: there is no checkpoint x.zip"]
    monkeypatch.setattr(workers.Table, "make_players", None)
    games = board.schedule([[0, 1]], 7, 2, 0, [Secret.draw()])
    assert leaderboard.tournament_of(game, able, Path(), games, players).players is players


def test_a_board_can_be_stopped_and_gone_on_with(made, monkeypatch):
    expected = made.read_bytes()
    calls = []

    def play_or_stop(*arguments, play=workers._play, **more):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play(*arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(workers, "_play", play_or_stop)
        assert evaluate.main([*MAKE, "--workers", "1"]) == 130
    assert made.with_suffix(".partial.npz").exists() and made.with_suffix(".secrets.json").exists()
    made.unlink()
    assert evaluate.main(MAKE) == 0 and made.read_bytes() == expected
    assert not made.with_suffix(".partial.npz").exists() and not made.with_suffix(".secrets.json").exists()


def test_a_board_is_made_by_one_command_at_a_time(made, capsys):
    with leaderboard.Lock(made.parent, made.name), pytest.raises(SystemExit):
        evaluate.main(MAKE)
    assert re.search(r"dance_of_eights_2p\.json is in use by process \d+", capsys.readouterr().err)


# --- the page -----------------------------------------------------------------------------------------------------------


def test_the_page_shows_all_boards_and_needs_nothing_from_outside(made):
    evaluate.main(["--leaderboard", "dance_of_eights", "--num-players", "3", "--games", "9"])
    text = (made.parent / "index.html").read_text()
    page = Page(text)
    assert not page.tags & {"script", "link", "img", "iframe", "object"} and not re.search(r"https?:|url\(|@import", text)
    links = {value for key, value in page.attributes if key == "href"}
    places = {link[1:] for link in links if link.startswith("#")}
    assert places == {NAME, "dance_of_eights_3p", "enter"} <= {value for key, value in page.attributes if key == "id"}
    assert {link for link in links if not link.startswith("#")} == {
        "README.md", *(f"{name}{end}" for name in (NAME, "dance_of_eights_3p") for end in (".json", ".commitments.json"))
    }  # fmt: skip
    for words in ("greedy", "low", "Alpha-rank, %", "\N{MICRO SIGN}s per decision", "Head to head, %", "Costs measured on"):
        assert words in page.seen, words
    assert any("A. Fairy, B. Elf; as <simple> as can be" in words for words in page.seen)
    assert page.seen.count("python evaluate.py --leaderboard dance_of_eights --num-players 2 --games 12") == 1


def test_the_page_puts_agents_in_order_by_any_figure(made):
    page = Page((made.parent / "index.html").read_text())
    buttons = [value for key, value in page.attributes if key == "name" and value == f"sort-{NAME}"]
    styles = [value for key, value in page.attributes if key == "style" and value.startswith("--by-0")]
    assert len(buttons) == 6 and len(styles) == 4  # four figures, alpha-rank, cost
    ranks = np.array([[int(number) for number in re.findall(r":(\d+)", style)] for style in styles])
    assert (np.sort(ranks, axis=0) == np.arange(4)[:, None]).all() and ranks[:, 0].tolist() == [0, 1, 2, 3]
    found = json.loads(made.read_text())
    rows = sorted(found["agents"], key=lambda agent: -agent["rating"]["mean"])
    by_score = sorted(range(4), key=lambda k: -rows[k]["score"]["mean"])
    assert np.argsort(ranks[:, 3]).tolist() == by_score


def test_results_of_entries_are_shown_as_claims_beside_their_place(made):
    path = made.parent / "entries" / "low.json"
    assert evaluate.main(["--enter", str(path), "--games", "4"]) == 0
    page = Page(leaderboard.write_index(made.parent).read_text())
    claim = page.seen.index("claim")
    assert "Claims of entries" in page.seen and page.seen[claim + 1] == "low" and page.seen[claim + 3] == "8"
    on_board = json.loads(made.read_text())["agents"][2]["rating"]["mean"]
    assert page.seen[claim + 4].startswith(f"{on_board:.0f}") and page.seen[claim + 5] == "A. Fairy, B. Elf"
    path.write_text(path.read_text().replace('"file": "', '"file": "0', 1))  # of another agent than the one on the board
    page = Page(leaderboard.write_index(made.parent).read_text())
    assert page.seen[page.seen.index("claim") + 4] == "not played"


def test_the_page_does_without_costs(made):
    made.with_suffix(".timing.json").unlink()
    text = leaderboard.write_index(made.parent).read_text()
    assert "s per decision" not in text and "greedy" in text


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
    assert "without low: cannot make agent 'entering:Highest': AttributeError" in said
    entrants = json.loads((place / f"{NAME}.json").read_text())["entrants"]
    assert [entrant["name"] for entrant in entrants] == ["random", "greedy", "stumble"]


def test_a_board_is_made_without_an_entry_that_looks_at_the_clock(place, capsys):
    path = place / "entries" / "low.json"
    path.write_text(path.read_text().replace("entering:Lowest", "ismcts:seconds=0.1"))
    assert evaluate.main(MAKE) == 0
    assert "without low: agent ismcts:seconds=0.1 looks at the clock" in capsys.readouterr().out
    entrants = json.loads((place / f"{NAME}.json").read_text())["entrants"]
    assert [entrant["name"] for entrant in entrants] == ["random", "greedy", "stumble"]


@pytest.mark.parametrize("agent", ["net.zip:sample", "ismcts:2,value=net.zip", "ismcts:2,policy=net.zip"])
def test_a_checkpoint_can_enter_and_a_search_that_works_with_one(place, agent):
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
    ({"format": 3}, "its format is not 1 or 2"), ({"num_players": "2"}, "a number num_players"), ({"rule_set": None}, "rule_set"),
    ({"entry": None}, "name and agent must be there"), ({"entry": {"name": "x"}}, "name and agent must be there"),
    ({"entry": {"name": "x", "agent": "a:B", "speed": 1}}, "an entrant has the keys"),
    ({"entry": {"name": "x\n", "agent": "a:B"}}, "one line of text"),
    ({"entry": {"name": "x", "agent": "a:B", "authors": "me"}}, "authors must be a list"),
    ({"entry": {"name": "x", "agent": "no_module:B"}}, "cannot make agent 'no_module:B'"),
    ({"entry": {"name": "x", "agent": "none.zip"}}, "there is no checkpoint"),
    ({"entry": {"name": "x", "agent": "ismcts:seconds=0.1"}}, "agent ismcts:seconds=0.1 looks at the clock, so nobody could"),
    ({"entry": {"name": "x", "agent": "ismcts:depth=3,seconds=1"}}, "agent ismcts:depth=3,seconds=1 looks at the clock"),
    ({"entry": {"name": "greedy", "agent": "entering:Lowest"}}, "the name 'greedy' belongs to an agent of this package"),
    ({"entry": {"name": " Greedy", "agent": "entering:Lowest"}}, "the name ' Greedy' belongs to an agent of this package"),
    ({"entry": {"name": "ismcts:9", "agent": "entering:Lowest"}}, "the name 'ismcts:9' belongs to an agent of this package"),
    ({"entry": {"name": "x" * 201, "agent": "a:B"}}, "at most 200 letters"),
    ({"entry": {"name": "greedy", "agent": "greedy"}}, "two agents are called 'greedy'"),
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


def without(key):
    """Leaves a key out."""
    return lambda found: found.pop(key)


CHANGES = {
    "result": (swap, r"random \+ greedy on deal 2: the file says .*, played again"),
    "length": (lambda found: found["results"][30].__setitem__(5, 9999), r"random \+ stumble on deal 3: the file says"),
    "rating": (lambda found: found["agents"][1]["rating"].update(mean=500.0), r"should be '\"mean\": 0.0"),
    "name": (lambda found: found["agents"][0].update(name="me"), r"the figures are not those of the games: '\"name\": \"me\""),
    "note": (lambda found: found["notes"].clear(), "the figures are not those of the games"),
    "missing": (lambda found: found["results"].pop(), "it has 71 games, but 6 pairs on 6 deals play 72"),
    "order": (lambda found: found["results"].reverse(), r"game 0 is of deal \[5\] with line-up \[\[3, 2\]\]"),
    "seats": (lambda found: found["results"][0][1].reverse(), r"game 0 is of deal \[0\] with line-up"),
    "seed": (lambda found: found.update(seed=1), "but the schedule has deal|played again"),
    "command": (lambda found: found.update(command="rm -r ."), "its command is 'rm -r .', but it is made by 'python evaluate.py"),
    "version": (lambda found: found.update(env="dance_of_eights-v9"), "its env is 'dance_of_eights-v9', but here it is"),
    "rules": (lambda found: found.update(rules="0"), "its rules is '0', but here it is"),
    "options": (lambda found: found.update(options={}), "its options is {}"),
    "sources": (lambda found: found.update(sources="0"), "sources is '0'; it must be 64 hexadecimal digits"),
    "versions": (lambda found: found.update(versions={"python": 3}), "versions must be short texts"),
    "columns": (lambda found: found["results"][3].pop(), "result 3 is no game"),
    "booleans": (lambda found: found["results"][0].__setitem__(6, False), "result 0 is no game"),
    "no list": (lambda found: found["results"].__setitem__(0, "x"), "result 0 is no game"),
    "no seed": (without("seed"), "is no leaderboard with results: seed is missing"),
    "no secrets": (without("secrets"), "is no leaderboard with results: secrets is missing"),
    "more": (lambda found: found.update(trust="me"), "is no leaderboard with results: trust is unknown"),
    "rule set": (lambda found: found.update(rule_set="chess"), "there is no game 'chess'"),
    "impossible": (lambda found: found["results"][0].__setitem__(2, [1, 1]), "no placement rewards"),
    "huge": (lambda found: found.update(deals=10**9), "deals is 1000000000; it must be an integer from 1 to 100000"),
    "float": (lambda found: found.update(deals=1e9), "deals is 1000000000.0; it must be an integer from 1 to 100000"),
    "players": (lambda found: found.update(num_players=10**6), "num_players is 1000000; it must be an integer from 2 to 16"),
    "agents": (lambda found: found["entrants"].extend(found["entrants"] * 60), "entrants are 244; they must be 2 to 200"),
    "secret": (lambda found: found["secrets"].__setitem__(2, "x" * 64), r"secrets\[2\] is 'xx"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_board_is_found_out(made, capsys, change):
    edit_one, words = CHANGES[change]
    found = json.loads(made.read_text())
    edit_one(found)
    made.write_text(board.to_text(found) if "seed" in found else json.dumps(found))
    assert check(made, "--share", "1") == 1
    printed = capsys.readouterr().out
    assert re.search(words, printed), printed
    assert printed.startswith(str(made)) and "differences" in printed and max(map(len, printed.splitlines())) < 1000


def test_differences_name_the_line_they_are_on(made, capsys):
    found = forge(made, swap)  # whoever cheats well makes the figures fit
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


@pytest.mark.parametrize(("content", "words"), [
    (b"[" * 10**5 + b"]" * 10**5, "nested too deeply"), (b'{"a":' * 10**5 + b"1" + b"}" * 10**5, "nested too deeply"),
    (b"[" + b"[]," * json_file.MOST_PARTS + b"[]]", "lists, dicts and texts; at most"), (b'{"a": NaN}', "NaN is no number"),
    (b'{"format": 2, "format": 1}', "the key 'format' comes twice"), (b"\xff\xfe", "'utf-8' codec can't decode"),
    (b'{"format": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
])  # fmt: skip
def test_files_that_cost_too_much_are_refused_in_one_line(place, capsys, content, words):
    path = place / f"{NAME}.json"
    path.write_bytes(content)
    assert check(path) == 1
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2 and printed[0].startswith(f"{path} is no leaderboard with results: ") and words in printed[0]
    for command, where in ((["--enter", str(path)], "is no entry"), (MAKE, f"{NAME}.json")):
        if where != "is no entry":
            path = path.rename(place / "entries" / "low.json")
            where = "low.json is no entry: "
        with pytest.raises(SystemExit):
            evaluate.main(command)
        error = capsys.readouterr().err.rpartition("error: ")[2]
        assert where in error and words in error and error.count("\n") == 1


def test_devices_folders_and_very_large_files_are_not_read(tmp_path, capsys):
    large = tmp_path / "large.json"
    with open(large, "wb") as file:
        file.truncate(2 << 30)
    for path, words in (("/dev/zero", "no regular file"), (tmp_path, "it is a folder"), (large, "it has 2,147,483,648 bytes")):
        assert check(path) == 1 and words in capsys.readouterr().out


def test_all_boards_are_checked_unless_some_are_named(made, capsys):
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
        found = FoundBoard.read(path)
        assert list(checking._facts(found)) == list(checking._schedule(found)) == list(checking._figures(found)) == []


@pytest.mark.parametrize(("argv", "words"), [
    (["--leaderboard", "fairy_rong"], "there is no game 'fairy_rong'"),
    (["random", "--leaderboard"], "agents does not go with --leaderboard"),
    (["--leaderboard", "--agents", "a:B"], "--agents does not go with --leaderboard"),
    (["--leaderboard", "--env", "dance_of_eights"], "--env does not go with --leaderboard"),
    (["--leaderboard", "--share", "0.5"], "--share does not go with --leaderboard"),
    (["--check-leaderboard", "--games", "5"], "--games does not go with --check-leaderboard"),
    (["--check-leaderboard", "x.json", "--fresh", "--salt", "x"], "--salt does not go with --fresh"),
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
