"""Core statements compiled once and run on the driver's cursor.

Executing a construct through SQLAlchemy's Connection costs more than SQLite itself takes for it; a `Prepared` keeps
the compiled text and the type processors, so a hot statement costs one driver call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Dialect, literal_column, or_
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql import ClauseElement, Select
from sqlalchemy.sql.dml import UpdateBase

DIALECT: Dialect = sqlite.dialect(paramstyle="qmark")

Processor = Callable[[Any], Any]
Processors = tuple[tuple[str, Processor], ...]


def fixed(value: str | int) -> ColumnElement[Any]:
    """A value of the schema itself, written into the SQL: a partial index is used only where its condition is seen."""
    return literal_column(f"'{value}'" if isinstance(value, str) else str(value))


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
    def _compiled(self) -> Any:
        return self._build().compile(dialect=DIALECT, column_keys=self._given)

    @cached_property
    def sql(self) -> str:
        return str(self._compiled)

    @cached_property
    def places(self) -> list[str]:
        """The parameter's name for each place in the SQL."""
        return list(self._compiled.positiontup)

    @cached_property
    def _binding(self) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], tuple[Any, ...]], Processors]:
        """The statement's own values; what puts values in order; what makes those of some parameters storable."""
        types = {name: bind.type for bind, name in self._compiled.bind_names.items()}
        own = {name: _plain(self._compiled.params[name]) for name in self.places}
        processors = tuple(
            (name, processor)
            for name in own
            if (processor := types[name].dialect_impl(DIALECT).bind_processor(DIALECT)) is not None
        )
        names = self.places
        in_order = itemgetter(*names) if len(names) > 1 else lambda values: tuple(values[n] for n in names)
        return own, in_order, processors

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

    @cached_property
    def _row_form(self) -> tuple[tuple[str, ...], Processors]:
        return tuple(name for name, _ in self.columns), tuple(
            (name, processor) for name, processor in self.columns if processor is not None
        )

    def bind(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values in the order of their places."""
        own, in_order, processors = self._binding
        bound = {**own, **values}
        if len(bound) != len(own):
            raise TypeError(f"statement has no parameter {sorted(values.keys() - own)}; it has {sorted(own)}")
        for name, processor in processors:
            bound[name] = processor(bound[name])
        return in_order(bound)

    def row(self, raw: tuple[Any, ...]) -> Row:
        names, processed = self._row_form
        row = Row(zip(names, raw, strict=True))
        for name, processor in processed:
            if row[name] is not None:
                row[name] = processor(row[name])
        return row


def _plain(value: Any) -> Any:
    """The driver takes a plain str at once, and asks around for any other kind of it."""
    return str(value) if isinstance(value, str) else value


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
