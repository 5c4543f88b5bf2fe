"""SQLite as the store sees it: what statements are compiled for, the driver's types and its transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.domain.identity import ProjectId
from orchestrator.store.backends.sql_dialect import SqlDialect

if TYPE_CHECKING:
    from orchestrator.store.backends.sql_dialect import Loaded


def _dialect() -> Loaded:
    from sqlalchemy.dialects import sqlite

    return sqlite.dialect(paramstyle="qmark"), sqlite.insert


SQL = SqlDialect("sqlite", _dialect, returns_ids=False, compiled="sqlite_statements.json")
VERSION = sqlite3.sqlite_version
Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
DriverError = sqlite3.Error
REFUSED = (sqlite3.IntegrityError, sqlite3.ProgrammingError)  # rows that do not fit the schema


def project_id(database: Path) -> ProjectId:
    """The identity of the project whose database this file is: its path without links, whether it exists or not."""
    return ProjectId(str(database.resolve()))


@contextmanager
def writing(connection: Connection) -> Iterator[Cursor]:
    """A cursor in a transaction that has the write lock from its start; committed at the end, rolled back on an error."""
    cursor = connection.cursor()
    cursor.execute("BEGIN IMMEDIATE")
    try:
        yield cursor
        cursor.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLITE_FULL and some I/O errors have rolled back by themselves
            cursor.execute("ROLLBACK")
        raise
    finally:
        cursor.close()


@contextmanager
def reading(connection: Connection) -> Iterator[Cursor]:
    """A cursor on one consistent snapshot."""
    cursor = connection.cursor()
    try:
        cursor.execute("BEGIN")
        yield cursor
    finally:
        if connection.in_transaction:
            cursor.execute("ROLLBACK")
        cursor.close()


def data_version(connection: Connection) -> int:
    """A number that is another one after every commit that another connection, of any process, has made."""
    (found,) = connection.execute("PRAGMA data_version").fetchone()
    return int(found)


def checkpoint(connection: Connection) -> bool:
    """Move the log into the database, as far as no reader is in the way; whether that was all of it."""
    busy, written, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return not busy and bool(written == moved)
