"""The store: `write(unit)` for every change, `read(unit)` for every query.

A unit is a function of one transaction. It may run more than once (the whole unit is retried when another process holds
the lock), so it must do nothing but read and write through its `Tx`. What it returns is returned after the commit: an
answer is an acknowledgement that survives a power cut (synchronous=FULL).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar, cast

from orchestrator.domain.errors import DatabaseUnusable, DiskFull, StoreBroken
from orchestrator.store import ballast
from orchestrator.store.backends import sqlite
from orchestrator.store.backends.sqlite_errors import WAITABLE, code_of, explain
from orchestrator.store.backends.sqlite_file import (
    Readers,
    busy,
    connect_reader,
    connect_writer,
    lock_holders,
)
from orchestrator.store.clock import Clock, SystemClock, boot_id
from orchestrator.store.grouping import GroupCommit, Request
from orchestrator.store.statements import Change, Insertion, Query

R = TypeVar("R")
T = TypeVar("T")


class Gathered(Protocol):
    def flush(self) -> None: ...


G = TypeVar("G", bound=Gathered)
READERS = 32  # connections kept open for queries; more are made when needed, and closed again
BUSY_SECONDS = 35.0  # how long a writing unit waits for another process's lock, all retries together


class Tx:
    """One transaction: the time it happens at, and statements that expect what they change."""

    def __init__(self, cursor: sqlite.Cursor, clock: Clock, workflow: Path) -> None:
        self._cursor = cursor
        self.workflow = workflow
        self.now = clock.wall()
        self.lease_now = clock.monotonic()
        self.boot = boot_id()
        self._gathered: dict[object, Gathered] = {}

    def gather(self, key: object, begin: Callable[[], G]) -> G:
        """What collects the unit's changes under `key`, to be written at once when the unit has ended."""
        found = self._gathered.get(key)
        if found is None:
            found = self._gathered[key] = begin()
        return cast(G, found)

    def flush(self) -> None:
        """Write what was gathered."""
        while self._gathered:
            self._gathered.popitem()[1].flush()

    def run_many(self, statement: Insertion, rows: list[dict[str, object]]) -> None:
        """Insert each of these rows; all name the same columns."""
        form = statement.for_values(rows[0])
        self._cursor.executemany(form.sql, [form.bind(row) for row in rows])

    def insert(self, statement: Insertion, **values: object) -> int:
        """The new row's id."""
        form = statement.for_values(values)
        self._cursor.execute(form.sql, form.bind(values))
        return self._cursor.lastrowid or 0

    def run(self, statement: Change, **values: object) -> int:
        """The number of rows changed."""
        form = statement.form
        self._cursor.execute(form.sql, form.bind(values))
        return self._cursor.rowcount

    def one(self, statement: Change, **values: object) -> bool:
        """Whether exactly one row was changed. Raises AssertionError for more than one."""
        changed = self.run(statement, **values)
        if changed > 1:
            raise AssertionError(f"{changed} rows changed where one was meant: {statement.form.sql}")
        return changed == 1

    def rows(self, statement: Query[R], **values: object) -> list[R]:
        form, make = statement.compiled
        self._cursor.execute(form.sql, form.bind(values))
        return [make(raw) for raw in self._cursor.fetchall()]

    def row(self, statement: Query[R], **values: object) -> R | None:
        """The first row, None when there is none."""
        found = self.rows(statement, **values)
        return found[0] if found else None


class Watch:
    """Tells whether something was committed since the last time it was asked; it holds no transaction open."""

    def __init__(self, connection: sqlite.Connection) -> None:
        self._connection = connection
        self._seen = sqlite.data_version(connection)

    def has_changed(self) -> bool:
        """Raises DatabaseUnusable when the database can no longer be read."""
        try:
            now = sqlite.data_version(self._connection)
        except sqlite.DriverError as error:
            raise DatabaseUnusable(why=str(error), fix="`lifecycle doctor` checks it") from error
        before, self._seen = self._seen, now
        return now != before

    def close(self) -> None:
        self._connection.close()


class Store:
    """One process's access to one database. Safe for threads; no connection crosses a fork."""

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
        self.workflow = path.parent  # the folder of everything that the project keeps in files
        self.project_id = sqlite.project_id(path)
        self.clock = clock or SystemClock()
        self._on_wait = on_wait
        self._broken = ""  # why, once the disk has failed: what our handles hold is in doubt from then on
        self._write_lock = threading.Lock()  # one writer a process, instead of busy-waiting against ourselves
        self._commits = GroupCommit(self._transact)
        self._connect = partial(
            connect_writer, path, synchronous=synchronous, journal=journal, checkpointer=checkpointer
        )
        self._connection: sqlite.Connection | None = None
        self._readers = Readers(partial(connect_reader, path), READERS)

    def close(self) -> None:
        # The lock is taken only if a thread was interrupted while writing: then the process ends, and its handle with it.
        if self._write_lock.acquire(blocking=False):
            try:
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None
            finally:
                self._write_lock.release()
        self._readers.close()

    def write(self, unit: Callable[[Tx], T], *, use_ballast: bool = False) -> T:
        """Return the answer of `unit` once its transaction, which it may share with others that wait, is committed.

        `use_ballast`: it must be written down though the disk is full, so the ballast is given up for it.
        Raises DatabaseBusy, DiskFull, DatabaseUnusable or StoreBroken; whatever the unit raises rolls everything back.
        """
        try:
            return cast(T, self._commits.submit(unit))
        except DiskFull:
            if not (use_ballast and ballast.give_up(self.path)):
                raise
        return cast(T, self._commits.submit(unit))

    def _transact(self, group: list[Request]) -> None:
        """Commit the group's units in one transaction, waiting for other processes as long as its first may."""
        self.must_be_whole()
        while True:
            try:
                with self._writing() as connection:
                    return self._attempt(connection, group)
            except sqlite.DriverError as error:
                if code_of(error) not in WAITABLE:
                    raise self._explained(error) from error
                self._wait_or_give_up(group[0].since + BUSY_SECONDS, error)

    def _wait_or_give_up(self, deadline: float, error: sqlite.DriverError) -> None:
        """Tell whom we wait for; SQLite itself has waited before it said that the database is busy."""
        if time.monotonic() >= deadline:
            raise busy(self.path, BUSY_SECONDS) from error
        if self._on_wait is not None:
            self._on_wait(lock_holders(self.path))

    def _attempt(self, connection: sqlite.Connection, group: list[Request]) -> None:
        for request in group:  # an earlier try of the same units counts for nothing
            request.answer = request.error = None
        with sqlite.writing(connection) as cursor:
            for request in group:
                self._run(cursor, request)

    def _run(self, cursor: sqlite.Cursor, request: Request) -> None:
        """Run one unit of the group. What it raises ends the try, and says whose fault that was."""
        tx = Tx(cursor, self.clock, self.workflow)
        try:
            request.answer = request.unit(tx)
            tx.flush()
        except Exception as error:
            if not isinstance(error, sqlite.DriverError):  # which is everybody's
                request.error = error
            raise

    def read(self, unit: Callable[[Tx], T]) -> T:
        """Return the answer of `unit` on one consistent snapshot; it cannot write."""
        self.must_be_whole()
        try:
            with self._readers.connection() as connection, sqlite.reading(connection) as cursor:
                return unit(Tx(cursor, self.clock, self.workflow))
        except sqlite.DriverError as error:
            raise self._explained(error) from error

    def watch(self) -> Watch:
        """What tells of every commit, of any process. Raises StoreError; the caller closes it."""
        self.must_be_whole()
        try:
            return Watch(connect_reader(self.path))
        except sqlite.DriverError as error:
            raise self._explained(error) from error

    def checkpoint(self, *, last: bool = False) -> None:
        """Move the log into the database as far as no reader is in the way. The daemon alone calls this.

        `last`: after `give_up`, so that nothing is committed behind it.
        """
        if not last:
            self.must_be_whole()
        try:
            with self._writing() as connection:
                sqlite.checkpoint(connection)
        except sqlite.DriverError as error:
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

    def _explained(self, error: sqlite.DriverError) -> Exception:
        found = explain(error, self.path)
        if isinstance(found, StoreBroken):
            self.give_up(found.why)
        return found

    @contextmanager
    def _writing(self) -> Iterator[sqlite.Connection]:
        """The writing connection, for one thread at a time."""
        with self._write_lock:
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection
