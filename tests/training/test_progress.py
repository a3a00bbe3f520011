"""What is said while something long goes on."""

import io
import re
import time

import pytest

from envs import engine
from training import progress
from training.progress import Ticker, step


def test_a_line_tells_what_is_done_at_once_and_how_long_it_took():
    out = io.StringIO()
    with step("baking", out) as say:
        assert out.getvalue() == "baking"
        say(", with mushrooms")
    assert re.fullmatch(r"baking, with mushrooms \(0\.\d s\)\n", out.getvalue())


def test_dots_show_that_it_goes_on(monkeypatch):
    monkeypatch.setattr(progress, "_DOT", 0.02)
    out = io.StringIO()
    with step("waiting", out):
        deadline = time.monotonic() + 10
        while " . ." not in out.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert re.fullmatch(r"waiting( \.){2,} \(\d+\.\d s\)\n", out.getvalue())


def test_an_error_ends_the_line_and_goes_on_its_way():
    out = io.StringIO()
    with pytest.raises(ValueError, match="burnt"), step("baking", out):
        raise ValueError("burnt")
    assert out.getvalue() == "baking\n"


def test_what_is_compiled_is_named_once_and_what_is_not_is_not():
    @engine.jit
    def inner(number):
        return number + 1

    @engine.kernel
    def outer(number):
        return inner(number)

    out = io.StringIO()
    with step("counting", out):
        assert outer(1) == 2
        assert outer(1.5) == 2.5
    assert re.fullmatch(r"counting, compiling tests\.training \(\d+\.\d s\)\n", out.getvalue())
    out = io.StringIO()
    with step("counting", out):
        assert outer(2) == 3
    assert "compiling" not in out.getvalue()


def test_a_game_is_named_by_its_name():
    from envs.fairy_ring import kernels

    assert progress._name_of(kernels.step_batch.py_func) == "fairy_ring"


def test_a_ticker_stops():
    calls = []
    with Ticker(0.01, lambda: calls.append(1)):
        deadline = time.monotonic() + 10
        while len(calls) < 3 and time.monotonic() < deadline:
            time.sleep(0.005)
    count = len(calls)
    time.sleep(0.05)
    assert count >= 3 and len(calls) == count
