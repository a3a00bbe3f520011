"""Recorded games: lines and fields changed, files damaged; checked, told in sentences and made frames for the browser."""

import json
from pathlib import Path

from numba.core.config import DISABLE_JIT

import envs
from agents.agent import RandomAgent
from envs.replay import Named, ReplayError, check, record_game, sentences
from envs.vector import VectorAECEnv
from play.frames import frames, moments
from tests.fuzz.case import Case
from tests.fuzz.judge import is_accepted, require
from tests.fuzz.mutate import change_bytes, change_data, to_json
from tests.fuzz.targets import Try
from tests.fuzz.targets.positions import games


def prepare(folder: Path) -> Try:
    """Records a game of each, and one of somebody's own."""
    short = [game for game in games() if not DISABLE_JIT or game.name != "mushroom_rings"]  # a game takes ten seconds as Python
    whole = [*short, envs.make_game("examples.tic_tac_toe"), envs.make_game("dance_of_eights", 2)]
    texts = [_recorded(game, seed) for seed, game in enumerate(whole)]
    path = folder / "game.jsonl"

    def make_try(case: Case) -> bool:
        number = case.rng.randrange(len(texts))
        content = _changed(texts[number], case)
        case.inputs["game.jsonl"] = content
        path.write_bytes(content)
        named = Named(["examples.tic_tac_toe"] if case.rng.random() < 0.5 else [], {})
        results = [
            is_accepted(lambda: check(path, named), ReplayError),
            is_accepted(lambda: "\n".join(sentences(path, named)).encode(), ReplayError),
        ]
        if case.rng.random() < 0.15:
            results.append(is_accepted(lambda: json.dumps(frames(path.name, moments(path, named))).encode(), ReplayError))
        if results[0]:
            require(all(results), "checked, but not told")
            _require_same(content, texts[number])
        return results[0]

    return make_try


def _recorded(game, seed: int) -> bytes:
    return (
        record_game(VectorAECEnv(game, 1, seed=0, autoreset=False), [RandomAgent(game)] * game.num_players, seed).text().encode()
    )


def _changed(text: bytes, case: Case) -> bytes:
    rng, lines = case.rng, text.splitlines(keepends=True)
    if (odds := rng.random()) < 0.2:
        return change_bytes(text, rng)
    if odds < 0.3:
        rng.choice(
            [lambda: lines.pop(rng.randrange(len(lines))), lambda: rng.shuffle(lines), lambda: lines.insert(0, lines[-1])]
        )()
    else:
        for _ in range(rng.choice([1, 1, 2])):
            place = rng.choice([0, 0, 1, len(lines) - 1, rng.randrange(len(lines))])
            lines[place] = to_json(change_data(json.loads(lines[place]), rng, 2), rng) + b"\n"
            if place == 0:
                break
    return b"".join(lines)


def _require_same(content: bytes, text: bytes) -> None:
    """What a check lets pass is the game itself; only an option that made no difference may be another."""
    found, right = ([json.loads(line.decode("utf-8-sig")) for line in some.splitlines()] for some in (content, text))
    for head in (found[0], right[0]):
        head.pop("options", None)
    require(json.dumps(found, sort_keys=True) == json.dumps(right, sort_keys=True), "checked, but not what was recorded")
