"""The project's database as one SQLite file: one writer at a time, whose waiting units share a commit and its sync."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from orchestrator.domain.errors import DatabaseUnusable, DiskFull, StoreBroken
from orchestrator.store import ballast
from orchestrator.store.backends import sqlite
from orchestrator.store.backends.backend import Opened
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

if TYPE_CHECKING:
    from sqlalchemy import MetaData

T = TypeVar("T")
READERS = 32  # connections kept open for queries; more are made when needed, and closed again
BUSY_SECONDS = 35.0  # how long a writing unit waits for another process's lock, all retries together


class FileWatch:
    """A `Watch` by the number that SQLite gives the file's state."""

    def __init__(self, connection: sqlite.Connection) -> None:
        self._connection = connection
        self._seen = sqlite.data_version(connection)

    def has_changed(self) -> bool:
        try:
            now = sqlite.data_version(self._connection)
        except sqlite.DriverError as error:
            raise DatabaseUnusable(why=str(error), fix="`lifecycle doctor` checks it") from error
        before, self._seen = self._seen, now
        return now != before

    def close(self) -> None:
        self._connection.close()


class SqliteBackend:
    """A `Backend`. `about` is of no use to it: its one writer has all sessions to itself."""

    sql = sqlite.SQL

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
        self.path = self.file = path
        self.identity = sqlite.project_id(path)
        self.repeated = 0  # whoever waits for the lock has not begun
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

    def transact(self, unit: Callable[[Opened], T], about: Sequence[str], *, use_ballast: bool = False) -> T:
        """Raises DatabaseBusy, DiskFull, DatabaseUnusable or StoreBroken; the unit may share its commit with others."""
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
                with self._write_lock:
                    return self._attempt(self._writer(), group)
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
        try:
            request.answer = request.unit(self._opened(cursor))
        except Exception as error:
            if not isinstance(error, sqlite.DriverError):  # which is everybody's
                request.error = error
            raise

    def _opened(self, cursor: sqlite.Cursor) -> Opened:
        times = self.clock.wall(), self.clock.monotonic()
        return Opened(cursor, lambda: times, boot_id())

    def snapshot(self, unit: Callable[[Opened], T]) -> T:
        self.must_be_whole()
        try:
            with self._readers.connection() as connection, sqlite.reading(connection) as cursor:
                return unit(self._opened(cursor))
        except sqlite.DriverError as error:
            raise self._explained(error) from error

    def take_time(self, opened: Opened) -> None:
        """SQLite ends no transaction by itself."""

    def number_on(self, opened: Opened, tables: MetaData) -> None:
        """SQLite takes the largest id there is."""

    def watch(self) -> FileWatch:
        self.must_be_whole()
        try:
            return FileWatch(connect_reader(self.path))
        except sqlite.DriverError as error:
            raise self._explained(error) from error

    def in_units(self, sessions: Sequence[str]) -> list[Sequence[str]]:
        return [sessions] if sessions else []

    def checkpoint(self, *, last: bool = False) -> bool:
        """Move the log into the database as far as no reader is in the way; whether that was all. For the daemon alone.

        `last`: after `give_up`, so that nothing is committed behind it.
        """
        if not last:
            self.must_be_whole()
        try:
            with self._write_lock:
                return sqlite.checkpoint(self._writer())
        except sqlite.DriverError as error:
            raise self._explained(error) from error

    @property
    def is_broken(self) -> bool:
        return bool(self._broken)

    def must_be_whole(self) -> None:
        if self.is_broken:
            raise StoreBroken(why=self._broken, fix="check the disk, then repeat the command")

    def give_up(self, why: str) -> None:
        self._broken = why

    def _explained(self, error: sqlite.DriverError) -> Exception:
        found = explain(error, self.path)
        if isinstance(found, StoreBroken):
            self.give_up(found.why)
        return found

    def _writer(self) -> sqlite.Connection:
        """The writing connection, for one thread at a time: for who has the lock."""
        if self._connection is None:
            self._connection = self._connect()
        return self._connection
