"""Core statements compiled once and run on the driver's cursor.

Executing a construct through SQLAlchemy's Connection costs more than SQLite itself takes for it; a `Prepared` keeps
the compiled text and the type processors, so a hot statement costs one driver call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Dialect, or_
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql import ClauseElement, Select
from sqlalchemy.sql.dml import UpdateBase

DIALECT: Dialect = sqlite.dialect(paramstyle="named")

Processor = Callable[[Any], Any]


def one_of(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """`column` equals one of `values`. An IN list would be expanded at each execution, and we compile once."""
    return or_(*(column == value for value in values))


class Row(dict[str, Any]):
    """One result row, by column name; also as attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Prepared:
    """A statement that is compiled at its first use. Parameters left out take the statement's own values."""

    def __init__(self, build: Callable[[], ClauseElement], columns: tuple[str, ...] | None = None) -> None:
        """`build` makes the construct; it is not called before the first use, since building has its price too.

        An INSERT needs the `columns` it gives values to; `PreparedInsert` finds them by itself.
        """
        self._build = build
        self._given = columns

    def for_values(self, values: Mapping[str, Any]) -> Prepared:
        """The statement that takes just these values."""
        return self

    @cached_property
    def _compiled(self) -> tuple[str, dict[str, Any], dict[str, Processor]]:
        statement = self._build()
        compiled = statement.compile(dialect=DIALECT, column_keys=self._given)
        params = dict(compiled.params)
        names: Mapping[Any, str] = compiled.bind_names  # type: ignore[attr-defined]
        processors = {
            name: processor
            for bind, name in names.items()
            if (processor := bind.type.dialect_impl(DIALECT).bind_processor(DIALECT)) is not None
        }
        return str(compiled), params, processors

    @cached_property
    def sql(self) -> str:
        return self._compiled[0]

    @cached_property
    def columns(self) -> list[tuple[str, Processor | None]]:
        """Name and result processor of each column the statement returns."""
        statement = self._build()
        found: Any = ()
        if isinstance(statement, Select):
            found = statement.selected_columns
        elif isinstance(statement, UpdateBase):
            found = statement.exported_columns
        return [
            (column.key, column.type.dialect_impl(DIALECT).result_processor(DIALECT, None))
            for column in found
        ]

    def bind(self, values: Mapping[str, Any]) -> dict[str, Any]:
        _, defaults, processors = self._compiled
        unknown = values.keys() - defaults.keys()
        if unknown:
            raise TypeError(f"statement has no parameter {sorted(unknown)}; it has {sorted(defaults)}")
        bound = {**defaults, **values}
        for name, processor in processors.items():
            bound[name] = processor(bound[name])
        return bound

    def row(self, raw: tuple[Any, ...]) -> Row:
        return Row(
            (name, processor(value) if processor and value is not None else value)
            for (name, processor), value in zip(self.columns, raw, strict=True)
        )


class PreparedInsert(Prepared):
    """An INSERT of whatever columns are given; the others take the schema's defaults. One compiled form for each set."""

    def __init__(self, build: Callable[[], ClauseElement]) -> None:
        super().__init__(build)
        self._forms: dict[tuple[str, ...], Prepared] = {}

    def for_values(self, values: Mapping[str, Any]) -> Prepared:
        names = tuple(values)
        form = self._forms.get(names)
        if form is None:
            form = self._forms[names] = Prepared(self._build, names)
        return form
