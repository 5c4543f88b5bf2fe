"""`lifecycle`: the command line."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    gc.set_threshold(50_000)  # objects between two looks for cycles: Python's 700 cost a tenth of every start
    from orchestrator.cli.main import run

    code = run(sys.argv[1:])
    gc.freeze()  # else Python looks through everything twice as it ends
    sys.exit(code)


if __name__ == "__main__":
    main()
