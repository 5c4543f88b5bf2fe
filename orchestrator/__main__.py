"""`lifecycle`: the command line."""

from __future__ import annotations

import atexit
import gc
import os
import sys

GC_OBJECTS = 50_000  # between two looks for cycles: Python's 700 cost a tenth of every start


def main() -> None:
    ended: list[int] = []
    atexit.register(_leave, ended)  # the first that is registered is the last that is called
    mask = os.umask(0o077)  # what we make is its owner's alone
    gc.set_threshold(GC_OBJECTS)
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # to look for some, all that is installed is read
    try:
        from orchestrator import interrupts, umask

        interrupts.end_at_once()
        umask.remember(mask)
        from orchestrator.cli.main import run

        interrupts.raise_again()
        code = run(sys.argv[1:], alone=True)
        interrupts.ignore()  # it is over: what is left is Python's own end
    except KeyboardInterrupt:  # before it was heard, or after all was done
        os.write(2, b"\nError: interrupted\n")
        os._exit(130)
    ended.append(code)
    sys.exit(code)


def _leave(ended: list[int]) -> None:
    """All threads have ended, all is closed: leave without taking the interpreter apart.

    That takes some milliseconds, and aborts where a thread of Temporal's library asks for Python's lock meanwhile.
    """
    if not ended:
        return
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):  # nobody reads it, or it was closed: Python says which
        return
    os._exit(ended[0])


if __name__ == "__main__":
    main()
