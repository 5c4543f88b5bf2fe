"""The store: `write(unit)` for every change, `read(unit)` for every look.

A unit is a function of one transaction. It may run more than once (the whole unit is retried when another process holds
the lock), so it must do nothing but read and write through its `Tx`. What it returns is returned after the commit: an
answer is an acknowledgement that survives a power cut (synchronous=FULL).
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from orchestrator.domain.errors import DatabaseBusy, DatabaseUnusable, StoreError
from orchestrator.store.clock import Clock, SystemClock, boot_id
from orchestrator.store.database import connect_reader, connect_writer, lock_holders, pool
from orchestrator.store.prepared import Prepared, Row

T = TypeVar("T")
BUSY_SECONDS = 35.0  # how long a writing unit waits for another process's lock, all retries together


class DiskFull(StoreError):
    """The disk is full; nothing was written."""


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
        self._write_lock = threading.Lock()  # one writer a process, instead of busy-waiting against ourselves
        self._writers = pool(
            lambda: connect_writer(path, synchronous=synchronous, journal=journal, checkpointer=checkpointer),
            1,
        )
        self._readers = pool(lambda: connect_reader(path), 8)

    def close(self) -> None:
        self._writers.dispose()
        self._readers.dispose()

    def write(self, unit: Callable[[Tx], T]) -> T:
        """Run `unit` in one IMMEDIATE transaction and return its answer after the commit.

        Raises DatabaseBusy, DiskFull or DatabaseUnusable; whatever the unit raises rolls everything back.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        with self._write_lock, self._connection(self._writers) as connection:
            while True:
                try:
                    return self._attempt(connection, unit)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                        raise self._explain(error) from error
                    holders = lock_holders(self.path)
                    if time.monotonic() >= deadline:
                        named = ", ".join(map(str, holders)) or "unknown"
                        raise DatabaseBusy(
                            why=f"waited {BUSY_SECONDS:.0f} s; holder: pid {named}",
                            fix="end that process, or wait for it, and repeat the command",
                        ) from error
                    if self._on_wait is not None:
                        self._on_wait(holders)
                except sqlite3.DatabaseError as error:
                    raise self._explain(error) from error

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
        with self._connection(self._readers) as connection:
            cursor = connection.cursor()
            try:
                cursor.execute("BEGIN")
                return unit(Tx(cursor, self.clock))
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                raise self._explain(error) from error
            finally:
                if connection.in_transaction:
                    cursor.execute("ROLLBACK")
                cursor.close()

    def checkpoint(self) -> None:
        """Move the log into the database as far as no reader is in the way. The daemon alone calls this."""
        with self._write_lock, self._connection(self._writers) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    @contextmanager
    def _connection(self, source: Any) -> Iterator[sqlite3.Connection]:
        try:
            fairy = source.connect()
        except sqlite3.Error as error:
            raise self._explain(error) from error
        try:
            yield fairy.dbapi_connection
        finally:
            fairy.close()

    def _explain(self, error: sqlite3.Error) -> Exception:
        """The fault in our words; a broken constraint stays what it is, since it is a fault of ours."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if isinstance(error, sqlite3.IntegrityError):
            return error
        if code == sqlite3.SQLITE_FULL or error.args[:1] == (errno.ENOSPC,):
            return DiskFull(
                why=f"no room left for {self.path}", fix="free some space, then run `lifecycle resume`"
            )
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return DatabaseUnusable(
                "the database is damaged",
                why=str(error),
                fix=f"it is left as it is; restore a copy from {self.path.parent / 'backups'}",
            )
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return DatabaseUnusable(
                "the database cannot be written",
                why=f"{self.path}: {error}",
                fix="check the owner and rights of .workflow",
            )
        return StoreError(f"the database failed: {error}", why=str(self.path))
