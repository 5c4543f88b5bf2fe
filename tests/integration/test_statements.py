"""Every statement of the store compiles to SQL that SQLite takes as it is: nothing is left for execution time."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

import orchestrator.store
from orchestrator.store import compiled, tasks
from orchestrator.store.backends.postgres_dialect import SQL as POSTGRES
from orchestrator.store.backends.sql_dialect import SqlDialect
from orchestrator.store.backends.sqlite import SQL as SQLITE
from orchestrator.store.building import insert
from orchestrator.store.rows import EventTime, Task
from orchestrator.store.statements import Form, Insertion, Query, Selection, Statement, kinds, query
from orchestrator.store.tables import messages, metadata
from tests import factories as make
from tests.compiled_statements import statements, written


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """To an empty database; statements are only explained in it."""
    store = make.make_store(tmp_path_factory.mktemp("explained"))
    with closing(sqlite3.connect(store.path)) as connection:
        yield connection


LISTS = {"roles": ("analyst", "code-writer")}  # what is `listed` by a name is written into the text


def form_of(statement: Statement | Insertion, sql: SqlDialect = SQLITE) -> Form:
    if isinstance(statement, Insertion):
        return statement.for_values(dict.fromkeys(kinds(statement.table)), sql)
    if isinstance(statement, Query):
        for name, values in LISTS.items():
            statement = statement.given(name, values)
    return statement.form_in(sql)


@pytest.mark.parametrize("name", statements())
def test_the_statement_is_plain_sql(name: str, connection: sqlite3.Connection) -> None:
    form = form_of(statements()[name])

    plan = connection.execute(f"EXPLAIN {form.sql}", form.bind({})).fetchall()

    assert plan


GROWING = (
    "sessions",
    "tasks",
    "edges",
    "runs",
    "messages",
    "artifacts",
    "contents",
    "agent_calls",
    "critiques",
)
MAY_SCAN = {  # a person's rare command, a timer, or a whole database on purpose
    "retention": "deleting a session looks for contents that nothing uses",
    "rate_limits._go_on": "a person's word that an account can be asked again",
    "queries._critique_costs": "what perspectives cost over all sessions",
    "sessions._all": "every session is what it is asked for",
    "sessions._newest_shown": "one look of a command without a name",
    "queries._page": "the newest sessions, by a sort of their times",
    "session_changes._changed": "while a page of the dashboard is open; each beat would pay for an index of its time",
    "fleet_counts._outcomes": "sums for who watches, at most a twentieth of the time (server/metrics.py)",
    "fleet_counts._calls": "the same",
    "task_history._taken": "the newest tasks up to a limit, by their key",
}


@pytest.mark.parametrize("name", statements())
def test_no_table_that_grows_is_read_as_a_whole(name: str, connection: sqlite3.Connection) -> None:
    statement = statements()[name]
    if isinstance(statement, Insertion) or any(part in name for part in MAY_SCAN):
        return
    form = form_of(statement)

    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {form.sql}", form.bind({}))]

    whole = [step for step in plan if step in {f"SCAN {table}" for table in GROWING}]
    assert not whole, plan


@pytest.mark.parametrize("name", statements())
def test_the_statement_compiles_for_postgresql(name: str) -> None:
    form = form_of(statements()[name], POSTGRES)

    assert form.sql and form.bind({}) is not None


def test_the_schema_compiles_for_postgresql_and_keeps_what_its_partial_indexes_promise() -> None:
    dialect = postgresql.dialect()
    found = [str(CreateTable(table).compile(dialect=dialect)) for table in metadata.sorted_tables]
    indexes = [index for table in metadata.sorted_tables for index in table.indexes]

    partial = {
        index.name: str(CreateIndex(index).compile(dialect=dialect))
        for index in indexes
        if index.dialect_options["sqlite"]["where"] is not None
    }

    assert all(found)
    assert {"uq_runs_open", "uq_runs_completed", "uq_memory_shared"} <= partial.keys()
    assert [name for name, sql in partial.items() if " WHERE " not in sql] == []
    assert "lease_until BIGINT" in "".join(found)  # microseconds do not fit into 32 bits


def test_nothing_outside_the_backends_knows_the_driver_or_its_dialect() -> None:
    root = Path(orchestrator.__file__).parent

    known = [
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        if re.search(r"sqlite3|PRAGMA|dialects", file.read_text(encoding="utf-8"))
    ]

    assert [file for file in known if not file.startswith("store/backends/")] == []


def test_a_query_whose_columns_are_not_its_rows_fields_is_refused() -> None:
    @query(EventTime)
    def swapped() -> Selection:
        return select(messages.c.at, messages.c.number)

    with pytest.raises(AssertionError, match="are not the fields of EventTime"):
        _ = swapped.form


def test_the_compiled_statements_are_those_of_the_source() -> None:
    assert compiled.file_of(SQLITE).read_text(encoding="utf-8") == written(), (
        "`make statements` writes them anew"
    )


@pytest.mark.parametrize("name", [name for name, each in statements().items() if isinstance(each, Insertion)])
def test_an_insert_is_what_sqlalchemy_makes_of_it(name: str) -> None:
    insertion = statements()[name]
    assert isinstance(insertion, Insertion)

    ours = form_of(insertion).sql

    built = insert(
        insertion.table, SQLITE, unique=insertion.unique, where=insertion.where, replace=insertion.replace
    )
    theirs = str(built.compile(dialect=SQLITE.dialect))
    assert _words(ours) == _words(theirs)


def _words(sql: str) -> list[str]:
    """Without quotes and the order of assignments, which differ."""
    return sorted(sql.replace('"', "").replace(",", " ").split())


def test_an_insert_names_no_column_that_its_table_has_not() -> None:
    with pytest.raises(KeyError):
        Insertion("messages").for_values({"session_id": "S", "at) VALUES (1); --": 1})


def test_whatever_is_listed_is_a_value(connection: sqlite3.Connection) -> None:
    names = ("analyst", "x' OR '1' = '1", "{roles}", "审阅者")

    form = tasks._oldest_offer.given("roles", names).form

    connection.execute(f"EXPLAIN {form.sql}", form.bind({}))
    written = [f"tasks.role = '{name.replace(chr(39), chr(39) * 2)}'" for name in names]
    assert f"({' OR '.join(written)})" in form.sql
    with pytest.raises(ValueError, match="no text of SQL"):
        tasks._oldest_offer.given("roles", ("a\0b",))


def test_a_statement_of_a_changed_module_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.compiled("tasks._oldest_offer", SQLITE) is not None
    compiled._is_current.cache_clear()
    monkeypatch.setattr(compiled, "stamp", lambda module: 1)

    assert compiled.compiled("tasks._oldest_offer", SQLITE) is None
    assert (
        Query(Task, tasks._oldest_offer.build, "tasks._oldest_offer").form.sql == tasks._oldest_offer.form.sql
    )

    compiled._is_current.cache_clear()
