"""The page in a real browser: whole games by buttons and by clicks, two people, hints, replays, narrow and wide."""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
pytest.importorskip("playwright", reason="tests in a browser need the package playwright")
if not CHROMIUM.exists():
    pytest.skip(
        f"tests in a browser need Chromium at {CHROMIUM}; the variable CHROMIUM names another place", allow_module_level=True
    )

pytest.importorskip("uvicorn", reason="the page needs the packages of the play extra")

from playwright.sync_api import expect, sync_playwright  # noqa: E402

import envs  # noqa: E402
from envs import replay  # noqa: E402
from play import Replay  # noqa: E402
from play.frames import frames, moments  # noqa: E402
from play.listening import HttpServer, listen  # noqa: E402
from play.page import page as html_page  # noqa: E402
from play.watch import main as watch  # noqa: E402
from tests.play.guests import Quick, server_of, table_of, token_of  # noqa: E402
from tests.play.test_watch import beginning_of  # noqa: E402

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip
SLOW = 180_000
"""Milliseconds for what comes at once on a quiet machine: others may work beside, or the rules be compiled at this moment."""
NAMES = list(envs.GAMES)
BUTTON = "(({left, right}) => [left, right])(document.querySelector('#moves button').getBoundingClientRect())"
PLACE = """() => {
  const pieces = [...document.querySelectorAll("#board [data-action]")];
  for (const piece of pieces.reverse()) {
    piece.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, top, width, height } = piece.getBoundingClientRect();
    for (const down of [0.5, 0.3, 0.7, 0.1, 0.9])
      for (const along of [0.5, 0.3, 0.7, 0.1, 0.9]) {
        const [x, y] = [left + along * width, top + down * height];
        if (document.elementFromPoint(x, y)?.closest("[data-action]") === piece) return [x, y];
      }
  }
  throw new Error(`none of ${pieces.length} pieces can be hit`);
}"""
"""Where the mouse hits the last of the pieces that can be clicked."""
PLAYED_BEFORE = {"fairy_ring": 24, "fairy_ring_objectives": 24, "dance_of_eights": 0, "mushroom_rings": 280}
OPTIONS = {"dance_of_eights": {"max_turns": 4}}


@pytest.fixture(scope="module")
def chromium():
    """One browser for all tests, which may be slow beside other work."""
    expect.set_options(timeout=SLOW)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS, timeout=SLOW)
        yield browser
        browser.close()


def answering_late(app, path):
    """An application whose answers to requests for a path are ready at once, and arrive half a second later."""

    async def application(scope, receive, send):
        async def send_late(message):
            if message["type"] == "http.response.start":
                await asyncio.sleep(0.5)
            await send(message)

        await app(scope, receive, send_late if scope.get("path") == path else send)

    return application


@contextlib.contextmanager
def served(table, late=None):
    """A server of a table in a thread, with a path whose answers arrive late; gives the address of the page."""
    listener = listen("127.0.0.1", 0)
    host = f"127.0.0.1:{listener.getsockname()[1]}"
    server = server_of(table)
    app = answering_late(server.app({host}), late)
    http = HttpServer(app, server.close)
    thread = threading.Thread(target=http.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://{host}"
    finally:
        http.should_exit = True
        thread.join(60)


@contextlib.contextmanager
def opened(browser, address, width=1280, scheme="light"):
    """A page that has no error and asks nothing of any other place."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(SLOW)
    faults, own = [], address.split("/?")[0].split("#")[0]
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith((own, "data:")) else faults.append(request.url))
    try:
        page.goto(address)
        yield page
    finally:
        page.close()
    assert faults == []


def play_ahead(table, decisions):
    """Plays the beginning of a game by chance, on to a decision of the first seat."""
    while table.number < decisions or table.to_act > 0:
        table.play(Quick().act("", table.question()))


def play(page, table, choose, seat=0):
    """Plays a person's seat by a way of choosing until the game is over; returns the decisions made by hand."""
    made = 0
    while table.to_act >= 0:
        if table.to_act != seat:
            page.wait_for_timeout(5)
            continue
        number = table.number
        page.wait_for_selector("#moves button:enabled")
        choose(page)
        for _ in range(6000):
            if table.number > number:
                break
            page.wait_for_timeout(5)
        assert table.number > number, f"a choice at decision {number} did not reach the table"
        made += 1
    expect(page.locator("#status")).to_contain_text(re.compile("win|share|nobody"))
    return made


def by_button(page):
    """Presses the last of the buttons."""
    page.locator("#moves button:enabled").last.click()


def by_click(page):
    """Clicks the last piece that can be clicked, with the mouse; where it means several moves, then a button it offers."""
    page.mouse.click(*page.evaluate(PLACE))
    offered = page.locator("#moves button.offered:enabled")
    if offered.count():
        offered.first.click()


def by_key(page):
    """Goes to a button with the arrow keys and presses it; the first nine have a key each."""
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    if page.evaluate("document.activeElement.matches('#moves button')"):
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("1")


@pytest.mark.parametrize("choose", [by_button, by_click])
@pytest.mark.parametrize("name", NAMES)
def test_a_whole_game(chromium, name, choose):
    """Those of many decisions begin in their middle: LONG_BROWSER_TESTS=1 plays them from their first."""
    table = table_of(name, None, "random", seed=2, **OPTIONS.get(name, {}))
    play_ahead(table, 0 if os.environ.get("LONG_BROWSER_TESTS") else PLAYED_BEFORE[name])
    with served(table) as address, opened(chromium, f"{address}/?token={token_of(table, 0)}") as page:
        page.wait_for_selector("#board svg")
        assert play(page, table, choose) > 5
        assert page.locator("#log .end").count() >= 1
        assert page.locator("#moves button").count() == 0


@pytest.mark.parametrize("name", ["dance_of_eights", "fairy_ring"])
def test_a_whole_game_by_keys_alone(chromium, name):
    table = table_of(name, None, "random", seed=3, **OPTIONS.get(name, {}))
    play_ahead(table, PLAYED_BEFORE[name])
    with served(table) as address, opened(chromium, f"{address}/?token={token_of(table, 0)}") as page:
        page.wait_for_selector("#board svg")
        assert play(page, table, by_key) > 5
        page.keyboard.press("n")
        page.wait_for_selector("#moves button:enabled")


@pytest.mark.parametrize("name", ["dance_of_eights", "mushroom_rings"])
def test_a_whole_game_on_a_phone(chromium, name):
    table = table_of(name, None, "random", seed=4, **OPTIONS.get(name, {}))
    play_ahead(table, PLAYED_BEFORE[name])
    with served(table) as address, opened(chromium, f"{address}/?token={token_of(table, 0)}", 390) as page:
        page.wait_for_selector("#board svg")
        assert play(page, table, by_click) > 5
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["fairy_ring", "mushroom_rings"])
def test_axe_finds_nothing_serious(chromium, name, scheme, tmp_path):
    axe = pytest.importorskip("axe_playwright_python", reason="axe-core comes with the package axe-playwright-python")
    source = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    table = table_of(name, None, None)
    with served(table) as address, opened(chromium, f"{address}/?token={token_of(table, table.to_act)}", scheme=scheme) as page:
        page.wait_for_selector("#moves button")
        page.check("#hints")
        page.wait_for_selector("#moves .bar")
        assert serious(page, source) == []
        out = tmp_path / "game.html"
        path = beginning_of(name, tmp_path)
        said = {"chances": [0.4, 0.6], "lost": 0.2, "error": 0.01, "better": "player 0 waits", "kind": "blunder"}
        out.write_text(html_page(frames(path.name, moments(path)) | {"judge": "x", "meaning": "chance", "judged": [said] * 4}))
        with opened(chromium, f"{out.as_uri()}#move=2", scheme=scheme) as watching:
            assert watching.locator("#log .blunder").count() == 3
            assert "Blunder, it lost 20 ± 1 %. Better: Player 0 waits." in watching.locator("#verdict").inner_text()
            assert serious(watching, source) == []


def serious(page, source):
    """What axe-core finds that keeps somebody from using a page."""
    page.evaluate(source)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    faults = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    return [(fault["id"], [node["html"][:200] for node in fault["nodes"][:3]]) for fault in faults]


def test_two_people_at_one_table(chromium):
    table = table_of("dance_of_eights", None, None, max_turns=3)
    with (
        served(table) as address,
        opened(chromium, f"{address}/?token={token_of(table, 0)}") as first,
        opened(chromium, f"{address}/?token={token_of(table, 1)}") as second,
        opened(chromium, f"{address}/?token={table.watcher}") as watcher,
    ):
        first.fill("#name", "Ada")
        first.press("#name", "Enter")
        expect(second.locator("#status")).to_contain_text("Ada")
        while table.to_act >= 0:
            page, number = (first, second)[table.to_act], table.number
            page.locator("#moves button:enabled").first.click()
            for _ in range(400):
                if table.number > number:
                    break
                page.wait_for_timeout(5)
        for page in (first, second, watcher):
            expect(page.locator("#status")).to_contain_text(re.compile("win|nobody"))
        assert "Ada" in second.locator("#log").inner_text()
        assert watcher.locator("#moves button").count() == 0


def test_a_late_answer_offers_no_move_twice(chromium):
    table = table_of("dance_of_eights", None, None)
    with served(table, "/api/state") as address, opened(chromium, f"{address}/?token={token_of(table, 0)}") as page:
        page.wait_for_selector("#moves button")
        with page.expect_request("**/api/state?since=0&*"):  # the log is read anew with the name
            page.fill("#name", "Ada")
            page.press("#name", "Enter")
        for number in (1, 2):  # to gain a card and to discard one
            with page.expect_response("**/api/move") as answer:
                page.locator("#moves button:enabled").first.click()
            assert answer.value.ok and table.number == number


@pytest.mark.parametrize("late", ["/api/state", "/api/stream"])
def test_a_foreign_link_shows_nothing(chromium, late):
    table = table_of("dance_of_eights", None, None)
    with served(table, late) as address:
        page = chromium.new_page()
        page.goto(f"{address}/?token=wrong")
        expect(page.locator("#status")).to_contain_text("not one of this table")
        page.wait_for_timeout(1000)  # both answers are there
        assert "not one of this table" in page.locator("#status").inner_text()
        assert page.locator("#board svg").count() == 0
        page.close()


def test_hints_take_back_and_keys(chromium):
    table = table_of("dance_of_eights", None, "random")
    with served(table) as address, opened(chromium, f"{address}/?token={token_of(table, 0)}") as page:
        page.wait_for_selector("#moves button")
        assert page.locator("#moves .bar").count() == 0
        page.check("#hints")
        page.wait_for_selector("#moves .bar")
        assert "3 visits, value 0.25 ± 0.50" in page.locator("#moves").inner_text()
        page.locator("#moves button").first.hover()
        assert page.locator("#board .lit").count() == 1
        page.locator("#board [data-action]").first.hover()
        assert page.locator("#moves button.lit").count() == 1 and page.locator("#tip").inner_text()
        page.uncheck("#hints")
        page.locator("body").press("1")
        expect(page.locator("#moves button")).to_have_count(9)
        assert table.number == 1
        page.click("#undo")
        expect(page.locator("#moves button")).to_have_count(2)
        assert table.number == 0


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_fits(chromium, name, width):
    table = table_of(name, None, None)
    token = token_of(table, max(table.to_act, 0))
    with served(table) as address, opened(chromium, f"{address}/?token={token}", width) as page:
        page.wait_for_selector("#moves button")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        left, right = page.evaluate(BUTTON)  # in one step: the list may be drawn anew between two
        assert left >= 0 and right <= width
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)


def test_a_replay_is_watched_from_one_file(chromium, tmp_path):
    replay.main(["record", "--env", "dance_of_eights", "--seed", "2", "--agents", "random", "--out", str(tmp_path),
                 "--option", "max_turns=5"])  # fmt: skip
    (file,) = tmp_path.glob("*.jsonl")
    out = tmp_path / "game.html"
    assert watch([str(file), "--html", str(out)]) == 0
    last = len(file.read_text().splitlines()) - 2
    with opened(chromium, f"{out.as_uri()}#move=3") as page:
        assert page.locator("#status").inner_text().startswith(f"Move 3 of {last}")
        page.locator("body").press("ArrowRight")
        assert page.locator("#status").inner_text().startswith("Move 4") and page.url.endswith("#move=4")
        cards = page.locator("#board svg").text_content()
        page.select_option("#viewer", "0")
        assert page.locator("#board svg").text_content() != cards
        page.locator("body").press("End")
        assert "win" in page.locator("#status").inner_text()
        page.locator("#slider").fill("0")
        assert page.locator("#status").inner_text().startswith("Move 0")
        page.select_option("#speed", "300")
        page.click("#run")
        expect(page.locator("#status")).to_contain_text("Move 2")
        page.click("#run")
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=f"{folder}/watch.png")


def test_the_first_board_is_there_within_seconds_on_a_machine_that_has_compiled_nothing(chromium, tmp_path):
    command = [sys.executable, "-m", "play", "--env", "mushroom_rings", "--agents", "greedy", "--no-browser", "--seed", "1"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            address = process.stdout.readline().split()[-1]
            page = chromium.new_page()
            page.goto(address)
            page.wait_for_selector("#board svg", timeout=60_000)  # 3 s on a quiet machine, minutes with all compiled first
            print(f"first board after {time.monotonic() - begun:.1f} s")
            page.close()
        finally:
            process.terminate()


def test_a_replay_plays_inside_a_notebook(chromium, tmp_path):
    """In a frame without an address of its own."""
    replay.main(["record", "--env", "dance_of_eights", "--seed", "2", "--out", str(tmp_path), "--option", "max_turns=2"])
    page = chromium.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.set_content(Replay(next(tmp_path.iterdir()))._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("#board svg").wait_for()
    expect(frame.locator("#status")).to_contain_text("Move 0 of 8")
    frame.locator("#on").click()
    expect(frame.locator("#status")).to_contain_text("Move 1 of 8")
    frame.locator("#viewer").select_option("1")
    frame.locator("#on").click()
    expect(frame.locator("#status")).to_contain_text("Move 2 of 8")
    assert not wrong
    page.close()
