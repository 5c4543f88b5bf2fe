"""A SQLite file whose rows have moved to a server: it can be read as it was, and takes no change any more."""

from __future__ import annotations

from sqlalchemy import MetaData

from orchestrator.store.backends.backend import Cursor
from orchestrator.store.backends.sqlite_file import MOVED

_REFUSED = "the rows have moved"


def retire(cursor: Cursor, tables: MetaData) -> None:
    """Refuse every change from this transaction's commit on, also by processes that have the file open."""
    for table in tables.sorted_tables:
        for event in ("INSERT", "UPDATE", "DELETE"):
            cursor.execute(
                f"CREATE TRIGGER moved_{table.name}_{event.lower()} BEFORE {event} ON {table.name} "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
            )
    cursor.execute("UPDATE alembic_version SET version_num = ?", (MOVED,))
