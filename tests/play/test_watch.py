"""Replays as one page, as a moving picture, and the command line that makes them."""

import io
import json
import re
import shlex
from xml.etree import ElementTree

import pytest

import envs
from envs import replay
from envs.command_line import how_to_watch
from envs.events import END
from play.frames import frames, moments, seen
from play.moving import moving_svg
from play.watch import main as watch

NAMES = list(envs.GAMES)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A replay of a short game of Dance of Eights."""
    folder = tmp_path_factory.mktemp("replays")
    replay.main(["record", "--env", "dance_of_eights", "--seed", "2", "--out", str(folder), "--option", "max_turns=3"])
    return next(folder.glob("*.jsonl"))


def beginning_of(name, folder, decisions=3):
    """The file of the first decisions of a game, for tests that need no whole one."""
    game = envs.make_game(name, 2)
    env = envs.make_vec(game, 1, seed=0, autoreset=False)
    env.reset([5])
    recorder = replay.Recorder(game, env.states, 5)
    for _ in range(decisions):
        action = env.last()[0]["action_mask"].argmax(axis=1)
        recorder.before(env.states, int(action[0]))
        env.step(action)
        recorder.after(env.states)
    recorder.end([0, 0], False, True)
    path = folder / f"{name}.jsonl"
    path.write_text(recorder.text())
    return path


@pytest.mark.parametrize("name", NAMES)
def test_frames_hold_every_picture_of_every_viewer(name, tmp_path):
    path = beginning_of(name, tmp_path)
    recorded = moments(path)
    game, records, shown = recorded.game, recorded.records, frames(path.name, recorded)
    assert (len(records), recorded.seed, recorded.truncated) == (4, 5, True)
    assert list(shown["views"]) == ["all", "0", "1"]
    for viewer, view in shown["views"].items():
        seat = None if viewer == "all" else int(viewer)
        for record, places in zip(records, view["pictures"], strict=True):
            text = "\n".join(shown["lines"][place] for place in places)
            # The marks of the last move aside, which add lines, it is the picture that the game draws.
            assert set(re.findall(r"<text[^>]*>[^<]*", game.svg(record[0], seat))) <= set(re.findall(r"<text[^>]*>[^<]*", text))
        assert [len(events) > 0 for events in view["events"]] == [True] * 4


def test_a_page_stands_alone_and_holds_the_whole_game(recorded, tmp_path):
    out = tmp_path / "game.html"
    assert watch([str(recorded), "--html", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    (held,) = re.findall(r'<script type="application/json" id="replay">(.*?)</script>', page, re.DOTALL)
    shown = json.loads(held)
    decisions = len(recorded.read_text().splitlines()) - 2
    assert len(shown["scores"]) == len(shown["actors"]) == decisions + 1
    assert shown["views"]["all"]["events"][-1][-1]["kind"] == END
    assert "default-src 'none'" in page
    addresses = set(re.findall(r"https?://[\w./]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert page.count("<script") == 2, "a replay ends no script early"


def test_what_is_hidden_from_a_seat_is_not_in_its_pictures(recorded):
    shown = frames(recorded.name, moments(recorded))
    seat, whole = ({place for picture in shown["views"][view]["pictures"] for place in picture} for view in ("0", "all"))
    assert whole - seat, "somebody who sees everything sees more"
    game, _, records, *_ = moments(recorded)
    for record, places in zip(records, shown["views"]["0"]["pictures"], strict=True):
        hidden = set(game.svg(record[0]).splitlines()) - set(game.svg(record[0], 0).splitlines())
        hands = {line for line in hidden if "<text" in line}
        assert not hands & {shown["lines"][place] for place in places}


def test_a_moving_picture_has_a_frame_for_every_moment(recorded, tmp_path):
    from PIL import Image

    out = tmp_path / "game.gif"
    assert watch([str(recorded), "--gif", str(out), "--width", "200", "--seconds", "0.2"]) == 0
    decisions = len(recorded.read_text().splitlines()) - 2
    with Image.open(io.BytesIO(out.read_bytes())) as image:
        assert image.size[0] == 200 and image.info["loop"] == 0
        # Neighbours that look the same become one frame, which is held as long as both.
        assert 1 < image.n_frames <= decisions + 1
        times = []
        for number in range(image.n_frames):
            image.seek(number)
            times.append(image.info["duration"])
    assert times[0] % 200 == 0 and times[-1] >= 3000
    assert sum(times) == 200 * decisions + 3000


def picture_at(svg, seconds):
    """What a moving SVG shows at a time, as lines of its elements; what is used is put where it is used."""
    root = ElementTree.fromstring(svg)
    tag = {name: f"{{http://www.w3.org/2000/svg}}{name}" for name in ("defs", "use", "g", "animate", "title")}
    named = {element.get("id"): element for element in root.find(tag["defs"])}
    lines = []

    def show(element):
        if element.tag == tag["use"]:
            return show(named[element.get("href")[1:]])
        clock = element.find(tag["animate"])
        if clock is not None:
            length = float(clock.get("dur").rstrip("s"))
            times = [length * float(part) for part in clock.get("keyTimes").split(";")]
            values = dict(zip(times, clock.get("values").split(";"), strict=True))
            assert (times[0], clock.get("calcMode"), clock.get("repeatCount")) == (0, "discrete", "indefinite")
            assert (element.get("display") or "inline") == values[0], "who knows no animations shows the first picture"
            if values[max(time for time in times if time <= seconds)] == "none":
                return None
        attributes = {key: value for key, value in element.attrib.items() if key not in ("id", "display") and "data-" not in key}
        if element.tag not in (tag["g"], tag["animate"], tag["defs"], tag["title"]) or (element.tag == tag["g"] and attributes):
            lines.append((element.tag, attributes, element.text))
        for child in element if element.tag != tag["defs"] else ():
            show(child)
        return None

    for child in root:
        show(child)
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_a_moving_svg_shows_every_moment_in_its_time_and_again(name, tmp_path):
    pictures, _ = seen(moments(beginning_of(name, tmp_path, 12)), "all")
    moving = moving_svg(pictures, 0.5)
    assert len(moving) < sum(map(len, pictures)) / 3
    for number, picture in enumerate(pictures):
        still = picture.replace("</title>", "</title><defs/>", 1)
        assert picture_at(moving, 0.5 * number + 0.25) == picture_at(still, 0), number


def test_a_part_of_a_game_is_drawn(recorded, tmp_path):
    out = tmp_path / "part.svg"
    assert watch([str(recorded), "--svg", str(out), "--moves", "2-4", "--seconds", "1"]) == 0
    pictures, _ = seen(moments(recorded), "all")
    assert out.read_text(encoding="utf-8") == moving_svg(pictures[2:5], 1)


def test_the_commands_that_programs_print_at_their_end_show_a_game(tmp_path, monkeypatch):
    game = envs.make_game("dance_of_eights", 3, max_turns=2)
    told, record, show = how_to_watch(game, "dance_of_eights", ["max_turns=2"], ["random", "greedy"]).splitlines()
    assert told == "to watch a game:"
    monkeypatch.chdir(tmp_path)
    assert replay.main(shlex.split(record.removeprefix("python -m envs.replay "))) == 0
    assert watch([*shlex.split(show.removeprefix("python -m play watch ")), "--html", "game.html"]) == 0
    assert "Dance of Eights, 3 players" in (tmp_path / "game.html").read_text()
    own = how_to_watch(envs.make_game("examples.tic_tac_toe"), "examples.tic_tac_toe", [], ["my run/model.zip"])
    assert "'my run/model.zip' 'my run/model.zip'" in own and own.endswith("-2p-0.jsonl --env examples.tic_tac_toe")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["{file}", "{file}", "--html", "{out}"], "take one replay"),
        (["{file}", "{file}", "--gif", "{out}"], "take one replay"),
        (["{broken}", "--html", "{out}"], "line 2: not JSON"),
        (["{file}", "--svg", "{out}", "--moves", "3-2"], "the last of --moves"),
        (["{file}", "--svg", "{out}", "--moves", "0-9999"], "the last of --moves"),
        (["{file}", "--svg", "{out}", "--moves", "all"], "A-B"),
        (["{file}", "--html", "{out}", "--agent", "greedy"], "no opinion"),
        (["{file}", "--html", "{out}", "--agent", "nobody"], "no agent 'nobody'"),
        (["{file}", "--html", "{out}", "--agent", "ismcts:seconds=1"], "clock"),
        (["{file}", "--port", "-1"], "port"),
        (["{file}", "--agents", "nobody"], "no agent 'nobody'"),
        (["{missing}", "--html", "{out}"], "there is no such file"),
        (["{file}", "--gif", "{out}", "--width", "0"], "width"),
        (["{file}", "--gif", "{out}", "--width", "100000"], "width"),
        (["{file}", "--gif", "{out}", "--seconds", "-1"], "seconds"),
        (["{file}", "--gif", "{out}", "--seconds", "nan"], "seconds"),
    ],
)
def test_the_command_line_says_what_is_wrong_and_writes_nothing(words, why, recorded, tmp_path, capsys):
    broken, out = tmp_path / "broken.jsonl", tmp_path / "out"
    broken.write_text(recorded.read_text().splitlines()[0] + "\n{\n")
    places = {"file": recorded, "broken": broken, "missing": tmp_path / "none.jsonl", "out": out}
    with pytest.raises(SystemExit) as error:
        watch([word.format(**places) for word in words])
    assert error.value.code == 2
    assert why in capsys.readouterr().err
    assert not out.exists()
