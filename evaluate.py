"""Plays agents against each other and rates them: ``python evaluate.py --env fairy_ring random greedy --games 1000``.

``python evaluate.py --help`` tells all that can be asked for.
"""

import sys

from evaluation.command import main

if __name__ == "__main__":
    sys.exit(main())
