"""`python -m boardd`: the command `konakis` without its script."""

import sys

from boardd.cli import main

if __name__ == "__main__":
    sys.exit(main())
