"""What the daemon does for the database and its folder, now and then: write back the log, remove what nobody needs."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from orchestrator.dispatch.local import start_tidying
from orchestrator.store import decisions, leases, queries, work_state
from orchestrator.store.deletion import remove_folder, untouched_folders
from orchestrator.store.store import Store

CHECKPOINT_BYTES = 1024 * 1024  # a smaller log is not worth a checkpoint
LARGE_LOG_BYTES = 32 * 1024 * 1024  # one that waits for no timer
CHECKPOINT_SECONDS = 1.0  # at least between two of them
KEEP_RUN_DIRECTORIES = 24 * 3600.0  # seconds after which a closed run's private directory goes


class Maintenance:
    def __init__(self, store: Store, runs: Path) -> None:
        """`runs`: where the private directories of runs are."""
        self._store = store
        self._runs = runs
        self._written_back = 0.0  # monotonic seconds
        self._tidying: subprocess.Popen[bytes] | None = None
        self._followed: frozenset[tuple[str, str]] = frozenset()  # heads for which it was started

    def write_back_log(self) -> None:
        """Move the log into the database. Raises StoreError."""
        if self._log_bytes() > CHECKPOINT_BYTES:
            self._store.checkpoint()

    def write_back_large_log(self) -> None:
        """The same for a log that has grown so fast that the timer should not be waited for. Raises StoreError."""
        if self._log_bytes() > LARGE_LOG_BYTES and time.monotonic() > self._written_back + CHECKPOINT_SECONDS:
            self._store.checkpoint()
            self._written_back = time.monotonic()

    def _log_bytes(self) -> int:
        file = self._store.file
        if file is None:
            return 0
        log = file.with_name(file.name + "-wal")
        return log.stat().st_size if log.exists() else 0

    def remove_old_runs(self) -> None:
        """Remove the private directories of runs that have been closed for a day."""
        open_now = self._store.read(queries.open_run_ids)
        for directory in untouched_folders(self._runs, KEEP_RUN_DIRECTORIES):
            if directory.name not in open_now:
                remove_folder(directory)

    def forget_old_keys(self) -> None:
        """Remove keys of commands that are too old to be sent again, a bounded number at a time. Raises StoreError."""
        self._store.write(decisions.forget_old_keys)

    def tidy_trees(self) -> None:
        """Have refs brought up and trees of ended sessions removed where no host lives that does so. Raises StoreError."""
        if self._store.read(lambda tx: work_state.is_unsettled(tx) and not leases.hosts_here(tx)):
            self._tidy()

    def follow_landed(self) -> None:
        """Have branches brought up to what hosts elsewhere have landed. Raises StoreError.

        Once for each head: what could not be published then is tried again with the trees.
        """
        lagging = self._store.read(work_state.lagging)
        if lagging <= self._followed or self._store.read(leases.hosts_here):
            return
        if self._tidy():
            self._followed = lagging

    def _tidy(self) -> bool:
        """Whether a process was started; not while one is at it."""
        if self._tidying is not None and self._tidying.poll() is None:
            return False
        workflow = self._store.workflow
        self._tidying = start_tidying(workflow.parent, workflow / "logs" / "workers.out")
        return True
