"""Making the tables in a PostgreSQL database, or upgrading them: all or nothing, one process at a time."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import MetaData
from sqlalchemy.schema import CreateIndex, CreateTable

from orchestrator.config import resources
from orchestrator.domain.errors import DatabaseUnusable
from orchestrator.domain.identity import ON_ANOTHER_MACHINE
from orchestrator.store.backends.postgres_connection import Connection, DriverError, connect, described
from orchestrator.store.backends.postgres_dialect import SQL
from orchestrator.store.backends.postgres_errors import explain
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.store.backends.sqlite_migrate import OtherProcess

_ALONE = "SELECT pg_advisory_xact_lock(1414676273)"  # the number that our SQLite files carry too
FIRST = "0006"  # no PostgreSQL database is older
NEW = "new"  # sorts behind every version
_VERSION = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
PROJECT = "lifecycle_project"
_PROJECT = (
    f'CREATE TABLE {PROJECT} (name TEXT COLLATE "C" NOT NULL)'  # whose database it is, once that was said
)
_AT_WORK = """
    SELECT boot, pid_space, pid, process_start FROM (
        SELECT boot, pid_space, pid, process_start, until FROM leases
        UNION SELECT boot, pid_space, pid, process_start, lease_until FROM hosts WHERE pid_space NOT LIKE $1
    ) AS up WHERE until > extract(epoch FROM clock_timestamp()) * 1000000
"""
_TABLES = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"


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


def inspect(address: str, project: str) -> str | None:
    """The schema revision found, None in a database without tables; writes nothing.

    Raises DatabaseUnusable for a server that cannot be asked, tables of another program or a newer version, and the
    database of another project.
    """
    try:
        connection = connect(address, writes=False)
        try:
            tables = _tables(connection)
            found = _version(connection, tables)
            _refuse_other_project(connection, tables, project)
        finally:
            connection.close()
    except DriverError as error:
        raise explain(error, described(address)) from error
    return found


def ensure_schema(address: str, tables: MetaData, project: str | None = None) -> bool:
    """Make the tables in an empty database, or upgrade them; True when that was done, False when it has them.

    `project`: whose it is from now on. Two processes that come at once take turns. Raises as `inspect`.
    """
    try:
        connection = connect(address)
        try:
            with connection.transaction():
                found = _ensure(connection, tables, project)
        finally:
            connection.close()
        if found < SCHEMA:
            _upgrade(address)
        return found != SCHEMA
    except DriverError as error:
        raise explain(error, described(address)) from error


def processes(address: str) -> list[OtherProcess]:
    """Whoever works with a database that is to be upgraded, in the columns that they have had since the first version.

    Hosts on other machines ask a server, and are no processes of it. Raises as `inspect`.
    """
    try:
        connection = connect(address, writes=False)
        try:
            if _version(connection, _tables(connection)) in (None, SCHEMA):
                return []  # there are none, or whoever came first has upgraded it, and works with it
            found = connection.execute(_AT_WORK, [f"{ON_ANOTHER_MACHINE}%"]).fetchall()
        finally:
            connection.close()
    except DriverError as error:
        raise explain(error, described(address)) from error
    return [OtherProcess(*row) for row in found]


def _upgrade(address: str) -> None:
    """Run the migrations in one transaction; whoever waited for another process finds nothing left to do."""
    from alembic import command
    from alembic.config import Config
    from psycopg import connect as plain
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    engine = create_engine("postgresql+psycopg://", poolclass=NullPool, creator=lambda: plain(address))
    config = Config()
    config.set_main_option("script_location", str(resources() / "migrations").replace("%", "%%"))
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(_ALONE)
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        raise error.orig or error from error
    finally:
        engine.dispose()


def _ensure(connection: Connection, tables: MetaData, project: str | None) -> str:
    """Which version the database has: `NEW` where its tables were made here."""
    execute: Any = connection.execute  # its own type wants literal texts only
    execute(_ALONE)
    there = _tables(connection)
    found = _version(connection, there)
    if found is None:
        for statement in definitions(tables):
            execute(statement)
        execute(_VERSION)
        execute("INSERT INTO alembic_version VALUES ($1)", [SCHEMA])
    if project is not None:
        _refuse_other_project(connection, there, project)
        if PROJECT not in there:
            execute(_PROJECT)
            execute("INSERT INTO lifecycle_project VALUES ($1)", [project])
    return found or NEW


def _tables(connection: Connection) -> list[str]:
    return [str(row[0]) for row in connection.execute(_TABLES)]


def _version(connection: Connection, tables: list[str]) -> str | None:
    """The schema revision of a database with these tables. Raises DatabaseUnusable for one that is none of ours."""
    if not tables:
        return None
    if "alembic_version" not in tables:
        raise DatabaseUnusable(
            "the database belongs to another program",
            why=f"it has tables {sorted(tables)[:3]}",
            fix="name an empty one",
        )
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    version = str(row[0]) if row else ""
    if version > SCHEMA:
        raise DatabaseUnusable(
            "the database is newer than this program",
            why=f"it has schema {version}, this program knows {SCHEMA}",
            fix="install the newer version of team-lifecycle",
        )
    if version < FIRST:
        raise DatabaseUnusable(
            "the database is older than this program",
            why=f"it has schema {version}; PostgreSQL databases begin at {FIRST}",
            fix="name an empty database, and copy the project into it again",
        )
    return version


def _refuse_other_project(connection: Connection, tables: list[str], project: str) -> None:
    if PROJECT not in tables:
        return
    row = connection.execute("SELECT name FROM lifecycle_project").fetchone()
    if row is not None and row[0] != project:
        raise DatabaseUnusable(
            "the database is of another project",
            why=f"it is of {row[0]!r}, and this one is {project!r}",
            fix="name a database of its own: database.url in .workflow/config.toml; "
            f"or, in another clone of that project, set database.project = {json.dumps(row[0], ensure_ascii=False)}",
        )
