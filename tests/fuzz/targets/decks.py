"""Card lists and component folders: cells, lines and bytes changed."""

from pathlib import Path

import numpy as np

import envs
from envs.vector import VectorAECEnv
from tests.comparison import random_choice
from tests.fuzz.case import Case
from tests.fuzz.judge import is_accepted
from tests.fuzz.mutate import change_text
from tests.fuzz.targets import Try
from tests.fuzz.targets.positions import check_valid

PACKAGES = Path(envs.__file__).parent
GAMES = {"fairy_ring": 4, "fairy_ring_objectives": 3, "mushroom_rings": 4}
DECISIONS = 40


def prepare(folder: Path) -> Try:
    """Tries the shipped files with changes."""
    cards = (PACKAGES / "fairy_ring" / "cards.csv").read_bytes()
    parts = {name: (PACKAGES / "mushroom_rings" / name).read_bytes() for name in ("tiles.csv", "board.toml")}

    def make_try(case: Case) -> bool:
        name = case.rng.choice([*GAMES, "mushroom_rings"])
        changed = {"cards.csv": cards} if name.startswith("fairy") else dict(parts)
        which = case.rng.choice(list(changed))
        for _ in range(case.rng.choice([1, 1, 2])):
            changed[which] = change_text(changed[which], case.rng) or b"\n"
        for file, content in changed.items():
            (folder / file).write_bytes(content)
        case.inputs |= changed
        option = {"components": str(folder)} if name == "mushroom_rings" else {"deck": str(folder / "cards.csv")}
        made = []
        if not is_accepted(lambda: made.append(envs.make_game(name, GAMES[name], **option))):
            return False
        _play(made[0], case)
        return True

    return make_try


def _play(game, case: Case) -> None:
    env, rng = VectorAECEnv(game, 2, seed=case.number), case.numpy
    for _ in range(DECISIONS):
        env.step(random_choice(env.last()[0]["action_mask"], rng))
        check_valid(game, env.states)
        env.worlds(rng.integers(2**64, size=2, dtype=np.uint64))
    record = game.from_dict(game.to_dict(env.states[0]))
    game.text(record)
