"""A worker host that measures itself: the real Host and Runtime, with a stopwatch around each run.

`python -m tests.bench.worker --project P --slots N --work noop|phases --tasks T --out FILE` serves until T tasks are
done, drains, and writes what it saw. A no-op run reports at once; a run of all phases asks an agent that answers at once.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from orchestrator import log, wakeup
from orchestrator.commands.start import start
from orchestrator.config import load_pack, load_settings, resources
from orchestrator.domain.prices import Prices
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store.rows import Run
from orchestrator.store.store import Store
from orchestrator.views.layout import StartOptions, plan
from tests.bench.instant import InstantAgent
from tests.bench.noop import noop_report
from workers.agents.routing import Router
from workers.host.host import Host
from workers.host.live_runs import LiveRun
from workers.roles import MODULES
from workers.run.runtime import Runtime
from workers.run.settings_watcher import WorkerConfig

ROLES = tuple(sorted(MODULES))
START_SECONDS = 60.0  # until so many slots are busy that are to begin together


class Stopwatch:
    """Who reported when in each session, and how long it was until a successor's phase 2."""

    def __init__(self, tasks: int) -> None:
        self._left = tasks
        self._lock = threading.Lock()
        self._reported: dict[str, float] = {}
        self.hops: dict[str, list[float]] = defaultdict(list)  # by how the successor was opened, seconds
        self.begun: float | None = None
        self.ended = 0.0
        self.done = threading.Event()

    def entered(self, row: Run) -> None:
        """A run of the session enters phase 2."""
        now = time.perf_counter()
        with self._lock:
            self.begun = self.begun or now
            reported = self._reported.get(row.session_id)
            if reported is not None:
                self.hops[row.opened_by].append(now - reported)

    def reports(self, row: Run) -> None:
        with self._lock:
            self._reported[row.session_id] = time.perf_counter()

    def finished(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self.ended = time.perf_counter()
                self.done.set()


class Noop:
    """Reports each run at once, with all rows of a report."""

    def __init__(
        self, store: Store, watch: Stopwatch, dawdle: float, feed: Callable[[], None], together: int
    ) -> None:
        self._dawdle = dawdle
        self._missing = together  # runs that are to be open before one reports
        self._counting = threading.Lock()
        self._complete = threading.Event()
        self._feed = feed  # called when the slot has nothing to go on with
        self._desk = LocalDesk(store)
        self._watch = watch
        self._bell = wakeup.Bell(store.project_id)

    def __call__(self, live: LiveRun) -> Run | None:
        row = live.row
        self._await_others()
        self._watch.entered(row)
        if self._dawdle:
            time.sleep(self._dawdle)
        done = noop_report(row)
        self._watch.reports(row)
        reported = self._desk.report(done, ROLES, draining=False)
        if reported.advance.wake:
            wakeup.wake_daemon(self._desk.project_id)
        else:
            self._bell.ring()
        self._watch.finished()
        if reported.next is None:
            self._feed()
        return reported.next

    def _await_others(self) -> None:
        with self._counting:
            self._missing -= 1
            if self._missing <= 0:
                self._complete.set()
        if not self._complete.wait(START_SECONDS):
            raise TimeoutError(f"{self._missing} more runs were to be open at the same time")


class Timed(Runtime):
    """The real phases; the stopwatch looks at where one ends and the next begins."""

    watch: Stopwatch

    def _load(self, live: LiveRun, log: Any) -> Any:
        self.watch.entered(live.row)
        return super()._load(live, log)

    def _report(self, calls: Any, *rest: Any) -> Any:
        self.watch.reports(calls.run.row)
        reported = super()._report(calls, *rest)
        self.watch.finished()
        return reported


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--work", choices=["noop", "phases"], required=True)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--dawdle", type=float, default=0.0, help="seconds a no-op step takes")
    parser.add_argument(
        "--together", type=int, default=1, help="no-op steps that are open before one reports"
    )
    parser.add_argument("--feed", type=int, default=0, help="start so many sessions, each when one has ended")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    workflow = given.project / ".workflow"
    settings = load_settings(given.project, os.environ, {"slots": given.slots})
    logger = log.configure(workflow / "logs" / "workers.jsonl")
    store = Store(workflow / "lifecycle.db", synchronous=settings.synchronous)
    watch = Stopwatch(given.tasks)
    host = Host(LocalDesk(store), settings, ROLES, given.slots, lambda live: execute(live), logger)
    execute: Callable[[LiveRun], Run | None]
    if given.work == "noop":
        feed = _feeder(given.project, store, given.feed)
        execute = Noop(store, watch, given.dawdle, feed, given.together)
    else:
        execute = _phases(given.project, store, settings, host, watch, logger)
    stopper = threading.Thread(target=lambda: (watch.done.wait(), host.drain()), daemon=True)
    stopper.start()
    host.run()
    store.close()
    used = resource.getrusage(resource.RUSAGE_SELF)
    given.out.write_text(
        json.dumps(
            {
                "seconds": watch.ended - (watch.begun or 0.0),
                "hops": watch.hops,
                "cpu_seconds": used.ru_utime + used.ru_stime,
                "memory_mb": used.ru_maxrss / 1024,
            }
        )
    )


def _feeder(project: Path, store: Store, sessions: int) -> Callable[[], None]:
    planned = plan("A session after another", StartOptions(discuss="off"), load_pack(None, {}), project)
    left = iter(range(sessions))

    def feed() -> None:
        if next(left, None) is not None:
            start(store, planned, project=project, max_attempts=3)
            wakeup.wake_daemon(store.project_id)

    return feed


def _phases(project: Path, store: Store, settings: Any, host: Host, watch: Stopwatch, logger: Any) -> Any:
    setup = WorkerConfig(settings, Router({"instant": InstantAgent()}, own=["instant"]), Prices())
    runtime = Timed(
        desk=LocalDesk(store),
        config=lambda: setup,
        roles=ROLES,
        lives=host.live,
        project=project,
        instructions=lambda role: (resources() / "config" / "roles" / f"{role}.md").read_text(
            encoding="utf-8"
        ),
        draining=host.is_draining,
        log=logger,
    )
    runtime.watch = watch
    return runtime.execute


if __name__ == "__main__":
    main()
