"""`lifecycle`: the command line."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    gc.set_threshold(50_000)  # objects between two looks for cycles; Python's 700 cost a sixth of every start
    from orchestrator.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
