"""Bringing the database to this program's schema: all or nothing, after a verified backup, one process at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.domain.errors import DatabaseUnusable
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store import files
from orchestrator.store.backends.sqlite_errors import damaged, explain, full
from orchestrator.store.backends.sqlite_file import (
    SCHEMA,
    connect_reader,
    inspect,
    refuse_network_file_system,
)
from orchestrator.store.clock import SystemClock

NEW_SCHEMA = (
    "new.sql"  # beside the migrations: what they make together; `python -m tests.new_schema` writes it
)


def ensure_schema(path: Path, migrations: Path) -> bool:
    """Create or upgrade the database at `path`; True when something was done.

    Two processes that come at once take turns, and the second finds it done. Raises DatabaseUnusable, and then the file
    is as it was.
    """
    if inspect(path) == SCHEMA:
        return False
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    refuse_network_file_system(path.parent)
    with _explained(path), _alone(path.parent / "migrate.lock"):
        found = inspect(path)
        if found == SCHEMA:
            return False
        if found is None:
            _create(path, migrations)
        else:
            backup(path, path.parent / "backups" / f"lifecycle-{found}-{time.strftime('%Y%m%dT%H%M%S')}.db")
            upgrade(path, migrations)
    return True


class OtherProcess(NamedTuple):
    """A coordinator or worker host, as the rows of any version of the schema say it."""

    boot: str
    pid_space: str
    pid: int
    process_start: int


def processes(path: Path) -> list[OtherProcess]:
    """Whoever works with the database, in the columns that they have had since the first version."""
    with _explained(path):
        connection = connect_reader(path)
        try:
            found = connection.execute(
                "SELECT boot, pid_space, pid, process_start FROM leases WHERE until > :now "
                "UNION SELECT boot, pid_space, pid, process_start FROM hosts WHERE lease_until > :now",
                {"now": SystemClock().monotonic()},
            ).fetchall()
        finally:
            connection.close()
    return [OtherProcess(*row) for row in found]


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Raises what SQLite or the system refused in our words."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from error
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise full(path) from error


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _create(path: Path, migrations: Path) -> None:
    """Made beside its place and renamed into it, so that a half-made database is never found there.

    The migrations' result is made at once: running them one by one would take most of the time of a first command.
    """
    draft = path.with_name(f"{path.name}.new")
    _remove(draft)  # left by a killed process; we hold the lock
    try:
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        connection = sqlite3.connect(draft)
        try:
            connection.executescript((migrations / NEW_SCHEMA).read_text(encoding="utf-8"))
        finally:
            connection.close()
        draft.rename(path)
    except BaseException:
        _remove(draft)
        raise
    files.sync_directory(path.parent)
    files.sync_directory(path.parent.parent)  # whose entry for it may be as new as the database


def _remove(database: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def backup(path: Path, target: Path) -> Path:
    """A verified copy of the database, made by SQLite itself. Raises DatabaseUnusable when the copy is not whole."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    source = connect_reader(path)
    copy = sqlite3.connect(target)
    try:
        source.backup(copy)
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.Error:
        _remove(target)
        raise
    finally:
        copy.close()
        source.close()
    if verdict != "ok":
        target.unlink()
        raise damaged(path, str(verdict))
    target.chmod(0o600)
    return target


def upgrade(path: Path, migrations: Path, revision: str = "head") -> None:
    """Run the migrations in one IMMEDIATE transaction, foreign keys off (a recreated parent would take its children
    with it) and checked before the commit. Raises sqlite3.Error."""
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine, event
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import NullPool

    engine = create_engine(
        "sqlite://",
        poolclass=NullPool,
        creator=lambda: sqlite3.connect(path, isolation_level=None, timeout=30),
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: object) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # type: ignore[attr-defined]

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            connection.commit()
            config.attributes["connection"] = connection
            with connection.begin():
                command.upgrade(config, revision)
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                if broken:
                    raise DatabaseUnusable("the migration would break references", why=str(broken[:3]))
    except DBAPIError as error:
        raise error.orig or error from error
    finally:
        engine.dispose()
