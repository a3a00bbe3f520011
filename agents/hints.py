"""What an agent thinks of each legal move: its share of the policy, visits of a search, and a value with its error."""

from typing import Any

import numpy as np

from agents.search import SearchAgent
from envs.game import Game


def hints(game: Game, agent: Any, observation: np.ndarray, mask: np.ndarray, world: np.ndarray) -> dict[int, dict[str, Any]]:
    """By legal action ``share`` (0 to 1) and, where the agent knows them, ``visits``, ``value`` (-1 to 1) and its ``error``.

    Args:
        game: The rule set.
        agent: Any agent; a search and a trained policy have more to say than their choice.
        observation: ``(1, D) float32``.
        mask: ``(1, A) int8``.
        world: ``(1,)`` record, dealt anew for the seat to act.
    """
    legal = np.flatnonzero(mask[0]).tolist()
    if isinstance(agent, SearchAgent):
        return _of_search(agent, legal, world)
    network = getattr(agent, "network", None)
    if network is not None and hasattr(network, "logits"):
        logits = np.asarray(network.logits(network.inputs(observation, mask, world))[0], np.float64)[legal]
        shares = np.exp(logits - logits.max())
        return {action: {"share": float(share)} for action, share in zip(legal, shares / shares.sum(), strict=True)}
    chosen = int(agent.act(observation, mask, world)[0])
    return {action: {"share": float(action == chosen)} for action in legal}


def _of_search(agent: SearchAgent, legal: list[int], world: np.ndarray) -> dict[int, dict[str, Any]]:
    found = agent.search(world, with_values=True)
    visits, totals = found.visits[0], found.values[0] if found.values is not None else found.visits[0]
    if not visits.any():
        return {action: {"share": 1.0 / len(legal)} for action in legal}
    told: dict[int, dict[str, Any]] = {}
    for action in legal:
        count = int(visits[action])
        told[action] = {"share": count / int(visits.sum()), "visits": count}
        if count:
            mean = float(totals[action]) / count
            # Values lie in [-1, 1], so their spread is at most this: an upper bound of the standard error.
            told[action] |= {"value": mean, "error": float(np.sqrt(max(0.0, 1.0 - mean * mean) / count))}
    return told
