"""Core statements compiled once for each kind of database and run on the driver's cursor, and the rows they return.

Executing a construct through SQLAlchemy's Connection costs more than SQLite itself takes for it; a statement here keeps
the compiled text and the type processors, so a hot one costs one driver call. It is compiled at its first use, and not
even built before, since building has its price too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar, get_origin

from sqlalchemy import Column, ColumnElement, Dialect, Select, Table, literal_column, or_, text
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import Delete, Insert, Update
from sqlalchemy.types import Float, Numeric, TypeEngine

from orchestrator.store.backends.sql_dialect import SqlDialect
from orchestrator.store.backends.sqlite import SQL as SQLITE

R = TypeVar("R")
Selection: TypeAlias = Select[Any]
Sql: TypeAlias = ColumnElement[Any]  # an expression; SQLAlchemy's own types end where a value comes back
Processor = Callable[[Any], Any]
Raw = tuple[object, ...]


class Values(dict[str, object]):
    """A row by the names of its columns, for who copies tables as they are."""


def fixed(value: str | int) -> Sql:
    """A value of the schema itself, written into the SQL: a partial index is used only where its condition is seen."""
    return literal_column(f"'{value}'" if isinstance(value, str) else str(value))


def one_of(column: Sql, values: Iterable[object]) -> ColumnElement[bool]:
    """`column` equals one of `values`. An IN list would be expanded at each execution, and we compile once."""
    return or_(*(column == value for value in values))


def columns(table: Table, row: type[tuple[object, ...]]) -> list[Column[Any]]:
    """The table's columns that are fields of the named tuple `row`, in its order."""
    return [table.c[name] for name in getattr(row, "_fields", ()) if name in table.c]


@dataclass(frozen=True, slots=True)
class Form:
    """What is left of a statement when it has been compiled: its text, and how values go in."""

    sql: str
    own: Mapping[str, object]  # parameter -> the statement's own value, for each place in the text
    in_order: Callable[[Mapping[str, object]], Raw]
    bound: Sequence[tuple[str, Processor]]  # what makes values of these parameters storable
    returns_id: bool = False  # it is an INSERT that answers with the new row's id

    def bind(self, values: Mapping[str, object]) -> Raw:
        """The values in the order of their places. Raises TypeError for one that has none."""
        bound = {**self.own, **values}
        if len(bound) != len(self.own):
            unknown = sorted(values.keys() - self.own)
            raise TypeError(f"statement has no parameter {unknown}; it has {sorted(self.own)}")
        for name, processor in self.bound:
            bound[name] = processor(bound[name])
        return self.in_order(bound)


def _compile(statement: ClauseElement, sql: SqlDialect, given: Sequence[str] | None = None) -> Form:
    """An INSERT needs the columns `given` values."""
    compiled = statement.compile(dialect=sql.dialect, column_keys=given)
    assert isinstance(compiled, SQLCompiler)
    places = list(compiled.positiontup or ())
    types = {name: bind.type for bind, name in compiled.bind_names.items()}
    own = {name: _plain(compiled.params[name]) for name in places}
    found = ((name, _stored(types[name], sql.dialect).bind_processor(sql.dialect)) for name in own)
    return Form(
        sql=str(compiled),
        own=own,
        in_order=itemgetter(*places) if len(places) > 1 else lambda values: tuple(values[n] for n in places),
        bound=[(name, processor) for name, processor in found if processor is not None],
        returns_id=bool(compiled.effective_returning),
    )


def _stored(type: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return type.dialect_impl(dialect)


def _plain(value: object) -> object:
    """The driver takes a plain str at once, and asks around for any other kind of it."""
    return str(value) if isinstance(value, str) else value


class Statement:
    """A statement of a transaction. Parameters left out take the statement's own values."""

    def __init__(self, build: Callable[[], ClauseElement]) -> None:
        self.build = build
        self._forms: dict[str, Form] = {}

    def form_in(self, sql: SqlDialect) -> Form:
        form = self._forms.get(sql.name)
        if form is None:
            form = self._forms[sql.name] = _compile(self.build(), sql)
        return form

    @property
    def form(self) -> Form:
        """SQLite's."""
        return self.form_in(SQLITE)


class Change(Statement):
    """An UPDATE or DELETE."""


class Query(Statement, Generic[R]):
    """A SELECT whose rows are R: a named tuple of all columns, `Values`, a plain tuple, or the value of one column."""

    def __init__(self, row: type[R], build: Callable[[], Selection]) -> None:
        super().__init__(build)
        self.row = row
        self._selected = build
        self._compiled: dict[str, tuple[Form, Callable[[Raw], R]]] = {}

    def compiled_in(self, sql: SqlDialect) -> tuple[Form, Callable[[Raw], R]]:
        """The form, and what makes a row of what the driver gives. Raises AssertionError for columns of another row."""
        found = self._compiled.get(sql.name)
        if found is None:
            statement = self._selected()
            maker = _row_maker(self.row, list(statement.selected_columns), sql.dialect)
            found = self._compiled[sql.name] = (_compile(statement, sql), maker)
        return found

    def form_in(self, sql: SqlDialect) -> Form:
        return self.compiled_in(sql)[0]


def _row_maker(row: type[R], selected: Sequence[Sql], dialect: Dialect) -> Callable[[Raw], R]:
    make: Callable[[Sequence[object]], R] = _plain_maker(row, [column.key or "" for column in selected])
    found = (_result_processor(column.type, dialect) for column in selected)
    returned = [(place, processor) for place, processor in enumerate(found) if processor is not None]
    if not returned:
        return make

    def processed(raw: Raw) -> R:
        values = list(raw)
        for place, processor in returned:
            if values[place] is not None:
                values[place] = processor(values[place])
        return make(values)

    return processed


def _result_processor(type: TypeEngine[Any], dialect: Dialect) -> Processor | None:
    if isinstance(type, Float | Numeric):  # numbers come as the driver gives them
        return None
    return _stored(type, dialect).result_processor(dialect, None)


def _plain_maker(row: Any, names: Sequence[str]) -> Callable[[Sequence[object]], Any]:
    if row is Values:
        return lambda raw: Values(zip(names, raw, strict=True))
    if get_origin(row) is tuple:
        return tuple
    if not issubclass(get_origin(row) or row, tuple):
        return itemgetter(0)
    fields: tuple[str, ...] = row._fields
    left = fields[len(names) :]
    if fields[: len(names)] != tuple(names) or not set(left) <= row._field_defaults.keys():
        raise AssertionError(f"the columns {names} are not the fields of {row.__name__}: {fields}")
    return row._make if not left else lambda raw: row(*raw)


class Insertion:
    """An INSERT of whatever columns are given; the others take the schema's defaults. One compiled form for each set.

    `unique`: columns by which the row may be there already (of those `where` holds): then its columns `replace` take the
    new values; without any it stays as it is.
    """

    def __init__(
        self,
        table: Table,
        *,
        unique: Sequence[str] = (),
        where: str | None = None,
        replace: Sequence[str] = (),
    ) -> None:
        self.table = table
        self._unique = unique
        self._where = None if where is None else text(where)
        self._replace = replace
        self._forms: dict[tuple[str, bool], dict[tuple[str, ...], Form]] = {}
        (key, *others) = table.primary_key.columns
        self._id = key if not others and table.autoincrement_column is key else None

    def construct(self, sql: SqlDialect = SQLITE, *, returning: bool = True) -> Insert:
        """For a dialect, whose upsert is its own. `returning`: answer with the new row's id where no driver tells it."""
        made = sql.insert(self.table)
        if self._replace:
            new = {name: made.excluded[name] for name in self._replace}
            made = made.on_conflict_do_update(index_elements=self._unique, index_where=self._where, set_=new)
        elif self._unique:
            made = made.on_conflict_do_nothing(index_elements=self._unique, index_where=self._where)
        if returning and sql.returns_ids and self._id is not None:
            made = made.returning(self._id)
        assert isinstance(made, Insert)
        return made

    def for_values(
        self, values: Mapping[str, object], sql: SqlDialect = SQLITE, *, returning: bool = True
    ) -> Form:
        """The form that takes just these values."""
        names = tuple(values)
        forms = self._forms.setdefault((sql.name, returning), {})
        form = forms.get(names)
        if form is None:
            form = forms[names] = _compile(self.construct(sql, returning=returning), sql, names)
        return form


def query(row: type[R]) -> Callable[[Callable[[], Selection]], Query[R]]:
    """A decorator: the function that builds a SELECT becomes the query itself, whose rows are `row`."""
    return lambda build: Query(row, build)


def change(build: Callable[[], Update | Delete]) -> Change:
    """A decorator: the function that builds an UPDATE or DELETE becomes the statement itself."""
    return Change(build)


def compile_all(values: Iterable[object]) -> None:
    """Compile the statements among `values` now; an INSERT's form depends on what it is given."""
    for value in values:
        if isinstance(value, Statement):
            _ = value.form
