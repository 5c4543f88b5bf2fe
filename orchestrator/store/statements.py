"""Statements run on the driver's cursor, and the types of the rows they return.

Executing a construct through SQLAlchemy's Connection costs more than SQLite itself takes for it, and importing SQLAlchemy
more than a whole command; a statement here is compiled ahead of time, so running it costs one driver call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, get_origin

from orchestrator.domain.dataclass import replace
from orchestrator.store import compiled
from orchestrator.store.backends.sql_dialect import SqlDialect
from orchestrator.store.backends.sqlite import SQL as SQLITE
from orchestrator.store.compiled import Compiled
from orchestrator.store.json_text import from_text, to_text
from orchestrator.store.sql import literal_column, or_

if TYPE_CHECKING:
    from sqlalchemy import Column, ColumnElement, Delete, Select, Table, Update
    from sqlalchemy.sql import ClauseElement

    Selection: TypeAlias = Select[Any]
    Sql: TypeAlias = ColumnElement[Any]  # an expression; SQLAlchemy's own types end where a value comes back
else:
    Selection = Sql = Any

R = TypeVar("R")
Raw = tuple[object, ...]
Processor = Callable[[Any], Any]
_BOUND: Mapping[str, Processor] = {
    "json": to_text,
    "float": lambda value: None if value is None else float(value),
}


class Values(dict[str, object]):
    """A row by the names of its columns, for who copies tables as they are."""


def fixed(value: str | int) -> Sql:
    """A value of the schema itself, written into the SQL: a partial index is used only where its condition is seen."""
    return literal_column(f"'{value}'" if isinstance(value, str) else str(value))


def one_of(column: Sql, values: Iterable[object]) -> ColumnElement[bool]:
    """`column` equals one of `values`. An IN list would be expanded at each execution, and we compile once."""
    return or_(*(column == value for value in values))


def listed(column: Sql, name: str) -> ColumnElement[bool]:
    """`column` equals one of the values that `Query.given` has for `name`."""
    return column == literal_column(f"{{{name}}}")


def columns(table: Table, row: type[tuple[object, ...]]) -> list[Column[Any]]:
    """The table's columns that are fields of the named tuple `row`, in its order."""
    return [table.c[name] for name in getattr(row, "_fields", ()) if name in table.c]


Plan = tuple[Sequence[tuple[int, Processor]], tuple[object, ...], Callable[[Sequence[object]], Raw]]


class Form:
    """What is left of a statement when it has been compiled: its text, and how values go in."""

    __slots__ = ("_made", "_plans", "returns_id", "sql")

    def __init__(self, made: Compiled) -> None:
        self.sql = made.sql
        self.returns_id = made.returns_id  # it is an INSERT that answers with the new row's id
        self._made = made
        self._plans: dict[tuple[str, ...], Plan] = {}

    def bind(self, values: Mapping[str, object]) -> Raw:
        """The values in the order of their places. Raises TypeError for one that has none.

        A caller names the same values each time: what becomes of them is found once for these names in their order.
        """
        names = tuple(values)
        stored, own, in_order = self._plans.get(names) or self._plan(names)
        given = [*values.values(), *own]
        for at, processor in stored:
            given[at] = processor(given[at])
        return in_order(given)

    def _plan(self, names: tuple[str, ...]) -> Plan:
        made = self._made
        if unknown := sorted(set(names) - made.own.keys()):
            raise TypeError(f"statement has no parameter {unknown}; it has {sorted(made.own)}")
        left = [name for name in made.own if name not in names]
        at = {name: number for number, name in enumerate((*names, *left))}
        stored = [(at[name], _BOUND[kind]) for name, kind in made.bound.items()]
        found = stored, tuple(made.own[name] for name in left), _picker([at[name] for name in made.places])
        self._plans[names] = found
        return found


def _picker(at: Sequence[int]) -> Callable[[Sequence[object]], Raw]:
    """A function that takes the items at these places, in this order."""
    if len(at) > 1:
        return itemgetter(*at)
    if not at:
        return lambda _: ()
    (only,) = at
    return lambda given: (given[only],)


class Statement:
    """A statement of a transaction. Parameters left out take the statement's own values."""

    def __init__(self, build: Callable[[], ClauseElement], name: str = "") -> None:
        """`name`: `module.name`, by which it is compiled ahead; of the function that builds it by default."""
        self.build = build
        self.name = name or f"{build.__module__.rpartition('.')[2]}.{build.__qualname__}"
        self._forms: dict[str, Form] = {}

    def form_in(self, sql: SqlDialect) -> Form:
        form = self._forms.get(sql.name)
        if form is None:
            form = self._forms[sql.name] = Form(self.made(sql))
        return form

    @property
    def form(self) -> Form:
        """SQLite's."""
        return self.form_in(SQLITE)

    def made(self, sql: SqlDialect) -> Compiled:
        found = compiled.compiled(self.name, sql)
        if found is None:
            from orchestrator.store.building import build

            found = build(self.build(), sql)
        return found


class Change(Statement):
    """An UPDATE or DELETE."""


class Query(Statement, Generic[R]):
    """A SELECT whose rows are R: a named tuple of all columns, `Values`, a plain tuple, or the value of one column."""

    def __init__(self, row: type[R], build: Callable[[], Selection], name: str = "") -> None:
        super().__init__(build, name)
        self.row = row
        self._selected = build
        self._compiled: dict[str, tuple[Form, Callable[[Raw], R]]] = {}
        self._given: dict[tuple[str, tuple[str, ...]], Query[R]] = {}

    def compiled_in(self, sql: SqlDialect) -> tuple[Form, Callable[[Raw], R]]:
        """The form, and what makes a row of what the driver gives. Raises AssertionError for columns of another row."""
        found = self._compiled.get(sql.name)
        if found is None:
            made = self.made(sql)
            found = self._compiled[sql.name] = (Form(made), _row_maker(self.row, made))
        return found

    def form_in(self, sql: SqlDialect) -> Form:
        return self.compiled_in(sql)[0]

    def given(self, name: str, values: tuple[str, ...]) -> Query[R]:
        """The query for these values of what is `listed` by that name: they become part of its text, one for each set.

        Raises ValueError for a value that no text of SQL can have.
        """
        found = self._given.get((name, values))
        if found is None:
            found = self._given[name, values] = _Given(self, name, values)
        return found


class _Given(Query[R]):
    def __init__(self, of: Query[R], name: str, values: tuple[str, ...]) -> None:
        super().__init__(of.row, of._selected, of.name)
        if strange := [value for value in values if "\0" in value]:
            raise ValueError(f"no text of SQL can have {strange}")
        self._of = of
        self._list = name
        self._values = values

    def made(self, sql: SqlDialect) -> Compiled:
        def written(found: re.Match[str]) -> str:
            return "(" + (" OR ".join(f"{found[1]} = {literal}" for literal in literals) or "0 = 1") + ")"

        literals = ["'" + value.replace("'", "''") + "'" for value in self._values]
        made = self._of.made(sql)
        return replace(made, sql=re.sub(rf"(\S+) = {{{self._list}}}", written, made.sql))


def _row_maker(row: type[R], made: Compiled) -> Callable[[Raw], R]:
    make: Callable[[Sequence[object]], R] = _plain_maker(row, made.names)
    if not made.returned:
        return make

    def processed(raw: Raw) -> R:
        values = list(raw)
        for place in made.returned:
            if values[place] is not None:
                values[place] = from_text(values[place])  # type: ignore[arg-type]
        return make(values)

    return processed


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
        table: str,
        *,
        unique: Sequence[str] = (),
        where: str | None = None,
        replace: Sequence[str] = (),
    ) -> None:
        self.table = table
        self.unique = unique
        self.where = where
        self.replace = replace
        self._forms: dict[tuple[str, bool, tuple[str, ...]], Form] = {}

    def for_values(
        self, values: Mapping[str, object], sql: SqlDialect = SQLITE, *, returning: bool = True
    ) -> Form:
        """The form that takes just these values; with `returning`, it answers with the new row's id where no driver does.

        Raises KeyError for a column that the table has not.
        """
        key = (sql.name, returning, names := tuple(values))
        form = self._forms.get(key)
        if form is None:
            made = self._written(names, sql) if sql is SQLITE else self._built(names, sql, returning)
            form = self._forms[key] = Form(made)
        return form

    def _written(self, names: Sequence[str], sql: SqlDialect) -> Compiled:
        """SQLite's, without SQLAlchemy: any set of columns may come."""
        known = kinds(self.table, sql)
        bound = {name: kind for name in names if (kind := known[name])}
        text = f"INSERT INTO {self.table} ({_quoted(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 - the schema's own names
        if self.unique:
            where = "" if self.where is None else f" WHERE {self.where}"
            new = ", ".join(f'"{name}" = excluded."{name}"' for name in self.replace)
            text += f" ON CONFLICT ({_quoted(self.unique)}){where} DO "
            text += f"UPDATE SET {new}" if new else "NOTHING"
        return Compiled(text, names, dict.fromkeys(names), bound)

    def _built(self, names: Sequence[str], sql: SqlDialect, returning: bool) -> Compiled:
        from orchestrator.store.building import build, insert

        if unknown := set(names) - kinds(self.table, sql).keys():
            raise KeyError(*sorted(unknown))
        made = insert(
            self.table,
            sql,
            unique=self.unique,
            where=self.where,
            replace=self.replace,
            returning=returning,
        )
        return build(made, sql, names)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


@cache
def kinds(table: str, sql: SqlDialect = SQLITE) -> Mapping[str, str | None]:
    """Column -> its kind, None where values go in and come out as they are."""
    found = compiled.kinds(table, sql)
    if found is None:
        from orchestrator.store import building

        found = building.kinds(table, sql)
    return found


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
