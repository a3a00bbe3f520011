"""Records for tests of the validity check: those of games, changed ones, and playing on from them.

``python -m tests.envs.mushroom_rings.records FILE SEED PLAYERS COUNT [OPTION=VALUE]...`` checks changed records of games, whose
bytes are in a file, plays on from those that are accepted and prints how many there were; the tests run it with bounds
checked.
"""

import json
import sys
from collections.abc import Iterator

import numpy as np

from agents.registry import make_agent
from envs import engine
from envs.command_line import parse_options
from envs.game import Game
from envs.mushroom_rings.validity.rebuilding import rebuild
from envs.vector import VectorAECEnv

from .table import new_game

DECISIONS = 300
WALK = 400  # changes tried on each record before it is played on from
EVERY = 25  # decisions between two looks at all that is not needed to play


@engine.kernel
def rebuild_batch(given, rules, states, faults):
    """Makes the position of every record anew; a record is left as it is where that cannot be."""
    for i in range(len(states)):
        faults[i] = rebuild(given[i], rules[0], states[i])


def faults_of(game: Game, records: np.ndarray) -> np.ndarray:
    """What the check says of records, ``(N,) int64``."""
    faults = np.zeros(len(records), np.int64)
    game.kernels.check_batch(records, game.rules, np.zeros(1, game.state_dtype), faults)
    return faults


def fault_name(game: Game, record: np.ndarray) -> str | None:
    """The field that the check finds impossible in one record, ``(1,)``, or None."""
    fault = int(faults_of(game, record)[0])
    return game.state_dtype.names[fault - 1] if fault else None


# --- positions of games -------------------------------------------------------------------------------------------------


def positions(game: Game, num_games: int, seed: int) -> Iterator[VectorAECEnv]:
    """Whole games of greedy and random players, every other seat; yields the environment before each decision and at the end."""
    env = VectorAECEnv(game, num_games, seed=seed, autoreset=False)
    agents = [make_agent("random", game), make_agent("greedy", game)]
    rows, words = np.arange(num_games), np.random.default_rng(seed)
    yield env
    while (env.agent_selection >= 0).any():
        view, worlds = env.last()[0], env.worlds(words.integers(2**63, size=num_games, dtype=np.uint64))
        actions = np.zeros(num_games, np.int64)
        for kind, agent in enumerate(agents):
            own = np.flatnonzero((env.agent_selection >= 0) & ((rows + env.agent_selection) % 2 == kind))
            if len(own):
                actions[own] = agent.act(view["observation"][own], view["action_mask"][own], worlds[own])
        env.step(actions)
        yield env


def some_positions(game: Game, num_games: int, seed: int, every: int = 7) -> np.ndarray:
    """Records of such games, some of each, ``(N,)``."""
    return np.concatenate([env.states.copy() for step, env in enumerate(positions(game, num_games, seed)) if step % every == 0])


# --- changed records ----------------------------------------------------------------------------------------------------


def changed_field(records: np.ndarray, pool: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Copies of records, one field changed in each: a number, two numbers exchanged, or the field of another record."""
    changed = records.copy()
    names = records.dtype.names
    for i in range(len(records)):
        name = names[rng.integers(len(names))]
        numbers = changed[name][i : i + 1].reshape(-1).view(_integers(changed[name].dtype)).copy()
        place, kind = rng.integers(len(numbers)), rng.integers(5)
        if kind == 0:
            numbers[place] += rng.choice([-1, 1]).astype(numbers.dtype)
        elif kind == 1:
            numbers[place] = np.int64(rng.integers(-3, 14)).astype(numbers.dtype)
        elif kind == 2:
            numbers[place] = np.frombuffer(rng.bytes(numbers.itemsize), numbers.dtype)[0]
        elif kind == 3:
            other = rng.integers(len(numbers))
            numbers[[place, other]] = numbers[[other, place]]
        else:
            other = pool[name][rng.integers(len(pool))].reshape(-1).view(numbers.dtype)
            numbers[:] = other
        changed[name][i : i + 1] = numbers.view(changed[name].dtype).reshape(changed[name][i : i + 1].shape)
    return changed


def _integers(kind: np.dtype) -> np.dtype:
    return np.dtype(f"i{kind.itemsize}")


def changed_bytes(records: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Copies of records with 1 to ``most`` bytes changed in each."""
    changed = records.copy()
    memory = changed.view(np.uint8).reshape(len(records), -1)
    for row in memory:
        places = rng.integers(len(row), size=rng.integers(1, most + 1))
        row[places] = rng.integers(256, size=len(places))
    return changed


def strange(game: Game, pool: np.ndarray, count: int, rng: np.random.Generator, walk: int = WALK) -> np.ndarray:
    """Accepted records of running games that many changes led to: after each, what follows from the rest is made to follow.

    Changes that bring the end nearer are left out.
    """
    running = pool[pool["current_player"] >= 0]
    records = running[rng.integers(len(running), size=count)]
    rebuilt, faults = np.zeros_like(records), np.zeros(count, np.int64)
    for _ in range(walk):
        rebuild_batch(changed_field(records, pool, rng), game.rules, rebuilt, faults)
        goes_on = (rebuilt["current_player"] >= 0) & (rebuilt["ending"] <= records["ending"])
        records = np.where((faults == 0) & goes_on, rebuilt, records)
    return records


# --- playing on ---------------------------------------------------------------------------------------------------------


def play_on(game: Game, records: np.ndarray, decisions: int, seed: int, *, check: bool = True) -> int:
    """Plays at random from accepted records; every position that follows is accepted. Returns the number of decisions.

    Args:
        game: The rule set.
        records: ``(N,)``.
        decisions: How many at most.
        seed: For the same moves again.
        check: Whether the positions are checked, those given too.

    Raises:
        AssertionError: A position is not accepted.
    """
    env = VectorAECEnv(game, len(records), seed=0, autoreset=False)
    env._states[:] = records  # also such as would be refused
    env._show()
    words = np.random.default_rng(seed).integers(2**63, size=len(records), dtype=np.uint64)
    actions = np.zeros(len(records), np.int64)
    played = 0
    for decision in range(decisions + 1):
        faults = faults_of(game, env.states) if check else np.zeros(0)
        assert not faults.any(), [game.state_dtype.names[fault - 1] for fault in faults[faults > 0]]
        if decision % EVERY == 0:
            _look_at_all(game, env, words)
        if decision < decisions:
            played += int(np.count_nonzero(env.agent_selection >= 0))
            game.kernels.sample_batch(env._mask_rows, words, actions)
            env.step(actions)
    return played


def _look_at_all(game: Game, env: VectorAECEnv, words: np.ndarray) -> None:
    """Views, re-dealt worlds and scores for every seat; the worlds are accepted too."""
    results = np.zeros(len(env.states), engine.result_dtype(game.num_players))
    game.kernels.standings_batch(env.states, game.rules, results)
    for seat in range(game.num_players):
        view = env.observe(seat)["observation"]
        assert np.isfinite(view).all()
        assert not faults_of(game, env.worlds(words, np.full(len(env.states), seat))).any()


def attack(game: Game, pool: np.ndarray, count: int, seed: int) -> dict[str, int]:
    """Checks records of random bytes, of few changed bytes and of changed fields, and plays on from all that are accepted.

    Args:
        game: The rule set.
        pool: ``(M,)``, records of games, to begin from.
        count: How many records of strange positions; there are 20 times as many of each other kind.
        seed: For the same changes and moves again.

    Returns:
        How many records there were of each kind, how many of them were accepted, and how many decisions were played.
    """
    rng = np.random.default_rng(seed)
    random = np.frombuffer(rng.bytes(20 * count * pool.itemsize), pool.dtype)
    begin = pool[rng.integers(len(pool), size=20 * count)]
    tried = {"random": random, "bytes": changed_bytes(begin, 20, rng), "fields": changed_field(begin, pool, rng)}
    accepted = {kind: records[faults_of(game, records) == 0] for kind, records in tried.items()}
    accepted["strange"] = strange(game, pool, count, rng)
    counts = {"tried": 20 * count} | {kind: len(records) for kind, records in accepted.items()}
    return counts | {"decisions": play_on(game, np.concatenate(list(accepted.values())), DECISIONS, seed)}


def main(arguments: list[str]) -> None:
    """Attacks a rule set with records of games from a file; first makes sure that bounds are checked."""
    file, seed, players, count, *options = arguments
    game = new_game(int(players), **parse_options("mushroom_rings", options))
    pool = np.fromfile(file, game.state_dtype)
    impossible = pool[:1].copy()
    impossible["hand_cell"] = len(impossible["place"][0])  # just past the end, where reading does no harm
    try:
        play_on(game, impossible, 0, 0, check=False)
    except IndexError:
        print(json.dumps(attack(game, pool, int(count), int(seed))))


if __name__ == "__main__":
    main(sys.argv[1:])
