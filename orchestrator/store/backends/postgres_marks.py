"""Whether a commit was made whose answer was lost: what changes something leaves a mark, in the same transaction.

Whoever asks for a mark writes it first where it is missing. So the answer is final: a transaction that is still under way
is waited for, and one that comes later meets the key. The number of a transaction would not do: after a crash the server
gives those anew whose records it had not written yet, and then another one's commit is taken for this one's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from uuid import uuid4

from orchestrator.store.backends.backend import Cursor
from orchestrator.store.backends.postgres_connection import Connection

TABLE = "lifecycle_commits"
_FOUND = f"SELECT to_regclass('alembic_version') IS NOT NULL, to_regclass('{TABLE}') IS NOT NULL"
_MAKE = f"""
    CREATE TABLE IF NOT EXISTS {TABLE} (
        mark TEXT COLLATE "C" PRIMARY KEY, made BOOLEAN NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now()
    )
"""
_FORGET = f"DELETE FROM {TABLE} WHERE at < now() - INTERVAL '7 days'"  # noqa: S608 - of connections that have ended
_LEAVE = f"""
    WITH last AS (DELETE FROM {TABLE} WHERE mark = $1) INSERT INTO {TABLE} (mark, made) VALUES ($2, true)
"""  # noqa: S608
_IS_LEFT = f"""
    INSERT INTO {TABLE} (mark, made) VALUES ($1, false) ON CONFLICT (mark) DO UPDATE SET mark = excluded.mark RETURNING made
"""  # noqa: S608


def prepare(connection: Connection) -> None:
    """Make the table in a database of ours that has none yet, and remove what nobody asks for. Raises DriverError."""
    has_tables, has_marks = connection.execute(_FOUND).fetchone() or (False, False)
    if has_tables and not has_marks:
        connection.execute(_MAKE)
    elif has_marks:
        connection.execute(_FORGET)


class Marks:
    """Those of one connection, of which the last one stays."""

    def __init__(self) -> None:
        self._writer = uuid4().hex
        self._numbers = count(1)
        self._last = ""

    def leave(self, send: Callable[[str, Sequence[Any]], None]) -> str:
        """A new one, which is written by what is sent."""
        mark = f"{self._writer}-{next(self._numbers):012}"
        send(_LEAVE, [self._last, mark])
        return mark

    def note_committed(self, mark: str) -> None:
        """`mark`: empty where nothing was changed."""
        self._last = mark or self._last


def is_left(cursor: Cursor, mark: str) -> bool:
    """Whether what left it was committed; if not, it never is. Asked again, the answer is the same. Raises DriverError."""
    cursor.execute(_IS_LEFT, [mark])
    ((made,),) = cursor.fetchall()
    return bool(made)
