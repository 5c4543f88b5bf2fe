"""The coordinator daemon: one per database, fenced by its leader lease.

Its loop is the loop of every long-lived process here: do what is to be done, say how long there is nothing to do, wait
until woken or until then. A wake only asks for a poll: the work to do is in the database.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import failpoints, wakeup
from orchestrator.config.settings import Settings
from orchestrator.config.variables import handed_over
from orchestrator.coordinator import projections, reconcile
from orchestrator.coordinator.beat import beat
from orchestrator.coordinator.failures import Failures
from orchestrator.coordinator.late_timers import LateTimers
from orchestrator.coordinator.leadership import Leader, Leadership
from orchestrator.coordinator.maintenance import Maintenance
from orchestrator.coordinator.notifier import Notifier
from orchestrator.coordinator.projections import Projections
from orchestrator.dispatch import older
from orchestrator.dispatch.local import HostSupervisor
from orchestrator.dispatch.memory import memory
from orchestrator.domain import account_pause, idleness
from orchestrator.domain.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseUnusable,
    DiskFull,
    LifecycleError,
    NoDescriptors,
    NotLeader,
    StoreBroken,
    UnknownName,
    UsageError,
)
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PauseReason
from orchestrator.door.commit_watch import told_of_commits
from orchestrator.engine.place import EnginePlace, engine_place, queues_of
from orchestrator.installation import Installation
from orchestrator.log import Logger
from orchestrator.project import Project, read_settings
from orchestrator.store import engines, integrity, leases, queries, sessions
from orchestrator.store.backends import sqlite_backups
from orchestrator.store.backends.sqlite_errors import damaged
from orchestrator.store.clock import has_open
from orchestrator.store.rows import Host
from orchestrator.store.store import Store, Tx
from orchestrator.traces.place import sender_or_none

if TYPE_CHECKING:
    from orchestrator.coordinator.relay import Relay
    from orchestrator.coordinator.run_traces import RunTraces
    from orchestrator.coordinator.timers import TimerScheduler

RETRY_FULL_SECONDS = 5.0  # how long after a write that found no room the next one is tried
RETRY_SECONDS = 2.0  # the same after a step that found the database held, or no descriptor left
TIMERS_SECONDS = 1.0  # after which the timers start, should the first round take that long
CHECK_BACKUP_SECONDS = 300.0  # a daemon that leaves when idle must get round to the daily copy too


class Daemon:
    def __init__(
        self,
        project: Project,
        store: Store,
        settings: Settings,
        log: Logger,
        memory: Callable[[], list[idleness.Memory]] = memory,
        *,
        supervisor: HostSupervisor | None = None,
        stopping: threading.Event | None = None,
        installed: Installation | None = None,
    ) -> None:
        """`supervisor`: one that may have started a worker host already; `stopping`: set where the end was asked for.

        `installed`: what this process was started from.
        """
        self._project = project
        self._memory = memory
        self._store = store
        self._settings = settings
        self._log = log
        self._leader = Leader(store, settings.lease_seconds, log, self._wake)
        self._failures = Failures(store, self._leader, log)
        self._stopping = stopping or threading.Event()
        self._told = False  # to end
        self._installed = installed
        self._outdated = False  # the program was replaced under us, and we end for that
        self._waits = False  # for an installer
        self._busy_at = time.monotonic()
        self._supervisor = supervisor or HostSupervisor(
            project.root, settings.slots if settings.own_host else 0, log
        )
        self._supervisor.on_exit = self._host_exited
        self._waker: wakeup.Waker | None = None
        self._maintenance = Maintenance(store, project.runs)
        self._projections = Projections(store, self._leader, log, settings.reconcile_seconds)
        self._notifier = Notifier(store, settings.notify, project.root, log)
        self._relay: Relay | None = None  # where an engine delivers offers
        self._traces: RunTraces | None = None  # where a collector is named
        self._recovered = 0  # the epoch under which what a predecessor left was put right
        self._fault: LifecycleError | None = None  # found by a timer: the loop ends with it

    def run(self) -> int:
        """Lead until stopped, idle for long, or deposed: 0; 0 as well when another daemon leads already.

        Raises StoreBroken or DatabaseUnusable when this process cannot go on with the database.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop())
        self._told = self._stopping.is_set()
        lead = None
        try:
            lead = self._leader.take()
        finally:
            if lead is None:  # a host that was started already would work on for a minute and more
                self._stopping.set()
                self._supervisor.stop(self._settings.drain_seconds + 10)
        if lead is None:
            self._log.info("another_daemon_leads")
            return 0
        self._log.info("daemon_started", pid=os.getpid(), epoch=lead.epoch)
        self._waker = wakeup.Waker(self._store.project_id, "daemon", self._on_message)
        clock = LateTimers(self._timers)
        try:
            clock.start_within(min(TIMERS_SECONDS, self._settings.renew_seconds / 2))
            self._relay = self._begin_relay()
            self._traces = self._begin_traces()
            with told_of_commits(self._store, self._wake, self._log):
                while not self._stopping.is_set():
                    delay = self._guarded(clock)
                    clock.start()
                    self._waker.wait(delay)
            if self._fault is not None:
                raise self._fault
        except LifecycleError as error:
            self._log.error("daemon_failed", error=error.what, why=error.why, fix=error.fix)
            raise
        except Exception as error:
            if self._installed is None or not self._installed.has_other_files():
                raise
            self._leave_to_another(error)
        finally:
            self._end(clock)
        return 0

    def stop(self) -> None:
        """Ask for the end; safe to call from a signal handler or a timer."""
        self._told = True
        self._stopping.set()
        self._wake()

    def is_told(self) -> bool:
        """Whether the end was asked for, or is due to a fault."""
        return self._told

    @property
    def begins_anew(self) -> bool:
        """Whether it has ended for the program alone, which was replaced, and has to go on as the other one."""
        return self._outdated and not self._told

    def _wake(self) -> None:
        if self._waker is not None:
            self._waker.wake_self()

    # one round of the loop

    def _guarded(self, clock: LateTimers) -> float:
        """One round; seconds until the next. What the surroundings deny is tried again, what is in doubt ends us."""
        try:
            return self._round(clock)
        except NotLeader:
            self._leader.lose(self._leader.leadership)
            return 0.0
        except DiskFull as error:
            self._failures.on_full_disk(error)
            return RETRY_FULL_SECONDS
        except (DatabaseBusy, NoDescriptors) as error:
            self._log.error("must_wait", error=error.what, why=error.why, fix=error.fix)
        except OSError as error:
            self._log.error("must_wait", error=str(error))
        return RETRY_SECONDS

    def _round(self, clock: LateTimers) -> float:
        """Raises NotLeader, StoreError, OSError."""
        if self._is_replaced() and self._installed is not None:
            if self._installed.can_be_left():
                self._leave_to_another()
                return 0.0
            if not self._waits:
                self._waits = True
                self._log.warning("program_being_replaced")  # no host is started until then
        lead = self._leader.take()
        if lead is None:
            self._log.error("deposed")
            self._stopping.set()
            return 0.0
        self._failures.check_log()
        self._failures.check_ballast(lead)
        if self._recovered != lead.epoch:
            self._recovered = lead.epoch
            self._recover(lead)
        return self._step(lead, clock)

    def _is_replaced(self) -> bool:
        """Whether the program is another one than we were started from, or is being replaced.

        Then a host that we start would be another program than we are, or none yet.
        """
        if self._installed is None:
            return False
        self._installed.note_loaded()
        return self._installed.is_replaced()

    def _leave_to_another(self, error: Exception | None = None) -> None:
        self._log.warning("program_replaced", error=None if error is None else str(error)[:500])
        self._outdated = True
        self._stopping.set()

    def _step(self, lead: Leadership, clock: LateTimers) -> float:
        """Do everything there is to do now; seconds until something is due by itself."""
        self._drain(lead, clock)
        if self._relay is not None:
            self._relay.tell()
        if self._traces is not None:
            self._traces.tell()
        self._maintenance.write_back_large_log()
        delay = self._projections.follow()
        self._notifier.follow()
        busy = self._store.read(queries.has_work)
        if busy:
            self._busy_at = time.monotonic()
            live, ours = self._store.read(lambda tx: (leases.live_hosts(tx), leases.supervised_hosts(tx)))
            hung = {row.pid for row in ours} - {row.pid for row in live}
            live = self._without_older(live)
            if not live and self._supervisor.gave_up:
                self._failures.pause_all(lead, PauseReason.AGENT_UNAVAILABLE, self._supervisor.last_words())
                self._supervisor.forgive()  # a resume tries again
            elif all(row.token is not None for row in live) and not self._is_replaced():
                self._supervisor.ensure(hung)  # what needs a tree is done on this machine
        elif delay > 0 and time.monotonic() - self._busy_at > self._stay_seconds():
            self._log.info("idle")
            self._stopping.set()
        self._await_retry(clock)
        return delay

    def _without_older(self, live: list[Host]) -> list[Host]:
        """The hosts that may have our work; those beside the database that run an earlier version are asked to drain.

        A host on another machine does not know the database: whether it may stay is between it and its server.
        """
        earlier = [row for row in live if row.token is None and older.outdated(row.version)]
        for row in earlier:
            if not row.draining:
                self._log.warning("earlier_host_drained", host=row.incarnation[:10], version=row.version)
                wakeup.wake_host(self._store.project_id, row.incarnation, {"type": "drain"})
        return [row for row in live if row not in earlier]

    def _stay_seconds(self) -> float:
        """How long we stay without work."""
        return idleness.stay_seconds(self._settings.idle_exit_seconds, self._memory())

    def _await_retry(self, clock: LateTimers) -> None:
        due = self._store.read(queries.next_retry)
        if due is None:
            return
        longest = max(*self._settings.backoff_seconds, account_pause.LONGEST_GUESS / account_pause.SECOND)
        if due > self._store.clock.wall() + longest * leases.SECOND and self._store.read(
            lambda tx: queries.has_overlong(tx, longest)
        ):
            self._store.write(lambda tx: queries.hasten(tx, longest))
            due = self._store.clock.wall()
        clock.at(due, "retry", self._retry_due)

    def _drain(self, lead: Leadership, clock: LateTimers) -> None:
        """Beats until no session needs one: a mark that comes during a beat makes another round."""
        while not self._stopping.is_set():
            waiting = self._store.read(sessions.needing_beat)
            if not waiting:
                return
            offered = 0
            for session in waiting:
                try:
                    done = self._store.write(
                        lambda tx, session=session: beat(tx, session, lead),  # type: ignore[misc]
                        about=session,
                    )
                except UnknownName as error:
                    self._failures.halt(session, lead, error)
                    continue
                failpoints.hit("beat.after_commit")
                offered += len(done.offered)
                if (
                    done.retry_at is not None
                ):  # as the beat saw it: by now it may be past, and nobody else would look
                    clock.at(done.retry_at, f"retry {session}", self._retry_due)
                if done.offered or done.ended:
                    self._log.info("beat", session=session, offered=list(done.offered), ended=done.ended)
            if offered:
                wakeup.wake_hosts(
                    self._store.project_id
                )  # after the commits: a host that polls now sees the offers

    # the engine that delivers offers

    def _begin_relay(self) -> Relay | None:
        """Where the settings name an engine that can be used from here; else hosts claim for themselves."""
        if self._settings.dispatch != "temporal":
            if self._store.read(engines.engine) is not None:
                self._store.write(engines.forget)
            return None
        given, project = self._settings.temporal, self._store.project_id
        try:
            place = engine_place(given, project, self._project.root, os.environ)
        except UsageError as error:
            self._log.error("engine_unusable", error=error.what, why=error.why, fix=error.fix)
            place = EnginePlace(given.address, given.namespace, queues_of(given.queues, project))
            self._note_engine(place, None, f"{error.what}: {error.why}")
            return None
        from orchestrator.coordinator.relay import Relay  # with the engine's library

        relay = Relay(self._store, place, self._log, self._note_engine)
        relay.start()
        return relay

    def _note_engine(self, place: EnginePlace, version: str | None, why: str) -> None:
        """Raises NotLeader, StoreError."""
        lead = self._leader.leadership

        def unit(tx: Tx) -> None:
            if lead is None:
                raise NotLeader(holder=self._leader.holder)
            leases.must_lead(tx, lead.holder, lead.epoch)
            engines.note(tx, place.address, place.queues, version, why)

        self._store.write(unit)
        wakeup.wake_hosts(self._store.project_id)

    # the collector of traces

    def _begin_traces(self) -> RunTraces | None:
        sender = sender_or_none(self._settings.traces, "coordinator", self._log)
        if sender is None:
            return None
        from orchestrator.coordinator.run_traces import RunTraces

        traces = RunTraces(self._store, sender, self._log)
        traces.start()
        return traces

    # timers, each of which only reads and wakes

    def _timers(self) -> TimerScheduler:
        from orchestrator.coordinator.timers import TimerScheduler  # with APScheduler

        clock = TimerScheduler(self._log, self._fail)
        clock.every(self._settings.renew_seconds, "lead", self._leader.keep)
        clock.every(self._settings.reconcile_seconds, "reap", self._reap)
        clock.every(60.0, "checkpoint", self._maintenance.write_back_log)
        clock.every(600.0, "tidy", self._maintenance.remove_old_runs)
        if self._store.file is not None:  # a server's database is copied by whoever runs the server
            clock.every(CHECK_BACKUP_SECONDS, "backup", partial(self._backup, self._store.file))
        clock.every(600.0, "trees", self._maintenance.tidy_trees)
        clock.every(self._settings.reconcile_seconds, "landed", self._maintenance.follow_landed)
        clock.every(3600.0, "keys", self._maintenance.forget_old_keys)
        clock.every(self._settings.reconcile_seconds, "program", self._look_at_program)
        return clock

    def _look_at_program(self) -> None:
        if self._is_replaced():
            self._wake()

    def _reap(self) -> None:
        lead = self._leader.leadership
        if lead is None:
            return
        try:
            lost = reconcile.reap(self._store, lead)
        except NotLeader:
            self._leader.lose(lead)
            return
        for each in lost:
            self._log.warning(
                "attempt_lost", session=each.session, task=each.task, run=each.run[-8:], why=each.why
            )
        if lost:
            self._wake()

    def _retry_due(self) -> None:
        self._store.write(queries.mark_due)
        self._wake()

    def _backup(self, file: Path) -> None:
        """Once a day copy the database, which is also the check that it is whole: we write no further into a damaged one."""
        try:
            made = sqlite_backups.daily(file, time.time())
        except (DatabaseUnusable, StoreBroken) as error:
            self._fail(error)
            return
        if made is not None:
            self._log.info("database_copied", to=made.name, bytes=made.stat().st_size)

    def _fail(self, error: LifecycleError) -> None:
        """From another thread: let the loop end with this."""
        self._fault = error
        self.stop()

    # beginning, messages, end

    def _recover(self, lead: Leadership) -> None:
        """What a predecessor's death left behind: lost runs, cycles, sessions that no beat would visit."""
        self._reap()
        if taken := projections.take_over(self._store, lead.epoch):
            self._log.info("files_taken_over", sessions=taken)
        for session in reconcile.check_graphs(self._store, lead):
            self._log.error("graph_is_broken", session=session)

        def mark(tx: Tx) -> None:
            leases.must_lead(tx, lead.holder, lead.epoch)
            queries.mark_idle_sessions(tx)

        self._store.write(mark)
        wakeup.wake_hosts(self._store.project_id)
        self._maintenance.tidy_trees()

    def _host_exited(self, code: int) -> None:
        if self._stopping.is_set():
            return
        if code == DatabaseDamaged.exit_code and self._is_damaged():
            return
        try:
            self._reap()
            if code != 0:
                self._maintenance.tidy_trees()
        except StoreBroken as error:
            self._fail(error)
        except (LifecycleError, OSError) as error:  # the timer reaps again
            self._log.error("must_wait", error=str(error), why=getattr(error, "why", ""))
        finally:
            self._wake()

    def _is_damaged(self) -> bool:
        """Whether the file is, which our host has met and we may never come to; then the loop ends."""
        file = self._store.file
        faults = integrity.file_faults(file) if file is not None else []
        if file is not None and faults:
            self._fail(damaged(file, faults[0]))
        return bool(faults)

    def _on_message(self, message: JsonObject) -> None:
        if message.get("type") == "environment" and isinstance(message.get("values"), dict):
            self._supervisor.environment.update(handed_over(self._settings_now(), message["values"]))
            wakeup.wake_hosts(self._store.project_id, message)

    def _settings_now(self) -> Settings:
        """The settings as they are now, or were at our start where they have a fault: whoever sent them tells it."""
        try:
            return read_settings(self._project)
        except LifecycleError:
            return self._settings

    def _end(self, clock: LateTimers) -> None:
        """The host drains first and the lead is given up last, so that nobody takes our place beside a working host.

        When the disk has failed we end as if killed: nothing can be written, and the host is the next daemon's. Only a log
        that was removed is moved into the database first, before anybody writes another.
        """
        is_broken = self._store.is_broken
        if is_broken:
            clock.stop()
            if self._failures.has_lost_log():
                self._supervisor.stop(0)  # it would go on to commit into that log
                self._tried(self._failures.save_log)
        if self._relay is not None:
            self._relay.close()
        if not is_broken:
            self._supervisor.stop(self._settings.drain_seconds + 10, self._left_behind())
            clock.stop()
        for last in (self._projections.finish, self._store.checkpoint, self._leader.leave):
            self._tried(last)
        if self._traces is not None:
            self._traces.close()
        if self._waker is not None:
            self._waker.close()
        self._log.info("daemon_ended")

    def _left_behind(self) -> list[Host]:
        """Hosts that dead daemons had started: they worked on for us, and end with us unless another daemon leads now."""

        def query(tx: Tx) -> list[Host]:
            leader = leases.leader(tx)
            return (
                leases.supervised_hosts(tx) if leader is None or leader.holder == self._leader.holder else []
            )

        file = self._store.file
        try:
            return [row for row in self._store.read(query) if file is None or has_open(row.pid, file)]
        except LifecycleError as error:
            self._log.error("hosts_left_behind", error=error.what, why=error.why)  # they leave by themselves
            return []

    def _tried(self, last: Callable[[], object]) -> None:
        """What fails at the end is made good by the next daemon, and keeps us from nothing else."""
        try:
            last()
        except Exception as error:
            if not self._outdated and not isinstance(error, (LifecycleError, OSError)):
                raise
            self._log.error("not_done_at_the_end", error=str(error), why=getattr(error, "why", ""))
