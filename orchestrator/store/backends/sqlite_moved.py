"""A SQLite file whose rows have moved to a server: it can be read as it was, and takes no change any more."""

from __future__ import annotations

from sqlalchemy import MetaData

from orchestrator.domain.errors import DatabaseMoved
from orchestrator.store.backends.backend import Cursor
from orchestrator.store.backends.sqlite_errors import MOVED


def retire(cursor: Cursor, tables: MetaData, url: str) -> None:
    """Refuse every change from this transaction's commit on, also by processes that have the file open."""
    refused = f"{MOVED}{url}".replace("'", "''")  # a trigger has no parameters
    for table in tables.sorted_tables:
        for event in ("INSERT", "UPDATE", "DELETE"):
            cursor.execute(
                f"CREATE TRIGGER moved_{table.name}_{event.lower()} BEFORE {event} ON {table.name} "
                f"BEGIN SELECT RAISE(ABORT, '{refused}'); END"
            )
    cursor.execute("UPDATE alembic_version SET version_num = ?", (f"{MOVED}{url}",))


def refuse_retired(cursor: Cursor) -> None:
    """Raises DatabaseMoved for a file that another process has retired meanwhile."""
    cursor.execute("SELECT version_num FROM alembic_version")
    found = str(cursor.fetchone()[0])
    if found.startswith(MOVED):
        raise DatabaseMoved(found.removeprefix(MOVED))
