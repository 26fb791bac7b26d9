"""The command `konakis`, as `python -m boardd` and as the script.

Owns what Ctrl-C does while the program loads: Python would print where it was, or even lose the word when it comes in
the middle of an import. So the system ends the program, until a command takes over (`boardd.cli`).
"""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else whoever started us has it ignored
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from boardd.cli import main

if __name__ == "__main__":
    sys.exit(main())
