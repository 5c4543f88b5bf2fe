"""`lifecycle`: the command line."""

from __future__ import annotations

import gc
import os
import sys

GC_OBJECTS = 50_000  # between two looks for cycles: Python's 700 cost a tenth of every start


def _open_closed_streams() -> None:
    """Open those of the three standard streams that are closed: else a file of ours takes a number that others write to."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8")
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")


def main() -> None:
    _open_closed_streams()
    mask = os.umask(0o077)  # what we make is its owner's alone
    gc.set_threshold(GC_OBJECTS)
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # to look for some, all that is installed is read
    try:
        from orchestrator import interrupts, umask

        interrupts.end_at_once()
        from orchestrator import leaving

        leaving.prepare()
        umask.remember(mask)
        from orchestrator.cli.main import run

        interrupts.raise_again()
        code = run(sys.argv[1:], alone=True)
        interrupts.ignore()  # it is over: what is left is Python's own end
        gc.freeze()  # else Python looks through everything twice as it ends
    except KeyboardInterrupt:  # before it was heard, or after all was done
        os.write(2, b"\nError: interrupted\n")
        os._exit(130)
    sys.exit(leaving.with_code(code))


if __name__ == "__main__":
    main()
