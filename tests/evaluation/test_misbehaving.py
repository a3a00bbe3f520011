"""Foreign agents: whatever they do, they lose games of their own, and the tournament goes on as if nothing had happened."""

import re
import sys

import numpy as np
import pytest

import envs
from evaluation import hosted, workers
from tests.evaluation.strangers import HERE, LOOKS_AT_PROCESSES, NO_LANDLOCK, SECRET, SLEEP, play, running
from tests.evaluation.test_workers import same

pytestmark = LOOKS_AT_PROCESSES


@pytest.fixture(scope="module")
def game():
    return envs.make_game("fairy_ring", 2)


@pytest.fixture(scope="module", autouse=True)
def server(game):
    """One server for all tests here: it costs a second to start."""
    return hosted.server_for(game)


@pytest.fixture(scope="module")
def clean(game):
    """The games of random and greedy on the first three deals."""
    planned = workers.Tournament(
        game, ["random", "greedy"], ["a", "b"], np.array([[0, 1], [1, 0]] * 3), np.repeat(SECRET.deal_seeds(3), 2), secret=SECRET
    )
    return workers.run(planned)


@pytest.fixture(scope="module")
def well(game):
    """The games of an agent that does nothing else."""
    return play(game, "Lowest")


def check_others(match, clean):
    """The games without the stranger are those of a tournament without it; all others are over."""
    for column in ("rewards", "wins", "scores", "lengths", "offender"):
        assert np.array_equal(getattr(match, column)[:6], getattr(clean, column)), column
    assert match.forfeits[:2].tolist() == [0, 0] and (match.lengths > 0).all()
    assert HERE not in sys.modules and not running(SLEEP)


@pytest.mark.parametrize(("stranger", "fault"), [
    ("Interrupts", "KeyboardInterrupt: stop"),
    ("GeneratorEnds", "GeneratorExit"),
    ("SystemEnds", "SystemExit: 0"),
    ("OwnBase", "Own: mine"),
    ("NoWords", "Mute"),
    ("NoName", "Nameless: who"),
    ("Surrogate", "ValueError: half \N{REPLACEMENT CHARACTER} a letter"),
    ("FiveMegabytes", f"ValueError: {'x' * 185}..."),
    ("LongName", f"{'y' * 197}..."),
    ("Control", "ValueError: " + "?[2J?red??31m?back and forth".replace("?", "\N{REPLACEMENT CHARACTER}")),
    ("PosesAsSlow", "an error without a proper name: 1 s"),
    ("Recursion", "RecursionError: maximum recursion depth exceeded"),
    ("ArrayEnds", "SystemExit"),
    ("WrongShape", "actions int64 of shape (1, 1), not 1 integers"),
    ("TooMany", "actions int64 of shape (100000,), not 1 integers"),
    ("Floats", "actions float64 of shape (1,), not 1 integers"),
    ("NotFinite", "actions float64 that are not finite"),
    ("Nothing", "actions object of shape (), not 1 integers"),
    ("Illegal", "an illegal action, 99"),
    ("Negative", "an illegal action, -1"),
    ("Exits", "its process ended by itself with exit code 0"),
    ("ExitsWith3", "its process ended by itself with exit code 3"),
    ("Aborts", "its process was ended by SIGABRT"),
    ("Crashes", "its process was ended by SIGSEGV"),
    ("Replaces", "its process ended by itself with exit code 0"),
    ("KillsItself", "its process was killed, or hung up"),
    ("ClosesAll", "its process ended by itself with exit code 1"),
    ("ClosesAllAndStays", "its process was killed, or hung up"),
    ("FloodsItsAnswer", "it answered nonsense"),
    ("LeavesProcessesAndExits", "its process ended by itself with exit code 1"),
    ("Hoards", "MemoryError: Unable to allocate 100. GiB for an array with shape (107374182400,) and data type int8"),
    ("HugeFile", "OSError: [Errno 27] File too large"),
    ("AsksTheUser", "EOFError: EOF when reading a line"),
])  # fmt: skip
def test_who_misbehaves_loses_its_games_and_no_others(game, clean, monkeypatch, stranger, fault):
    monkeypatch.setattr(hosted, "RESTARTS", 20)
    monkeypatch.setattr("evaluation.host_process.GOING_SECONDS", 0.1)
    match = play(game, stranger)
    check_others(match, clean)
    assert match.faults[:2] == ("", "") and match.forfeits[2] == 6 and match.slow[2] == 0
    told = match.faults[2]
    assert told.startswith(fault) and told.isprintable() and len(told) <= 200 and told.encode()


@pytest.mark.parametrize("stranger", ["Sleeps", "Stops", "SleepsUninterrupted", "LateArray"])
def test_who_takes_too_long_loses_the_games_of_the_ask(game, clean, monkeypatch, stranger):
    monkeypatch.setattr("evaluation.guarded.GRACE", 0.0)
    match = play(game, stranger, move_time=0.05)
    check_others(match, clean)
    assert match.forfeits.tolist() == match.slow.tolist() == [0, 0, 6]
    assert re.fullmatch(r"too slow: 0\.\d+ s for \d decisions at 0\.05 s each", match.faults[2])


@pytest.mark.parametrize("stranger", ["AnswersTwice", "AnswersBeforeItIsAsked"])
def test_who_answers_out_of_turn_is_found_out(game, clean, monkeypatch, stranger):
    monkeypatch.setattr(hosted, "RESTARTS", 100)
    match = play(game, stranger, deals=3)
    check_others(match, clean)
    assert match.forfeits[2] > 0 and match.faults[2].startswith(("it answered", "an illegal action"))


@pytest.mark.parametrize("stranger", ["Floods", "LeavesProcesses", "Writes", "Walks"])
def test_what_only_touches_its_own_process_costs_nothing(game, clean, well, stranger):
    match = play(game, stranger)
    check_others(match, clean)
    assert match.faults == ("", "", "") and same(match, well)


@pytest.mark.skipif(NO_LANDLOCK, reason="the kernel hides no processes")
@pytest.mark.parametrize("stranger", ["Peeks", "Kills"])
def test_the_judging_process_can_neither_be_read_nor_ended(game, clean, stranger):
    match = play(game, stranger)
    check_others(match, clean)
    assert match.faults == ("", "", "")


@pytest.mark.skipif(not NO_LANDLOCK, reason="the kernel forbids it")
def test_who_ends_its_keeper_loses_its_games(game, clean):
    match = play(game, "KillsItsKeeper")
    check_others(match, clean)
    assert match.forfeits[2] == 6
