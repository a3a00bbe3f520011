"""A small leaderboard for tests, and what one does with it."""

import json

import evaluate
from evaluation.leaderboard import file as board
from evaluation.leaderboard import make
from evaluation.leaderboard.entries import Entrant
from evaluation.leaderboard.secret_files import Meetings

MAKE = ["--leaderboard", "dance_of_eights", "--num-players", "2", "--games", "12", "--quiet"]
NAME = "dance_of_eights_2p"
BASELINES = ("random", "greedy", "ppo", "unheard_of:100")

OTHERS = """
from agents.agent import RandomAgent

class Lowest(RandomAgent):
    def act(self, observations, action_masks, worlds):
        return action_masks.argmax(axis=1)

class Stumbling(Lowest):
    def act(self, observations, action_masks, worlds):
        if (worlds["rng"] % 4 == 0).any():
            raise ValueError("a bad word")
        return super().act(observations, action_masks, worlds)
"""


def surround(patch, folder):
    """Makes a folder the working folder, with few agents of this package that can be made."""
    patch.chdir(folder)
    patch.setattr("evaluation.leaderboard.entries.BASELINES", BASELINES)
    patch.setattr("evaluation.foreign.folders", [])
    patch.setattr("agents.checkpoint.SHIPPED", folder / "nothing")


def write_entries(folder):
    """Two entries that have no results yet."""
    folder.mkdir(parents=True)
    (folder / "entering.py").write_text(OTHERS)
    for name, agent in (("low", "Lowest"), ("stumble", "Stumbling")):
        entry = {"name": name, "agent": f"entering:{agent}", "authors": ["A. Fairy", "B. Elf"], "about": "as <simple> as can be"}
        facts = {"format": 1, "rule_set": "dance_of_eights", "num_players": 2, "entry": entry}
        (folder / f"{name}.json").write_text(json.dumps(facts))


def check(path, *more):
    """The exit code of a check."""
    return evaluate.main(["--check-leaderboard", str(path), *more])


def edit(path, change):
    """Changes what a board says, and nothing that follows from it."""
    found = json.loads(path.read_text())
    change(found)
    path.write_text(board.to_text(found))
    return found


def forge(path, change):
    """Changes what a board says so that all that follows from it fits: figures, commitments and the file that shows them."""
    found = json.loads(path.read_text())
    change(found)
    meetings = Meetings(found, [Entrant.read(facts) for facts in found["entrants"]], found["pairs"])
    found["commitments"] = meetings.commitments([board.Secret.from_hex(text) for text in found["secrets"]])
    header = {key: found[key] for key in (*board.HEADER, "entry") if key in found}
    path.write_text(board.to_text(board.build(header, found["results"])))
    make.secret_files._write(path, meetings, [board.Secret.from_hex(text) for text in found["secrets"]])
    make.secret_files.discard(path)
    return found
