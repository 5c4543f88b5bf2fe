"""Sends the trace of each run that has ended, whoever ended it: its report, its host, a person, or its lease.

It follows the database, in a thread of its own and behind the commits, so that no run waits for it and one whose host was
killed is traced like any other. Nothing notes what was sent: a coordinator that follows another one sends the runs of the
last minutes again, under the same ids.
"""

from __future__ import annotations

import threading
from functools import partial

from orchestrator.domain.errors import LifecycleError
from orchestrator.log import Logger
from orchestrator.store import traced_runs
from orchestrator.store.leases import SECOND
from orchestrator.store.store import Store, Tx
from orchestrator.traces.run_spans import spans_of
from orchestrator.traces.sender import CLOSE_SECONDS, Sender

COALESCE_SECONDS = 1.0  # between two polls
AGAIN_SECONDS = 120.0  # how far back a poll looks: leads have gaps, and the clocks that name runs differ
AT_ONCE = 100  # runs that are read together


class RunTraces:
    def __init__(self, store: Store, sender: Sender, log: Logger) -> None:
        self._store = store
        self._sender = sender
        self._log = log
        self._open: set[str] = set()
        self._sent: set[str] = set()  # of those named or ended lately
        self._is_first = True
        self._told = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="run-traces", daemon=True)

    def start(self) -> None:
        self.tell()
        self._thread.start()

    def tell(self) -> None:
        """Something was committed."""
        self._told.set()

    def close(self) -> None:
        """Send what has ended until now, for a few seconds at most."""
        self._ending.set()
        self.tell()
        self._thread.join(CLOSE_SECONDS)
        self._sender.close()

    def _follow(self) -> None:
        is_last = False
        while not is_last:
            self._told.wait()
            self._told.clear()
            is_last = self._ending.is_set()
            try:
                self.poll()
            except LifecycleError as error:  # what it has not seen is still to be sent by the next one
                self._log.warning("runs_not_traced", error=error.what, why=error.why)
            except Exception:  # a fault of ours: the runs that end later are still told of
                self._log.exception("runs_not_traced")
            self._ending.wait(COALESCE_SECONDS)

    def poll(self) -> None:
        """Queue the spans of the runs that have ended since the last poll. Raises StoreError."""
        still, ended = self._store.read(self._seen)
        new = sorted((ended | (self._open - still)) - self._sent)
        for start in range(0, len(new), AT_ONCE):
            some = new[start : start + AT_ONCE]
            for each in self._store.read(partial(traced_runs.traced, ids=some)):
                self._sender.send(spans_of(each))
        self._open, self._sent, self._is_first = still, ended | set(new), False

    def _seen(self, tx: Tx) -> tuple[set[str], set[str]]:
        """The runs that are open, and those that have ended lately."""
        since = tx.now - int(AGAIN_SECONDS * SECOND)
        return traced_runs.open_runs(tx), traced_runs.ended(tx, since, None if self._is_first else since)
