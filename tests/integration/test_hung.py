"""Who may be killed for holding the database: a coordinator or worker host of the project whose lease is over."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.dispatch.hung import end_hung
from orchestrator.store import leases
from orchestrator.store.clock import process_start
from orchestrator.store.store import Store
from tests import factories

OVER, LASTS = -1.0, 60.0  # seconds that a lease lasts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as made:
        yield made
        made.kill()


def register(
    store: Store, pid: int, seconds: float, name: str = "h-own-1", started: int | None = None
) -> None:
    store.write(
        lambda tx: leases.register_host(
            tx,
            name,
            pid=pid,
            started=process_start(pid) or 0 if started is None else started,
            roles=["writer"],
            slots=1,
            lease_seconds=seconds,
        )
    )


def lead(store: Store, pid: int, seconds: float) -> None:
    started = process_start(pid) or 0
    store.write(lambda tx: leases.take_lead(tx, "d-1", pid=pid, started=started, lease_seconds=seconds))


@pytest.mark.parametrize("take", [register, lead])
def test_one_whose_lease_is_over_is_ended(
    store: Store, process: subprocess.Popen[bytes], take: object
) -> None:
    take(store, process.pid, OVER)  # type: ignore[operator]

    assert end_hung(store, [process.pid]) == [process.pid]
    assert process.wait() == -9


@pytest.mark.parametrize("take", [register, lead])
def test_one_whose_lease_lasts_is_spared(
    store: Store, process: subprocess.Popen[bytes], take: object
) -> None:
    take(store, process.pid, LASTS)  # type: ignore[operator]

    assert end_hung(store, [process.pid]) == []
    assert process.poll() is None


def test_one_that_does_not_hold_the_database_is_spared(
    store: Store, process: subprocess.Popen[bytes]
) -> None:
    register(store, process.pid, OVER)

    assert end_hung(store, [1]) == []
    assert process.poll() is None


def test_one_that_is_no_process_of_the_project_is_spared(
    store: Store, process: subprocess.Popen[bytes]
) -> None:
    register(store, process.pid, OVER, started=1)  # the pid was another process's
    assert end_hung(store, [process.pid]) == []

    register(store, process.pid, OVER, name="h-2")  # whom a person has started
    assert end_hung(store, [process.pid]) == []
    assert process.poll() is None


def test_a_host_that_lives_on_as_another_incarnation_is_spared(
    store: Store, process: subprocess.Popen[bytes]
) -> None:
    register(store, process.pid, OVER)
    register(store, process.pid, LASTS, name="h-own-2")

    assert end_hung(store, [process.pid]) == []
    assert process.poll() is None


def test_where_a_writer_keeps_out_readers_nobody_is_ended(tmp_path: Path) -> None:
    factories.make_store(tmp_path).close()
    database = tmp_path / ".workflow" / "lifecycle.db"
    writer = sqlite3.connect(database)
    writer.execute("PRAGMA journal_mode = truncate")
    store = Store(database, journal="truncate")
    writer.execute("BEGIN EXCLUSIVE")

    assert end_hung(store, [1]) == []

    writer.close()
    store.close()


def test_a_coordinator_that_has_left_the_lead_is_spared(
    store: Store, process: subprocess.Popen[bytes]
) -> None:
    lead(store, process.pid, LASTS)
    row = store.read(leases.leader)
    assert row is not None

    store.write(lambda tx: leases.leave_lead(tx, row.holder, row.epoch))  # it may begin anew, and migrate

    assert end_hung(store, [process.pid]) == []
    assert process.poll() is None
