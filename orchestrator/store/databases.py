"""Which database a project has, and how a process opens it: the SQLite file in `.workflow`, or one on a PostgreSQL server.

What only the server needs is loaded when a project names one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from orchestrator.config import PROJECT_FOLDER, load_database
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.domain.identity import ProjectId
from orchestrator.store.backends import sqlite, sqlite_file
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.store.store import Store

if TYPE_CHECKING:
    from orchestrator.config.settings import DatabaseSettings, Settings
    from orchestrator.store.backends.sqlite_migrate import OtherProcess

SQLITE_NAME = "lifecycle.db"
OnWait = Callable[[list[int]], None]


class Database(Protocol):
    """A project's database, not opened yet. `file` is None where a server has it."""

    @property
    def file(self) -> Path | None: ...

    @property
    def name(self) -> str:
        """As people are told it, without a password."""

    def schema(self) -> str | None:
        """The schema revision found, None where there is no database yet. Raises DatabaseUnusable, UsageError."""

    def refuse_other_schema(self) -> None:
        """Raises DatabaseUnusable for a database that this program has not upgraded."""

    def identity(self) -> ProjectId:
        """The same for every process with access to it. Raises StoreError."""

    def store(
        self,
        settings: Settings | None = None,
        *,
        checkpointer: bool = False,
        on_wait: OnWait | None = None,
    ) -> Store:
        """Opened, as it is; `settings`: by one who writes. Nothing is made or upgraded."""


@dataclass(frozen=True, slots=True)
class SqliteFile:
    file: Path

    @property
    def name(self) -> str:
        return str(self.file)

    def schema(self) -> str | None:
        return sqlite_file.inspect(self.file)

    def refuse_other_schema(self) -> None:
        _refuse_other(self.schema())

    def identity(self) -> ProjectId:
        return sqlite.project_id(self.file)

    def store(
        self,
        settings: Settings | None = None,
        *,
        checkpointer: bool = False,
        on_wait: OnWait | None = None,
    ) -> Store:
        if settings is None:
            return Store(self.file)
        return Store(
            self.file,
            synchronous=settings.synchronous,
            journal=settings.journal,
            checkpointer=checkpointer,
            on_wait=on_wait,
        )


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """`project`: the name that the database keeps of the project it is of; another one's is refused."""

    workflow: Path
    url: str
    password: str | None
    project: str
    file: None = None

    @property
    def name(self) -> str:
        return self.url

    @property
    def address(self) -> str:
        """What libpq connects to. It has the password: it is shown to nobody."""
        from orchestrator.store.backends.postgres_connection import address

        return address(self.url, self.password)

    def schema(self) -> str | None:
        from orchestrator.store.backends.postgres_schema import inspect

        return inspect(self.address, self.project)

    def processes(self) -> list[OtherProcess]:
        """Whoever works with it, on any machine; hosts that ask a server do not."""
        from orchestrator.store.backends.postgres_schema import processes

        return processes(self.address)

    def ensure(self) -> bool:
        """Make the tables, or upgrade them, and put the project's name to them; whether there was something to do."""
        from orchestrator.store.backends.postgres_schema import ensure_schema
        from orchestrator.store.tables import metadata

        return ensure_schema(self.address, metadata, self.project)

    def refuse_other_schema(self) -> None:
        _refuse_other(self.schema())

    def identity(self) -> ProjectId:
        store = self.store()
        try:
            return store.project_id
        finally:
            store.close()

    def store(
        self,
        settings: Settings | None = None,
        *,
        checkpointer: bool = False,
        on_wait: OnWait | None = None,
    ) -> Store:
        from orchestrator.store.backends.postgres_backend import PostgresBackend

        return Store(self.workflow / "postgresql", backend=PostgresBackend(self.address))


def _refuse_other(found: str | None) -> None:
    if found != SCHEMA:
        raise sqlite_file.other_schema(found)


def database_of(root: Path, environ: Mapping[str, str] | None = None) -> Database:
    """The database of the project in this folder, by its settings. Raises ConfigError, UsageError."""
    environ = os.environ if environ is None else environ
    given = load_database(root, environ)
    if given is None:
        return SqliteFile(root / PROJECT_FOLDER / SQLITE_NAME)
    return on_server(root, given, environ)


def on_server(root: Path, given: DatabaseSettings, environ: Mapping[str, str]) -> PostgresDatabase:
    """The database that these settings name. Raises UsageError where it cannot be asked from here."""
    from orchestrator.config.extras import SERVER_INSTALL, has_postgres

    assert given.url is not None
    if not has_postgres():
        raise UsageError(
            "PostgreSQL's driver is not installed",
            why=f"the project's database is {given.url}",
            fix=SERVER_INSTALL,
        )
    return PostgresDatabase(
        root / PROJECT_FOLDER, given.url, _password(root, given, environ), given.project or root.name
    )


def _password(root: Path, given: DatabaseSettings, environ: Mapping[str, str]) -> str | None:
    """None where it is left to libpq: to PGPASSWORD, a password file of its own, or a server that asks for none."""
    if given.password_env is not None:
        if given.password_env not in environ:
            raise UsageError(
                "the database's password is missing",
                why=f"database.password_env names {given.password_env}, which is not set",
                fix=f"set {given.password_env}",
            )
        return environ[given.password_env]
    if given.password_file is None:
        return None
    file = root / given.password_file
    try:
        if not file.is_file():  # a FIFO would hang
            raise FileNotFoundError(f"there is no file {file}")
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "the database's password cannot be read",
            why=f"database.password_file: {error}",
            fix="name a file that has the password alone",
        ) from error
