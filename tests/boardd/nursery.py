"""Starts daemons one after another and tells when they have ended: run as a process of its own by `nursing.py`.

It loads the program once and forks for every daemon, since a test that starts a hundred would else do little but start
Python. What runs after the fork is `konakis run` whole. On standard input comes `fork FILE` for each daemon, FILE being
its configuration, or `exec FILE` to start Python all the same; on standard output goes `pid N`, whatever the daemon
says, and `ended STATUS` (negative: the signal that ended it).
"""

import importlib
import os
import sys

PROGRAM = "import sys; from boardd.cli import main; sys.exit(main())"

LOADED = (
    "boardd.app",
    "boardd.check",
    "boardd.cli.daemon",
    "boardd.web.server",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)
"""What a daemon imports, some of it late."""


def nurse() -> None:
    """Start a daemon for each line that comes."""
    from boardd.cli import main

    for module in LOADED:
        importlib.import_module(module)
    for line in sys.stdin:
        way, config = line.rstrip("\n").split(" ", 1)
        arguments = ["run", "--config", config]
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
            print("pid", os.getpid(), flush=True)
            if way == "exec":
                os.execv(sys.executable, [sys.executable, "-c", PROGRAM, *arguments])
            sys.exit(main(arguments))
        _, status = os.waitpid(child, 0)
        print("ended", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    nurse()
