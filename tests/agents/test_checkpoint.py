"""Checkpoints from strangers are data: whatever a file holds, reading it runs nothing, costs little, and ends in one line."""

import io
import json
import os
import pickle
import re
import resource
import struct
import threading
import time
import zipfile

import numpy as np
import pytest
import torch as th

import envs
from agents import archive, checkpoint
from agents.networks.blueprint import Blueprint
from agents.policy import PREFIX, PolicyAgent
from agents.registry import make_agent
from tests.agents.observations import weights_of
from tests.touch import Touch

WIDTHS = (4,)


@pytest.fixture(scope="module")
def game():
    return envs.make_game("dance_of_eights", 2)


@pytest.fixture(scope="module")
def weights(game):
    th.manual_seed(1)
    return weights_of(Blueprint(game, "flat", WIDTHS).build())


@pytest.fixture(scope="module")
def facts(game):
    return {**checkpoint.game_facts(game), **Blueprint(game, "flat", WIDTHS).facts}


@pytest.fixture(scope="module")
def good(weights, facts):
    """The parts of a checkpoint that plays."""
    return {checkpoint.WEIGHTS: checkpoint.weights_bytes(weights), checkpoint.FACTS: json.dumps(facts).encode()}


def refuse(path, game):
    """A file that does not play says so in one line, whoever asks."""
    with pytest.raises(ValueError) as caught:
        PolicyAgent(path, game)
    with pytest.raises(ValueError, match=f"^cannot use checkpoint {path}: "):
        make_agent(str(path), game)
    message = str(caught.value)
    assert message and "\n" not in message and len(message) < 400
    return message


def zip_of(parts, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as zipped:
        for name, content in parts.items():
            zipped.writestr(name, content)
    return buffer.getvalue()


# --- pickles ------------------------------------------------------------------------------------------------------------


def with_pickle(content, made):
    """A file of PyTorch whose own pickle is another one."""
    with zipfile.ZipFile(io.BytesIO(content)) as inner:
        parts = {name: inner.read(name) for name in inner.namelist()}
    return zip_of({name: made if name.endswith("data.pkl") else part for name, part in parts.items()})


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_no_part_of_a_file_is_unpickled(game, good, tmp_path, protocol):
    path, touched = tmp_path / "evil.zip", tmp_path / "touched"
    evil = pickle.dumps(Touch(touched), protocol)
    plain = io.BytesIO()
    th.save({"a": 1, "b": Touch(touched)}, plain)
    for content in (evil, with_pickle(good[checkpoint.WEIGHTS], evil), plain.getvalue()):
        path.write_bytes(zip_of({**good, checkpoint.WEIGHTS: content}))
        assert "holds no weights that can be read" in refuse(path, game)
    path.write_bytes(zip_of({**good, checkpoint.FACTS: evil}))
    refuse(path, game)
    path.write_bytes(zip_of({**good, "data": evil, "run.pickle": evil, "pytorch_variables.pth": evil}))
    assert PolicyAgent(path, game).name
    path.write_bytes(evil)
    assert "is not a zip file" in refuse(path, game)
    assert not touched.exists()


def test_not_even_harmless_calls_are_made_for_a_file(game, good, tmp_path):
    """PyTorch would make a gigabyte of zeros for a file that asks for it."""
    path = tmp_path / "large.zip"
    large = b"\x80\x02cbuiltins\nbytearray\n(J\x00\x00\x00\x40tR."
    path.write_bytes(zip_of({**good, checkpoint.WEIGHTS: with_pickle(good[checkpoint.WEIGHTS], large)}))
    assert "holds no weights that can be read" in refuse(path, game)


# --- bombs --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cheap():
    """What a test does takes little time and memory."""
    begin, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - begin < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


ZEROS = bytes(150_000_000)


@pytest.fixture(scope="module")
def inflated(good):
    """Small files that inflate to much, by what they do."""
    inner = zip_of({"archive/data.pkl": b"N.", "archive/data/0": ZEROS}, zipfile.ZIP_DEFLATED)
    return {
        checkpoint.FACTS: zip_of({**good, checkpoint.FACTS: ZEROS}, zipfile.ZIP_DEFLATED),
        checkpoint.WEIGHTS: zip_of({**good, checkpoint.WEIGHTS: ZEROS}, zipfile.ZIP_DEFLATED),
        "inner": zip_of({**good, checkpoint.WEIGHTS: inner}),
    }


@pytest.mark.parametrize("name", [checkpoint.FACTS, checkpoint.WEIGHTS])
def test_a_part_that_inflates_to_much_is_not_inflated(inflated, game, tmp_path, name, cheap):
    path = tmp_path / "bomb.zip"
    path.write_bytes(inflated[name])
    assert f"its part {name} has 150,000,000 bytes; at most" in refuse(path, game)


def test_a_part_that_says_it_is_small_is_not_believed(inflated, game, tmp_path, cheap):
    content = bytearray(inflated[checkpoint.FACTS])
    size = struct.pack("<L", len(ZEROS))
    while (place := content.find(size)) >= 0:
        content[place : place + 4] = struct.pack("<L", 50)
    path = tmp_path / "liar.zip"
    path.write_bytes(content)
    assert "is no checkpoint" in refuse(path, game)


def test_the_zip_file_inside_is_no_way_to_inflate_either(inflated, game, tmp_path, cheap):
    path = tmp_path / "inner.zip"
    path.write_bytes(inflated["inner"])
    assert "its part policy.pth has" in refuse(path, game) or "holds no weights" in refuse(path, game)
    with pytest.raises(ValueError, match="holds no weights that can be read"):
        checkpoint.read_weights(path)


def test_many_parts_are_not_even_listed(game, good, tmp_path, cheap):
    path = tmp_path / "many.zip"
    path.write_bytes(zip_of({**good, **{str(number): b"" for number in range(20_000)}}))
    assert "it has 20,002 parts; at most 64 are allowed" in refuse(path, game)


@pytest.mark.parametrize(
    ("widths", "message"),
    [([64] * 100, "they must be 1 to 16 integers"), ([8000, 8000], "is too large"), ([2000, 2000], "the weights are not those")],
)
def test_a_network_is_not_built_before_its_size_is_known_to_be_right(game, good, facts, tmp_path, monkeypatch, widths, message):
    monkeypatch.setattr(Blueprint, "build", lambda blueprint: pytest.fail("a network was built"))
    path = tmp_path / "wide.zip"
    path.write_bytes(zip_of({**good, checkpoint.FACTS: json.dumps(facts | {"widths": widths}).encode()}))
    assert message in refuse(path, game)


def test_a_small_memory_that_pretends_to_be_large_is_refused(game, facts, tmp_path, cheap):
    shapes = Blueprint(game, "flat", (2000, 2000)).shapes()
    thin = {PREFIX + name: th.zeros(1).expand(shape) for name, shape in shapes.items()}
    path = tmp_path / "thin.zip"
    checkpoint.save_snapshot(path, thin, facts | {"widths": [2000, 2000]})
    assert path.stat().st_size < 100_000
    assert "the weights are not those" in refuse(path, game)


# --- damage -------------------------------------------------------------------------------------------------------------


def test_truncated_and_changed_files_are_refused_or_play(game, good, tmp_path):
    rng, path, played = np.random.default_rng(7), tmp_path / "damaged.zip", 0
    whole = [zip_of(good, method) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    for trial in range(600):
        content = bytearray(whole[trial % 2])
        if trial % 5 == 0:
            del content[rng.integers(len(content)) :]
        else:
            place = rng.integers(len(content), size=rng.integers(1, 4))
            if trial % 5 < 3:  # where zip files keep what they say of themselves
                place = len(content) - 1 - place % 160
            for each in place:
                content[each] = rng.integers(256)
        path.write_bytes(content)
        try:
            PolicyAgent(path, game)
            checkpoint.read_facts(path)
            played += 1
        except ValueError as error:
            assert str(error) and "\n" not in str(error)
    assert 0 < played < 300  # some bytes mean nothing


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 97, 9])
def test_other_ways_of_packing_are_refused(game, good, tmp_path, method):
    path = tmp_path / "packed.zip"
    known = method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    content = bytearray(zip_of(good, method if known else zipfile.ZIP_DEFLATED))
    if not known:
        for signature, offset in ((b"PK\1\2", 10), (b"PK\3\4", 8)):
            for place in [at for at in range(len(content)) if content.startswith(signature, at)]:
                content[place + offset : place + offset + 2] = struct.pack("<H", method)
    path.write_bytes(content)
    assert "is packed in a way that checkpoints are not" in refuse(path, game)


def test_an_encrypted_part_is_refused(game, good, tmp_path):
    path, content = tmp_path / "locked.zip", bytearray(zip_of(good))
    for place in [at for at in range(len(content)) if content.startswith(b"PK\1\2", at)]:
        content[place + 8] |= 1
    path.write_bytes(content)
    assert "is packed in a way that checkpoints are not" in refuse(path, game)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"null", b"{", b"\xff\xfe", b'"\xed\xa0\x80"', b"[" * 50_000, b"9" * 5000,
        b'{"format": ' + b"9" * 5000 + b"}", b"NaN", b"{" * 40_000, b'{"a":' * 15_000,
    ],
)  # fmt: skip
def test_facts_that_are_none_are_refused(game, good, tmp_path, content):
    path = tmp_path / "facts.zip"
    path.write_bytes(zip_of({**good, checkpoint.FACTS: content}))
    assert "is no checkpoint: its facts" in refuse(path, game)


def test_a_value_is_shown_as_far_as_it_fits_on_a_line(game, good, facts, tmp_path):
    path = tmp_path / "facts.zip"
    for wrong in (
        "x" * 90_000,
        "two\nlines",
        "\ud800",
        [list(range(9))] * 900,
        {"deep": {"deeper": [1, [2, [3]]]}},
        1e300,
        True,
        0.0,
    ):
        path.write_bytes(zip_of({**good, checkpoint.FACTS: json.dumps(facts | {"version": wrong}).encode()}))
        message = refuse(path, game)
        assert "the checkpoint's version is " in message
        message.encode()


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "folder.zip").mkdir()
    done = []

    def ask():
        for path, words in (
            (tmp_path / "pipe.zip", "no regular file"),
            (tmp_path / "folder.zip", "a folder"),
            ("/dev/zero", "no regular"),
        ):
            with pytest.raises(ValueError, match=f"is no checkpoint: it is {words}"):
                checkpoint.read_facts(path)
            done.append(path)

    asker = threading.Thread(target=ask, daemon=True)
    asker.start()
    asker.join(20)
    assert len(done) == 3


def test_a_larger_file_than_any_checkpoint_is_not_read(game, tmp_path):
    path = tmp_path / "sparse.zip"
    with open(path, "wb") as file:
        file.truncate(archive.MOST_BYTES + 1)
    assert "at most 2,147,483,648 are read" in refuse(path, game)


CHANGES = {
    "a number that is none": lambda tensor: tensor.fill_(float("nan")),
    "an infinite number": lambda tensor: tensor.fill_(float("inf")),
    "other precision": lambda tensor: tensor.double(),
    "integers": lambda tensor: tensor.int(),
    "another shape": lambda tensor: tensor[..., :-1].clone(),
    "another order": lambda tensor: tensor.t().contiguous().t(),
    "no tensor": lambda tensor: tensor.tolist(),
    "sparse": lambda tensor: tensor.to_sparse(),
    "complex": lambda tensor: tensor.to(th.complex64),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_weights_that_are_not_the_networks_are_refused(game, weights, facts, tmp_path, change):
    path, name = tmp_path / "weights.zip", f"{PREFIX}trunk.0.weight"
    checkpoint.save_snapshot(path, {**weights, name: change(weights[name].clone())}, facts)
    message = refuse(path, game)
    assert "the weights are not those of a policy this suite trains" in message or "holds no weights" in message


@pytest.mark.parametrize("other", [{}, {"a": 1}, [], "text", {1: 2}], ids=repr)
def test_a_file_without_weights_is_refused(game, good, tmp_path, other):
    path, buffer = tmp_path / "empty.zip", io.BytesIO()
    th.save(other, buffer)
    path.write_bytes(zip_of({**good, checkpoint.WEIGHTS: buffer.getvalue()}))
    refuse(path, game)


def test_shipped_checkpoints_are_read():
    paths = sorted(checkpoint.SHIPPED.glob("*.zip"))
    assert paths
    for path in paths:
        name, players = re.fullmatch(r"(\w+)_(\d)p(?:_exit|_advised)?", path.stem).groups()
        network = PolicyAgent(path, envs.make_game(name, int(players))).network
        inputs = network.inputs.of_views(np.zeros((1, network.blueprint.game.observation_size), np.float32))
        assert network.logits(inputs).shape == (1, network.blueprint.game.num_actions)
