"""Checks of what comes from outside, with anything that hypothesis thinks of."""

import json
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from envs import checks
from envs.command_line import integer_from, number_from, parse_options
from envs.dicts import difference, wrong_form
from tests.fuzz.judge import check_clear

settings.register_profile("suite", derandomize=True, max_examples=200, deadline=None, database=None)
settings.load_profile("suite")

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts) | st.tuples(parts),
    max_leaves=20,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False).map(lambda number: number + 0.0) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
    max_leaves=20,
)
ANY_ARRAY = arrays.arrays(
    dtype=arrays.scalar_dtypes() | arrays.array_dtypes(),
    shape=arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6),
    fill=st.nothing(),
)
NUMBERS = st.integers() | st.sampled_from([np.int8(3), np.uint64(2**64 - 1), np.int64(-1)])


def refused(call):
    """The error with which something is refused, after a look whether it is clear; None if it is taken."""
    try:
        call()
    except ValueError as error:
        check_clear(error)
        return error
    return None


@given(PLAIN | ANY_ARRAY | st.characters(categories=["Cs", "Cc", "Cf", "Zl"]))
def test_whatever_is_shown_is_one_printable_line(value):
    shown = checks.show(value)
    assert shown.isprintable() and 0 < len(shown) <= 200


@given(st.text(), st.integers(4, 50))
def test_one_line_keeps_what_fits(text, most):
    line = checks.one_line(text, most)
    assert line.isprintable() and len(line) <= most
    if text.isprintable() and text == " ".join(text.split()) and len(text) <= most:
        assert line == text


@given(PLAIN | ANY_ARRAY | NUMBERS, st.integers(-300, 300), st.integers(-300, 300) | st.none())
def test_an_integer_is_what_python_takes_for_an_index_within_its_range(value, low, high):
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    is_good = number is not None and number >= low and (high is None or number <= high)
    assert (refused(lambda: checks.integer("seed", value, low, high)) is None) == is_good
    if is_good:
        found = checks.integer("seed", value, low, high)
        assert type(found) is int and found == number
    assert (refused(lambda: checks.any_integer("action", value, 0, 9)) is None) == (number is not None)


@given(ANY_ARRAY | PLAIN, st.integers(0, 6))
def test_integer_arrays_come_as_compiled_code_takes_them(values, length):
    for check in (checks.integer_array, checks.word_array):
        if refused(lambda check=check: check("actions", values, length)) is None:
            array = check("actions", values, length)
            assert array.shape == (length,) and array.flags.carray and array.dtype in (np.int64, np.uint64)
            assert array.astype(object).tolist() == np.asarray(values).astype(array.dtype).astype(object).tolist()


@given(ANY_ARRAY | PLAIN, st.integers(0, 6))
def test_rows_are_different_ones_that_are_there(rows, count):
    if refused(lambda: checks.distinct_rows("rows", rows, count)) is None:
        array = checks.distinct_rows("rows", rows, count)
        assert array.dtype == np.int64 and len(set(array.tolist())) == len(array) and set(array.tolist()) <= set(range(count))


@given(JSON)
def test_plain_data_does_not_differ_from_itself_and_has_its_own_form(data):
    again = json.loads(json.dumps(data))
    assert difference(again, data) is None
    assert not isinstance(data, dict) or wrong_form(again, data) is None or any(isinstance(part, list) for part in data.values())


# What is expected is of this suite's own making: it has plain names for keys, and no negative zero.
OWN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False).map(abs) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.sampled_from(["deck", "hand", "phase"]), parts),
    max_leaves=10,
)


@given(JSON | OWN, OWN)
def test_a_difference_is_told_in_one_line_if_and_only_if_there_is_one(found, expected):
    wrong = difference(found, expected, "state")
    assert (wrong is None) == (json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True))
    assert wrong is None or (wrong.isprintable() and len(wrong) < 1500)


@given(st.text() | st.integers().map(str) | st.floats().map(str))
def test_numbers_from_the_command_line_are_in_their_range_or_refused(text):
    for kind in (integer_from(1, 99), number_from(0.5, 8)):
        try:
            number = kind(text)
        except Exception as error:  # argparse takes these for what they are
            assert type(error).__name__ in ("ValueError", "ArgumentTypeError")
        else:
            assert 0.5 <= number <= 99


@given(st.text() | st.tuples(st.sampled_from(["fireflies", "deck", "objectives"]), st.text()).map("=".join))
def test_options_from_the_command_line_are_understood_or_refused(text):
    refused(lambda: parse_options("fairy_ring", [text]))


def test_an_unclear_error_is_found_out():
    """The judge itself: a bare error of Python is none that this suite has chosen the words of."""
    from tests.fuzz.judge import Finding

    for call in (lambda: int("x"), lambda: json.loads("x")):
        with pytest.raises(Finding):
            refused(call)
