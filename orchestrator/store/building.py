"""Statements compiled by SQLAlchemy: ahead of time for the file that commands read, or when a source has changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Float, LargeBinary, text
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import Insert
from sqlalchemy.sql.selectable import Select
from sqlalchemy.types import TypeEngine

from orchestrator.store.backends.sql_dialect import SqlDialect
from orchestrator.store.compiled import Compiled
from orchestrator.store.table_conventions import JsonText
from orchestrator.store.tables import table_of


def build(statement: ClauseElement, sql: SqlDialect, given: Sequence[str] | None = None) -> Compiled:
    """An INSERT needs the columns `given` values. Raises AssertionError for a type that no kind stands for."""
    compiled = statement.compile(dialect=sql.dialect, column_keys=given)
    assert isinstance(compiled, SQLCompiler)
    places = list(compiled.positiontup or ())
    types = {name: bind.type for bind, name in compiled.bind_names.items()}
    selected = list(statement.selected_columns) if isinstance(statement, Select) else []
    return Compiled(
        sql=str(compiled),
        places=places,
        own={name: _plain(compiled.params[name]) for name in places},
        bound={name: kind for name in dict.fromkeys(places) if (kind := _kind(types[name], sql))},
        names=[column.key or "" for column in selected],
        returned=[place for place, column in enumerate(selected) if _kind(column.type, sql) == "json"],
        returns_id=bool(compiled.effective_returning) and isinstance(statement, Insert),
    )


def insert(
    table: str,
    sql: SqlDialect,
    *,
    unique: Sequence[str] = (),
    where: str | None = None,
    replace: Sequence[str] = (),
    returning: bool = True,
) -> Insert:
    """The dialect's INSERT, as `Insertion` says. `returning`: answer with the new row's id where no driver tells it."""
    into = table_of(table)
    made = sql.insert(into)
    condition = None if where is None else text(where)
    if replace:
        new = {name: made.excluded[name] for name in replace}
        made = made.on_conflict_do_update(index_elements=unique, index_where=condition, set_=new)
    elif unique:
        made = made.on_conflict_do_nothing(index_elements=unique, index_where=condition)
    (key, *others) = into.primary_key.columns
    if returning and sql.returns_ids and not others and into.autoincrement_column is key:
        made = made.returning(key)
    assert isinstance(made, Insert)
    return made


def kinds(table: str, sql: SqlDialect) -> Mapping[str, str | None]:
    """Column -> its kind."""
    return {column.name: _kind(column.type, sql) for column in table_of(table).columns}


def _kind(type: TypeEngine[Any], sql: SqlDialect) -> str | None:
    if isinstance(type, JsonText):
        return "json"
    if isinstance(type, Float):
        return "float"
    stored = type.dialect_impl(sql.dialect)
    plain = stored.bind_processor(sql.dialect) is None and stored.result_processor(sql.dialect, None) is None
    assert plain or isinstance(type, LargeBinary), f"no kind for {type!r}"  # bytes come as bytes
    return None


def _plain(value: object) -> object:
    """The driver takes a plain str at once, and asks around for any other kind of it."""
    return str(value) if isinstance(value, str) else value
