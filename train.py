"""Trains a policy for one of the games by self-play: ``python train.py --env fairy_ring --num-players 3``.

``python train.py --help`` lists all settings; ``training/command.py`` tells what a run leaves in its folder.
"""

import sys

from training.command import main

if __name__ == "__main__":
    sys.exit(main())
