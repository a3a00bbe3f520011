"""A short search at every door: nothing is found. ``python -m tests.fuzz --minutes 10`` searches longer."""

import json

from tests.envs.test_engine import run
from tests.fuzz.judge import KINDS
from tests.fuzz.short import TRIES
from tests.fuzz.targets import TARGETS


def test_nothing_is_found_in_a_short_search_at_every_door():
    searches = [json.loads(line) for line in run("-m", "tests.fuzz.short").splitlines()]
    assert [search["target"] for search in searches] == list(TARGETS)
    for search in searches:
        assert not any(kind in search for kind in KINDS), search["found"]
        assert search.get("refused", 0) + search.get("accepted", 0) == TRIES[search["target"]]
    assert sum(search.get("accepted", 0) for search in searches) > 15  # what is taken is played on from
