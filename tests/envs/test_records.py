"""What every game does with records from outside, whatever its rules."""

import numpy as np
import pytest

from tests.tampering import records_of


@pytest.fixture
def records(game_for_two):
    """The game, and records of it."""
    return game_for_two, records_of(game_for_two, 0, games=3)[0][:40]


def test_records_pass_wherever_they_lie_in_memory(records):
    game, real = records
    game.check_records(real)
    game.check_records(real[:0])
    game.check_records(np.frombuffer(real.tobytes(), game.state_dtype))  # read only
    shifted = np.frombuffer(b"x" + real.tobytes(), np.uint8)[1:].view(game.state_dtype)
    assert not shifted.flags.aligned
    game.check_records(shifted)


def test_the_first_wrong_row_is_named_and_nothing_is_changed(records):
    game, real = records
    wrong = real.copy()
    gaps = [name for name in game.state_dtype.names if name.startswith("_gap_")]
    for name in gaps:
        wrong[name][[3, 5]] = 1
    before = wrong.tobytes()
    if gaps:
        with pytest.raises(ValueError, match=f"^row 3: field {gaps[0]} is not possible: it must be zeros$"):
            game.check_records(wrong)
    assert wrong.tobytes() == before


def test_any_random_word_is_possible(records):
    game, real = records
    for word in (0, 2**64 - 1):
        changed = real.copy()
        changed["rng"] = word
        game.check_records(changed)


def test_another_type_or_shape_is_refused(records):
    game, real = records
    for wrong, message in (
        (real.tolist(), "records are 'list'"),
        (real.view(np.uint8), "records are uint8"),
        (real[["decisions", "rng"]], "records are of other fields"),
        (real["rng"], "records are uint64"),
        (real[None], rf"records have shape \(1, {len(real)}\)"),
        (real[::2], "strides"),
        (real[:1].reshape(()), r"records have shape \(\)"),
    ):
        with pytest.raises(ValueError, match=message):
            game.check_records(wrong)
