"""Games of boards that one can watch: ``python -m evaluation.leaderboard.recorded leaderboard/dance_of_eights_2p.json``.

Of every two agents one game, their first one without a forfeit, is played again and kept as a replay beside the board; the page
links to it, and ``python -m play watch FILE`` shows it. What does not come out as the board says is not kept.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from envs.command_line import Parser
from envs.files import write_aside
from envs.game import Game
from envs.replay.recording import Recorder
from evaluation import sandbox
from evaluation.batch import GameBatch
from evaluation.foreign import let_import
from evaluation.guarded import Player
from evaluation.leaderboard import file as board
from evaluation.leaderboard import make, who
from evaluation.leaderboard.entries import ENTRIES, make_entrants
from evaluation.leaderboard.found import FoundBoard
from evaluation.tournament import Chunk


class RecordedGame(GameBatch):
    """One game of a board, recorded while it is played.

    Args:
        game: The rule set.
        players: K agents, all made for it.
        games: The game, a schedule of one.
    """

    def __init__(self, game: Game, players: Sequence[Player], games: board.Schedule) -> None:
        super().__init__(game, players, games.lineup, games.deals, games.secrets[0])
        self._recorder = Recorder(game, self.env.states, int(games.deals[0]))

    def _ask_all(self, seats: np.ndarray, worlds: np.ndarray) -> None:
        super()._ask_all(seats, worlds)
        self._recorder.before(self.env.states, int(self._actions[0]))

    def _book(self, seats: np.ndarray) -> int:
        ended = super()._book(seats)
        if seats[0] >= 0:
            self._recorder.after(self.env.states)
        return ended

    def text(self) -> str:
        """The replay of the game, which has been played."""
        _, rewards, terminations, truncations, _ = self.env.last()
        self._recorder.end(rewards[0], bool(terminations[0]), bool(truncations[0]))
        return self._recorder.text()


def record(path: Path) -> list[Path]:
    """Records a game of every two agents of a board that have one without a forfeit; returns the files.

    Raises:
        OSError: A file cannot be read or written.
        ValueError: It is no leaderboard, an agent cannot be made or is another one, or a game comes out otherwise.
    """
    found = FoundBoard.read(path)
    sandbox.hide(path)
    let_import(path.parent / ENTRIES)
    let_import(path.parent)
    for problem in [] if found.is_old else who.problems_of(found):
        raise ValueError(f"{path}: {problem}")
    _, players, refused = make_entrants(found.entrants, path.parent, found.game)
    if refused:
        raise ValueError(f"{path}: {refused[0]}")
    try:
        return [_keep(_replay(found, players, number), make.replay_path(path, pair)) for pair, number in _games(found)]
    finally:
        for player in players:
            player.close()


def _keep(text: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_aside(path, text.encode())
    return path


def _games(found: FoundBoard) -> list[tuple[Sequence[int], int]]:
    """Pairs, and the number of the game that is to be recorded."""
    size = found.facts["deals"] * found.facts["num_players"]
    numbers = [range(k * size, (k + 1) * size) for k in range(len(found.facts["pairs"]))]
    first = [next((number for number in part if found.facts["results"][number][6] < 0), None) for part in numbers]
    return [(pair, number) for pair, number in zip(found.facts["pairs"], first, strict=True) if number is not None]


def _replay(found: FoundBoard, players: Sequence[Player], number: int) -> str:
    """A game of a board, played again."""
    games = found.schedule.take(np.array([number]))
    played = RecordedGame(found.game, players, games)
    played.play()
    chunk = Chunk(played.outcomes, played.faults, np.zeros(len(players)), np.zeros(len(players), np.int64))
    row = board.rows_of(games.lineup, chunk, board.deal_numbers(found.facts)[[number]])[0]
    if row != found.facts["results"][number]:
        raise ValueError(f"{found.path}: game {number} comes out otherwise than it says; --check-leaderboard tells more")
    return played.text()


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line."""
    parser = Parser(prog="python -m evaluation.leaderboard.recorded", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("boards", nargs="+", type=Path, metavar="FILE", help="leaderboards")
    given = parser.parse_args(arguments)
    try:
        for path in given.boards:
            print(f"wrote {len(record(path))} games in {make.games_folder(path)}", flush=True)
        for folder in {path.parent for path in given.boards}:
            print(f"wrote {make.write_index(folder)}")
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
