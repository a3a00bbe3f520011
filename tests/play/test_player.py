"""A recorded game in a notebook: a player in a frame of its own, and its positions."""

import html
import re

import pytest

import agents
from envs import replay
from play import Replay


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replays")
    replay.main(["record", "--env", "dance_of_eights", "--seed", "2", "--out", str(folder), "--option", "max_turns=3"])
    return Replay(next(folder.iterdir()))


def test_it_shows_the_page_of_watch_in_a_frame_that_can_do_nothing_else(shown):
    (inner,) = re.findall(r'^<iframe .*srcdoc="([^"]*)" sandbox="allow-scripts" [^>]*></iframe>$', shown._repr_html_(), re.DOTALL)
    assert html.unescape(inner) == shown.page() and "default-src 'none'" in shown.page()
    assert repr(shown) == "Replay('dance_of_eights-v0-2p-2.jsonl', dance_of_eights-v0, 2 players, 12 decisions)"


def test_its_positions_can_be_looked_at_and_analysed(shown):
    assert len(shown) == len(shown.actions) + 1 == 13
    assert shown[0].seat == 0 and shown[-1].seat is None
    assert shown.position(4, 1).svg() != shown[4].svg()
    told = agents.analyse(shown[4], "random")
    assert shown.actions[4] in {move.action for move in told.moves}
    with pytest.raises(IndexError):
        shown[13]


def test_a_broken_file_is_named(tmp_path):
    with pytest.raises(replay.ReplayError, match="there is no such file"):
        Replay(tmp_path / "missing.jsonl")
