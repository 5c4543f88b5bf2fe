"""The coordinator daemon: one per database, fenced by its leader lease.

Its loop is the loop of every long-lived process here: do what is to be done, say how long there is nothing to do, wait
until woken or until then. Wakes only say "look": what there is to do stands in the database.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from orchestrator import bus, failpoints
from orchestrator.app import Project
from orchestrator.coordinator import projector, reconcile
from orchestrator.coordinator.beat import Leadership, beat
from orchestrator.dispatch.local import HostSupervisor
from orchestrator.domain.errors import DiskFull, LifecycleError, NotLeader, UnknownName
from orchestrator.domain.model import PauseReason, SessionStatus
from orchestrator.scheduler import AlarmClock
from orchestrator.store import ballast, leases, queries, sessions
from orchestrator.store.clock import process_start
from orchestrator.store.database import checkpoint_is_risky
from orchestrator.store.migrate import backup
from orchestrator.store.prepared import Row
from orchestrator.store.store import Store, Tx

COALESCE_SECONDS = 1.0  # a running session's files follow its changes at most this often
CHECKPOINT_BYTES = 1024 * 1024  # a smaller log is not worth a checkpoint
KEEP_RUN_DIRECTORIES = 24 * 3600.0  # seconds after which a closed run's private directory goes
RETRY_PROJECTION_SECONDS = 10.0
RETRY_FULL_SECONDS = 5.0  # how long after a write that found no room the next one is tried


class Daemon:
    def __init__(self, project: Project, store: Store, settings: Any, log: Any) -> None:
        self._project = project
        self._store = store
        self._settings = settings
        self._log = log
        self._holder = f"d-{uuid.uuid4().hex}"
        self._lead: Leadership | None = None
        self._stopping = threading.Event()
        self._busy_at = time.monotonic()
        self._projected_at: dict[str, float] = {}
        self._supervisor = HostSupervisor(project.root, settings.slots, log, self._host_exited)
        self._waker: bus.Waker | None = None
        self._has_ballast = False

    def run(self) -> int:
        """Lead until stopped, idle for long, or deposed: 0; 0 as well when another daemon leads already."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop())
        epoch = self._store.write(
            lambda tx: leases.take_lead(
                tx,
                self._holder,
                pid=os.getpid(),
                started=process_start(os.getpid()) or 0,
                lease_seconds=self._settings.lease_seconds,
            ),
            use_ballast=True,
        )
        if epoch is None:
            self._log.info("another_daemon_leads")
            return 0
        lead = self._lead = Leadership(self._holder, epoch)
        self._log.info("daemon_started", pid=os.getpid(), epoch=epoch)
        self._waker = bus.Waker(self._store.path, "daemon", self._on_message)
        clock = self._timers()
        try:
            clock.start()
            self._guarded(lead, lambda: self._recover(lead))
            while not self._stopping.is_set():
                self._waker.wait(self._guarded(lead, lambda: self._step(lead, clock)))
        except NotLeader:
            self._log.error("deposed")
        finally:
            self._end(lead, clock)
        return 0

    def stop(self) -> None:
        """Ask for the end; safe to call from a signal handler or a timer."""
        self._stopping.set()
        if self._waker is not None:
            self._waker.wake_self()

    # one round of the loop

    def _guarded(self, lead: Leadership, work: Callable[[], float]) -> float:
        """Do `work`; when the disk is full, pause everything and try again later."""
        try:
            self._watch_ballast(lead)
            return work()
        except DiskFull as error:
            self._log.error("disk_full", why=error.why)
            try:
                self._pause_all(lead, error.why)
            except DiskFull:
                self._log.error("pause_not_written")  # no ballast was left: it is tried again
            return RETRY_FULL_SECONDS

    def _watch_ballast(self, lead: Leadership) -> None:
        """Somebody gave the ballast up and it cannot be made again: the disk is full for every session."""
        if ballast.keep(self._store.path):
            self._has_ballast = True
        elif self._has_ballast:
            self._has_ballast = False
            self._pause_all(lead, f"no room left for {self._store.path}")

    def _pause_all(self, lead: Leadership, why: str) -> None:
        def pause(tx: Tx) -> list[str]:
            leases.must_lead(tx, lead.holder, lead.epoch)
            active = [row.id for row in sessions.unfinished(tx) if row.status == SessionStatus.ACTIVE]
            return [each for each in active if sessions.pause(tx, each, PauseReason.DISK, {"error": why})]

        self._has_ballast = False
        for session in self._store.write(pause, use_ballast=True):
            self._log.error("paused_for_room", session=session)

    def _step(self, lead: Leadership, clock: AlarmClock) -> float:
        """Do everything there is to do now; seconds until something is due by itself."""
        self._drain(lead)
        delay = self._project_changed()
        busy = self._store.read(queries.has_work)
        if busy:
            self._busy_at = time.monotonic()
            if not self._store.read(leases.live_hosts):
                self._supervisor.ensure()
        elif time.monotonic() - self._busy_at > self._settings.idle_exit_seconds:
            self._log.info("idle")
            self._stopping.set()
        due = self._store.read(queries.next_retry)
        if due is not None:
            clock.at(due, "retry", self._retry_due)
        return delay

    def _drain(self, lead: Leadership) -> None:
        """Beats until no session is dirty: a mark that comes during a beat makes another round."""
        while not self._stopping.is_set():
            dirty = self._store.read(sessions.dirty)
            if not dirty:
                return
            offered = 0
            for session in dirty:
                try:
                    done = self._store.write(lambda tx, session=session: beat(tx, session, lead))  # type: ignore[misc]
                except UnknownName as error:
                    self._halt(session, lead, error)
                    continue
                failpoints.hit("beat.after_commit")
                offered += len(done.offered)
                if done.offered or done.ended:
                    self._log.info("beat", session=session, offered=list(done.offered), ended=done.ended)
            if offered:
                bus.wake_hosts(self._store.path)  # after the commits: a host that looks now sees the offers

    def _halt(self, session: str, lead: Leadership, error: UnknownName) -> None:
        """A session whose rows were edited by hand to something unknown stops; the others are not held up."""
        self._log.error("session_cannot_be_read", session=session, error=error.what)

        def halt(tx: Tx) -> None:
            leases.must_lead(tx, lead.holder, lead.epoch)
            sessions.clear_dirty(tx, session)
            sessions.pause(
                tx, session, PauseReason.STALLED, {"unmet": [f"{error.what}: run `lifecycle repair`"]}
            )

        self._store.write(halt)

    def _project_changed(self) -> float:
        """Write what changed; seconds until the next session may be written."""
        now = time.monotonic()
        delay = float(self._settings.reconcile_seconds)
        for session in self._store.read(sessions.unprojected):
            running = self._store.read(partial(_is_active, session=session))
            wait = self._projected_at.get(session, 0.0) + COALESCE_SECONDS - now if running else 0.0
            if wait > 0:
                delay = min(delay, wait)
                continue
            delay = min(delay, self._project_one(session, now))
        return delay

    def _project_one(self, session: str, now: float) -> float:
        self._projected_at[session] = now
        try:
            edited = projector.project(self._store, session)
        except (OSError, LifecycleError) as error:
            why = getattr(error, "why", "") or str(error)
            self._log.error("projection_failed", session=session, error=str(error), why=why)
            detail = {"error": str(error), "why": why}
            self._store.write(
                lambda tx: sessions.pause(tx, session, PauseReason.DISK, detail), use_ballast=True
            )
            self._projected_at[session] = now + RETRY_PROJECTION_SECONDS
            return RETRY_PROJECTION_SECONDS
        if edited:
            self._log.info("edits_adopted", session=session, paths=edited)
        return 0.0 if self._store.read(lambda tx: session in sessions.unprojected(tx)) else float("inf")

    # timers, each of which only looks and wakes

    def _timers(self) -> AlarmClock:
        clock = AlarmClock(self._log)
        clock.every(self._settings.renew_seconds, "lead", self._keep_lead)
        clock.every(self._settings.reconcile_seconds, "reap", self._reap)
        clock.every(60.0, "checkpoint", self._checkpoint)
        clock.every(600.0, "tidy", self._tidy)
        if checkpoint_is_risky():
            clock.every(24 * 3600.0, "backup", self._backup)
        return clock

    def _keep_lead(self) -> None:
        lead = self._lead
        assert lead is not None
        try:
            self._store.write(
                lambda tx: leases.keep_lead(tx, lead.holder, lead.epoch, self._settings.lease_seconds),
                use_ballast=True,
            )
        except NotLeader:
            self._log.error("lead_lost")
            self.stop()

    def _reap(self) -> None:
        try:
            lost = reconcile.reap(self._store, self._lead)
        except NotLeader:
            self.stop()
            return
        for each in lost:
            self._log.warning(
                "attempt_lost", session=each.session, task=each.task, run=each.run[-8:], why=each.why
            )
        if lost and self._waker is not None:
            self._waker.wake_self()

    def _retry_due(self) -> None:
        self._store.write(queries.mark_due)
        if self._waker is not None:
            self._waker.wake_self()

    def _checkpoint(self) -> None:
        log = self._store.path.with_name(self._store.path.name + "-wal")
        if log.exists() and log.stat().st_size > CHECKPOINT_BYTES:
            self._store.checkpoint()

    def _backup(self) -> None:
        fresh = self._store.path.parent / "backups" / "daily.new.db"
        backup(self._store.path, fresh).replace(fresh.with_name("daily.db"))

    def _tidy(self) -> None:
        """Remove the private directories of runs that have been closed for a day."""
        top = self._project.runs
        if not top.is_dir():
            return
        open_now = self._store.read(queries.open_run_ids)
        for directory in top.iterdir():
            old = time.time() - directory.lstat().st_mtime > KEEP_RUN_DIRECTORIES
            if old and directory.name not in open_now and not directory.is_symlink():
                shutil.rmtree(directory)

    # beginning, messages, end

    def _recover(self, lead: Leadership) -> float:
        """What a predecessor's death left behind: lost runs, cycles, sessions that nobody would look at."""
        self._reap()
        for session in reconcile.check_graphs(self._store, lead):
            self._log.error("graph_is_broken", session=session)

        def mark(tx: Tx) -> None:
            leases.must_lead(tx, lead.holder, lead.epoch)
            queries.mark_idle_sessions(tx)

        self._store.write(mark)
        bus.wake_hosts(self._store.path)
        return 0.0

    def _host_exited(self) -> None:
        if self._stopping.is_set():
            return
        self._reap()
        if self._waker is not None:
            self._waker.wake_self()

    def _on_message(self, message: dict[str, Any]) -> None:
        if message.get("type") == "environment" and isinstance(message.get("values"), dict):
            values = {str(key): str(value) for key, value in message["values"].items()}
            self._supervisor.environment.update(values)
            bus.wake_hosts(self._store.path, message)

    def _end(self, lead: Leadership, clock: AlarmClock) -> None:
        """The host drains first and the lead is given up last, so that nobody takes our place beside a working host."""
        self._supervisor.stop(self._settings.drain_seconds + 10, self._left_behind())
        clock.stop()
        try:
            for last in (self._project_rest, self._store.checkpoint):
                self._tried(last)
            self._store.write(
                lambda tx: leases.leave_lead(tx, lead.holder, lead.epoch), use_ballast=True
            )  # not done: its lease ends by itself
        finally:
            if self._waker is not None:
                self._waker.close()
        self._log.info("daemon_ended")

    def _left_behind(self) -> list[Row]:
        """Hosts that dead daemons had started: they worked on for us, and end with us unless another daemon leads now."""

        def look(tx: Tx) -> list[Row]:
            leader = leases.leader(tx)
            return leases.supervised_hosts(tx) if leader is None or leader.holder == self._holder else []

        try:
            return self._store.read(look)
        except LifecycleError as error:
            self._log.error("hosts_left_behind", error=error.what, why=error.why)  # they leave by themselves
            return []

    def _tried(self, last: Callable[[], None]) -> None:
        """What fails at the end is made good by the next daemon: it must not keep us from giving up the lead."""
        try:
            last()
        except LifecycleError as error:
            self._log.error("not_done_at_the_end", error=error.what, why=error.why)

    def _project_rest(self) -> None:
        for session in self._store.read(sessions.unprojected):
            self._project_one(session, time.monotonic())


def _is_active(tx: Tx, session: str) -> bool:
    row = sessions.get(tx, session)
    return row is not None and row.status == SessionStatus.ACTIVE
