"""Busy storms and the log's growth (techniques 11 and 12): no update lost, no error, no log without bound."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.coordinator.maintenance import CHECKPOINT_BYTES
from orchestrator.store import artifacts
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.storming import count

ROOT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm")
PROCESSES, UNITS = 6, 100
LIMIT = 64 * 1024 * 1024  # journal_size_limit
CONTENT = 900_000  # bytes that one write puts into the database


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="busy-", dir=MEMORY)) if MEMORY.is_dir() else tmp_path
    yield made
    shutil.rmtree(made)


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    found = make.make_store(folder)
    yield found
    found.close()
    invariants.check(found.path)


def storm(store: Store, way: str) -> tuple[int, list[int]]:
    """What six processes counted together, and their exit codes."""
    session = make.make_session(store)
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "tests.storming",
            str(store.path),
            session,
            way,
            str(PROCESSES),
            str(UNITS),
        ],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    return store.read(lambda tx: count(tx, session)), json.loads(done.stdout)


def test_six_processes_that_read_and_write_in_units_lose_no_update_and_see_no_error(store: Store) -> None:
    counted, codes = storm(store, "unit")

    assert (counted, codes) == (PROCESSES * UNITS, [0] * PROCESSES)


def test_the_storm_notices_a_read_outside_of_its_unit(store: Store) -> None:
    counted, codes = storm(store, "torn")

    assert codes == [0] * PROCESSES
    assert counted < PROCESSES * UNITS


def fill(store: Store, daemon: Store, first: int, count: int) -> int:
    """So many large writes beside a daemon that checkpoints as ours does; the log's largest size."""
    log = store.path.with_name(store.path.name + "-wal")
    largest = 0
    for number in range(first, first + count):
        body = number.to_bytes(4, "big") * (CONTENT // 4)
        store.write(lambda tx, body=body: artifacts.put(tx, body))  # type: ignore[misc]
        largest = max(largest, log.stat().st_size)
        if log.stat().st_size > CHECKPOINT_BYTES:
            daemon.checkpoint()
    return largest


def test_the_log_stays_small_while_the_daemon_checkpoints(store: Store) -> None:
    daemon = Store(store.path, checkpointer=True)

    largest = fill(store, daemon, 0, 60)

    daemon.close()
    assert largest < 4 * CHECKPOINT_BYTES


def test_a_log_that_grew_behind_a_reader_is_cut_back_when_the_reader_has_gone(store: Store) -> None:
    daemon = Store(store.path, checkpointer=True)
    fill(store, daemon, 1000, 1)
    reader = sqlite3.connect(f"file:{store.path}?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM contents").fetchall()

    behind = fill(store, daemon, 0, 80)
    reader.execute("ROLLBACK")
    reader.close()
    daemon.checkpoint()
    fill(store, daemon, 80, 1)
    after = fill(store, daemon, 81, 20)

    daemon.close()
    assert behind > LIMIT, "the reader held nothing up: this test proves nothing"
    assert after <= LIMIT
