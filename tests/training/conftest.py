"""A run that several files of tests look at."""

import pytest

from tests.training.runs import tiny


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A tiny run of eight iterations that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    assert tiny(folder, 8) == 0
    return folder
