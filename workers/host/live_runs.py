"""The runs a host has open now: their deadlines, their stop signals, and the guardians of their agents.

A run may go on until its deadline, which lies a margin before its lease's end in the database and is counted on this
host's own clock from *before* the renewal was asked for. So whatever delays us, the agents end before anyone else can
be given the task.
"""

from __future__ import annotations

import math
import threading
import time
from typing import Protocol

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.door.desk import Run


class Guardian(Protocol):
    def extend(self, seconds: float) -> None: ...

    def stop(self, reason: str = ...) -> None: ...


@dataclass
class LiveRun:
    """One run in a slot. `stop` is set once, with `why`; everything of the run looks at it."""

    row: Run
    deadline: float  # monotonic seconds
    stop: threading.Event = field(default_factory=threading.Event)
    why: str = ""  # lease, revoked, drained
    guardians: list[Guardian] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing may begin for it any more, also when the watchdog has not come to it yet."""
        return self.stop.is_set() or self.deadline <= time.monotonic()

    def lasts(self, seconds: float) -> bool:
        """Wait so long, at most until the run is revoked; whether it may still be reported then.

        One that was drained is stopped already, and may be reported up to its deadline.
        """
        end = threading.Event() if self.why == "drained" else self.stop
        end.wait(max(0.0, min(seconds, self.deadline - time.monotonic())))
        return self.deadline > time.monotonic() and (self.why == "drained" or not self.stop.is_set())


class LiveRuns:
    def __init__(self) -> None:
        self._runs: dict[str, LiveRun] = {}
        self._changed = threading.Condition()
        self._looks_at = math.inf  # when the watchdog looks again by itself, monotonic seconds

    def add(self, row: Run, deadline: float) -> LiveRun:
        live = LiveRun(row, deadline)
        with self._changed:
            self._runs[row.run] = live
            if deadline < self._looks_at:
                self._changed.notify_all()
        return live

    def remove(self, run: str) -> None:
        with self._changed:
            self._runs.pop(run, None)

    def ids(self) -> list[str]:
        with self._changed:
            return list(self._runs)

    def extend(self, run: str, deadline: float) -> None:
        """The lease was renewed: the run and its agents may go on until `deadline`."""
        with self._changed:
            live = self._runs.get(run)
            if live is None or live.stop.is_set():
                return
            live.deadline = deadline
            for guardian in live.guardians:
                guardian.extend(deadline - time.monotonic())

    def watch(self, run: str, guardian: Guardian) -> None:
        """An agent's guardian was started for this run: keep its deadline with the run's."""
        with self._changed:
            live = self._runs.get(run)
            if live is None or live.is_over:
                guardian.stop("the run is over")
                return
            live.guardians.append(guardian)
            guardian.extend(live.deadline - time.monotonic())

    def stop(self, run: str, why: str) -> None:
        with self._changed:
            self._stop(self._runs.get(run), why)

    def stop_all(self, why: str) -> None:
        with self._changed:
            for live in list(self._runs.values()):
                self._stop(live, why)

    def _stop(self, live: LiveRun | None, why: str) -> None:
        if live is None or live.stop.is_set():
            return
        live.why = why
        live.stop.set()
        for guardian in live.guardians:
            guardian.stop(why)

    def watchdog(self, ended: threading.Event) -> None:
        """Stop each run at its deadline, until `ended`; depends on no database and no renewal."""
        while not ended.is_set():
            with self._changed:
                now = time.monotonic()
                for live in self._runs.values():
                    if live.deadline <= now:
                        self._stop(live, "lease")
                due = [live.deadline for live in self._runs.values() if not live.stop.is_set()]
                self._looks_at = min(due, default=math.inf)
                self._changed.wait(max(0.0, self._looks_at - now) if due else None)

    def poke(self) -> None:
        """Let the watchdog look again (used when the host ends)."""
        with self._changed:
            self._changed.notify_all()
