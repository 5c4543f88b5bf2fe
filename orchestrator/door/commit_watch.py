"""News from other machines: wake-ups are sockets of one machine, so where several share a database each watches it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from orchestrator.domain.errors import LifecycleError
from orchestrator.log import Logger
from orchestrator.store.backends.backend import Watch
from orchestrator.store.store import Store

POLL_SECONDS = 0.5
RETRY_SECONDS = 2.0  # after the database could not be read


class CommitWatch:
    """Calls `tell` after commits, of this machine's processes too, at most once in POLL_SECONDS."""

    def __init__(self, store: Store, tell: Callable[[], None], log: Logger) -> None:
        """`tell` may read the store; what it cannot read is logged, and asked for again."""
        self._store = store
        self._tell = tell
        self._log = log
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_watching, name="commits", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()

    def _keep_watching(self) -> None:
        while not self._ended.is_set():
            try:
                self._watch()
            except LifecycleError as error:
                self._log.warning("commits_not_seen", error=error.what, why=error.why)
                self._ended.wait(RETRY_SECONDS)

    def _watch(self) -> None:
        """Raises StoreError."""
        watch: Watch = self._store.watch()
        try:
            self._tell()  # nothing is known of what was committed before
            while not self._ended.wait(POLL_SECONDS):
                if watch.has_changed():
                    self._tell()
        finally:
            watch.close()


@contextmanager
def told_of_commits(store: Store, tell: Callable[[], None], log: Logger) -> Iterator[None]:
    """Call `tell` after commits where other machines make some; on one machine alone, sockets are enough."""
    if store.file is not None:
        yield
        return
    watch = CommitWatch(store, tell, log)
    watch.start()
    try:
        yield
    finally:
        watch.close()
