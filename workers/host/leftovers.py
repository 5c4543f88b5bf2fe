"""Ending what is left of attempts that are over.

An agent is ended by its guardian, by its host, and at its deadline. When guardian and host are struck together nobody of
these is left, and the agent would go on with its task beside the next attempt, or for ever. Every process of an attempt
carries the run's id in its environment: so whoever comes next can find it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection

from orchestrator.door.desk import Desk
from orchestrator.log import Logger
from workers.host.guardian import KILL_SECONDS, TERM_GRACE
from workers.host.marked_processes import RUN_MARK, by_mark, kill

OWN_END = TERM_GRACE + 1.0  # seconds in which a living guardian has ended its agent, politely
POLL_SECONDS = 0.02  # between two scans
IDLE_SECONDS = (
    60.0  # the same while this host has no work: who begins an attempt ends what is left of those before
)


def await_end(runs: Collection[str], stop: threading.Event, log: Logger) -> None:
    """Return when no process of these runs lives on this machine, or `stop` is set; what no guardian ends is killed."""
    begun = time.monotonic()
    while left := [pid for run, pids in by_mark(RUN_MARK).items() if run in runs for pid in pids]:
        waited = time.monotonic() - begun
        if waited >= OWN_END + KILL_SECONDS:
            log.error("cannot_be_killed", pids=left)
            return
        if waited >= OWN_END:
            log.warning("leftovers_killed", pids=left)
            kill(left)
        if stop.wait(POLL_SECONDS):
            return


class Leftovers:
    """Looks for processes of closed runs, and kills those that nobody ends."""

    def __init__(self, desk: Desk, seconds: float, log: Logger) -> None:
        self._desk = desk
        self._seconds = seconds
        self._log = log
        self._scanned = -IDLE_SECONDS  # when, on the monotonic clock
        self._found_none = False  # not even of a run that is open
        self._seen: dict[str, float] = {}  # run -> since when something of it was seen to outlive it

    def poll(self, worked: float) -> None:
        """Scan for them, at most every `seconds`. `worked`: when this host last did. Raises StoreError."""
        now = time.monotonic()
        is_idle = worked < self._scanned and self._found_none
        if now < self._scanned + (max(self._seconds, IDLE_SECONDS) if is_idle else self._seconds):
            return
        self._scanned = now
        found = by_mark(RUN_MARK)
        self._found_none = not found
        over = self._desk.over(found) if found else ()
        self._seen = {run: self._seen.get(run, now) for run in over}
        for run, since in self._seen.items():
            if now - since >= OWN_END:
                self._log.warning("leftovers_killed", run=run[:8], pids=found[run])
                kill(found[run])
