"""A finished game as JSON lines, and back.

``python -m envs.replay record --env fairy_ring --num-players 3 --agents random greedy random --games 100 --out DIR`` writes a
file for each game, ``python -m envs.replay check FILE...`` plays files again and compares every line, and
``python -m envs.replay show FILE`` tells a game so that one can follow it.
"""

from envs.replay.checking import check
from envs.replay.command import add_named, main, named_by
from envs.replay.reading import NOTHING, Named, ReplayError, open_game, read_lines, transitions
from envs.replay.recording import FORMAT, Recorder, record_game
from envs.replay.telling import sentences

__all__ = [
    "FORMAT",
    "NOTHING",
    "Named",
    "Recorder",
    "ReplayError",
    "add_named",
    "check",
    "main",
    "named_by",
    "open_game",
    "read_lines",
    "record_game",
    "sentences",
    "transitions",
]
