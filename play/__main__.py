"""``python -m play``."""

import sys

if __name__ == "__main__":
    from play.command import main

    sys.exit(main())
