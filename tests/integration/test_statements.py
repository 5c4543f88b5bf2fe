"""Every statement of the store compiles to SQL that SQLite takes as it is: nothing is left for execution time."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

import orchestrator.store
from orchestrator.store.backends.postgres_dialect import SQL as POSTGRES
from orchestrator.store.rows import EventTime
from orchestrator.store.statements import Insertion, Selection, Statement, query
from orchestrator.store.tables import messages, metadata
from tests import factories as make


def statements() -> dict[str, Statement | Insertion]:
    found: dict[str, Statement | Insertion] = {}
    for module in pkgutil.iter_modules(orchestrator.store.__path__, "orchestrator.store."):
        for name, value in vars(importlib.import_module(module.name)).items():
            several = value if isinstance(value, list | tuple) else [value]
            for number, each in enumerate(several):
                if isinstance(each, Statement | Insertion):
                    found[f"{module.name}.{name}.{number}"] = each
    return found


@pytest.mark.parametrize("name", statements())
def test_the_statement_is_plain_sql(name: str, tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    statement = statements()[name]
    if isinstance(statement, Insertion):
        form = statement.for_values(dict.fromkeys(statement.table.columns.keys()))
    else:
        form = statement.form
    connection = sqlite3.connect(store.path)

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
    "task_history._taken": "the newest tasks up to a limit, by their key",
}


@pytest.mark.parametrize("name", statements())
def test_no_table_that_grows_is_read_as_a_whole(name: str, tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    statement = statements()[name]
    if isinstance(statement, Insertion) or any(part in name for part in MAY_SCAN):
        return
    connection = sqlite3.connect(store.path)

    plan = [
        row[3]
        for row in connection.execute(f"EXPLAIN QUERY PLAN {statement.form.sql}", statement.form.bind({}))
    ]

    whole = [step for step in plan if step in {f"SCAN {table}" for table in GROWING}]
    assert not whole, plan


@pytest.mark.parametrize("name", statements())
def test_the_statement_compiles_for_postgresql(name: str) -> None:
    statement = statements()[name]

    insertion = isinstance(statement, Insertion)
    form = (
        statement.for_values(dict.fromkeys(statement.table.columns.keys()), POSTGRES)
        if insertion
        else statement.form_in(POSTGRES)
    )

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
