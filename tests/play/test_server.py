"""The server: who is let in, what is refused, and that nothing hidden is in any answer."""

import json
import random
import warnings

import pytest

pytest.importorskip("starlette", reason="the page needs the packages of the play extra")
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of newer names for the same client
    from starlette.testclient import TestClient

from tests.play.guests import HOST, application, table_of


def client_of(table):
    return TestClient(application(table), base_url=f"http://{HOST}")


def test_a_game_is_played_to_its_end_over_http():
    table = table_of("dance_of_eights", None, "random", max_turns=3)
    (token,) = table.tokens
    with client_of(table) as client:
        for _ in range(200):
            state = client.get("/api/state", params={"token": token}).json()
            if state["over"]:
                break
            if state["moves"]:
                body = {"token": token, "action": state["moves"][0]["action"], "number": state["number"]}
                assert client.post("/api/move", json=body).status_code == 200
        assert state["over"]
        assert "nobody wins" in state["events"][-1][-1]["text"] or "wins" in state["events"][-1][-1]["text"]
        assert client.post("/api/new", json={"token": token}).status_code == 200
        assert client.get("/api/state", params={"token": token}).json()["number"] <= 1


def test_the_page_and_its_files_are_there_with_strict_headers():
    table = table_of("fairy_ring", None, None)
    with client_of(table) as client:
        for path in ("/", "/static/play.js", "/static/board.js", "/static/style.css"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
        for path in ("/static/../table.py", "/static/watch.js", "/static/%2e%2e%2ftable.py", "/docs", "/openapi.json"):
            assert client.get(path).status_code == 404


def test_hints_are_for_the_seat_to_act_alone():
    table = table_of("dance_of_eights", None, None)
    first, second = table.tokens
    with client_of(table) as client:
        found = client.post("/api/hints", json={"token": first, "agent": "greedy"}).json()
        assert set(found["hints"]) == {str(move["action"]) for move in table.moves()}
        for token in (second, table.watcher, "x"):
            assert client.post("/api/hints", json={"token": token}).status_code == 403
        assert client.post("/api/hints", json={"token": first, "agent": "os:system"}).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:9"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://" + HOST}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_requests_from_elsewhere_are_refused(headers, status):
    table = table_of("dance_of_eights", None, None)
    token = next(iter(table.tokens))
    body = json.dumps({"token": token, "action": 0, "number": 0})
    with client_of(table) as client:
        answer = client.post("/api/move", content=body, headers={"content-type": "application/json", **headers})
        assert answer.status_code == status
        assert table.number == 0
        if status != 415:
            assert client.get("/api/state", params={"token": token}, headers=headers).status_code == status
        own = {"content-type": "application/json", "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
        assert client.post("/api/move", content=body, headers=own).status_code == 200


def test_a_large_body_is_refused():
    table = table_of("dance_of_eights", None, None)
    token = next(iter(table.tokens))
    with client_of(table) as client:
        body = {"token": token, "action": 0, "number": 0, "more": "x" * 5000}
        assert client.post("/api/move", json=body).status_code == 413
    assert table.number == 0


def test_ten_thousand_hostile_requests_change_nothing_and_show_nothing():
    table = table_of("dance_of_eights", None, None)
    first, second = table.tokens
    before, names = table.moments[-1].record.tobytes(), list(table.names)
    hidden = json.dumps(table.game.to_dict(table.moments[-1].record)["hands"][0])
    draw = random.Random(7)
    tokens = [second, table.watcher, "", "x", first[:-1], first + "0", first.upper() + "-", "\x00", "../", None, 5, [], {}]
    values = [0, 1, -1, 84, 85, 10**40, 0.0, 1.5, True, None, "0", [], {}, "x" * 3000]
    heads = [
        {},
        {"origin": "http://evil.example"},
        {"host": "evil"},
        {"sec-fetch-site": "cross-site"},
        {"content-type": "text/plain"},
    ]
    raw = [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 2000, b'{"token": 1}', b"1" * 1000]
    with client_of(table) as client:
        for number in range(10_000):
            path = draw.choice(["move", "move", "move", "undo", "new", "hints"])
            body = {"token": draw.choice(tokens), "action": draw.choice(values), "number": draw.choice(values)}
            content = draw.choice(raw) if number % 5 == 0 else json.dumps(body).encode()
            headers = {"content-type": "application/json", **draw.choice(heads)}
            answer = client.post(f"/api/{path}", content=content, headers=headers)
            assert 400 <= answer.status_code < 500, (path, content, headers)
            assert hidden not in answer.text and first not in answer.text
    assert table.moments[-1].record.tobytes() == before
    assert (table.revision, table.names) == (0, names)
