"""PostgreSQL is killed again and again while hosts work: what was acknowledged is there, and nothing is done twice."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path

import pytest
import structlog

from orchestrator.config import load_settings
from orchestrator.door.shared_desk import desk_on
from orchestrator.store.backends.postgres_backend import PostgresBackend
from orchestrator.store.backends.postgres_schema import ensure_schema
from orchestrator.store.rows import Run
from orchestrator.store.store import Store
from orchestrator.store.tables import metadata
from tests import factories as make
from tests import invariants
from tests.bench.noop import noop_report
from tests.patience import patient
from tests.postgres_server import Server, server
from workers.host.host import Host
from workers.host.live_runs import LiveRun

KILLS = 20
SLOTS, STEPS = 8, 6  # at once; tasks of a session
BETWEEN = 12  # tasks from one kill to the next
LEASE = {"lease_seconds": 60, "renew_seconds": 0.5, "watchdog_margin_seconds": 5, "reconcile_seconds": 0.5}


class Work:
    """A host that works sessions off on a database of its own; `acknowledged`: the runs whose report was answered."""

    def __init__(self, store: Store, sessions: int) -> None:
        self.store = store
        self.acknowledged: list[str] = []
        self.stopped: list[str] = []
        self._desk = desk_on(store)
        by = make.lead(store)
        for number in range(sessions):
            make.one_beat(store, make.make_session(store, f"Build shop {number}", discuss="off"), by)
        self.tasks = sessions * STEPS
        self._host = Host(
            self._desk,
            load_settings(None, {}, LEASE),
            make.ALL_ROLES,
            SLOTS,
            self._execute,
            structlog.get_logger(),
            stays=True,
        )
        self._thread = threading.Thread(target=self._host.run, daemon=True)

    def _execute(self, live: LiveRun) -> Run | None:
        if live.stop.is_set():
            self.stopped.append(live.row.run)
        following = self._desk.report(noop_report(live.row), make.ALL_ROLES, draining=False).next
        if live.why == "lease":  # one that was reported may be found closed by a renewal that named it
            self.stopped.append(live.row.run)
        self.acknowledged.append(live.row.run)
        return following

    def begin(self) -> None:
        self._thread.start()

    def until(self, done: int) -> None:
        end = time.monotonic() + patient(120)
        while len(self.acknowledged) < done:
            assert time.monotonic() < end, f"{len(self.acknowledged)} of {done} tasks are done"
            time.sleep(0.005)  # between two looks, not instead of one

    def end(self) -> None:
        self._host.drain()
        self._thread.join(patient(60))
        assert not self._thread.is_alive()


def strike(postgres: Server, kills: int, tmp_path: Path) -> Store:
    """The store after so many kills under load, each after BETWEEN further tasks."""
    address = postgres.database()
    ensure_schema(address, metadata)
    store = make.make_postgres_store(tmp_path, address)
    work = Work(store, kills * BETWEEN // STEPS + SLOTS)
    work.begin()
    for number in range(kills):
        work.until((number + 1) * BETWEEN)
        postgres.kill()
        postgres.start()
    work.until(work.tasks)
    work.end()

    rows = store.read(lambda tx: _rows(tx.opened.cursor))
    completed = Counter(task for task, _, outcome in rows if outcome == "completed")
    assert set(completed.values()) == {1} and len(completed) == work.tasks  # each once, none lost
    assert {run for _, run, outcome in rows if outcome == "completed"} == set(work.acknowledged)
    assert not work.stopped  # an outage below the lease ends nobody's work
    assert Counter(outcome for _, _, outcome in rows) == {"completed": work.tasks}
    return store


def _rows(cursor: object) -> list[tuple[int, str, str | None]]:
    cursor.execute("SELECT task_id, id, outcome FROM runs")  # type: ignore[attr-defined]
    return cursor.fetchall()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.scale
def test_a_server_that_is_killed_under_load_loses_nothing_that_was_acknowledged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = time.monotonic()
    with server() as postgres:
        store = strike(postgres, KILLS, tmp_path)
        invariants.check_store(store)
        backend = store.backend
        assert isinstance(backend, PostgresBackend)
        with capsys.disabled():
            print(
                f"\n{KILLS} kills: {backend.resolved} commits whose answer was lost were found made, "
                f"{backend.repeated} units repeated, {time.monotonic() - begun:.0f} s"
            )
        store.close()
