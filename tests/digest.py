"""Prints a hash of every byte of some seeded games of every rule set; run under other compiler settings by the tests.

python -m tests.digest GAMES [NAME PLAYERS]...
"""

import hashlib
import sys

import numpy as np

import envs
from envs.check import trajectory
from envs.vector import VectorAECEnv


def digest(name: str, num_players: int, games: int) -> str:
    """A hash of single games, of a batch and of re-dealt games."""
    game = envs.make_game(name, num_players)
    env = envs.raw_env(game)
    parts = [trajectory(env, seed) for seed in range(games)]
    batch = VectorAECEnv(game, 2, seed=1)
    words = np.arange(2, dtype=np.uint64)
    actions = np.zeros(2, np.int64)
    for _ in range(30):
        game.kernels.sample_batch(batch._mask_rows, words, actions)
        batch.step(actions)
        parts += [batch.last()[0]["observation"].tobytes(), batch.worlds(words).tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def main(arguments: list[str]) -> None:
    """Prints one line for each rule set and number of players."""
    games = int(arguments[0])
    for name, players in zip(arguments[1::2], arguments[2::2], strict=True):
        print(name, players, digest(name, int(players), games))


if __name__ == "__main__":
    main(sys.argv[1:])
