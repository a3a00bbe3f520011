"""Recorded games, served: pages, judgements while they are made, tables to play on at."""

import json
import time
import warnings

import pytest

pytest.importorskip("starlette", reason="the page needs the packages of the play extra")
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of newer names for the same client
    from starlette.testclient import TestClient

from play import gallery
from play.frames import moments
from tests.play.guests import HOST, Quick
from tests.play.test_watch import beginning_of


class Judging(Quick):
    """Stands for the process of the agents, of any game."""

    def __init__(self, game):
        self.seats = game.num_players

    def judge(self, agent, question):
        return {"chances": [0.5] * self.seats, "lost": 0.2, "error": 0.01, "better": "player 0 waits", "kind": "blunder"}


@pytest.fixture
def shown(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "Worker", Judging)
    games = [moments(beginning_of(name, tmp_path, 6)) for name in ("dance_of_eights", "fairy_ring")]
    made = gallery.Gallery(["one.jsonl", "two.jsonl"], games, "ismcts:10", "random")
    with TestClient(made.app({HOST}), base_url=f"http://{HOST}") as client:
        yield client, games


def test_pages_are_made_when_they_are_asked_for(shown):
    client, games = shown
    for path, game in (("/", games[0]), ("/0", games[0]), ("/1", games[1])):
        answer = client.get(path)
        assert answer.status_code == 200 and game.game.title in answer.text
        assert "connect-src 'self'" in answer.text
    assert client.get("/2").status_code == client.get("/99999999999999999999").status_code == 404
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421


def test_what_is_said_grows_until_the_whole_game_is_judged(shown):
    client, games = shown
    said, limit = [], time.monotonic() + 60
    while len(said) < len(games[1].records):
        answer = client.get(f"/1/judged?since={len(said)}").json()
        assert answer["trouble"] is None and time.monotonic() < limit
        said += answer["judged"]
    assert [judgement.get("kind") for judgement in said] == ["blunder"] * 6 + [None]
    for path in ("/2/judged", "/0/judged?since=-1", "/0/judged?since=x", "/0/judged?since=" + "9" * 5000):
        assert client.get(path).status_code == 404


def test_a_table_is_set_at_a_moment_of_the_game(shown):
    client, games = shown
    game = games[0]
    seat = int(game.records[3]["current_player"][0])
    url = client.post("/0/play", json={"seat": seat, "moment": 3}).json()["url"]
    token = url.partition("token=")[2]
    assert client.get(url).status_code == client.get(url.partition("?")[0] + "static/play.js").status_code == 200
    state = client.get(url.partition("?")[0] + f"api/state?token={token}").json()
    assert (state["seat"], state["number"], state["over"]) == (seat, 3, False)
    assert state["state"] == game.game.to_dict(game.records[3], seat), "nothing hidden, and the position of the replay"
    move = {"token": token, "action": state["moves"][0]["action"], "number": 3}
    assert client.post(url.partition("?")[0] + "api/move", json=move).status_code == 200
    assert client.post("/0/play", json={"seat": 0, "moment": 3}).json()["url"] != url


@pytest.mark.parametrize(
    "body",
    [{}, [], None, 5, {"seat": 0}, {"seat": 2, "moment": 0}, {"seat": -1, "moment": 0}, {"seat": 0, "moment": 6},
     {"seat": 0, "moment": -1}, {"seat": True, "moment": 0}, {"seat": "0", "moment": 0}, {"seat": 0, "moment": 10**40},
     {"seat": 0.0, "moment": 1}],
)  # fmt: skip
def test_no_table_is_set_for_what_is_not_there(shown, body):
    client, _ = shown
    answer = client.post("/0/play", content=json.dumps(body), headers={"content-type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert client.post("/7/play", json={"seat": 0, "moment": 0}).status_code == 404
    assert client.get("/tables/1/").status_code == 404


def test_old_tables_are_cleared_away(shown, monkeypatch):
    client, _ = shown
    monkeypatch.setattr(gallery, "MOST_TABLES", 2)
    urls = [client.post("/1/play", json={"seat": 0, "moment": 0}).json()["url"] for _ in range(3)]
    assert [client.get(url).status_code for url in urls] == [404, 200, 200]
