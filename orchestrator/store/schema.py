"""What every table is made with: names of constraints, JSON kept as text, and the checks that columns share.

Times are integers in microseconds: wall-clock UTC for records (`*_at`), the kernel's monotonic clock for leases
(`*_until`, but for that of `pools`), which no change of the wall clock moves. A monotonic time is only comparable
within one boot, so it always stands beside a `boot` id; another boot's lease is over.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import CheckConstraint, Dialect, MetaData, Table, Text
from sqlalchemy.types import TypeDecorator

from orchestrator.store.backends.sqlite_errors import unreadable

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Json(TypeDecorator[Any]):
    """A JSON value kept as text; lone surrogates are replaced, since no database takes them."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else _encode(value).encode("utf-8", "replace").decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        try:
            return json.loads(value)
        except ValueError as error:
            raise unreadable(f"a value is no JSON: {error}") from error


def table(name: str, *items: Any, clustered: bool = False) -> Table:
    """`clustered`: kept in the order of its primary key, without a second tree (SQLite's WITHOUT ROWID)."""
    options: dict[str, Any] = {"sqlite_with_rowid": False} if clustered else {}
    return Table(name, metadata, *items, sqlite_strict=True, **options)


def is_any(column: str, *values: str) -> str:
    """SQLite builds a table for each IN of more than two values, every time a row is checked; this it just compares."""
    return "(" + " OR ".join(f"{column} = '{value}'" for value in values) + ")"


def one_of(column: str, values: Any, name: str) -> CheckConstraint:
    return CheckConstraint(is_any(column, *values), name=name)


def flag(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN (0, 1)", name=column)
