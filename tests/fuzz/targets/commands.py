"""Command lines of every program: words taken away, doubled, changed; read, but what they ask for is not done."""

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from unittest import mock

import evaluate
import fairy_rings
from envs import check as checking
from envs import replay
from play import command as playing
from tests.fuzz.case import Case
from tests.fuzz.judge import UNCLEAR, check_line, require
from tests.fuzz.mutate import INTERESTING, WORDS
from tests.fuzz.targets import Try
from training import command as training
from training import publish

MISTAKE, SOMETHING_WRONG = 2, 1


class Reached(BaseException):
    """The program has understood what it is asked for."""


def _stop(*_: object, **__: object) -> None:
    raise Reached


_GAME = ["--env", "fairy_ring", "--num-players", "3", "--option", "fireflies=all"]
_TRAIN = ["--timesteps", "1000", "--seed", "3", "--num-envs", "8", "--num-steps", "16", "--batch-size", "64", "--net", "8", "16"]
_TRAIN += ["--learning-rate", "1e-3", "--shaping", "0.5", "--against", "greedy", "--reward", "win", "--threads", "1"]
_MATCH = ["--games", "30", "--seed", "3", "--workers", "1", "--anchor", "random", "--move-time", "1", "--quiet"]
_RECORD = ["record", *_GAME, "--agents", "random", "--games", "2", "--seed", "5"]
_PLAY = [*_GAME, "--agents", "greedy", "random", "--people", "1", "--seed", "4", "--port", "0", "--pause", "0.5", "--no-browser"]

Program = tuple[Callable[[list[str]], object], list[str]]


def _programs(folder: Path) -> list[Program]:
    """Every program, with words that it understands."""
    out, replays = ["--out", str(folder / "out")], str(folder / "game.jsonl")
    return [
        (training.main, [*_GAME, *_TRAIN, *out]),
        (training.main, ["--resume", str(folder / "none"), "--timesteps", "5"]),
        (evaluate.main, ["random", "greedy", *_GAME, *_MATCH, *out]),
        (evaluate.main, ["--agents", "random", "ismcts:simulations=20", *_GAME, *_MATCH, *out]),
        (evaluate.main, ["--leaderboard", "fairy_ring", "--num-players", "2", "--games", "20", "--seed", "1", *out]),
        (evaluate.main, ["--check-leaderboard", replays, "--share", "0.5", "--salt", "x", "--workers", "1"]),
        (evaluate.main, ["--enter", replays, "--games", "20"]),
        (replay.main, [*_RECORD, *out]),
        (replay.main, ["check", replays, "--option", "deck=x.csv"]),
        (replay.main, ["show", replays, "--env", "examples.tic_tac_toe"]),
        (playing.main, _PLAY),
        (playing.main, ["watch", replays, "--html", str(folder / "page.html"), "--width", "300", "--seconds", "1"]),
        (checking.main, ["fairy_ring", "--num-players", "3", "--option", "fireflies=all", "--games", "2", "--seed", "4"]),
        (publish.main, [str(folder / "none"), *out, "--deals", "4"]),
        (fairy_rings.main, ["replay", *_RECORD, *out]),
        (fairy_rings.main, ["train", *_GAME, *_TRAIN, *out]),
    ]


def prepare(folder: Path) -> Try:
    """Tries the words of every program."""
    (folder / "game.jsonl").write_text("{}\n")
    programs = _programs(folder)

    def make_try(case: Case) -> bool:
        program, words = case.rng.choice(programs)
        words = _changed(words, case.rng)
        case.inputs["words"] = repr((program.__module__, words))
        with _nothing_done(folder):
            code, error = _run(program, words)
        if code is None:
            return True
        require(code in (MISTAKE, SOMETHING_WRONG, 0), f"exit code {code}")
        if code == 0:
            return True  # help, and a file of which nothing is wrong
        lines = error.splitlines()
        require(code == SOMETHING_WRONG or len(lines) == 1, f"not one line: {error!r}", UNCLEAR)
        for line in lines:
            check_line(line)
        return False

    return make_try


@contextlib.contextmanager
def _nothing_done(folder: Path) -> Iterator[None]:
    """Has every program stop where it would begin to work."""
    doors = ["training.command._prepare", "evaluation.purposes.run", "envs.replay.record_game", "envs.check.check_game"]
    doors += ["play.command._serve", "play.terminal.play_in_terminal", "play.watch._serve", "play.worker.Worker.__init__"]
    doors += ["evaluation.hosted.Server.__init__"]
    with contextlib.ExitStack() as stack, contextlib.chdir(folder):
        for door in doors:
            stack.enter_context(mock.patch(door, _stop))
        yield


def _run(program: Callable, words: list[str]) -> tuple[int | None, str]:
    """Exit code, None where the program would work now; and what it says of errors."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors) for errors in ("strict", "backslashreplace"))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = program(words)
        except Reached:
            return None, ""
        except SystemExit as stop:
            code = stop.code
    out.flush()
    err.flush()
    return code, err.buffer.getvalue().decode("utf-8")


def _changed(words: list[str], rng: Random) -> list[str]:
    words = list(words)
    for _ in range(rng.choice([1, 1, 2, 3])):
        place = rng.randrange(len(words))
        act = rng.randrange(8)
        if act == 0:
            del words[place]
        elif act == 1:
            words.insert(place, rng.choice(words))
        elif act == 2:
            words.insert(place, _a_word(rng))
        elif act == 3:
            words[place] = words[place][: rng.randrange(len(words[place]) + 1)]
        else:
            words[place] = _a_word(rng)
        if not words:
            break
    return [word.replace("\0", "") for word in words]  # no system hands over a word with a zero


def _a_word(rng: Random) -> str:
    numbers = [str(rng.choice([-1, 1]) * rng.choice(INTERESTING)), str(rng.random()), "1e400", "nan", "-inf", "1_0", "٣", "0x10"]
    words = [
        *WORDS,
        "=",
        "a=b",
        "deck=/dev/null",
        "deck=",
        "fireflies=",
        "objectives=true",
        "--",
        "-x",
        "--help",
        "--fresh",
        "--quiet",
    ]
    words += [
        "greedy",
        "ppo",
        "ppo:x",
        "ismcts:1e9",
        "ismcts:",
        "ismcts:depth=x,=",
        "nowhere.at:All",
        "x.zip",
        ":",
        "a:b:c",
        "\udcff",
    ]
    words += ["random", "all", "dance_of_eights", "mushroom_rings", "examples.tic_tac_toe", "os.path", "/dev/null/x", "."]
    return rng.choice([rng.choice(numbers), rng.choice(words)])
