"""The writer that is traced: real sessions worked off by several threads, `ACK {json}` after each write that returned.

`python -m tests.powercut_writer FOLDER SYNCHRONOUS SESSIONS...`: for each number a round of so many sessions, worked off
by as many threads beside a daemon that beats and checkpoints.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from orchestrator.config import resources
from orchestrator.store import artifacts, sessions
from orchestrator.store.backends.sqlite_migrate import ensure_schema
from orchestrator.store.rows import Run
from orchestrator.store.store import Store
from tests import factories as make

LARGE = b"0123456789abcdef" * 66_000  # over 1 MiB: kept as a file


def acknowledge(**what: Any) -> None:
    os.write(1, f"ACK {json.dumps(what)}\n".encode())


def give_up(broken: threading.ExceptHookArgs) -> None:
    """A thread that died would leave its task open for ever."""
    traceback.print_exception(broken.exc_type, broken.exc_value, broken.exc_traceback)
    os._exit(1)


class Writer:
    def __init__(self, database: Path, synchronous: str) -> None:
        ensure_schema(database, resources() / "migrations")
        acknowledge(schema=True)
        self._daemon = Store(database, synchronous=synchronous, checkpointer=True)
        self._host = Store(database, synchronous=synchronous)
        self._lead = make.lead(self._daemon)
        make.make_host(self._host, slots=16)
        self._made = 0

    def round(self, count: int) -> None:
        """So many sessions from their start to their end."""
        for _ in range(count):
            self._made += 1
            acknowledge(session=make.make_session(self._host, f"Build thing number {self._made}"))
        workers: list[threading.Thread] = []
        while self._host.read(sessions.unfinished):
            self._beat()
            self._daemon.checkpoint()
            workers = [worker for worker in workers if worker.is_alive()]
            for _ in range(count - len(workers)):
                workers.append(threading.Thread(target=self._work))
                workers[-1].start()
            workers[0].join(0.02)

    def _beat(self) -> None:
        for session in self._daemon.read(sessions.needing_beat):
            done = make.one_beat(self._daemon, session, self._lead)
            acknowledge(beat=session, ended=done.ended)

    def _work(self) -> None:
        """Tasks, each started by the report before it, as long as there is one."""
        row: Run | None = make.claim(self._host, "h-1")
        while row is not None:
            acknowledge(claimed=row.run)
            row = self._report(row)

    def _report(self, row: Run) -> Run | None:
        files = {f"spec/{row.key}.md": f"# {row.key} of {row.session_id}\n".encode() * 40}
        if row.key == "DRAFT-003":
            number = int(row.session_id[: -len("-2025-01-01")].rpartition("-")[2])
            files["architecture/large.md"] = LARGE + bytes(
                [number // 2]
            )  # two sessions may keep the same one
            artifacts.keep_large(self._host.workflow, files["architecture/large.md"])
        done = make.finish(self._host, row, files=files)
        acknowledge(completed=row.run, files=len(files))
        return done.next


def main(folder: str, synchronous: str, *rounds: str) -> int:
    threading.excepthook = give_up
    writer = Writer(Path(folder) / ".workflow" / "lifecycle.db", synchronous)
    for count in rounds:
        writer.round(int(count))
    os._exit(0)  # as it stands: nobody closes a database before a power cut


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
