"""The worker host: slots, heartbeat, watchdog and drain, with work that the test itself controls."""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from orchestrator import wakeup
from orchestrator.commands import manage
from orchestrator.config import load_settings
from orchestrator.door.desk import Desk
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import leases, queries
from orchestrator.store.backends.sqlite import project_id
from orchestrator.store.rows import Run
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.door_server import Running, serving
from tests.patience import patient
from workers.host.host import Host
from workers.host.live_runs import LiveRun

SETTINGS = {
    "lease_seconds": 3.0,
    "renew_seconds": 0.3,
    "watchdog_margin_seconds": 0.5,
    "reconcile_seconds": 0.3,
    "drain_seconds": 1.0,
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = make.make_store(tmp_path)
    yield found
    found.close()
    invariants.check(found.path)
    assert not wakeup.runtime_directory(project_id(found.path)).exists(), (
        "a socket or its directory was left behind"
    )


class Hosted:
    """A host that runs in a thread of the test."""

    def __init__(
        self,
        store: Store,
        execute: Callable[[LiveRun], Run | None],
        slots: int = 2,
        log: Any = None,
        maintain: Callable[[Callable[[], bool]], None] | None = None,
        desk: Desk | None = None,
        **settings: Any,
    ) -> None:
        self.host = Host(
            desk or LocalDesk(store),
            load_settings(None, {}, {**SETTINGS, **settings}),
            make.ALL_ROLES,
            slots,
            execute,
            log or structlog.get_logger(),
            maintain=maintain,
        )
        self.code: int | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self.code = self.host.run()

    def end(self) -> int | None:
        self.host.drain()
        self.thread.join(20)
        assert not self.thread.is_alive()
        return self.code


def until(fact: Callable[[], Any], what: str, seconds: float = 10) -> Any:
    end = time.monotonic() + patient(seconds)
    while not (found := fact()):
        assert time.monotonic() < end, what
        time.sleep(0.01)
    return found


def test_a_host_takes_a_session_from_offer_to_end_and_says_goodbye(store: Store) -> None:
    session = make.make_session(store)
    hosted = Hosted(store, lambda live: make.finish(store, live.row).next)
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)

    until(lambda: make.keys(store, session)["QUALITY-001"] == "completed", "the session is worked off")

    assert hosted.end() == 0
    assert store.read(leases.live_hosts) == []


@pytest.mark.parametrize("asks", ["claim", "renew"])
def test_an_error_that_nothing_explains_ends_no_thread_of_a_host(
    store: Store, monkeypatch: pytest.MonkeyPatch, asks: str
) -> None:
    desk, failed = LocalDesk(store), threading.Event()
    asked = getattr(desk, asks)

    def fails_once(*given: Any, **named: Any) -> Any:
        if not failed.is_set():
            failed.set()
            raise ImportError("cannot import name 'newer'")
        return asked(*given, **named)

    monkeypatch.setattr(desk, asks, fails_once)
    hosted = Hosted(store, lambda live: make.finish(store, live.row).next, slots=1, desk=desk)
    assert failed.wait(patient(10))
    (row,) = until(lambda: store.read(leases.live_hosts), "the host is registered")
    if asks == "renew":
        until(lambda: store.read(leases.live_hosts)[0].lease_until > row.lease_until, "its lease is renewed")
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)

    until(lambda: make.keys(store, session)["QUALITY-001"] == "completed", "the session is worked off")

    assert hosted.end() == 0


def test_a_wake_between_a_look_and_a_wait_is_not_missed(store: Store) -> None:
    by = make.lead(store)
    hosted = Hosted(store, lambda live: make.finish(store, live.row).next, slots=1, reconcile_seconds=3600)
    until(lambda: store.read(leases.live_hosts), "the host is registered")

    for number in range(25):
        session = make.make_session(store, f"Build thing {number}")
        make.one_beat(store, session, by)
        wakeup.wake_hosts(store.project_id)
        until(
            lambda s=session: make.keys(store, s)["QUALITY-001"] == "completed",
            f"session {number} is worked off",
        )

    assert hosted.end() == 0


def test_of_many_idle_slots_one_asks_at_each_wake_and_all_that_is_offered_is_claimed(
    store: Store, tmp_path: Path
) -> None:
    slots, go_on = 8, threading.Event()

    def wait(live: LiveRun) -> None:
        go_on.wait(30)
        make.finish(store, live.row, draining=True)

    with serving(store) as running:
        desk = HttpDesk(running.connections(running.token(slots=slots)), tmp_path / "far").as_desk()
        hosted = Hosted(store, wait, slots, desk=desk, lease_seconds=30, reconcile_seconds=3600)
        until(lambda: claims_at(running) == 1, "it has asked once, and found nothing")
        for number in range(2, 7):
            hosted.host.look_for_work()
            until(lambda number=number: claims_at(running) >= number, "it asks after a wake")
        by = make.lead(store)
        for number in range(slots):
            make.one_beat(store, make.make_session(store, f"Build thing {number}"), by)

        hosted.host.look_for_work()

        until(lambda: len(hosted.host.live.ids()) == slots, "every slot has a run")
        assert claims_at(running) == 6 + slots
        go_on.set()
        assert hosted.end() == 0


def claims_at(running: Running) -> int:
    """How often a server was asked for the oldest offer."""
    assert running.site.metrics is not None
    found = re.findall(rb'requests_total\{operation="claim".*\} (\S+)', running.site.metrics.text())
    return int(sum(map(float, found)))


def test_the_heartbeat_keeps_a_long_run_alive(store: Store) -> None:
    go_on = threading.Event()

    def slow(live: LiveRun) -> None:
        go_on.wait(30)
        make.finish(store, live.row, draining=True)

    session = make.make_session(store)
    hosted = Hosted(store, slow)
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)
    first = until(lambda: store.read(lambda tx: queries.runs_of(tx, session)), "the run is open")[0]
    begun = store.clock.monotonic()

    until(lambda: store.clock.monotonic() - begun > 4_000_000, "more than a lease has passed")
    assert store.read(leases.overdue_runs) == []
    go_on.set()

    until(lambda: make.keys(store, session)["RESEARCH-001"] == "completed", "the run reports")
    assert first.outcome is None
    hosted.end()


def test_a_run_that_is_begun_as_the_lease_of_its_host_is_nearly_over_is_renewed_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claimed, and started directly by a report: for longer than most of a lease, no renewal could be written."""
    desk, left, other = LocalDesk(store), [], sqlite3.connect(store.path, check_same_thread=False)
    asked = desk.claim

    def nearly_end() -> None:
        with other:
            other.execute("UPDATE runs SET lease_until = ? WHERE outcome IS NULL", [ends := soon()])
            other.execute("UPDATE hosts SET lease_until = ?", [ends])

    def soon() -> int:
        return store.clock.monotonic() + 4_000_000

    def claim(*given: Any, **named: Any) -> Run | None:
        nearly_end()
        return asked(*given, **named)

    def work(live: LiveRun) -> Run | None:
        left.append(live.deadline - time.monotonic())
        nearly_end()
        return make.finish(store, live.row).next

    monkeypatch.setattr(desk, "claim", claim)
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    hosted = Hosted(store, work, 1, desk=desk, lease_seconds=60, renew_seconds=20, watchdog_margin_seconds=5)

    until(lambda: make.keys(store, session)["DRAFT-001"] == "completed", "two tasks are done")
    hosted.end()
    other.close()

    assert min(left) > 20, left  # the next renewal comes in time
    found = store.read(lambda tx: queries.runs_of(tx, session))
    assert {row.outcome for row in found} == {"completed"}
    assert "loop" in {row.opened_by for row in found}


def test_the_watchdog_stops_a_run_before_its_lease_ends_when_the_database_is_away(store: Store) -> None:
    stopped: list[float] = []

    def wait_for_stop(live: LiveRun) -> None:
        assert live.stop.wait(20)
        stopped.append(time.monotonic())
        assert live.why == "lease"

    session = make.make_session(store)
    hosted = Hosted(store, wait_for_stop)
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)
    until(lambda: store.read(lambda tx: queries.runs_of(tx, session)), "the run is open")
    other = sqlite3.connect(store.path, isolation_level=None, timeout=10)
    other.execute("BEGIN IMMEDIATE")  # no renewal can be written any more
    held = time.monotonic()
    try:
        until(lambda: stopped, "the watchdog stops it")
        assert stopped[0] - held < SETTINGS["lease_seconds"]
        until(lambda: time.monotonic() - held > SETTINGS["lease_seconds"] + 0.2, "the lease is over")
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert until(lambda: hosted.code, "the fenced host ends") == 3
    from orchestrator.coordinator import reconcile

    assert [lost.task for lost in reconcile.reap(store, None)] == ["RESEARCH-001"]


def test_a_cancelled_run_is_stopped_at_once(store: Store) -> None:
    why: list[str] = []

    def wait_for_stop(live: LiveRun) -> None:
        assert live.stop.wait(20)
        why.append(live.why)

    session = make.make_session(store)
    hosted = Hosted(store, wait_for_stop, renew_seconds=1.0)
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)
    until(lambda: store.read(lambda tx: queries.runs_of(tx, session)), "the run is open")

    manage.cancel(store, session, who="ann")
    wakeup.wake_hosts(store.project_id, {"type": "runs"})

    assert until(lambda: why, "the run is stopped", 5) == ["revoked"]
    hosted.end()


def test_draining_stops_what_does_not_end_in_time_and_the_heartbeat_stops_last(store: Store) -> None:
    seen: list[tuple[str, bool]] = []

    def stubborn(live: LiveRun) -> None:
        assert live.stop.wait(20)
        alive = store.read(leases.live_hosts)
        seen.append((live.why, bool(alive and alive[0].draining)))

    session = make.make_session(store)
    hosted = Hosted(store, stubborn)
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)
    until(lambda: store.read(lambda tx: queries.runs_of(tx, session)), "the run is open")

    assert hosted.end() == 0

    assert seen == [("drained", True)]
    from orchestrator.coordinator import reconcile

    reconcile.reap(store, None)


def test_a_claim_that_was_on_its_way_when_draining_began_is_stopped_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    why: list[str] = []
    draining = threading.Event()
    write = store.write

    def late(unit: Any, **options: Any) -> Any:
        found = write(unit, **options)
        if isinstance(found, Run):
            assert draining.wait(20)
        return found

    def stubborn(live: LiveRun) -> None:
        live.stop.wait(10)
        why.append(live.why)

    def tell(_: object, __: str, event: Any) -> Any:
        if event["event"] == "draining":
            draining.set()
        raise structlog.DropEvent

    monkeypatch.setattr(store, "write", late)
    session = make.make_session(store)
    hosted = Hosted(store, stubborn, log=structlog.wrap_logger(None, processors=[tell]))
    make.one_beat(store, session, make.lead(store))
    wakeup.wake_hosts(store.project_id)
    until(lambda: store.read(lambda tx: queries.runs_of(tx, session)), "the run is open")

    assert hosted.end() == 0

    assert why == ["drained"]
    from orchestrator.coordinator import reconcile

    reconcile.reap(store, None)


def test_a_broken_run_does_not_end_its_slot(store: Store) -> None:
    calls: list[str] = []

    def broken(live: LiveRun) -> Run | None:
        calls.append(live.row.key)
        raise RuntimeError("not caught by the run")

    sessions = [make.make_session(store, f"Build thing {n}") for n in range(3)]
    by = make.lead(store)
    hosted = Hosted(store, broken, slots=1)
    for session in sessions:
        make.one_beat(store, session, by)
    wakeup.wake_hosts(store.project_id)

    until(lambda: len(calls) == 3, "all three were tried by the one slot")
    hosted.end()
    from orchestrator.commands import manage as manager

    for session in sessions:
        manager.cancel(store, session, who="test")


def test_maintenance_comes_after_each_run_and_a_fault_of_it_ends_nothing(store: Store) -> None:
    make.make_session(store)
    done: list[int] = []
    visits: list[int] = []

    def execute(live: LiveRun) -> Run | None:
        done.append(len(visits))
        return make.finish(store, live.row).next

    def maintain(is_over: Callable[[], bool]) -> None:
        assert not is_over()
        visits.append(len(done))
        raise RuntimeError("broken")

    hosted = Hosted(store, execute, maintain=maintain, reconcile_seconds=60.0)
    make.one_beat(store, make.make_session(store, "Another"), make.lead(store))
    wakeup.wake_hosts(store.project_id)

    until(lambda: done and visits and visits[-1] >= 1, "maintenance came after the run")

    assert hosted.end() == 0
