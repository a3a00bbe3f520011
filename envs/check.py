"""The conformance test that ships: everything that must hold for every game of the suite, and for anybody's own.

``check_game(game)`` plays seeded random games and raises :class:`ConformanceError` at the first thing that does not hold;
``python -m envs.check fairy_ring --num-players 3`` does it from the command line. The shared tests run it over every rule set
and number of players.
"""

import copy
import json
import pickle
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from envs import engine, make_game
from envs.aec import TurnBasedEnv
from envs.command_line import Parser, describe_games, integer_from, parse_options
from envs.describing import Describer
from envs.game import MOST_FEATURE, Game
from envs.vector import VectorAECEnv

PICTURES = 6  # positions of a game of full length whose pictures are compared


class ConformanceError(AssertionError):
    """A game breaks a promise of the suite; the message says which and where."""


def check_game(game: Game, games: int = 4, seed: int = 0, pictures: bool = True) -> None:
    """Checks a game against everything the suite promises of it.

    Args:
        game: The rule set under one choice of options.
        games: Whole games that the slower checks play.
        seed: Seed of the first.
        pictures: Whether the seat's text and SVG are compared under re-dealing too (slow).

    Raises:
        ConformanceError: Something does not hold.
    """
    check_facts(game)
    for offset in range(games):
        check_masks(game, seed + offset)
        check_views(game, seed + offset, pictures)
    check_determinism(game, seed)
    check_batch_equals_single(game, seed)
    check_restart(game, seed)
    check_results(game, seed)
    check_copies(game, seed)


def _require(holds: Any, message: str) -> None:
    if not holds:
        raise ConformanceError(message)


# --- facts --------------------------------------------------------------------------------------------------------------


def check_facts(game: Game) -> None:
    """Names, sizes and options are as the door to other libraries needs them."""
    _require(game.num_players >= 2, f"{game}: fewer than two players")
    names = [section.name for section in game.sections]
    _require(len(set(names)) == len(names), f"{game}: two sections of the observation have one name")
    _require(all(section.meaning for section in game.sections), f"{game}: a section of the observation has no meaning")
    names = [section.name for section in game.action_sections]
    _require(len(set(names)) == len(names), f"{game}: two sections of the action features have one name")
    _require(json.loads(json.dumps(dict(game.options))) == dict(game.options), f"{game}: options are not plain JSON data")
    _require(game.state_dtype.isalignedstruct, f"{game}: the record is not aligned")
    remade = pickle.loads(pickle.dumps(game))
    _require(remade.rules.tobytes() == game.rules.tobytes(), f"{game}: pickled and back, its component tables differ")


# --- one game, decision by decision -------------------------------------------------------------------------------------


def play(game: Game, seed: int, **options: Any) -> Iterator[tuple[TurnBasedEnv, np.random.Generator]]:
    """Plays a seeded random game and stops before every decision.

    Yields:
        The environment, with the player to act selected, and a generator for the caller's own choices.
    """
    env = TurnBasedEnv(game, **options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while env.record["current_player"] >= 0:
        yield env, rng
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))


def check_masks(game: Game, seed: int) -> None:
    """Every legal action steps; every illegal one raises, names itself and changes nothing."""
    decisions = 0
    for env, rng in play(game, seed):
        where = f"{game}, seed {seed}, decision {decisions}"
        view = env.observe(env.agent_selection)
        _check_observation(game, view, where)
        mask = view["action_mask"]
        _require(mask.any(), f"{where}: no action is legal")
        _check_legal_actions(game, env, np.flatnonzero(mask), where)
        illegal = np.flatnonzero(mask == 0)
        wrong = [-1, game.num_actions, *rng.permutation(illegal)[:10].tolist()]
        _check_illegal_actions(env, wrong, where)
        for agent in env.possible_agents:
            other = env.observe(agent)
            _check_observation(game, other, where)
            _require(agent == env.agent_selection or not other["action_mask"].any(), f"{where}: {agent} has a mask, but waits")
        decisions += 1
    _require(decisions <= game.max_decisions, f"{game}, seed {seed}: {decisions} decisions, more than max_decisions")


def _check_observation(game: Game, view: dict[str, np.ndarray], where: str) -> None:
    observation, mask = view["observation"], view["action_mask"]
    _require(list(view) == ["observation", "action_mask"], f"{where}: an observation has the keys {list(view)}")
    _require(observation.dtype == np.float32, f"{where}: observation of type {observation.dtype}")
    _require(observation.shape == (game.observation_size,), f"{where}: observation of shape {observation.shape}")
    _require(mask.dtype == np.int8 and set(np.unique(mask)) <= {0, 1}, f"{where}: the mask is not 0 and 1 of type int8")
    inside = (observation >= game.observation_low) & (observation <= game.observation_high)
    outside = [name for name, part in game.slices.items() if not inside[part].all()]
    _require(not outside, f"{where}: numbers out of bounds in {', '.join(outside)}")


def _check_legal_actions(game: Game, env: TurnBasedEnv, legal: np.ndarray, where: str) -> None:
    record = env._io["state"]
    _require(game.legal_actions(record) == legal.tolist(), f"{where}: mask and legal_actions differ")
    for action in legal.tolist():
        move = game.move(record, action)
        again = game.move(record, game.action(record, move))
        _require(again == move, f"{where}: action {action} is {move}, and back {again}")
        _require(json.loads(json.dumps(move)) == move, f"{where}: move {move} is not plain JSON data")
        _require(game.sentence(record, action), f"{where}: action {action} has no sentence")
        following = copy.deepcopy(env)
        following.step(action)
        _require(following.record["decisions"] == env.record["decisions"] + 1, f"{where}: action {action} did not count")


def _check_illegal_actions(env: TurnBasedEnv, actions: Sequence[int], where: str) -> None:
    before = env._io.tobytes()
    for action in actions:
        try:
            env.step(action)
        except ValueError as error:
            _require(str(action) in str(error), f"{where}: the error for illegal action {action} does not name it: {error}")
        else:
            raise ConformanceError(f"{where}: illegal action {action} was played")
        _require(env._io.tobytes() == before, f"{where}: illegal action {action} changed the game")


# --- what a seat sees ---------------------------------------------------------------------------------------------------


def check_views(game: Game, seed: int, pictures: bool = True) -> None:
    """Re-dealing what a seat cannot know changes nothing it sees; dicts and records are the same thing."""
    for env, rng in play(game, seed):
        record = env._io["state"]
        where = f"{game}, seed {seed}, decision {record['decisions'][0]}"
        _check_dict(game, record, where)
        for seat in range(game.num_players):
            world = redealt(game, record, seat, int(rng.integers(1 << 62)))
            _require(world["rng"][0] != record["rng"][0], f"{where}: a re-dealt game keeps its random word")
            drawn = pictures and rng.random() * game.max_decisions < PICTURES
            _check_same_view(game, record, world, seat, f"{where}, seat {seat}", drawn)
            _check_dict(game, world, f"{where}, re-dealt for seat {seat}")


def redealt(game: Game, record: np.ndarray, seat: int, word: int) -> np.ndarray:
    """A copy of one game in which all that a seat cannot know has been dealt anew from a random word."""
    world = np.zeros_like(record)
    words = np.array([word], np.uint64)
    game.kernels.redeal_batch(record.copy(), game.rules, np.array([seat], np.int64), words, world)
    return world


def seen(game: Game, record: np.ndarray, seat: int) -> np.ndarray:
    """The observation of a seat, ``(D,) float32``."""
    out = np.full((1, game.observation_size), np.nan, np.float32)
    game.kernels.observe_batch(record.copy(), game.rules, np.array([seat], np.int64), engine.rows(out))
    return out[0]


def _check_same_view(game: Game, record: np.ndarray, world: np.ndarray, seat: int, where: str, pictures: bool) -> None:
    for name, part in game.slices.items():
        one, other = seen(game, record, seat)[part], seen(game, world, seat)[part]
        _require(one.tobytes() == other.tobytes(), f"{where}: section {name} of the observation shows hidden things")
    _require(record["current_player"] == world["current_player"], f"{where}: re-dealing changes who acts")
    if record["current_player"][0] == seat:
        _require(game.legal_actions(record) == game.legal_actions(world), f"{where}: the mask shows hidden things")
        if game.num_features:
            _check_features(game, record, world, where)
    views: list[tuple[str, Callable]] = [("the dict", lambda r: json.dumps(game.to_dict(r, seat)))]
    if pictures:
        views += [("the text", lambda r: game.text(r, seat)), ("the SVG", lambda r: game.svg(r, seat))]
    for name, view in views:
        _require(view(record) == view(world), f"{where}: {name} shows hidden things")


def _check_features(game: Game, record: np.ndarray, world: np.ndarray, where: str) -> None:
    """What is told of actions: of the legal ones alone, in bounds, and the same in two games that the seat cannot tell apart."""
    mask = np.zeros((1, game.num_actions), np.int8)
    mask[0, game.legal_actions(record)] = 1
    before = np.atleast_1d(record).copy()
    told, again = (Describer(game)(np.atleast_1d(one).copy(), mask)[0] for one in (before, world))
    _require((told[:, 0] == mask[0]).all(), f"{where}: the action features do not say which actions are legal")
    _require(not told[mask[0] == 0].any(), f"{where}: an illegal action is described")
    for name, part in game.action_slices.items():
        inside = bool((np.abs(told[:, part]) <= MOST_FEATURE).all())
        _require(inside, f"{where}: numbers out of bounds in section {name} of the action features")
        same = told[:, part].tobytes() == again[:, part].tobytes()
        _require(same, f"{where}: section {name} of the action features shows hidden things")


def _check_dict(game: Game, record: np.ndarray, where: str) -> None:
    try:
        game.check_records(np.atleast_1d(record))
    except ValueError as error:
        raise ConformanceError(f"{where}: a record of a game is refused: {error}") from error
    state = game.to_dict(record)
    _require(json.loads(json.dumps(state)) == state, f"{where}: the dict is not plain JSON data")
    rebuilt = game.from_dict(json.loads(json.dumps(state)))
    _require(game.to_dict(rebuilt) == state, f"{where}: dict to record and back gives another dict")
    for seat in range(game.num_players):
        same = seen(game, rebuilt, seat).tobytes() == seen(game, record, seat).tobytes()
        _require(same, f"{where}: rebuilt from its dict, the game looks different to seat {seat}")


# --- whole games --------------------------------------------------------------------------------------------------------


def trajectory(env: TurnBasedEnv, seed: int) -> bytes:
    """Every byte of a seeded random game: records, observations, masks, rewards and ends."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    parts = []
    while env.record["current_player"] >= 0:
        view = env.observe(env.agent_selection)
        parts += [env._io["state"].tobytes(), view["observation"].tobytes(), view["action_mask"].tobytes()]
        env.step(int(rng.choice(np.flatnonzero(view["action_mask"]))))
    parts.append(repr((env.rewards, env.terminations, env.truncations, env.infos)).encode())
    return b"".join(parts)


def check_determinism(game: Game, seed: int) -> None:
    """Seed and actions decide a whole game to the byte, whatever was played before."""
    first, second = TurnBasedEnv(game), TurnBasedEnv(game)
    trajectory(second, seed + 1)
    _require(trajectory(first, seed) == trajectory(second, seed), f"{game}: two games of seed {seed} differ")
    _require(trajectory(first, seed) != trajectory(first, seed + 1), f"{game}: seeds {seed} and {seed + 1} are one game")


def _random_actions(masks: np.ndarray, rngs: Sequence[np.random.Generator]) -> np.ndarray:
    return np.array([int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask, rng in zip(masks, rngs, strict=True)])


def check_batch_equals_single(game: Game, seed: int) -> None:
    """Row i of a batch, of any size, is the single game with that row's seed."""
    for num_envs in (1, 2, 5):
        vector = VectorAECEnv(game, num_envs, seed=0, autoreset=False)
        vector.reset(np.arange(seed, seed + num_envs))
        singles = [TurnBasedEnv(game) for _ in range(num_envs)]
        for i, single in enumerate(singles):
            single.reset(seed=seed + i)
        rngs = [np.random.default_rng(i) for i in range(num_envs)]
        while (vector.agent_selection >= 0).any():
            actions = _random_actions(vector.last()[0]["action_mask"], rngs)
            live = vector.agent_selection >= 0
            vector.step(actions)
            _step_singles(singles, actions, live)
            _check_rows(game, vector, singles)


def _step_singles(singles: Sequence[TurnBasedEnv], actions: np.ndarray, live: np.ndarray) -> None:
    for i, single in enumerate(singles):
        if live[i]:
            single.step(actions[i])


def _check_rows(game: Game, vector: VectorAECEnv, singles: Sequence[TurnBasedEnv]) -> None:
    view, rewards, terminations, truncations, _ = vector.last()
    for i, single in enumerate(singles):
        where = f"{game}, row {i} of {len(singles)}"
        _require(vector.states[i].tobytes() == single.record.tobytes(), f"{where}: batch and single game differ")
        if vector.agent_selection[i] < 0:
            ended = terminations[i] or truncations[i]
            paid = [float(reward) for reward in rewards[i]] if ended else list(single.rewards.values())
            _require(paid == list(single.rewards.values()), f"{where}: rewards {paid}, single game {single.rewards}")
            continue
        alone = single.observe(single.agent_selection)
        _require(view["observation"][i].tobytes() == alone["observation"].tobytes(), f"{where}: observations differ")
        _require(view["action_mask"][i].tobytes() == alone["action_mask"].tobytes(), f"{where}: masks differ")


def check_restart(game: Game, seed: int) -> None:
    """A finished game restarts in the same step; every episode of a row depends on (seed, row, episode) and actions alone."""
    small, large = VectorAECEnv(game, 2, seed=seed), VectorAECEnv(game, 4, seed=seed)
    rngs, others = [np.random.default_rng(i) for i in range(2)], [np.random.default_rng(i) for i in range(4)]
    ends = 0
    for _ in range(3 * game.max_decisions):
        small.step(_random_actions(small.last()[0]["action_mask"], rngs))
        large.step(_random_actions(large.last()[0]["action_mask"], others))
        _require(small.states.tobytes() == large.states[:2].tobytes(), f"{game}: a row depends on the number of games")
        view, rewards, terminations, truncations, infos = small.last()
        ended = terminations | truncations
        _require(infos.get("rows", np.zeros(0)).tolist() == np.flatnonzero(ended).tolist(), f"{game}: infos name other rows")
        _require(not rewards[~ended].any(), f"{game}: a game that goes on pays {rewards[~ended]}")
        _require((small.agent_selection >= 0).all() and view["action_mask"].any(1).all(), f"{game}: a row did not restart")
        _require((small.states["decisions"][ended] == 0).all(), f"{game}: a restarted game has decisions")
        ends += int(ended.sum())
        if ends >= 4:
            return
    raise ConformanceError(f"{game}: {ends} ends in {3 * game.max_decisions} steps of two games")


def check_results(game: Game, seed: int) -> None:
    """Rewards of every kind agree with ranks and scores: placement sums to 0, win to 1; a cut game pays nobody."""
    ends = {kind: _play_to_end(game, seed, kind) for kind in engine.REWARD_KINDS}
    for i in range(len(ends["win"][0])):
        placement, win, score = (ends[kind][0][i] for kind in ("placement", "win", "score"))
        ranks, scores = ends["win"][1][i], ends["win"][2][i]
        where = f"{game}, seed {seed + i}"
        _require(abs(placement.sum()) < 1e-5, f"{where}: placement rewards {placement} do not sum to 0")
        if ends["win"][3][i]:
            _require(not (placement.any() or win.any() or score.any()), f"{where}: a truncated game pays")
            continue
        _require(abs(win.sum() - 1) < 1e-5, f"{where}: win rewards {win} do not sum to 1")
        _require((score == scores).all(), f"{where}: score rewards {score}, scores {scores}")
        _require((win > 0).tolist() == (ranks == 1).tolist(), f"{where}: winners {win}, ranks {ranks}")
        expected = [float((ranks > r).sum() - (ranks < r).sum()) / (game.num_players - 1) for r in ranks]
        _require(np.allclose(placement, expected), f"{where}: placement {placement}, ranks {ranks}")


def _play_to_end(game: Game, seed: int, reward: str) -> tuple[np.ndarray, ...]:
    env = VectorAECEnv(game, 8, seed=0, reward=reward, autoreset=False)
    env.reset(np.arange(seed, seed + 8))
    rngs = [np.random.default_rng(i) for i in range(8)]
    rewards = np.zeros((8, game.num_players), np.float32)
    cut = np.zeros(8, bool)
    while True:
        _, paid, _, truncations, _ = env.last()
        rewards += paid
        cut |= truncations
        if (env.agent_selection < 0).all():
            return rewards, env._results["ranks"].copy(), env._results["scores"].copy(), cut
        env.step(_random_actions(env.last()[0]["action_mask"], rngs))


# --- copies -------------------------------------------------------------------------------------------------------------


def check_copies(game: Game, seed: int) -> None:
    """deepcopy, pickle and saved states give back the running game, and it plays on the same."""
    for i, (env, _) in enumerate(play(game, seed)):
        if i == 5:
            for made, how in ((copy.deepcopy(env), "deepcopy"), (pickle.loads(pickle.dumps(env)), "pickle")):
                _require(made._io.tobytes() == env._io.tobytes(), f"{game}: {how} gives another game")
                _require(made.agent_selection == env.agent_selection, f"{game}: {how} loses whose turn it is")
            break
    vector = VectorAECEnv(game, 3, seed=seed)
    rngs = [np.random.default_rng(i) for i in range(3)]
    for _ in range(10):
        vector.step(_random_actions(vector.last()[0]["action_mask"], rngs))
    restored = VectorAECEnv(game, 3, seed=seed + 1)
    restored.set_state(vector.get_state())
    pickled = pickle.loads(pickle.dumps(vector))
    for made, how in ((restored, "set_state"), (copy.deepcopy(vector), "deepcopy"), (pickled, "pickle")):
        again, ahead = copy.deepcopy(rngs), copy.deepcopy(vector)
        others = copy.deepcopy(rngs)
        for _ in range(game.max_decisions):
            ahead.step(_random_actions(ahead.last()[0]["action_mask"], again))
            made.step(_random_actions(made.last()[0]["action_mask"], others))
            _require(made.states.tobytes() == ahead.states.tobytes(), f"{game}: after {how} a batch plays on differently")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    parser = Parser(
        prog="python -m envs.check",
        description="Check a game against everything the suite promises.",
        epilog=describe_games(),
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("env", help="name of the rule set")
    parser.add_argument("--num-players", type=integer_from(1), default=2)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=integer_from(1), default=4)
    parser.add_argument("--seed", type=integer_from(0, 2**32 - 1), default=0)
    arguments = parser.parse_args(argv)
    try:
        game = make_game(arguments.env, arguments.num_players, **parse_options(arguments.env, arguments.option))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    try:
        check_game(game, arguments.games, arguments.seed)
    except ConformanceError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{game}: all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
