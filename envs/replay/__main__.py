"""Runs ``python -m envs.replay``."""

import sys

from envs.replay.command import main

if __name__ == "__main__":
    sys.exit(main())
