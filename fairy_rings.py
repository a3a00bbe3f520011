"""The command ``fairy-rings``: every program of the suite by one name, wherever it is installed.

``fairy-rings train --env fairy_ring`` does what ``python train.py --env fairy_ring`` does in a checkout, and so on.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "train": ("training.command", "train a policy by self-play"),
    "evaluate": ("evaluation.command", "play agents against each other and rate them; leaderboards"),
    "play": ("play.command", "play in the browser or the terminal, against agents or people"),
    "watch": ("play.watch", "follow recorded games: a page, one self-contained file, or a moving picture"),
    "replay": ("envs.replay", "record games, check recorded ones, tell them in sentences"),
    "check": ("envs.check", "check a game against everything the suite promises"),
}
"""By name: the module whose ``main`` takes the arguments, and what it does."""


def usage() -> str:
    """How the command is called."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(["usage: fairy-rings COMMAND ...", "", *lines, "", "fairy-rings COMMAND --help tells more."])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit code, 2 where there is none of that name."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if not words or words[0] in ("-h", "--help"):
        print(usage())
        return 0 if words else 2
    if words[0] not in COMMANDS:
        from envs.checks import show

        print(f"fairy-rings: error: there is no command {show(words[0])}; choose from {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    if "" not in sys.path:
        sys.path.insert(0, "")  # as python -m does: games and agents of one's own lie in the current directory
    return import_module(COMMANDS[words[0]][0]).main(words[1:])


if __name__ == "__main__":
    sys.exit(main())
