"""What every table is made with: names of constraints, JSON kept as text, and the checks that columns share.

Times are integers in microseconds: wall-clock UTC for records (`*_at`), the kernel's monotonic clock for leases
(`*_until`, but for that of `rate_limits`), which no change of the wall clock moves. A monotonic time is only comparable
within one boot, so it always stands beside a `boot` id; another boot's lease is over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import sqlalchemy
from sqlalchemy import CheckConstraint, ColumnElement, Dialect, Index, MetaData, Table, Text, text
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator

from orchestrator.domain.json_types import Json
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


Integer = sqlalchemy.Integer().with_variant(
    sqlalchemy.BigInteger(), "postgresql"
)  # microseconds need 64 bits

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class JsonText(TypeDecorator[Json]):
    """A JSON value kept as text; lone surrogates are replaced, since no database takes them."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> str | None:
        return None if value is None else _encode(value).encode("utf-8", "replace").decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Json:
        if value is None:
            return None
        if value == "{}":  # what most rows have: of thousands, reading it costs as much as all else of them
            return {}
        try:
            return json.loads(value)
        except ValueError as error:
            raise unreadable(f"a value is no JSON: {error}") from error


def table(name: str, *items: SchemaItem, clustered: bool = False) -> Table:
    """`clustered`: kept in the order of its primary key, without a second tree (SQLite's WITHOUT ROWID)."""
    return Table(name, metadata, *items, sqlite_strict=True, sqlite_with_rowid=not clustered)


def index(name: str, *columns: ColumnElement[object], unique: bool = False, where: str | None = None) -> None:
    """Give the columns' table an index, of the rows where that holds."""
    condition = None if where is None else text(where)
    Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def is_any(column: str, *values: str) -> str:
    """SQLite builds a table for each IN of more than two values, every time a row is checked; this it just compares."""
    return "(" + " OR ".join(f"{column} = '{value}'" for value in values) + ")"


def one_of(column: str, values: Iterable[str], name: str) -> CheckConstraint:
    return CheckConstraint(is_any(column, *values), name=name)


def flag(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN (0, 1)", name=column)
