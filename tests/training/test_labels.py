"""Labels: what they depend on, what of the position they keep, and what a file of them must be."""

import re

import numpy as np
import pytest

import envs
from agents.agent import RandomAgent
from agents.greedy import make_greedy
from envs.files import write_aside
from training.labels import Labels, facts_of, join, label_chunk, label_round, make_teacher, read_labels, search, write_labels

TEACHER = "ismcts:12,root=even"


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring")


@pytest.fixture(scope="module")
def teacher(game):
    return make_teacher(TEACHER, game)


@pytest.fixture(scope="module")
def labels(game, teacher):
    return label_chunk(teacher, make_greedy(game), seed=3, number=0, chunk=0, rows=6)


def same(one, other):
    parts = ((getattr(one, name), getattr(other, name)) for name in ("worlds", "visits", "values"))
    return all(a.tobytes() == b.tobytes() for a, b in parts)


def test_a_label_depends_on_seed_chunk_and_row_alone(game, teacher, labels):
    again = label_chunk(teacher, make_greedy(game), seed=3, number=0, chunk=0, rows=2)
    assert 10 < len(again) < len(labels)
    assert same(again, labels.part(slice(len(again))))
    for other in ({"seed": 4}, {"number": 1}, {"chunk": 1}):
        where = {"seed": 3, "number": 0, "chunk": 0, **other}
        assert not same(label_chunk(teacher, make_greedy(game), **where, rows=2), again)


def test_every_legal_action_has_its_share_of_the_simulations(game, labels):
    for record, visits, values in zip(labels.worlds, labels.visits, labels.values, strict=True):
        legal = game.legal_actions(record)
        assert len(legal) > 1
        assert np.flatnonzero(visits).tolist() == legal
        assert visits.sum() == 12
        assert visits[legal].max() - visits[legal].min() <= 1
        assert (np.abs(values) <= 1).all()


def test_the_search_is_given_nothing_that_the_seat_cannot_know(game, labels):
    """The kept worlds are re-dealt ones: dealt once more, a label's position looks the same to the seat."""
    seats = labels.worlds["current_player"].astype(np.int64)
    assert len(np.unique(labels.worlds["rng"])) == len(labels)
    games = label_positions(game)
    for record in labels.worlds:
        assert record["rng"] not in games
    assert (seats >= 0).all()


def label_positions(game):
    """The random words of the games from which the labels were made."""
    words = np.random.SeedSequence([3, 0, 0]).generate_state(1, np.uint64)
    return set(envs.make_vec(game, 6, seed=int(words[0])).states["rng"].tolist())


def test_means_are_shrunk_by_doubt_and_the_position_is_worth_its_best_action(game):
    worlds = np.zeros(1, game.state_dtype)
    visits, values = np.zeros((1, 38), np.int32), np.zeros((1, 38), np.float32)
    visits[0, [1, 2]], values[0, [1, 2]] = [2, 6], [0.5, -0.1]
    better, worth = Labels(worlds, visits, values).advantages()
    mean = (2 * 0.5 - 6 * 0.1) / 8
    np.testing.assert_allclose(better[0, [1, 2]], [(0.5 - mean) * 2 / 4, (-0.1 - mean) * 6 / 8], rtol=1e-6)
    assert not np.delete(better[0], [1, 2]).any()
    np.testing.assert_allclose(worth, mean + better[0, 1], rtol=1e-6)


def test_a_round_has_as_many_labels_as_asked_for_whoever_plays(game, teacher, monkeypatch):
    monkeypatch.setattr("training.labels.GAMES", 4)
    monkeypatch.setattr("training.labels.label_chunk", lambda *args, most: label_chunk(*args, rows=4, most=most))
    searched = []
    monkeypatch.setattr("training.labels.search", lambda teacher, worlds: searched.append(len(worlds)) or search(teacher, worlds))
    found, games = label_round(teacher, RandomAgent(game), 1, 0, 100)
    assert (len(found), games % 4) == (100, 0)
    assert sum(searched) == 100, "no position is searched whose label is not kept"
    first = label_chunk(teacher, RandomAgent(game), 1, 0, 0, rows=4)
    assert same(found.part(slice(len(first))), first)


# --- files --------------------------------------------------------------------------------------------------------------


def test_labels_come_back_from_their_file(game, labels, tmp_path):
    facts = facts_of(game, TEACHER, len(labels))
    write_labels(tmp_path / "1.zip", labels, facts)
    assert same(read_labels(tmp_path / "1.zip", game, facts), labels)


def test_labels_of_something_else_are_refused_in_one_line(game, labels, tmp_path):
    path, facts = tmp_path / "1.zip", facts_of(game, TEACHER, len(labels))
    for changes, message in (
        ({"labels": 0}, "holds labels whose labels is 0, but 1 is asked for"),
        ({"version": 9}, "holds labels whose version is 9, but 0 is asked for"),
        ({"teacher": "ismcts:9"}, "holds labels whose teacher is 'ismcts:9', but 'ismcts:12,root=even' is asked for"),
        ({"rules": "0"}, f"holds labels whose rules is '0', but '{game.rules_digest}'"),
    ):
        write_labels(path, labels, {**facts, **changes})
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            read_labels(path, game, facts)
        assert "\n" not in str(error.value)


def test_damaged_labels_are_refused(game, labels, tmp_path):
    path, facts = tmp_path / "1.zip", facts_of(game, TEACHER, len(labels))
    impossible, over = labels.worlds.copy(), labels.worlds.copy()
    impossible["hand_size"][3] = 99
    over["current_player"][0] = -1
    for parts, message in (
        (Labels(impossible, labels.visits, labels.values), "is damaged: row 3: field hand"),
        (Labels(over, labels.visits, labels.values), "is damaged"),
        (Labels(labels.worlds, -labels.visits, labels.values), "is damaged: no search finds such numbers"),
        (Labels(labels.worlds, labels.visits, labels.values * np.nan), "is damaged: no search finds such numbers"),
        (Labels(labels.worlds[1:], labels.visits, labels.values), "is damaged"),
        (Labels(labels.worlds, labels.visits[:, 1:], labels.values), "is damaged: an array of it is not int32 of shape"),
    ):
        write_labels(path, parts, facts)
        with pytest.raises(ValueError, match=re.escape(message)):
            read_labels(path, game, facts)
    write_aside(path, b"nothing")
    with pytest.raises(ValueError, match=r"^[^\n]*1\.zip[^\n]*$"):
        read_labels(path, game, facts)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("greedy", "--teacher is 'greedy'; it must be a search with a number of simulations, such as ismcts:48,root=even"),
        ("ismcts:seconds=0.1", "--teacher is 'ismcts:seconds=0.1'; it must be a search with a number of simulations"),
        ("nobody", "--teacher: there is no agent 'nobody'"),
        ("ismcts:12,root=odd", "--teacher: ismcts: option root is 'odd'; choose from bound, even"),
    ],
)
def test_a_teacher_must_be_a_search(game, spec, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        make_teacher(spec, game)


def test_an_even_search_plays_the_best_mean_and_knows_it_to_the_digit(game, teacher, labels):
    found = teacher.search(labels.worlds, with_values=True)
    means = np.where(found.visits > 0, found.values / np.maximum(1, found.visits), -np.inf)
    assert (means[np.arange(len(labels)), found.actions] == means.max(1)).all()
    assert same(search(teacher, labels.worlds), labels)
    halves = [search(teacher, labels.worlds[rows]) for rows in (slice(7), slice(7, None))]
    assert same(join(halves), labels)
