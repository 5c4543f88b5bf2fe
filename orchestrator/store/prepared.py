"""Core statements compiled once and run on the driver's cursor.

Executing a construct through SQLAlchemy's Connection costs more than SQLite itself takes for it; a `Prepared` keeps
the compiled text and the type processors, so a hot statement costs one driver call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from types import SimpleNamespace
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


class Row(SimpleNamespace):
    """One result row: its columns are its attributes, `vars(row)` is all of them by name."""


@dataclass(frozen=True, slots=True)
class Form:
    """What is left of a statement when it has been compiled: its text, how values go in and how rows come out."""

    sql: str
    own: Mapping[str, Any]  # parameter -> the statement's own value, for each place in the text
    in_order: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    bound: Processors  # what makes values of these parameters storable
    names: tuple[str, ...]  # of the columns it returns
    returned: Processors

    def bind(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values in the order of their places. Raises TypeError for one that has none."""
        bound = {**self.own, **values}
        if len(bound) != len(self.own):
            unknown = sorted(values.keys() - self.own)
            raise TypeError(f"statement has no parameter {unknown}; it has {sorted(self.own)}")
        for name, processor in self.bound:
            bound[name] = processor(bound[name])
        return self.in_order(bound)

    def row(self, raw: tuple[Any, ...]) -> Row:
        row = Row()
        columns = vars(row)
        columns.update(zip(self.names, raw, strict=True))
        for name, processor in self.returned:
            if columns[name] is not None:
                columns[name] = processor(columns[name])
        return row


def _compile(statement: ClauseElement, given: tuple[str, ...] | None = None) -> Form:
    """An INSERT needs the columns `given` values."""
    compiled: Any = statement.compile(dialect=DIALECT, column_keys=given)
    places = list(compiled.positiontup)
    types = {name: bind.type for bind, name in compiled.bind_names.items()}
    own = {name: _plain(compiled.params[name]) for name in places}
    columns: Any = ()
    if isinstance(statement, Select):
        columns = statement.selected_columns
    elif isinstance(statement, UpdateBase):
        columns = statement.exported_columns
    return Form(
        sql=str(compiled),
        own=own,
        in_order=itemgetter(*places) if len(places) > 1 else lambda values: tuple(values[n] for n in places),
        bound=_processors((name, _stored(types[name]).bind_processor(DIALECT)) for name in own),
        names=tuple(column.key for column in columns),
        returned=_processors(
            (column.key, _stored(column.type).result_processor(DIALECT, None)) for column in columns
        ),
    )


def _stored(type: Any) -> Any:
    return type.dialect_impl(DIALECT)


def _processors(found: Iterable[tuple[str, Processor | None]]) -> Processors:
    return tuple((name, processor) for name, processor in found if processor is not None)


def _plain(value: Any) -> Any:
    """The driver takes a plain str at once, and asks around for any other kind of it."""
    return str(value) if isinstance(value, str) else value


class Prepared:
    """A statement that is compiled at its first use. Parameters left out take the statement's own values."""

    def __init__(self, build: Callable[[], ClauseElement]) -> None:
        """`build` makes the construct; it is not called before the first use, since building has its price too."""
        self._build = build

    @cached_property
    def form(self) -> Form:
        return _compile(self._build())

    def for_values(self, values: Mapping[str, Any]) -> Form:
        """The form that takes just these values."""
        return self.form


class PreparedInsert(Prepared):
    """An INSERT of whatever columns are given; the others take the schema's defaults. One compiled form for each set."""

    def __init__(self, build: Callable[[], ClauseElement]) -> None:
        super().__init__(build)
        self._forms: dict[tuple[str, ...], Form] = {}

    def for_values(self, values: Mapping[str, Any]) -> Form:
        names = tuple(values)
        form = self._forms.get(names)
        if form is None:
            form = self._forms[names] = _compile(self._build(), names)
        return form


def compile_all(values: Iterable[object]) -> None:
    """Compile the statements among `values` now, those whose form depends on nothing else."""
    for value in values:
        if isinstance(value, Prepared) and not isinstance(value, PreparedInsert):
            _ = value.form
