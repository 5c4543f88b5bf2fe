"""Timers while the wall clock jumps, and sockets that are removed while somebody listens (docs/faults.md)."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from pathlib import Path

import pytest
import structlog

from orchestrator import wakeup
from orchestrator.config.settings import Settings
from orchestrator.coordinator import timers
from orchestrator.coordinator.daemon import RETRY_SECONDS, Daemon
from orchestrator.coordinator.timers import TimerScheduler
from orchestrator.dispatch.local import HostSupervisor
from orchestrator.domain.errors import DatabaseBusy
from orchestrator.project import Project
from orchestrator.store import artifacts, leases
from orchestrator.store.backends.sqlite import project_id
from tests import factories

HOUR = 3600.0


class Wall:
    """A wall clock that can be set, as `datetime.now` shows it to the timers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        wall = self

        class Shown(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Shown:
                return cls.fromtimestamp(wall.time(), tz)

        monkeypatch.setattr("apscheduler.schedulers.base.datetime", Shown)

    def time(self) -> float:
        return time.time() + self.ahead


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    monkeypatch.setattr(timers, "POLL_SECONDS", 0.02)
    return Wall(monkeypatch)


@pytest.fixture
def clock(wall: Wall) -> Iterator[TimerScheduler]:
    made = TimerScheduler(structlog.get_logger(), lambda _: None, wall.time)
    yield made
    made.stop()


class Ticks:
    """Counts, and lets a test wait for the next ones."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.times: list[float] = []

    def __call__(self) -> None:
        with self._changed:
            self.times.append(time.monotonic())
            self._changed.notify_all()

    def wait_for(self, more: int) -> None:
        with self._changed:
            wanted = len(self.times) + more
            assert self._changed.wait_for(lambda: len(self.times) >= wanted, timeout=30), (
                "the timer is silent"
            )


@pytest.mark.parametrize(
    "jump", [-HOUR, HOUR, -40 * 365 * 24 * HOUR, 40 * 365 * 24 * HOUR], ids="{:+.0f} s".format
)
def test_a_timer_goes_on_at_its_pace_when_the_wall_clock_jumps(
    clock: TimerScheduler, wall: Wall, jump: float
) -> None:
    ticks, rare = Ticks(), Ticks()
    clock.every(0.1, "often", ticks)
    clock.every(2 * HOUR, "rare", rare)
    clock.start()
    ticks.wait_for(2)

    wall.ahead += jump
    ticks.wait_for(4)

    assert len(rare.times) <= (jump > 2 * HOUR)  # once at most, and not for every period passed over


def test_an_alarm_that_is_due_in_a_moment_comes_also_when_the_clock_is_put_back(
    clock: TimerScheduler, wall: Wall
) -> None:
    rung, steady = Ticks(), Ticks()
    clock.every(0.1, "steady", steady)
    clock.start()
    clock.at(int((wall.time() + 60) * 1e6), "retry", rung)

    wall.ahead -= HOUR
    rung.wait_for(1)
    steady.wait_for(3)

    assert len(rung.times) == 1


# the socket at which others wake us


def remove_socket(database: Path) -> None:
    (wakeup.runtime_directory(project_id(database)) / "daemon.sock").unlink()


def remove_directory(database: Path) -> None:
    shutil.rmtree(wakeup.runtime_directory(project_id(database)))


@pytest.mark.parametrize("remove", [remove_socket, remove_directory], ids=["socket", "directory"])
def test_a_socket_that_was_removed_is_made_again_with_the_next_wait(
    tmp_path: Path, remove: Callable[[Path], None]
) -> None:
    database = tmp_path / "lifecycle.db"
    waker = wakeup.Waker(project_id(database), "daemon")
    remove(database)
    lost = wakeup.wake_daemon(project_id(database))

    waker.wait(0.01)
    heard = wakeup.wake_daemon(project_id(database))
    woken = waker.wait(5)

    assert (lost, heard, woken) == (False, True, True)
    waker.close()
    assert not waker.path.exists()


def test_a_socket_that_a_successor_has_taken_over_is_left_to_it(tmp_path: Path) -> None:
    database = tmp_path / "lifecycle.db"
    old = wakeup.Waker(project_id(database), "daemon")
    new = wakeup.Waker(project_id(database), "daemon")

    old.wait(0.01)
    wakeup.wake_daemon(project_id(database))

    assert new.wait(5)
    old.close()
    assert wakeup.wake_daemon(project_id(database))
    new.close()


# a coordinator whose database is held


def test_a_coordinator_whose_database_is_held_tries_again_and_leads_when_it_is_free(
    tmp_path: Path, clock: TimerScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.store.backends.sqlite_backend.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("orchestrator.store.backends.sqlite_file.BUSY_TIMEOUT_MS", 50)
    store = factories.make_store(tmp_path)
    daemon = Daemon(Project(tmp_path), store, Settings(), structlog.get_logger())
    clock.start()
    holder = sqlite3.connect(store.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    while_held = daemon._guarded(clock)
    refused = store.read(leases.leader)
    holder.execute("ROLLBACK")
    daemon._guarded(clock)

    assert while_held == RETRY_SECONDS
    assert refused is None
    assert store.read(leases.leader) is not None
    holder.close()
    store.close()


# a log that grows faster than the timer comes round


def test_a_coordinator_that_cannot_lead_ends_the_host_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.store.backends.sqlite_backend.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("orchestrator.store.backends.sqlite_file.BUSY_TIMEOUT_MS", 50)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # those of the tests stay
    store = factories.make_store(tmp_path)
    supervisor = HostSupervisor(tmp_path, 1, structlog.get_logger())
    daemon = Daemon(Project(tmp_path), store, Settings(), structlog.get_logger(), supervisor=supervisor)
    holder = sqlite3.connect(store.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    supervisor.ensure()

    with pytest.raises(DatabaseBusy):
        daemon.run()

    assert not supervisor.running
    holder.close()
    store.close()


@pytest.mark.parametrize(("large", "written_back"), [(1024 * 1024, True), (1024**3, False)])
def test_a_large_log_is_written_back_without_waiting_for_the_timer(
    tmp_path: Path, clock: TimerScheduler, monkeypatch: pytest.MonkeyPatch, large: int, written_back: bool
) -> None:
    monkeypatch.setattr("orchestrator.coordinator.maintenance.LARGE_LOG_BYTES", large)
    store = factories.make_store(tmp_path)
    daemon = Daemon(Project(tmp_path), store, Settings(), structlog.get_logger())
    clock.start()
    body = random.Random(1).randbytes(900_000)
    for number in range(3):
        store.write(lambda tx, number=number: artifacts.put(tx, bytes([number]) + body))
    before = store.path.stat().st_size

    daemon._guarded(clock)

    assert (store.path.stat().st_size - before > 2_000_000) is written_back
    store.close()
