"""The store: `write(unit)` for every change, `read(unit)` for every look.

A unit is a function of one transaction. It may run more than once (the whole unit is retried when another process holds
the lock), so it must do nothing but read and write through its `Tx`. What it returns is returned after the commit: an
answer is an acknowledgement that survives a power cut (synchronous=FULL).
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from orchestrator.domain.errors import DiskFull, StoreBroken
from orchestrator.store import ballast
from orchestrator.store.clock import Clock, SystemClock, boot_id
from orchestrator.store.database import busy, connect_reader, connect_writer, lock_holders, pool
from orchestrator.store.faults import WAITABLE, code_of, explain
from orchestrator.store.prepared import Prepared, Row

T = TypeVar("T")
BUSY_SECONDS = 35.0  # how long a writing unit waits for another process's lock, all retries together


class Tx:
    """One transaction: the time it happens at, and statements that expect what they change."""

    def __init__(self, cursor: sqlite3.Cursor, clock: Clock) -> None:
        self._cursor = cursor
        self.now = clock.wall()
        self.lease_now = clock.monotonic()
        self.boot = boot_id()

    def _execute(self, statement: Prepared, values: dict[str, Any]) -> None:
        form = statement.for_values(values)
        self._cursor.execute(form.sql, form.bind(values))

    def run(self, statement: Prepared, **values: Any) -> int:
        """Rows changed."""
        self._execute(statement, values)
        return self._cursor.rowcount

    def one(self, statement: Prepared, **values: Any) -> bool:
        """Whether exactly one row was changed; more than one is a fault of ours."""
        changed = self.run(statement, **values)
        if changed > 1:
            raise AssertionError(f"{changed} rows changed where one was meant: {statement.sql}")
        return changed == 1

    def insert(self, statement: Prepared, **values: Any) -> int:
        """The new row's id."""
        self._execute(statement, values)
        return self._cursor.lastrowid or 0

    def rows(self, statement: Prepared, **values: Any) -> list[Row]:
        self._execute(statement, values)
        return [statement.row(raw) for raw in self._cursor.fetchall()]

    def row(self, statement: Prepared, **values: Any) -> Row | None:
        """The first row, None when there is none."""
        found = self.rows(statement, **values)
        return found[0] if found else None

    def value(self, statement: Prepared, **values: Any) -> Any:
        """The first column of the first row, None when there is none."""
        row = self.row(statement, **values)
        return None if row is None else next(iter(row.values()))


class Store:
    """One process's door to one database. Safe for threads; no connection crosses a fork."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock | None = None,
        synchronous: str = "FULL",
        journal: str = "wal",
        checkpointer: bool = False,
        on_wait: Callable[[list[int]], None] | None = None,
    ) -> None:
        """`on_wait` is told once, with the pids in the way, when a write has to wait for another process."""
        self.path = path
        self.clock = clock or SystemClock()
        self._on_wait = on_wait
        self._broken = ""  # why, once the disk has failed: what our handles hold is in doubt from then on
        self._write_lock = threading.Lock()  # one writer a process, instead of busy-waiting against ourselves
        self._writers = pool(
            lambda: connect_writer(path, synchronous=synchronous, journal=journal, checkpointer=checkpointer),
            1,
        )
        self._readers = pool(lambda: connect_reader(path), 8)

    def close(self) -> None:
        self._writers.dispose()
        self._readers.dispose()

    def write(self, unit: Callable[[Tx], T], *, use_ballast: bool = False) -> T:
        """Run `unit` in one IMMEDIATE transaction and return its answer after the commit.

        `use_ballast`: it must be written down though the disk is full, so the ballast is given up for it.
        Raises DatabaseBusy, DiskFull, DatabaseUnusable or StoreBroken; whatever the unit raises rolls everything back.
        """
        try:
            return self._write(unit)
        except DiskFull:
            if not (use_ballast and ballast.give_up(self.path)):
                raise
        return self._write(unit)

    def _write(self, unit: Callable[[Tx], T]) -> T:
        self.must_be_whole()
        deadline = time.monotonic() + BUSY_SECONDS
        with self._write_lock:
            while True:
                try:
                    with self._connection(self._writers) as connection:
                        return self._attempt(connection, unit)
                except sqlite3.Error as error:
                    if code_of(error) not in WAITABLE:
                        raise self._explained(error) from error
                    self._wait_or_give_up(deadline, error)

    def _wait_or_give_up(self, deadline: float, error: sqlite3.Error) -> None:
        """Tell whom we wait for; SQLite itself has waited before it said that the database is busy."""
        if time.monotonic() >= deadline:
            raise busy(self.path, BUSY_SECONDS) from error
        if self._on_wait is not None:
            self._on_wait(lock_holders(self.path))

    def _attempt(self, connection: sqlite3.Connection, unit: Callable[[Tx], T]) -> T:
        cursor = connection.cursor()
        cursor.execute("BEGIN IMMEDIATE")
        try:
            answer = unit(Tx(cursor, self.clock))
            cursor.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # SQLITE_FULL and some I/O errors have rolled back by themselves
                cursor.execute("ROLLBACK")
            raise
        finally:
            cursor.close()
        return answer

    def read(self, unit: Callable[[Tx], T]) -> T:
        """Run `unit` on one consistent snapshot; it cannot write."""
        self.must_be_whole()
        try:
            with self._connection(self._readers) as connection:
                cursor = connection.cursor()
                try:
                    cursor.execute("BEGIN")
                    return unit(Tx(cursor, self.clock))
                finally:
                    if connection.in_transaction:
                        cursor.execute("ROLLBACK")
                    cursor.close()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def checkpoint(self) -> None:
        """Move the log into the database as far as no reader is in the way. The daemon alone calls this."""
        self.must_be_whole()
        try:
            with self._write_lock, self._connection(self._writers) as connection:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    @property
    def is_broken(self) -> bool:
        return bool(self._broken)

    def must_be_whole(self) -> None:
        """Raises StoreBroken for ever after the disk has failed: this process ends, another one begins with new handles."""
        if self.is_broken:
            raise StoreBroken(why=self._broken, fix="check the disk, then repeat the command")

    def give_up(self, why: str) -> None:
        """Acknowledge nothing any more: somebody found that what we commit would be lost."""
        self._broken = why

    def _explained(self, error: sqlite3.Error) -> Exception:
        found = explain(error, self.path)
        if isinstance(found, StoreBroken):
            self.give_up(found.why)
        return found

    @contextmanager
    def _connection(self, source: Any) -> Iterator[sqlite3.Connection]:
        fairy = source.connect()
        try:
            yield fairy.dbapi_connection
        finally:
            fairy.close()
