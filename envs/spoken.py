"""An environment in text alone, for language models: rules, what a seat sees, and moves as sentences to choose from."""

from typing import Any

from envs.position import Position


class Spoken:
    """Adds the words to an environment; ``inspect.getdoc(env.unwrapped)`` finds the rules.

    Nothing is told to a seat that its observation does not hold.
    """

    game: Any
    record: Any

    def legal_moves(self) -> dict[int, str]:
        """What the agent to act may do: sentences by action, each sentence once; none when the game is over."""
        seat = int(self.record["current_player"])
        moves = {} if seat < 0 else Position(self.game, self.record, seat).moves()
        first = {sentence: action for action, sentence in reversed(moves.items())}
        return {action: sentence for action, sentence in moves.items() if first[sentence] == action}

    def observe_text(self, agent: str) -> str:
        """What an agent sees, as text, and where it is to act its legal moves, a line each: ``7: player 0 draws a card``.

        Args:
            agent: One of ``possible_agents``.

        Raises:
            ValueError: There is no such agent.
        """
        agents = self.possible_agents  # type: ignore[attr-defined]
        if agent not in agents:
            raise ValueError(f"there is no agent {agent!r}; choose from {', '.join(agents)}")
        seat = agents.index(agent)
        seen = f"You are player {seat}.\n{self.game.text(self.record, seat)}"
        if seat != int(self.record["current_player"]):
            return seen
        moves = "\n".join(f"{action}: {sentence}" for action, sentence in self.legal_moves().items())
        return f"{seen}\nChoose a move by its number:\n{moves}\n"
