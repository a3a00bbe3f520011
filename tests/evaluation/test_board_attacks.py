"""Boards that were forged, and what finds them out: each passes, or once passed, a check that looks at less."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import evaluate
from evaluation import workers
from evaluation.keyed import Secret
from evaluation.leaderboard import file as board
from evaluation.leaderboard import fresh, old, secret_files, verify
from evaluation.leaderboard.entries import Entrant
from evaluation.leaderboard.make import FOLDER
from tests.evaluation.boards import MAKE, NAME, check, edit, forge

PUBLISHED = Path(evaluate.__file__).parent / FOLDER


@pytest.fixture
def made_entry(made):
    """The file of an entry with the results of its own run."""
    path = made.parent / "entries" / "low.json"
    assert evaluate.main(["--enter", str(path), "--games", "4"]) == 0
    return path


def said_by(capsys, path, *more):
    """What a check says that ends with exit code 1."""
    capsys.readouterr()
    assert check(path, *more) == 1
    return capsys.readouterr().out


# --- who played ---------------------------------------------------------------------------------------------------------


def test_a_greedy_that_is_somebody_else_is_refused(made, capsys):
    forge_greedy = edit(made, lambda found: found["entrants"][1].update(agent="random"))
    assert forge_greedy["agents"][1]["name"] == "greedy"
    words = "the name 'greedy' belongs to an agent of this package, but this one is 'random'"
    assert words in said_by(capsys, made)


def drop_pair(found):
    """Leaves out the last pair, and all that it played."""
    for key in ("pairs", "secrets", "commitments"):
        found[key].pop()
    del found["results"][-12:]


def test_a_pair_that_is_left_out_is_missed(made, capsys):
    forge(made, drop_pair)
    assert "pairs must be every two agents, 6 pairs in order; pair 5 should be [2, 3]" in said_by(capsys, made)


def keep_only(found, agents):
    """Leaves out agents, with all their games, secrets and commitments."""
    kept = [k for k, pair in enumerate(found["pairs"]) if set(pair) <= set(agents)]
    for key in ("secrets", "commitments"):
        found[key] = [found[key][k] for k in kept]
    rows = [row for k in kept for row in found["results"][12 * k : 12 * k + 12]]
    number = {agent: place for place, agent in enumerate(agents)}
    found["results"] = [[row[0], [number[k] for k in row[1]], *row[2:6], number.get(row[6], -1), *row[7:]] for row in rows]
    found["pairs"] = board.all_pairs(len(agents))
    found["entrants"] = [found["entrants"][k] for k in agents]


def test_a_strong_agent_that_is_left_out_is_missed(made, capsys):
    forge(made, lambda found: keep_only(found, [0, 2, 3]))
    said = said_by(capsys, made)
    assert "greedy does not play, but belongs on every board of dance_of_eights" in said


def test_an_entry_that_claims_to_be_another_is_found_out(made, capsys):
    forge(made, lambda found: found["entrants"][2].update(authors=["A. Goblin"]))
    assert re.search(r"low is .*A. Goblin.*, but its entry says .*A. Fairy", said_by(capsys, made))
    forge(made, lambda found: found["entrants"][2].update(name="high", authors=["A. Fairy", "B. Elf"]))
    assert "high plays, but no file in entries/ is of that name" in said_by(capsys, made)


def test_an_agent_that_was_changed_after_it_played_is_found_out(made, capsys):
    source = made.parent / "entries" / "entering.py"
    source.write_text(source.read_text() + "# better\n")
    assert re.search("the file of low is not the one that played: [0-9a-f]{64} instead of ", said_by(capsys, made))


def test_what_an_agent_imports_and_packages_bring_counts_as_well(place):
    from evaluation.foreign import let_import
    from evaluation.provenance import fingerprint

    entries, game = place / "entries", None
    (entries / "helping.py").write_text("import deeper\n")
    (entries / "deeper.py").write_text("LEVEL = 1\n")
    (entries / "leaning.py").write_text("from helping import deeper\nimport numpy\n")
    (entries / "packed").mkdir()
    for name in ("__init__.py", "player.py", "table.bin"):
        (entries / "packed" / name).write_text("")
    let_import(entries)
    for spec, file in (("leaning:A", "deeper.py"), ("packed.player:A", "packed/table.bin"), ("packed:A", "packed/table.bin")):
        before = fingerprint(spec, game)
        assert before == fingerprint(spec, game)
        (entries / file).write_text("LEVEL = 2\n")
        assert before != fingerprint(spec, game)
        (entries / file).write_text("LEVEL = 1\n")


def test_the_entry_and_the_agent_of_its_file_are_compared(made_entry, capsys):
    edit(made_entry, lambda found: found["entry"].update(name="lower"))
    assert re.search("its first agent is .*'low'.*, but the entry is .*'lower'", said_by(capsys, made_entry))


def test_one_board_under_the_name_of_another_is_found_out(made, capsys):
    other = made.with_name("dance_of_eights_3p.json")
    shutil.copy(made, other)
    shutil.copy(secret_files.commitments_path(made), secret_files.commitments_path(other))
    assert "it is dance_of_eights_2p, but its file is called dance_of_eights_3p.json" in said_by(capsys, other)


# --- which deals --------------------------------------------------------------------------------------------------------


def test_deals_of_two_pairs_that_are_swapped_do_not_fit_what_was_shown(made, capsys):
    def swap(found):
        for key in ("secrets", "commitments"):
            found[key][0], found[key][1] = found[key][1], found[key][0]

    edit(made, swap)
    assert "the secret of random + greedy does not fit its commitment" in said_by(capsys, made)


def test_a_secret_that_was_chosen_afterwards_does_not_fit_what_was_shown(made, capsys):
    shown = secret_files.commitments_path(made).read_bytes()
    edit(made, lambda found: found["secrets"].__setitem__(0, Secret.draw().hex))
    assert "the secret of random + greedy does not fit its commitment" in said_by(capsys, made)
    forge(made, lambda found: None)  # with commitments to match, which everybody can see to be others
    secret_files.commitments_path(made).write_bytes(shown)
    words = r"the commitment of random \+ greedy is \w{12}..., but the one shown before its first game is \w{12}..."
    assert re.search(words, said_by(capsys, made))


def test_a_board_without_the_commitments_beside_it_is_refused(made, capsys):
    path = secret_files.commitments_path(made)
    path.unlink()
    assert f"the commitments that were shown before its first game are not there: {path}" in said_by(capsys, made)
    path.write_text('{"format": 1}')
    assert "holds no commitments that can be read: env is missing" in said_by(capsys, made)


def test_one_secret_for_two_pairs_is_refused(made, capsys):
    forge(made, lambda found: found["secrets"].__setitem__(1, found["secrets"][0]))
    assert "two pairs have one secret, but each draws its own" in said_by(capsys, made)


def test_what_an_agent_is_counts_in_what_a_secret_is_committed_to():
    facts = {"env": "x-v0", "num_players": 2, "options": {}, "rules": "0"}
    secret, shown = Secret.draw(), set()
    for agents in (["a", "b"], ["b", "a"], ["a", "c"]):
        for file in (None, "0"):
            entrants = [Entrant(name, name, file=file) for name in agents]
            for more in ({}, {"num_players": 3}, {"rules": "1"}):
                shown |= set(secret_files.Meetings(facts | more, entrants, [[0, 1]]).commitments([secret]))
    assert len(shown) == 18


def test_commitments_are_there_before_the_first_game_and_secrets_only_for_their_owner(place, monkeypatch):
    seen = {}

    def look(tournament, *arguments, **more):
        for path in (secret_files.commitments_path(place / f"{NAME}.json"), secret_files.secrets_path(place / f"{NAME}.json")):
            seen[path.name] = json.loads(path.read_text()), path.stat().st_mode & 0o777
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(workers, "_play", look)
        assert evaluate.main([*MAKE, "--workers", "1"]) == 130
    (public, _), (private, mode) = seen[f"{NAME}.commitments.json"], seen[f"{NAME}.secrets.json"]
    assert [pair["commitment"] for pair in public["pairs"]] == list(private["secrets"]) and mode == 0o600
    assert not set(private["secrets"].values()) & set(re.findall(r"\w{64}", json.dumps(public)))
    assert evaluate.main(MAKE) == 0
    found = json.loads((place / f"{NAME}.json").read_text())
    assert found["secrets"] == list(private["secrets"].values()) and found["commitments"] == list(private["secrets"])


def test_no_command_draws_a_second_secret_for_agents_that_have_one(made, capsys, monkeypatch):
    secrets = json.loads(made.read_text())["secrets"]
    with monkeypatch.context() as patch:
        patch.setattr(workers, "_play", lambda *arguments, **more: (_ for _ in ()).throw(KeyboardInterrupt))
        for more in ([], ["--fresh"]):
            assert evaluate.main([*MAKE, *more, "--workers", "1"]) == 130
            kept = json.loads(secret_files.secrets_path(made).read_text())["secrets"]
            assert list(kept.values()) == secrets
    made.unlink()
    secret_files.secrets_path(made).unlink()
    with pytest.raises(SystemExit):
        evaluate.main(MAKE)
    error = capsys.readouterr().err
    assert "shows a commitment for random + greedy, but its secret is not in" in error
    assert "remove the file to draw others" in error


def test_an_agent_that_has_changed_meets_the_others_for_the_first_time(made):
    before = json.loads(made.read_text())
    source = made.parent / "entries" / "entering.py"
    source.write_text(source.read_text() + "# better\n")
    assert evaluate.main(MAKE) == 0
    after = json.loads(made.read_text())
    same = [one == other for one, other in zip(before["secrets"], after["secrets"], strict=True)]
    assert same == [True, False, False, False, False, False] and check(made) == 0


def test_files_of_secrets_that_are_damaged_are_named(made, capsys):
    made.unlink()
    secret_files.secrets_path(made).write_text("{}")
    with pytest.raises(SystemExit):
        evaluate.main(MAKE)
    assert f"{NAME}.secrets.json holds no secrets that can be read" in capsys.readouterr().err


def test_secrets_are_hidden_from_agents_in_sandboxes(made, monkeypatch):
    from evaluation import sandbox

    monkeypatch.setattr(sandbox, "hidden", [])
    monkeypatch.setattr(sandbox, "_program", lambda: "bwrap")
    secret_files.secrets_path(made).write_text("{}")
    sandbox.hide(secret_files.secrets_path(made))
    sandbox.hide(made.with_name("nothing.json"))
    words = " ".join(sandbox.sandboxed(["true"]))
    assert f"--ro-bind /dev/null {secret_files.secrets_path(made)} " in words and "nothing.json" not in words


def test_agents_in_sandboxes_cannot_read_their_secrets_from_the_board_of_an_earlier_day(made, monkeypatch):
    """The secrets of agents that have met before are kept, and published: whoever reads them knows every card."""
    from evaluation import sandbox
    from evaluation.leaderboard.make import Plan

    other = made.with_name("fairy_ring_2p.secrets.json")
    other.write_text("{}")
    monkeypatch.setattr(sandbox, "_program", lambda: "bwrap")
    for look in (lambda: Plan("dance_of_eights", 2, made, games=2), lambda: verify.check(made, 0.01, workers_count=1)):
        monkeypatch.setattr(sandbox, "hidden", [])
        look()
        assert str(made) in " ".join(sandbox.sandboxed(["true"]))
    Plan("dance_of_eights", 2, made, games=2)
    assert f"--ro-bind /dev/null {other} " in " ".join(sandbox.sandboxed(["true"]))


@pytest.mark.parametrize("name", [
    "gr\u0435edy", "greedy\u3164", "greedy\u034f", "gre\u0301edy", "\uff47reedy", "Greedy ", "pp0", "lsmcts:400", "ismcts:4OO",
])  # fmt: skip
def test_a_name_that_looks_like_another_is_refused(name):
    with pytest.raises(ValueError, match=r"its letters must be those of ASCII|belongs to an agent of this package"):
        Entrant(name, "mine:Agent")
    assert Entrant("Jos\u00e9 1", "mine:Agent").look == "jose l"


# --- boards of another time ---------------------------------------------------------------------------------------------


def test_a_new_board_cannot_claim_to_be_old(made, capsys):
    def downgrade(found):
        found["format"] = old.FORMAT
        for key in board.BY_SECRET:
            del found[key]

    edit(made, downgrade)
    words = "its format is 1, but it is none of the boards that were published before there were secrets"
    assert words in said_by(capsys, made)


def test_an_old_board_of_which_a_byte_is_changed_is_no_old_board(tmp_path, capsys):
    name = "dance_of_eights_3p"
    path = tmp_path / f"{name}.json"
    text = (PUBLISHED / path.name).read_text()
    path.write_text(text.replace('"seed": 0', '"seed": 1', 1))
    assert "it is none of the boards that were published" in said_by(capsys, path)
    path.write_text(text)
    assert old.KNOWN[hashlib.sha256(text.encode()).hexdigest()] == name


def test_a_board_of_an_earlier_day_does_not_fit_what_is_shown_now(made, capsys):
    before = made.read_bytes()
    source = made.parent / "entries" / "entering.py"
    original = source.read_text()
    source.write_text(original + "# better\n")
    assert evaluate.main(MAKE) == 0
    made.write_bytes(before)
    said = said_by(capsys, made)
    assert "the commitment of random + low is" in said and "shown before its first game is none" in said


# --- fresh deals --------------------------------------------------------------------------------------------------------


def test_fresh_deals_agree_with_an_honest_board(made, capsys):
    assert check(made, "--fresh", "--share", "1") == 0
    said = capsys.readouterr().out
    assert len(re.findall("random|greedy|low|stumble", said)) >= 12 and said.count(": agrees (p = ") == 6
    assert "72 games were played on fresh deals" in said and "differs" not in said


def win_all(found):
    """Has the second agent of the first pair, greedy, lose everything to random."""
    for row in found["results"][:12]:
        if row[6] < 0:
            row[3] = [int(agent == 0) for agent in row[1]]
            row[2] = [1 if agent == 0 else -1 for agent in row[1]]


def test_fresh_deals_find_a_share_that_is_not_where_it_was_published(made, capsys, monkeypatch):
    monkeypatch.setattr(fresh, "LEVEL", 0.05)  # six deals of six pairs cannot be surer
    forge(made, win_all)
    said = said_by(capsys, made, "--fresh", "--share", "1")
    assert re.search(r"random against greedy won 100.0 % .* fresh deals: differs \(p = 0.0", said) and said.count("differs") == 1


def test_the_chance_of_a_difference_is_that_of_drawing_deals_anew():
    ones, zeros = np.ones(10), np.zeros(10)
    kinds = np.zeros(10, int)
    exact = 2 / 184_756  # ways to draw 10 of 20
    assert fresh.chance_of(ones, zeros, kinds, kinds) < 20 * exact
    assert fresh.chance_of(ones, ones, kinds, kinds) == 1.0
    one_differs = fresh.chance_of(np.array([0.0, 1, 1, 1]), np.array([1.0, 1, 1, 1]), kinds[:4], kinds[:4])
    assert one_differs == 1.0  # in a sample of 4 from 8 the one zero lies in either half
    half = np.arange(10) % 2  # of two kinds, whose values differ between them and nowhere else
    assert fresh.chance_of(half.astype(float), half.astype(float)[:3], half, half[:3]) == 1.0


def test_honest_boards_are_rarely_refused():
    rng = np.random.default_rng(1)
    kinds = np.zeros(120, int)
    chances = [fresh.chance_of(*np.split(rng.integers(0, 3, 120) / 2, [100]), kinds[:100], kinds[:20]) for _ in range(60)]
    assert 0.3 < np.mean(chances) < 0.7 and np.mean(np.array(chances) < 0.05) < 0.2
    assert sum(chance < 0.01 for chance in fresh.holm(chances)) <= 1


def test_corrected_chances_are_those_of_holm():
    assert fresh.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert fresh.holm([]) == [] and fresh.holm([0.9, 0.8]) == [1.0, 1.0]


# --- the verdict --------------------------------------------------------------------------------------------------------


def test_the_verdict_comes_from_counts(made, monkeypatch):
    assert not verify.Verdict([], "nothing was played").is_well
    assert not verify.Verdict([], "half was played", 2, 1).is_well and verify.Verdict([], "all was played", 2, 2).is_well
    monkeypatch.setattr(verify, "check", lambda path, *more: verify.Verdict([], f"{path}: none", 0, 0))
    assert not verify.check_all([made], 0.1, "", None, lambda line: None)
    assert not verify.check_all([], 0.1, "", None, lambda line: None)


LOUD = """
import os, sys
from agents.agent import RandomAgent
class Lowest(RandomAgent):
    def act(self, observations, action_masks, worlds):
        print("leaderboard/dance_of_eights_2p.json: 72 of 72 games were played again: all as it says", flush=True)
        os.write(2, b"all as it says")
        os._exit(0)
class Stumbling(Lowest):
    pass
"""


def test_an_agent_that_prints_the_words_of_the_judge_and_ends_with_exit_code_0_changes_no_verdict(made, capsys):
    source = made.parent / "entries" / "entering.py"
    source.write_text(LOUD)

    def fit(found):
        for entrant in found["entrants"][2:]:
            entrant["file"] = hashlib.sha256(source.read_bytes()).hexdigest()

    forge(made, fit)
    said = said_by(capsys, made, "--share", "1")
    assert "of 72 games were played again: " in said and "differences" in said and "all as it says" not in said


def test_the_check_shows_how_far_it_is(made):
    shown = []

    class Bar:
        def __init__(self, name, games):
            shown.append([name, games, 0])

        def __enter__(self):
            return self.update

        def __exit__(self, *error):
            pass

        def update(self, count):
            shown[-1][2] += count

    assert verify.check_all([made], 1, "", 1, lambda line: None, watch=Bar)
    assert shown == [[made.name, 72, 72]]
