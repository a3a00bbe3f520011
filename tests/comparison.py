"""Compares a game with its slow reference over whole random games, decision by decision."""

from collections.abc import Callable
from typing import Any

import numpy as np

from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv

BATCH = 50


def compare(
    game: Game,
    games: int,
    seed: int,
    make_reference: Callable[[dict[str, Any]], Any],
    views_every: int = 25,
) -> None:
    """Plays random games side by side and compares states, legal actions, views, rewards and ranks.

    Args:
        game: The rule set.
        games: How many whole games, a multiple of ``BATCH``.
        seed: Seed of the first.
        make_reference: Makes the reference from a freshly dealt full state dict.
        views_every: The views of all seats are compared about once in so many decisions.
    """
    for start in range(seed, seed + games, BATCH):
        _compare_batch(game, np.arange(start, start + BATCH), make_reference, views_every)


def _compare_batch(game: Game, seeds: np.ndarray, make_reference: Callable, views_every: int) -> None:
    env = VectorAECEnv(game, len(seeds), reward="placement", autoreset=False)
    env.reset(seeds)
    rng = np.random.default_rng(int(seeds[0]))
    states = [game.to_dict(record) for record in env.states]
    references = [make_reference(state) for state in states]
    histories: list[list[int]] = [[] for _ in seeds]
    while (env.agent_selection >= 0).any():
        masks, live = env.last()[0]["action_mask"], env.agent_selection >= 0
        actions = random_choice(masks, rng)
        moves = {}
        for i in np.flatnonzero(live):
            where = f"{game}, seed {seeds[i]}, actions {histories[i]}"
            assert references[i].state() == states[i], where
            _compare_position(game, env.states[i], masks[i], references[i], where, rng.random() * views_every < 1)
            moves[i] = game.move(env.states[i], actions[i])
            histories[i].append(int(actions[i]))
        env.step(actions)
        for i, move in moves.items():
            states[i] = game.to_dict(env.states[i])
            references[i].step(move, states[i])
        _compare_ends(game, env, references, seeds, histories)


def random_choice(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for every row, 0 where there is none."""
    noise = rng.random(masks.shape) * masks
    return noise.argmax(axis=1)


def _compare_position(game: Game, record: Any, mask: np.ndarray, reference: Any, where: str, views: bool) -> None:
    assert not reference.is_over, where
    assert reference.current_player() == record["current_player"], where
    legal = np.flatnonzero(mask).tolist()
    ids = [reference.action_id(game.move(record, action)) for action in legal]
    assert all(number <= action for number, action in zip(ids, legal, strict=True)), where
    if len(set(ids)) == len(ids):  # else the cards of a deck with copies are told apart by nothing but their place
        assert ids == legal, where
    assert set(ids) == {reference.action_id(move) for move in reference.legal_moves()}, where
    if views:
        for seat in range(game.num_players):
            assert reference.view(seat) == game.to_dict(record, seat), f"{where}, seat {seat}"


def _compare_ends(game: Game, env: VectorAECEnv, references: list, seeds: np.ndarray, histories: list) -> None:
    _, rewards, terminations, truncations, infos = env.last()
    for k, i in enumerate(infos.get("rows", ())):
        where = f"{game}, seed {seeds[i]}, actions {histories[i]}"
        reference = references[i]
        assert reference.is_over, where
        assert reference.state() == game.to_dict(env.states[i]), where
        for seat in range(game.num_players):
            assert reference.view(seat) == game.to_dict(env.states[i], seat), f"{where}, seat {seat}"
        assert getattr(reference, "is_truncated", False) == truncations[i] == (not terminations[i]), where
        assert np.allclose(rewards[i], reference.rewards("placement")), where
        assert infos["rank"][k].tolist() == reference.ranks(), where
        if not truncations[i]:
            _compare_other_rewards(game, infos["rank"][k], infos["score"][k], reference, where)


def _compare_other_rewards(game: Game, ranks: np.ndarray, scores: np.ndarray, reference: Any, where: str) -> None:
    results = np.zeros(game.num_players, np.float32), np.zeros(game.num_players, np.int8)
    engine.write_results(engine.WIN, -ranks.astype(np.int64), scores, *results)
    assert np.allclose(results[0], reference.rewards("win")), where
    assert np.allclose(scores, reference.rewards("score")), where
