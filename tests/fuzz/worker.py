"""The tries of one target, in a process of their own: ``python -m tests.fuzz.worker`` is started by ``tests.fuzz``.

It writes a line of JSON for every finding and now and then one of counts; the number of the try that is going on stands in a
file, so that whoever started it knows which one has ended the process.
"""

import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.fuzz.case import Case
from tests.fuzz.judge import CRASH, Finding, NoEnd, limit_memory, limits
from tests.fuzz.targets import TARGETS

SECONDS_FOR_A_TRY = 30  # of computing: the machine may have others to serve
MEMORY = 3 << 30  # bytes that a try may take


def main(arguments: list[str]) -> None:
    """Makes tries until time or number is over."""
    name, place = arguments[0], Path(arguments[5])
    seed, first, number, seconds = int(arguments[1]), int(arguments[2]), int(arguments[3]), float(arguments[4])
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, open(place / "lines", "a", encoding="utf-8") as lines:
        make_try = TARGETS[name].prepare(Path(folder))
        limit_memory(MEMORY)
        _run(make_try, name, seed, range(first, first + number), time.monotonic() + seconds, place, lines)


def _run(make_try, name, seed, numbers, end, place, lines) -> None:
    counts, said = Counter(), time.monotonic()
    for number in numbers:
        case = Case(name, seed, number)
        (place / "now").write_text(str(number))
        outcome = outcome_of(make_try, case, place)
        if isinstance(outcome, dict):
            _say(lines, **outcome)
        counts[outcome if isinstance(outcome, str) else outcome["finding"]] += 1
        now = time.monotonic()
        if now - said > 0.5:
            _say(lines, counts=counts)
            counts, said = Counter(), now
        if now > end:
            break
    _say(lines, counts=counts)
    (place / "now").write_text("done")


def outcome_of(make_try, case, place):
    """ "accepted" or "refused", or what is to be said of a finding."""
    try:
        with limits(SECONDS_FOR_A_TRY):
            return "accepted" if make_try(case) else "refused"
    except Finding as finding:
        kind, text = finding.kind, finding.text
    except NoEnd as error:
        kind, text = CRASH, f"no end after {SECONDS_FOR_A_TRY} s of computing, or ten times as many\n{_traceback(error)}"
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        kind, text = CRASH, _traceback(error)
    return {"finding": kind, "case": case.number, "text": text, "kept": str(case.keep(place.parent / "findings", text))}


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _say(lines, **what) -> None:
    lines.write(json.dumps(what, ensure_ascii=True) + "\n")
    lines.flush()


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    main(sys.argv[1:])
