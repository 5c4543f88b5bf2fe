"""SQLite as the store sees it: the dialect statements are compiled for, its INSERT with an upsert, the driver's types."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Dialect
from sqlalchemy.dialects import sqlite

from orchestrator.domain.identity import ProjectId

insert = sqlite.insert
DIALECT: Dialect = sqlite.dialect(paramstyle="qmark")
VERSION = sqlite3.sqlite_version
Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
DriverError = sqlite3.Error
REFUSED = (sqlite3.IntegrityError, sqlite3.ProgrammingError)  # rows that do not fit the schema


def project_id(database: Path) -> ProjectId:
    """The identity of the project whose database this file is: its path without links, whether it exists or not."""
    return ProjectId(str(database.resolve()))


def checkpoint(connection: Connection) -> None:
    """Move the log into the database, as far as no reader is in the way."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
