"""Making the tables in a PostgreSQL database: all or nothing, one process at a time."""

from __future__ import annotations

from typing import Any

from sqlalchemy import MetaData
from sqlalchemy.schema import CreateIndex, CreateTable

from orchestrator.domain.errors import DatabaseUnusable
from orchestrator.store.backends.postgres_connection import Connection, DriverError, connect
from orchestrator.store.backends.postgres_dialect import SQL
from orchestrator.store.backends.postgres_errors import explain
from orchestrator.store.backends.sqlite_file import SCHEMA

_ALONE = "SELECT pg_advisory_xact_lock(1414676273)"  # the number that our SQLite files carry too
_VERSION = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"


def definitions(tables: MetaData) -> list[str]:
    """The statements that make the tables and their indexes."""
    found: list[str] = []
    for table in tables.sorted_tables:
        found.append(str(CreateTable(table).compile(dialect=SQL.dialect)))
        found += [
            str(CreateIndex(index).compile(dialect=SQL.dialect))
            for index in sorted(table.indexes, key=lambda index: str(index.name))
        ]
    return found


def ensure_schema(address: str, tables: MetaData) -> bool:
    """Make the tables in an empty database; True when that was done, False when it has them.

    Two processes that come at once take turns. Raises DatabaseUnusable for tables of another program or version.
    """
    try:
        connection = connect(address)
        try:
            with connection.transaction():
                return _ensure(connection, tables)
        finally:
            connection.close()
    except DriverError as error:
        raise explain(error, "PostgreSQL") from error


def _ensure(connection: Connection, tables: MetaData) -> bool:
    execute: Any = connection.execute  # its own type wants literal texts only
    execute(_ALONE)
    found = [
        row[0] for row in execute("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
    ]
    if not found:
        for statement in definitions(tables):
            execute(statement)
        execute(_VERSION)
        execute("INSERT INTO alembic_version VALUES ($1)", [SCHEMA])
        return True
    if "alembic_version" not in found:
        raise DatabaseUnusable(
            "the database belongs to another program",
            why=f"it has tables {sorted(found)[:3]}",
            fix="name an empty one",
        )
    (version,) = execute("SELECT version_num FROM alembic_version").fetchone()
    if version > SCHEMA:
        raise DatabaseUnusable(
            "the database is newer than this program",
            why=f"it has schema {version}, this program knows {SCHEMA}",
            fix="install the newer version of team-lifecycle",
        )
    if version < SCHEMA:
        raise DatabaseUnusable(
            "the database is older than this program",
            why=f"it has schema {version}, this program needs {SCHEMA}",
            fix="end every process that uses it, then upgrade it",
        )
    return False
