"""Every statement of the store compiles to SQL that SQLite takes as it is: nothing is left for execution time."""

from __future__ import annotations

import importlib
import pkgutil
import sqlite3
from pathlib import Path

import pytest

import orchestrator.store
from orchestrator.store.statements import Insertion, Statement
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
    "sessions._all": "every session is what it is asked for",
    "sessions._newest_shown": "one look of a command without a name",
    "queries._page": "the newest sessions, by a sort of their times",
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
