"""A busy storm: `python -m tests.storming DATABASE SESSION WAY PROCESSES UNITS`, many processes that count together.

WAY is `unit` (read and write in one unit) or `torn` (read in one, write in another: what must lose counts). The answer is
one line: what went wrong in each process.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from orchestrator.store import records
from orchestrator.store.store import Store, Tx
from tests.crashing import in_child


def count(tx: Tx, session: str) -> int:
    return int(records.shared_of(tx, session).get("analyst", 0))


def one_more(store: Store, session: str) -> None:
    store.write(lambda tx: records.share(tx, session, "analyst", count(tx, session) + 1))


def torn(store: Store, session: str) -> None:
    seen = store.read(lambda tx: count(tx, session))
    store.write(lambda tx: records.share(tx, session, "analyst", seen + 1))


WAYS: dict[str, Callable[[Store, str], None]] = {"unit": one_more, "torn": torn}


def work(database: Path, session: str, way: str, units: int) -> None:
    store = Store(database)
    for _ in range(units):
        WAYS[way](store, session)
    store.close()


def main(database: str, session: str, way: str, processes: str, units: str) -> int:
    children = []
    for _ in range(int(processes)):
        child = os.fork()
        if child == 0:
            code, words = in_child(lambda: work(Path(database), session, way, int(units)))
            sys.stderr.write(words or "")
            os._exit(code)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    print(json.dumps(codes))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
