"""A player that reads text alone, and the loop that a language model needs: rules, what it sees, and a number as its answer.

``python -m examples.text_agent --env dance_of_eights`` plays a game with a scripted reader in every seat. For a model of your own
write a function from a prompt to an answer, and give it to :func:`play`.
"""

import argparse
import inspect
import re
from collections.abc import Callable, Mapping

import envs

Ask = Callable[[str], str]
"""Anything that answers a prompt: a language model, a person, or the script below."""

ATTEMPTS = 3
_MOVE = re.compile(r"^(\d+): (.*)$", re.MULTILINE)


def reader(prompt: str) -> str:
    """Answers like a simple reader: of the moves at the end of the prompt the one that names the largest numbers."""
    moves = _MOVE.findall(prompt.rpartition("Choose a move by its number:")[2])
    promises = {number: sum(map(int, re.findall(r"\d+", sentence.partition(" ")[2]))) for number, sentence in moves}
    return f"I choose {max(promises, key=lambda number: promises[number])}."


def action_of(answer: str, moves: Mapping[int, str]) -> int | None:
    """The move that an answer means: the last number in it that is a legal action, or else the sentence that stands in it."""
    named = [int(number) for number in re.findall(r"\d+", answer) if int(number) in moves]
    said = [action for action, sentence in moves.items() if sentence in answer]
    found = said or named
    return found[-1] if found else None


def choose(ask: Ask, rules: str, seen: str, moves: Mapping[int, str]) -> int:
    """Asks until the answer is a legal move, a few times; then the first one is played."""
    prompt = f"{rules}\n\n{seen}"
    for _ in range(ATTEMPTS):
        answer = ask(prompt)
        action = action_of(answer, moves)
        if action is not None:
            return action
        prompt = f"{rules}\n\nYour answer {answer!r} names no legal move.\n\n{seen}"
    return next(iter(moves))


def play(name: str, num_players: int, seed: int, askers: Mapping[str, Ask], tell: Callable[[str], object] = print) -> list[float]:
    """Plays a game by text; returns what each seat was paid.

    Args:
        name: The game, as of ``envs.make``.
        num_players: Seats.
        seed: Of the game.
        askers: By agent who is asked.
        tell: Hears every move.
    """
    env = envs.make(name, num_players=num_players)
    env.reset(seed=seed)
    game = env.unwrapped
    rules, rewards = inspect.getdoc(game) or "", dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last(observe=False)
        rewards[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        moves = game.legal_moves()
        action = choose(askers[agent], rules, game.observe_text(agent), moves)
        tell(moves[action])
        env.step(action)
    return list(rewards.values())


def main() -> None:
    """Plays a game between scripted readers."""
    parser = argparse.ArgumentParser(description="A game played by text alone.")
    parser.add_argument("--env", default="dance_of_eights")
    parser.add_argument("--num-players", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    askers = {f"player_{seat}": reader for seat in range(arguments.num_players)}
    print("rewards:", play(arguments.env, arguments.num_players, arguments.seed, askers))


if __name__ == "__main__":
    main()
