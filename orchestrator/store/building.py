"""Statements compiled by SQLAlchemy: ahead of time for the file that commands read, or when a source has changed since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Float
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.selectable import Select
from sqlalchemy.types import TypeEngine

from orchestrator.store.backends import sqlite_dialect
from orchestrator.store.compiled import Compiled
from orchestrator.store.table_conventions import JsonText
from orchestrator.store.tables import table_of


def build(statement: ClauseElement) -> Compiled:
    """Raises AssertionError for a type that no kind stands for."""
    compiled = statement.compile(dialect=sqlite_dialect.DIALECT)
    assert isinstance(compiled, SQLCompiler)
    places = list(compiled.positiontup or ())
    types = {name: bind.type for bind, name in compiled.bind_names.items()}
    selected = list(statement.selected_columns) if isinstance(statement, Select) else []
    return Compiled(
        sql=str(compiled),
        places=places,
        own={name: _plain(compiled.params[name]) for name in places},
        bound={name: kind for name in dict.fromkeys(places) if (kind := _bound_kind(types[name]))},
        names=[column.key or "" for column in selected],
        returned=[place for place, column in enumerate(selected) if _returned_kind(column.type)],
    )


def table_kinds(table: str) -> Mapping[str, str | None]:
    """Column -> its kind."""
    return {column.name: _bound_kind(column.type) for column in table_of(table).columns}


def _bound_kind(type: TypeEngine[Any]) -> str | None:
    if isinstance(type, JsonText):
        return "json"
    if isinstance(type, Float):
        return "float"
    assert _stored(type).bind_processor(sqlite_dialect.DIALECT) is None, f"no kind for {type!r}"
    return None


def _returned_kind(type: TypeEngine[Any]) -> str | None:
    if isinstance(type, JsonText):
        return "json"
    assert _stored(type).result_processor(sqlite_dialect.DIALECT, None) is None, f"no kind for {type!r}"
    return None


def _stored(type: TypeEngine[Any]) -> TypeEngine[Any]:
    return type.dialect_impl(sqlite_dialect.DIALECT)


def _plain(value: object) -> object:
    """The driver takes a plain str at once, and asks around for any other kind of it."""
    return str(value) if isinstance(value, str) else value
