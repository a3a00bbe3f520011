"""Writing a replay while a game is played."""

import json
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from envs import engine
from envs.game import Game
from envs.vector import VectorAECEnv

FORMAT = 1


class Recorder:
    """Collects the lines of one game.

    Args:
        game: The rule set.
        record: The freshly dealt game, ``(1,)`` record.
        seed: What the game was seeded with.
        reward: The reward kind.
    """

    def __init__(self, game: Game, record: np.ndarray, seed: int, reward: str = "placement") -> None:
        self.game = game
        # The default reward is left out, so that the options are those of the rules alone.
        options = named_by_content(game) | ({} if reward == "placement" else {"reward": reward})
        self.lines: list[dict[str, Any]] = [
            {
                "format": FORMAT,
                "game": game.name,
                "version": game.version,
                "options": options,
                "num_players": game.num_players,
                "seed": seed,
                "state": game.to_dict(record),
            }
        ]

    def before(self, record: np.ndarray, action: int) -> None:
        """Notes a decision that is about to be made."""
        self.lines.append(
            {
                "player": int(record["current_player"][0]),
                "action": int(action),
                "move": self.game.move(record, action),
                "legal": self.game.legal_actions(record),
            }
        )

    def after(self, record: np.ndarray) -> None:
        """Notes what the decision led to."""
        self.lines[-1]["state"] = self.game.to_dict(record)

    def end(self, rewards: Iterable[float], terminated: bool, truncated: bool) -> None:
        """Notes the end of the game."""
        self.lines.append({"rewards": [float(r) for r in rewards], "terminated": terminated, "truncated": truncated})

    def text(self) -> str:
        """The replay: one line per decision."""
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines)


def named_by_content(game: Game) -> dict[str, Any]:
    """The options of a game, in which a file is not named by where it lies, but by a hash of the tables made of it."""
    options = dict(game.options)
    for name in path_options(game.package):
        if options[name] is not None:
            options[name] = f"sha256:{game.rules_digest}"
    return options


def path_options(package: str) -> list[str]:
    """The rule options of a game that name a file or a folder."""
    return [name for name, option in import_module(package).OPTIONS.items() if not option.values]


def record_game(env: VectorAECEnv, agents: Sequence[Any], seed: int) -> Recorder:
    """Plays one game between agents, one per seat, and records it.

    Args:
        env: One game, ``autoreset=False``.
        agents: P agents with ``act``, see ``agents.agent``.
        seed: The game's seed; also the noise of the agents is made from it.
    """
    env.reset(np.array([seed]))
    recorder = Recorder(env.game, env.states, seed, env.reward)
    decisions = [0] * env.num_players
    while env.agent_selection[0] >= 0:
        seat = int(env.agent_selection[0])
        word = engine.word_of(seed, seat, decisions[seat])
        decisions[seat] += 1
        view = env.last()[0]
        action = agents[seat].act(view["observation"], view["action_mask"], env.worlds(np.array([word], np.uint64)))
        recorder.before(env.states, int(action[0]))
        env.step(np.asarray(action))
        recorder.after(env.states)
    _, rewards, terminations, truncations, _ = env.last()
    recorder.end(rewards[0], bool(terminations[0]), bool(truncations[0]))
    return recorder
